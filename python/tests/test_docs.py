"""Examples of docstrings run, and pages say what is there."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re

import pytest
from conftest import ROOT

import gradyn

#: Modules that need a library of their own.
OPTIONAL = {"jax": "jax", "torch": "torch"}


@pytest.mark.parametrize(
    "name", sorted(m.name for m in pkgutil.iter_modules(gradyn.__path__) if m.name != "_core")
)
def test_examples_of_docstrings_run(name: str) -> None:
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    found = doctest.testmod(importlib.import_module(f"gradyn.{name}"))
    assert found.failed == 0


def test_public_names_have_docstrings() -> None:
    for name in gradyn.__all__:
        assert name == "__version__" or getattr(gradyn, name).__doc__, name
    for kind in (gradyn.Model, gradyn.Run, gradyn.Gradient, gradyn.Sweep, gradyn.Mechanism, gradyn.Result):
        for name, member in vars(kind).items():
            assert name.startswith("_") or not callable(member) or member.__doc__, f"{kind.__name__}.{name}"


def test_the_page_names_what_is_there() -> None:
    text = (ROOT / "docs" / "PYTHON.md").read_text()
    for name in re.findall(r"`model\.(\w+)", text):
        assert hasattr(gradyn.Model, name), name
    for name in re.findall(r"gradyn\.(\w+)\(", text):
        assert hasattr(gradyn, name), name
