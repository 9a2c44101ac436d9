#!/usr/bin/env python3
"""A job with several accelerators moves to the next one, also if clients are killed during the move.

    cluster_failover_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import sys
import unittest

import cluster
from cluster import wait_for
from counted_case import CountedTestCase
from cluster_machine import numbered

PROGRAMS = sys.argv[1:4]
JOB = """name: choice
function: choice:main
accelerator: [gpu-h100x8, v5litepod-1]
dependencies: null
secrets: [API_TOKEN]
timeouts: {pending: 60s}
"""
SECRET = {"API_TOKEN": "s3cr3t-v4lue"}
PROGRAM = """import os
def main():
    for i in range(20): print('line', i)
    return [os.environ['KINETIC_ACCELERATOR'], len(os.environ['API_TOKEN'])]
"""
VALUE = ["v5litepod-1", len(SECRET["API_TOKEN"])]


class Failover(CountedTestCase):
    programs = PROGRAMS
    secret = SECRET

    def submit(self, job):
        self.machine.job(JOB, choice_py=PROGRAM)
        done = self.machine.run("run", "job.yaml", "--id", job, "--detach", extra=SECRET)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def kill_between_jobs(self, job):
        """Kills a following client after it has removed the Job."""
        def removes_job(what):
            return what.startswith("DELETE") and what.split("?")[0].endswith(f"/jobs/kinetic-{job}")
        last = self.kill_at(self.machine, removes_job, True, "wait", job)
        self.assertIsNotNone(last)

    def check_whole(self, job, answer):
        self.assertEqual((answer["state"], answer["value"]), ("succeeded", VALUE), answer)
        log = self.machine.run("logs", job)
        self.assertEqual(numbered(log.stdout + log.stderr), list(range(20)))
        wait_for("an empty namespace", lambda: not self.jobs() and not self.secrets() and not self.remaining_pods())
        self.assertFalse([name for name in self.bucket.objects(f"team/jobs/{job}/") if "next-job" in name])

    def test_job_moves_when_first_accelerator_is_unavailable(self):
        self.machine.job(JOB, choice_py=PROGRAM)
        done = self.machine.run("run", "job.yaml", "--id", "second", extra=SECRET)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(json.loads(done.stdout), VALUE)
        self.assertRegex(done.stderr, "(?m)^provision: gpu-h100x8: no node has nvidia-h100-80gb")
        self.assertEqual(numbered(done.stderr), list(range(20)))
        # Accelerators of the test cluster are only resource counts.
        self.assertIn("the job requested 1 TPU chip, but its container has none (/dev/accel*, /dev/vfio/*)", done.stderr)
        self.check_whole("second", self.machine.answer("result", "second"))

    def test_job_without_followers_does_not_move(self):
        # Events of another job in the namespace are not reported.
        self.machine.job(JOB.replace("gpu-h100x8, ", ""), choice_py=PROGRAM)
        self.assertEqual(self.machine.run("run", "job.yaml", extra=SECRET).returncode, 0)
        self.submit("alone")
        why = {}

        def unplaced():
            why.update(self.machine.answer("why", "alone"))
            return why["cause"] == "no_such_pool"
        wait_for("the cause", unplaced, 30)
        self.assertFalse(why["final"])
        self.assertIn("a client that follows the job tries v5litepod-1 next", why["advice"])
        [before] = self.api.get(self.batch("jobs"))["items"]
        first, second = (self.machine.start("wait", "alone", "--json") for _ in range(2))
        answers = [json.loads(each.communicate(timeout=180)[0]) for each in (first, second)]
        for answer in answers:
            self.assertEqual(answer["state"], "succeeded", answer)
        after = self.view.job("kinetic-alone")
        self.assertNotEqual(before["metadata"]["uid"], after["metadata"]["uid"])
        self.assertEqual(after["metadata"]["annotations"]["kinetic.dev/accelerator"], "v5litepod-1")
        self.check_whole("alone", self.machine.answer("result", "alone"))

    def test_pending_timeout_covers_all_accelerators(self):
        self.machine.job(JOB.replace("v5litepod-1", "gpu-a100").replace("60s", "10s"), choice_py=PROGRAM)
        done = self.machine.run("run", "job.yaml", "--id", "neither", extra=SECRET)
        self.assertEqual(done.returncode, 121, done.stdout + done.stderr)
        self.assertRegex(done.stderr, "(?m)^provision: gpu-h100x8: no node has nvidia-h100-80gb")
        self.assertRegex(done.stderr, "(?m)^provision: gpu-a100: no node has nvidia-tesla-a100")
        self.assertIn("did not start within timeouts.pending (10.0 s): no node has nvidia-tesla-a100", done.stderr)
        self.assertEqual((self.jobs(), self.secrets()), ([], []))

    def test_next_client_completes_move_of_killed_client(self):
        self.machine = self.counted_machine("team")
        self.submit("orphan")
        self.kill_between_jobs("orphan")
        self.assertEqual(self.jobs(), [])
        self.assertEqual(self.secrets(), ["kinetic-orphan"])
        self.assertIn(self.machine.answer("status", "orphan")["state"], ("pending", "running", "queued"))
        self.assertEqual(self.jobs(), ["kinetic-orphan"])
        done = self.machine.run("wait", "orphan", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.check_whole("orphan", self.machine.answer("result", "orphan"))

    def test_cancelled_job_does_not_move(self):
        self.machine = self.counted_machine("team")
        self.submit("ended")
        self.kill_between_jobs("ended")
        done = self.machine.run("cancel", "ended")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.machine.answer("status", "ended")["state"], "cancelled")
        self.assertEqual(self.jobs(), [])


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
