"""Outputs at chosen times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._vectors import Array, named, numbers, vector
from .errors import ArgumentError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Samples"]


class Samples:
    """Outputs at chosen times, and how parameters move them."""

    def __init__(self, model: Model, core: _core.CoreRun) -> None:
        self._core = core
        self._parameters = tuple(model.parameters)
        #: Times [s] and values, one row for each time.
        self.t, self.values = core.outputs()
        #: Names of the columns.
        self.sensors = model.sensors

    def vjp(self, weights: Any) -> Array:
        """wᵀ ∂y/∂x by one backward sweep; `weights` has the shape of `values`."""
        w = numbers("weights", weights)
        if w.shape != self.values.shape:
            raise ArgumentError(f"weights of shape {w.shape} for values of shape {self.values.shape}")
        return self._core.vjp(w.ravel().tolist())

    def jvp(self, direction: Any) -> Array:
        """∂y/∂x · d by one forward sweep, in the shape of `values`; d is an array, or some of it by name."""
        x = named(direction)
        if isinstance(x, Mapping):
            x = vector(x, self._parameters, np.zeros(len(self._parameters)))
        d = numbers("direction", x)
        if d.shape != (len(self._parameters),):
            message = f"direction: an array of shape {d.shape} for {len(self._parameters)} parameters"
            raise ArgumentError(message, help=f"give one number for each of {', '.join(self._parameters)}")
        flat = self._core.jvp(d.tolist())
        return flat.reshape(self.values.shape)
