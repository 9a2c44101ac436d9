#!/usr/bin/env python3
"""Runs a job against a server that fails one request: nothing is lost or duplicated.

    bucket_faults_test.py KINETIC RUNNER GCS_SERVER [--every] [TEST...]

The requests of a job without faults are counted. Then each of them fails in turn: with --every in all ways, otherwise
in one. The client is also killed at each request and started again.
"""

import json
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import unittest

from bucket import ACTS, Bucket, BucketMachine

EVERY = "--every" in sys.argv
WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
KINETIC, RUNNER, SERVER = WORDS[:3]
TOKEN = "secret-token-of-a-test"
# These requests depend on the timing of the job.
VARIES = ("/following",)


class RequestFaults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-faults-"))
        self.bucket = Bucket(SERVER, self.folder, TOKEN)
        done, self.expected, self.count = self.run_at("count", [])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(self.count, 15)

    def tearDown(self):
        self.bucket.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def machine(self, place):
        machine = BucketMachine(self.folder / place, KINETIC, RUNNER, self.bucket, place)
        (machine.folder / "token").write_text(TOKEN)
        machine.environment["KINETIC_TOKEN_FILE"] = str(machine.folder / "token")
        return machine

    def kinds(self, machine):
        """Returns names of objects without their random parts. A killed client may leave an index entry without a
        job, which is ignored and expires."""
        return sorted({"index" if name.startswith("index/") else name for name in machine.objects()
                       if not name.endswith(VARIES)})

    def run_at(self, place, faults):
        """Runs the job in its own place. @returns the result, its objects and its number of requests"""
        machine = self.machine(place)
        before = self.bucket.count()
        self.bucket.commit(*[{**fault, "index": before + fault["index"]} for fault in faults])
        done = machine.submit()
        self.assertEqual(machine.await_quiet(), {}, place)
        count = self.bucket.count() - before
        self.bucket.behave()
        kinds = self.kinds(machine)
        machine.check_store()
        if done.returncode == 0:
            machine.check_success(self, place, json.loads(done.stdout))
        machine.remove()
        return done, kinds, count

    def test_job_survives_any_fault_at_any_request(self):
        names = list(ACTS)
        tried = 0
        for index in range(self.count):
            for number, name in enumerate(names):
                if not EVERY and number != index % len(names):
                    continue
                with self.subTest(index=index, fault=name):
                    done, kinds, _ = self.run_at(f"{index}-{number}", [{**ACTS[name], "index": index}])
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertEqual(kinds, self.expected)
                    tried += 1
        print(f"{tried} jobs of {self.count} requests", flush=True)

    def test_client_killed_at_any_request_loses_nothing(self):
        for index in range(0, self.count, 1 if EVERY else 4):
            with self.subTest(index=index):
                machine = self.machine(f"killed-{index}")
                at = self.bucket.count() + index
                self.bucket.commit({"do": "stall-reply", "stall": 2000, "index": at})
                client = machine.start("run", "job.yaml", "--id", "fixed-id", "--json")
                while self.bucket.count() <= at and client.poll() is None:
                    time.sleep(0.002)
                client.send_signal(signal.SIGKILL)
                client.communicate()
                self.bucket.behave()
                machine.check_recovery(self, f"killed at request {index}", states=("succeeded",))
                self.assertEqual(self.kinds(machine), self.expected)
                machine.remove()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + WORDS[3:])
