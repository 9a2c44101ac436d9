"""The progress of a job: the phases that are active, and how they ended."""

from __future__ import annotations

import sys
import time

from ._display import write
from ._metrics import MetricsLine, parse
from ._wording import in_python

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from types import TracebackType

_BEFORE_RUN = ("package", "stage", "build", "submit", "queue", "provision", "pull", "start")
_NAMES = {"package": "code", "stage": "upload", "pull": "fetch"}  # as the command names them
_METRICS_INTERVAL = 1.0  # seconds
_METRICS_COLUMNS = 90
_LEAST_SHOWN = 1.0  # seconds; shorter phases without a result get no line


class Phase:
    """A phase of a job.

    Attributes
    ----------
    name : str
        As the command names it.
    text : str
        The current activity or reason; at the end, the result.
    begun, seconds : float
        The start, by the monotonic clock, and the duration of a phase that has ended.
    """

    def __init__(self, name: str, text: str, begun: float) -> None:
        self.name = _NAMES.get(name, name)
        self.text = text
        self.begun = begun
        self.seconds = 0.0


class Display:
    """Receives the events of a submission or a wait, and writes the log and warnings.

    Subclasses show the phases. The context ends with the operation.

    Parameters
    ----------
    job : str, optional
        The ID of the job that the program waits for.

    Attributes
    ----------
    shows_phases : bool
        Whether this is more than the log and warnings.
    status : str
        The number of calls of a batch that have ended.
    state : str
        The final state of the job.
    """

    shows_phases = False

    def __init__(self, job: str = "") -> None:
        self._job = job
        self.status = ""
        self.state = ""
        self._active: dict[str, Phase] = {}
        self._ended_early: set[str] = set()  # the library reports their ends later
        self._metrics = MetricsLine()
        self._has_new_metrics = False  # that were not written
        self._is_at_line_start = True  # on the standard output
        self._next_metrics = 0.0

    def __enter__(self) -> Display:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None,
                 _trace: TracebackType | None) -> None:
        self.close()

    def __call__(self, kind: str, name: str, text: bytes) -> None:
        line = text.decode("utf-8", "replace")
        now = time.monotonic()
        if kind == "log":
            for phase in [name for name in self._active if name in _BEFORE_RUN]:
                self._end(phase, "", now)
                self._ended_early.add(phase)
            if name == "stdout" and self._add_metrics(line):
                self.metrics(now)
            else:
                if self._is_at_line_start:
                    self.metrics(now, True)
                self.log(name, line)
                if name == "stdout":
                    self._is_at_line_start = line.endswith(("\n", "\r"))
        elif kind == "begin":
            self._begin(name, _printable(line), now)
        elif kind == "end":
            if name in self._ended_early:
                self._ended_early.remove(name)
            else:
                self._end(name, _printable(line), now)
        elif kind == "activity" and name in self._active:
            self._active[name].text = _printable(line) or self._active[name].text
        elif kind == "bytes" and name in self._active:
            done, total = (int(number) for number in line.split())
            self._active[name].text = _size(done) + (f" of {_size(total)}" if total else "")
        elif kind == "status":
            self.status = line
        elif kind == "state":
            self.state = line
        elif kind == "warning":
            self.warn(in_python(_printable(line)))
        self.tick(now)

    def _add_metrics(self, line: str) -> bool:
        """Returns whether a line is a row of metrics. No error of this row ends a wait."""
        try:
            row = parse(line)
            if row is None:
                return False
            self._metrics.add(row)
        except Exception:
            return False
        self._has_new_metrics = True
        return True

    def _begin(self, name: str, text: str, now: float) -> None:
        if name in self._ended_early:
            return
        if name in self._active:  # with a new reason
            self._active[name].text = text
        else:
            self._active[name] = Phase(name, text, now)

    def _end(self, name: str, text: str, now: float) -> None:
        phase = self._active.pop(name, None) or Phase(name, "", now)
        phase.text = text
        phase.seconds = now - phase.begun
        if name not in ("run", "collect") and (text or phase.seconds >= _LEAST_SHOWN):
            self.ended(phase)

    def active(self) -> list[Phase]:
        """Returns the phases that have begun and not ended."""
        return list(self._active.values())

    def log(self, stream: str, text: str) -> None:
        """Writes a piece of the log of a job to ``"stdout"`` or ``"stderr"``."""
        write(sys.stdout if stream == "stdout" else sys.stderr, text)

    def metrics(self, now: float, at_once: bool = False) -> None:
        """Writes a line with the new metrics, at once or at most once per second."""
        if self._has_new_metrics and (at_once or now >= self._next_metrics):
            self._has_new_metrics = False
            self._next_metrics = now + _METRICS_INTERVAL
            text = self.metrics_text(_METRICS_COLUMNS, False)
            if text:
                self.log("stdout", ("" if self._is_at_line_start else "\n") + text + "\n")
                self._is_at_line_start = True

    def metrics_text(self, width: int, sparklines: bool) -> str:
        """Returns the last metrics in one line, or nothing. No error of this line ends a wait."""
        try:
            return self._metrics.text(width, sparklines)
        except Exception:
            return ""

    def warn(self, text: str) -> None:
        """Writes a warning."""
        write(sys.stderr, f"kinetic: warning: {text}\n")

    def ended(self, phase: Phase) -> None:
        """Called when a phase has ended."""

    def tick(self, now: float) -> None:
        """Called after each event, and several times per second."""
        if self._is_at_line_start:
            self.metrics(now)

    def close(self) -> None:
        """Called at the end of the operation."""
        self.metrics(0, True)


def duration(seconds: float) -> str:
    """Returns a duration as the command shows it."""
    whole = int(seconds)
    if seconds < 10:
        return f"{seconds:.2f}s" if seconds < 1 else f"{seconds:.1f}s"
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60}s"
    return f"{whole // 3600}h {whole % 3600 // 60}m"


def _size(count: float) -> str:
    if count < 1024:
        return f"{count:.0f} B"
    for unit in ("KiB", "MiB", "GiB"):
        count /= 1024
        if count < 1024:
            break
    return f"{count:.1f} {unit}" if count < 10 else f"{count:.0f} {unit}"


def _printable(text: str) -> str:
    """Returns one line without control characters, which could change what the terminal shows."""
    return "".join(character if character.isprintable() else " " for character in text.strip())
