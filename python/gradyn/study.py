"""Runs of the optimiser."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._progress import Progress
from ._vectors import Array
from .errors import Interrupted
from .gradient import Certificate

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Result"]


class Result:
    """How an optimisation ended, and how it came there.

    >>> import gradyn
    >>> result = gradyn.example("five_bar_balance").optimize(certificate=False)
    >>> result.success, result.value < 1e-10
    (True, True)
    """

    def __init__(
        self, model: Model, names: Sequence[str], found: Mapping[str, Any], lines: Sequence[str]
    ) -> None:
        self._model = model
        #: How it ended, in one word: optimal, value-converged, …, interrupted.
        self.status: str = found["status"]
        #: How it ended, in a sentence.
        self.message: str = found["message"]
        #: Is it a local optimum, up to the tolerances?
        self.success: bool = found["success"]
        #: The design: values of the parameters that vary; empty if there is none.
        self.x: Array = np.array(found["x"], dtype=float)
        #: The same by name.
        self.parameters: dict[str, float] = dict(zip(names, self.x.tolist()))
        #: What is minimised, there and at the start.
        self.value: float | None = found["value"]
        self.initial: float | None = found["initial"]
        #: Iterations and evaluations, failed ones included.
        self.iterations: int = found["iterations"]
        self.evaluations: int = found["evaluations"]
        #: Constraints at the design, with their multipliers; active bounds likewise.
        self.constraints: list[dict[str, Any]] = found.get("constraints", [])
        self.active: list[dict[str, Any]] = found.get("active", [])
        #: Designs that had no numbers, with the reasons.
        self.failures: list[dict[str, Any]] = found.get("failures", [])
        #: Deviations, intervals, correlations and unidentifiable directions of a fit.
        self.fit: dict[str, Any] | None = found.get("fit")
        #: How every start of many ended.
        self.starts: list[dict[str, Any]] | None = found.get("starts")
        #: Certificates of the last design, one for each scenario; empty where nobody asked for them.
        last = [s["certificate"] for s in found.get("last", []) if s["certificate"]]
        self.certificates = tuple(
            Certificate(c["verdict"], tuple(r["text"] for r in c["reasons"]), c) for c in last
        )
        #: One line of JSON for each evaluation, every number exact.
        self.history: tuple[str, ...] = tuple(lines)
        #: Everything that is known, as a dictionary.
        self.details: Mapping[str, Any] = found

    @property
    def model(self) -> Model:
        """The model at the design."""
        return self._model.with_(self.parameters)

    def save(self, path: os.PathLike[str] | str) -> None:
        """Writes the history, from which `optimize(resume=path)` goes on."""
        target = Path(path)
        new = target.with_name(target.name + ".new")
        new.write_text("".join(f"{line}\n" for line in self.history), encoding="utf-8")
        os.replace(new, target)

    def __repr__(self) -> str:
        value = "no design" if self.value is None or not len(self.x) else f"{self.value:.9g}"
        return f"<Result: {self.status}, {value} after {self.evaluations} evaluations>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{escape(k)}</th><td>{v:.12g}</td></tr>" for k, v in self.parameters.items())
        return f"<table><caption>{escape(repr(self)[1:-1])}</caption>{rows}</table>"


def run(
    model: Model,
    study: _core.CoreStudy,
    certificate: bool,
    callback: Callable[[Mapping[str, Any]], Any] | None,
    progress: bool,
    resume: Result | Sequence[str] | str | None,
) -> Result:
    """Runs to the end, or until the callback or a signal ends it."""
    names = [v["name"] for v in study.describe()["variables"]]
    lines: list[str] = []
    last: dict[str, Any] = {}

    with Progress(progress) as shown:

        def told(line: str, now: dict[str, Any]) -> bool:
            lines.append(line)
            last.update(now)
            shown(f"evaluation {now['evaluation']}: {now.get('best')}")
            if callback is None:
                return False
            return bool(callback({**now, "parameters": dict(zip(names, now["x"]))}))

        try:
            found = study.run(list(_lines(resume)), certificate, told)
        except KeyboardInterrupt as e:
            # what was told by then, wherever the signal came
            raise Interrupted(result=Result(model, names, _unfinished(last, lines), lines)) from e
    return Result(model, names, found, lines)


def _lines(resume: Result | Sequence[str] | str | os.PathLike[str] | None) -> Sequence[str]:
    """The history to go on from."""
    if resume is None:
        return ()
    if isinstance(resume, Result):
        return resume.history
    if isinstance(resume, (str, os.PathLike)):
        return [line for line in Path(resume).read_text(encoding="utf-8").splitlines() if line]
    return resume


def _unfinished(last: Mapping[str, Any], lines: Sequence[str]) -> dict[str, Any]:
    """What is known of a run that was left."""
    return {
        "status": "interrupted",
        "message": "the run was not finished",
        "success": False,
        "x": last.get("best_x", []),
        "value": last.get("best"),
        "initial": None,
        "iterations": last.get("iteration", 0),
        "evaluations": len(lines),
    }
