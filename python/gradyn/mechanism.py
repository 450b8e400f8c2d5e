"""Models built in Python: one method for each section of a model file, loops in place of templates.

>>> from gradyn import Mechanism
>>> m = Mechanism("swing", gravity=[0, -9.81])
>>> L = m.parameter("L", 1.0, unit="m")
>>> m.ground(O=[0, 0])
>>> bar = m.body("bar", rod={"points": ["A", "B"], "length": L, "mass": 2})
>>> m.joint("pin", "revolute", between=["ground.O", bar.at("A")])
>>> m.initial(position={bar["angle"]: "-60 deg"})
>>> _ = m.objective("tip", terminal=bar["B.x"])
>>> m.study(t_end=1, method={"formulation": "index1", "integrator": "dopri5"})
>>> model = m.model()
>>> model.objectives
('tip',)

The keys are those of the file: docs/MODEL_FILE.md explains them, and what is wrong is said where the model is
read, with its line in `to_toml()`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import ArgumentError
from .expressions import Expr, refuse_callable

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Body", "Mechanism"]

#: Keys that need no quotes.
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
#: Sections whose elements get a header of their own.
_ELEMENTS = ("body", "road", "spline", "event", "template", "instance")


class Body:
    """A body of a mechanism: its points and its sensors by name."""

    def __init__(self, name: str) -> None:
        #: Name of the body.
        self.name = name

    def at(self, point: str) -> str:
        """A point of the body, for joints and forces."""
        return f"{self.name}.{point}"

    def __getitem__(self, sensor: str) -> Expr:
        """A sensor of the body: `bar["angle"]`, `bar["A.x"]`."""
        return Expr(f"{self.name}.{sensor}")


class Mechanism:
    """A model file in the making; `model()` reads it."""

    def __init__(self, name: str, *, dimension: int | None = None, gravity: Any = None) -> None:
        self._file: dict[str, Any] = {"name": name}
        if dimension is not None:
            self._file["dimension"] = dimension
        if gravity is not None:
            self._file["gravity"] = _plain(gravity)

    @classmethod
    def from_toml(cls, text: str) -> Mechanism:
        """The mechanism of the text of a model file."""
        try:
            import tomllib  # type: ignore[import-not-found,unused-ignore]
        except ModuleNotFoundError:
            import tomli as tomllib  # type: ignore[no-redef,import-not-found,unused-ignore]
        new = cls("")
        new._file = tomllib.loads(text)
        return new

    @property
    def sections(self) -> dict[str, Any]:
        """Everything that was said, with the keys of the file; a copy."""
        return copy.deepcopy(self._file)

    def _add(self, section: str, name: str, value: Any) -> None:
        """An element, which must be new."""
        elements = self._file.setdefault(section, {})
        if name in elements:
            raise ArgumentError(f"{section} `{name}` is there twice", help="give another name", subject=name)
        elements[name] = _plain(value)

    def parameter(self, name: str, value: Any, **keys: Any) -> Expr:
        """What may change: value, and `unit`, `min`, `max`, `scale` or `count`."""
        self._add("parameters", name, {"value": value, **keys} if keys else value)
        return Expr(name)

    def constant(self, name: str, value: Any) -> Expr:
        """A named number: an expression of parameters and earlier constants."""
        self._add("constants", name, value)
        return Expr(name)

    def point(self, name: str, position: Any) -> str:
        """A hard point of the design configuration, in the global frame."""
        self._add("points", name, position)
        return name

    def ground(self, points: Mapping[str, Any] | None = None, /, **named: Any) -> None:
        """Fixed points."""
        own = self._file.setdefault("ground", {}).setdefault("points", {})
        for name, position in {**(points or {}), **named}.items():
            if name in own:
                raise ArgumentError(f"point `{name}` of the ground is there twice", help="give another name")
            own[name] = _plain(position)

    def body(self, name: str, **keys: Any) -> Body:
        """A rigid body: `points`, `mass`, `com`, `inertia`, `shape`, `hard`, `rod`."""
        self._add("body", name, keys)
        return Body(name)

    def joint(self, name: str, type: str, **keys: Any) -> None:
        """A joint between points of bodies or of the ground; `gradyn.list_joints` has the types."""
        self._add("joint", name, {"type": type, **keys})

    def constraint(self, name: str, value: Any = None, /, **keys: Any) -> None:
        """An expression of sensors that is kept at zero."""
        self._add("constraint", name, keys if value is None else value)

    def driver(self, name: str, **keys: Any) -> None:
        """A quantity that follows a function of time."""
        self._add("driver", name, keys)

    def force(self, name: str, type: str, **keys: Any) -> None:
        """A spring, a damper, a force or a torque; `gradyn.list_forces` has the types."""
        self._add("force", name, {"type": type, **keys})

    def road(self, name: str, **keys: Any) -> None:
        """Heights of the ground that tyres are on."""
        self._add("road", name, keys)

    def spline(self, name: str, **keys: Any) -> Expr:
        """A cubic spline of time, which may stand in expressions."""
        self._add("spline", name, keys)
        return Expr(name)

    def event(self, name: str, **keys: Any) -> None:
        """What happens where a condition of the motion passes zero."""
        self._add("event", name, keys)

    def template(self, name: str, **keys: Any) -> None:
        """A part of a model that instances copy; a loop of Python does the same."""
        self._add("template", name, keys)

    def instance(self, name: str, **keys: Any) -> None:
        """A copy of a template."""
        self._add("instance", name, keys)

    def initial(self, **keys: Any) -> None:
        """Conditions at the start: `position`, `velocity`, `near`, `equilibrium`, `hold`; calls add up."""
        own = self._file.setdefault("initial", {})
        for key, value in keys.items():
            new = _plain(value)
            if isinstance(own.get(key), dict) and isinstance(new, dict):
                own[key].update(new)
            else:
                own[key] = new

    def objective(self, name: str, **keys: Any) -> str:
        """A functional ψ = ∫ `integral` dt + `terminal`."""
        self._add("objective", name, keys)
        return name

    def output(self, name: str, expression: Any) -> Expr:
        """A column of runs: an expression of sensors."""
        self._add("output", name, expression)
        return Expr(name)

    def study(self, **keys: Any) -> None:
        """Time span, method, what to optimise; calls add up."""
        self._file.setdefault("study", {}).update(_plain(keys))

    def to_toml(self) -> str:
        """The text of the model file."""
        plain = {k: v for k, v in self._file.items() if not isinstance(v, dict)}
        lines = [f"{_key(k)} = {_value(v)}" for k, v in plain.items()]
        for section, content in self._file.items():
            if not isinstance(content, dict):
                continue
            apart = section in _ELEMENTS and all(isinstance(v, dict) for v in content.values())
            if apart:
                for name, keys in content.items():
                    lines += ["", f"[{section}.{_key(name)}]", *_lines(keys)]
            else:
                lines += ["", f"[{_key(section)}]", *_lines(content)]
        return "\n".join(lines) + "\n"

    def model(self) -> Model:
        """The model; its errors name lines of `to_toml()`."""
        from .model import loads

        return loads(self.to_toml(), name=f"{self._file['name']}.toml")

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(v)} in {k}" for k, v in self._file.items() if isinstance(v, dict))
        return f"<Mechanism {self._file['name']}: {counts or 'empty'}>"


def _plain(x: Any) -> Any:
    """Numbers, texts, lists and dictionaries; expressions become texts, functions are refused."""
    if isinstance(x, Expr):
        return str(x)
    if isinstance(x, Body):
        return x.name
    refuse_callable(x)
    if isinstance(x, Mapping):
        return {str(k): _plain(v) for k, v in x.items()}
    if isinstance(x, (str, bool, int)):
        return x
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return [_plain(v) for v in x]
    if isinstance(x, int):
        return x
    try:
        return float(x)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{x!r} is no value of a model file", help="give numbers, texts or lists of them"
        ) from None


def _key(name: str) -> str:
    """A key, with quotes where it needs them."""
    return name if _BARE.match(name) else _text(name)


def _text(text: str) -> str:
    """A text between quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04X}" for c in escaped) + '"'


def _value(x: Any) -> str:
    """A value in one line."""
    if isinstance(x, str):
        return _text(x)
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x)
    if isinstance(x, float):
        # TOML has a point or an exponent in every float, and names what is not finite as Python does
        return repr(x)
    if isinstance(x, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in x.items()) + " }" if x else "{}"
    return "[" + ", ".join(_value(v) for v in x) + "]"


def _lines(table: Mapping[str, Any]) -> list[str]:
    """The lines of a section."""
    return [f"{_key(k)} = {_value(v)}" for k, v in table.items()]
