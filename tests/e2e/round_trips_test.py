#!/usr/bin/env python3
"""Round trips of a submission to a distant server until its record is written.

    round_trips_test.py KINETIC RUNNER GCS_SERVER [TEST...]

Responses are delayed so long that independent requests overlap.
"""

import os
import pathlib
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from bucket import Bucket, BucketMachine
from delaying_proxy import DelayingProxy, count_round_trips, until_record

KINETIC, RUNNER, SERVER = sys.argv[1:4]
DELAY = 1.0


class RoundTrips(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-round-trips-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.bucket = Bucket(SERVER, self.folder)
        self.addCleanup(self.bucket.stop)
        self.far = DelayingProxy(self.bucket.url, 0)
        self.addCleanup(self.far.stop)
        self.machine = BucketMachine(self.folder / "here", KINETIC, RUNNER, self.bucket, "team")
        self.machine.environment["STORAGE_EMULATOR_HOST"] = self.far.url
        self.addCleanup(self.machine.await_quiet)
        self.random = random.Random(1)
        for number in range(40):
            self.write(f"data/{number}", 10_000)
        self.machine.submit(job="first")
        self.assertEqual(self.machine.await_quiet(), {})

    def write(self, name, size):
        path = self.machine.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(self.random.randbytes(size))

    def run_with_latency(self, *arguments):
        """Returns the requests until the command returns. Requests of the job itself are not awaited long."""
        begin = time.monotonic()
        self.far.delay = DELAY
        done = self.machine.run("run", "job.yaml", "--detach", *arguments)
        self.far.delay = 0
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        exchanges = [exchange for exchange in self.far.exchanges() if exchange.begin >= begin]
        self.assertEqual(self.machine.await_quiet(), {})
        return exchanges

    def settle(self):
        """Runs a client that completes pending work on ended jobs."""
        self.assertEqual(self.machine.run("ps").returncode, 0)

    def submit(self, *arguments):
        """@returns the number of round trips of a submission, and the requests: method and kind of object"""
        exchanges = until_record(self.run_with_latency(*arguments))
        kind = re.compile(r"team%2F(trees|packs|index|jobs|format)")
        asked = sorted(f"{exchange.method} {kind.search(exchange.target).group(1)}" for exchange in exchanges)
        return count_round_trips(exchanges), asked

    def test_edited_file_takes_three_round_trips(self):
        self.write("data/7", 9_000)
        count, asked = self.submit()
        self.assertEqual(asked, ["GET format", "GET trees", "GET trees", "POST index", "POST jobs", "POST trees"])
        self.assertEqual(count, 3)
        # The next submission, which is based on a change, takes as many.
        self.settle()
        self.write("data/8", 9_000)
        count, asked = self.submit()
        self.assertEqual(asked, ["GET format", "GET trees", "GET trees", "GET trees", "POST index", "POST jobs",
                                 "POST trees"])
        self.assertEqual(count, 3)

    def leave_dead_supervisor(self):
        """Leaves a job "left" with a dead supervisor, which the next client must reconcile."""
        module = self.machine.project / "small.py"
        quick = module.read_text()
        module.write_text("import time\ndef main(n):\n    time.sleep(1000)\n")
        self.assertEqual(self.machine.run("run", "job.yaml", "--id", "left", "--detach").returncode, 0)
        module.write_text(quick)
        for pid, (program, _) in self.machine.processes().items():
            if program.startswith("kinetic-runner"):
                os.kill(pid, signal.SIGKILL)
                while pathlib.Path(f"/proc/{pid}").exists():  # it holds its locks until it has exited
                    time.sleep(0.02)

    def test_edited_file_takes_three_round_trips_during_reconciliation(self):
        self.leave_dead_supervisor()
        self.write("data/7", 9_000)
        exchanges = until_record(self.run_with_latency())
        self.assertTrue([exchange for exchange in exchanges if "jobs%2Fleft%2F" in exchange.target])
        self.assertEqual(count_round_trips(exchanges), 3)

    def test_named_job_takes_three_round_trips(self):
        self.write("data/7", 9_000)
        count, asked = self.submit("--id", "mine")
        self.assertEqual(asked.count("GET jobs"), 1)
        self.assertEqual(count, 3)
        # The first request shows that it exists.
        asked = self.run_with_latency("--id", "mine")
        self.assertEqual([exchange for exchange in asked if exchange.method == "POST"], [])

    def test_content_of_a_pack_takes_one_more_round_trip(self):
        self.write("data/new", 400_000)
        count, asked = self.submit()
        self.assertEqual(asked.count("POST packs"), 1)
        self.assertEqual(count, 4)

    def test_changed_large_file_takes_four_round_trips(self):
        self.write("data/large", 1_500_000)
        count, _ = self.submit()
        self.assertEqual(count, 4)

    def test_unchanged_bundle_takes_one_request(self):
        count, asked = self.submit()
        self.assertEqual(asked, ["GET format", "GET trees", "POST index", "POST jobs"])
        self.assertEqual(count, 3)

    def assert_takes(self, requests, flights, *arguments):
        """Checks the requests of a command and of the supervisor that it starts, to its end."""
        time.sleep(1.5)  # then objects may be changed again
        self.far.exchanges()
        self.far.delay = DELAY
        done = self.machine.run(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.machine.await_quiet(), {})
        self.far.delay = 0
        exchanges = self.far.exchanges()
        listed = "\n".join(f"{each.begin:.1f} {each.end:.1f} {each.method} {each.target}" for each in exchanges)
        self.assertLessEqual(len(exchanges), requests, listed)
        self.assertLessEqual(count_round_trips(exchanges), flights, listed)

    def test_commands_take_few_requests(self):
        shutil.rmtree(self.machine.project / "data")  # the bundle is in one object then
        for job in ("second", "third"):
            self.machine.submit(job=job)
        self.assert_takes(13, 7, "run", "job.yaml")  # with one output
        self.assert_takes(3, 2, "result", "second")
        self.assert_takes(7, 4, "rm", "second")
        several = [f"many{number}" for number in range(6)]
        for job in several:
            self.machine.submit(job=job)
        self.assert_takes(1 + 5 * len(several), 4, "rm", *several)
        self.assert_takes(25, 7, "gc")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
