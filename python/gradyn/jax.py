"""Models as functions of JAX: `jit`, `grad`, `jvp` and `vmap`, a batch on threads.

```python
jax.config.update("jax_enable_x64", True)
f = gradyn.jax.function(gradyn.example("five_bar"), "psi1")
jax.grad(f)(f.x0)
```
The tangent of a value is (Jacobian from one callback) · dx, which JAX turns around for reverse mode. First
derivatives are exact; second ones, and single precision, are refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from ._threads import count
from ._vectors import Array, index, named
from .errors import ArgumentError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Function", "function"]

#: How arrays become double.
_DOUBLE = 'jax.config.update("jax_enable_x64", True) before the first array, and arrays of float64'


def _check(name: str, value: Any) -> None:
    """Refuses a value of a dictionary that is no single number of double precision."""
    kind = getattr(value, "dtype", None)
    if kind is not None and kind != jnp.float64 and not jnp.issubdtype(kind, jnp.integer):
        message = f"parameter `{name}`: JAX has an array of {kind}, and gradients need float64"
        raise ArgumentError(message, help=_DOUBLE, subject=name)
    if jnp.shape(value) != ():
        message = f"parameter `{name}`: an array of shape {jnp.shape(value)}"
        raise ArgumentError(message, help="use jax.vmap for a batch", subject=name)


class Function:
    """Objectives as a function of parameters: an array in their order, or a dictionary by name."""

    def __init__(
        self, model: Model, rows: tuple[int, ...], scalar: bool, free: tuple[int, ...], threads: int
    ) -> None:
        self._model = model
        self._rows = list(rows)
        self._scalar = scalar
        self._free = list(free)
        self._threads = threads
        names = list(model.parameters)
        #: Names of the parameters that vary, in the order of arrays.
        self.parameters = tuple(names[k] for k in free)
        #: The error of the last design that failed: JAX itself shows its text only.
        self.failure: Exception | None = None
        self._apply = self._made()

    @property
    def x0(self) -> Any:
        """Nominal values, as an array of JAX."""
        return jnp.asarray(self._model.x0[self._free])

    def __call__(self, x: Any) -> Any:
        psi = self._apply(self._array(x))
        return psi[0] if self._scalar else psi

    def _array(self, x: Any) -> Any:
        """The array of an argument, checked."""
        x = named(x)
        if isinstance(x, Mapping):
            for name, value in x.items():
                index("parameter", name, self.parameters)
                _check(name, value)
            nominal = self._model.x0[self._free]
            x = jnp.stack([jnp.asarray(x.get(name, nominal[k])) for k, name in enumerate(self.parameters)])
        x = jnp.asarray(x)
        if x.dtype != jnp.float64:
            raise ArgumentError(f"x: JAX has an array of {x.dtype}, and gradients need float64", help=_DOUBLE)
        if x.shape != (len(self.parameters),):
            message = f"x: an array of shape {x.shape} for {len(self.parameters)} parameters"
            raise ArgumentError(message, help="use jax.vmap for a batch")
        return x

    def _batch(self, gradient: bool, x: Any) -> tuple[Array, ...]:
        """Objectives, and their Jacobian where it is asked for, of all leading dimensions of x."""
        x = np.asarray(x)
        flat = np.tile(self._model.x0, (int(np.prod(x.shape[:-1], dtype=int)), 1))
        flat[:, self._free] = x.reshape(len(flat), len(self._free))
        psi, rows, _, errors = self._model._core.batch(flat, gradient, min(self._threads, max(1, len(flat))))
        failed = next((e for e in errors if e is not None), None)
        if failed is not None:
            self.failure = failed
            raise failed
        values = np.ascontiguousarray(psi[:, self._rows]).reshape(*x.shape[:-1], len(self._rows))
        if not gradient:
            return (values,)
        part = rows[:, self._rows][:, :, self._free]
        return values, np.ascontiguousarray(part).reshape(*x.shape[:-1], len(self._rows), len(self._free))

    def _made(self) -> Any:
        """The function with its rules of differentiation."""
        psi = jax.ShapeDtypeStruct((len(self._rows),), jnp.float64)
        jacobian = jax.ShapeDtypeStruct((len(self._rows), len(self._free)), jnp.float64)
        call = partial(jax.pure_callback, vmap_method="broadcast_all")

        @jax.custom_jvp  # type: ignore[untyped-decorator,unused-ignore]
        def both(x: Any) -> Any:
            return call(partial(self._batch, True), (psi, jacobian), x)

        @both.defjvp  # type: ignore[untyped-decorator,unused-ignore]
        def twice(primals: Any, tangents: Any) -> Any:
            raise NotImplementedError(
                "second derivatives of a Gradyn function: gradients are exact once; use jax.grad or "
                "jax.jacobian, and quasi-Newton or Gauss-Newton methods"
            )

        @jax.custom_jvp  # type: ignore[untyped-decorator,unused-ignore]
        def values(x: Any) -> Any:
            return call(partial(self._batch, False), (psi,), x)[0]

        @values.defjvp  # type: ignore[untyped-decorator,unused-ignore]
        def rule(primals: Any, tangents: Any) -> Any:
            found, slopes = both(*primals)
            # the same sums for one design and for a batch, so that the bits are the same
            return found, jnp.sum(slopes * tangents[0], axis=-1)

        return values

    def __repr__(self) -> str:
        return f"<Function of {self._model.name}: {len(self.parameters)} parameters>"


def function(
    model: Model,
    objectives: str | Sequence[str] | None = None,
    *,
    parameters: Sequence[str] | None = None,
    threads: int | None = None,
) -> Function:
    """Objectives of a model for JAX: a number for one name, an array for a list of names or for all."""
    scalar = isinstance(objectives, str)
    chosen = (objectives,) if isinstance(objectives, str) else objectives
    names = model.objectives if chosen is None else tuple(chosen)
    rows = tuple(index("objective", name, model.objectives) for name in names)
    return Function(model, rows, scalar, model._free(parameters), count(threads))
