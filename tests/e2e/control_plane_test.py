#!/usr/bin/env python3
"""Jobs on a control plane of any version without nodes (scripts/other-control-planes): created, found, watched and
removed.

    control_plane_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import sys
import time
import unittest

import cluster
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]
JOB = "name: plane\nrun: 'true'\ndependencies: null\nsecrets: [API_TOKEN]\nretry: {attempts: 2}\n"
SECRET = {"API_TOKEN": "s3cr3t-v4lue"}


class ControlPlaneOnly(JobsTestCase):
    programs = PROGRAMS
    needs_runner = False  # never started

    def submit(self, job, more=""):
        self.machine.job(JOB + more)
        done = self.machine.run("run", "job.yaml", "--id", job, "--detach", extra=SECRET)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def secrets(self):
        return [each["metadata"]["name"] for each in self.api.get(self.core("secrets"))["items"]
                if each["type"] == "Opaque"]

    def test_dry_run_output_is_accepted_by_api_server(self):
        self.machine.job(JOB)
        shown = self.machine.run("run", "job.yaml", "--dry-run", "--json", extra=SECRET)
        manifests = json.loads(shown.stdout)["manifests"]
        self.assertEqual([each["kind"] for each in manifests], ["Secret", "Job"])
        for each in manifests:
            self.cluster.kubectl("create", "--dry-run=server", "-n", self.namespace, "-f", "-", input=json.dumps(each))
        self.assertEqual(self.jobs(), [])

    def test_pending_job_can_be_cancelled(self):
        self.submit("waits")
        self.assertEqual((self.jobs(), self.secrets()), (["kinetic-waits"], ["kinetic-waits"]))
        self.assertEqual(self.agrees("waits")["state"], "pending")
        self.assertEqual([job["id"] for job in self.machine.answer("ps")], ["waits"])
        self.pod_of("kinetic-waits")
        client = self.machine.start("wait", "waits")
        time.sleep(1)
        self.assertIsNone(client.poll())
        self.assertEqual(self.machine.run("cancel", "waits").returncode, 0)
        client.communicate(timeout=120)
        self.assertEqual(client.returncode, 126)
        self.assertEqual(self.agrees("waits")["state"], "cancelled")
        cluster.wait_for("an empty namespace", lambda: not self.jobs() and not self.pods() and not self.secrets())

    def test_pending_timeout_is_enforced_by_any_client(self):
        self.machine.job(JOB + "timeouts: {pending: 4s}\n")
        done = self.machine.run("run", "job.yaml", "--id", "late", extra=SECRET)
        self.assertEqual(done.returncode, 121, done.stdout + done.stderr)
        cluster.wait_for("an empty namespace", lambda: not self.jobs() and not self.pods() and not self.secrets())


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
