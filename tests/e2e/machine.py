"""A machine for kinetic in one folder: store, state, cache and a small project.

Tests that kill processes or inject faults (tests/support/fault_injector.c) share it.
"""

import functools
import hashlib
import http.server
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time
import zipfile

import packs

VALUE = 21
LINES = [f"line {i}" for i in range(20)]
TERMINAL = {"succeeded", "failed", "cancelled", "preempted", "lost"}

JOB = "name: small\nfunction: small:main\nargs: {n: 20}\nbundle: {root: .}\n"
MODULE = """import os, pathlib
def main(n):
    for i in range(n): print('line', i)
    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / 'out.txt').write_text('kept')
    return n + 1
"""


def make_wheel(name):
    """Returns a wheel with one module, for environments without a network."""
    info = f"{name}-1.0.dist-info/"
    files = {
        f"{name}.py": "ANSWER = 42\n",
        info + "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in files) + info + "RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as wheel:
        for path, text in {**files, info + "RECORD": record}.items():
            wheel.writestr(zipfile.ZipInfo(path), text)
    return buffer.getvalue()


def content_of(path):
    """Returns the content of an object of a folder store, without the trailer that holds its metadata."""
    stored = path.read_bytes()
    if not stored.endswith(b"KNTCMETA"):
        return stored
    return stored[:-12 - int.from_bytes(stored[-12:-8], "little")]


@functools.cache
def package_index():
    """Returns the address of an index with the package kinetic-tiny, served by a thread of this process."""
    file = "kinetic_tiny-1.0-py3-none-any.whl"
    wheel = make_wheel("kinetic_tiny")
    link = f'<a href="/files/{file}#sha256={hashlib.sha256(wheel).hexdigest()}">{file}</a>'
    pages = {"/simple/kinetic-tiny/": f"<html><body>{link}</body></html>".encode(), f"/files/{file}": wheel}

    class Index(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            page = pages.get(self.path)
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/zip")
            self.send_header("Content-Length", str(len(page or b"")))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(page or b"")

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/simple"


class Machine:
    def __init__(self, folder, kinetic, runner, library, packages=False):
        self.folder = pathlib.Path(folder)
        self.kinetic, self.runner, self.library = kinetic, runner, library
        self.project = self.folder / "project"
        self.project.mkdir(parents=True)
        dependencies = "dependencies: null\n"
        if packages:
            dependencies = "dependencies: requirements.txt\n"
            (self.project / "requirements.txt").write_text(
                f"--index-url {package_index()}\n--trusted-host 127.0.0.1\nkinetic-tiny==1.0\n")
        (self.project / "job.yaml").write_text(JOB + dependencies)
        (self.project / "small.py").write_text(MODULE)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        self.store = self.folder / ".local/share/kinetic/store"

    def start(self, *arguments, extra=None, **more):
        return subprocess.Popen([self.kinetic, *arguments], cwd=self.project,
                                env={**self.environment, **(extra or {})}, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)

    def run(self, *arguments, extra=None, seconds=120, **more):
        return subprocess.run([self.kinetic, *arguments], cwd=self.project,
                              env={**self.environment, **(extra or {})}, capture_output=True, text=True,
                              timeout=seconds, check=False, **more)

    def submit(self, extra=None, job="fixed-id", **more):
        return self.run("run", "job.yaml", "--id", job, "--json", extra=extra, **more)

    def fault(self, program, fault="kill", at=0, times=1, count=None, clock=None):
        """Returns the environment that injects a fault into `program`."""
        day = {"LD_PRELOAD": self.library, "FAULT_PROGRAM": program, "FAULT_KIND": fault,
               "FAULT_AT": str(at), "FAULT_TIMES": str(times)}
        if count:
            day["FAULT_COUNT"] = str(count)
        if clock:
            day["FAULT_CLOCK"] = str(clock)
        return day

    def runner_with(self, day):
        """Returns the environment that injects a fault into the supervisor, which the client starts without its own
        environment."""
        wrapper = self.folder / "runner"
        assignments = " ".join(f"{name}='{value}'" for name, value in day.items())
        wrapper.write_text(f'#!/bin/sh\nexport {assignments}\nexec {self.runner} "$@"\n')
        wrapper.chmod(0o755)
        return {"KINETIC_RUNNER": str(wrapper)}

    def processes(self):
        """Returns {pid: (program, parent pid)} of the processes in this machine's folder."""
        found = {}
        home = str(self.folder).encode()
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                where = os.fsencode(os.readlink(entry / "cwd")) + (entry / "environ").read_bytes() + \
                    (entry / "cmdline").read_bytes()
                program = pathlib.Path(os.readlink(entry / "exe")).name
                status = (entry / "status").read_text()
            except OSError:
                continue
            # A process with a pending SIGKILL counts as dead.
            pending = [int(line.split()[1], 16) for line in status.splitlines() if "Pnd:" in line]
            dying = any(mask >> (signal.SIGKILL - 1) & 1 for mask in pending)
            if home in where and fields[0] != "Z" and not dying:
                found[int(entry.name)] = (program, int(fields[1]))
        return found

    def orphans(self):
        """Returns processes that are not a supervisor and have none among their ancestors."""
        found = self.processes()

        def supervised(pid):
            while pid in found:
                if found[pid][0].startswith("kinetic"):
                    return True
                pid = found[pid][1]
            return False

        return {pid: name for pid, (name, _) in found.items() if not supervised(pid)}

    def await_quiet(self, seconds=20):
        """Waits until no process of this machine is left. Returns the remaining ones."""
        until = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < until:
            time.sleep(0.02)
        return left

    def objects(self):
        """Returns the names of the objects in the store."""
        if not self.store.exists():
            return set()
        paths = (path.relative_to(self.store) for path in self.store.rglob("*") if path.is_file())
        return {str(path) for path in paths if path.parts[0] not in {".tmp", ".locks"}}

    def check_store(self):
        """Checks every visible object: JSON parses, and content matches the digest in its name."""
        for name in self.objects():
            path = self.store / name
            if path.suffix == ".json":
                json.loads(content_of(path))
            if name.startswith("packs/"):
                assert packs.name_of(path.read_bytes()) == path.name, name

    def check_recovery(self, test, what, states=("succeeded", "lost"), job="fixed-id"):
        """Checks that the next command finds nothing incomplete, and that the same id attaches or is repeated."""
        listed = self.run("ps", "--all", "--json")
        test.assertEqual(listed.returncode, 0, f"{what}: {listed.stdout}{listed.stderr}")
        test.assertEqual(self.orphans(), {}, what)
        self.check_store()
        again = self.submit(job=job)
        test.assertTrue(again.stdout, f"{what}: {again.stderr}")
        answer = json.loads(again.stdout)
        test.assertIn(answer.get("state"), states, f"{what}: {again.stdout}{again.stderr}")
        if answer["state"] == "succeeded":
            self.check_success(test, what, answer, job)
        test.assertEqual(self.await_quiet(), {}, what)
        return answer["state"]

    def check_success(self, test, what, answer, job="fixed-id"):
        test.assertEqual(answer["value"], VALUE, what)
        log = self.run("logs", job)
        lines = (log.stdout + log.stderr).splitlines()
        test.assertEqual([line for line in lines if line.startswith("line ")], LINES, what)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def count_operations(machine, act, day_for):
    """Counts the operations of a run without faults: `act` runs with the environment day_for(0, file)."""
    counter = machine.folder / "count"
    done = act(day_for(0, counter))
    if done.returncode != 0:
        raise AssertionError(f"without a fault: {done.stdout}{done.stderr}")
    return counter.stat().st_size


def spread(count, places):
    """Returns `places` evenly distributed numbers from 1 to `count`, or all of them if places is None."""
    if places is None or count <= places:
        return list(range(1, count + 1))
    return sorted({1 + round(i * (count - 1) / (places - 1)) for i in range(places)})
