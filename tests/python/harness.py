"""Runs Python programs that use the built package, each in its own home directory, with real jobs on this machine."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

import read_only

PACKAGE, BIN = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
TIMEOUT = 120  # seconds; a successful run takes a fraction of it


class PythonCase(unittest.TestCase):
    """A test case with a project folder."""

    python = "/usr/bin/python3"

    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-python-"))
        self.addCleanup(read_only.remove, self.home)
        self.work = self.home / "project"
        self.work.mkdir()
        (self.work / "requirements.txt").write_text("")

    def environment(self, **more):
        return {"HOME": str(self.home), "PATH": f"{BIN}:/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "ana",
                "PYTHONPATH": PACKAGE, "KINETIC_RUNNER": f"{BIN}/kinetic-runner", "KINETIC_CONCURRENCY": "4",
                **({"TMPDIR": os.environ["TMPDIR"]} if "TMPDIR" in os.environ else {}), **more}

    def write(self, name, text):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def start(self, *arguments, **options):
        return subprocess.Popen([self.python, *arguments], cwd=self.work, env=self.environment(),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **options)

    def run_python(self, *arguments, text=None, code=0, folder=None):
        """Runs the interpreter to the end, with a program as its standard input, and checks the exit code."""
        done = subprocess.run([self.python, *arguments], cwd=folder or self.work, env=self.environment(),
                              input=text and textwrap.dedent(text), capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, code, f"{done.stdout}\n{done.stderr}")
        return done

    def run_script(self, text, code=0):
        """Runs a program as the script main.py of the project."""
        self.write("main.py", text)
        return self.run_python("main.py", code=code)

    def kinetic(self, *arguments):
        done = subprocess.run([f"{BIN}/kinetic", *arguments], cwd=self.work, env=self.environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT, check=True)
        return done.stdout

    def jobs(self):
        return json.loads(self.kinetic("ps", "--all", "--json"))
