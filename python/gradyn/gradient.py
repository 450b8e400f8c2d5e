"""Gradients with their names, and what is known of them."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from . import _core
from ._vectors import Array, index
from .errors import GradynWarning

if TYPE_CHECKING:
    import pandas

    from .run import Run

__all__ = ["Certificate", "Contributions", "Gradient"]


@dataclass(frozen=True)
class Certificate:
    """Whether a gradient is that of the problem, and what it is known to."""

    #: trusted, coarse, unchecked, chaotic, not-smooth or unresolved.
    verdict: str
    #: A sentence for each finding that is not as it should be.
    reasons: tuple[str, ...]
    #: Everything that was found, with the keys of `gradyn gradient --json`.
    details: Mapping[str, Any]

    @property
    def trusted(self) -> bool:
        """Did every check agree?"""
        return self.verdict == "trusted"

    def error(self, objective: str, parameter: str | None = None) -> float | None:
        """± of an objective, or of one of its derivatives; nothing where it could not be found."""
        errors = self.details.get("errors")
        if errors is None:
            return None
        found = errors["objectives"][objective]
        return float(found["value"] if parameter is None else found["gradient"][parameter])

    def __str__(self) -> str:
        return "\n".join([self.verdict, *self.reasons])


@dataclass(frozen=True)
class Contributions:
    """Where a gradient comes from: its steps, the initial state, the initial conditions."""

    #: Records × objectives × parameters: what each step adds.
    records: Array
    #: Objectives × coordinates: dψ/d(initial state).
    initial_state: Array
    #: Objectives × conditions: dψ/d(value of an initial condition).
    conditions: Array
    #: Names of the initial state.
    coordinates: tuple[str, ...]


class Gradient:
    """Values of the objectives and their Jacobian.

    >>> import gradyn
    >>> g = gradyn.example("five_bar").gradient(t_end=0.5, certificate=False)
    >>> g.jacobian.shape == (len(g.objectives), len(g.parameters))
    True
    >>> g["psi1", "L_A1"] == g.jacobian[0, list(g.parameters).index("L_A1")].item()
    True
    """

    def __init__(self, run: Run, core: _core.CoreGradient, certify: bool) -> None:
        self._run = run
        self._core = core
        self._lock = threading.Lock()
        self._certificate: Certificate | None = None
        self._contributions: Contributions | None = None
        #: Values of the objectives, in their order.
        self.values: Array = run.values_of_objectives
        #: One row for each objective, one column for each parameter; read-only.
        self.jacobian: Array = core.jacobian()
        #: Names of the rows.
        self.objectives: tuple[str, ...] = run.model.objectives
        #: Names of the columns.
        self.parameters: tuple[str, ...] = tuple(run.model.parameters)
        if certify:
            self.certify()

    @property
    def run(self) -> Run:
        """The run that is differentiated."""
        return self._run

    @property
    def method(self) -> str:
        """The method that computed it."""
        return self._core.method()[0]

    @property
    def seconds(self) -> float:
        """Computing time of the gradient [s]."""
        return self._core.method()[1]

    @property
    def error_bars(self) -> Array | None:
        """Error bars of extrapolated differences; nothing for other methods."""
        return self._core.bars()

    @property
    def warnings(self) -> list[GradynWarning]:
        """Things to know about this gradient, beside those of its run."""
        return [GradynWarning(*w) for w in self._core.warnings()]

    @property
    def certificate(self) -> Certificate | None:
        """What `certify` has found; nothing where nobody asked for it."""
        return self._certificate

    def certify(self) -> Certificate:
        """Asks whether the gradient is that of the problem, once; it takes as long as some runs."""
        with self._lock:
            if self._certificate is None:
                found = self._core.certificate()
                reasons = tuple(r["text"] for r in found["reasons"])
                self._certificate = Certificate(found["verdict"], reasons, found)
            return self._certificate

    def contributions(self) -> Contributions:
        """What each step, the initial state and the initial conditions add, by the discrete adjoint."""
        with self._lock:
            if self._contributions is None:
                records, initial, conditions = self._core.contributions()
                names = self._run.model.coordinates
                self._contributions = Contributions(records, initial, conditions, names)
            return self._contributions

    def __getitem__(self, names: str | tuple[str, str]) -> Any:
        """A row by its objective, as a dictionary, or an entry by objective and parameter."""
        objective, parameter = names if isinstance(names, tuple) else (names, None)
        row = self.jacobian[index("objective", objective, self.objectives)]
        if parameter is None:
            return dict(zip(self.parameters, row.tolist()))
        return float(row[index("parameter", parameter, self.parameters)])

    def value(self, objective: str) -> float:
        """The value of an objective."""
        return float(self.values[index("objective", objective, self.objectives)])

    def to_pandas(self) -> pandas.DataFrame:
        """The Jacobian as a table of pandas."""
        import pandas

        return pandas.DataFrame(self.jacobian, index=list(self.objectives), columns=list(self.parameters))

    def __repr__(self) -> str:
        shape = f"{len(self.objectives)} × {len(self.parameters)}"
        verdict = f", {self._certificate.verdict}" if self._certificate else ""
        return f"<Gradient of {self._run.model.name}: {shape}, {self.method}{verdict}>"

    def _repr_html_(self) -> str:
        names = "".join(f"<th>∂/∂{escape(p)}</th>" for p in self.parameters)

        def line(k: int) -> str:
            return "".join(f"<td>{x:.9g}</td>" for x in (self.values[k], *self.jacobian[k]))

        body = "".join(f"<tr><th>{escape(o)}</th>{line(k)}</tr>" for k, o in enumerate(self.objectives))
        caption = escape(repr(self)[1:-1])
        return f"<table><caption>{caption}</caption><tr><th></th><th>value</th>{names}</tr>{body}</table>"
