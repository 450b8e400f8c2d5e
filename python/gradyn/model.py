"""Models: what can be asked of a mechanism."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._spec import Spec, rebuild, settings_of
from ._studies import Studies
from ._vectors import Array, Values, distinct, index, vector
from .callables import Constraint, Evaluations, Objective
from .errors import ArgumentError, GradynWarning
from .gradient import Gradient
from .run import Run
from .samples import Samples

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._settings import Settings

__all__ = ["Model", "Parameter", "example", "load", "loads"]


@dataclass(frozen=True)
class Parameter:
    """What may change, and be differentiated."""

    #: Name in the file.
    name: str
    #: Nominal value [SI].
    value: float
    #: Lower and upper bound [SI]; infinite where the model gives none.
    bounds: tuple[float, float]
    #: Typical size.
    scale: float
    #: Label of the SI unit.
    unit: str
    #: The remark behind it in the file.
    doc: str
    #: Does anything in the model read it?
    used: bool


class Model(Studies):
    """A mechanism, its objectives, and how it is run: immutable, shared by threads, and picklable.

    >>> import gradyn
    >>> model = gradyn.example("pendulum")
    >>> model.with_(L=2.0).parameters["L"].value
    2.0
    """

    def __init__(self, *_: Any) -> None:
        raise TypeError("models are made by gradyn.load, loads, example or Mechanism")

    @classmethod
    def _of(cls, spec: Spec) -> Model:
        """The model of a description."""
        self = object.__new__(cls)
        self._spec = spec
        self._core = spec.core()
        self._info = self._core.describe()
        found = {p["name"]: _parameter(p) for p in self._info["parameters"]}
        self._parameters = MappingProxyType(found)
        self._nominal = np.array([p.value for p in found.values()])
        self._nominal.flags.writeable = False
        self._evaluations = Evaluations(self._core)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # the record travels with the model, so that it runs where its files are not
        record = self._core.record()
        spec = replace(self._spec, record=record[1] if record else None, read=False)
        return rebuild, (_core.__version__, spec)

    @property
    def name(self) -> str:
        """Name of the model."""
        return str(self._info["name"])

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Parameters by name, in the order of vectors."""
        return self._parameters

    @property
    def objectives(self) -> tuple[str, ...]:
        """Names of the objectives."""
        return tuple(self._info["objectives"])

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of the columns of a run."""
        return tuple(self._info["sensors"])

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the initial state: coordinates, then their velocities."""
        return tuple(self._info["coordinates"])

    @property
    def x0(self) -> Array:
        """Nominal values of the parameters, read-only."""
        return self._nominal

    @property
    def times(self) -> tuple[float, float]:
        """Start and end of a run [s]."""
        return self._info["t_start"], self._info["t_end"]

    @property
    def method(self) -> Mapping[str, Any]:
        """Coordinates, formulation, integrator, sensitivity; steps or tolerances where they are chosen."""
        known = {"coordinates": self._info["family"], **self._info["method"]}
        return MappingProxyType({**known, "sensitivity": self._info["sensitivity"]})

    @property
    def warnings(self) -> list[GradynWarning]:
        """Things to know about the model."""
        return [GradynWarning(*w) for w in self._core.warnings()]

    @property
    def text(self) -> str:
        """The text of the model file."""
        return self._spec.text

    def with_(self, values: Mapping[str, float | str] | None = None, /, **named: float | str) -> Model:
        """The model with other nominal values of parameters and constants, numbers or texts with a unit."""
        return Model._of(self._spec.with_values({**(values or {}), **named}))

    def using(self, **settings: Unpack[Settings]) -> Model:
        """The model that is run in another way.

        The keyword arguments of `simulate` and `gradient` do the same for one call.
        """
        given = settings_of(settings)
        return Model._of(self._spec.with_settings(given)) if given else self

    def observing(self, outputs: Mapping[str, str] | Iterable[str]) -> Model:
        """The model with more sensors: expressions, or names with their expressions."""
        pairs = outputs.items() if isinstance(outputs, Mapping) else ((e, e) for e in outputs)
        added = tuple((str(name), str(expression)) for name, expression in pairs)
        return Model._of(replace(self._spec, outputs=self._spec.outputs + added))

    def simulate(
        self,
        x: Values | None = None,
        *,
        outputs: Mapping[str, str] | Iterable[str] | None = None,
        output_step: float | None = None,
        **settings: Unpack[Settings],
    ) -> Run:
        """Runs from the start to the final time.

        `outputs` adds sensors; `output_step` is the time between rows, every step where it is absent.
        """
        model = self.observing(outputs) if outputs is not None else self
        model = model.using(**settings)
        core = model._core.run(model._listed(x), None)
        step = output_step if output_step is not None else model._info["output_step"]
        run = Run(model, core, None if step is None else float(step))
        _warn(core.warnings())
        return run

    def gradient(
        self, x: Values | None = None, *, certificate: bool = True, **settings: Unpack[Settings]
    ) -> Gradient:
        """Values of the objectives, their Jacobian, and a certificate whether it is that of the problem."""
        model = self.using(**settings)
        run = Run(model, model._core.run(model._listed(x), None), model._info["output_step"])
        gradient = Gradient(run, run._core.gradient(), certificate)
        _warn(run._core.warnings() + gradient._core.warnings())
        return gradient

    def sampled(self, times: Sequence[float] | Array, x: Values | None = None) -> Samples:
        """Outputs at some times, with products and the whole matrix of their derivatives."""
        return Samples(self, self._core.run(self._listed(x), [float(t) for t in times]))

    def values(self, x: Values | None = None) -> Array:
        """Values of the objectives, in their order."""
        return self._core.evaluate(self._vector(x).tolist(), False)[0]

    def value_and_jacobian(self, x: Values | None = None) -> tuple[Array, Array]:
        """Values of the objectives and their Jacobian, with nothing else: for optimisers and batches."""
        psi, rows = self._evaluations(self._vector(x))
        return psi, rows

    def objective(
        self,
        objective: str | Mapping[str, float] | None = None,
        *,
        parameters: Sequence[str] | None = None,
        on_failure: str = "raise",
    ) -> Objective:
        """A function for `scipy.optimize.minimize(f, f.x0, jac=True, bounds=f.bounds)`.

        It is an objective, or a sum of objectives with weights; `parameters` are those that vary. A design
        that cannot be assembled or whose run fails raises, or is infinite where `on_failure="inf"`.
        """
        return Objective(self, self._weights(objective), self._free(parameters), on_failure)

    def constraint(
        self,
        objective: str | Mapping[str, float],
        *,
        lower: float = -np.inf,
        upper: float = np.inf,
        parameters: Sequence[str] | None = None,
    ) -> Any:
        """A `scipy.optimize.NonlinearConstraint` on an objective, which shares the runs of `objective`."""
        constraint = Constraint(self, self._weights(objective), self._free(parameters))
        return constraint.scipy(lower, upper)

    def bounds(self, parameters: Sequence[str] | None = None) -> Any:
        """The bounds of the parameters as `scipy.optimize.Bounds`."""
        from scipy.optimize import Bounds

        pairs = [list(self._parameters.values())[k].bounds for k in self._free(parameters)]
        return Bounds([p[0] for p in pairs], [p[1] for p in pairs])

    def _weights(self, objective: str | Mapping[str, float] | None) -> Array:
        """A weight for each objective."""
        names = self.objectives
        if objective is None:
            if len(names) != 1:
                raise ArgumentError("which objective?", help=f"name one of {', '.join(names) or 'none'}")
            objective = names[0]
        pairs = {objective: 1.0} if isinstance(objective, str) else objective
        weights = np.zeros(len(names))
        for name, weight in pairs.items():
            weights[index("objective", name, names)] = weight
        return weights

    def _free(self, parameters: Sequence[str] | None) -> tuple[int, ...]:
        """Places of the parameters that vary."""
        names = list(self._parameters)
        if parameters is None:
            return tuple(range(len(names)))
        return tuple(index("parameter", name, names) for name in distinct(parameters))

    def _vector(self, x: Values | None) -> Array:
        """Values of all parameters."""
        return self._nominal if x is None else vector(x, list(self._parameters), self._nominal)

    def _listed(self, x: Values | None) -> list[float] | None:
        """The same, where nothing stands for the assembly of the file."""
        return None if x is None else self._vector(x).tolist()

    def __repr__(self) -> str:
        method = f"{self._info['method']['formulation']} + {self._info['method']['integrator']}"
        counts = f"{len(self._parameters)} parameters, {len(self.objectives)} objectives"
        return f"<Model {self.name}: {counts}, {method}>"


def _parameter(p: Mapping[str, Any]) -> Parameter:
    """A parameter of the description."""
    lower = -np.inf if p["lower"] is None else p["lower"]
    upper = np.inf if p["upper"] is None else p["upper"]
    return Parameter(p["name"], p["value"], (lower, upper), p["scale"], p["unit"], p["doc"], p["used"])


def _warn(found: Iterable[tuple[str, str, str | None]]) -> None:
    """Tells Python's warnings what there is to know."""
    for code, text, subject in found:
        warnings.warn(GradynWarning(code, text, subject), stacklevel=3)


def load(path: os.PathLike[str] | str, *, allow_path: bool = False) -> Model:
    """Reads a model file, and the record of its fit: JSON if its name ends in `.json`, TOML otherwise.

    `allow_path` lets the record of a fit be outside of the folder of the model.
    """
    name = os.fspath(path)
    try:
        text = Path(name).read_bytes().decode()
    except UnicodeDecodeError as e:
        raise ArgumentError(
            f"{name} is no text in UTF-8: {e.reason}", help="a model is a text file"
        ) from None
    return Model._of(Spec(name, text, anywhere=allow_path, read=True).with_record())


def loads(text: str, *, name: str = "model.toml", record: str | None = None) -> Model:
    """Reads the text of a model; errors call it `name`, and `record` is the text of the csv file of a fit."""
    return Model._of(Spec(name, text, record=record, read=True).with_record())


def example(name: str) -> Model:
    """A bundled model, such as `five_bar`; `list_examples` has their names."""
    return Model._of(Spec(f"{name}.toml", _core.example(name)))
