"""Test cases for images: with a cluster, with a container engine, and with neither."""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import types
import unittest

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
sys.path[:0] = [str(SUPPORT), str(SUPPORT / "cluster")]
import cloud_build
import image_registry
import images
from bucket import Bucket
from cluster_machine import ClusterMachine, JobsTestCase

PYTHON = "3.11"  # version in the base image
FUNCTION = f"name: packed\nfunction: app:main\npython: '{PYTHON}'\n"
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


class DigitsExample:
    """Runs the example, which has hundreds of megabytes of packages, on the machine of a JobsTestCase."""

    def test_digits_example_learns(self):
        shutil.copytree(EXAMPLES / "digits", self.machine.project, dirs_exist_ok=True)
        job = self.machine.project / "job.yaml"
        job.write_text(job.read_text() + f"python: '{PYTHON}'\n")
        done = self.run_job("--arg", "epochs=3")
        self.assertGreater(json.loads(done.stdout)["accuracy"], 0.8)


class RegistryTestCase(JobsTestCase):
    """Adds a registry that contains the base image."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if missing := image_registry.missing():
            raise RuntimeError(missing)

    def setUp(self):
        super().setUp()
        self.registry = self.new_registry("registry")
        self.base = f"{self.registry.host}/base/python:{PYTHON}"
        self.cluster.push(self.cluster.images["python"], self.base)

    def new_registry(self, name, **settings):
        registry = image_registry.Registry(self.folder / name, **settings)
        self.addCleanup(registry.stop)
        return registry

    def registry_machine(self, name, **settings):
        """Returns a machine that stores images in the registry and has the programs of this machine."""
        machine = self.new_machine(name, **{"image": self.base, "environment_images":
                                            f"{self.registry.host}/team/environments"} | settings)
        machine.environment["PATH"] = os.environ["PATH"]
        return machine


class EngineTestCase(RegistryTestCase):
    """Adds a machine that builds Dockerfiles with buildah. All tests share the storage of buildah."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if missing := cloud_build.missing():
            raise RuntimeError(missing)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-engine-"))
        cls.engine = cloud_build.Engine(folder)
        cls.addClassCleanup(cls.engine.remove)
        cls.storage = folder / "storage.conf"
        cls.storage.write_text(f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/root"\nrunroot = "{folder}/run"\n')

    def setUp(self):
        super().setUp()
        self.machine = self.engine_machine("engine")

    def engine_machine(self, name, **settings):
        machine = self.registry_machine(name, **settings)
        machine.environment["CONTAINERS_STORAGE_CONF"] = str(self.storage)
        return machine

    def leftover_files(self, machine=None):
        """Returns login and log files in the cache folder."""
        cache = (machine or self.machine).folder / ".cache/kinetic"
        return [path for part in ("secrets", "logs") for path in cache.glob(f"{part}/*") if path.name != ".lock"]

    def build(self, machine=None):
        return (machine or self.machine).answer("image", "build", "job.yaml")


class NoClusterTestCase(unittest.TestCase):
    """Provides a bucket and a registry with the base image. Each test has its own location in both."""

    programs = ()  # KINETIC, RUNNER, GCS_SERVER
    bucket_token = None

    @classmethod
    def setUpClass(cls):
        if missing := image_registry.missing():
            raise RuntimeError(missing)
        folder = tempfile.TemporaryDirectory(prefix="kinetic-images-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.registry = image_registry.Registry(cls.folder / "registry")
        cls.addClassCleanup(cls.registry.stop)
        (cls.folder / "bucket").mkdir()
        cls.bucket = Bucket(cls.programs[2], cls.folder / "bucket", token=cls.bucket_token)
        cls.addClassCleanup(cls.bucket.stop)
        cls.registry.put_archived("base/python", PYTHON, images.bundle(), images.NAMES["python"])
        cls.base = f"{cls.registry.host}/base/python:{PYTHON}"

    def setUp(self):
        self.place = self._testMethodName.removeprefix("test_")
        self.images = f"{self.registry.host}/{self.place}"

    def new_machine(self, name, place=None, **settings):
        kinetic, runner = self.programs[:2]
        cluster = types.SimpleNamespace(kubeconfig=self._kubeconfig(), address="127.0.0.1", images={"python": self.base})
        machine = ClusterMachine(self.folder / self.place / name, kinetic, runner, self.bucket, cluster, "default",
                                 "kinetic.test/runner:none", place or self.place,
                                 **{"environment_images": self.images} | settings)
        machine.environment["PATH"] = os.environ["PATH"]
        return machine

    def build(self, machine=None):
        return (machine or self.machine).answer("image", "build", "job.yaml")

    def _kubeconfig(self):
        """Returns the kubeconfig of a cluster that does not exist."""
        file = self.folder / "kubeconfig"
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "none",
            "clusters": [{"name": "none", "cluster": {"server": "http://127.0.0.1:1"}}],
            "contexts": [{"name": "none", "context": {"cluster": "none", "user": "none"}}],
            "users": [{"name": "none", "user": {}}]}))
        return str(file)
