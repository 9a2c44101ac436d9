"""Shows the progress and the log of a job in the terminal."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any


_PHASES = {"package": "code", "stage": "upload"}  # as the command names them


class Display:
    """Receives the events of a job: progress and warnings for stderr, the log for stdout and stderr."""

    def __init__(self) -> None:
        self._shows_phases = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, kind: str, name: str, text: bytes) -> None:
        line = text.decode("utf-8", "replace")
        if kind == "log":
            _write(sys.stdout if name == "stdout" else sys.stderr, line)
        elif kind == "warning":
            _write(sys.stderr, f"kinetic: warning: {line}\n")
        elif kind == "phase" and self._shows_phases:
            _write(sys.stderr, f"✓ {_PHASES.get(name, name):<10} {line}\n")


def tell(message: str) -> None:
    """Writes a message of kinetic to stderr."""
    _write(sys.stderr, f"kinetic: {message}\n")


def _write(stream: Any, text: str) -> None:
    if stream is None:
        return
    try:
        stream.write(text)
    except UnicodeEncodeError:
        stream.write(text.encode(stream.encoding or "ascii", "backslashreplace").decode(stream.encoding or "ascii"))
    stream.flush()
