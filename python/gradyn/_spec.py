"""What a model is made from: enough to make it again in another process, or on another machine."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import _core
from ._vectors import unknown
from .errors import ArgumentError, MethodError, ModelError, VersionError

#: Settings of a study, each with what the file says where it is absent.
KEYS = (
    "t_end",
    "coordinates",
    "formulation",
    "integrator",
    "sensitivity",
    "step",
    "rtol",
    "atol",
    "options",
    "memory",
    "time_limit",
)


@dataclass(frozen=True)
class Spec:
    """A model file, the text of the record that it refers to, and everything that is set of it."""

    name: str
    text: str
    record: str | None = None
    anywhere: bool = False
    values: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, Any], ...] = ()
    outputs: tuple[tuple[str, str], ...] = ()
    fit: Any = None
    minimised: Any = None
    #: Read in the folder of the file, where the record is.
    read: bool = field(default=False, compare=False)

    def with_record(self) -> Spec:
        """With the text of the record that the file refers to, read now: nothing is read later."""
        if self.record is not None or not self.read:
            return self
        try:
            found = _core.Core.read(self.name, self.text, None, self.anywhere).record()
        except ModelError:
            # a model runs without its record: the fit says what is wrong with that
            return self
        return self if found is None else replace(self, record=found[1])

    def core(self) -> _core.Core:
        """The study in Rust."""
        name = self.name if self.read else os.path.basename(self.name)
        core = _core.Core.read(name, self.text, self.record, self.anywhere)
        if self.outputs:
            core = core.observed(list(self.outputs))
        if self.fit is not None:
            core = core.fitting(*self.fit)
        if self.minimised is not None:
            core = core.minimising(*self.minimised)
        if self.values or self.settings:
            core = core.changed(list(self.values), self.complete())
        core.prepare()
        return core

    def complete(self) -> dict[str, Any]:
        """All settings, nothing for those that are absent."""
        return {"options": [], **dict.fromkeys(k for k in KEYS if k != "options"), **dict(self.settings)}

    def with_values(self, values: Mapping[str, Any]) -> Spec:
        """With other values of parameters and constants."""
        new = {**dict(self.values), **{name: number(name, x) for name, x in values.items()}}
        return replace(self, values=tuple(new.items()))

    def with_settings(self, settings: Mapping[str, Any]) -> Spec:
        """With other settings; options are added to those that are there."""
        old = dict(self.settings)
        new = {**old, **settings}
        if "options" in settings:
            new["options"] = [*old.get("options", []), *settings["options"]]
        # a step takes the place of tolerances, and they that of a step
        if "step" in settings:
            new = {k: v for k, v in new.items() if k not in ("rtol", "atol") or k in settings}
        elif "rtol" in settings or "atol" in settings:
            new.pop("step", None)
        return replace(self, settings=tuple(new.items()))


def number(what: str, x: Any) -> str:
    """A number as a text that reads back as the same bits, or an expression as it is."""
    if isinstance(x, str):
        return x
    try:
        return repr(float(x))
    except (TypeError, ValueError):
        help_ = 'give a number, or a text with a unit such as "1 ms"'
        raise ArgumentError(f"`{what}`: {x!r} is no number", help=help_, subject=what) from None


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of keyword arguments: those that are there, `method` taken apart."""
    wrong = next((key for key in given if key not in (*KEYS, "method")), None)
    if wrong is not None:
        e = unknown("keyword", wrong, ("method", *KEYS))
        e.help = f"{e.help}; parameters are given as a dictionary, such as {{{wrong!r}: 1.0}}"
        raise e
    found = {key: value for key, value in given.items() if value is not None}
    method = found.pop("method", None)
    if method is not None:
        names = method.split("+") if isinstance(method, str) else method
        if not isinstance(names, Sequence) or len(names) != 2:
            help_ = 'give two names, such as method=("index1", "dopri5")'
            raise MethodError(f"method: {method!r} is no formulation and integrator", help=help_)
        found["formulation"], found["integrator"] = (str(name).strip() for name in names)
    if "t_end" in found:
        found["t_end"] = number("t_end", found["t_end"])
    if "options" in found:
        found["options"] = [(str(k), option(k, v)) for k, v in dict(found["options"]).items()]
    for key in ("coordinates", "formulation", "integrator", "sensitivity"):
        if key in found:
            found[key] = word(key, found[key])
    if "memory" in found:
        found["memory"] = natural("memory", found["memory"])
    for key in ("step", "rtol", "atol", "time_limit"):
        if key in found:
            found[key] = seconds(key, found[key])
    return found


def option(name: str, value: Any) -> str:
    """The value of an option as the command writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return number(name, value)


def seconds(what: str, x: Any) -> float:
    """A number of a keyword argument."""
    try:
        return float(x)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: {x!r} is no number", help="give a number") from None


def word(what: str, x: Any) -> str:
    """A name of a keyword argument."""
    if not isinstance(x, str):
        raise ArgumentError(f"{what}: {x!r} is no name", help="give a text")
    return x


#: The largest whole number that a keyword argument takes.
_LARGEST = 2**63 - 1


def natural(what: str, x: Any, least: int = 0) -> int:
    """A whole number of a keyword argument, from `least` on."""
    try:
        found = None if isinstance(x, bool) else operator.index(x)
    except TypeError:
        found = None
    if found is None or not least <= found <= _LARGEST:
        raise ArgumentError(f"{what}: {x!r}", help=f"give a whole number from {least} on")
    return found


def positive(what: str, x: Any) -> float:
    """A finite number above zero."""
    found = seconds(what, x)
    if not 0 < found < math.inf:
        raise ArgumentError(f"{what}: {x!r}", help="give a finite number above 0")
    return found


def rebuild(version: str, spec: Spec) -> Any:
    """A model in another process, which must have the same version of Gradyn."""
    if version != _core.__version__:
        message = f"the model comes from Gradyn {version}, and this process has {_core.__version__}"
        raise VersionError(message, help="install the same version everywhere: results would differ")
    from .model import Model

    return Model._of(spec)
