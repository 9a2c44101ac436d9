#!/usr/bin/env python3
"""Runs every example with the real command line.   examples_test.py KINETIC EXAMPLES [CLASS...]"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

KINETIC, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])


class ExamplesCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory(prefix="kinetic-examples-")
        cls.environment = {
            "PATH": os.environ["PATH"],
            "HOME": cls.home.name,
            "UV_CACHE_DIR": os.path.expanduser("~/.cache/uv"),
            **{name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))},
        }

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def kinetic(self, *arguments, expect=0):
        done = subprocess.run(
            [KINETIC, *arguments], env=self.environment, capture_output=True, text=True, timeout=900, check=False
        )
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def run_example(self, name, *arguments, expect=0):
        return self.kinetic("run", str(EXAMPLES / name / "job.yaml"), *arguments, expect=expect)


class Examples(ExamplesCase):
    def test_hello_prints_only_its_value(self):
        done = self.run_example("hello", "--arg", "name=reader")
        self.assertEqual(json.loads(done.stdout), {"greeting": "hello, reader", "length": 6})
        self.assertIn("greeting reader from Python", done.stderr)

    def test_failing_returns_exception_with_cause(self):
        done = self.run_example("failing", expect=1)
        self.assertEqual(done.stdout, "")
        for line in (
            "ValueError: invalid literal for int() with base 10: 'twelve'",
            "The above exception was the direct cause of the following exception:",
            'raise DataError(f"row {row} is damaged") from error',
            "failing.DataError: row 3 is damaged",
        ):
            self.assertIn(line, done.stderr)

    def test_shell_returns_streams_and_output(self):
        done = self.run_example("shell", "--json")
        answer = json.loads(done.stdout)
        where = pathlib.Path(self.kinetic("outputs", answer["id"]).stdout.strip())
        self.assertIn("poem.txt", (where / "counts.txt").read_text())
        plain = self.run_example("shell")
        self.assertIn("4  28 poem.txt", plain.stdout)
        self.assertNotIn("poem.txt", plain.stderr)
        self.assertIn("counted as job", plain.stderr)


class Packages(ExamplesCase):
    def test_digits_learns(self):
        answer = json.loads(self.run_example("digits", "--json").stdout)
        self.assertEqual(answer["state"], "succeeded")
        self.assertGreater(answer["value"]["accuracy"], 0.9)
        self.assertEqual(answer["value"]["confusion"]["$array"]["shape"], [10, 10])
        where = pathlib.Path(self.kinetic("outputs", answer["id"]).stdout.strip())
        self.assertEqual(len(json.loads((where / "history.json").read_text())["loss"]), answer["value"]["epochs"])
        self.assertGreater((where / "digits.keras").stat().st_size, 100_000)
        log = self.kinetic("logs", answer["id"])
        self.assertIn("epoch 10/10", log.stdout + log.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
