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


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Names of parameters, each of which is there once."""
    if isinstance(names, str):
        help_ = f"write parameters=[{names!r}]"
        raise ArgumentError(f"parameters: {names!r} is a text, not a list of names", help=help_)
    found = tuple(names)
    twice = next((name for k, name in enumerate(found) if name in found[:k]), None)
    if twice is not None:
        message = f"parameters: `{twice}` is there twice"
        raise ArgumentError(message, help="name each parameter once", subject=twice)
    return found


def named(x: Any) -> Any:
    """A series of pandas as a dictionary by its labels, anything else as it is."""
    if not (hasattr(x, "index") and hasattr(x, "to_dict") and hasattr(x, "to_numpy")):
        return x
    if getattr(x, "ndim", None) != 1:
        return x
    labels = [str(label) for label in x.index]
    twice = next((label for k, label in enumerate(labels) if label in labels[:k]), None)
    if twice is not None:
        message = f"the series has the label `{twice}` twice"
        raise ArgumentError(message, help="give each parameter once", subject=twice)
    return dict(zip(labels, x.to_numpy()))


def numbers(what: str, x: Any) -> Array:
    """Real numbers as doubles, in contiguous memory."""
    if np.ma.isMaskedArray(x):
        message = f"{what}: a masked array has numbers that are not there"
        raise ArgumentError(message, help="fill it: x.filled(0.0), or leave rows out: x.compressed()")
    try:
        array = np.asarray(x)
    except ValueError as e:
        raise ArgumentError(f"{what}: {e}", help="give numbers in rows of equal length") from None
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        help_ = "give real numbers of at most 64 bits"
        raise ArgumentError(f"{what}: an array of {array.dtype} are no real numbers", help=help_)
    return np.ascontiguousarray(array, dtype=np.float64)


def scalar(name: str, x: Any) -> float:
    """The value of a parameter."""
    found = numbers(f"parameter `{name}`", x)
    if found.size != 1:
        message = f"parameter `{name}`: an array of shape {found.shape}"
        raise ArgumentError(message, help="give one number", subject=name)
    return float(found.item())


def vector(x: Values, names: Sequence[str], nominal: Array) -> Array:
    """A value for each name; those that a dictionary does not give are nominal."""
    x = named(x)
    if isinstance(x, Mapping):
        new = nominal.copy()
        for name, value in x.items():
            new[index("parameter", name, names)] = scalar(name, value)
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
        distinct([str(name) for name in x.columns])
        x = {str(name): x[name].to_numpy() for name in x.columns}
    if isinstance(x, Mapping):
        columns = {name: _column(name, column) for name, column in x.items()}
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise ArgumentError(
                "samples: columns of different lengths", help="give a value of each in every row"
            )
        found: Array = np.tile(nominal, (lengths.pop() if lengths else 0, 1))
        for name, column in columns.items():
            found[:, index("parameter", name, names)] = column
    elif isinstance(x, (list, tuple)) and x and isinstance(named(x[0]), Mapping):
        found = np.stack([vector(row, names, nominal) for row in x])
    else:
        found = numbers("samples", x)
    if found.ndim != 2 or found.shape[1] != len(names):
        help_ = f"give rows of one number for each of {', '.join(names)}"
        raise ArgumentError(
            f"samples: an array of shape {found.shape} for {len(names)} parameters", help=help_
        )
    return found


def _column(name: str, x: Any) -> Array:
    """Values of a parameter, one for each row."""
    found = numbers(f"parameter `{name}`", x)
    if found.ndim > 1:
        message = f"parameter `{name}`: an array of shape {found.shape}"
        raise ArgumentError(message, help="give one number for each row", subject=name)
    return found.ravel()


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
