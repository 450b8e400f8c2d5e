"""Outputs at chosen times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._vectors import Array
from .errors import ArgumentError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Samples"]


class Samples:
    """Outputs at chosen times, and how parameters move them."""

    def __init__(self, model: Model, core: _core.CoreRun) -> None:
        self._core = core
        #: Times [s] and values, one row for each time.
        self.t, self.values = core.outputs()
        #: Names of the columns.
        self.sensors = model.sensors

    def vjp(self, weights: Any) -> Array:
        """wᵀ ∂y/∂x by one backward sweep; `weights` has the shape of `values`."""
        w = np.asarray(weights, dtype=float)
        if w.shape != self.values.shape:
            raise ArgumentError(f"weights of shape {w.shape} for values of shape {self.values.shape}")
        return self._core.vjp(w.ravel().tolist())

    def jvp(self, direction: Any) -> Array:
        """∂y/∂x · d by one forward sweep, in the shape of `values`."""
        flat = self._core.jvp(np.asarray(direction, dtype=float).ravel().tolist())
        return flat.reshape(self.values.shape)
