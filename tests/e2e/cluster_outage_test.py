#!/usr/bin/env python3
"""An outage of the API server for 20 seconds in each phase of a job changes nothing.

    cluster_outage_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import sys
import threading
import time
import unittest

import cluster
from cluster import command, wait_for
from cluster_machine import JobsTestCase, numbered

PROGRAMS = sys.argv[1:4]
AWAY = 20  # seconds

JOB = "name: away\nfunction: away:main\ndependencies: null\nargs: {n: %d, pause: %g, wait: %d}\n%s"
PROGRAM = """import time
def main(n, pause, wait):
    for i in range(n):
        print('line', i, flush=True)
        time.sleep(pause)
    time.sleep(wait)
    return n
"""
# The pod stays pending until the node has this label, or the Secret exists.
UNSCHEDULED = "pod: {spec: {nodeSelector: {kinetic.test/%s: 'yes'}}}\n"
UNMOUNTED = """pod:
  spec:
    volumes: [{name: late, secret: {secretName: late}}]
    containers: [{name: main, volumeMounts: [{name: late, mountPath: /late}]}]
"""


class Outage(JobsTestCase):
    programs = PROGRAMS

    def write(self, n, pause=0.0, wait=0, more=""):
        self.machine.job(JOB % (n, pause, wait, more), away_py=PROGRAM)

    def away(self):
        self.addCleanup(command, "apiserver", "start")
        command("apiserver", "stop")
        time.sleep(AWAY)
        command("apiserver", "start")

    def await_cause(self, job, cause):
        wait_for("its Job", lambda: self.view.job(f"kinetic-{job}"))
        wait_for("its pod", lambda: self.view.pods(f"kinetic-{job}"))
        self.agrees(job)
        wait_for(cause, lambda: self.machine.answer("why", job)["cause"] == cause, 120)

    def await_output(self, job):
        wait_for("a claim", lambda: self.bucket.objects(f"team/jobs/{job}/attempts/1/claim"), 300)
        wait_for("output", lambda: "line 0\n" in self.machine.run("logs", job).stdout, 300)
        self.agrees(job)

    def check_success(self, job, client, lines):
        out, err = client.communicate(timeout=600)
        self.assertEqual((client.returncode, out), (0, f"{lines}\n"), err)
        self.assertEqual(numbered(err), list(range(lines)))
        self.assertEqual(self.agrees(job, 1)["state"], "succeeded")
        log = self.machine.run("logs", job)
        self.assertEqual(numbered(log.stdout + log.stderr), list(range(lines)))
        wait_for("an empty namespace", lambda: not self.jobs())

    def test_outage_at_submission(self):
        self.write(20)
        away = threading.Thread(target=self.away)
        away.start()
        self.addCleanup(away.join)
        wait_for("its absence", lambda: not self.api.ready())
        self.check_success("early", self.start("early"), 20)

    def test_outage_while_pending(self):
        self.write(20, more=UNSCHEDULED % self.namespace)
        client = self.start("pending")
        self.await_cause("pending", "no_matching_node")
        self.away()
        self.assertIsNone(client.poll())
        self.label("yes")
        self.addCleanup(self.label, None)
        self.check_success("pending", client, 20)

    def label(self, value):
        self.api.patch("/api/v1/nodes/n1", {"metadata": {"labels": {f"kinetic.test/{self.namespace}": value}}})

    def test_outage_during_container_start(self):
        self.write(20, more=UNMOUNTED)
        client = self.start("starting")
        self.await_cause("starting", "secret_not_found")
        self.away()
        self.assertIsNone(client.poll())
        self.api.create(self.core("secrets"), {"metadata": {"name": "late"}})
        self.check_success("starting", client, 20)

    def test_outage_while_running(self):
        self.write(400, pause=0.1)
        client = self.start("running")
        self.await_output("running")
        self.away()
        self.check_success("running", client, 400)

    def test_outage_at_end(self):
        self.write(20, wait=AWAY // 2)
        client = self.start("ending")
        self.await_output("ending")
        self.away()
        self.assertTrue(self.bucket.objects("team/jobs/ending/result.json"), "it ended meanwhile")
        self.check_success("ending", client, 20)

    def test_outage_at_cancellation(self):
        self.write(20, wait=3600)
        client = self.start("unwanted")
        self.await_output("unwanted")
        away = threading.Thread(target=self.away)
        away.start()
        self.addCleanup(away.join)
        wait_for("its absence", lambda: not self.api.ready())
        done = self.machine.run("cancel", "unwanted")
        self.assertEqual(done.returncode, 0, done.stderr)
        _, err = client.communicate(timeout=300)
        self.assertEqual(client.returncode, 126, err)
        self.assertEqual(numbered(err), list(range(20)))
        self.assertEqual(self.agrees("unwanted", 1)["state"], "cancelled")


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
