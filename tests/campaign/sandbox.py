"""A home directory for kinetic with a project, a store, and files beside them that nothing may touch."""

import hashlib
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import time

LIMIT_SECONDS = 60
PROGRAM_CODES = {3, 128 + 9, 128 + 15}  # of the campaign's own programs, and of those that it kills
DOCUMENTED = {0, 1, 2, 120, 121, 122, 123, 124, 125, 126, 130, 141} | PROGRAM_CODES
TERMINAL_STATES = {"succeeded", "failed", "cancelled", "preempted", "lost"}
SECRET = "secret-of-another-user"

# What kinetic itself writes to a terminal: colours, cursor movements, erasing, and the hidden cursor.
OWN_SEQUENCES = re.compile(rb"\x1b\[[0-9;]*[mKJABCDGH]|\x1b\[\?25[lh]|\x1b\[\?2026[lh]")
# C0 but for tab, newline and carriage return; DEL; C1 as UTF-8.
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]")

MODULE = '''
import os, pathlib, sys, time
def main(marker, seconds=0.0, code=0):
    print("begins", flush=True)
    time.sleep(seconds)
    (pathlib.Path(os.environ["KINETIC_OUTPUT_DIR"]) / "out.txt").write_text("output")
    pathlib.Path(marker).write_text("done")
    if code: sys.exit(code)
    return {"value": 1}
'''


class Failure(Exception):
    """An invariant that does not hold."""


class Sandbox:
    def __init__(self, folder, kinetic, chance, user=None):
        self.folder, self.kinetic, self.chance, self.user = folder, kinetic, chance, user
        self.commands = 0
        self.home = folder / "home"
        self.project = self.home / "project"
        self.markers = folder / "markers"
        self.outside = folder / "outside"
        for path in (self.project, self.markers, self.outside / "log" / "1"):
            path.mkdir(parents=True)
        (self.project / "work.py").write_text(MODULE)
        (self.project / "work.yaml").write_text("function: work:main\n")
        for name in ("record.json", "key", "log/1/log"):
            (self.outside / name).write_text(SECRET + name)
        if user:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, user, user)
        self.before = self.fingerprint()

    @property
    def store(self):
        return self.home / ".local/share/kinetic/store"

    def environment(self):
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "USER": "ana", "TERM": "xterm"}

    def start(self, *arguments, **options):
        self.commands += 1
        return subprocess.Popen([self.kinetic, *arguments], cwd=self.project, env=self.environment(),
                                stdin=subprocess.DEVNULL, start_new_session=True, user=self.user, **options)

    def run(self, *arguments):
        """Runs a command on a terminal and checks its end, its exit code and its output. Returns code and output."""
        main, side = pty.openpty()
        process = self.start(*arguments, stdout=side, stderr=side)
        os.close(side)
        output = self.read_until_end(main, process, arguments)
        os.close(main)
        code = process.wait()
        shown = OWN_SEQUENCES.sub(b"", output)
        control = CONTROLS.search(shown)
        if control:
            around = shown[max(0, control.start() - 60):control.end() + 60]
            raise Failure(f"{arguments}: control character {control.group()!r} on the terminal: {around!r}")
        if SECRET.encode() in shown:
            raise Failure(f"{arguments}: shows a file from outside the store: {shown!r}")
        if code < 0:
            raise Failure(f"{arguments}: killed by signal {-code}: {shown[-300:]!r}")
        if code not in DOCUMENTED:
            raise Failure(f"{arguments}: exit code {code} is not documented: {shown[-300:]!r}")
        return code, shown.decode("utf-8", "replace")

    def read_until_end(self, terminal, process, arguments):
        output, end = b"", time.monotonic() + LIMIT_SECONDS
        while True:
            if time.monotonic() > end:
                process.kill()
                raise Failure(f"{arguments}: did not end within {LIMIT_SECONDS} s: {output[-300:]!r}")
            ready, _, _ = select.select([terminal], [], [], 0.2)
            if not ready and process.poll() is not None:
                return output
            if ready:
                try:
                    piece = os.read(terminal, 65536)
                except OSError:  # the other end is closed
                    return output
                if not piece:
                    return output
                output += piece

    def json(self, *arguments):
        """Runs a command with --json. Returns its document, or None if it failed."""
        process = self.start(*arguments, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            output, _ = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failure(f"{arguments}: did not end within {LIMIT_SECONDS} s") from None
        if process.returncode not in DOCUMENTED:
            raise Failure(f"{arguments}: exit code {process.returncode} is not documented")
        try:
            return json.loads(output)
        except ValueError:
            return None

    def job(self, name, seconds=0.0, code=0):
        """Returns the arguments of `run` for a job that writes a marker when its program completes."""
        return ["run", "work.yaml", "--id", name, "--arg", f"marker={self.markers / name}",
                "--arg", f"seconds={seconds}", "--arg", f"code={code}"]

    def run_job(self, name, **options):
        return self.run(*self.job(name, **options))

    def check_end(self, name):
        """Waits for the job's end and checks that its state matches what its program did."""
        code, output = self.run("wait", name)
        status = self.json("status", name)
        is_stored = (self.store / "jobs" / name / "record.json").exists()
        if code == 2 and "never submitted" in output and not is_stored and not (self.markers / name).exists():
            return "never submitted"  # the client was killed before it stored the record
        if status is None or status.get("state") not in TERMINAL_STATES:
            raise Failure(f"job {name} reaches no terminal state: {status}; wait exited with {code}: {output!r}")
        if status["state"] == "succeeded" and not (self.markers / name).exists():
            raise Failure(f"job {name} succeeded, but its program did not complete")
        return status["state"]

    def fingerprint(self):
        found = {}
        for path in sorted(self.outside.rglob("*")):
            status = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            found[str(path)] = (content, status.st_mode, status.st_mtime_ns, status.st_nlink)
        return found

    def check_outside(self):
        if self.fingerprint() != self.before:
            raise Failure("files outside the store changed")
        for path in self.store.rglob("*") if self.store.exists() else ():
            is_plain = path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 30
            if is_plain and SECRET.encode() in path.read_bytes():
                raise Failure(f"a file from outside was stored as {path.relative_to(self.store)}")

    def processes(self, kind):
        """Returns the ids of the sandbox's processes: supervisor or program."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if f"HOME={self.home}\0".encode() not in (entry / "environ").read_bytes():
                    continue
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            is_runner = b"kinetic-runner" in words
            if is_runner == (kind == "supervisor") and b"kinetic\0" not in words[:200].replace(b"kinetic-runner", b""):
                found.append(int(entry.name))
        return found

    def end_processes(self):
        for pid in self.processes("supervisor") + self.processes("program"):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass

    def snapshot(self):
        """Returns a function that restores the store and the local state."""
        data, copy = self.home / ".local", self.folder / "snapshot"
        subprocess.run(["cp", "-a", data, copy], check=True)

        def restore():
            shutil.rmtree(data)
            subprocess.run(["cp", "-a", copy, data], check=True)  # keeps the owners
        return restore
