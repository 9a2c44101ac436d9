"""Functions without a dependency file, which get the packages of the Python tool's image that they import."""

import os
import pathlib
import shutil
import sys
import textwrap
import unittest

from harness import PythonCase

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from package_index import PackageIndex, module
from python_packages import wheel

KERAS = 'import os\nbackend = os.environ.get("KERAS_BACKEND")\n'
PROGRAM = """
import os
{head}
import kinetic

@kinetic.run
def train():
{body}

print(train())
"""


class DefaultPackages(PythonCase):
    def setUp(self):
        super().setUp()
        os.remove(self.work / "requirements.txt")
        self.index = PackageIndex(wheel("keras", [("keras.py", KERAS)], (), version="3.0"), module("jax", "1.0"),
                                  module("torch", "2.0"), module("tensorflow", "2.0"))
        self.addCleanup(self.index.close)

    def environment(self, **more):
        environment = super().environment(UV_DEFAULT_INDEX=f"http://{self.index.place}", **more)
        return {**environment, "PATH": environment["PATH"] + ":" + os.path.dirname(shutil.which("uv"))}

    def output(self, head, body, requirements=None):
        if requirements is not None:
            (self.work / "requirements.txt").write_text(requirements)
        body = "\n".join("    " + line for line in body.splitlines())
        return self.run_script(PROGRAM.format(head=head, body=body))

    def test_keras_with_jax(self):
        done = self.output("", "import keras\nreturn keras.backend")
        self.assertEqual(done.stdout, "jax\n")
        self.assertIn("kinetic: there is no dependency file, so the job gets jax, keras, which the function uses\n",
                      done.stderr)

    def test_module_that_the_script_imports(self):
        self.write("keras.py", KERAS)  # installed here, and sent, too
        done = self.output("import keras\n\ndef backend():\n    return keras.backend\n", "return backend()")
        self.assertEqual(done.stdout, "jax\n")

    def test_helpers_behind_decorators(self):
        head = """
            import functools, kinetic

            def repeated(function):
                @functools.wraps(function)
                def call():
                    return function()
                return call

            @repeated
            def backend():
                import keras
                return keras.backend

            @kinetic.run
            def helper():
                return backend()
        """
        done = self.output(textwrap.dedent(head), "return helper()")
        self.assertEqual(done.stdout, "jax\n")

    def test_modules_of_the_project(self):
        self.write("helper.py", "import model\n\ndef build():\n    return model.backend()\n")
        self.write("model.py", "def backend():\n    import keras\n    return keras.backend\n")
        self.assertEqual(self.output("import helper", "return helper.build()").stdout, "jax\n")
        self.assertEqual(self.output("from helper import build", "return build()").stdout, "jax\n")
        self.write("work.py", "import helper, kinetic\n\n@kinetic.run\ndef work():\n    return helper.build()\n")
        self.assertEqual(self.run_python("-c", "import work; print(work.work())").stdout, "jax\n")

    def test_other_packages(self):
        done = self.output("", "return os.environ.get('KERAS_BACKEND')")
        self.assertEqual(done.stdout, "None\n")
        self.assertNotIn("dependency file", done.stderr)
        self.assertEqual(self.jobs()[0]["state"], "succeeded")

    def test_dependency_file(self):
        body = "import keras\nreturn keras.backend"
        self.assertEqual(self.output("", body, "keras\ntorch\n").stdout, "torch\n")
        self.assertEqual(self.output("", body, "keras\ntensorflow\njax\n").stdout, "None\n")

    def test_variable_of_the_caller(self):
        body = "import keras\nreturn keras.backend"
        head = "os.environ['KERAS_BACKEND'] = 'torch'"
        self.assertEqual(self.output(head, body).stdout, "torch\n")


if __name__ == "__main__":
    unittest.main()
