#!/usr/bin/env python3
"""Kills the client or the supervisor with SIGKILL at one write after the other.

    sudden_death_test.py KINETIC RUNNER KILL_AT_LIBRARY [--every]

After each death: nothing half-written is visible, the next command finds no orphan, and the same id run
again either attaches to the job or repeats it. Without --every about forty places are tried, always the
same ones; with it, all of them.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

EVERY = "--every" in sys.argv
KINETIC, RUNNER, LIBRARY = [argument for argument in sys.argv[1:] if not argument.startswith("--")][:3]
PLACES = 20
TERMINAL = {"succeeded", "failed", "cancelled", "preempted", "lost"}


class Home:
    """A machine of its own: store, state and cache in one folder, and a small project to run."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.project = self.folder / "project"
        self.project.mkdir()
        (self.project / "job.yaml").write_text(
            "name: small\nfunction: small:main\nargs: {n: 20}\ndependencies: null\nbundle: {root: .}\n"
        )
        (self.project / "small.py").write_text(
            "import os, pathlib\n"
            "def main(n):\n"
            "    for i in range(n): print('line', i)\n"
            "    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / 'out.txt').write_text('kept')\n"
            "    return n + 1\n"
        )
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}

    def run(self, *arguments, extra=None):
        return subprocess.run(
            [KINETIC, *arguments],
            cwd=self.project,
            env={**self.environment, **(extra or {})},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def submit(self, extra=None):
        return self.run("run", "job.yaml", "--id", "fixed-id", "--json", extra=extra)


def killing(program, place, count_file=None):
    """The environment that ends `program` at its write number `place`."""
    environment = {"LD_PRELOAD": LIBRARY, "KILL_AT_PROGRAM": program, "KILL_AT": str(place)}
    if count_file:
        environment["KILL_AT_COUNT"] = str(count_file)
    return environment


def runner_that_dies(home, place, count_file=None):
    """A runner that is preloaded itself: the client hands it a bare environment."""
    wrapper = home.folder / "runner"
    assignments = " ".join(f"{name}={value}" for name, value in
                           killing("kinetic-runner", place, count_file).items())
    wrapper.write_text(f'#!/bin/sh\nexport {assignments}\nexec {RUNNER} "$@"\n')
    wrapper.chmod(0o755)
    return {"KINETIC_RUNNER": str(wrapper)}


def places(count):
    if EVERY or count <= PLACES:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / (PLACES - 1)) for i in range(PLACES)})


def processes_of(home):
    """Processes that still work in the home: none may be left."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = (entry / "environ").read_bytes()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if b"KINETIC_JOB_ID=fixed-id" in environment and str(home.folder).encode() in environment + command:
            found.append(command.replace(b"\0", b" "))
    return found


class SuddenDeath(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kinetic-death-")

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def fresh_home(self, number):
        folder = pathlib.Path(self.folder) / str(number)
        folder.mkdir()
        return Home(folder)

    def count(self, make_environment):
        home = self.fresh_home("count")
        counter = home.folder / "count"
        done = home.submit(make_environment(home, counter))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(json.loads(done.stdout)["value"], 21)
        return counter.stat().st_size

    def check_store(self, home):
        """Every visible object is whole: JSON parses, and content has the digest that names it."""
        store = home.folder / ".local/share/kinetic/store"
        if not store.exists():
            return
        for path in store.rglob("*"):
            parts = path.relative_to(store).parts
            if not path.is_file() or parts[0].startswith("."):
                continue
            if path.suffix == ".json":
                json.loads(path.read_text())
            if parts[0] == "packs":
                digest = subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True).stdout
                self.assertEqual(digest.split()[0], path.name)

    def check_recovery(self, home, what):
        listed = home.run("ps", "--all", "--json")
        self.assertEqual(listed.returncode, 0, f"{what}: {listed.stdout}{listed.stderr}")
        self.check_store(home)
        again = home.submit()
        answer = json.loads(again.stdout)
        self.assertIn(answer.get("state"), {"succeeded", "lost"}, f"{what}: {again.stdout}{again.stderr}")
        if answer["state"] == "succeeded":
            self.assertEqual(answer["value"], 21, what)
            log = home.run("logs", "fixed-id")
            lines = (log.stdout + log.stderr).splitlines()
            self.assertEqual([line for line in lines if line.startswith("line ")],
                             [f"line {i}" for i in range(20)], what)
        self.assertEqual(processes_of(home), [], what)
        shutil.rmtree(home.folder)

    def test_the_client_dies_at_each_write(self):
        count = self.count(lambda home, counter: killing("kinetic", 0, counter))
        self.assertGreater(count, 10)
        for place in places(count):
            home = self.fresh_home(place)
            home.submit(killing("kinetic", place))
            self.check_recovery(home, f"client killed at write {place} of {count}")

    def test_the_supervisor_dies_at_each_write(self):
        count = self.count(lambda home, counter: runner_that_dies(home, 0, counter))
        self.assertGreater(count, 20)
        for place in places(count):
            home = self.fresh_home(place)
            home.submit(runner_that_dies(home, place))
            self.check_recovery(home, f"supervisor killed at write {place} of {count}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
