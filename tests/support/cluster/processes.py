"""Background servers recorded in a folder and identified reliably."""

import os
import pathlib
import signal
import subprocess
import time

from trouble import Trouble


def wait_for(what, condition, seconds=60, alive=lambda: True):
    """Polls until the condition holds. Fails on timeout or when the responsible process has died."""
    deadline = time.monotonic() + seconds
    while True:
        if condition():
            return
        if not alive() or time.monotonic() > deadline:
            raise Trouble(f"{what} does not come up")
        time.sleep(0.05)


def _started(pid):
    """Returns the start time of a process in clock ticks, which distinguishes it from a later one with the same pid."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, *rest = stat.rpartition(")")[2].split()
    return None if state in "ZX" else rest[18]


class Processes:
    """The servers of one cluster by name."""

    def __init__(self, state, logs):
        self._run = state / "run"
        self._logs = logs

    def start(self, name, argv, environment=None):
        """Starts the server unless it runs."""
        if self.pid(name):
            return
        self._run.mkdir(parents=True, exist_ok=True)
        with open(self._logs / f"{name}.log", "ab") as log:
            process = subprocess.Popen([str(word) for word in argv], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True, cwd="/", env={**os.environ, **(environment or {})})
        (self._run / name).write_text(f"{process.pid} {_started(process.pid)}")

    def names(self):
        return sorted(path.name for path in self._run.iterdir()) if self._run.is_dir() else []

    def pid(self, name):
        """Returns its process id, or None if it does not run."""
        try:
            pid, started = (self._run / name).read_text().split()
        except (FileNotFoundError, ValueError):
            return None
        return int(pid) if _started(pid) == started else None

    def wait(self, name, condition, seconds=60):
        """Waits until a server is ready. The error contains its last output."""
        try:
            wait_for(name, condition, seconds, lambda: self.pid(name) is not None)
        except Trouble as trouble:
            lines = (self._logs / f"{name}.log").read_text(errors="replace").splitlines()[-8:]
            raise Trouble(f"{trouble}; the end of {self._logs}/{name}.log:\n" + "\n".join(lines)) from None

    def stop(self, name, how=signal.SIGTERM):
        """Terminates the server and waits; kills it after 10 s."""
        for number in (how, signal.SIGKILL):
            pid = self.pid(name)
            if pid is None:
                break
            os.kill(pid, number)
            try:
                wait_for(f"the end of {name}", lambda: self.pid(name) is None, 10)
            except Trouble:
                if number == signal.SIGKILL:
                    raise
        (self._run / name).unlink(missing_ok=True)


def _run(words, input=None):
    words = [str(word) for word in words]
    try:
        return subprocess.run(words, input=input, capture_output=True, text=True, cwd="/")
    except FileNotFoundError:
        raise Trouble(f"{words[0]} is not installed: scripts/install-packages test installs it") from None


def tool(*argv, input=None):
    """Runs a program and returns its output. Raises Trouble with its output if it fails."""
    done = _run(argv, input)
    if done.returncode != 0:
        said = done.stderr.strip() or done.stdout.strip()
        raise Trouble(f"{' '.join(map(str, argv[:6]))} failed: {said}")
    return done.stdout


def works(*argv):
    """Returns whether a program succeeds."""
    return _run(argv).returncode == 0
