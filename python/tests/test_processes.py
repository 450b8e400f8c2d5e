"""Other threads, other processes, other machines: the same bits, and Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gradyn
from gradyn import _spec


@pytest.fixture(scope="module")
def short() -> gradyn.Model:
    """The balance of the five-bar, over a short time."""
    return gradyn.example("five_bar_balance").using(t_end=0.2)


@pytest.fixture(scope="module")
def samples() -> np.ndarray:
    """Designs around the start."""
    return np.linspace([2.0, 1.5], [2.8, 2.2], 40)


@pytest.fixture(scope="module")
def table(short: gradyn.Model, samples: np.ndarray) -> gradyn.Sweep:
    """The sweep on one thread."""
    return short.sweep(samples, threads=1).collect()


def equal(a: gradyn.Sweep, b: gradyn.Sweep) -> bool:
    """Have two sweeps the same bits?"""
    return a.values.tobytes() == b.values.tobytes() and a.jacobian.tobytes() == b.jacobian.tobytes()


def test_a_model_pickles_with_its_parameters(short: gradyn.Model) -> None:
    model = short.with_(L_s1=2.4)
    twin = pickle.loads(pickle.dumps(model))
    assert twin.parameters == model.parameters
    assert twin.value_and_jacobian()[1].tolist() == model.value_and_jacobian()[1].tolist()


def test_a_model_takes_its_record_with_it(tmp_path: Path) -> None:
    # a fit whose record is a csv file
    home = tmp_path / "home"
    home.mkdir()
    truth = gradyn.example("pendulum").using(t_end=0.5)
    sensor = truth.sensors[0]
    run = truth.simulate(output_step=0.05)
    rows = "".join(f"{t!r},{y!r}\n" for t, y in zip(run.t.tolist(), run[sensor].tolist()))
    (home / "record.csv").write_text(f"t,{sensor}\n{rows}")
    own = gradyn.Mechanism.from_toml(truth.text)
    own.study(t_end=0.5, optimize={"fit": {"record": "record.csv", "columns": {sensor: {"scale": 1.0}}}})
    (home / "model.toml").write_text(own.to_toml())
    first = gradyn.load(home / "model.toml")
    packed = pickle.dumps(first)
    expected = first.residuals()(first.residuals().x0)
    # another folder, without the file
    (home / "record.csv").unlink()
    (home / "model.toml").unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    code = (
        "import pickle, sys; m = pickle.load(sys.stdin.buffer); r = m.residuals(); "
        "sys.stdout.buffer.write(r(r.x0).tobytes())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=packed, capture_output=True, cwd=elsewhere, check=True
    )
    assert done.stdout == expected.tobytes()


def test_the_record_of_a_fit_is_read_when_its_model_is(tmp_path: Path, monkeypatch) -> None:
    model = gradyn.example("pendulum")
    sensor = model.sensors[0]
    own = gradyn.Mechanism.from_toml(model.text)
    own.study(t_end=0.5, optimize={"fit": {"record": "record.csv", "columns": {sensor: {"scale": 1.0}}}})

    def record(level: float) -> str:
        rows = (f"{0.05 * k!r},{level + 0.1 * k!r}\n" for k in range(1, 9))
        return f"t,{sensor}\n" + "".join(rows)

    home = tmp_path / "home"
    home.mkdir()
    (home / "record.csv").write_text(record(1.0))
    (home / "model.toml").write_text(own.to_toml())
    monkeypatch.chdir(home)
    first = gradyn.load("model.toml")
    expected = first.residuals()(first.residuals().x0).tolist()
    # other numbers in the file, and then another folder without it
    (home / "record.csv").write_text(record(2.0))
    assert first.residuals()(first.residuals().x0).tolist() == expected
    monkeypatch.chdir(tmp_path)
    for twin in (first, first.using(t_end=0.5), pickle.loads(pickle.dumps(first))):
        assert twin.residuals()(twin.residuals().x0).tolist() == expected
    # without its record a model runs, and its fit says what is missing
    (home / "record.csv").unlink()
    alone = gradyn.load(home / "model.toml")
    assert alone.simulate(t_end=0.1)
    with pytest.raises(gradyn.ModelError, match="record.csv"):
        alone.residuals()


def test_workers_of_another_version_are_refused(short: gradyn.Model) -> None:
    with pytest.raises(gradyn.VersionError, match="0.0.1"):
        _spec.rebuild("0.0.1", short._spec)
    from gradyn._workers import compute

    with pytest.raises(gradyn.VersionError):
        compute("0.0.1", pickle.dumps((short, True)), np.ones((1, 2)))


def test_threads_share_a_model(short: gradyn.Model, samples: np.ndarray, table: gradyn.Sweep) -> None:
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda x: short.gradient(x, certificate=False).jacobian, samples))
    assert np.array(rows).tobytes() == table.jacobian.tobytes()


def test_any_number_of_threads_gives_the_same_bits(short, samples, table) -> None:
    for threads in (2, 3):
        assert equal(short.sweep(samples, threads=threads).collect(), table)


def child(model: gradyn.Model, out: str) -> None:
    """What a forked process does after its parent has used threads."""
    psi, jacobian, _ = model.batch(np.tile(model.x0, (4, 1)), threads=2)
    one = model.gradient(certificate=False)
    Path(out).write_bytes(jacobian.tobytes() + one.jacobian.tobytes())


def test_a_fork_after_threads_computes(short: gradyn.Model, tmp_path: Path) -> None:
    jacobian = short.batch(np.tile(short.x0, (4, 1)), threads=2)[1]
    one = short.gradient(certificate=False)
    process = multiprocessing.get_context("fork").Process(target=child, args=(short, str(tmp_path / "out")))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert (tmp_path / "out").read_bytes() == jacobian.tobytes() + one.jacobian.tobytes()


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes_give_the_same_bits(short, samples, table, way: str) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(way)) as pool:
        rows = []
        sweep = short.sweep(samples, executor=pool, chunk=7)
        for row in sweep:
            rows.append(row.index)
    assert rows == list(range(len(samples)))
    assert equal(sweep, table)


def kill_a_worker(pool: ProcessPoolExecutor) -> None:
    """Ends one process of a pool."""
    os.kill(next(iter(pool._processes)), signal.SIGKILL)


def test_a_worker_that_dies_costs_a_retry(short, samples, table) -> None:
    pools: list[ProcessPoolExecutor] = []

    def make() -> ProcessPoolExecutor:
        pools.append(ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")))
        return pools[-1]

    sweep = short.sweep(samples, executor=make, chunk=4)
    for row in sweep:
        if row.index == 5:
            kill_a_worker(pools[0])
    assert equal(sweep, table)
    assert len(pools) == 2
    assert sweep.retries and all("Broken" in why for _, _, why in sweep.retries)


def test_a_broken_executor_leaves_a_sweep_that_goes_on(short, samples, table, tmp_path) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        sweep = short.sweep(samples, executor=pool, chunk=4)
        with pytest.raises(gradyn.WorkerError, match="resume") as caught:
            for row in sweep:
                if row.index == 5:
                    kill_a_worker(pool)
    assert isinstance(caught.value.__cause__, BrokenExecutor)
    assert not sweep.complete and len(sweep.values) >= 4
    sweep.save(tmp_path / "rows")
    again = short.sweep(samples, resume=str(tmp_path / "rows"), threads=2).collect()
    assert equal(again, table)


def test_rows_of_something_else_are_refused(short, samples, table, tmp_path) -> None:
    table.save(tmp_path / "rows")
    with pytest.raises(gradyn.ArgumentError, match="another model"):
        short.with_(L_s1=2.0).sweep(samples, resume=str(tmp_path / "rows"))
    with pytest.raises(gradyn.ArgumentError, match="other samples"):
        short.sweep(samples + 1e-9, resume=str(tmp_path / "rows"))


class Fragile(Executor):
    """An executor of this thread, which breaks when it is given its n-th chunk."""

    def __init__(self, n: int) -> None:
        self._left = n

    def submit(self, fn, /, *args, **kwargs):
        self._left -= 1
        if self._left < 0:
            raise BrokenExecutor("noticed late")
        future: Future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as e:
            future.set_exception(e)
        return future


@pytest.mark.parametrize("n", [0, 1, 5])
def test_an_executor_that_breaks_when_it_is_asked_is_replaced(short, samples, table, n: int) -> None:
    lives = iter([n, 1000])
    sweep = short.sweep(samples, executor=lambda: Fragile(next(lives)), chunk=4)
    assert equal(sweep.collect(), table)
    assert [why for _, _, why in sweep.retries] == ["BrokenExecutor: noticed late"]


def test_executors_that_always_break_end_the_sweep(short, samples) -> None:
    made = []
    sweep = short.sweep(samples, executor=lambda: made.append(0) or Fragile(0), chunk=4, retries=2)
    with pytest.raises(gradyn.WorkerError, match="ended 3 times"):
        sweep.collect()
    assert len(made) == 3


class Refusing(Executor):
    """An executor whose chunks end with an error, a few times."""

    def __init__(self, error: Exception, times: int) -> None:
        self._error = error
        self._times = times

    def submit(self, fn, /, *args, **kwargs):
        self._times -= 1
        future: Future = Future()
        if self._times < 0:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(self._error)
        return future


@pytest.mark.parametrize(
    "error",
    [gradyn.InternalError("x"), ImportError("x"), pickle.PicklingError("x"), AssertionError("x")],
    ids=lambda e: type(e).__name__,
)
def test_errors_that_would_come_again_come_out(short, samples, error: Exception) -> None:
    sweep = short.sweep(samples, executor=Refusing(error, 1), chunk=4)
    with pytest.raises(type(error)) as caught:
        sweep.collect()
    assert caught.value is error and not sweep.retries


@pytest.mark.parametrize("error", [CancelledError(), ConnectionResetError("x")])
def test_a_chunk_whose_worker_has_gone_is_computed_again(short, samples, table, error: Exception) -> None:
    sweep = short.sweep(samples, executor=Refusing(error, 1), chunk=4)
    assert equal(sweep.collect(), table) and len(sweep.retries) == 1


def test_a_sweep_has_samples_of_its_own(short, samples, table) -> None:
    own = samples.copy()
    sweep = short.sweep(own, threads=1)
    own[:] = 0.0
    assert equal(sweep.collect(), table)
    row = next(iter(sweep))
    for array in (sweep.x, row.x):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_sweep_pickles_without_its_executor(short, samples, table) -> None:
    with ThreadPoolExecutor(1) as pool:
        sweep = short.sweep(samples, executor=pool, chunk=4)
        rows = iter(sweep)
        next(rows)
        twin = pickle.loads(pickle.dumps(sweep))
        rows.close()
    assert not twin.complete and len(twin.values) == 4
    assert equal(twin.collect(), table)


def test_a_design_that_fails_is_a_row_with_its_error(short: gradyn.Model) -> None:
    sweep = short.sweep([[2.0, 1.5], [np.nan, 1.5], [2.1, 1.5]]).collect()
    assert [e is None for e in sweep.errors] == [True, False, True]
    assert "L_s1" in str(sweep.errors[1]) and np.isnan(sweep.values[1, 0])
    assert list(sweep.to_pandas()["error"] == "") == [True, False, True]


def test_dask_gives_the_same_bits(short, samples, table) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        sweep = short.sweep(samples, executor=client.get_executor(), chunk=4)
        killed = False
        for row in sweep:
            if row.index == 5 and not killed:
                killed = True
                address, pid = next(iter(client.run(os.getpid).items()))
                os.kill(pid, signal.SIGKILL)
                # Dask notices that by a connection that closes
                deadline = time.monotonic() + 60
                while address in client.scheduler_info(n_workers=-1)["workers"]:
                    assert time.monotonic() < deadline, "Dask has not noticed"
                    time.sleep(0.02)
        assert equal(sweep, table)
        assert [why for _, _, why in sweep.retries if "has gone" in why]


INTERRUPTED = """
import os, signal, sys, threading, time, gradyn
model = gradyn.example({name!r})
when = []
def press():
    when.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.4, press).start()
try:
    {call}
except gradyn.Interrupted as e:
    late = time.perf_counter() - when[0]
    assert isinstance(e, KeyboardInterrupt)
    print(late, type(e.result).__name__)
    sys.stdout.flush()
    os._exit(0)
print("ended before")
"""


@pytest.mark.parametrize(
    ("name", "call", "result"),
    [
        ("five_bar", "model.simulate(t_end=500.0, step=1e-4)", "NoneType"),
        ("four_bar_synthesis", "model.optimize(starts=2000)", "Result"),
        ("five_bar_balance", "model.sweep([[2.0, 1.5]] * 100000).collect()", "Sweep"),
        ("five_bar", "model.verify(full=True)", "NoneType"),
        ("five_bar", "model.gradient(t_end=300.0, step=1e-3)", "NoneType"),
    ],
)
def test_ctrl_c_ends_a_call(name: str, call: str, result: str) -> None:
    code = INTERRUPTED.format(name=name, call=call)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    late, kind = done.stdout.split()
    assert kind == result, done.stderr
    # 0.1 s on a machine that does nothing else
    print(f"\n{call}: {1e3 * float(late):.0f} ms after Ctrl-C")


def test_other_threads_go_on_while_one_computes(five_bar: gradyn.Model) -> None:
    ticks = []
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    five_bar.gradient(t_end=5.0)
    done.set()
    thread.join()
    assert len(ticks) > 5


def test_a_spec_without_its_folder_is_the_same_model(short: gradyn.Model) -> None:
    assert replace(short._spec, read=True) == short._spec
