"""Sweeps: many designs on threads, processes or machines, the same bits everywhere.

```text
samples ─ chunks ─▶ threads, or workers of an executor ─▶ rows in the order of the samples
```
Every sample starts from the assembly of the nominal design, so that a row depends on nothing but its sample.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._spec import natural
from ._vectors import Array
from .errors import ArgumentError, GradynError, Interrupted

if TYPE_CHECKING:
    import pandas

    from .model import Model

__all__ = ["Row", "Sweep"]

#: Samples that a thread takes before rows are handed out.
_SHARE = 4
#: Samples of a chunk for a worker.
_CHUNK = 16

#: Objectives, Jacobians, kinds of warnings and errors of some samples.
Block = tuple[Array, Array, list[str], list["Exception | None"]]


@dataclass(frozen=True)
class Row:
    """One sample and what it gives."""

    #: Number of the sample, from 0.
    index: int
    #: Values of the parameters.
    x: Array
    #: Values of the objectives, NaN where the design failed.
    values: Array
    #: Their Jacobian, NaN where the design failed; empty without gradients.
    jacobian: Array
    #: Kinds of warnings with their counts.
    warnings: str
    #: Why there are no numbers.
    error: Exception | None


class Sweep:
    """The rows of a sweep: iterate to have them as they come, or `collect` all of them.

    >>> import gradyn
    >>> model = gradyn.example("five_bar_balance").using(t_end=0.1)
    >>> sweep = model.sweep({"L_s1": [2.0, 2.5, 3.0]}).collect()
    >>> sweep.values.shape
    (3, 1)
    """

    def __init__(
        self,
        model: Model,
        x: Array,
        gradient: bool,
        threads: int,
        executor: Executor | Callable[[], Executor] | None,
        chunk: int | None,
        retries: int,
        resume: Sweep | str | os.PathLike[str] | None,
    ) -> None:
        self._model = model
        self._gradient = gradient
        self._threads = threads
        self._executor = executor
        self._chunk = None if chunk is None else natural("chunk", chunk, least=1)
        self._retries = natural("retries", retries)
        # samples of its own, which nobody changes later
        self._x = np.array(x)
        self._x.flags.writeable = False
        self._blocks: list[Block] = []
        self._done = 0
        #: Samples that were computed again because a worker ended: (first, last, why).
        self.retries: list[tuple[int, int, str]] = []
        if resume is not None:
            self._resume(resume)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the executor, which belongs to this process: a copy goes on with threads."""
        return {**self.__dict__, "_executor": None}

    @property
    def x(self) -> Array:
        """Parameters of the rows that are complete."""
        done: Array = self._x[: self._done]
        return done

    @property
    def values(self) -> Array:
        """Objectives of the rows that are complete, NaN where a design failed."""
        return self._joined(0, (len(self._model.objectives),))

    @property
    def jacobian(self) -> Array:
        """Jacobians of the rows that are complete: rows × objectives × parameters."""
        return self._joined(1, (len(self._model.objectives), len(self._model.parameters)))

    @property
    def warnings(self) -> list[str]:
        """Kinds of warnings of each row, with their counts."""
        return [w for block in self._blocks for w in block[2]]

    @property
    def errors(self) -> list[Exception | None]:
        """Why a row has no numbers."""
        return [e for block in self._blocks for e in block[3]]

    @property
    def complete(self) -> bool:
        """Is there a row for every sample?"""
        return self._done == len(self._x)

    def _joined(self, part: int, shape: tuple[int, ...]) -> Array:
        """One part of all blocks."""
        parts: list[Any] = [block[part] for block in self._blocks]
        return np.concatenate(parts) if parts else np.empty((0, *shape))

    def __len__(self) -> int:
        return len(self._x)

    def __iter__(self) -> Iterator[Row]:
        """Rows in the order of the samples: those that are complete, then the others as they come."""
        for block, first in list(self._with_places()):
            yield from self._rows(block, first)
        try:
            for block in self._compute():
                first = self._done
                self._blocks.append(block)
                self._done += len(block[0])
                yield from self._rows(block, first)
        except KeyboardInterrupt as e:
            raise self._interrupted(e) from None

    def collect(self) -> Sweep:
        """Computes all rows; after an interruption it goes on where it ended."""
        try:
            for _ in self:
                pass
        except KeyboardInterrupt as e:
            raise self._interrupted(e) from None
        return self

    def _interrupted(self, e: KeyboardInterrupt) -> Interrupted:
        """Ctrl-C with the rows so far, whether it came while they were computed or between them."""
        self._done = sum(len(block[0]) for block in self._blocks)
        return e if isinstance(e, Interrupted) and e.result is self else Interrupted(result=self)

    def _with_places(self) -> Iterator[tuple[Block, int]]:
        """Blocks with the numbers of their first samples."""
        first = 0
        for block in self._blocks:
            yield block, first
            first += len(block[0])

    def _rows(self, block: Block, first: int) -> Iterator[Row]:
        """The rows of a block."""
        psi, jacobian, warnings, errors = block
        empty = np.empty((0, 0))
        for k in range(len(psi)):
            slopes = jacobian[k] if self._gradient else empty
            yield Row(first + k, self._x[first + k], psi[k], slopes, warnings[k], errors[k])

    def _compute(self) -> Iterator[Block]:
        """Blocks from the first sample that has no row, in their order."""
        if self._executor is not None:
            from ._workers import distributed

            chunk = self._chunk or _CHUNK
            job = pickle.dumps((self._model, self._gradient))
            yield from distributed(
                job, self._x, self._done, chunk, self._executor, self._retries, self.retries
            )
            return
        share = self._chunk or _SHARE * self._threads
        for first in range(self._done, len(self._x), share):
            part = np.ascontiguousarray(self._x[first : first + share])
            yield self._model._core.batch(part, self._gradient, self._threads)

    def fingerprint(self) -> str:
        """A checksum of what decides the numbers of a row beside its sample: version, model, method."""
        model = pickle.dumps(self._model.__reduce__()[1], protocol=4)
        return hashlib.sha256(model + bytes([self._gradient])).hexdigest()

    def save(self, path: os.PathLike[str] | str) -> None:
        """Writes the rows that are complete, from which `sweep(resume=path)` goes on."""
        target = os.fspath(path)
        with open(f"{target}.new", "wb") as file:
            pickle.dump((self.fingerprint(), self._x[: self._done], self._blocks), file)
        os.replace(f"{target}.new", target)

    def _resume(self, old: Sweep | str | os.PathLike[str]) -> None:
        """Takes the rows of a sweep of the same model and the same samples."""
        if isinstance(old, Sweep):
            name, x, blocks = old.fingerprint(), old.x, old._blocks
        else:
            with open(old, "rb") as file:
                name, x, blocks = pickle.load(file)
        if name != self.fingerprint():
            raise ArgumentError(
                "resume: the rows are of another model or method", help="sweep without resume"
            )
        if len(x) > len(self._x) or not np.array_equal(x, self._x[: len(x)]):
            raise ArgumentError("resume: the rows are of other samples", help="sweep without resume")
        self._blocks = list(blocks)
        self._done = len(x)
        self._check_last()

    def _check_last(self) -> None:
        """Computes the last row once more: it must have the same bits."""
        if self._done == 0:
            return
        last = np.ascontiguousarray(self._x[self._done - 1 : self._done])
        psi, jacobian, _, _ = self._model._core.batch(last, self._gradient, 1)
        old = self._blocks[-1]
        same = psi[0].tobytes() == old[0][-1].tobytes()
        if not same or (self._gradient and jacobian[0].tobytes() != old[1][-1].tobytes()):
            message = f"resume: row {self._done - 1} has other numbers now"
            raise ArgumentError(
                message, help="the rows come from another machine or program: sweep without resume"
            )

    def to_pandas(self) -> pandas.DataFrame:
        """Parameters, objectives, derivatives, warnings and errors as a table of pandas."""
        import pandas

        names = list(self._model.parameters)
        columns: dict[str, Any] = {name: self.x[:, k] for k, name in enumerate(names)}
        jacobian = self.jacobian
        for j, objective in enumerate(self._model.objectives):
            columns[objective] = self.values[:, j]
        for j, objective in enumerate(self._model.objectives if self._gradient else ()):
            columns.update({f"d{objective}/d{name}": jacobian[:, j, k] for k, name in enumerate(names)})
        columns["warnings"] = self.warnings
        columns["error"] = [e.message if isinstance(e, GradynError) else str(e or "") for e in self.errors]
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        failed = sum(e is not None for e in self.errors)
        return f"<Sweep of {self._model.name}: {self._done} of {len(self._x)} rows, {failed} failed>"
