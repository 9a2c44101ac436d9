"""The types of the package, as mypy checks them: of its own sources, and of a program that uses it.

    types_test.py SOURCE_FOLDER UV_FOLDER
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, UV = (os.path.abspath(word) for word in sys.argv[1:3])
del sys.argv[1:3]
MYPY = [UV + "/uv", "tool", "run", "--quiet", "--python", sys.executable, "--with", "cloudpickle==3.1.3",
        "--with", "typing_extensions==4.16.0", "mypy==2.4.1"]
PROGRAM = """
import kinetic

@kinetic.run(accelerator="v5litepod-4", retry={"attempts": 2})
def length(text: str) -> int:
    return len(text)

number: int = length("a")
job: kinetic.Job[int] = length.submit("a")
values: list[int] = kinetic.map(length, ["a", "b"]).results()
"""
# Lines, and words of the errors that mypy reports for them.
WRONG = [('length(1)', 'incompatible type "int"; expected "str"'),
         ('text: str = length("a")', 'expression has type "int"'),
         ('kinetic.run(acelerator="v5litepod-4")', 'acelerator')]


class Types(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
