#!/usr/bin/env python3
"""Jobs whose cluster is no longer the current context of the kubeconfig behave as before.

    cluster_contexts_test.py KINETIC RUNNER GCS_SERVER [TEST...]

Context "a" refers to the API server and a namespace, "b" to a proxy of it with another address and namespace. Jobs are
submitted with "a" and inspected with "b".
"""

import json
import pathlib
import secrets
import ssl
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase, numbered
from delaying_proxy import DelayingProxy

PROGRAMS = sys.argv[1:4]

JOB = "name: far\nfunction: far:main\nargs: {word: %s}\ndependencies: null\n"
PROGRAM = """import time, urllib.request
def told(word):
    try:
        return urllib.request.urlopen(word, timeout=10).status == 200
    except OSError:
        return False
def main(word):
    for i in range(20): print('line', i, flush=True)
    while not told(word): time.sleep(0.2)
    return 'done'
"""
NEVER = "pod: {spec: {nodeSelector: {kinetic.test/nobody: has}}}\n"


class Contexts(JobsTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.elsewhere = f"test-{secrets.token_hex(4)}"
        self.api.create("/api/v1/namespaces", {"metadata": {"name": self.elsewhere}})
        self.addCleanup(self.api.delete, f"/api/v1/namespaces/{self.elsewhere}")
        self.doors = {name: self.start_proxy() for name in ("b", "slow")}
        self.kubeconfig = self.folder / "contexts.kubeconfig"
        self.switch("a")
        self.machine = self.new_machine("switching", kubeconfig=self.kubeconfig, namespace=None)

    def start_proxy(self):
        trusted = ssl.create_default_context(cafile=self.cluster.ca_file)
        door = DelayingProxy(self.cluster.server, 0, trusted, {"Authorization": f"Bearer {self.cluster.token}"})
        self.addCleanup(door.stop)
        return door

    def switch(self, context, without=""):
        """Writes the kubeconfig with the given current context."""
        clusters = {"a": {"server": self.cluster.server, "certificate-authority": self.cluster.ca_file},
                    **{name: {"server": door.url} for name, door in self.doors.items()}}
        spaces = {"a": self.namespace, "b": self.elsewhere, "slow": self.namespace}
        names = [name for name in clusters if name != without]
        self.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": context,
            "clusters": [{"name": name, "cluster": clusters[name]} for name in names],
            "users": [{"name": "u", "user": {"token": self.cluster.token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "namespace": spaces[name],
                                                    **({"user": "u"} if name == "a" else {})}} for name in names]}))
        self.written = self.kubeconfig.read_bytes()

    def submit(self, job, more=""):
        port = self.bucket.url.rsplit(":", 1)[1]
        word = f"http://{self.cluster.address}:{port}/storage/v1/b/bucket/o/go"
        self.machine.job(JOB % word + more, far_py=PROGRAM)
        done = self.machine.run("run", "job.yaml", "--id", job, "--detach")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def run_far(self, job):
        """Submits a job with "a" and switches to "b" once it runs and has printed output."""
        self.submit(job)
        self.machine.await_state(job, {"running"})
        wait_for("output", lambda: "line 19\n" in self.output(job))
        self.switch("b")

    def output(self, job):
        log = self.machine.run("logs", job)
        self.assertEqual(log.returncode, 0, log.stderr)
        return log.stdout + log.stderr

    def go(self):
        self.bucket.put("go", b"")

    def check_untouched(self, job):
        """Checks that the kubeconfig is unchanged and that "b" received no request about the job."""
        self.assertEqual(self.kubeconfig.read_bytes(), self.written)
        self.assertFalse([each.target for each in self.doors["b"].exchanges() if job in each.target])

    def test_job_can_be_followed_after_context_changed(self):
        self.run_far("far")
        self.assertEqual(self.machine.answer("status", "far")["state"], "running")
        # The status of the Job, which listings use, follows a moment later.
        wait_for("its state", lambda: [(job["id"], job["state"]) for job in self.machine.answer("ps")] ==
                 [("far", "running")], 30)
        self.assertEqual(self.machine.answer("why", "far")["cause"], "running")
        self.assertEqual(numbered(self.output("far")), list(range(20)))
        client = self.machine.start("attach", "far")
        waiting = self.machine.start("wait", "far")
        self.go()
        for process in (client, waiting):
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, out + err)
        wait_for("an empty namespace", lambda: not self.jobs())
        self.assertEqual(self.machine.answer("result", "far")["value"], "done")
        self.assertEqual(self.machine.run("rm", "far").returncode, 0)
        self.assertEqual(self.machine.answer("ps"), [])
        self.check_untouched("far")

    def test_job_can_be_cancelled_after_context_changed(self):
        self.run_far("unwanted")
        done = self.machine.run("cancel", "unwanted")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.machine.answer("status", "unwanted")["state"], "cancelled")
        self.assertEqual(self.machine.run("wait", "unwanted").returncode, 126)
        self.assertEqual(self.jobs(), [])
        self.check_untouched("unwanted")

    def test_jobs_of_both_clusters_are_listed_and_explained(self):
        self.submit("there", NEVER)
        self.switch("b")
        self.submit("here", NEVER)
        reasons = {}

        def listed():
            reasons.update({job["id"]: job["reason"] for job in self.machine.answer("ps")})
            return set(reasons.values()) == {"its pod has not started yet"}
        wait_for("their pods", listed)
        self.assertEqual(set(reasons), {"here", "there"})
        for job in ("here", "there"):
            wait_for("the cause", lambda: self.machine.answer("why", job)["cause"] == "no_matching_node")
        self.assertEqual(self.machine.run("cancel", "there").returncode, 0)

    def test_unresponsive_cluster_does_not_block(self):
        self.switch("slow")
        self.submit("there", NEVER)
        self.doors["slow"].delay = 60
        self.addCleanup(setattr, self.doors["slow"], "delay", 0)
        self.switch("b")
        begin = time.monotonic()
        done = self.machine.run("ps", "--json")
        took = time.monotonic() - begin
        self.assertEqual(done.returncode, 0, done.stderr)
        [job] = json.loads(done.stdout)
        self.assertEqual((job["id"], job["state"]), ("there", "pending"))
        for text in (job["reason"], done.stderr):
            self.assertIn(self.doors["slow"].url, text)
            self.assertIn("no response within", text)
        self.assertLess(took, 20)

    def test_cluster_missing_in_kubeconfig_is_reported(self):
        self.run_far("lost-sight-of")
        self.switch("b", without="a")
        missing = f"kubernetes:{self.cluster.server}"

        def told(done):
            self.assertIn(missing, done.stdout + done.stderr)
            self.assertIn("no kubeconfig context refers to it", done.stdout + done.stderr)
        for word, fails in (("status", False), ("why", False), ("logs", False), ("cancel", True), ("rm", True)):
            done = self.machine.run(word, "lost-sight-of")
            told(done)
            self.assertEqual(done.returncode != 0, fails, f"{word}: {done.returncode}: {done.stderr}")
        done = self.machine.run("ps")
        told(done)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.machine.answer("why", "lost-sight-of")["cause"], "elsewhere")
        waiting = self.machine.start("wait", "lost-sight-of")
        # The job ends only after the report, which a job that has already ended does not need.
        self.assertTrue(any("no kubeconfig context refers to it" in line for line in waiting.stderr))
        self.go()
        out, err = waiting.communicate(timeout=120)
        self.assertEqual(waiting.returncode, 0, out + err)
        self.assertEqual(self.machine.answer("result", "lost-sight-of")["value"], "done")
        self.assertEqual(self.kubeconfig.read_bytes(), self.written)
        self.switch("a")
        self.machine.answer("ps")  # cleans up


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
