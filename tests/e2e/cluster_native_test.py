#!/usr/bin/env python3
"""C++ functions as jobs on Kubernetes.

    cluster_native_test.py KINETIC RUNNER GCS_SERVER PROGRAM [TEST...]
"""

import subprocess
import sys
import unittest

import cluster
from cluster_machine import PROFILE, JobsTestCase

PROGRAMS, PROGRAM = sys.argv[1:4], sys.argv[4]


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


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
