#!/usr/bin/env python3
"""A cluster that deletes itself: `kinetic up --ttl` and `--down-when-idle`. The CronJob runs on the test cluster.

    cluster_shutdown_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import unittest

from cluster import wait_for
from google_cluster import (NAMESPACE_NAME, PROJECT, CloudTestCase, cluster, setUpModule,  # noqa: F401
                            tearDownModule)

SHUTDOWN = "kinetic-shutdown"
CRON_JOB = f"/apis/batch/v1/namespaces/{SHUTDOWN}/cronjobs/{SHUTDOWN}"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
JOBS = f"/apis/batch/v1/namespaces/{SHUTDOWN}/jobs"
PRINCIPAL = ("principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/"
             f"{PROJECT}.svc.id.goog/subject/ns/{SHUTDOWN}/sa/{SHUTDOWN}")
LONG_AGO = "2020-01-01T00:00:00.000000Z"


class ShutdownTestCase(CloudTestCase):
    """The pods of the CronJob reach the stand-in, which knows them by their Kubernetes account."""

    def setUp(self):
        self.options = {"host": cluster.Cluster().address}
        super().setUp()
        self.remove_namespace()  # of a test for another project
        self.addCleanup(self.remove_namespace)

    def remove_namespace(self):
        if self.cluster.api.find(f"/api/v1/namespaces/{SHUTDOWN}"):
            self.cluster.api.delete(f"/api/v1/namespaces/{SHUTDOWN}")
        wait_for("the end of the namespace", lambda: not self.cluster.api.find(f"/api/v1/namespaces/{SHUTDOWN}"))

    def policy(self):
        return json.loads(self.variable(self.cluster.api.get(CRON_JOB))["value"])

    @staticmethod
    def variable(cron_job):
        return cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["env"][0]

    def check(self, **changed):
        """Starts a pod of the CronJob, with changes of its policy. Returns its phase and log."""
        job = self.cluster.api.get(CRON_JOB)
        variable = self.variable(job)
        variable["value"] = json.dumps(json.loads(variable["value"]) | changed)
        made = self.cluster.api.create(JOBS, {"metadata": {"generateName": "check-"},
                                              "spec": job["spec"]["jobTemplate"]["spec"]})
        name = made["metadata"]["name"]

        def ended():
            pods = self.cluster.api.get(f"/api/v1/namespaces/{SHUTDOWN}/pods?labelSelector=job-name={name}")["items"]
            return next((pod for pod in pods if pod["status"]["phase"] in cluster.FINISHED), None)
        pod = wait_for("the end of the pod", ended)
        log = self.cluster.api.get(f"/api/v1/namespaces/{SHUTDOWN}/pods/{pod['metadata']['name']}/log")
        return pod["status"]["phase"], log

    def check_kept(self, **changed):
        phase, log = self.check(**changed)
        self.assertRegex(log, r"^\S+ cluster kinetic is kept\n$")
        self.assertEqual((phase, len(self.clusters())), ("Succeeded", 1))

    def clusters(self):
        return [name for kind, name in self.resources() if kind == "clusters"]


class Shutdown(ShutdownTestCase):
    def test_time_limit(self):
        self.assertIn("created shutdown", self.up("--ttl", "8h").stderr)
        status = json.loads(self.run_kinetic("cluster", "status", "--json").stdout)
        self.assertIsNotNone(status["expires"])
        self.assertRegex(self.run_kinetic("cluster", "status").stdout, r"automatic deletion: in 7h 59m")
        first = self.policy()["deadline"]
        self.check_kept()

        self.assertIn("changed shutdown", self.up("--ttl", "12h").stderr)
        self.assertGreater(self.policy()["deadline"], first)
        self.assertIn("up to date", self.up().stderr)
        self.assertIn("deadline", self.policy())

        phase, log = self.check(deadline=LONG_AGO)
        self.assertEqual(phase, "Succeeded", log)
        self.assertIn(f"deleting cluster kinetic: its time limit ended at {LONG_AGO}\n", log)
        self.assertLess(log.index("deleting node pool v5litepod-1\n"), log.index("deleting cluster kinetic\n"))
        self.assertEqual(self.clusters(), [])
        self.assertEqual(self.check(deadline=LONG_AGO)[0], "Succeeded")  # the next pod finds nothing
        self.check_requests()
        self.remove_namespace()  # with the cluster, in reality
        self.down("--purge")
        self.assertNotIn(PRINCIPAL, json.dumps(self.cloud.iam.policies()))

    def test_bad_times(self):
        for words, message in (
                (("--ttl", "5m"), "ttl: expected from 10m 0s to 365d 0h, or none, found 5m 0s"),
                (("--ttl", "400d"), "ttl: expected from 10m 0s to 365d 0h, or none, found 400d 0h"),
                (("--ttl", "0s"), "--ttl: found 0s"),
                (("--ttl", "soon"), "--ttl: expected a duration such as 90s, 30m, 1h30m or 7d, found 'soon'")):
            with self.subTest(words):
                self.assertIn(message, self.up(*words, code=2).stderr)
        self.assertEqual(self.cloud.log, [])


    def test_spellings_of_the_cluster_in_conditions(self):
        self.cloud.options.gke_condition_names = "zones"
        self.up("--ttl", "8h")
        self.assertIn("up to date", self.up().stderr)
        self.run_kinetic("cluster", "status")
        self.cloud.options.gke_condition_names = "none"
        phase, log = self.check()
        self.assertEqual(phase, "Failed", log)
        refused = self.run_kinetic("cluster", "status", code=120)
        self.assertIn("the cluster cannot delete itself: ", refused.stderr)
        self.assertIn("automatic deletion", self.run_kinetic("doctor", code=1).stdout)


class Idle(ShutdownTestCase):
    """Nothing else may use the cluster."""

    def test_idle_time(self):
        self.up("--down-when-idle", "30m")
        self.assertIn("automatic deletion: after 30m 0s without jobs", self.run_kinetic("cluster", "status").stdout)
        self.check_kept()
        busy = self.cluster.api.create(
            f"/apis/batch/v1/namespaces/{NAMESPACE_NAME}/jobs",
            {"metadata": {"name": "busy", "labels": {"kinetic.dev/job-id": "busy"}},
             "spec": {"suspend": True, "template": {"spec": {
                 "restartPolicy": "Never", "containers": [{"name": "job", "image": "none"}]}}}})
        self.check_kept(idle_seconds=0)
        self.cluster.api.delete(f"/apis/batch/v1/namespaces/{NAMESPACE_NAME}/jobs/{busy['metadata']['name']}")
        wait_for("the end of the job",
                 lambda: not self.cluster.api.find(f"/apis/batch/v1/namespaces/{NAMESPACE_NAME}/jobs/busy"))
        self.check_kept(idle_seconds=600)
        self.assertIn("T", self.cluster.api.get(CRON_JOB)["metadata"]["annotations"]["kinetic.dev/last-use"])
        phase, log = self.check(idle_seconds=0)
        self.assertRegex(log, r"deleting cluster kinetic: it has had no jobs for .* \(limit: 0 ms\)")
        self.assertEqual((phase, self.clusters()), ("Succeeded", []), log)
        self.check_requests()

    def test_is_removed_and_limited(self):
        self.up("--ttl", "8h", "--down-when-idle", "30m")
        self.up("--ttl", "none")
        self.assertNotIn("deadline", self.policy())
        self.assertEqual(self.policy()["idle_seconds"], 1800)
        # Without its grant, which is limited to this cluster, the account may delete nothing. A cluster whose name is
        # longer than that of the grant is another one.
        policy = self.cloud.iam.policy(f"projects/{PROJECT}", 3)
        [binding] = [one for one in policy["bindings"] if PRINCIPAL in one["members"]]
        self.assertEqual(binding["role"], "roles/container.clusterAdmin")
        granted = binding["condition"]["expression"]
        binding["condition"]["expression"] = granted.replace("clusters/kinetic", "clusters/kineti")
        self.cloud.iam.set(f"projects/{PROJECT}", policy)
        phase, log = self.check(idle_seconds=0)
        self.assertEqual(phase, "Failed", log)
        self.assertIn("container.clusters.get", log)
        self.assertEqual(len(self.clusters()), 1)
        policy = self.cloud.iam.policy(f"projects/{PROJECT}", 3)
        [binding] = [one for one in policy["bindings"] if PRINCIPAL in one["members"]]
        binding["condition"]["expression"] = granted
        self.cloud.iam.set(f"projects/{PROJECT}", policy)
        self.check_earlier_grant(granted)
        self.cloud.faults.set(rules=[{"method": "cloudresourcemanager.projects.setIamPolicy",
                                      "kind": "permission:roles/resourcemanager.projectIamAdmin"}])
        self.assertIn("roles/resourcemanager.projectIamAdmin", self.up("--down-when-idle", "none", code=120).stderr)
        self.assertNotIn("idle_seconds", self.policy())
        self.cloud.faults.set(rules=[])
        self.assertIn("changed shutdown", self.up().stderr)  # continues the removal
        self.assertNotIn(PRINCIPAL, json.dumps(self.cloud.iam.policies()))
        for kind in ("clusterroles", "clusterrolebindings"):
            self.assertFalse(self.cluster.api.find(f"{RBAC}/{kind}/{SHUTDOWN}"))
        wait_for("the end of the namespace",
                 lambda: not self.cluster.api.find(f"/api/v1/namespaces/{SHUTDOWN}"))
        self.assertNotIn("automatic deletion", self.run_kinetic("cluster", "status").stdout)

    def check_earlier_grant(self, granted):
        """The condition and the account of an earlier version are replaced."""
        policy = self.cloud.iam.policy(f"projects/{PROJECT}", 3)
        [binding] = [one for one in policy["bindings"] if PRINCIPAL in one["members"]]
        zone = f"projects/{PROJECT}/locations/us-west4-a"
        binding["condition"]["expression"] = (f'resource.name.startsWith("{zone}/clusters/kinetic") || '
                                              f'resource.name.startsWith("{zone}/operations/")')
        self.cloud.iam.set(f"projects/{PROJECT}", policy)
        self.cluster.api.patch(CRON_JOB, {"spec": {"jobTemplate": {"spec": {"template": {"spec": {
            "serviceAccountName": "earlier"}}}}}})
        self.assertIn("changed shutdown kinetic-shutdown", self.up().stderr)
        self.assertIn("up to date", self.up().stderr)
        pod = self.cluster.api.get(CRON_JOB)["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        self.assertEqual(pod["serviceAccountName"], SHUTDOWN)
        found = [one["condition"]["expression"] for one in self.cloud.iam.policy(f"projects/{PROJECT}", 3)["bindings"]
                 if PRINCIPAL in one["members"]]
        self.assertEqual(found, [granted])

    def test_time_limit_without_kubernetes(self):
        """The time limit holds also if the account cannot list jobs."""
        self.up("--ttl", "8h", "--down-when-idle", "30m")
        self.cluster.api.delete(f"{RBAC}/clusterrolebindings/{SHUTDOWN}")
        self.assertEqual(self.check()[0], "Failed")
        phase, log = self.check(deadline=LONG_AGO)
        self.assertEqual((phase, self.clusters()), ("Succeeded", []), log)


class Schedule(ShutdownTestCase):
    """The CronJob controller starts the pods."""

    def test_pod_starts_by_itself(self):
        self.up("--ttl", "8h")
        self.cluster.api.patch(CRON_JOB, {"spec": {"schedule": "* * * * *"}})
        jobs = wait_for("a job of the CronJob", lambda: self.cluster.api.get(JOBS)["items"])
        name = jobs[0]["metadata"]["name"]
        wait_for("its end", lambda: self.cluster.api.get(f"{JOBS}/{name}")["status"].get("succeeded") == 1)


if __name__ == "__main__":
    unittest.main()
