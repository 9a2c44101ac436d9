"""The types of the package, as mypy and pyright check them: of its own sources, and of a program that uses it.

    types_test.py SOURCE_FOLDER UV_FOLDER
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, UV = (os.path.abspath(word) for word in sys.argv[1:3])
del sys.argv[1:3]
MYPY = [UV + "/uv", "tool", "run", "--quiet", "--python", sys.executable, "--with", "cloudpickle==3.1.3",
        "--with", "typing_extensions==4.16.0", "mypy==2.4.1"]
# With the packages of its own environment. It runs Node.
PYRIGHT = [UV + "/uv", "run", "--quiet", "--no-project", "--python", sys.executable, "--with", "cloudpickle==3.1.3",
           "--with", "typing_extensions==4.16.0", "--with", "pyright==1.1.414", "python", "-c",
           "import pyright, sys; sys.exit(pyright.main(['--pythonpath', sys.executable, *sys.argv[1:]]))"]
PROGRAM = """
import kinetic

@kinetic.run(accelerator="v5litepod-4", retry={"attempts": 2})
def length(text: str) -> int:
    return len(text)

number: int = length("a")
job: kinetic.Job[int] = length.submit("a")
values: list[int] = kinetic.map(length, ["a", "b"]).results()

class Model:
    @kinetic.run
    def predict(self, x: int) -> str:
        return str(x)

text: str = Model().predict(3)
texts: list[str] = Model().predict.map([1, 2]).results()

async def wait() -> int:
    return await length.submit("a")
"""
# Lines, and words of the errors that mypy reports for them.
WRONG = [('length(1)', 'incompatible type "int"; expected "str"'),
         ('word: str = length("a")', 'expression has type "int"'),
         ('Model().predict("a")', 'incompatible type "str"; expected "int"'),
         ('kinetic.run(acelerator="v5litepod-4")', 'acelerator')]


class Types(unittest.TestCase):
    maxDiff = None

    def mypy(self, *arguments):
        environment = {**os.environ, "UV_CACHE_DIR": os.path.expanduser("~/.cache/kinetic-tests/uv-cache"),
                       "MYPYPATH": SOURCE + "/python"}
        done = subprocess.run([*MYPY, *arguments], cwd=SOURCE, capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout + done.stderr

    def program(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program.py"
            path.write_text(text)
            return self.mypy("--strict", "--config-file", "", "--cache-dir", folder, str(path))

    def test_package(self):
        code, output = self.mypy("--cache-dir", "/dev/null")
        self.assertEqual(code, 0, output)

    def test_program(self):
        code, output = self.program(PROGRAM + "".join(line + "\n" for line, _ in WRONG))
        first = len(PROGRAM.splitlines()) + 1
        self.assertEqual(code, 1, output)
        errors = [line for line in output.splitlines() if "program.py:" in line and ": error:" in line]
        self.assertEqual(len(errors), len(WRONG), output)
        for number, (error, (_, words)) in enumerate(zip(errors, WRONG)):
            self.assertIn(f"program.py:{first + number}: ", error)
            self.assertIn(words, error)

    @unittest.skipUnless(shutil.which("node"), "pyright runs Node")
    def test_pyright(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(PROGRAM + "".join(line + "\n" for line, _ in WRONG))
            settings = {"reportMissingModuleSource": False, "pythonVersion": "3.10", "extraPaths": [SOURCE + "/python"]}
            pathlib.Path(folder, "pyrightconfig.json").write_text(json.dumps({**settings, "typeCheckingMode": "strict"}))
            own = pathlib.Path(folder, "own.json")
            own.write_text(json.dumps({**settings, "include": [os.path.relpath(SOURCE + "/python/kinetic", folder)]}))
            errors = self.pyright("--project", str(own))
            self.assertEqual([error["message"] for error in errors if "\"pandas\"" not in error["message"]], [])
            first = len(PROGRAM.splitlines()) + 1
            self.assertEqual(self.pyright("--project", folder), [first + i for i in range(len(WRONG))])

    def pyright(self, *arguments):
        """Returns the lines of errors in the program, or the complete errors in another file."""
        environment = {**os.environ, "UV_CACHE_DIR": os.path.expanduser("~/.cache/kinetic-tests/uv-cache")}
        done = subprocess.run([*PYRIGHT, "--outputjson", *arguments], capture_output=True, text=True, env=environment)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        report = json.loads(done.stdout[done.stdout.index("{"):])
        self.assertGreater(report["summary"]["filesAnalyzed"], 0)
        errors = [error for error in report["generalDiagnostics"] if error["severity"] == "error"]
        return [error["range"]["start"]["line"] + 1 if error["file"].endswith("program.py") else error for error in errors]


if __name__ == "__main__":
    unittest.main()
