"""Optimisation, verification, lists, runs as tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradyn


def test_a_callback_is_told_each_evaluation_and_may_stop(balance: gradyn.Model, tmp_path) -> None:
    told = []
    result = balance.optimize(certificate=False, callback=lambda now: told.append(now) or len(told) == 3)
    assert result.status == "interrupted" and result.evaluations == 3 == len(told)
    assert set(told[0]["parameters"]) == set(balance.parameters)
    # and it goes on to the same bits
    whole = balance.optimize(certificate=False)
    assert balance.optimize(certificate=False, resume=result).history == whole.history
    result.save(tmp_path / "history")
    again = balance.optimize(certificate=False, resume=str(tmp_path / "history"))
    assert again.x.tolist() == whole.x.tolist() and again.history == whole.history


def test_a_history_is_written_and_read_in_utf_8(tmp_path: Path) -> None:
    # Python itself complains where a file is opened in the encoding of the machine
    code = (
        "import gradyn; m = gradyn.example('five_bar_balance').using(t_end=0.1); "
        "r = m.optimize(certificate=False, max_evaluations=2); "
        "r.save('history'); m.optimize(certificate=False, max_evaluations=2, resume='history')"
    )
    words = ["-X", "warn_default_encoding", "-W", "error::EncodingWarning", "-c", code]
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_objective_is_minimised_without_a_word_in_the_file(balance: gradyn.Model) -> None:
    (name,) = balance.objectives
    result = balance.minimising(name, parameters=["L_s1"]).optimize(certificate=False)
    assert list(result.parameters) == ["L_s1"] and result.success
    assert result.value < result.initial
    with pytest.raises(gradyn.ModelError, match="nothing"):
        balance.minimising("nothing").optimize()


def test_an_error_of_a_callback_comes_out(balance: gradyn.Model) -> None:
    def refuse(now) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        balance.optimize(callback=refuse)


def test_a_history_of_something_else_is_refused(balance: gradyn.Model) -> None:
    result = balance.optimize(certificate=False)
    with pytest.raises(gradyn.MethodError, match="history"):
        balance.with_(L_s1=1.9).optimize(resume=result)
    with pytest.raises(gradyn.ArgumentError, match="no evaluation"):
        balance.optimize(resume=["nonsense"])


def test_the_optimum_has_a_certificate_and_a_model(balance: gradyn.Model) -> None:
    result = balance.optimize()
    assert result.success and result.certificates[0].verdict
    assert result.model.parameters["L_s1"].value == result.parameters["L_s1"]


def test_many_starts_are_the_same_on_any_number_of_threads() -> None:
    model = gradyn.example("four_bar_synthesis")
    one = model.optimize(starts=3, threads=1, max_evaluations=5, certificate=False)
    two = model.optimize(starts=3, threads=2, max_evaluations=5, certificate=False)
    assert one.history == two.history and len(one.starts or ()) == 3


def test_methods_are_compared() -> None:
    told = []
    found = gradyn.example("pendulum").using(t_end=0.3).verify(budget=3.0, callback=lambda *x: told.append(x))
    assert found.rows and told and isinstance(found.agrees, bool)


def test_lists_name_everything() -> None:
    assert {"revolute", "prismatic"} <= set(gradyn.list_joints())
    for of in (
        gradyn.list_coordinates,
        gradyn.list_formulations,
        gradyn.list_integrators,
        gradyn.list_sensitivities,
        gradyn.list_options,
        gradyn.list_forces,
        gradyn.list_shapes,
        gradyn.list_tyre_laws,
        gradyn.list_sensors,
        gradyn.list_optimizers,
        gradyn.list_examples,
    ):
        assert all(isinstance(name, str) and about for name, about in of().items()), of.__name__
    assert '"$schema"' in gradyn.schema()


def test_parameters_have_what_the_file_says(balance: gradyn.Model) -> None:
    p = balance.parameters["L_s1"]
    assert p.bounds[0] < p.value < p.bounds[1] and p.scale > 0 and p.unit == "m" and p.used
    x = balance.x0
    assert list(balance.parameters) == ["L_s1", "L_s2"] and x.tolist() == [
        q.value for q in balance.parameters.values()
    ]


def test_a_run_is_a_table(five_bar: gradyn.Model) -> None:
    run = five_bar.simulate(output_step=0.1)
    frame = run.to_pandas()
    assert list(frame.columns) == list(run) and frame.index.name == "t"
    assert np.array_equal(frame[five_bar.sensors[0]].to_numpy(), run[five_bar.sensors[0]])
    assert len(run.t) == 6 and len(run) == len(five_bar.sensors)


def test_a_run_is_drawn(five_bar: gradyn.Model) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = five_bar.simulate().plot(five_bar.sensors[0])
    assert len(axes.lines) == 1


def test_events_are_listed() -> None:
    assert gradyn.example("bouncing_ball").simulate().events


def test_values_of_parameters_keep_their_bits(balance: gradyn.Model) -> None:
    for x in (2.0 + 2**-50, 1e-5, 2.5e17, 0.1 + 0.2):
        assert gradyn.loads(balance.text).with_(L_s1=2.0)._spec.with_values({"L_s1": x}).values[-1][
            1
        ] == repr(x)
    for x in (2.0 + 2**-50, 2.3 + 1e-15):
        assert balance.with_(L_s1=x).parameters["L_s1"].value == x
