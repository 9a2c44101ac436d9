"""Messages of kinetic, and the choice of a display for the progress of a job."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any

    from ._progress import Display


def display(job: str = "", keys: str = "") -> Display:
    """Returns the display of a submission or a wait.

    Threads other than the main one share the terminal with it, so they show only the log and warnings.

    Parameters
    ----------
    job : str, optional
        The ID of the job that the program waits for.
    keys : str, optional
        The effect of Ctrl-C.
    """
    import threading

    from . import _plain, _progress, _terminal

    how = os.environ.get("KINETIC_PROGRESS") or "auto"
    if how == "never" or threading.current_thread() is not threading.main_thread():
        return _progress.Display(job)
    if how == "auto" and "ipykernel" in sys.modules:
        from . import _notebook

        if _notebook.shell() is not None:
            return _notebook.new_display(job, keys)
    if how == "auto" and _terminal.is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb":
        return _terminal.TerminalDisplay(job, keys)
    return _plain.PlainDisplay(job)


def tell(message: str) -> None:
    """Writes a message of kinetic to stderr."""
    write(sys.stderr, f"kinetic: {message}\n")


def write(stream: Any, text: str) -> None:
    """Writes text at once. Characters that the stream cannot encode are escaped."""
    if stream is None:
        return
    try:
        stream.write(text)
    except UnicodeEncodeError:
        stream.write(text.encode(stream.encoding or "ascii", "backslashreplace").decode(stream.encoding or "ascii"))
    flush = getattr(stream, "flush", None)
    if flush is not None:
        flush()
