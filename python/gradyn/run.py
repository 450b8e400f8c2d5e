"""A run: time, sensors, objectives."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._vectors import Array, unknown
from .errors import GradynWarning

if TYPE_CHECKING:
    import pandas

    from .gradient import Gradient
    from .model import Model

__all__ = ["Run"]

#: Rows of the short HTML form.
_SHOWN = 8


class Run(Mapping[str, Array]):
    """A run as a mapping of sensors to read-only arrays, one number for each time of `t`.

    >>> import gradyn
    >>> run = gradyn.example("pendulum").simulate(t_end=0.5)
    >>> len(run.t) == len(run["angle"])
    True
    """

    def __init__(self, model: Model, core: _core.CoreRun, step: float | None) -> None:
        self._model = model
        self._core = core
        self._step = step
        self._lock = threading.Lock()
        self._table: tuple[list[str], Array, list[GradynWarning]] | None = None

    def _rows(self) -> tuple[list[str], Array, list[GradynWarning]]:
        """Names and numbers of the table, computed when they are first asked for."""
        with self._lock:
            if self._table is None:
                columns, values, wrong = self._core.table(self._step)
                self._table = columns, values, [GradynWarning(*w) for w in wrong]
            return self._table

    @property
    def t(self) -> Array:
        """Times of the rows [s]."""
        t: Array = self._rows()[1][0]
        return t

    def __getitem__(self, name: str) -> Array:
        columns, values, _ = self._rows()
        if name not in columns[1:]:
            raise unknown("sensor", name, columns[1:])
        column: Array = values[columns.index(name)]
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows()[0][1:])

    def __len__(self) -> int:
        return len(self._rows()[0]) - 1

    @property
    def model(self) -> Model:
        """The model that ran."""
        return self._model

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters of the run, by name."""
        return dict(zip(self._model.parameters, self._core.parameters().tolist()))

    @property
    def objectives(self) -> dict[str, float]:
        """Values of the objectives, by name."""
        return dict(zip(self._model.objectives, self.values_of_objectives.tolist()))

    @property
    def values_of_objectives(self) -> Array:
        """Values of the objectives, in their order."""
        return self._core.objectives()

    @property
    def warnings(self) -> list[GradynWarning]:
        """Things to know about the model and the run, and columns of the table that are not finite."""
        return [GradynWarning(*w) for w in self._core.warnings()] + self._rows()[2]

    @property
    def statistics(self) -> dict[str, Any]:
        """Steps, iterations, seconds, drift and energy, as the command prints them."""
        return self._core.statistics()

    @property
    def events(self) -> list[tuple[str, float]]:
        """Events that happened: name and time [s]."""
        return [(e["name"], e["t"]) for e in self.statistics["events"]]

    def gradient(self, *, certificate: bool = False) -> Gradient:
        """Derivatives of the objectives of this run."""
        from .gradient import Gradient

        return Gradient(self, self._core.gradient(), certificate)

    def output_sensitivities(self) -> Array:
        """d(sensor)/d(parameter) at every step: an array of steps × sensors × parameters."""
        return self._core.output_sensitivities()

    def to_pandas(self) -> pandas.DataFrame:
        """A table of pandas with the times as its index."""
        import pandas

        columns, values, _ = self._rows()
        data = {name: values[k + 1] for k, name in enumerate(columns[1:])}
        return pandas.DataFrame(data, index=pandas.Index(self.t, name="t"))

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draws sensors against time by matplotlib, all of them where none is named; returns the axes."""
        import matplotlib.pyplot as plt

        axes = ax if ax is not None else plt.subplots(layout="constrained")[1]
        for name in names or tuple(self):
            axes.plot(self.t, self[name], label=name)
        axes.set_xlabel("t [s]")
        axes.set_title(self._model.name)
        if len(self):
            axes.legend()
        return axes

    def __repr__(self) -> str:
        psi = ", ".join(f"{name}={value:.6g}" for name, value in self.objectives.items())
        return f"<Run of {self._model.name}: {self.statistics['steps']} steps, {psi or 'no objectives'}>"

    def _repr_html_(self) -> str:
        names = ["t", *self][:_SHOWN]
        columns = [self.t, *self.values()][:_SHOWN]
        rows = np.unique(np.linspace(0, len(self.t) - 1, _SHOWN).astype(int))
        head = "".join(f"<th>{escape(name)}</th>" for name in names)

        def line(n: int) -> str:
            return "".join(f"<td>{column[n]:.6g}</td>" for column in columns)

        body = "".join(f"<tr>{line(n)}</tr>" for n in rows)
        more = f", {len(self) + 1 - len(names)} more columns" if len(self) + 1 > len(names) else ""
        caption = escape(f"{self._model.name}: {len(self.t)} rows{more}")
        return f"<table><caption>{caption}</caption><tr>{head}</tr>{body}</table>"
