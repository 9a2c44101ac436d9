"""Builds the wheel for every CPython of this machine, and runs a job from each, in a bare virtual environment.

    wheel_test.py SOURCE_FOLDER
"""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(sys.argv.pop(1))
PROGRAM = """
import kinetic

@kinetic.run
def version(x):
    import sys
    return x, sys.version_info[:2]

@kinetic.run
def fail():
    return 1 / 0  # here

print(version(b"a"))
try:
    fail()
except ZeroDivisionError as error:
    import traceback
    assert "return 1 / 0  # here" in "".join(traceback.format_exception(error))
"""


def interpreters():
    """Returns the newest interpreter of each supported minor version."""
    found = {}
    for path in sorted([*glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")), "/usr/bin/python3"]):
        version = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                                 capture_output=True, text=True).stdout.strip()
        if version in ("3.10", "3.11", "3.12", "3.13"):
            found[version] = path
    return found


class Wheels(unittest.TestCase):
    def run_program(self, *command, **options):
        done = subprocess.run(command, capture_output=True, text=True, **options)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_job_from_each_python(self):
        found = interpreters()
        self.assertTrue(found)
        for version, python in found.items():
            with self.subTest(version), tempfile.TemporaryDirectory() as folder:
                self.check(python, pathlib.Path(folder))

    def check(self, python, folder):
        self.run_program(python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, SOURCE)
        wheel, = folder.glob("kinetic-*.whl")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
        self.run_program(python, "-m", "venv", folder / "venv")
        programs = folder / "venv/bin"
        self.run_program(programs / "pip", "install", "-q", wheel)
        (folder / "project").mkdir()
        (folder / "project/main.py").write_text(PROGRAM)
        environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        out = self.run_program(programs / "python", "main.py", cwd=folder / "project", env=environment)
        minor = self.run_program(python, "-c", "import sys; print(sys.version_info[:2])").strip()
        self.assertEqual(out, f"(b'a', {minor})\n")
        self.assertEqual(self.run_program(programs / "kinetic", "--version", env=environment),
                         "kinetic " + wheel.name.split("-")[1] + "\n")
        listed = self.run_program(programs / "kinetic", "ps", "--all", env=environment)
        self.assertIn("version", listed)
        shutil.rmtree(folder / ".cache", ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
