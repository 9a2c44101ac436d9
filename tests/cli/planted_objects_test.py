"""Things that another program puts at the names of a store's objects: some combinations of tests/campaign/planted.py."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import KINETIC

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "campaign"))
import planted  # noqa: E402
from sandbox import Sandbox  # noqa: E402

COMBINATIONS = [
    ("index/new", "private file"), ("index/new.ended", "pipe"), ("trees/used", "link"), ("trees/used", "folder"),
    ("packs/used", "pipe"), ("packs/new", "socket"), ("jobs/victim/record.json", "dangling link"),
    ("jobs/victim/result.json", "private file"), ("jobs/victim", "private folder"), ("outputs/victim", "link"),
    ("checkpoints/victim", "link"), ("data/new/below", "noise"), ("data/new", "private file"), ("checkpoints", "link"),
    (".tmp", "link"), ("trees", "noise"),
]


@unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
class PlantedObjects(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-cli-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.sandbox = Sandbox(folder, KINETIC, random.Random(1), planted.USER)
        self.addCleanup(self.sandbox.end_processes)
        planted.populate(self.sandbox)

    def plant(self, place, kind):
        planted.plant(self.sandbox, planted.places(self.sandbox.store)[place], kind)

    def run_kinetic(self, *arguments, code):
        """Runs a command without a terminal. @returns stdout and stderr"""
        process = self.sandbox.start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, output)
        return output

    def moved_aside(self):
        return list((self.sandbox.store / "jobs").glob(".damaged-*"))

    def test_commands_work_and_remove_planted_objects(self):
        restore = self.sandbox.snapshot()
        for place, kind in COMBINATIONS:
            with self.subTest(place=place, kind=kind):
                planted.check(self.sandbox, place, kind)
                self.sandbox.check_outside()
            restore()

    def test_private_job_is_unreadable_but_not_damaged(self):
        self.plant("jobs/victim", "private folder")
        denied = "cannot be read: permission denied (owner: user 0, mode 0700)"
        for command in (["logs"], ["wait"], ["attach"], ["result"], ["rm"]):
            output = self.run_kinetic(*command, "victim", code=120)
            self.assertIn(denied, output)
            self.assertNotIn("damaged", output)
        self.assertIn("kinetic rm --force victim", output)
        self.assertEqual(self.moved_aside(), [])
        self.assertIn("its exit code is unknown", self.run_kinetic("status", "victim", code=0))
        collected = self.run_kinetic("gc", code=120)
        self.assertIn("jobs/victim/ " + denied, collected)
        self.assertNotIn("damaged", collected)
        self.assertIn("it was renamed to .damaged-", self.run_kinetic("rm", "--force", "victim", code=0))
        self.assertEqual(len(self.moved_aside()), 1)

    def test_job_with_private_result_can_be_removed(self):
        self.plant("jobs/victim/result.json", "private file")
        output = self.run_kinetic("gc", "--verify", code=0)
        self.assertEqual(output.count("victim/result.json"), 1, output)
        self.assertIn("(its owner can make it readable)", output)
        self.run_kinetic("rm", "victim", code=0)
        self.assertFalse((self.sandbox.store / "jobs" / "victim").exists())

    def test_unreadable_references_do_not_hide_other_warnings(self):
        self.plant("jobs/victim", "private folder")
        self.plant("packs/used", "pipe")
        lock = self.sandbox.store / "locks" / "zz"
        lock.parent.mkdir(exist_ok=True)
        os.mkfifo(lock)
        collected = self.run_kinetic("gc", code=120)
        self.assertIn("cannot determine which objects jobs need: jobs/victim/", collected)
        self.assertEqual(collected.count("jobs/victim/ cannot be read"), 1, collected)
        self.assertIn("locks/zz is damaged", collected)

    def test_doctor_checks_each_folder_of_the_store(self):
        jobs = self.sandbox.store / "jobs"
        os.chown(jobs, 0, 0)
        jobs.chmod(0o555)
        self.assertIn(f"cannot write to {jobs}: Permission denied", self.run_kinetic("doctor", code=1))


if __name__ == "__main__":
    unittest.main()
