"""How many threads there are to compute."""

from __future__ import annotations

import os

from .errors import ArgumentError


def count(threads: int | None) -> int:
    """A number of threads; as many as this process may use where none is given."""
    if threads is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ArgumentError(f"threads: {threads!r}", help="give a positive number, or None for all cores")
    return threads
