#!/usr/bin/env python3
"""C++ functions as jobs on Kubernetes.

    cluster_native_test.py KINETIC RUNNER GCS_SERVER PROGRAM [TEST...]
"""

import pathlib
import subprocess
import sys
import unittest

import cluster
from cluster_machine import PROFILE, JobsTestCase

PROGRAMS, PROGRAM = sys.argv[1:4], sys.argv[4]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


class Functions(JobsTestCase):
    programs = PROGRAMS

    def check_functions(self, image):
        done = subprocess.run([PROGRAM, PROFILE, self.cluster.images[image]], capture_output=True, text=True,
                              env=self.machine.environment, cwd=self.machine.project, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("succeeded 50000.0\n", done.stdout)
        self.assertIn("failed: std::domain_error: positive: 3\n", done.stdout)
        self.assertIn("Refuse(int)", done.stdout)
        jobs = self.machine.answer("ps", "--all")
        self.assertEqual(sorted(job["name"] for job in jobs), ["refuse", "sum"])
        job = next(job["id"] for job in jobs if job["name"] == "sum")
        self.assertEqual(self.bucket.read(f"team/outputs/{job}/count.txt"), b"100000")
        self.assertEqual(self.machine.run("logs", job).stdout, "adding 100000 numbers\n")
        self.assertEqual(self.jobs(), [])

    def test_functions_run_in_empty_image(self):
        self.check_functions("empty")

    def test_functions_run_in_image_with_its_own_libraries(self):
        self.check_functions("python")


class Examples(JobsTestCase):
    programs = PROGRAMS

    def run_example(self, name, *words):
        program = pathlib.Path(PROGRAM).with_name(f"example_{name}")
        done = subprocess.run([program, *words], capture_output=True, text=True, env=self.machine.environment,
                              cwd=self.machine.project, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def test_pi(self):
        lines = self.run_example("pi", PROFILE, self.cluster.images["empty"])
        self.assertEqual(len(lines), 20)
        self.assertIn("10000000 samples: pi is about 3.14", lines[-1])

    def test_sgemm(self):
        lines = self.run_example("sgemm", "1024", PROFILE, self.cluster.images["empty"])
        self.assertEqual(lines, ["1024 x 1024 items, correct"])

    def test_sweep(self):
        lines = self.run_example("sweep", EXAMPLES / "cpp-sweep/python", PROFILE)
        self.assertIn("rate 0.3: epoch 5 loss", " ".join(lines))
        self.assertEqual(lines[-1], "best rate 1")

    def test_log_of_a_task_is_read_while_it_runs(self):
        self.machine.write({"endless/train.py": "import time\ndef train(rate, epochs):\n"
                           "    print('begun', flush=True)\n    time.sleep(600)\n"})
        program = pathlib.Path(PROGRAM).with_name("example_sweep")
        process = subprocess.Popen([program, self.machine.project / "endless", PROFILE], stdout=subprocess.PIPE,
                                   text=True, env=self.machine.environment, cwd=self.machine.project)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        lines = [process.stdout.readline()]
        job, = self.machine.answer("ps")
        self.assertIn(job["state"], ("pending", "running"))
        self.assertEqual(self.machine.run("cancel", job["id"]).returncode, 0)
        lines += process.stdout.readlines()
        self.assertEqual(process.wait(), 1)
        self.assertRegex(lines[0], r"^rate [0-9.]+: begun\n")


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
