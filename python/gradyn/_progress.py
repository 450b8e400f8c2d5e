"""Progress in terminals and notebooks: one line that is written anew."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

#: Seconds between two lines.
_EVERY = 0.1


class Progress:
    """A line that says what is done; nothing where it is not wanted."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._next = 0.0
        self._length = 0
        self._handle: Any = _notebook() if wanted else None

    def __enter__(self) -> Progress:
        return self

    def __call__(self, text: str) -> None:
        now = time.monotonic()
        if not self._wanted or now < self._next:
            return
        self._next = now + _EVERY
        if self._handle is not None:
            self._handle.update({"text/plain": text}, raw=True)
        elif sys.stderr.isatty():
            sys.stderr.write("\r" + text.ljust(self._length))
            sys.stderr.flush()
            self._length = len(text)

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None
    ) -> None:
        if self._length:
            sys.stderr.write("\r" + " " * self._length + "\r")
            sys.stderr.flush()


def _notebook() -> Any:
    """Where a notebook shows a line; nothing elsewhere."""
    shell = sys.modules.get("IPython")
    kernel = shell.get_ipython() if shell is not None else None
    if kernel is None or not hasattr(kernel, "kernel"):
        return None
    from IPython.display import display

    return display({"text/plain": ""}, raw=True, display_id=True)
