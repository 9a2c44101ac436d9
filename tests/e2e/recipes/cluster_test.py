#!/usr/bin/env python3
"""Runs recipes at tiny size on the test cluster. Downloads their packages.

    cluster_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import os
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]
TINY = ("--arg", "tiny=true", "--set", "python='3.11'")  # the Python of the image
RECIPES = pathlib.Path(__file__).resolve().parents[3] / "examples/recipes"


class Recipes(JobsTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        # uv runs on this machine.
        self.machine.environment["PATH"] = os.environ["PATH"]

    def copy(self, recipe):
        shutil.copytree(RECIPES / recipe, self.machine.project, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))

    def run_tiny(self, *arguments):
        return self.run_job(*TINY, *arguments)

    def test_gemma_genz(self):
        self.copy("gemma-genz")
        value = json.loads(self.run_tiny().stdout)
        self.assertTrue(any("no cap" in each["after"] for each in value["answers"]), value["answers"])
        again = self.run_tiny()
        self.assertRegex(again.stderr, r"build: \d+ packages, unchanged")
        self.assertEqual(json.loads(again.stdout)["answers"], value["answers"])

    def test_gemma_medical_lora(self):
        self.copy("gemma-medical-lora")
        value = json.loads(self.run_tiny("--id", "whole").stdout)
        self.assertEqual(value["score"]["larger_model"], 6)
        self.assertTrue(self.bucket.objects("team/outputs/whole/"))

        # The program waits after the first epoch of the first attempt, where its pod is deleted.
        program = self.machine.project / "lora.py"
        end_of_epoch = "        incomplete.unlink()\n"
        text = program.read_text()
        self.assertEqual(text.count(end_of_epoch), 1)
        program.write_text(text.replace(end_of_epoch, end_of_epoch + "        while epoch == 0:\n"
                                                                     "            time.sleep(0.1)\n"))
        client = self.start("deleted", *TINY)
        wait_for("a checkpoint", lambda: self.bucket.objects("team/checkpoints/deleted/"), 600)
        self.api.delete(self.core(f"pods/{self.pod_of('kinetic-deleted')['metadata']['name']}"))
        out, log = client.communicate(timeout=600)
        self.assertEqual(client.returncode, 0, log)
        self.assertIn("resuming after epoch 1\n", log)
        self.assertEqual((log.count("Epoch 1/3"), log.count("Epoch 2/3")), (1, 1), log)
        resumed = json.loads(out)
        for name in set(value) - {"train_seconds", "tokens_per_second"}:
            self.assertEqual(resumed[name], value[name], name)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
