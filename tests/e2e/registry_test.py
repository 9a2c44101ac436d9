#!/usr/bin/env python3
"""The runner image in a registry equals the exported image. Verified with Python code.

registry_test.py KINETIC RUNNER
"""

import gzip
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import image_registry
from image_registry import sha256

KINETIC, RUNNER = (os.path.abspath(word) for word in sys.argv[1:3])
PROGRAM = "kinetic-runner/bin/kinetic-runner"


def decompressed(content):
    if content[:2] == b"\x1f\x8b":
        return gzip.decompress(content)
    return subprocess.run(["zstd", "-dc"], input=content, stdout=subprocess.PIPE, check=True).stdout


class RunnerInARegistry(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-registry-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.registry = image_registry.Registry(cls.home / "registry")
        cls.addClassCleanup(cls.registry.stop)
        cls.told = cls.push()
        cls.reference = cls.told["reference"]
        cls.digest = cls.reference.rpartition("@")[2]

    @classmethod
    def run_kinetic(cls, *words):
        done = subprocess.run([KINETIC, "image", "runner", "--runner", RUNNER, *words], capture_output=True, text=True,
                              env={"HOME": str(cls.home), "PATH": os.environ["PATH"]})
        assert done.returncode == 0, done.stderr
        return done.stdout

    @classmethod
    def push(cls, *words):
        return json.loads(cls.run_kinetic("--json", "--push", f"{cls.registry.host}/team/kinetic-runner", *words))

    def test_image_in_registry_equals_file(self):
        file = self.home / "runner.tar"
        self.run_kinetic("--output", str(file))
        with tarfile.open(file) as archive:
            index = json.load(archive.extractfile("index.json"))
            blobs = {"sha256:" + pathlib.Path(member.name).name: archive.extractfile(member).read()
                     for member in archive if member.name.startswith("blobs/sha256/")}
        [described] = index["manifests"]
        self.assertEqual(described["digest"], self.digest)
        document, config, layers = self.registry.image("team/kinetic-runner", self.digest)
        there = {sha256(content): content for content in [document, *layers]}
        there[self.told["image_id"]] = blobs[self.told["image_id"]]
        self.assertEqual(json.loads(blobs[self.told["image_id"]]), config)
        self.assertEqual(there, blobs)

    def test_image_contains_runner(self):
        document, config, layers = self.registry.image("team/kinetic-runner", self.digest)
        archives = [decompressed(layer) for layer in layers]
        self.assertEqual([sha256(archive) for archive in archives], config["rootfs"]["diff_ids"])
        self.assertEqual(json.loads(document)["config"]["digest"], self.told["image_id"])
        names = {name for archive in archives for name in tarfile.open(fileobj=io.BytesIO(archive)).getnames()}
        self.assertLessEqual({PROGRAM, "kinetic-runner/bin/kinetic-launcher"}, names)

    def test_second_push_uploads_nothing(self):
        again = self.push()
        self.assertEqual((again["sent_bytes"], again["reference"]), (0, self.reference))
        self.assertEqual(again["present_bytes"], self.told["sent_bytes"])


if __name__ == "__main__":
    if why := image_registry.missing():
        sys.exit(f"{why}: scripts/install-packages test")
    unittest.main(argv=sys.argv[:1])
