"""Decorated functions as jobs on Kubernetes.

    cluster_test.py KINETIC RUNNER GCS_SERVER PACKAGE [TEST...]
"""

import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import cluster
from cluster_machine import JobsTestCase

PROGRAMS, PACKAGE = sys.argv[1:4], os.path.abspath(sys.argv[4])
MODEL = """import kinetic

class TooSmall(Exception):
    def __init__(self, n):
        super().__init__(f"{n} is too small")
        self.n = n

@kinetic.run
def train(n, offset=0):
    print("training", n, flush=True)
    if n < 0:
        raise TooSmall(n)
    return {"n": n + offset}
"""


class Functions(JobsTestCase):
    programs = PROGRAMS

    def start(self, program):
        self.machine.write({"model.py": MODEL, "program.py": program})
        process = subprocess.Popen(["/usr/bin/python3", "program.py"], cwd=self.machine.project, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**self.machine.environment, "PYTHONPATH": PACKAGE})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_program(self, program):
        process = self.start(program)
        output, messages = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, output + messages)
        return output

    def test_values_by_name_and_by_value(self):
        output = self.run_program("import kinetic, model\n"
                                  "print(model.train(1, offset=2))\n"
                                  "@kinetic.run\n"
                                  "def here(x):\n    return x, model.train.__wrapped__(5)['n']\n"
                                  "print(here((1, {2})))\n")
        self.assertEqual(output.splitlines(), ["training 1", "{'n': 3}", "training 5", "((1, {2}), 5)"])
        self.assertEqual(self.jobs(), [])

    def test_exception_has_its_type_and_traceback(self):
        output = self.run_program("import model, traceback\n"
                                  "try:\n    model.train(-1)\n"
                                  "except model.TooSmall as error:\n"
                                  "    print(error, error.n, 'raise TooSmall(n)' in error.__notes__[0])\n")
        self.assertEqual(output.splitlines(), ["training -1", "-1 is too small -1 True"])

    def test_map_is_one_job(self):
        output = self.run_program("import kinetic, model\n"
                                  "batch = kinetic.map(model.train, [1, -1, 3], parallel=2)\n"
                                  "print(*map(repr, batch.results(return_exceptions=True)), sep='\\n')\n")
        self.assertEqual(output.splitlines(), ["{'n': 1}", "TooSmall('-1 is too small')", "{'n': 3}"])
        job, = self.machine.answer("ps", "--all")
        self.assertEqual(job["tasks"]["failed"], 1)

    def test_ctrl_c_detaches(self):
        process = self.start("import kinetic\n@kinetic.run\ndef wait():\n    import time\n"
                             "    print('begun', flush=True)\n    time.sleep(600)\nwait()\n")
        self.assertEqual(process.stdout.readline(), "begun\n")
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        job, = self.machine.answer("ps")
        self.assertIn(job["id"], messages)
        self.assertIn("KeyboardInterrupt", messages)
        self.assertEqual(self.machine.run("cancel", job["id"]).returncode, 0)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
