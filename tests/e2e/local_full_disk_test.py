#!/usr/bin/env python3
"""Full disks of the store and of the state folder: no command is blocked, and no job waits silently. Needs root.

    local_full_disk_test.py KINETIC RUNNER
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

KINETIC, RUNNER = sys.argv[1:3]
FULL = "no space left on device"
NOT_SUBMITTED = 120
NOT_STARTED = 123
# The supervisor waits 10 s for free space. The rest is for a busy machine.
SECONDS = 60


class FullDisk(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("a disk of its own needs root")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-full-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "project").mkdir()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.store = self.disk / "store"
        self.state = self.folder / "state"

    def mount(self, size):
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", self.disk], check=False,
                                 capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("cannot mount: " + mounted.stderr.decode())
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=False, capture_output=True)

    def unmount(self):
        subprocess.run(["umount", "-l", self.disk], check=True)

    def resize(self, size):
        subprocess.run(["mount", "-o", "remount,size=" + size, self.disk], check=True)

    def kinetic(self, *arguments):
        return subprocess.run(
            [KINETIC, *arguments], cwd=self.folder / "project", capture_output=True, text=True, timeout=SECONDS,
            check=False,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "KINETIC_RUNNER": RUNNER,
                 "KINETIC_STORE": str(self.store), "KINETIC_STATE_DIR": str(self.state)})

    def succeeds(self, *arguments):
        done = self.kinetic(*arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
        return done

    def fails(self, *arguments):
        done = self.kinetic(*arguments)
        self.assertEqual(done.returncode, NOT_SUBMITTED, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertIn(FULL, done.stderr, arguments)
        return done

    def job(self, name):
        return json.loads(self.succeeds("status", name, "--json").stdout)

    def check_not_blocked(self, name):
        """No command is blocked by a job whose results do not fit."""
        listed = self.succeeds("ps")
        self.assertIn(name, listed.stdout)
        self.assertIn(f"warning: job {name} has ended, but its results are not stored", listed.stderr)
        self.assertIn(f"kinetic rm --force {name}", listed.stderr)
        self.assertIn(FULL, self.job(name)["reason"])
        why = json.loads(self.succeeds("why", name, "--json").stdout)
        self.assertEqual(why["cause"], "store_unavailable", why)
        self.assertIn(f"kinetic rm --force {name}", why["advice"])
        self.succeeds("gc")
        for command in ("cancel", "rm", "wait"):
            self.assertIn(f"job {name} has ended, but its results are not stored", self.fails(command, name).stderr)

    def check_given_up(self, name):
        self.succeeds("rm", "--force", name)
        self.assertNotIn(name, self.succeeds("ps", "--all").stdout)
        self.assertFalse((self.state / "jobs" / name).exists())

    def test_output_that_does_not_fit(self):
        self.mount("2m")
        command = ("sh", "-c", "head -c 3M /dev/urandom > $KINETIC_OUTPUT_DIR/big")
        for name in ("kept", "dropped"):
            said = self.fails("run", "--id", name, "--", *command).stderr
            self.assertIn("waiting for the store: cannot store outputs/" + name, said)
            self.assertIn(f"error: job {name} has ended, but its results are not stored", said)
            self.check_not_blocked(name)
        self.check_given_up("dropped")
        self.resize("64m")
        self.succeeds("ps")
        self.assertEqual(self.job("kept")["state"], "succeeded")
        self.assertEqual((self.store / "outputs/kept/big").stat().st_size, 3 << 20)

    def test_log_that_does_not_fit(self):
        self.mount("2m")
        self.fails("run", "--quiet", "--id", "j", "--", "sh", "-c", "head -c 3M /dev/urandom | base64")
        self.check_not_blocked("j")
        self.check_given_up("j")

    def test_program_survives_a_moment_on_a_full_disk(self):
        self.state = self.disk / "state"
        self.mount("4m")
        script = "head -c 9M /dev/zero > $HOME/big; echo full; sleep 1; rm $HOME/big; echo done"
        done = self.succeeds("run", "--quiet", "--id", "j", "--", "sh", "-c", script)
        self.assertEqual(done.stdout, "full\ndone\n")

    def test_running_job_is_cancelled(self):
        self.mount("2m")
        self.succeeds("run", "--detach", "--id", "j", "--", "sh", "-c",
                      "head -c 3M /dev/urandom > $KINETIC_OUTPUT_DIR/big; touch $HOME/up; exec sleep 600")
        end = time.monotonic() + SECONDS
        while not (self.state / "jobs/j/home/up").exists() and time.monotonic() < end:
            time.sleep(0.02)
        self.fails("cancel", "j")
        self.assertEqual(self.kinetic("why", "j").returncode, 0)
        self.check_given_up("j")

    def small_disk(self, sizes):
        """Each command ends in time, and names the reason if it fails."""
        for size in sizes:
            with self.subTest(size=size):
                self.mount(size)
                done = self.kinetic("run", "--id", "j", "--", "sh", "-c", "head -c 1M /dev/urandom | base64")
                self.assertIn(done.returncode, (NOT_SUBMITTED, NOT_STARTED), done.stdout[-300:] + done.stderr)
                self.assertIn(FULL, done.stderr)
                self.succeeds("ps")
                if "j" in self.succeeds("ps", "--all", "--json").stdout:
                    self.check_given_up("j")
                self.unmount()

    SIZES = ("40k", "64k", "100k", "120k", "160k", "200k", "300k")

    def test_small_disk_of_state_folder(self):
        self.store = self.folder / "store"
        self.state = self.disk / "state"
        self.small_disk(self.SIZES)

    def test_small_disk_of_store_and_state_folder(self):
        self.state = self.disk / "state"
        self.small_disk(self.SIZES)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
