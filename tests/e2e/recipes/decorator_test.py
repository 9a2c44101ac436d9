#!/usr/bin/env python3
"""Runs the recipes by their scripts with the Python package.   decorator_test.py KINETIC EXAMPLES PACKAGE [CLASS...]

Records needs no download. Values downloads the packages of the recipes.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from examples_test import ExamplesCase

KINETIC, EXAMPLES, PACKAGE = (os.path.abspath(path) for path in sys.argv[1:4])
RECIPES = pathlib.Path(EXAMPLES) / "recipes"
# The decorator writes these keys to the record, with the values that they have without a key.
SPELLED_OUT = {"bundle.root", "dependencies.file", "python"}


class RecipeCase(ExamplesCase):
    name, accelerator = "gemma-genz", "v5litepod-1"

    def setUp(self):
        self.recipe = pathlib.Path(self.home.name) / self.name
        shutil.copytree(RECIPES / self.name, self.recipe, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))

    def script(self, *arguments, expect=0):
        environment = {**self.environment, "PYTHONPATH": PACKAGE,
                       "KINETIC_RUNNER": os.path.join(os.path.dirname(KINETIC), "kinetic-runner")}
        done = subprocess.run([sys.executable, str(self.recipe / "finetune.py"), *arguments], env=environment,
                              cwd=self.home.name, capture_output=True, text=True, timeout=900, check=False)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def job_file(self, *arguments, expect=0):
        return self.kinetic("run", str(self.recipe / "job.yaml"), *arguments, expect=expect)

    def check_last_two_jobs_are_equal(self):
        now, before = (job["id"] for job in json.loads(self.kinetic("ps", "--all", "--json").stdout)[:2])
        found = json.loads(self.kinetic("diff", before, now, "--json").stdout)
        self.assertLessEqual({key["name"] for key in found["job"]}, SPELLED_OUT, found["job"])
        for part in ("arguments", "code", "packages", "variables", "secrets", "data"):
            self.assertEqual(found[part], [], part)


class Records(RecipeCase):
    def test_script_and_job_file_submit_the_same_job(self):
        (self.recipe / "requirements.txt").write_text("")  # so that nothing is downloaded
        error = "ModuleNotFoundError: No module named 'jax'"
        self.assertIn(error, self.job_file("--arg", "tiny=true", expect=1).stderr)
        self.assertIn(error, self.script("--tiny", expect=1).stderr)
        self.check_last_two_jobs_are_equal()

    def test_published_size_needs_cluster(self):
        self.assertIn(f"the local target has no {self.accelerator}", self.script(expect=1).stderr)


class SafetyTunixRecords(Records):
    name, accelerator = "gemma-safety-tunix", "v5litepod-8"


class Values(RecipeCase):
    def test_script_and_job_file_return_the_same_value(self):
        expected = json.loads(self.job_file("--arg", "tiny=true").stdout)
        done = self.script("--tiny")
        self.check_last_two_jobs_are_equal()
        self.assertIn("Epoch 3/3\n", done.stdout)
        value = json.loads(done.stdout[done.stdout.index("\n{\n"):])
        for name in ("model", "parameters", "devices", "loss", "answers"):
            self.assertEqual(value[name], expected[name])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
