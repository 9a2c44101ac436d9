#!/usr/bin/env python3
"""A real Kubernetes in trouble: logs are rotated, clients are killed, a namespace is deleted.

    cluster_trouble_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import signal
import sys
import time
import unittest

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase, numbered

PROGRAMS = sys.argv[1:4]

PRINTS = """import os, time
def main(n, pause, wait):
    for i in range(n):
        print('line', i, flush=True)
        if pause: time.sleep(pause)
    time.sleep(wait)
    return n
"""


class Trouble(JobsTestCase):
    programs = PROGRAMS

    def write(self, n, pause=0.0, wait=0.0):
        self.machine.job("name: trouble\nfunction: trouble:main\ndependencies: null\n"
                         f"args: {{n: {n}, pause: {pause}, wait: {wait}}}\n", trouble_py=PRINTS)

    def check_success(self, job, process, lines, seconds=120):
        out, err = process.communicate(timeout=seconds)
        self.assertEqual(process.returncode, 0, out + err)
        self.assertEqual(out, f"{lines}\n")
        self.assertEqual(numbered(err), list(range(lines)))
        self.assertEqual(self.agrees(job, 1)["state"], "succeeded")

    def test_a_log_that_is_rotated_is_followed_whole(self):
        self.write(200_000)
        self.check_success("rotated", self.start("rotated"), 200_000, 240)
        log = self.machine.run("logs", "rotated")
        self.assertEqual(numbered(log.stdout + log.stderr), list(range(200_000)))

    def test_two_clients_follow_and_one_is_killed(self):
        self.write(60, pause=0.1)
        first = self.start("shared")
        wait_for("output", lambda: self.bucket.objects("team/jobs/shared/attempts/1/claim"))
        there = self.new_machine("there")
        second = there.start("attach", "shared")
        self.addCleanup(second.stdout.close)
        self.addCleanup(second.stderr.close)
        time.sleep(2)
        first.send_signal(signal.SIGKILL)
        first.wait()
        self.check_success("shared", second, 60)
        again = self.machine.run("attach", "shared")
        self.assertEqual((again.returncode, again.stdout), (0, "60\n"), again.stderr)

    def test_an_interrupt_leaves_the_job_running(self):
        self.write(30, pause=0.1)
        process = self.start("left")
        wait_for("output", lambda: self.bucket.objects("team/jobs/left/attempts/1/claim"))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("kinetic attach left", err)
        self.assertEqual(self.machine.await_end("left")["state"], "succeeded")

    def test_a_namespace_that_is_deleted(self):
        self.write(5, wait=600)
        process = self.start("swept")
        wait_for("output", lambda: self.bucket.objects("team/jobs/swept/attempts/1/claim"))
        time.sleep(2)
        self.api.delete(f"/api/v1/namespaces/{self.namespace}")
        out, err = process.communicate(timeout=120)
        self.assertIn(process.returncode, (122, 125), out + err)
        self.assertEqual(numbered(err), list(range(5)))
        self.assertIn(self.agrees("swept")["state"], ("preempted", "lost"))


if __name__ == "__main__":
    cluster.need_root()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
