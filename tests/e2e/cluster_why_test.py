#!/usr/bin/env python3
"""Output of `kinetic why` for jobs on Kubernetes, as text and as JSON.

    cluster_why_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import sys
import unittest

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]
SHELL = "name: waits\nrun: 'true'\ndependencies: null\n"


class Why(JobsTestCase):
    programs = PROGRAMS

    def start(self, job, more):
        self.machine.job(SHELL + more)
        done = self.machine.run("run", "job.yaml", "--detach", "--id", job)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def await_cause(self, job, cause):
        last = {}

        def look():
            last.update(self.machine.answer("why", job))
            return last["cause"] == cause
        try:
            wait_for(cause, look, 30)
        except AssertionError as error:
            raise AssertionError(f"{error}; last: {last}") from None
        return last

    def cancel(self, job):
        done = self.machine.run("cancel", job)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def taken(self):
        """Occupies all chips of n1 with a pod of this namespace."""
        self.api.create(self.core("pods"), {
            "metadata": {"name": "somebody"},
            "spec": {"terminationGracePeriodSeconds": 0, "nodeSelector": {"kubernetes.io/hostname": "n1"},
                     "containers": [{"name": "c", "image": self.cluster.images["python"],
                                     "command": ["/usr/bin/python3", "-c", "import time; time.sleep(600)"],
                                     "resources": {"limits": {"google.com/tpu": "4"}}}]}})
        wait_for("the chips taken", lambda: self.api.get(self.core("pods/somebody"))["status"].get("phase") == "Running")

    def test_chips_in_use_by_other_pods(self):
        self.taken()
        self.start("chips", "accelerator: v5litepod-1\npod: {spec: {nodeSelector: {kubernetes.io/hostname: n1}}}\n")
        why = self.await_cause("chips", "insufficient")
        self.assertEqual((why["state"], why["phase"], why["final"]), ("pending", "provision", False))
        self.assertIn("google.com/tpu", why["headline"])
        self.assertIn("Insufficient google.com/tpu", why["evidence"][0]["text"])
        self.assertIn("FailedScheduling", why["evidence"][0]["source"])
        [near] = [node for node in why["near_nodes"] if node["name"] == "n1"]
        self.assertEqual(near["lacks"], ["1 google.com/tpu (0 of 4 free)"])
        shown = self.machine.run("why").stdout
        self.assertTrue(shown.startswith("chips is pending: no node has 1 google.com/tpu free\n"), shown)
        self.assertIn("node n1: 1 google.com/tpu (0 of 4 free)\n", shown)
        self.assertIn("what to do: wait for other jobs to end", shown)
        self.assertEqual(self.machine.answer("status", "chips")["reason"], why["headline"])
        self.api.delete(self.core("pods/somebody"))
        self.assertEqual(self.machine.run("wait", "chips").returncode, 0)
        self.assertEqual(self.machine.answer("why", "chips")["cause"], "succeeded")

    def test_unmountable_volume(self):
        self.start("volume", "pod:\n  spec:\n    volumes: [{name: v, secret: {secretName: none}}]\n"
                             "    containers: [{name: main, volumeMounts: [{name: v, mountPath: /v}]}]\n")
        why = self.await_cause("volume", "secret_not_found")
        # A slow kubelet reports the second.
        self.assertRegex(why["headline"], 'secret "none" not found|failed to sync secret cache')
        self.assertIn("FailedMount", why["evidence"][0]["source"])
        self.cancel("volume")
        self.assertEqual(self.machine.answer("why", "volume")["cause"], "cancelled")

    def test_container_that_cannot_start_ends_job_immediately(self):
        self.api.create(self.core("resourcequotas"), {"metadata": {"name": "small"},
                                                      "spec": {"hard": {"requests.memory": "100Mi"}}})
        self.machine.job(SHELL + "resources: {memory: 2Gi}\n")
        done = self.machine.run("run", "job.yaml", "--id", "never")
        self.assertEqual(done.returncode, 121, done.stdout + done.stderr)
        self.assertIn("cannot start: quota small is too small for the pod", done.stderr)
        self.assertEqual(self.jobs(), [])

    def test_memory_limit(self):
        self.machine.job("name: oom\nfunction: oom:main\ndependencies: null\nresources: {memory: 200Mi}\n",
                         oom_py="def main():\n    return len(bytearray(2 << 30))\n")
        self.machine.run("run", "job.yaml", "--id", "oom")
        why = self.machine.answer("why", "oom")
        self.assertEqual((why["cause"], why["state"], why["final"]), ("out_of_memory", "failed", True), why)
        self.assertIn("resources", why["advice"])


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
