"""Exceptions and warnings: what happened, where, and what to try.

Every exception pickles with all of its fields, so that it comes home from other processes.

>>> import gradyn
>>> try:
...     gradyn.loads("name = 3")
... except gradyn.ModelError as e:
...     print(e.line, e.column, e.marked)
1 8 3
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "ArgumentError",
    "GradynError",
    "GradynWarning",
    "InternalError",
    "Interrupted",
    "MethodError",
    "ModelError",
    "SimulationError",
    "TimeLimitError",
    "UnknownNameError",
    "VersionError",
    "WorkerError",
]


class GradynError(Exception):
    """An error of Gradyn; every other one but `Interrupted` is one too."""

    #: What happened, in one sentence.
    message: str
    #: What to try, in one sentence.
    help: str | None
    #: The element that it is about.
    subject: str | None

    def __init__(self, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.message = message
        self.help = fields.get("help") or None
        self.subject = fields.get("subject")
        self._fields = fields

    def __str__(self) -> str:
        parts = [self.message]
        drawn = self._fields.get("drawn")
        if drawn:
            parts.append(str(drawn).rstrip("\n"))
        if self.help:
            parts.append(f"help: {self.help}")
        return "\n".join(parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.message, self._fields)


def _again(kind: type[GradynError], message: str, fields: dict[str, Any]) -> GradynError:
    """The same exception in another process."""
    return kind(message, **fields)


class ModelError(GradynError, ValueError):
    """The model is wrong: at `line` and `column` of `file`, where `marked` stands."""

    #: Name of the file; nothing where the error has no place there.
    file: str | None
    #: Line, from 1.
    line: int | None
    #: Column in characters, from 1.
    column: int | None
    #: The text that is marked.
    marked: str | None

    def __init__(self, message: str, **fields: Any) -> None:
        super().__init__(message, **fields)
        self.file = fields.get("file")
        self.line = fields.get("line")
        self.column = fields.get("column")
        self.marked = fields.get("marked")


class MethodError(GradynError, ValueError):
    """A method, an option or a history does not exist or does not fit."""


class ArgumentError(GradynError, ValueError):
    """An argument of a call does not fit: a name, a shape, a number that is not finite."""


class UnknownNameError(ArgumentError, KeyError):
    """A name does not exist; `help` has the nearest ones that do."""


class SimulationError(GradynError, RuntimeError):
    """A computation failed at time `t`, after `step` steps, at `element`."""

    #: Time of the failure [s]; nothing where there is none, such as at the start.
    t: float | None
    #: Steps that were done.
    step: int | None
    #: Equation, coordinate, joint or force.
    element: str | None

    def __init__(self, message: str, **fields: Any) -> None:
        super().__init__(message, **fields)
        self.t = fields.get("t")
        self.step = fields.get("step")
        self.element = fields.get("element")


class TimeLimitError(SimulationError):
    """A run took longer than `time_limit`."""


class WorkerError(GradynError, RuntimeError):
    """Workers of an executor ended too often; `completed` rows are there, and a sweep can go on from them."""

    #: Rows that were complete before.
    completed: int

    def __init__(self, message: str, **fields: Any) -> None:
        super().__init__(message, **fields)
        self.completed = int(fields.get("completed", 0))


class VersionError(GradynError, RuntimeError):
    """A model was sent to, or read by, a process that has another version of Gradyn."""


class InternalError(GradynError, RuntimeError):
    """Gradyn has made a mistake of its own: please report it with the model and the call."""

    def __str__(self) -> str:
        return (
            f"{self.message}\nThis is a mistake of Gradyn, not of your model: "
            "please report it, with the model and the call that led to it."
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or another signal, ended a call; `result` is what there was by then."""

    #: The best design of an optimisation, the rows of a sweep; nothing for a single run.
    result: Any

    def __init__(self, message: str = "interrupted", result: Any = None, **_: Any) -> None:
        super().__init__(message)
        self.message = message
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.result)


class GradynWarning(UserWarning):
    """Something to know about a model, a run or a gradient: its `code`, its text, its element."""

    #: Kind of the warning, as the command prints it.
    code: str
    #: What there is to know.
    text: str
    #: The element that it is about.
    subject: str | None

    def __init__(self, code: str, text: str, subject: str | None = None) -> None:
        super().__init__(code, text, subject)
        self.code = code
        self.text = text
        self.subject = subject

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"

    def __repr__(self) -> str:
        return f"<{self}>"
