"""What calls cost: memory is tested, times are printed (`pytest -s`)."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import gradyn


#: Prints by how much the memory of a process of its own has grown over some calls [bytes].
GROWTH = """
from pathlib import Path
import numpy as np
import gradyn

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

f = gradyn.example("five_bar").using(t_end=0.002).objective("psi1")
x = f.x0.copy()

def call(n):
    for _ in range(n):
        x[0] = np.nextafter(x[0], np.inf)
        f(x)

call(1000)
before = resident()
call({calls} - 1000)
print(resident() - before)
"""


@pytest.mark.parametrize("calls", [3000, pytest.param(100_000, marks=pytest.mark.long)])
def test_memory_does_not_grow_with_the_number_of_calls(calls: int) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("the system says nothing of its memory")
    code = GROWTH.format(calls=calls)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 2_000_000


def shortest(f, n: int) -> float:
    """The least time of some calls [s]."""
    best = np.inf
    for _ in range(n):
        begun = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - begun)
    return best


def test_times_are_printed() -> None:
    model = gradyn.example("five_bar").using(t_end=0.005)
    x = model.x0.copy()
    f = model.objective("psi1")
    rows = np.tile(x, (21, 1))

    def fresh() -> None:
        x[0] = np.nextafter(x[0], np.inf)
        f(x)

    # twenty designs more in a batch are twenty times the core, without Python
    core = (
        shortest(lambda: model.batch(rows, threads=1), 200)
        - shortest(lambda: model.batch(rows[:1], threads=1), 200)
    ) / 20
    call = shortest(fresh, 500)
    long = gradyn.example("five_bar").using(t_end=0.5)
    one, two = (shortest(lambda: long.batch(np.tile(long.x0, (16, 1)), threads=n), 3) for n in (1, 2))
    print(f"\ncore {1e6 * core:.1f} µs, call {1e6 * call:.1f} µs, over it {1e6 * (call - core):.1f} µs")
    print(f"16 designs: one thread {1e3 * one:.0f} ms, two {1e3 * two:.0f} ms, {one / two:.2f} times")
