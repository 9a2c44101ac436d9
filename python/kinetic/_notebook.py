"""Progress in a Jupyter notebook: one panel of HTML for each cell, which is updated in place.

The saved notebook contains the last state of the panel. Its size is limited, whatever the number of jobs and the length
of their logs.
"""

from __future__ import annotations

import html
import importlib
import sys
import time
import uuid
from typing import Any

from ._progress import Display, Phase, duration

_UPDATE_INTERVAL = 0.25  # seconds
_MOST_JOBS = 10
_METRICS_COLUMNS = 60
_MOST_LINES = 50  # of the log of a job
_MOST_CHARACTERS = 4000  # of the same
_COLORS = {"succeeded": "#2e7d32", "failed": "#c62828", "cancelled": "#b26a00", "preempted": "#b26a00",
           "lost": "#c62828"}
_panel: Panel | None = None  # of the current cell


def shell() -> Any:
    """Returns the IPython shell of a notebook's kernel, or None in another program."""
    ipython = sys.modules.get("IPython")
    found = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return found if hasattr(found, "kernel") else None


class Panel:
    """The jobs of one execution of a cell."""

    def __init__(self, cell: int) -> None:
        self.cell = cell
        self.jobs: list[NotebookDisplay] = []
        self._id = uuid.uuid4().hex
        self._shown = ""
        self._next_update = 0.0

    def update(self, now: float) -> None:
        """Shows the current state, at most a few times per second."""
        if now >= self._next_update:
            self._next_update = now + _UPDATE_INTERVAL
            self.show(now)

    def show(self, now: float) -> None:
        """Shows the current state."""
        jobs = self.jobs[-_MOST_JOBS:]
        others = len(self.jobs) - len(jobs)
        earlier = [f"{others} earlier {'job' if others == 1 else 'jobs'}"] if others else []
        content = "".join(f"<div>{line}</div>" for line in earlier) + "".join(job.html(now) for job in jobs)
        if content == self._shown:
            return
        data = {"text/html": f'<div style="font-family: monospace; font-size: 0.9em">{content}</div>',
                "text/plain": "\n".join([*earlier, *(job.text(now) for job in jobs)])}
        output: Any = importlib.import_module("IPython.display")  # which has no types
        show = output.update_display if self._shown else output.display
        show(data, raw=True, display_id=self._id)
        self._shown = content


class NotebookDisplay(Display):
    """A job in the panel of its cell: its state, what it waits for, and the end of its log."""

    shows_phases = True

    def __init__(self, panel: Panel) -> None:
        super().__init__()
        self._panel = panel
        self._keys = ""
        self._log = ""
        self._is_log_cut = False
        self._begun = time.monotonic()
        self._seconds = 0.0
        self._is_followed = True

    def follow(self, job: str, keys: str) -> NotebookDisplay:
        """Returns the display, to continue with a wait for the job."""
        self._job = job
        self._keys = keys.replace("Ctrl-C", "interrupting the kernel")
        self._is_followed = True
        return self

    def is_of(self, job: str) -> bool:
        """Returns whether this is the display of the job."""
        return self._job == job

    def log(self, stream: str, text: str) -> None:
        lines = (self._log + text).split("\n")
        lines = [line[:-1].rpartition("\r")[2] + line[-1:] for line in lines]  # progress bars
        kept = "\n".join(lines[-_MOST_LINES - 1:])[-_MOST_CHARACTERS:]
        self._is_log_cut = self._is_log_cut or len(lines) > _MOST_LINES + 1 or len(kept) == _MOST_CHARACTERS
        self._log = kept

    def metrics(self, now: float, at_once: bool = False) -> None:
        pass  # the headline shows them

    def ended(self, phase: Phase) -> None:
        if phase.name == "submit":
            self._job = phase.text

    def tick(self, now: float) -> None:
        self._seconds = now - self._begun
        self._panel.update(now)

    def close(self) -> None:
        self._is_followed = False
        self._panel.update(time.monotonic())

    def text(self, now: float) -> str:
        """Returns the state as text."""
        mark = {"succeeded": "✓", "": "…"}.get(self.state, "✗")
        cut = [f"(kinetic logs {self._job} prints the earlier lines)"] if self._is_log_cut else []
        return "\n".join([f"{mark} {self._headline(now)}", *cut, *([self._log.rstrip()] if self._log.strip() else [])])

    def html(self, now: float) -> str:
        """Returns the state as HTML."""
        lines = self.text(now).split("\n")
        color = _COLORS.get(self.state, "inherit")
        head = f'<div style="color: {color}">{html.escape(lines[0])}</div>'
        if len(lines) == 1:
            return head
        style = "margin: 0 0 0 1.5em; max-height: 20em; overflow: auto; white-space: pre-wrap"
        return f'{head}<pre style="{style}">{html.escape(chr(10).join(lines[1:]))}</pre>'

    def _headline(self, now: float) -> str:
        seconds = now - self._begun if self._is_followed and not self.state else self._seconds
        took = duration(seconds) if self.state or seconds < 1 else duration(int(seconds)).replace(".0s", "s")
        metrics = self.metrics_text(_METRICS_COLUMNS, True)
        parts = [f"job {self._job}" if self._job else "new job", self._activity(), metrics, took]
        if self._is_followed and not self.state and self._keys:
            parts.append(self._keys)
        return "  ".join(part for part in parts if part)

    def _activity(self) -> str:
        if self.state or not self._is_followed:
            return self.status or self.state or ("submitted" if self._job else "not submitted")
        phases = self.active()
        if not phases or phases[-1].name == "run":
            return self.status or ("running" if phases else "")
        last = phases[-1]
        phase = last.name + (f": {last.text[:200]}" if last.text else "")
        return f"{self.status}, {phase}" if self.status else phase


def new_display(job: str, keys: str) -> NotebookDisplay:
    """Returns the display of a submission or a wait, in the panel of the current cell."""
    global _panel
    cell = shell().execution_count
    if _panel is None or _panel.cell != cell:
        if _panel is None:
            shell().events.register("post_run_cell", _show_end)
        _panel = Panel(cell)
    found = next((known for known in _panel.jobs if job and known.is_of(job)), None)
    if found is None:
        found = NotebookDisplay(_panel)
    else:
        _panel.jobs.remove(found)  # the last ones are shown
    _panel.jobs.append(found)
    return found.follow(job, keys)


def _show_end(*_result: object) -> None:
    if _panel is not None and _panel.jobs:
        _panel.show(time.monotonic())
