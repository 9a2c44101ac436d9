#!/usr/bin/env python3
"""Node provisioning ahead of a job: a Job requests the node while the packages are still being installed.

    cluster_provisioning_test.py KINETIC RUNNER GCS_SERVER [TEST...]

The new node is an existing one that receives its label late.
"""

import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase
from package_index import PackageIndex, module

PROGRAMS = sys.argv[1:4]
LABEL = "kinetic.test/made"
AHEAD = "kinetic-provisioning-"
NODE = "n1"
JOB = "name: packed\nrun: python3 -c 'import first; print(first.__name__)'\npython: '3.11'\naccelerator: v5litepod-1\n"
INTERRUPTED = -signal.SIGINT


class Provisioning(JobsTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.machine.environment["PATH"] = os.environ["PATH"]  # for pip
        self.index = PackageIndex(module("first", "1.0"), module("first", "2.0"))
        self.addCleanup(self.index.close)
        self.index.may_answer.clear()
        self.write("first==1.0\n")

    def write(self, requirements, more=""):
        self.machine.job(f"{JOB}{more}pod: {{spec: {{nodeSelector: {{{LABEL}: {self.namespace}}}}}}}\n",
                         requirements_txt=self.index.lines + requirements)

    def make_node(self):
        self.addCleanup(self.cluster.kubectl, "label", "node", NODE, f"{LABEL}-")
        self.cluster.kubectl("label", "--overwrite", "node", NODE, f"{LABEL}={self.namespace}")

    def begin(self):
        """Starts a client that waits for its packages. @returns the client and the provisioning Job"""
        client = self.start("packed", "--progress", "plain")
        self.assertTrue(self.index.asked.wait(60))
        return client, wait_for("the Job that asks", self.asking)

    def asking(self):
        found = [job for job in self.api.get(self.batch("jobs"))["items"]
                 if job["metadata"]["name"].startswith(AHEAD)]
        self.assertLessEqual(len(found), 1)
        return found[0] if found else None

    def asked(self):
        """Returns the number of provisioning Jobs created."""
        events = self.api.get(self.core("events?fieldSelector=involvedObject.kind=Job,reason=SuccessfulCreate"))
        return len({event["involvedObject"]["uid"] for event in events["items"]
                    if event["involvedObject"]["name"].startswith(AHEAD)})

    def pulled(self):
        """Returns the images that provisioning Jobs pulled."""
        events = self.api.get(self.core("events?fieldSelector=reason=Pulled"))
        return {event["message"].split('"')[1] for event in events["items"]
                if event["involvedObject"]["name"].startswith(AHEAD)}

    def waiting(self, job):
        """Returns the pod of a Job once the scheduler has found no node for it."""
        def look():
            pod = self.pod_of(job)
            conditions = {condition["type"]: condition for condition in pod["status"].get("conditions", [])}
            return pod if conditions.get("PodScheduled", {}).get("reason") == "Unschedulable" else None
        return wait_for(f"the pod of {job} to wait", look)

    def await_cleanup(self):
        wait_for("nothing left", lambda: self.asking() is None and not [
            pod for pod in self.pods() if pod["metadata"]["name"].startswith(AHEAD)], 60)

    def finish(self, client):
        out, said = client.communicate(timeout=120)
        self.assertEqual(client.returncode, 0, out + said)
        self.assertEqual(out.split(), ["first"])
        return said

    def test_pod_waits_for_node_like_the_job_and_ends(self):
        client, job = self.begin()
        pod = self.waiting(job["metadata"]["name"])["spec"]
        [wanted] = [manifest["spec"]["template"]["spec"]
                    for manifest in self.machine.answer("run", "job.yaml", "--dry-run")["manifests"]]
        self.assertEqual(pod["nodeSelector"], wanted["nodeSelector"])
        self.assertEqual(pod["nodeSelector"][LABEL], self.namespace)
        self.assertLessEqual({"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}.items(),
                             next(one for one in pod["tolerations"] if one["key"] == "google.com/tpu").items())
        self.assertEqual(pod["containers"][0]["resources"]["requests"]["google.com/tpu"], "1")
        self.assertEqual(self.machine.answer("ps"), [])

        self.make_node()
        self.await_cleanup()  # before the packages are complete
        self.assertIsNone(client.poll())
        self.index.may_answer.set()
        self.assertRegex(self.finish(client), "build: 1 package, built, requested a node in parallel")
        # The kubelet reports events in the background, so they can arrive after the job has ended.
        images = {self.runner_image, self.cluster.images["python"]}
        wait_for("events of the pulled images", lambda: self.pulled() >= images)
        self.assertEqual(self.pulled(), images)

        # Stored packages need no build, and no node is requested.
        self.assertEqual(self.asked(), 1)
        again = self.machine.run("run", "job.yaml")
        self.assertEqual((again.returncode, again.stdout.split()), (0, ["first"]), again.stderr)
        self.assertRegex(again.stderr, r"build: 1 package, unchanged \(")
        self.assertEqual(self.asked(), 1)

    def test_job_replaces_provisioning_pod(self):
        client, job = self.begin()
        self.waiting(job["metadata"]["name"])
        self.index.may_answer.set()
        self.waiting("kinetic-packed")
        self.await_cleanup()
        self.make_node()
        self.finish(client)

    def test_leftover_of_killed_client_expires(self):
        client, job = self.begin()
        client.kill()
        client.communicate()
        self.assertEqual((job["spec"]["activeDeadlineSeconds"], job["spec"]["ttlSecondsAfterFinished"],
                          job["spec"]["backoffLimit"]), (600, 0, 0))
        self.waiting(job["metadata"]["name"])
        self.make_node()
        self.await_cleanup()

    def test_pod_without_node_ends_at_deadline(self):
        client, job = self.begin()
        client.kill()
        client.communicate()
        self.cluster.kubectl("patch", "job", job["metadata"]["name"], "-n", self.namespace, "--type=merge",
                             "--patch", '{"spec": {"activeDeadlineSeconds": 1}}')
        self.await_cleanup()

    def test_interrupt_removes_provisioning_job(self):
        client, _ = self.begin()
        client.send_signal(signal.SIGINT)
        _, said = client.communicate(timeout=60)
        self.assertEqual(client.returncode, INTERRUPTED, said)
        self.assertIsNone(self.asking())
        self.await_cleanup()

    def test_unavailable_packages_remove_provisioning_job(self):
        self.write("first==3.0\n")
        client, _ = self.begin()
        self.index.may_answer.set()
        _, said = client.communicate(timeout=60)
        self.assertNotEqual(client.returncode, 0, said)
        self.assertIsNone(self.asking())
        self.await_cleanup()

    def test_provisioning_can_be_disabled(self):
        self.machine = self.new_machine("without", node_ahead="no")
        self.machine.environment["PATH"] = os.environ["PATH"]
        self.write("first==2.0\n")
        self.make_node()
        self.index.may_answer.set()
        done = self.machine.run("run", "job.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"build: 1 package, built \(")
        self.assertEqual(self.asked(), 0)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
