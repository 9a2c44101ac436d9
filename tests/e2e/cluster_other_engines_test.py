#!/usr/bin/env python3
"""Jobs on Kubernetes in images that podman and docker have built from the job's Dockerfile.

    cluster_other_engines_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import cluster
from image_case import EngineTestCase

PROGRAMS = sys.argv[1:4]
TIMEOUT = 60  # seconds
OWN = "name: own\nrun: ls /context\nimage: {dockerfile: docker/Dockerfile}\n"


class DockerDaemon:
    """A Docker daemon with its own storage and network."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-docker-"))
        self.address = f"unix://{self.folder}/socket"
        with open(self.folder / "log", "wb") as log:
            self._process = subprocess.Popen(
                ["dockerd", "--data-root", self.folder / "root", "--exec-root", self.folder / "run", "--pidfile",
                 self.folder / "pid", "--host", self.address, "--bip", "10.214.1.1/24"], stdout=log, stderr=log)
        try:
            cluster.wait_for("dockerd", self._answers, TIMEOUT)
        except BaseException:
            self.stop()
            raise

    def _answers(self):
        if self._process.poll() is not None:
            raise RuntimeError((self.folder / "log").read_text()[-2000:])
        done = subprocess.run(["/usr/bin/docker", "--host", self.address, "version"], capture_output=True, check=False)
        return done.returncode == 0

    def stop(self):
        self._process.terminate()
        self._process.wait()
        subprocess.run(["ip", "link", "delete", "docker0"], capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class OtherEngine(EngineTestCase):
    programs = PROGRAMS
    engine_name = None
    settings = {}

    @classmethod
    def setUpClass(cls):
        if not shutil.which(cls.engine_name):
            raise RuntimeError(f"not installed: {cls.engine_name} (scripts/install-packages engines)")
        super().setUpClass()

    def engine_machine(self, name, **settings):
        machine = super().engine_machine(name, **{"container_engine": self.engine_name} | settings)
        machine.environment |= self.settings
        return machine

    def check_dockerfile(self):
        folder = self.machine.project / "docker"
        folder.mkdir(parents=True)
        (folder / "Dockerfile").write_text(f"FROM {self.base}\nCOPY . /context\nRUN rm /context/Dockerfile\n")
        (folder / ".dockerignore").write_text("left-out\n")
        (folder / "taken").write_text("")
        (folder / "left-out").write_text("")
        self.machine.job(OWN)
        self.assertEqual(self.run_job().stdout, "taken\n")
        self.assertFalse(self.build()["built"])


class Podman(OtherEngine):
    engine_name = "podman"
    settings = {"BUILDAH_ISOLATION": "chroot"}  # this machine may be a container

    def test_job_runs_in_image_of_dockerfile(self):
        self.check_dockerfile()


class Docker(OtherEngine):
    engine_name = "docker"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        daemon = DockerDaemon()
        cls.addClassCleanup(daemon.stop)
        # Debian's client includes BuildKit. Others need a plugin.
        cls.settings = {"DOCKER_HOST": daemon.address, "PATH": f"/usr/bin:{os.environ['PATH']}"}

    def test_job_runs_in_image_of_dockerfile(self):
        self.check_dockerfile()


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
