#!/usr/bin/env python3
"""Jobs that lose their node: preemption, drain, silent kubelet, power failure.

    cluster_disrupted_test.py KINETIC RUNNER GCS_SERVER [TEST...]

They run on a second node of this test. Each prints 200 lines and stores a checkpoint. An attempt that finds one prints
100 more and returns. The first attempt returns on request.
"""

import sys
import threading
import unittest

import cluster
from cluster import ApiError, command, wait_for
from cluster_machine import JobsTestCase, numbered

PROGRAMS = sys.argv[1:4]

PROGRAM = """import os, pathlib, signal, time, urllib.request
def told(word):
    try:
        return urllib.request.urlopen(word, timeout=10).status == 200
    except OSError:
        return False
def main(word, deaf):
    if deaf: signal.signal(signal.SIGTERM, signal.SIG_IGN)
    folder = pathlib.Path(os.environ['KINETIC_CHECKPOINT_DIR'])
    begun = (folder / 'step-1').exists()
    for i in range(200, 300) if begun else range(200): print('line', i, flush=True)
    if not begun:
        (folder / 'step-1').write_text('x')
        while not told(word): time.sleep(0.2)
    return int(os.environ['KINETIC_ATTEMPT'])
"""
JOB = """name: disrupted
function: disrupted:main
args: {word: "%s", deaf: %s}
dependencies: null
timeouts: {grace: 20s}
%s
pod:
  spec:
    nodeSelector: {kinetic.test/second: "yes"}
    tolerations:
      - {key: kinetic.test/second, operator: Exists, effect: NoSchedule}
      - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: %d}
    containers: [{name: main, resources: {limits: {kinetic.test/slot: "1"}}}]
"""
TWICE = "retry: {attempts: 2}"
NODE = ("node", "n2", "--label", "kinetic.test/second=yes", "--taint", "kinetic.test/second=yes:NoSchedule",
        "--capacity", "kinetic.test/slot=1")


class Disrupted(JobsTestCase):
    programs = PROGRAMS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.addClassCleanup(command, "node-remove", "n2")

    def setUp(self):
        super().setUp()
        command(*NODE)

    def begin(self, job, retry="", tolerated=600, deaf=False):
        """Starts a job with 200 lines and a checkpoint that waits for go(), and a following client. A deaf job
        ignores SIGTERM, which leaves time to inspect it."""
        port = self.bucket.url.rsplit(":", 1)[1]
        word = f"http://{self.cluster.address}:{port}/storage/v1/b/bucket/o/go"
        self.machine.job(JOB % (word, str(deaf).lower(), retry, tolerated), disrupted_py=PROGRAM)
        client = self.start(job)
        wait_for("a checkpoint", lambda: self.bucket.objects(f"team/checkpoints/{job}/"), 300)
        self.assertEqual(self.agrees(job)["state"], "running")
        return client

    def go(self):
        self.bucket.put("go", b"")

    def check_success(self, job, client, attempts):
        out, err = client.communicate(timeout=600)
        self.assertEqual((client.returncode, out), (0, f"{attempts}\n"), err)
        self.check_lines(job, err, 300 if attempts > 1 else 200)
        self.assertEqual(self.agrees(job, attempts)["state"], "succeeded")
        self.assertEqual(self.machine.answer("why", job)["cause"], "succeeded")
        wait_for("an empty namespace", lambda: not self.jobs())

    def check_preempted(self, job, client):
        """The runner has received SIGTERM but not its reason, which was lost with the pod."""
        out, err = client.communicate(timeout=600)
        self.assertEqual((client.returncode, out), (122, ""), err)
        self.check_lines(job, err, 200)
        self.assertEqual(self.agrees(job, 1)["state"], "preempted")
        why = self.machine.answer("why", job)
        self.assertEqual((why["cause"], why["final"]), ("preempted", True), why)
        self.assertTrue(why["evidence"], why)
        wait_for("an empty namespace", lambda: not self.jobs())

    def check_lines(self, job, followed, count):
        self.assertEqual(numbered(followed), list(range(count)), "as followed")
        log = self.machine.run("logs", job)
        self.assertEqual(numbered(log.stdout + log.stderr), list(range(count)), "as stored")

    def await_cause(self, job, *causes):
        last = {}

        def look():
            last.update(self.machine.answer("why", job))
            return last["cause"] in causes
        try:
            wait_for(" or ".join(causes), look, 120)
        except AssertionError as error:
            raise AssertionError(f"{error}; last: {last}") from None
        return last

    def preempt(self):
        """Creates a pod of higher priority that needs the resources of the job."""
        name = f"urgent-{self.namespace}"
        self.api.create("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": 1000})
        self.addCleanup(self.api.delete, f"/apis/scheduling.k8s.io/v1/priorityclasses/{name}")
        pod = {
            "metadata": {"name": "urgent"},
            "spec": {"priorityClassName": name, "nodeSelector": {"kinetic.test/second": "yes"},
                     "tolerations": [{"key": "kinetic.test/second", "operator": "Exists"}],
                     "terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "main", "image": self.cluster.images["python"],
                                     "command": ["/usr/bin/python3", "-c", "import time; time.sleep(3600)"],
                                     "resources": {"limits": {"kinetic.test/slot": "1"}}}]}}

        def create():
            try:
                return self.api.create(self.core("pods"), pod)
            except ApiError as error:
                if "no PriorityClass" in str(error):  # not known to admission yet
                    return None
                raise
        wait_for("the pod's admission", create)

    def test_preemption_by_priority(self):
        client = self.begin("outranked", deaf=True)
        self.preempt()
        why = self.await_cause("outranked", "preempted")
        self.assertIn("PreemptionByScheduler", str(why["evidence"]))
        self.check_preempted("outranked", client)
        self.wait_for_phase("urgent", "Running")

    def test_preemption_by_priority_is_retried(self):
        client = self.begin("patient", TWICE)
        self.preempt()
        self.wait_for_phase("urgent", "Running")
        why = self.await_cause("patient", "insufficient")
        self.assertIn("kinetic.test/slot", why["headline"])
        self.assertEqual(self.agrees("patient")["state"], "pending")
        self.api.delete(self.core("pods/urgent"))
        self.check_success("patient", client, 2)

    def drain(self):
        self.addCleanup(self.cluster.kubectl, "uncordon", "n2")
        self.cluster.kubectl("drain", "n2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=300s")

    def test_drained_node(self):
        client = self.begin("drained", deaf=True)
        draining = threading.Thread(target=self.drain)
        draining.start()
        self.addCleanup(draining.join)
        why = self.await_cause("drained", "drained")
        self.assertIn("EvictionByEvictionAPI", str(why["evidence"]))
        self.check_preempted("drained", client)

    def test_drained_node_is_retried(self):
        client = self.begin("moved", TWICE)
        self.drain()
        self.await_cause("moved", "taint", "no_matching_node", "unschedulable")
        self.assertEqual(self.agrees("moved")["state"], "pending")
        self.cluster.kubectl("uncordon", "n2")
        self.check_success("moved", client, 2)

    def test_program_end_during_kubelet_outage(self):
        client = self.begin("silent")
        command("node-stop", "n2", "--kubelet")
        self.go()
        wait_for("the outcome", lambda: self.bucket.objects("team/jobs/silent/result.json"), 300)
        out, err = client.communicate(timeout=120)
        self.assertEqual((client.returncode, out), (0, "1\n"), err)
        self.check_lines("silent", err, 200)
        command("node-start", "n2")

    def test_short_kubelet_outage_changes_nothing(self):
        client = self.begin("back")
        command("node-stop", "n2", "--kubelet")
        self.await_cause("back", "node_not_ready", "node_lost")
        command("node-start", "n2")
        self.go()
        self.check_success("back", client, 1)

    def test_long_kubelet_outage(self):
        client = self.begin("late", TWICE, tolerated=2)
        command("node-stop", "n2", "--kubelet")
        wait_for("the pod given up", lambda: "deletionTimestamp" in self.view.pods("kinetic-late")[0]["metadata"])
        self.await_cause("late", "node_lost")
        command("node-start", "n2")
        self.check_success("late", client, 2)

    def test_lost_node(self):
        client = self.begin("powerless", TWICE)
        command("node-stop", "n2")
        command("node-remove", "n2")
        wait_for("the pod given up", lambda: "deletionTimestamp" in self.view.pods("kinetic-powerless")[0]["metadata"],
                 300)
        command(*NODE)
        self.check_success("powerless", client, 2)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
