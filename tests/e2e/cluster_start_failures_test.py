#!/usr/bin/env python3
"""Jobs that Kubernetes cannot start: each is explained, and ended if waiting does not help.

    cluster_start_failures_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import cluster
import image_registry
from cluster import wait_for
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]
SHELL = "name: refused\nrun: 'true'\ndependencies: null\n"


class StartFailures(JobsTestCase):
    programs = PROGRAMS

    def start(self, job=None, more="", code=0):
        self.machine.job(SHELL + more)
        chosen = ["--id", job] if job else []
        done = self.machine.run("run", "job.yaml", "--detach", *chosen)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr

    def await_cause(self, job, cause):
        last = {}

        def look():
            last.update(self.machine.answer("why", job))
            return last if last.get("cause") == cause else None
        try:
            return wait_for(cause, look, 30)
        except AssertionError as error:
            raise AssertionError(f"{error}; last: {last}") from None

    def cancel(self, job):
        self.assertEqual(self.machine.run("cancel", job).returncode, 0)
        self.assertEqual(self.machine.answer("status", job)["state"], "cancelled")
        self.assertEqual(self.jobs(), [])

    def test_no_node_with_accelerator(self):
        self.start("h100", "accelerator: gpu-h100x8\n")
        why = self.await_cause("h100", "no_such_pool")
        self.assertTrue(why["evidence"])
        self.cancel("h100")

    def test_more_memory_than_any_node(self):
        self.start("huge", "resources: {memory: 4000Gi}\n")
        self.assertIn("memory", self.await_cause("huge", "insufficient")["headline"])
        self.cancel("huge")

    def test_missing_image(self):
        self.start("noimage", "image: registry.invalid/no/such:1\n")
        wait_for("a cause of the image", lambda: self.machine.answer("why", "noimage")["cause"] in
                 ("image_not_found", "registry_unavailable", "image_pull"))
        self.cancel("noimage")

    def test_quota(self):
        self.api.create(self.core("resourcequotas"), {"metadata": {"name": "small"}, "spec": {"hard": {"pods": "0"}}})
        self.start("quota")
        self.assertIn("small", str(self.await_cause("quota", "quota")))
        self.cancel("quota")

    def test_pending_timeout_reports_cause(self):
        self.machine.job(SHELL + "accelerator: gpu-h100x8\ntimeouts: {pending: 4s}\n")
        done = self.machine.run("run", "job.yaml", "--id", "late")
        self.assertEqual(done.returncode, 121, done.stdout + done.stderr)
        self.assertIn("h100", done.stderr)
        self.assertEqual(self.jobs(), [])

    def test_pull_timeout_is_not_a_cancellation(self):
        self.machine.job(SHELL + "image: registry.invalid/no/such:1\ntimeouts: {pending: 15s}\n")
        done = self.machine.run("run", "job.yaml", "--id", "unpulled")
        self.assertEqual(done.returncode, 121, done.stdout + done.stderr)
        self.assertRegex(done.stderr, "(?m)^fetch: .*registry.invalid/no/such")
        self.assertRegex(done.stderr, "did not start within timeouts.pending .15.0 s.: .*image")

    def test_pull_failure_without_followers(self):
        self.start("unfollowed", "image: registry.invalid/no/such:1\ntimeouts: {pending: 8s}\n")
        wait_for("the collector's word", lambda: self.bucket.objects("team/jobs/unfollowed/result.json"), 60)
        done = self.machine.run("wait", "unfollowed")
        self.assertEqual(done.returncode, 121, done.stdout + done.stderr)
        self.assertIn("did not start within timeouts.pending (8.0 s)", done.stderr)

    def test_image_is_checked_before_submission(self):
        registry = image_registry.Registry(self.folder / "registry")
        self.addCleanup(registry.stop)
        for tag, architecture in (("arm", "arm64"), ("intel", "amd64")):
            config = registry.put_blob("team/tools", json.dumps({"architecture": architecture, "os": "linux"}).encode())
            registry.put_manifest("team/tools", tag, {
                "schemaVersion": 2, "mediaType": image_registry.MANIFEST, "layers": [],
                "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **config}})
        image = f"{registry.host}/team/tools"
        message = self.start("arm", f"image: {image}:arm\n", code=120)
        self.assertIn(f"job.yaml:4:8: image: {image}:arm is for arm64, but the nodes are amd64", message)
        self.assertEqual((self.bucket.objects("team/jobs/"), self.jobs()), (set(), []))
        self.assertIn(f"{image}:none", self.start("none", f"image: {image}:none\n"))
        self.cancel("none")
        self.assertNotIn("warning", self.start("intel", f"image: {image}:intel\n"))
        self.cancel("intel")

    def test_function_in_image_without_python(self):
        self.machine.job("name: f\nfunction: f:main\ndependencies: null\n"
                         f"image: {self.cluster.images['empty']}\n", f_py="def main(): return 1\n")
        done = self.machine.run("run", "job.yaml")
        self.assertEqual(done.returncode, 123, done.stdout + done.stderr)
        self.assertIn("ython", done.stderr)

    def test_missing_rights_in_namespace(self):
        self.api.create(self.core("serviceaccounts"), {"metadata": {"name": "guest"}})
        token = self.cluster.kubectl("create", "token", "guest", "-n", self.namespace).strip()
        config = self.folder / "guest.kubeconfig"
        config.write_text(f"""apiVersion: v1
kind: Config
current-context: c
clusters: [{{name: k, cluster: {{server: "{self.cluster.server}", certificate-authority: {self.cluster.ca_file}}}}}]
users: [{{name: u, user: {{token: {token}}}}}]
contexts: [{{name: c, context: {{cluster: k, user: u}}}}]
""")
        self.machine = self.new_machine("guest", kubeconfig=config)
        message = self.start(code=120)
        self.assertIn("cannot create jobs.batch", message)
        self.assertIn("kubectl create role", message)
        self.assertEqual(self.bucket.objects("team/jobs/"), set())

    def test_missing_service_account_and_namespace(self):
        self.machine = self.new_machine("account", service_account="trainer")
        self.assertIn("no service account trainer", self.start(code=2))
        self.machine = self.new_machine("space", namespace="nowhere-at-all")
        self.assertIn("no namespace nowhere-at-all", self.start(code=2))


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
