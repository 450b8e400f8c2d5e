"""Every method against one reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from . import _core
from ._progress import Progress

__all__ = ["Verification"]


class Verification:
    """What formulations, integrators and sensitivities say about one model."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        #: Was something compared, and is there no disagreement that nothing explains?
        self.agrees: bool = found["agrees"]
        #: Why the gradient of the reference is not known to be that of the problem.
        self.doubt: str | None = found["doubt"]
        #: What all others are compared with.
        self.reference: dict[str, Any] = found["reference"]
        #: One dictionary for each combination: names, verdict, note, distance in units of its expected error.
        self.rows: list[dict[str, Any]] = found["rows"]
        #: Combinations that did not fit into the budget.
        self.skipped: list[dict[str, str]] = found["skipped"]
        #: How many rows have each verdict.
        self.summary: dict[str, int] = found["summary"]
        #: Seconds in all.
        self.seconds: float = found["seconds"]

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {name}" for name, n in self.summary.items() if n)
        return f"<Verification: {'agrees' if self.agrees else 'does not agree'}; {counts}>"

    def _repr_html_(self) -> str:
        keys = ("coordinates", "formulation", "integrator", "sensitivity", "verdict", "note")

        def cells(row: Mapping[str, Any]) -> str:
            return "".join(f"<td>{escape(str(row.get(k) or ''))}</td>" for k in keys)

        head = "".join(f"<th>{k}</th>" for k in keys)
        body = "".join(f"<tr>{cells(row)}</tr>" for row in self.rows)
        return f"<table><caption>{escape(repr(self)[1:-1])}</caption><tr>{head}</tr>{body}</table>"


def verify(
    core: _core.Core,
    full: bool,
    budget: float | None,
    callback: Callable[[int, int, str], None] | None,
    progress: bool,
) -> Verification:
    """Runs the combinations and tells which one begins."""
    with Progress(progress) as shown:

        def told(done: int, total: int, name: str) -> None:
            shown(f"{done} of {total}: {name}")
            if callback is not None:
                callback(done, total, name)

        return Verification(core.verify(full, budget, told))
