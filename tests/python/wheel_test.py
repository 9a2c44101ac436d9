"""Builds the wheel for every CPython of this machine, and runs a job from each, in a bare virtual environment.

    wheel_test.py SOURCE_FOLDER
"""

import glob
import os
import pathlib
import subprocess
import sys
import tarfile
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


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Wheels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.pythons = interpreters()
        run(f"{SOURCE}/scripts/wheels", cls.folder / "wheels", *cls.pythons.values())

    def wheel(self, version):
        tag = "cp" + version.replace(".", "")
        wheel, = (self.folder / "wheels").glob(f"kinetic-*-{tag}-{tag}-manylinux_*.whl")
        return wheel

    def test_job_from_each_python(self):
        self.assertTrue(self.pythons)
        for version, python in self.pythons.items():
            with self.subTest(version):
                self.check(version, python, self.folder / version)

    def check(self, version, python, folder):
        wheel = self.wheel(version)
        self.assertLess(wheel.stat().st_size, 26e6)
        run(python, "-m", "venv", folder / "venv")
        programs = folder / "venv/bin"
        run(programs / "pip", "install", "-q", wheel)
        (folder / "project").mkdir()
        (folder / "project/main.py").write_text(PROGRAM)
        environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        out = run(programs / "python", "main.py", cwd=folder / "project", env=environment)
        self.assertEqual(out, f"(b'a', ({version.replace('.', ', ')}))\n")
        self.assertEqual(run(programs / "kinetic", "--version", env=environment),
                         "kinetic " + wheel.name.split("-")[1] + "\n")
        self.assertIn("version", run(programs / "kinetic", "ps", "--all", env=environment))

    def test_source_distribution_is_complete(self):
        archive, = (self.folder / "wheels").glob("kinetic-*.tar.gz")
        with tarfile.open(archive) as tar:
            names = {name.partition("/")[2] for name in tar.getnames()}
        files = run("git", "-C", SOURCE, "ls-files", "src", "include", "cli", "cmake", "python", "CMakeLists.txt",
                    "LICENSE", "README.md", "pyproject.toml").split()
        self.assertEqual(set(files) - names, set())
        self.assertEqual([name for name in names if name.endswith(".pyc")], [])
        self.assertNotIn("tests", {name.partition("/")[0] for name in names})


if __name__ == "__main__":
    unittest.main()
