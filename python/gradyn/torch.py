"""Models as functions of PyTorch: autograd with any number of batch dimensions.

```python
f = gradyn.torch.function(gradyn.example("five_bar"), "psi1")
x = torch.tensor(f.x0, requires_grad=True)
f(x).backward()
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ._threads import count
from ._vectors import index, named
from .errors import ArgumentError

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Function", "function"]

#: How tensors become double.
_DOUBLE = "x.double(), or torch.set_default_dtype(torch.float64)"


def _check(name: str, value: Any) -> None:
    """Refuses a value of a dictionary that has not double precision."""
    kind: Any = getattr(value, "dtype", None)
    if isinstance(value, torch.Tensor):
        fits = kind == torch.float64 or not (kind.is_floating_point or kind.is_complex)
    else:
        fits = kind is None or kind == np.float64 or np.dtype(kind).kind in "iu"
    if fits:
        return
    message = f"parameter `{name}`: a tensor of {kind}, and gradients need float64"
    raise ArgumentError(message, help=_DOUBLE, subject=name)


class _Values(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """Objectives of a batch; the Jacobian is computed with them where a gradient may be asked for."""

    @staticmethod
    def forward(ctx: Any, x: Any, f: Function) -> Any:
        values, slopes = f._batch(x.detach().cpu().numpy(), ctx.needs_input_grad[0])
        if slopes is not None:
            ctx.save_for_backward(x, torch.from_numpy(slopes).to(x.device))
        return torch.from_numpy(values).to(x.device)

    @staticmethod
    def backward(ctx: Any, weights: Any) -> Any:
        x, slopes = ctx.saved_tensors
        return _Pulled.apply(weights, x, slopes), None


class _Pulled(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """Weights times the Jacobian, which is not differentiated again."""

    @staticmethod
    def forward(ctx: Any, weights: Any, x: Any, slopes: Any) -> Any:
        return (weights.unsqueeze(-1) * slopes).sum(-2)

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:
        raise NotImplementedError(
            "second derivatives of a Gradyn function: gradients are exact once; use quasi-Newton or "
            "Gauss-Newton methods"
        )


class Function:
    """Objectives as a function of parameters: a tensor with them in its last dimension, or a dictionary."""

    def __init__(
        self, model: Model, rows: tuple[int, ...], scalar: bool, free: tuple[int, ...], threads: int
    ) -> None:
        self._model = model
        self._rows = list(rows)
        self._scalar = scalar
        self._free = list(free)
        self._threads = threads
        names = list(model.parameters)
        #: Names of the parameters that vary, in the order of tensors.
        self.parameters = tuple(names[k] for k in free)
        #: Nominal values.
        self.x0 = model.x0[self._free]

    def __call__(self, x: Any) -> Any:
        x = named(x)
        if isinstance(x, Mapping):
            for name, value in x.items():
                index("parameter", name, self.parameters)
                _check(name, value)
            given = [
                torch.as_tensor(x.get(n, self.x0[k]), dtype=torch.float64)
                for k, n in enumerate(self.parameters)
            ]
            x = torch.stack(torch.broadcast_tensors(*given), -1)
        if x.dtype != torch.float64:
            raise ArgumentError(f"x: a tensor of {x.dtype}, and gradients need float64", help=_DOUBLE)
        if x.shape[-1:] != (len(self.parameters),):
            message = f"x: a tensor of shape {tuple(x.shape)} for {len(self.parameters)} parameters"
            raise ArgumentError(message, help="the last dimension is that of the parameters")
        psi = _Values.apply(x, self)
        return psi[..., 0] if self._scalar else psi

    def _batch(self, x: Any, gradient: bool) -> tuple[Any, Any]:
        """Objectives, and their Jacobian where it is asked for, of all leading dimensions of x."""
        flat = np.tile(self._model.x0, (int(np.prod(x.shape[:-1], dtype=int)), 1))
        flat[:, self._free] = x.reshape(len(flat), len(self._free))
        psi, rows, _, errors = self._model._core.batch(flat, gradient, self._threads)
        failed = next((e for e in errors if e is not None), None)
        if failed is not None:
            raise failed
        values = np.ascontiguousarray(psi[:, self._rows]).reshape(*x.shape[:-1], len(self._rows))
        if not gradient:
            return values, None
        part = rows[:, self._rows][:, :, self._free]
        return values, np.ascontiguousarray(part).reshape(*x.shape[:-1], len(self._rows), len(self._free))


def function(
    model: Model,
    objectives: str | Sequence[str] | None = None,
    *,
    parameters: Sequence[str] | None = None,
    threads: int | None = None,
) -> Function:
    """Objectives of a model for PyTorch: a number for one name, a vector for a list of names or for all."""
    scalar = isinstance(objectives, str)
    chosen = (objectives,) if isinstance(objectives, str) else objectives
    names = model.objectives if chosen is None else tuple(chosen)
    rows = tuple(index("objective", name, model.objectives) for name in names)
    return Function(model, rows, scalar, model._free(parameters), count(threads))
