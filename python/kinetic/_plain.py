"""Progress as few lines of text, for files, pipes, and logs of CI."""

from __future__ import annotations

from ._display import tell
from ._progress import Display

_LONG = 2.0  # seconds; shorter phases need no explanation


class PlainDisplay(Display):
    """Writes a line for each wait that takes long."""

    shows_phases = True

    def __init__(self, job: str = "") -> None:
        super().__init__(job)
        self._told: dict[str, str] = {}

    def tick(self, now: float) -> None:
        super().tick(now)
        for phase in self.active():
            is_new = phase.text and phase.name not in ("run", "collect") and self._told.get(phase.name) != phase.text
            if is_new and now - phase.begun >= _LONG:
                self._told[phase.name] = phase.text
                tell((f"job {self._job}: " if self._job else "") + f"{phase.name}: {phase.text}")
