"""Progress in a terminal, in the form of the command: ended phases as lines, and active ones below them."""

from __future__ import annotations

import os
import stat
import sys
import time
from typing import Any

from ._display import write
from ._progress import Display, Phase, duration

_DRAW_INTERVAL = 0.1  # seconds
_NAME_COLUMNS = 9
_GREEN, _DIM, _CYAN = "32", "2", "36"


class TerminalDisplay(Display):
    """Draws the active phases below the log. They are removed at the end.

    Parameters
    ----------
    job : str, optional
        The ID of the job that the program waits for.
    keys : str, optional
        The effect of Ctrl-C.
    """

    shows_phases = True

    def __init__(self, job: str = "", keys: str = "") -> None:
        super().__init__(job)
        self._keys = keys
        self._started = time.monotonic()
        self._next_draw = 0.0
        self._drawn = 0  # lines on the screen
        self._is_line_open = False  # an unfinished line of the job is on the terminal
        self._has_pipe = False  # its reader may write to the terminal
        self._is_unicode = (getattr(sys.stderr, "encoding", None) or "").lower().startswith("utf")
        self._is_colored = is_colored()

    def log(self, stream: str, text: str) -> None:
        self._clear()
        super().log(stream, text)
        file = sys.stdout if stream == "stdout" else sys.stderr
        if is_terminal(file):
            self._is_line_open = not text.endswith("\n")
        elif _is_pipe(file):
            self._has_pipe = True

    def warn(self, text: str) -> None:
        self._clear()
        self._end_line()
        super().warn(text)

    def ended(self, phase: Phase) -> None:
        self._clear()
        self._end_line()
        mark = self._paint(_GREEN, "✓" if self._is_unicode else "+")
        write(sys.stderr, self._line(mark, phase, phase.seconds) + "\n")

    def tick(self, now: float) -> None:
        if now < self._next_draw:
            return
        self._next_draw = now + _DRAW_INTERVAL
        self._clear()
        if self._is_line_open or self._has_pipe:
            return
        spinner = self._spinner(now)
        lines = [self._line(spinner, phase, now - phase.begun)
                 for phase in self.active() if not (self._job and phase.name == "run")]
        if self._job:
            metrics = self.metrics_text(_columns() // 2, self._is_unicode)
            parts = [duration(now - self._started), self.status, metrics, self._job, self._keys]
            lines.append(f"{spinner} {self._paint(_DIM, self._cut('  '.join(filter(None, parts)), 2))}")
        if lines:
            write(sys.stderr, "".join(line + "\n" for line in lines))
        self._drawn = len(lines)

    def metrics(self, now: float, at_once: bool = False) -> None:
        pass  # the status line shows them

    def close(self) -> None:
        self._clear()
        text = self.metrics_text(max(1, _columns() - 1 - 4 - _NAME_COLUMNS), self._is_unicode)
        if text:
            self._end_line()
            write(sys.stderr, f"  {'run':<{_NAME_COLUMNS}}  {text}\n")

    def _clear(self) -> None:
        if self._drawn:
            write(sys.stderr, f"\r\x1b[{self._drawn}A\x1b[J")
        self._drawn = 0

    def _end_line(self) -> None:
        if self._is_line_open:
            write(sys.stderr, "\n")
        self._is_line_open = False

    def _line(self, mark: str, phase: Phase, seconds: float) -> str:
        took = "  " + duration(seconds)
        text = self._cut(phase.text, 4 + _NAME_COLUMNS + len(took))
        return f"{mark} {phase.name:<{_NAME_COLUMNS}}  {text}{self._paint(_DIM, took)}"

    def _cut(self, text: str, used: int) -> str:
        """Returns what fits beside `used` columns. The last column stays empty, as some terminals wrap there."""
        left = max(0, _columns() - 1 - used)
        if len(text) <= left:
            return text
        return text[:left - 1] + "…" if self._is_unicode and left else text[:left]

    def _spinner(self, now: float) -> str:
        steps = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" if self._is_unicode else "|/-\\"
        return self._paint(_CYAN, steps[int(now / _DRAW_INTERVAL) % len(steps)])

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._is_colored else text


def is_colored() -> bool:
    """Returns whether the output to a terminal has colors."""
    when = os.environ.get("KINETIC_COLOR") or "auto"
    return when == "always" or (when == "auto" and not os.environ.get("NO_COLOR"))


def is_terminal(stream: Any) -> bool:
    """Returns whether a stream writes to a terminal."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # replaced, or closed
        return False


def _is_pipe(stream: Any) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (AttributeError, ValueError, OSError):
        return False


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (AttributeError, ValueError, OSError):
        return 80
