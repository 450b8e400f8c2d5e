"""What tests share: the command, examples, and short runs of them."""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gradyn

ROOT = Path(__file__).resolve().parent.parent.parent
#: The command that the tests of Rust have built.
COMMAND = Path(os.environ.get("GRADYN_COMMAND", ROOT / "target" / "debug" / "gradyn"))
MODELS = ROOT / "crates" / "gradyn" / "models"


def command(*words: str) -> tuple[Any, str]:
    """The object that the command prints, or nothing; and what it complains of."""
    done = subprocess.run([str(COMMAND), *words, "--json"], capture_output=True, text=True)
    return (json.loads(done.stdout) if done.stdout else None), done.stderr


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Warnings of models are tested where they are meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradyn.GradynWarning)
        yield


@pytest.fixture(scope="session")
def five_bar() -> gradyn.Model:
    """The five-bar over a tenth of its time."""
    return gradyn.example("five_bar").using(t_end=0.5)


@pytest.fixture(scope="session")
def balance() -> gradyn.Model:
    """The balance of the five-bar."""
    return gradyn.example("five_bar_balance")
