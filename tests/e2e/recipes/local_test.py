#!/usr/bin/env python3
"""Runs the recipes at tiny size with the real command line.   local_test.py KINETIC EXAMPLES [CLASS...]

Files checks what needs no download. GemmaGenz downloads the packages of the recipe.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from examples_test import ExamplesCase

KINETIC, RECIPES = sys.argv[1], pathlib.Path(sys.argv[2]) / "recipes"
PINNED = re.compile(r"[a-z0-9-]+==[a-z0-9.]+")


def job_file(recipe):
    return str(RECIPES / recipe / "job.yaml")


def requirements(path):
    """Returns the lines of a requirements file without comments."""
    lines = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


class Files(ExamplesCase):
    def test_every_package_is_pinned(self):
        for path in RECIPES.glob("*/requirements.txt"):
            lines = requirements(path)
            self.assertEqual([line for line in lines if not PINNED.fullmatch(line)], [], path)
            project = tomllib.loads((path.parent / "pyproject.toml").read_text())["project"]
            self.assertEqual([line for line in project["dependencies"] if line not in lines], [], path)

    def test_gemma_genz_passes_its_pairs_and_asks_for_no_token(self):
        done = self.kinetic("run", job_file("gemma-genz"), "--arg", "tiny=true", "--dry-run", "--json")
        plan = json.loads(done.stdout)
        arguments = plan["record"]["spec"]["args"]
        self.assertEqual([set(pair) for pair in arguments["sft_data"]], [{"prompt", "response"}] * 30)
        prompts = {pair["prompt"] for pair in arguments["sft_data"]}
        self.assertEqual(len(arguments["test_prompts"]), 8)
        self.assertTrue(prompts.isdisjoint(arguments["test_prompts"]))
        self.assertEqual(plan["record"]["secret_names"], [])

    def test_published_size_needs_token_and_cluster(self):
        token = ("--secret", "KAGGLE_API_TOKEN", "--dry-run")
        done = self.kinetic("run", job_file("gemma-genz"), *token, expect=2)
        self.assertIn("not set in the environment: KAGGLE_API_TOKEN", done.stderr)
        done = self.kinetic("run", job_file("gemma-genz"), "--accelerator", "v5litepod-1", *token, expect=2)
        self.assertIn("the local target has no v5litepod-1", done.stderr)


class GemmaGenz(ExamplesCase):
    def run_recipe(self, *options, expect=0):
        return self.kinetic("run", job_file("gemma-genz"), *options, expect=expect)

    def test_tiny_learns_and_second_run_reuses_environment(self):
        first = self.run_recipe("--arg", "tiny=true")
        self.check_value(json.loads(first.stdout))
        self.assertIn("fine-tuning a tiny model on cpu", first.stderr)
        self.assertIn("Epoch 3/3", first.stderr)

        second = self.run_recipe("--arg", "tiny=true")
        self.assertRegex(second.stderr, r"build: \d+ packages, unchanged")
        self.assertEqual(json.loads(second.stdout)["answers"], json.loads(first.stdout)["answers"])

    def check_value(self, value):
        self.assertEqual((value["model"], value["devices"], len(value["loss"])), ("tiny", ["cpu"], 3))
        self.assertGreater(value["train_seconds"], 0)
        self.assertEqual(value["loss"], sorted(value["loss"], reverse=True))
        self.assertLess(value["loss"][-1], 0.8 * value["loss"][0])
        self.assertEqual([set(each) for each in value["answers"]], [{"prompt", "before", "after"}] * 8)
        self.assertTrue(any("no cap" in each["after"] for each in value["answers"]), value["answers"])
        self.assertFalse(any("no cap" in each["before"] for each in value["answers"]), value["answers"])

    def test_published_size_without_token_names_both_ways(self):
        done = self.run_recipe(expect=1)
        self.assertIn("RuntimeError: gemma3_1b is downloaded from Kaggle", done.stderr)
        self.assertIn("--secret KAGGLE_API_TOKEN", done.stderr)
        self.assertIn("--arg tiny=true", done.stderr)

    def test_packages_resolve_for_tpu(self):
        uv = shutil.which("uv")
        if uv is None:
            self.skipTest("uv is not in PATH")
        folder = RECIPES / "gemma-genz"
        text = (folder / "requirements.txt").read_text().replace("\njax==", "\njax[tpu]==")
        done = subprocess.run(
            [uv, "pip", "compile", "-", "--python-version", "3.12", "--python-platform", "x86_64-manylinux_2_31",
             "--only-binary", ":all:", "--no-header", "--no-annotate", "--quiet"],
            cwd=folder, env=self.environment, input=text, capture_output=True, text=True, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        resolved = {line.replace("[tpu]", "") for line in done.stdout.split()}
        extra = resolved - set(requirements(folder / "requirements.txt"))
        self.assertEqual({line.split("==")[0] for line in extra}, {"libtpu"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
