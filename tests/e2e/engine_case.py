"""Clients on a real Kubernetes whose Dockerfiles are built by a container engine of this machine: buildah."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import cloud_build
import image_registry
from cluster_machine import JobsTestCase

IN_IMAGE = "3.11"  # what the image of the tests has


class EngineTestCase(JobsTestCase):
    """What buildah pulls and makes is kept for all tests, and is not the machine's own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if lacking := cloud_build.missing() or image_registry.missing():
            raise RuntimeError(lacking)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-engine-"))
        cls.engine = cloud_build.Engine(folder)
        cls.addClassCleanup(cls.engine.remove)
        cls.storage = folder / "storage.conf"
        cls.storage.write_text(f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/root"\nrunroot = "{folder}/run"\n')

    def setUp(self):
        super().setUp()
        self.registry = self.new_registry("registry")
        self.base = f"{self.registry.host}/base/python:{IN_IMAGE}"
        self.cluster.push(self.cluster.images["python"], self.base)
        self.machine = self.engine_machine("engine")

    def new_registry(self, name, **settings):
        registry = image_registry.Registry(self.folder / name, **settings)
        self.addCleanup(registry.stop)
        return registry

    def engine_machine(self, name, **settings):
        machine = self.new_machine(name, **{"image": self.base, "environment_images":
                                            f"{self.registry.host}/team/environments"} | settings)
        machine.environment |= {"PATH": os.environ["PATH"], "CONTAINERS_STORAGE_CONF": str(self.storage)}
        return machine

    def run_job(self, *arguments, code=0, machine=None):
        done = (machine or self.machine).run("run", "job.yaml", *arguments, seconds=600)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def left(self, machine=None):
        """Files with logins, and logs, that lie in the cache folder."""
        cache = (machine or self.machine).folder / ".cache/kinetic"
        return [path for part in ("secrets", "logs") for path in cache.glob(f"{part}/*") if path.name != ".lock"]

    def build(self, machine=None):
        return (machine or self.machine).answer("image", "build", "job.yaml")
