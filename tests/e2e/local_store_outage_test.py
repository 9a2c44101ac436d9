#!/usr/bin/env python3
"""Outages of the store at the end of jobs, and killed supervisors: nothing of a job is lost.

    local_store_outage_test.py KINETIC RUNNER
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

KINETIC, RUNNER = sys.argv[1:3]
PATIENCE_S = 60

JOB = """
import os, pathlib, sys, time
def main():
    output = pathlib.Path(os.environ['KINETIC_OUTPUT_DIR'])
    for i in range(2000):
        print('line', i, file=sys.stderr if i % 2 else sys.stdout)
    (output / 'early.txt').write_text('early')
    pathlib.Path(os.environ['HOME'], 'up').touch()
    while not os.path.exists('go'):
        time.sleep(0.01)
    (output / 'late.txt').write_text('late')
    return {'big': 'x' * 5000}
"""


def eventually(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("never: " + what)
        time.sleep(0.02)


class StoreOutage(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-away-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.project = self.folder / "project"
        self.project.mkdir()
        (self.project / "job.yaml").write_text(
            "name: away\nfunction: away:main\ndependencies: null\nbundle: {root: .}\n")
        (self.project / "away.py").write_text(JOB)
        self.store = self.folder / "store"
        self.runtime = self.folder / "state/jobs/j"

    def kinetic(self, *arguments):
        return subprocess.run(
            [KINETIC, *arguments], cwd=self.project, capture_output=True, text=True, timeout=120, check=False,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "KINETIC_RUNNER": RUNNER,
                 "KINETIC_STORE": str(self.store), "KINETIC_STATE_DIR": str(self.folder / "state")})

    def begin(self):
        started = self.kinetic("run", "job.yaml", "--id", "j", "--detach")
        self.assertEqual(started.returncode, 0, started.stdout + started.stderr)
        eventually((self.runtime / "home/up").exists, "the job is up")
        eventually(lambda: all(any(line in spooled.read_bytes() for spooled in (self.runtime / "spool").iterdir())
                               for line in (b"line 1998\n", b"line 1999\n")), "its lines are in the spool")

    def remove_store(self):
        self.store.rename(self.folder / "elsewhere")

    def restore_store(self):
        self.assertFalse(self.store.exists(), "a process wrote to the place of the store")
        (self.folder / "elsewhere").rename(self.store)

    def let_go(self):
        (self.runtime / "work/go").touch()

    def status(self):
        try:
            return json.loads((self.runtime / "status.json").read_text())
        except OSError:
            return {}

    def await_waiting(self):
        eventually(lambda: "waiting for the store" in self.status().get("reason", ""), "it waits for the store")
        eventually((self.runtime / "outcome.json").exists, "the outcome is kept")

    def supervisor(self):
        return json.loads((self.runtime / "supervisor.json").read_text())["pid"]

    def end_supervisor(self, number):
        pid = self.supervisor()
        os.kill(pid, number)
        eventually(lambda: not pathlib.Path(f"/proc/{pid}").exists(), "the supervisor is gone")

    def answer(self):
        return json.loads(self.kinetic("wait", "j", "--json").stdout)

    def check_log(self):
        """Order is exact only within a stream."""
        lines = self.kinetic("logs", "j").stdout.splitlines()
        numbers = [int(line.split()[1]) for line in lines if line.startswith("line ")]
        for rest in (0, 1):
            self.assertEqual([n for n in numbers if n % 2 == rest], list(range(rest, 2000, 2)))

    def check_success(self):
        answer = self.answer()
        self.assertEqual(answer["state"], "succeeded", answer)
        value = json.loads(self.kinetic("result", "j", "--json").stdout)["value"]
        self.assertEqual(value, {"big": "x" * 5000})
        self.assertEqual((self.store / "outputs/j/early.txt").read_text(), "early")
        self.assertEqual((self.store / "outputs/j/late.txt").read_text(), "late")
        self.check_log()
        self.assertFalse(self.runtime.exists())

    def test_recovered_store_receives_everything(self):
        self.begin()
        self.remove_store()
        self.let_go()
        self.await_waiting()
        self.restore_store()
        self.check_success()

    def test_next_command_stores_state_of_killed_supervisor(self):
        self.begin()
        self.remove_store()
        self.let_go()
        self.await_waiting()
        self.end_supervisor(signal.SIGKILL)
        self.restore_store()
        self.check_success()

    def test_permanent_outage_loses_nothing(self):
        self.begin()
        self.remove_store()
        self.let_go()
        self.await_waiting()
        self.end_supervisor(signal.SIGTERM)
        self.restore_store()
        self.check_success()

    def test_empty_replacement_store_is_not_used(self):
        self.begin()
        self.remove_store()
        self.let_go()
        self.await_waiting()
        self.end_supervisor(signal.SIGKILL)
        self.store.mkdir()
        (self.store / "format.json").write_text('{"format": 1}\n')
        listed = self.kinetic("ps")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertTrue((self.runtime / "outcome.json").exists())
        shutil.rmtree(self.store)
        self.restore_store()
        self.check_success()

    def test_killed_process_tree_keeps_log_and_outputs(self):
        self.begin()
        self.end_supervisor(signal.SIGKILL)
        answer = self.answer()
        self.assertEqual(answer["state"], "lost", answer)
        self.assertEqual((self.store / "outputs/j/early.txt").read_text(), "early")
        self.check_log()

    def test_job_of_another_store_is_unchanged(self):
        self.begin()
        self.end_supervisor(signal.SIGKILL)
        mine, self.store = self.store, self.folder / "another"
        self.assertEqual(self.kinetic("ps").returncode, 0)
        self.assertTrue(self.runtime.exists())
        self.store = mine
        self.assertEqual(self.answer()["state"], "lost")
        self.check_log()

    @unittest.skipIf(os.geteuid() != 0, "a disk of its own needs root")
    def test_full_disk_is_retried(self):
        self.store.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", self.store], check=False,
                                 capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("cannot mount: " + mounted.stderr.decode())
        self.addCleanup(subprocess.run, ["umount", "-l", self.store], check=False)
        self.begin()
        with open(self.store / "filler", "wb", buffering=0) as filler:
            try:
                while filler.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        self.let_go()
        self.await_waiting()
        (self.store / "filler").unlink()
        self.check_success()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
