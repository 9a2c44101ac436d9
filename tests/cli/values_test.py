"""Tests parts of values, and arrays as arguments and results. Uses the system's Python and its numpy."""

import subprocess
import unittest

from harness import JobCase

PATH = "/usr/bin:/bin"
FUNCTIONS = """
import numpy

def pair():
    return (1, ("a", None))

def nested(w):
    return {"metrics": {"w": 2 * w, "loss": 0.5}, "history": [{"w": numpy.zeros(1000)}, {"w": w}], "kind": str(w.dtype)}

def whole():
    return numpy.ones((2, 2))
"""


NUMPY = subprocess.run(["/usr/bin/python3", "-c", "import numpy; print(numpy.__path__[0])"], capture_output=True,
                       text=True).stdout.strip().removesuffix("/numpy")


@unittest.skipUnless(NUMPY, "numpy is not installed")
class Values(JobCase):
    def setUp(self):
        super().setUp()
        self.write("work.py", FUNCTIONS)
        self.python("import numpy; numpy.save('w.npy', numpy.array([1.5, 2.5], 'float32'))")

    def environment(self, **more):
        return super().environment(**{"PATH": PATH, **more})

    def python(self, code):
        return subprocess.run(["/usr/bin/python3", "-c", code], cwd=self.work, check=True, capture_output=True,
                              text=True).stdout

    def run_function(self, name, rest=""):
        self.write("job.yaml", f"name: {name}\nfunction: work:{name}\nenv: {{PYTHONPATH: {NUMPY}}}\n{rest}")
        return self.run_kinetic("run", "--id", name, "job.yaml")

    def test_tuples_are_lists_for_people(self):
        self.assertEqual(self.run_function("pair").stdout, '[1,["a",null]]\n')
        self.assertEqual(self.json("result", "pair")["value"], {"$tuple": [1, {"$tuple": ["a", None]}]})
        self.assertEqual(self.run_kinetic("result", "pair", "--ref", "[1]").stdout, '["a",null]\n')
        self.assertEqual(self.run_kinetic("result", "pair", "--ref", "[1][1]").stdout, "")

    def test_arrays_are_arguments_and_parts(self):
        self.run_function("nested", "args: {w: {$npy: w.npy}}\n")
        self.assertEqual(self.run_kinetic("result", "nested", "--ref", "kind", "--raw").stdout, "float32")
        self.assertEqual(self.json("result", "nested", "--ref", "metrics.loss"), 0.5)
        self.run_kinetic("result", "nested", "--ref", "metrics.w", "--output", "part.npy")
        self.assertEqual(self.python("import numpy; print(numpy.load('part.npy'))"), "[3. 5.]\n")
        done = self.run_kinetic("result", "nested", "--output", "whole.npy")
        self.assertIn("the value is not an array, so whole.npy contains JSON", done.stderr)
        digest = self.json("result", "nested", "--ref", "history[1].w")["$array"]["$ref"]
        self.run_kinetic("result", "nested", "--ref", digest, "--output", "digest.npy")
        self.assertEqual((self.work / "digest.npy").read_bytes(), (self.work / "w.npy").read_bytes())
        self.assertEqual(self.run_kinetic("result", "nested", "--ref", "history[1].w").stdout.count(digest), 1)
        done = self.run_kinetic("result", "nested", "--ref", "metrics.v", code=2)
        self.assertIn("the value has no part 'metrics.v'", done.stderr)
        self.assertIn("its parts are: w, loss", done.stderr)

    def test_large_arrays_are_objects_of_their_own(self):
        self.python("import numpy; numpy.save('w.npy', numpy.arange(100_000, dtype='float64'))")
        self.run_function("nested", "args: {w: {$npy: w.npy}}\n")
        self.run_kinetic("rerun", "nested", "--id", "again")
        for job in ("nested", "again"):
            [array] = (self.home / ".local/share/kinetic/store/jobs" / job / "arguments").iterdir()
            self.assertEqual(array.read_bytes(), (self.work / "w.npy").read_bytes())
            self.run_kinetic("result", job, "--ref", "metrics.w", "--output", "part.npy")
            self.assertEqual(self.python("import numpy; print(numpy.load('part.npy')[-1])"), "199998.0\n")
        self.assertIn("the same code, packages, arguments", self.run_kinetic("diff", "nested", "again").stdout)
        self.run_kinetic("rm", "nested")
        self.assertFalse((self.home / ".local/share/kinetic/store/jobs/nested").exists())

    def test_all_arrays_can_be_fetched(self):
        self.run_function("nested", "args: {w: {$npy: w.npy}}\n")
        done = self.run_kinetic("result", "nested", "--to", "got")
        self.assertEqual(done.stdout.split(), ["got/metrics.w.npy", "got/history.0.w.npy", "got/history.1.w.npy"])
        self.assertEqual(self.python("import numpy; print(numpy.load('got/history.0.w.npy').shape)"), "(1000,)\n")
        self.run_function("whole")
        self.assertEqual(self.json("result", "whole", "--to", "got"), [{"path": "", "file": "got/value.npy"}])
        self.run_function("pair")
        self.assertIn("no arrays", self.run_kinetic("result", "pair", "--to", "none").stderr)
        self.assertFalse((self.work / "none").exists())

    def test_invalid_array_is_reported_before_submission(self):
        self.write("w.npy", "no array")
        self.write("job.yaml", "function: work:nested\nargs: {w: {$npy: w.npy}}\n")
        done = self.run_kinetic("run", "job.yaml", code=2)
        self.assertIn('job.yaml:2:18: args.w: "w.npy" is not an .npy file', done.stderr)
        self.assertEqual(self.json("ps", "--all"), [])


if __name__ == "__main__":
    unittest.main()
