#!/usr/bin/env python3
"""Nodes of a real Kubernetes pull a job's images before it is sent, from a real registry.

    cluster_warm_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import signal
import socket
import sys
import unittest

import cluster
from cluster import wait_for
from cluster_layers_test import APP, FUNCTION, LayersTestCase

NAMED = "name: named\nrun: 'true'\ndependencies: null\n"
REFUSED, INTERRUPTED = 120, 130


class Warm(LayersTestCase):
    def warm(self, *options, code=0):
        return self.machine.answer("image", "warm", "job.yaml", *options, code=code)

    def sets(self):
        found = self.api.get(f"/apis/apps/v1/namespaces/{self.namespace}/daemonsets")["items"]
        return [one["metadata"]["name"] for one in found if "deletionTimestamp" not in one["metadata"]]

    def silent_registry(self):
        """A place that takes connections and says nothing."""
        self.silent = socket.create_server((self.cluster.address, 0))
        self.addCleanup(self.silent.close)
        return f"{self.cluster.address}:{self.silent.getsockname()[1]}"

    def begin(self):
        """A client that waits for a pull that does not end."""
        self.machine.job(NAMED + f"image: {self.silent_registry()}/none:1\n")
        client = self.machine.start("image", "warm", "job.yaml")
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        wait_for("its pods", self.pods)
        return client

    def test_the_image_of_packages_is_there_before_the_job(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        made = self.machine.answer("image", "build", "job.yaml")
        told = self.warm()
        self.assertEqual(told["images"], [self.runner_image, made["reference"]])
        self.assertIn("n1", [node["name"] for node in told["nodes"]])
        for node in told["nodes"]:
            self.assertIsNone(node["failed"])
            runner, image = sorted(node["images"], key=lambda one: told["images"].index(one["name"]))
            self.assertEqual((runner["was_there"], runner["seconds"]), (True, None))
            self.assertFalse(image["was_there"])
            self.assertGreater(image["seconds"], 0)
        self.assertEqual(self.sets(), [])
        again = self.machine.run("image", "warm", "job.yaml")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("was there", again.stdout)
        self.run_job("--id", "real")
        [pulled] = [event["message"] for event in self.api.get(self.core("events?fieldSelector=reason=Pulled"))["items"]
                    if event["involvedObject"]["name"].startswith("kinetic-real")
                    and made["reference"] in event["message"]]
        self.assertIn("already present", pulled)

    def test_chips_that_are_taken_are_not_asked_for(self):
        self.api.create(self.core("pods"), {
            "metadata": {"name": "somebody"},
            "spec": {"terminationGracePeriodSeconds": 0, "nodeSelector": {"kubernetes.io/hostname": "n1"},
                     "containers": [{"name": "c", "image": self.cluster.images["python"],
                                     "command": ["/usr/bin/python3", "-c", "import time; time.sleep(600)"],
                                     "resources": {"limits": {"google.com/tpu": "4"}}}]}})
        wait_for("the chips taken", lambda: self.api.get(self.core("pods/somebody"))["status"].get("phase") == "Running")
        self.machine.job(NAMED + f"image: {self.cluster.images['python']}\naccelerator: v5litepod-1\n"
                         "pod: {spec: {nodeSelector: {kubernetes.io/hostname: n1}}}\n")
        told = self.warm("--nodes", "1")
        self.assertEqual([(node["name"], node["failed"]) for node in told["nodes"]], [("n1", None)])

    def test_no_node_is_said_plainly(self):
        self.machine.job(NAMED + f"image: {self.cluster.images['python']}\n")
        told = self.warm("--pool", "nobodys")
        self.assertEqual(told["nodes"], [])
        self.assertIn("cloud.google.com/gke-nodepool=nobodys", told["selector"])
        done = self.machine.run("image", "warm", "job.yaml", "--pool", "nobodys")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("no node is there that the job may run on", done.stderr)
        self.assertEqual(self.sets(), [])

    def test_an_image_that_is_not_there(self):
        self.machine.job(NAMED + f"image: {self.registry.host}/base/none:1\n")
        told = self.warm("--nodes", "1", code=REFUSED)
        self.assertIn("none:1", told["nodes"][0]["failed"])
        self.assertEqual(self.sets(), [])

    def test_packages_whose_image_was_not_made(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.machine.run("image", "warm", "job.yaml")
        self.assertEqual(done.returncode, REFUSED, done.stdout)
        self.assertIn("kinetic image build", done.stderr)
        self.assertEqual(self.sets(), [])

    def test_ctrl_c_leaves_nothing(self):
        client = self.begin()
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=60)
        self.assertEqual((client.returncode, self.sets()), (INTERRUPTED, []))

    def test_what_a_killed_client_left_the_next_one_takes_over(self):
        client = self.begin()
        client.kill()
        client.communicate()
        self.assertEqual(len(self.sets()), 1)
        self.silent.close()  # now the pull fails
        self.warm("--nodes", "1", code=REFUSED)
        self.assertEqual(self.sets(), [])


if __name__ == "__main__":
    cluster.need_root()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
