"""Examples of docstrings run, and pages say what is there."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
import zipfile
from pathlib import Path

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


def test_a_wheel_is_where_its_packer_says(tmp_path: Path) -> None:
    built = tmp_path / "built"
    built.mkdir()
    (built / "lib_core.so").write_bytes(b"a module")
    words = [sys.executable, str(ROOT / "python" / "pack.py"), str(built), str(tmp_path / "wheels")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    (wheel,) = (tmp_path / "wheels").iterdir()
    assert done.stdout.strip() == str(wheel)
    with zipfile.ZipFile(wheel) as packed:
        assert packed.read("gradyn/_core.abi3.so") == b"a module"


def test_every_version_of_python_has_a_reader_of_toml() -> None:
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.10"
    # Python has one of its own from 3.11 on
    assert [d for d in project["dependencies"] if d.startswith("tomli>") and "'3.11'" in d]


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
