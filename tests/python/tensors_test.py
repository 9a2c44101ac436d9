"""Arrays of JAX and TensorFlow become numpy arrays. Installs each in its own virtual environment.

PyTorch, whose wheel needs gigabytes of CUDA, has a test with a stand-in: tests/unit/runner/shim_test.py.
"""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness import PythonCase

ECHO = """
import os
import kinetic, numpy

@kinetic.run(env={"PYTHONPATH": os.path.dirname(os.path.dirname(numpy.__file__))})
def echo(values):
    assert all(type(value) is numpy.ndarray for value in values), values
    return values
"""


class Tensors(PythonCase):
    def check(self, packages, program):
        """Runs a program with packages, and `echo`, which sends values to a job and back."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-tensors-"))
        self.addCleanup(shutil.rmtree, folder)
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "-q", "numpy", "ml_dtypes", *packages], check=True)
        self.python = str(folder / "bin/python")
        self.write("echoes.py", ECHO)
        self.run_python("-", text=program)

    def test_types_of_ml_dtypes(self):
        self.check([], """
            import ml_dtypes, numpy
            from echoes import echo

            names = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4"]
            values = [numpy.array([[0, 1], [2, 3]], getattr(ml_dtypes, name)) for name in names]
            values.append(numpy.arange(100_000).astype(ml_dtypes.bfloat16))
            for before, after in zip(values, echo(values)):
                assert before.dtype == after.dtype and (before == after).all(), (before, after)
        """)

    def test_jax(self):
        self.check(["jax"], """
            import jax, ml_dtypes, numpy
            from echoes import echo

            half, whole = echo([jax.numpy.array([1, 2.5], "bfloat16"), jax.numpy.arange(3)])
            assert half.dtype == ml_dtypes.bfloat16 and half.tolist() == [1, 2.5], half
            assert whole.dtype == numpy.int32 and whole.tolist() == [0, 1, 2], whole
        """)

    def test_tensorflow(self):
        self.check(["tensorflow-cpu"], """
            import ml_dtypes, numpy, tensorflow
            from echoes import echo

            half, whole, weights = echo([tensorflow.constant([1, 2.5], "bfloat16"), tensorflow.range(3),
                                         tensorflow.Variable([[1.0]])])
            assert half.dtype == ml_dtypes.bfloat16 and half.tolist() == [1, 2.5], half
            assert whole.dtype == numpy.int32 and whole.tolist() == [0, 1, 2], whole
            assert weights.dtype == numpy.float32 and weights.shape == (1, 1), weights
        """)


if __name__ == "__main__":
    unittest.main()
