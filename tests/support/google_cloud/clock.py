"""The clock of the stand-in."""

import datetime
import threading
import time


class Clock:
    """Real time plus an offset, or a fixed time plus an offset with the option clock="fake"."""

    def __init__(self, options):
        self._options = options
        self._fixed = time.time()
        self._offset = 0.0
        self._lock = threading.Lock()

    def now(self):
        base = self._fixed if self._options.clock == "fake" else time.time()
        return base + self._offset

    def advance(self, seconds):
        with self._lock:
            self._offset += seconds

    def text(self, when=None):
        """Returns a time in Google's format."""
        when = self.now() if when is None else when
        moment = datetime.datetime.fromtimestamp(when, datetime.timezone.utc)
        return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
