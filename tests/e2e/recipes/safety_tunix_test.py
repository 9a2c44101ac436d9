#!/usr/bin/env python3
"""Tests the recipe gemma-safety-tunix.   safety_tunix_test.py KINETIC EXAMPLES [CLASS...]

Functions and Files need no download. Tiny downloads the packages of the recipe.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from examples_test import ExamplesCase

RECIPE = pathlib.Path(sys.argv[2]) / "recipes" / "gemma-safety-tunix"
sys.path.insert(0, str(RECIPE))
sys.dont_write_bytecode = True

from masking import pad_and_mask, user_turn
from refusals import is_refusal, refusal_rate


class Functions(unittest.TestCase):
    def test_mask_covers_only_the_response(self):
        self.assertEqual(pad_and_mask([2, 5, 6], [7, 8], 7, pad=0), ([2, 5, 6, 7, 8, 0, 0], [0, 0, 0, 1, 1, 0, 0]))

    def test_all_rows_have_the_same_length(self):
        self.assertEqual(pad_and_mask([2, 5], [7, 8, 9], 4, pad=0), ([2, 5, 7, 8], [0, 0, 1, 1]))
        self.assertEqual(pad_and_mask([2, 5, 6], [7], 2, pad=0), ([2, 5], [0, 0]))

    def test_turn_ends_where_the_model_answers(self):
        self.assertTrue(user_turn("Hi").startswith("<start_of_turn>user\nHi<end_of_turn>\n"))
        self.assertTrue(user_turn("Hi").endswith("<start_of_turn>model\n"))

    def test_refusals_are_recognized(self):
        for answer in ("I can't help with that. Ask a locksmith.", "I’m sorry, but no.", "No, I cannot do that."):
            self.assertTrue(is_refusal(answer), answer)
        for answer in ("", "Sure! First, turn the pin.", "The capital is Oslo. I can't say more."):
            self.assertFalse(is_refusal(answer), answer)
        self.assertEqual(refusal_rate(["I can't help with that.", "Sure.", "Yes.", "I won't."]), 0.5)


class Files(ExamplesCase):
    def test_job_gets_examples_and_unseen_prompts(self):
        done = self.kinetic("run", str(RECIPE / "job.yaml"), "--arg", "tiny=true", "--dry-run", "--json")
        record = json.loads(done.stdout)["record"]
        examples, prompts = record["spec"]["args"]["examples"], record["spec"]["args"]["prompts"]
        self.assertEqual([set(pair) for pair in examples], [{"prompt", "response"}] * 48)
        self.assertEqual({kind: len(texts) for kind, texts in prompts.items()}, {"unsafe": 8, "harmless": 8})
        seen = {pair["prompt"] for pair in examples}
        self.assertTrue(seen.isdisjoint(prompts["unsafe"] + prompts["harmless"]))
        self.assertEqual(refusal_rate([pair["response"] for pair in examples]), 0.5)
        self.assertEqual(record["secret_names"], [])

    def test_published_size_needs_token_and_cluster(self):
        options = ("--accelerator", "v5litepod-8", "--secret", "HF_TOKEN", "--dry-run")
        done = self.kinetic("run", str(RECIPE / "job.yaml"), *options, expect=2)
        self.assertIn("the local target has no v5litepod-8", done.stderr)


class Tiny(ExamplesCase):
    def run_recipe(self, *options, expect=0):
        return self.kinetic("run", str(RECIPE / "job.yaml"), *options, expect=expect)

    def test_tiny_learns_to_refuse(self):
        done = self.run_recipe("--arg", "tiny=true", "--json")
        answer = json.loads(done.stdout)
        value = answer["value"]
        self.assertEqual((value["model"], value["devices"], value["global_batch"]), ("tiny", ["cpu"] * 8, 32))
        self.assertEqual(len(value["loss"]), 40)
        self.assertLess(value["loss"][-1], 0.5 * value["loss"][0])

        rates = value["refusal_rate"]
        self.assertEqual(rates["unsafe"]["before"], 0)
        self.assertGreaterEqual(rates["unsafe"]["after"], 0.5)
        self.assertLess(rates["harmless"]["after"], rates["unsafe"]["after"])
        self.assertEqual(len(value["answers"]), 16)

        # The weights of LoRA were saved once, as an output. The answers are those of a model that loaded them.
        outputs = self.kinetic("outputs", "ls", answer["id"], "--json").stdout
        self.assertIn("lora/", outputs)

    def test_published_size_without_token_names_both_ways(self):
        done = self.run_recipe(expect=1)
        self.assertIn("RuntimeError: google/gemma-3-1b-it is downloaded from Hugging Face", done.stderr)
        self.assertIn("--secret HF_TOKEN", done.stderr)
        self.assertIn("--arg tiny=true", done.stderr)

    def test_packages_resolve_for_tpu(self):
        uv = shutil.which("uv")
        if uv is None:
            self.skipTest("uv is not in PATH")
        text = (RECIPE / "requirements.txt").read_text().replace("\njax==", "\njax[tpu]==")
        for python in ("3.11", "3.12", "3.13"):
            done = subprocess.run(
                [uv, "pip", "compile", "-", "--python-version", python, "--python-platform", "x86_64-manylinux_2_31",
                 "--only-binary", ":all:", "--no-header", "--no-annotate", "--quiet"],
                cwd=RECIPE, env=self.environment, input=text, capture_output=True, text=True, check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("libtpu==", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
