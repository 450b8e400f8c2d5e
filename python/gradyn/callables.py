"""Functions for optimisers: values with gradients, and no run twice at the same design."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _core
from ._vectors import Array, check_finite, named, numbers, spread, vector
from .errors import ArgumentError, ModelError, SimulationError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Constraint", "Objective", "Residuals"]

#: Designs that are remembered: optimisers ask for objective and constraints of one after the other.
_REMEMBERED = 8


def _given(x: Any, names: tuple[str, ...], nominal: Array) -> Array:
    """Values of the parameters that vary: an array in their order, or some of them by name."""
    x = named(x)
    if isinstance(x, Mapping):
        return vector(x, names, nominal)
    part = numbers("x", x)
    if part.shape != nominal.shape:
        message = f"x: an array of shape {part.shape} for {len(names)} parameters"
        raise ArgumentError(message, help=f"give one number for each of {', '.join(names)}")
    check_finite(part, names)
    return part


class Evaluations:
    """Objectives and Jacobians by design; the last few are remembered. No certificate is asked for."""

    def __init__(self, core: _core.Core) -> None:
        self._evaluate = core.evaluate
        self._lock = threading.Lock()
        self._known: dict[bytes, tuple[Array, Array]] = {}

    def __call__(self, x: Array) -> tuple[Array, Array]:
        key = x.tobytes()
        found = self._known.get(key)
        if found is not None:
            return found
        psi, rows, _ = self._evaluate(x.tolist(), True)
        found = psi, cast(Array, rows)
        with self._lock:
            if len(self._known) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[key] = found
        return found


class _Function:
    """A weighted sum of objectives over the parameters that vary."""

    def __init__(self, model: Model, weights: Array, free: tuple[int, ...]) -> None:
        if not free:
            raise ArgumentError("no parameter varies", help="name at least one")
        self._model = model
        self._weights = weights
        self._free = list(free)
        # one objective alone keeps its bits, and is taken without sums
        ones = np.flatnonzero(weights)
        self._only = int(ones[0]) if len(ones) == 1 and weights[ones[0]] == 1.0 else None
        self._all = len(free) == len(model.x0) and list(free) == list(range(len(free)))
        parameters = list(model.parameters.values())
        #: Names of the parameters that vary, in the order of x.
        self.parameters = tuple(parameters[k].name for k in free)
        #: Their nominal values.
        self.x0: Array = model.x0[self._free]
        #: Their (lower, upper) bounds, as `minimize` takes them.
        self.bounds = [parameters[k].bounds for k in free]

    def _full(self, x: Any) -> Array:
        """All parameters of the model."""
        # what optimisers give, at once; the model refuses what is not finite
        if self._all and type(x) is np.ndarray and x.dtype == np.float64 and x.shape == self.x0.shape:
            return x
        part = _given(x, self.parameters, self.x0)
        return part if self._all else spread(part, self._free, self._model.x0)

    def _both(self, x: Any) -> tuple[float, Array]:
        """Value and gradient."""
        psi, rows = self._model._evaluations(self._full(x))
        if self._only is not None:
            row: Array = rows[self._only]
            return psi.item(self._only), row if self._all else row[self._free]
        return float(self._weights @ psi), (self._weights @ rows)[self._free]


class Objective(_Function):
    """A function x → (value, gradient), for `minimize(f, f.x0, jac=True)`.

    >>> import gradyn
    >>> f = gradyn.example("five_bar_balance").using(t_end=0.1).objective()
    >>> value, gradient = f(f.x0)
    >>> value == f.value(f.x0)
    True
    """

    def __init__(self, model: Model, weights: Array, free: tuple[int, ...], on_failure: str) -> None:
        super().__init__(model, weights, free)
        if on_failure not in ("raise", "inf"):
            raise ArgumentError(f"on_failure: {on_failure!r}", help='valid: "raise", "inf"')
        self._raises = on_failure == "raise"
        #: Designs that failed, with their errors, where they do not raise.
        self.failures: list[tuple[Array, SimulationError | ModelError]] = []

    def __call__(self, x: Any) -> tuple[float, Array]:
        try:
            return self._both(x)
        except (SimulationError, ModelError) as e:
            # the model is right at its nominal design: this one cannot be assembled, or its run fails
            if self._raises:
                raise
            self.failures.append((_given(x, self.parameters, self.x0).copy(), e))
            return float("inf"), np.full(len(self.parameters), np.nan)

    def value(self, x: Any) -> float:
        """The value alone, of a run with a gradient that is remembered."""
        return self(x)[0]

    def gradient(self, x: Any) -> Array:
        """The gradient alone."""
        return self(x)[1]


class Constraint(_Function):
    """An objective between limits."""

    def scipy(self, lower: float, upper: float) -> Any:
        """As `scipy.optimize.NonlinearConstraint`."""
        from scipy.optimize import NonlinearConstraint

        def value(x: Any) -> Array:
            return np.array([self._both(x)[0]])

        def slope(x: Any) -> Array:
            return self._both(x)[1][np.newaxis]

        return NonlinearConstraint(value, lower, upper, jac=slope)


class Residuals:
    """Residuals of the fit of a model: `least_squares(r, r.x0, jac=r.jac, bounds=r.bounds)`."""

    def __init__(self, study: _core.CoreStudy) -> None:
        self._study = study
        info = study.describe()
        if info["residuals"] is None:
            help_ = "add fit = { … } to [study.optimize], or give a record to Model.fitting"
            raise ArgumentError("the model fits no record", help=help_)
        variables = info["variables"]
        self._lock = threading.Lock()
        self._last: tuple[bytes, dict[str, Any]] | None = None
        #: Names of the parameters that vary, in the order of x.
        self.parameters = tuple(v["name"] for v in variables)
        #: Their values at the start.
        self.x0 = np.array(info["start"], dtype=float)
        lower = [-np.inf if v["lower"] is None else v["lower"] for v in variables]
        upper = [np.inf if v["upper"] is None else v["upper"] for v in variables]
        #: Lower and upper bounds.
        self.bounds = (np.array(lower), np.array(upper))

    def _at(self, x: Any) -> dict[str, Any]:
        """The numbers of a design."""
        part = _given(x, self.parameters, self.x0)
        key = part.tobytes()
        with self._lock:
            last = self._last
        if last is not None and last[0] == key:
            return last[1]
        found = self._study.evaluate(part.tolist())
        with self._lock:
            self._last = key, found
        return found

    def __call__(self, x: Any) -> Array:
        residuals: Array = self._at(x)["residuals"]
        return residuals

    def jac(self, x: Any) -> Array:
        """Derivatives of the residuals, one row for each of them."""
        slopes: Array = self._at(x)["slopes"]
        return slopes
