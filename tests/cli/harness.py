"""Runs the built `kinetic` in its own home directory."""

import fcntl
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

import read_only

KINETIC = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else shutil.which("kinetic")
# Sanitizers reserve more memory than a limited address space has.
IS_SANITIZED = KINETIC is not None and any(
    name in pathlib.Path(KINETIC).read_bytes() for name in (b"__asan_init", b"__tsan_init"))
TIMEOUT = 60  # seconds; a successful run takes a fraction of one


def _can_mount():
    options = (["--mount"], ["--user", "--map-root-user", "--mount"])
    return shutil.which("unshare") is not None and any(
        subprocess.run(["unshare", *each, "true"], capture_output=True).returncode == 0 for each in options)


# Jobs with `data:` at a path that no argument refers to need them; in a chroot and in some containers there are none.
CAN_MOUNT = _can_mount()


class Case(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-cli-"))
        self.addCleanup(read_only.remove, self.home)
        self.work = self.home / "project"
        self.work.mkdir()

    def skipTest(self, reason):
        print(f"{self.id()} skipped: {reason}", flush=True)
        super().skipTest(reason)

    def environment(self, **more):
        base = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "USER": "ana"}
        base.update(more)
        return base

    def write(self, name, text):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def start(self, *arguments, env=None, **options):
        return subprocess.Popen(
            [KINETIC, *arguments], cwd=self.work, env=self.environment(**(env or {})),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def run_kinetic(self, *arguments, env=None, code=0):
        """Runs to the end and checks the exit code. None accepts any code."""
        done = subprocess.run(
            [KINETIC, *arguments], cwd=self.work, env=self.environment(**(env or {})),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
        done.stdout = done.stdout.decode("utf-8", "surrogateescape")
        done.stderr = done.stderr.decode("utf-8", "surrogateescape")
        if not CAN_MOUNT and "this machine allows no private mounts" in done.stderr + done.stdout:
            self.skipTest("this machine allows no private mounts")
        if code is not None:
            self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def json(self, *arguments, env=None, code=0):
        """Runs with --json and checks that stdout is one document."""
        done = self.run_kinetic(*arguments, "--json", env=env, code=code)
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            self.fail(f"{arguments}: not one JSON document: {done.stdout!r}")

    def until(self, what, condition):
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        self.fail(f"{what} did not happen within {TIMEOUT} s")


class JobCase(Case):
    """A test case that runs jobs and terminates the remaining ones at its end."""

    def setUp(self):
        super().setUp()
        self.addCleanup(self.end_jobs)

    def end_jobs(self):
        listed = self.run_kinetic("ps", "--all", "--json", code=None)
        if listed.returncode != 0:
            return
        alive = [job["id"] for job in json.loads(listed.stdout)
                 if job["state"] in ("queued", "pending", "running")]
        if alive:
            self.run_kinetic("cancel", *alive, code=None)

    def submit(self, *command, options=()):
        """Submits a command and returns the job id."""
        return self.run_kinetic("run", "--detach", *options, "--", *command).stdout.strip()

    def state(self, job):
        return self.json("status", job)["state"]


class TerminalCase(JobCase):
    def on_terminal(self, *arguments, then=None, columns=0, **env):
        """Runs on a pseudo-terminal (of unknown width: 0 columns) and calls `then(seen, fd)` for each piece of output. Returns (code, text
        seen)."""
        environment = self.environment(**{"TERM": "xterm-256color", **env})
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0))
            os.execve(KINETIC, [KINETIC, *arguments], environment)
        seen = b""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            ready, _, _ = select.select([fd], [], [], 0.1)
            if not ready:
                continue
            try:
                piece = os.read(fd, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
            if then is not None:
                then(seen.decode(errors="replace"), fd)
        else:
            os.kill(pid, signal.SIGKILL)
        os.close(fd)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), seen.decode(errors="surrogateescape")
