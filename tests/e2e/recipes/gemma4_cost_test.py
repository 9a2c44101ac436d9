#!/usr/bin/env python3
"""Tests the recipe gemma4-cost.   gemma4_cost_test.py KINETIC EXAMPLES PACKAGE [CLASS...]

Load, Serve, Functions, Table, and Files need no download. Tiny downloads the packages of the recipe, and Torch also
those of the baseline, 3 GB.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import tomllib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from examples_test import ExamplesCase

KINETIC, PACKAGE = (os.path.abspath(path) for path in (sys.argv[1], sys.argv[3]))
RECIPE = pathlib.Path(sys.argv[2]).absolute() / "recipes" / "gemma4-cost"
sys.path.insert(0, str(RECIPE))
sys.dont_write_bytecode = True

import costs
import load
import numpy as np
import serve
import standin
from chat import pad_and_mask
from merge import factors

JOBS = {"train": "3.11", "merge": "3.11", "baseline": "3.11", "serve": "3.12", "serve-gpu": "3.12"}


class Load(unittest.TestCase):
    def measure(self, failures=(), requests=6):
        server = standin.Server(0, failures)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            return load.measure(f"http://127.0.0.1:{server.server_port}", "any", ["one", "two"], requests, 2, 8)
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def test_counts_tokens_and_time_to_first_token(self):
        found = self.measure()
        self.assertEqual((found["requests"], found["failed"], found["retries"]), (6, 0, 0))
        self.assertEqual(found["output_tokens"], 48)
        self.assertGreaterEqual(found["first_token_ms"]["median"], 1000 * standin.SECONDS_PER_TOKEN)
        self.assertLess(found["first_token_ms"]["median"], 1000 * found["seconds"])
        self.assertLessEqual(found["first_token_ms"]["median"], found["first_token_ms"]["p95"])
        expected = found["output_tokens"] / found["seconds"]
        self.assertAlmostEqual(found["output_tokens_per_second"], expected, delta=0.02 * expected)

    def test_sends_prompt_again_after_429(self):
        found = self.measure([429, 429])
        self.assertEqual((found["failed"], found["retries"], found["output_tokens"]), (0, 2, 48))

    def test_counts_errors_of_server(self):
        found = self.measure([500])
        self.assertEqual((found["failed"], found["output_tokens"]), (1, 40))
        self.assertEqual(found["errors"], ['status 500: {"error": {"message": "as the test asked"}}'])

    def test_fails_if_all_requests_fail(self):
        with self.assertRaisesRegex(RuntimeError, "all 2 requests to http://127.0.0.1:.* status 503"):
            self.measure([503, 503], requests=2)

    def test_stream_that_ends_early_is_an_error(self):
        event = b'data: {"choices": [{"delta": {"content": "a"}}]}\n'
        with self.assertRaisesRegex(load.ServerError, "ended early"):
            load.read_stream([event], 0)
        with self.assertRaisesRegex(load.ServerError, "error in the stream"):
            load.read_stream([event, b'data: {"error": "out of memory"}\n'], 0)
        self.assertEqual(load.read_stream([event, b"\n", b"data: [DONE]\n"], 0)["tokens"], 1)

    def test_wait_after_429_is_limited(self):
        waits = [load.seconds_to_wait(text) for text in ("0", "3", "-1", "9999", "Wed, 21 Oct", None)]
        self.assertEqual(waits, [0, 3, 0, 10, 1, 1])

    def test_percentile_is_a_measured_value(self):
        self.assertEqual(load.percentile(list(range(1, 101)), 95), 95)
        self.assertEqual(load.percentile([7], 95), 7)


class Serve(unittest.TestCase):
    def test_starts_server_and_measures_it(self):
        found = serve.serve("unused", ["one"], tiny=True)
        self.assertEqual((found["server"], found["requests"], found["failed"]), ("stand-in", 32, 0))

    def test_server_that_exits_is_an_error(self):
        with serve.running([sys.executable, "-c", "raise SystemExit(3)"]) as server:
            with self.assertRaisesRegex(RuntimeError, "exited with code 3 before it was ready"):
                serve.wait_until_ready(server, "http://127.0.0.1:9", seconds=60)

    def test_uses_all_chips(self):
        os.environ["KINETIC_CHIPS"] = "google.com/tpu=8"
        self.addCleanup(os.environ.pop, "KINETIC_CHIPS")
        command = serve.vllm("/model", 8000)
        self.assertEqual(command[command.index("--tensor-parallel-size") + 1], "8")


class Functions(unittest.TestCase):
    def test_mask_covers_only_the_response(self):
        self.assertEqual(pad_and_mask([2, 5, 6], [7, 8], 6, pad=0), ([2, 5, 6, 7, 8, 0], [0, 0, 0, 1, 1, 0]))
        self.assertEqual(pad_and_mask([2, 5, 6], [7], 2, pad=0), ([2, 5], [0, 0]))

    def test_factors_have_the_names_and_shapes_of_weights(self):
        keys, values = (np.full((2, 1, 3), number) for number in (1, 2))
        attention = {
            "q_einsum": {"w_lora_a": np.ones((6, 2)), "w_lora_b": np.ones((2, 4, 3))},
            "kv_einsum": {"w_lora_a": np.ones((6, 2)), "w_lora_b": np.stack([keys, values], 1)},
            "attn_vec_einsum": {"w_lora_a": np.ones((4, 3, 2)), "w_lora_b": np.ones((2, 6))},
        }
        mlp = {"up_proj": {"kernel_lora_a": np.ones((6, 2)), "kernel_lora_b": np.ones((2, 8))}}
        found = dict(factors({"layers": {"0": {"attn": attention, "mlp": mlp}}}))
        layer = "model.language_model.layers.0"
        shapes = {name: (a @ b).T.shape for name, (a, b) in found.items()}
        self.assertEqual(shapes, {
            f"{layer}.self_attn.q_proj.weight": (12, 6), f"{layer}.self_attn.k_proj.weight": (3, 6),
            f"{layer}.self_attn.v_proj.weight": (3, 6), f"{layer}.self_attn.o_proj.weight": (6, 12),
            f"{layer}.mlp.up_proj.weight": (8, 6)})
        self.assertEqual(found[f"{layer}.self_attn.v_proj.weight"][1].max(), 2)


class Table(unittest.TestCase):
    TPU = {
        "train": {"accelerator": "v5p-8", "seconds": 1800, "dollars": 5.0, "value": {"train_seconds": 1000}},
        "serve": {
            "accelerator": "v6e-8", "seconds": 600, "dollars": 2.0,
            "value": {"output_tokens_per_second": 2000, "first_token_ms": {"median": 200}},
        },
    }
    GPU = {
        "train": {"accelerator": "gpu-h100x2", "seconds": 3600, "dollars": 20.0, "value": {"train_seconds": 1500}},
        "serve": {
            "accelerator": "gpu-h100x2", "seconds": 900, "dollars": 5.0,
            "value": {"output_tokens_per_second": 1900, "first_token_ms": {"median": 500}},
        },
    }

    def cells(self, *arguments):
        lines = costs.table(*arguments).splitlines()
        return {row[1]: row[2:-1] for row in ([cell.strip() for cell in line.split("|")] for line in lines[2:])}

    def test_published_size(self):
        found = self.cells(self.TPU, self.GPU)
        self.assertEqual(found["training"], ["1000.0 s", "1500.0 s", "1.50"])
        self.assertEqual(found["cost of the training job"], ["$5.00", "$20.00", "4.00"])
        self.assertEqual(found["output tokens per second"], ["2000.0", "1900.0", "0.95"])
        self.assertEqual(found["time to first token, median"], ["200 ms", "500 ms", "2.50"])
        self.assertEqual(found["cost of the serving job"], ["$2.00", "$5.00", "2.50"])
        self.assertEqual(found["train plus serve"], ["$7.00", "$25.00", "3.57"])

    def test_unknown_figures_are_dashes(self):
        found = self.cells({**self.TPU, "serve": {**self.TPU["serve"], "dollars": None}}, None)
        self.assertEqual(found["training"], ["1000.0 s", "-", "-"])
        self.assertEqual(found["cost of the training job"], ["$5.00", "-", "-"])
        self.assertEqual(found["cost of the serving job"], ["-", "-", "-"])
        self.assertEqual(found["train plus serve"], ["-", "-", "-"])
        found = self.cells(self.TPU, {"train": self.GPU["train"]})
        self.assertEqual(found["output tokens per second"], ["2000.0", "-", "-"])


def printed_values(done):
    start, end = done.stdout.index("\n{\n"), done.stdout.index("\n}\n") + 2
    return json.loads(done.stdout[start:end])


class ScriptCase(ExamplesCase):
    def script(self, *arguments, expect=0):
        environment = {**self.environment, "PYTHONPATH": PACKAGE, "HF_TOKEN": "unused",
                       "KINETIC_RUNNER": os.path.join(os.path.dirname(KINETIC), "kinetic-runner")}
        done = subprocess.run([sys.executable, str(RECIPE / "compare.py"), *arguments], env=environment,
                              cwd=self.home.name, capture_output=True, text=True, timeout=1700, check=False)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def check_loss(self, value):
        self.assertEqual(len(value["loss"]), 20)
        self.assertLess(value["loss"][-1], 0.8 * value["loss"][0])


class Files(ScriptCase):
    def plan(self, job, *options):
        done = self.kinetic("run", str(RECIPE / f"{job}.yaml"), *options, "--dry-run", "--json")
        return json.loads(done.stdout)["record"]

    def test_job_files_are_valid(self):
        folder = self.home.name  # in the place of the outputs of the job before
        no_packages = ("--set", "dependencies=null", "--set", "python=null")
        options = {"train": (), "baseline": (), "merge": ("--set", f"data={{/trained: {folder}}}"),
                   "serve": ("--set", f"data={{/model: {folder}}}", *no_packages)}
        for job, more in options.items():
            record = self.plan(job, *more)
            self.assertEqual(record["spec"]["name"], f"gemma4-{job}")
            self.assertEqual(record["secret_names"], [])

    def test_trainings_have_the_same_arguments(self):
        train, baseline = (self.plan(job)["spec"]["args"] for job in ("train", "baseline"))
        self.assertEqual(train, baseline)
        self.assertEqual(len(train["examples"]), 30)

    def test_every_package_is_pinned(self):
        extras = tomllib.loads((RECIPE / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        self.assertEqual(set(extras), set(JOBS))
        for job, packages in extras.items():
            lines = [line.partition("#")[0].strip() for line in (RECIPE / f"{job}.txt").read_text().splitlines()]
            lines = [line for line in lines if line]
            self.assertEqual([line for line in lines if "==" not in line], [], job)
            self.assertEqual([package for package in packages if package not in lines], [], job)

    def test_published_size_needs_cluster(self):
        done = self.script(expect=1)
        self.assertIn("the local target has no v5p-8", done.stderr)


class Tiny(ScriptCase):
    def test_tiny_jobs_make_the_table(self):
        done = self.script("--tiny")
        found = printed_values(done)
        self.assertIsNone(found["gpu"])
        values = {job: record["value"] for job, record in found["tpu"].items()}
        self.check_loss(values["train"])
        self.assertEqual(values["train"]["devices"], ["cpu"] * 4)
        self.assertEqual(values["merge"]["merged"], 41)
        self.assertLess(values["check"]["difference"], 1e-3)
        self.assertGreater(values["check"]["difference_to_base"], 1)
        self.assertEqual((values["serve"]["server"], values["serve"]["failed"]), ("stand-in", 0))
        self.assertIn("the baseline is skipped", done.stdout)
        self.assertIn("| | CPU instead of TPU, stand-in instead of vLLM | CPU instead of GPU | ratio |", done.stdout)
        self.assertIn(f"| training | {values['train']['train_seconds']:.1f} s | - | - |", done.stdout)

    def test_packages_resolve_for_published_size(self):
        uv = shutil.which("uv")
        if uv is None:
            self.skipTest("uv is not in PATH")
        for job, python in JOBS.items():
            text = (RECIPE / f"{job}.txt").read_text()
            if job == "train":
                text = text.replace("\njax==", "\njax[tpu]==")
            platform = "x86_64-manylinux_2_35" if job.startswith("serve") else "x86_64-manylinux_2_31"
            done = subprocess.run(
                [uv, "pip", "compile", "-", "--python-version", python, "--python-platform", platform,
                 "--only-binary", ":all:", "--no-header", "--no-annotate", "--quiet"],
                cwd=RECIPE, env=self.environment, input=text, capture_output=True, text=True, check=False,
            )
            self.assertEqual(done.returncode, 0, job + done.stderr)
            self.assertEqual("libtpu==" in done.stdout, job in ("train", "serve"), job)


class Torch(ScriptCase):
    def test_baseline_learns_as_tunix_does(self):
        found = printed_values(self.script("--tiny", "--torch"))
        tunix, trl = (found[side]["train"]["value"] for side in ("tpu", "gpu"))
        self.check_loss(trl)
        # The same weights and pairs, in another order.
        self.assertAlmostEqual(trl["loss"][0], tunix["loss"][0], delta=0.5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
