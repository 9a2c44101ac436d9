#!/usr/bin/env python3
"""Log rotation, killed clients and a deleted namespace on Kubernetes.

    cluster_faults_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import signal
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase, numbered

PROGRAMS = sys.argv[1:4]

PRINTS = """import os, time
def main(n, at_once, pause, wait):
    for i in range(n):
        print('line', i, flush=True)
        if pause and i % at_once == at_once - 1: time.sleep(pause)
    time.sleep(wait)
    return n
"""


class Faults(JobsTestCase):
    programs = PROGRAMS

    def write(self, n, at_once=1, pause=0.0, wait=0.0):
        self.machine.job("name: trouble\nfunction: trouble:main\ndependencies: null\n"
                         f"args: {{n: {n}, at_once: {at_once}, pause: {pause}, wait: {wait}}}\n", trouble_py=PRINTS)

    def check_success(self, job, process, lines, seconds=120):
        out, err = process.communicate(timeout=seconds)
        self.assertEqual(process.returncode, 0, out + err)
        self.assertEqual(out, f"{lines}\n")
        self.assertEqual(numbered(err), list(range(lines)))
        self.assertEqual(self.agrees(job, 1)["state"], "succeeded")

    def test_rotated_log_is_followed_completely(self):
        # The kubelet checks log sizes every three seconds.
        self.write(200_000, at_once=50_000, pause=3.5)
        with ThreadPoolExecutor() as pool:
            rotation = pool.submit(wait_for, "rotation", lambda: self.rotated("rotated"))
            self.check_success("rotated", self.start("rotated"), 200_000, 240)
            rotation.result()
        log = self.machine.run("logs", "rotated")
        self.assertEqual(numbered(log.stdout + log.stderr), list(range(200_000)))

    def test_killed_follower_does_not_affect_another(self):
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

    def test_interrupt_leaves_job_running(self):
        self.write(30, pause=0.1)
        process = self.start("left")
        wait_for("output", lambda: self.bucket.objects("team/jobs/left/attempts/1/claim"))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGINT, err)
        self.assertIn("kinetic attach left", err)
        self.assertEqual(self.machine.await_end("left")["state"], "succeeded")

    def test_deleted_namespace(self):
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
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
