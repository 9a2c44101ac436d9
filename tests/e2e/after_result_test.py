#!/usr/bin/env python3
"""A job that succeeded is not an error of the command: requests that fail once the result is known change nothing.

    after_result_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import pathlib
import shutil
import sys
import tempfile
import unittest

from bucket import Bucket, BucketMachine
from machine import VALUE

KINETIC, RUNNER, SERVER = sys.argv[1:4]
READ = "*result.json*alt=media*"
COMMANDS = {("result",): VALUE, ("result", "--json"): VALUE, ("attach",): VALUE, ("attach", "--json"): VALUE,
            ("wait",): None, ("wait", "--json"): None, ("logs", "-f"): None, ("status",): None}


class AfterTheResult(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-after-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.bucket = Bucket(SERVER, self.folder)
        self.addCleanup(self.bucket.stop)
        self.places = 0

    def ended(self):
        """Returns another machine than that of a job that has succeeded, and whose end the index lacks."""
        self.places += 1
        place = f"place{self.places}"
        owner = BucketMachine(self.folder / place / "a", KINETIC, RUNNER, self.bucket, place)
        done = owner.submit(job="one")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        owner.await_quiet()
        for name in owner.objects():
            if name.startswith("index/") and name.endswith(".ended"):
                self.bucket.remove(f"{place}/{name}")
        self.bucket.requests()
        return BucketMachine(self.folder / place / "b", KINETIC, RUNNER, self.bucket, place)

    def check(self, command, *faults):
        machine = self.ended()
        self.bucket.commit(*faults)
        done = machine.run(*command, "one")
        self.bucket.behave()
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
        value = COMMANDS[command]
        if value is not None:
            printed = json.loads(done.stdout)
            self.assertEqual(printed["value"] if "--json" in command else printed, value)
        if command == ("logs", "-f"):
            self.assertIn("line 19\n", done.stdout)

    def test_writes_may_fail(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                self.check(command, *({"do": "answer", "status": 403, "method": method, "times": 0}
                                      for method in ("POST", "PATCH", "PUT", "DELETE")))

    def test_the_last_read_of_the_result_may_fail(self):
        for command in (("wait", "--json"), ("attach", "--json"), ("logs", "-f")):
            with self.subTest(command=command):
                machine = self.ended()
                self.assertEqual(machine.run(*command, "one").returncode, 0)
                reads = sum("result.json" in each["target"] and "alt=media" in each["target"]
                            for each in self.bucket.requests())
                self.assertGreater(reads, 0)
                self.check(command, {"do": "answer", "status": 403, "path": READ, "skip": reads - 1, "times": 0})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
