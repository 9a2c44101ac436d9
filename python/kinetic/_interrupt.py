"""Handles Ctrl-C while this program waits for a job. By default, the job keeps running."""

from __future__ import annotations

import contextlib
import signal
import sys

from ._display import tell
from ._errors import Error

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from ._job import Job


class Waiting:
    """A context in which the program waits for a job.

    After Ctrl-C, and when the reader of the log has closed its pipe, it prints the command that follows the job.
    """

    def __init__(self, job: Job[Any]) -> None:
        self._job = job

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, _error: BaseException | None,
                 _trace: TracebackType | None) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            end_wait(self._job)
        elif kind is not None and issubclass(kind, BrokenPipeError):
            with contextlib.suppress(OSError):  # stderr may be the same pipe
                _tell_detached(self._job)


def end_wait(job: Job[Any]) -> None:
    """Cancels the job of an interrupted wait if `cancel_on_interrupt` is set, and reports the result."""
    if job.cancel_on_interrupt:
        try:
            job.cancel()
        except Error as error:
            tell(f"cannot cancel job {job.id}: {error}")
        else:
            tell(f"job {job.id} cancelled")
    else:
        _tell_detached(job)


def _tell_detached(job: Job[Any]) -> None:
    tell(f"detached: job {job.id} continues; to follow it: {attach_command(job)}")


def effect_of_ctrl_c(job: Job[Any]) -> str:
    """Returns the effect of Ctrl-C during a wait, for display."""
    return "Ctrl-C cancels it" if job.cancel_on_interrupt else "Ctrl-C detaches"


def attach_command(job: Job[Any]) -> str:
    """Returns the command that follows the job."""
    return f"kinetic attach {job.id}" + (f" --target {job.target}" if job.target else "")


def is_from_ctrl_c(cancelled: BaseException) -> bool:
    """Returns whether asyncio cancelled a task because of Ctrl-C, as opposed to the program."""
    runner = getattr(getattr(signal.getsignal(signal.SIGINT), "func", None), "__self__", None)
    if getattr(runner, "_interrupt_count", 0):  # asyncio.Runner has no public interface for this
        return True
    seen: BaseException | None = sys.exc_info()[1] or cancelled
    while seen is not None and not isinstance(seen, KeyboardInterrupt):
        seen = seen.__context__
    return seen is not None
