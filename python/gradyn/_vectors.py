"""Vectors of parameters: arrays, or dictionaries by name, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .errors import ArgumentError, UnknownNameError

Array: TypeAlias = npt.NDArray[np.float64]
#: Values of parameters: an array in their order, or some of them by name.
Values: TypeAlias = "npt.ArrayLike | Mapping[str, float]"


def unknown(what: str, name: str, valid: Sequence[str]) -> UnknownNameError:
    """The error of a name that does not exist, with the nearest ones that do."""
    near = get_close_matches(name, valid, n=1)
    hint = f"did you mean `{near[0]}`? " if near else ""
    help_ = f"{hint}valid: {', '.join(valid) or 'none'}"
    return UnknownNameError(f"there is no {what} `{name}`", help=help_, subject=name)


def index(what: str, name: str, valid: Sequence[str]) -> int:
    """The place of a name."""
    try:
        return valid.index(name)
    except ValueError:
        raise unknown(what, name, valid) from None


def numbers(what: str, x: Any) -> Array:
    """Real numbers as doubles, in contiguous memory."""
    try:
        array = np.asarray(x)
    except ValueError as e:
        raise ArgumentError(f"{what}: {e}", help="give numbers in rows of equal length") from None
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        help_ = "give real numbers of at most 64 bits"
        raise ArgumentError(f"{what}: an array of {array.dtype} are no real numbers", help=help_)
    return np.ascontiguousarray(array, dtype=np.float64)


def vector(x: Values, names: Sequence[str], nominal: Array) -> Array:
    """A value for each name; those that a dictionary does not give are nominal."""
    if isinstance(x, Mapping):
        new = nominal.copy()
        for name, value in x.items():
            new[index("parameter", name, names)] = float(numbers(f"parameter `{name}`", value).reshape(()))
        found: Array = new
    else:
        found = numbers("parameters", x)
    if found.shape != (len(names),):
        help_ = f"give one number for each of {', '.join(names)}"
        raise ArgumentError(
            f"parameters: an array of shape {found.shape} for {len(names)} parameters", help=help_
        )
    check_finite(found, names)
    return found


def matrix(x: Any, names: Sequence[str], nominal: Array) -> Array:
    """Rows of values: an array, a list of dictionaries, a dictionary of columns, or a table of pandas."""
    if hasattr(x, "columns") and hasattr(x, "to_numpy"):
        x = {str(name): x[name].to_numpy() for name in x.columns}
    if isinstance(x, Mapping):
        columns = {name: numbers(f"parameter `{name}`", column).ravel() for name, column in x.items()}
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise ArgumentError(
                "samples: columns of different lengths", help="give a value of each in every row"
            )
        found: Array = np.tile(nominal, (lengths.pop() if lengths else 0, 1))
        for name, column in columns.items():
            found[:, index("parameter", name, names)] = column
    elif isinstance(x, (list, tuple)) and x and isinstance(x[0], Mapping):
        found = np.stack([vector(row, names, nominal) for row in x])
    else:
        found = numbers("samples", x)
    if found.ndim != 2 or found.shape[1] != len(names):
        help_ = f"give rows of one number for each of {', '.join(names)}"
        raise ArgumentError(
            f"samples: an array of shape {found.shape} for {len(names)} parameters", help=help_
        )
    return found


def check_finite(x: Array, names: Sequence[str]) -> None:
    """Refuses a number that is not finite, by its name."""
    if np.isfinite(x).all():
        return
    for name, value in zip(names, x):
        if not np.isfinite(value):
            raise ArgumentError(f"parameter `{name}` is {value}", help="give a finite number", subject=name)


def spread(part: Array, free: Sequence[int], nominal: Array) -> Array:
    """All parameters from those that vary."""
    full: Array = nominal.copy()
    full[list(free)] = part
    return full
