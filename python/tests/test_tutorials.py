"""Tutorials run as scripts, and each ends with a picture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

FOLDER = ROOT / "python" / "tutorials"


def run(name: str, folder: Path, *words: str) -> None:
    """Runs a tutorial in an empty folder."""
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    script = [sys.executable, str(FOLDER / f"{name}.py"), *words]
    done = subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / f"{name}.png").stat().st_size > 1000


@pytest.mark.parametrize(
    "name", ["five_bar_gradient", "four_bar_synthesis", "neural_feedback", "identification"]
)
def test_a_tutorial_runs(name: str, tmp_path: Path) -> None:
    run(name, tmp_path)


@pytest.mark.long
def test_the_car_is_optimised_a_little(tmp_path: Path) -> None:
    run("iltis_comfort", tmp_path, "short")


@pytest.mark.long
def test_the_car_is_optimised(tmp_path: Path) -> None:
    run("iltis_comfort", tmp_path)


def test_every_tutorial_is_run() -> None:
    names = {p.stem for p in FOLDER.glob("*.py")}
    assert names == {
        "five_bar_gradient",
        "four_bar_synthesis",
        "iltis_comfort",
        "neural_feedback",
        "identification",
    }
