"""Access to the Kubernetes test cluster of this checkout: one namespace per test, and control of its nodes.

The CTest fixture `cluster` starts it. Manual start: tests/support/cluster/cluster up.
"""

import json
import os
import pathlib
import secrets
import subprocess
import sys
import time
import unittest

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support/cluster"
sys.path.insert(0, str(SUPPORT))
from api import Api, ApiError  # noqa: F401  (ApiError is for the tests)

PROGRAM = SUPPORT / "cluster"
FINISHED = ("Succeeded", "Failed")
UNAVAILABLE = 77  # exit code of PROGRAM, and of a skipped test


def need_cluster():
    """Skips the program if the cluster cannot run."""
    done = subprocess.run([PROGRAM, "describe"], capture_output=True, text=True)
    if done.returncode == UNAVAILABLE:
        print(f"skipped: {done.stderr}")
        sys.exit(UNAVAILABLE)


def command(*words):
    """Runs a command of the cluster program and returns its output. Tests that stop a part of the cluster (apiserver
    stop, node-stop n1) are RUN_SERIAL."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def wait_for(what, condition, seconds=180):
    """Returns the value of the condition once it is true."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.05)


class Cluster:
    """The running cluster, as reported by `cluster describe`."""

    def __init__(self):
        facts = json.loads(command("describe"))
        self.server, self.kubeconfig, self.address = facts["server"], facts["kubeconfig"], facts["address"]
        self.state = facts["state"]
        self.ca_file, self.token, self.images = facts["ca_file"], facts["token"], facts["images"]
        self.user_tokens = facts["user_tokens"]  # of users without permissions, by name
        self.kubectl_program = facts["kubectl"]
        self._environment = {**os.environ, "KUBECONFIG": self.kubeconfig, "KUBECACHEDIR": facts["kubectl_cache"]}
        self.api = Api(self.server, self.ca_file, self.token)

    def kubectl(self, *words, input=None):
        done = subprocess.run([self.kubectl_program, *map(str, words)], input=input, capture_output=True, text=True,
                              env=self._environment)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout

    def push(self, image, name):
        """Pushes an image of the nodes to a registry."""
        command("push", image, name)


class ClusterTestCase(unittest.TestCase):
    """Each test has its own namespace."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()

    def setUp(self):
        self.api = self.cluster.api
        self.namespace = f"test-{secrets.token_hex(4)}"
        self.api.create("/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        self.addCleanup(self.api.delete, f"/api/v1/namespaces/{self.namespace}")
        wait_for("the account of pods", lambda: self.api.find(self.core("serviceaccounts/default")), 180)

    def core(self, rest):
        return f"/api/v1/namespaces/{self.namespace}/{rest}"

    def batch(self, rest):
        return f"/apis/batch/v1/namespaces/{self.namespace}/{rest}"

    def pod_of(self, job):
        """Returns the pod of a job once it exists."""
        path = self.core(f"pods?labelSelector=job-name={job}")
        return wait_for(f"a pod of {job}", lambda: next(iter(self.api.get(path)["items"]), None))

    def wait_for_phase(self, pod, *phases, seconds=180):
        """Returns the pod once it is in one of these phases."""
        def look():
            found = self.api.get(self.core(f"pods/{pod}"))
            return found if found["status"]["phase"] in phases else None
        return wait_for(f"pod {pod} {' or '.join(phases)}", look, seconds)

    def log(self, pod, container):
        return self.api.get(self.core(f"pods/{pod}/log?container={container}"))
