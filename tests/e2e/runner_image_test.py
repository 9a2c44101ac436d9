#!/usr/bin/env python3
"""A kubelet starts the runner from its image, as root and as another user.

runner_image_test.py KINETIC RUNNER
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cluster
from cluster import FINISHED, ClusterTestCase

KINETIC, RUNNER = (os.path.abspath(word) for word in sys.argv[1:3])
RESTRICTED = {"runAsNonRoot": True, "runAsUser": 65532, "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
              "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}}


class RunnerImage(ClusterTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "image.tar"
            done = subprocess.run([KINETIC, "-q", "image", "runner", "--runner", RUNNER, "--output", file],
                                  env={"HOME": folder}, stdout=subprocess.PIPE, text=True, check=True)
            cls.name = done.stdout.strip()
            cluster.command("import", file)
        cls.version = subprocess.run([RUNNER, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout

    def check(self, image, arguments=None, **security):
        container = {"name": "main", "image": image, "imagePullPolicy": "Never", "securityContext": security,
                     **({"command": arguments} if arguments else {"args": ["--version"]})}
        self.api.create(self.core("pods"), {"metadata": {"name": "runner"},
                                            "spec": {"restartPolicy": "Never", "containers": [container]}})
        ended = self.wait_for_phase("runner", *FINISHED)
        self.assertEqual((ended["status"]["phase"], self.log("runner", "main")), ("Succeeded", self.version))

    def test_starts_by_path(self):
        self.check(self.name, ["/kinetic-runner/bin/kinetic-runner", "--version"])

    def test_starts_by_entry_point_with_short_name(self):
        self.check(self.name.removeprefix("docker.io/library/"))

    def test_starts_with_minimal_rights(self):
        self.check(self.name, **RESTRICTED)

    def test_installed_launcher_starts_in_any_image(self):
        shared = [{"name": "kinetic", "mountPath": "/kinetic"}]
        for image in ("empty", "hostile"):
            # With too many arguments it prints its usage and exits.
            launcher = {"name": "main", "image": self.cluster.images[image], "volumeMounts": shared,
                        "command": ["/kinetic/bin/kinetic-launcher", "one", "more"]}
            install = {"name": "install", "image": self.name, "volumeMounts": shared, "args": ["install", "/kinetic"],
                       "securityContext": RESTRICTED}
            self.api.create(self.core("pods"), {"metadata": {"name": image}, "spec": {
                "restartPolicy": "Never", "volumes": [{"name": "kinetic", "emptyDir": {}}],
                "initContainers": [install], "containers": [launcher]}})
            ended = self.wait_for_phase(image, *FINISHED)
            [container] = ended["status"]["containerStatuses"]
            self.assertEqual(container["state"].get("terminated", {}).get("exitCode"), 2, ended["status"])
            self.assertIn("usage: kinetic-launcher", self.log(image, "main"))


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=sys.argv[:1])
