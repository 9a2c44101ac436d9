#!/usr/bin/env python3
"""Pod settings of a job file, as the program observes them.

    cluster_pods_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import sys
import unittest

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]

AS_NOBODY = "pod: {spec: {securityContext: {runAsUser: 1000, runAsGroup: 1000}}}\n"
WITH_DATA = """name: reads
dependencies: null
data: {/data/sets: ./sets}
run: "id -u; cat /data/sets/deep/a.txt; echo more > /data/sets/b.txt"
"""


class Pods(JobsTestCase):
    programs = PROGRAMS

    def run_job(self, text, *arguments, **files):
        """Returns the program's output."""
        self.machine.job(text, **files)
        done = self.machine.run("run", "job.yaml", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_data_is_at_its_path(self):
        self.machine.write({"sets/deep/a.txt": "from here\n"})
        self.assertEqual(self.run_job(WITH_DATA), "0\nfrom here\n")

    def test_data_is_at_its_path_for_unprivileged_user(self):
        self.machine.write({"sets/deep/a.txt": "from here\n"})
        self.assertEqual(self.run_job(WITH_DATA + AS_NOBODY), "1000\nfrom here\n")

    def test_restricted_namespace_runs_jobs_unprivileged(self):
        self.api.patch(f"/api/v1/namespaces/{self.namespace}",
                       {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
        self.machine.write({"sets/deep/a.txt": "from here\n"})
        self.assertEqual(self.run_job(WITH_DATA), "65532\nfrom here\n")
        value = self.run_job("function: small:main\ndependencies: null\n", small_py="def main(): return 7\n")
        self.assertEqual(value, "7\n")

    def test_pod_fields_reach_the_pod(self):
        text = """name: fields
dependencies: null
resources: {shm: 3Mi, memory: 256Mi}
run: "echo $POD_NAME $HOST_PORT; df -B1 --output=size /dev/shm | tail -1"
pod:
  metadata: {labels: {team: genz}}
  spec:
    containers:
      - name: main
        env:
          - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: "metadata.labels['team']"}}}
          - {name: HOST_PORT, value: "80"}
"""
        self.assertEqual(self.run_job(text).split(), ["genz", "80", str(3 << 20)])

    def test_reserved_pod_fields_are_rejected_with_location(self):
        self.machine.job("""name: greedy
dependencies: null
run: "true"
pod:
  spec:
    containers:
      - name: main
        command: [sh]
    restartPolicy: Always
    volumes: {}
""")
        done = self.machine.run("run", "job.yaml")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("job.yaml:10:14: pod.spec.volumes: expected a list, found a map", done.stderr)
        self.machine.job((self.machine.project / "job.yaml").read_text().replace("    volumes: {}\n", ""))
        done = self.machine.run("run", "job.yaml")
        self.assertIn("job.yaml:8:18: pod.spec.containers[0].command: cannot be changed", done.stderr)
        self.assertIn("job.yaml:9:20: pod.spec.restartPolicy: cannot be changed", done.stderr)
        self.assertEqual(self.jobs(), [])
        self.assertFalse(self.bucket.objects("team/jobs/"))

    def test_unknown_pod_field_is_rejected_by_server(self):
        self.machine.job("name: typo\ndependencies: null\nrun: 'true'\npod: {spec: {priorityClasName: high}}\n")
        done = self.machine.run("run", "job.yaml")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('unknown field "spec.template.spec.priorityClasName"', done.stderr)
        self.assertEqual(self.jobs(), [])

    def test_suspended_job_waits_for_its_queue(self):
        self.machine.job("name: queued\ndependencies: null\nrun: 'true'\nqueue: team-a\n")
        done = self.machine.run("run", "job.yaml", "--id", "queued", "--detach")
        self.assertEqual(done.returncode, 0, done.stderr)
        job = wait_for("the Job", lambda: self.api.find(self.batch("jobs/kinetic-queued")))
        self.assertTrue(job["spec"]["suspend"])
        self.assertEqual(job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "team-a")
        self.assertEqual(self.pods(), [])
        self.assertEqual(self.machine.run("cancel", "queued").returncode, 0)

    def test_jobs_have_labels(self):
        self.machine.job("name: find-me\ndependencies: null\nrun: 'sleep 30'\n")
        self.assertEqual(self.machine.run("run", "job.yaml", "--id", "found", "--detach").returncode, 0)
        listed = self.cluster.kubectl("get", "jobs", "-n", self.namespace, "-o", "name", "-l",
                                      "app.kubernetes.io/managed-by=kinetic,kinetic.dev/name=find-me")
        self.assertEqual(listed, "job.batch/kinetic-found\n")
        self.assertEqual(self.machine.run("cancel", "found").returncode, 0)

    def test_invalid_job_id_is_rejected(self):
        self.machine.job("name: x\ndependencies: null\nrun: 'true'\n")
        done = self.machine.run("run", "job.yaml", "--id", "Not_A.Label")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("'Not_A.Label' is not a job ID", done.stderr)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
