"""Workers of executors: chunks of samples, computed again where a worker ends."""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _core
from ._vectors import Array
from .errors import Interrupted, VersionError, WorkerError

if TYPE_CHECKING:
    from .sweep import Block

#: Chunks that are under way for each worker.
_AHEAD = 3
#: Workers where an executor does not say how many it has.
_WORKERS = 4
#: Seconds between two looks at signals.
_LOOK = 0.05

#: Models of this worker by the checksum of what made them: each is built once.
_known: dict[str, Any] = {}


def compute(version: str, job: bytes, x: Array, tries: int = 0) -> Block:
    """What a worker does: some samples on one thread. Each try is a task of its own, also for executors that
    know a task by its arguments."""
    if version != _core.__version__:
        message = f"the sweep is of Gradyn {version}, and this worker has {_core.__version__}"
        raise VersionError(message, help="install the same version everywhere: results would differ")
    key = hashlib.sha256(job).hexdigest()
    if key not in _known:
        _known.clear()
        _known[key] = pickle.loads(job)
    model, gradient = _known[key]
    found: Block = model._core.batch(np.ascontiguousarray(x), gradient, 1)
    return found


@dataclass
class _Chunk:
    """Some samples that are under way."""

    first: int
    x: Array
    tries: int = 0
    future: Future[Any] | None = None


class _Crew:
    """An executor, and how another one is made where it breaks."""

    def __init__(self, given: Executor | Callable[[], Executor]) -> None:
        self._make = None if hasattr(given, "submit") else given
        self._executor = self._make() if self._make is not None else cast(Executor, given)
        self._seen: set[str] = set()

    def submit(self, job: bytes, chunk: _Chunk) -> None:
        """Sends a chunk to a worker."""
        chunk.future = self._executor.submit(compute, _core.__version__, job, chunk.x, chunk.tries)

    def width(self) -> int:
        """How many workers there are."""
        count = getattr(self._executor, "_max_workers", None)
        return count if isinstance(count, int) else _WORKERS

    def lost(self) -> list[str]:
        """Workers of Dask that have gone since the last look: Dask itself computes their chunks again."""
        client = getattr(self._executor, "_client", None)
        if client is None or not hasattr(client, "scheduler_info"):
            return []
        here = set(client.scheduler_info(n_workers=-1)["workers"])
        gone = sorted(self._seen - here)
        self._seen = here
        return gone

    def replace(self) -> bool:
        """Makes a new executor, if there is a way."""
        if self._make is None:
            return False
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._make()
        return True

    def end(self) -> None:
        """Ends an executor that was made here; one that was given is the caller's."""
        if self._make is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)


def distributed(
    job: bytes,
    x: Array,
    done: int,
    size: int,
    executor: Executor | Callable[[], Executor],
    retries: int,
    report: list[tuple[int, int, str]],
) -> Iterator[Block]:
    """Blocks in the order of the samples, from the first that is not done."""
    crew = _Crew(executor)
    todo = deque(_Chunk(k, np.ascontiguousarray(x[k : k + size])) for k in range(done, len(x), size))
    under_way: deque[_Chunk] = deque()
    try:
        while todo or under_way:
            # as many chunks as keep the workers busy
            while todo and len(under_way) < _AHEAD * crew.width():
                under_way.append(todo.popleft())
            waiting = (chunk for chunk in under_way if chunk.future is None)
            if not all(_send(crew, job, chunk, under_way, retries, report) for chunk in waiting):
                continue

            # the next block, or its chunk once more
            chunk = under_way[0]
            try:
                block = _wait(chunk)
            except Exception as e:
                if not _has_gone(e):
                    raise
                _again(crew, e, _lost(under_way, e), under_way, retries, report)
                continue
            last = under_way[-1].first + len(under_way[-1].x) - 1
            report += [(chunk.first, last, f"{worker} has gone") for worker in crew.lost()]
            under_way.popleft()
            yield block
    finally:
        for chunk in under_way:
            if chunk.future is not None:
                chunk.future.cancel()
        crew.end()


def _send(
    crew: _Crew,
    job: bytes,
    chunk: _Chunk,
    under_way: deque[_Chunk],
    retries: int,
    report: list[tuple[int, int, str]],
) -> bool:
    """Submits a chunk; an executor that is broken says so here, too, and is replaced."""
    try:
        crew.submit(job, chunk)
    except BrokenExecutor as e:
        _again(crew, e, [*_lost(under_way, e), chunk], under_way, retries, report)
        return False
    return True


def _has_gone(e: Exception) -> bool:
    """Does an error say that a worker has gone? Any other one would come again."""
    # Dask's own, where it is loaded
    killed = getattr(sys.modules.get("distributed"), "KilledWorker", None)
    gone = (BrokenExecutor, CancelledError, OSError)
    return isinstance(e, gone if killed is None else (*gone, killed))


def _lost(under_way: deque[_Chunk], why: Exception) -> list[_Chunk]:
    """What has to be computed again: all that a broken executor had, or the chunk that failed."""
    return [c for c in under_way if _is_lost(c)] if isinstance(why, BrokenExecutor) else [under_way[0]]


def _wait(chunk: _Chunk) -> Block:
    """The block of a chunk; Ctrl-C is heard meanwhile."""
    assert chunk.future is not None
    while True:
        try:
            return cast("Block", chunk.future.result(timeout=_LOOK))
        except KeyboardInterrupt as e:
            raise Interrupted() from e
        except (FutureTimeout, TimeoutError):
            if chunk.future.done():
                return cast("Block", chunk.future.result())


def _again(
    crew: _Crew,
    why: Exception,
    lost: list[_Chunk],
    under_way: deque[_Chunk],
    retries: int,
    report: list[tuple[int, int, str]],
) -> None:
    """Lets chunks be computed again, by a new executor where this one is broken."""
    for chunk in lost:
        chunk.tries += 1
        chunk.future = None
        report.append((chunk.first, chunk.first + len(chunk.x) - 1, f"{type(why).__name__}: {why}"))
    first = under_way[0].first
    worst = max((c.tries for c in lost), default=0)
    if worst > retries:
        message = f"samples from {first} on: workers ended {worst} times: {why}"
        help_ = "the rows before are there: look at the memory of a worker, and sweep with resume"
        raise WorkerError(message, help=help_, completed=first) from why
    if isinstance(why, BrokenExecutor) and not crew.replace():
        message = f"the executor is broken: {why}"
        help_ = "the rows before are there: sweep with resume, or give a function that makes an executor"
        raise WorkerError(message, help=help_, completed=first) from why


def _is_lost(chunk: _Chunk) -> bool:
    """Has a chunk of a broken executor no result?"""
    if chunk.future is None:
        return False
    if not chunk.future.done():
        return True
    try:
        return chunk.future.exception() is not None
    except CancelledError:
        return True
