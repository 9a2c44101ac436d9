#!/usr/bin/env python3
"""Jobs on a real Kubernetes whose packages are in an image that Cloud Build's stand-in has made.

    cluster_cloud_build_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import os
import pathlib
import shutil
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import cloud_build
import cluster
import image_registry
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
IN_IMAGE = "3.11"  # what the image of the tests has
FUNCTION = f"name: packed\nfunction: app:main\npython: '{IN_IMAGE}'\n"
APP = """
import sys, humanize
def main():
    return {"prefix": sys.prefix, "version": humanize.__version__}
"""
WRONG = f"humanize==4.9.0 --hash=sha256:{'0' * 64}\n"  # its own lock, and no such file anywhere


class CloudBuildTestCase(JobsTestCase):
    programs = PROGRAMS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if lacking := cloud_build.missing() or image_registry.missing():
            raise RuntimeError(lacking)

    def setUp(self):
        super().setUp()
        self.registry = image_registry.Registry(self.folder / "registry")
        self.addCleanup(self.registry.stop)
        self.base = f"{self.registry.host}/base/python:{IN_IMAGE}"
        self.cluster.push(self.cluster.images["python"], self.base)
        self.service = cloud_build.CloudBuild(self.folder / "build", self.bucket.url)
        self.addCleanup(self.service.stop)
        self.machine = self.new_machine("builds", image=self.base, environments="cloud-build", project="p",
                                        build_endpoint=self.service.url,
                                        environment_images=f"{self.registry.host}/team/environments")
        self.machine.environment |= {"PATH": os.environ["PATH"], "KINETIC_ACCESS_TOKEN": self.service.token}

    def run_job(self, *arguments, code=0):
        done = self.machine.run("run", "job.yaml", *arguments, seconds=600)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done


class Jobs(CloudBuildTestCase):
    def test_a_function_imports_what_its_file_names(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.run_job("--id", "first")
        value = json.loads(done.stdout)
        self.assertEqual(value, {"prefix": "/opt/kinetic/environment", "version": "4.9.0"})
        self.assertIn("build: 1 package, built", done.stderr)
        [tag] = self.registry.tags("team/environments")
        record = json.loads(self.bucket.read("team/jobs/first/record.json"))
        self.assertTrue(record["environment_image"].startswith(f"{self.registry.host}/team/environments:{tag}@sha256:"))
        asked = len(self.service.requests)
        done = self.run_job("--id", "second")
        self.assertEqual(json.loads(done.stdout), value)
        self.assertIn("build: 1 package, unchanged", done.stderr)
        self.assertEqual(len(self.service.requests), asked)

    def test_no_job_is_sent_when_its_image_cannot_be_made(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt=WRONG)
        done = self.run_job(code=120)
        self.assertIn("its step build (gcr.io/cloud-builders/docker) failed", done.stderr)
        self.assertIn("THESE PACKAGES DO NOT MATCH THE HASHES", done.stderr)
        self.assertEqual(self.jobs(), [])

    def test_an_interrupt_while_it_is_made_sends_no_job(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.service.held.set()
        client = self.start("stopped")
        cluster.wait_for("a build", lambda: self.service.builds)
        client.send_signal(signal.SIGINT)
        _, said = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 130, said)
        self.assertEqual(self.service.statuses(), ["CANCELLED"])
        self.assertEqual(self.jobs(), [])


class Digits(CloudBuildTestCase):
    """The example, with hundreds of megabytes of packages."""

    def test_it_learns(self):
        shutil.copytree(EXAMPLES / "digits", self.machine.project, dirs_exist_ok=True)
        job = self.machine.project / "job.yaml"
        job.write_text(job.read_text() + f"python: '{IN_IMAGE}'\n")
        done = self.run_job("--arg", "epochs=3")
        self.assertGreater(json.loads(done.stdout)["accuracy"], 0.8)


if __name__ == "__main__":
    cluster.need_root()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
