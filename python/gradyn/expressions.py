"""Expressions of parameters and sensors, composed with operators.

>>> from gradyn.expressions import Expr, tanh
>>> angle = Expr("bar.angle")
>>> str(-2 * tanh(angle + 1) ** 2)
'-2 * tanh(bar.angle + 1)^2'

They are texts of the model file: what they mean is decided there, with all derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, Union

import numpy as np

from .errors import ArgumentError

__all__ = [
    "Expr",
    "ExprLike",
    "acc",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "cosh",
    "cross",
    "dot",
    "exp",
    "if_",
    "join",
    "ln",
    "maximum",
    "minimum",
    "norm",
    "norm2",
    "sign",
    "sin",
    "sinh",
    "smoothstep",
    "splus",
    "sqrt",
    "tan",
    "tanh",
    "vec",
    "vel",
]

#: What operators take.
ExprLike: TypeAlias = Union["Expr", float, int, str]

#: How tightly parts of a text hold together: anything, sums, products, signs, powers, names and calls.
_ANY, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(-1, 5)


def refuse_callable(x: Any) -> None:
    """Refuses a function of Python, with the way to write a law."""
    if callable(x) and not isinstance(x, Expr):
        name = getattr(x, "__name__", "a function")
        raise ArgumentError(
            f"`{name}` is a function of Python: a law must be an expression, which has exact derivatives "
            "on every thread",
            help='write a text, such as "-k * bar.angle", or use gradyn.expressions: -k * tanh(bar["angle"])',
        )


def as_expr(x: Any) -> Expr:
    """A number, a text or an expression as an expression."""
    if isinstance(x, Expr):
        return x
    refuse_callable(x)
    if isinstance(x, str):
        return Expr(x)
    if isinstance(x, (bool, np.bool_)):
        raise ArgumentError(
            f"{x} is no expression: `==` and `!=` of Python ask whether two objects are the same",
            help="compare by <, <=, > or >=, or write the condition as a text",
        )
    text = repr(x) if isinstance(x, int) else repr(float(x))
    return Expr(text, _SIGN if text.startswith("-") else _ATOM)


def _level(text: str) -> int:
    """How tightly a text holds together: what is no name and no number may be anything."""
    return _ATOM if text.replace("_", "a").replace(".", "a").isalnum() else _ANY


class Expr:
    """A text that operators compose."""

    __slots__ = ("_level", "_text")
    __array_ufunc__ = None

    def __init__(self, text: str, level: int | None = None) -> None:
        self._text = text
        self._level = _level(text) if level is None else level

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Expr({self._text!r})"

    def _at(self, level: int) -> str:
        """The text, with brackets where it holds together less tightly."""
        return self._text if self._level >= level else f"({self._text})"

    def __add__(self, other: ExprLike) -> Expr:
        return Expr(f"{self._at(_SUM)} + {as_expr(other)._at(_PRODUCT)}", _SUM)

    def __radd__(self, other: ExprLike) -> Expr:
        return as_expr(other) + self

    def __sub__(self, other: ExprLike) -> Expr:
        return Expr(f"{self._at(_SUM)} - {as_expr(other)._at(_PRODUCT)}", _SUM)

    def __rsub__(self, other: ExprLike) -> Expr:
        return as_expr(other) - self

    def __mul__(self, other: ExprLike) -> Expr:
        return Expr(f"{self._at(_PRODUCT)} * {as_expr(other)._at(_POWER)}", _PRODUCT)

    def __rmul__(self, other: ExprLike) -> Expr:
        return as_expr(other) * self

    def __truediv__(self, other: ExprLike) -> Expr:
        return Expr(f"{self._at(_PRODUCT)} / {as_expr(other)._at(_POWER)}", _PRODUCT)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        return as_expr(other) / self

    def __pow__(self, other: ExprLike) -> Expr:
        return Expr(f"{self._at(_ATOM)}^{as_expr(other)._at(_ATOM)}", _POWER)

    def __rpow__(self, other: ExprLike) -> Expr:
        return as_expr(other) ** self

    def __neg__(self) -> Expr:
        return Expr(f"-{self._at(_POWER)}", _SIGN)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return _call("abs", self)

    def _compared(self, sign: str, other: ExprLike) -> Expr:
        """A condition for `if_`."""
        return Expr(f"{self._at(_SUM)} {sign} {as_expr(other)._at(_SUM)}", _ANY)

    def __lt__(self, other: ExprLike) -> Expr:
        return self._compared("<", other)

    def __le__(self, other: ExprLike) -> Expr:
        return self._compared("<=", other)

    def __gt__(self, other: ExprLike) -> Expr:
        return self._compared(">", other)

    def __ge__(self, other: ExprLike) -> Expr:
        return self._compared(">=", other)

    def __bool__(self) -> bool:
        raise ArgumentError(
            f"`{self}` is known in a run only", help="use if_(condition, a, b) of gradyn.expressions"
        )


def _call(name: str, *arguments: ExprLike) -> Expr:
    """A function of the model file."""
    return Expr(f"{name}({', '.join(str(as_expr(a)) for a in arguments)})", _ATOM)


def vec(parts: Iterable[ExprLike]) -> Expr:
    """A vector of expressions."""
    return Expr(f"[{', '.join(str(as_expr(a)) for a in parts)}]", _ATOM)


def _function(name: str, doc: str) -> Callable[..., Expr]:
    """A function by its name in the model file."""

    def call(*arguments: ExprLike) -> Expr:
        return _call(name, *arguments)

    call.__name__ = name
    call.__doc__ = doc
    return call


sqrt = _function("sqrt", "√x.")
sin = _function("sin", "sin x.")
cos = _function("cos", "cos x.")
tan = _function("tan", "tan x.")
asin = _function("asin", "arcsin x.")
acos = _function("acos", "arccos x.")
atan = _function("atan", "arctan x.")
atan2 = _function("atan2", "The angle of (x, y), from y and x.")
exp = _function("exp", "eˣ.")
ln = _function("ln", "The natural logarithm.")
sinh = _function("sinh", "sinh x.")
cosh = _function("cosh", "cosh x.")
tanh = _function("tanh", "tanh x.")
sign = _function("sign", "-1, 0 or 1: a law that jumps.")
minimum = _function("min", "The least.")
maximum = _function("max", "The largest.")
if_ = _function("if", "The second where the first holds, else the third.")
norm = _function("norm", "Length of a vector.")
norm2 = _function("norm2", "Squared length of a vector.")
dot = _function("dot", "Scalar product.")
cross = _function("cross", "Vector product.")
splus = _function("splus", "A smooth positive part.")
smoothstep = _function("smoothstep", "A smooth step.")
join = _function("join", "Two laws that are joined at a value.")
vel = _function("vel", "The rate of a sensor.")
acc = _function("acc", "The second rate of a sensor.")
