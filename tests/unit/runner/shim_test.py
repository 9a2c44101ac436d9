"""The Python shim by itself: values, exceptions, calls.   shim_test.py SHIM_FOLDER"""

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import uuid

SHIM = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, SHIM)

import _kinetic_errors as errors  # noqa: E402
import _kinetic_values as values  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: int
    y: float


Pair = collections.namedtuple("Pair", "a b")


class Encoding(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def encode(self, value):
        return values.Encoder(self.folder.name).encode(value)

    def refused(self, value):
        with self.assertRaises(values.NotSerializable) as caught:
            self.encode(value)
        return caught.exception


class Values(Encoding):
    def back(self, value):
        text = json.dumps(self.encode(value), allow_nan=False)
        return values.decode(json.loads(text), "/root")

    def test_json_values_are_unchanged(self):
        value = {"a": [1, 2.5, None, True, "é"], "b": {}}
        self.assertEqual(self.encode(value), value)

    def test_other_types_round_trip(self):
        for value in (
            2**63, -(2**63) - 1, 10**5000, (1, (2, [3])), {1, 2}, frozenset({"a"}), b"\x00\xff", 1 + 2j,
            {1: "a", (2, 3): "b"}, {"$ref": 1}, datetime.datetime(2026, 1, 2, 3, 4, 5, 6),
            datetime.date(2026, 1, 2), datetime.time(1, 2), datetime.timedelta(1, 2, 3),
            decimal.Decimal("1.50"), fractions.Fraction(1, 3), uuid.UUID(int=7), float("inf"), -float("inf"),
        ):
            found = self.back(value)
            self.assertEqual(found, value)
            self.assertIs(type(found), type(value))
        self.assertNotEqual(self.back(float("nan")), self.back(float("nan")))

    def test_dataclasses_tuples_and_enums_keep_names(self):
        self.assertEqual(self.encode(Point(1, 2.0)), {"$dataclass": {"type": "Point", "fields": {"x": 1, "y": 2.0}}})
        self.assertEqual(self.encode(Pair(1, 2)), {"$namedtuple": {"type": "Pair", "fields": {"a": 1, "b": 2}}})
        self.assertEqual(self.encode(Colour.RED), {"$enum": {"type": "Colour", "name": "RED", "value": 1}})
        self.assertEqual(self.encode(pathlib.PurePosixPath("a/b")), {"$path": "a/b"})

    def test_list_and_map_subclasses(self):
        self.assertEqual(self.encode(collections.deque([1, 2])), [1, 2])
        self.assertEqual(self.encode(range(3)), [0, 1, 2])
        self.assertEqual(self.encode(collections.OrderedDict(b=1, a=2)), {"b": 1, "a": 2})

    def test_long_bytes_are_stored_as_files(self):
        blob = os.urandom(values.INLINE_BYTES + 1)
        reference = self.encode(blob)["$bytes"]
        self.assertEqual(pathlib.Path(self.folder.name, reference["$ref"]).read_bytes(), blob)

    def test_error_names_location_of_unserializable_value(self):
        problem = self.refused({"history": [1, {"model": object}]})
        self.assertEqual(problem.path, "$.history[1].model")
        self.assertEqual(problem.type, "type")
        cycle = []
        cycle.append(cycle)
        self.assertIn("contains itself", self.refused(cycle).message())
        deep = []
        for _ in range(values.MAX_DEPTH + 2):
            deep = [deep]
        self.assertIn("deeper", self.refused(deep).message())
        self.assertIn("surrogate", self.refused("\ud800").message())

    def test_repeated_list_is_not_a_cycle(self):
        shared = [1]
        self.assertEqual(self.encode([shared, shared]), [[1], [1]])

    def test_failing_repr_keeps_location(self):
        class Broken:
            def __repr__(self):
                raise RuntimeError

        self.assertIn("failed", self.refused(Broken()).repr)

    def test_deepest_value_is_readable(self):
        deep = 1
        for _ in range(values.MAX_DEPTH - 1):
            deep = {1: deep}
        text = json.dumps(self.encode(deep))
        depth = most = 0
        for character in text:
            depth += (character in "[{") - (character in "]}")
            most = max(most, depth)
        self.assertLess(most, 500)

    def test_path_arguments_are_relative_to_root(self):
        self.assertEqual(values.decode({"f": {"$path": "a/../b"}}, "/root"), {"f": "/root/b"})
        self.assertEqual(values.decode({"$path": "/data/x"}, "/root"), "/data/x")


@unittest.skipIf(numpy is None, "numpy is not installed")
class Arrays(Encoding):
    def test_numpy_scalars_are_numbers(self):
        for value, expected in ((numpy.float32(0.5), 0.5), (numpy.int8(3), 3), (numpy.bool_(True), True),
                                (numpy.array(2.5), 2.5), (numpy.str_("a"), "a")):
            self.assertEqual(self.encode(value), expected)
        self.assertEqual(self.encode(numpy.float64("nan")), {"$float": "nan"})

    def test_arrays_are_stored_as_npy_files(self):
        array = numpy.arange(6, dtype="float32").reshape(2, 3)
        encoded = self.encode(array)["$array"]
        self.assertEqual((encoded["dtype"], encoded["shape"]), ("float32", [2, 3]))
        self.assertEqual(encoded["items"], [[0, 1, 2], [3, 4, 5]])
        loaded = numpy.load(os.path.join(self.folder.name, encoded["$ref"]), allow_pickle=False)
        numpy.testing.assert_array_equal(loaded, array)

    def test_object_arrays_are_rejected(self):
        self.assertIn("holds Python objects", self.refused(numpy.array([object()])).message())


class Exceptions(unittest.TestCase):
    def describe(self, function):
        try:
            function()
        except BaseException as error:
            return errors.Describer(os.path.dirname(os.path.abspath(__file__)), SHIM).describe(error)
        raise AssertionError("nothing was raised")

    def test_frames_are_relative_to_root(self):
        def fail():
            raise KeyError("k")

        described = self.describe(fail)
        self.assertEqual(described["type"], "KeyError")
        self.assertEqual(described["traceback"][-1]["file"], "shim_test.py")
        self.assertEqual(described["traceback"][-1]["code"], 'raise KeyError("k")')

    def test_exception_chain_and_suppression(self):
        def cause():
            try:
                int("x")
            except ValueError as error:
                raise RuntimeError("r") from error

        def context():
            try:
                int("x")
            except ValueError:
                raise RuntimeError("r")

        def suppressed():
            try:
                int("x")
            except ValueError:
                raise RuntimeError("r") from None

        self.assertEqual(self.describe(cause)["relation"], "cause")
        self.assertEqual(self.describe(context)["relation"], "context")
        self.assertEqual(self.describe(suppressed)["relation"], "")
        self.assertNotIn("cause", self.describe(suppressed))

    def test_recursive_traceback_is_truncated(self):
        def again():
            again()

        described = self.describe(again)
        self.assertLessEqual(len(described["traceback"]), errors.MAX_FRAMES + 1)
        self.assertIn("omitted", described["traceback"][errors.MAX_FRAMES // 2]["function"])

    def test_failing_str_and_long_message(self):
        class Broken(Exception):
            def __str__(self):
                raise ValueError

        def broken():
            raise Broken

        def long():
            raise ValueError("x" * 10**6)

        self.assertIn("failed", self.describe(broken)["message"])
        self.assertLess(len(self.describe(long)["message"]), errors.MAX_MESSAGE + 100)

    @unittest.skipIf(sys.version_info < (3, 11), "exception groups are of Python 3.11")
    def test_exception_group_lists_its_members(self):
        def fail():
            raise eval("ExceptionGroup('g', [ValueError('one'), TypeError('two')])")

        self.assertIn("- ValueError: one\n  - TypeError: two", self.describe(fail)["message"])


class Calls(unittest.TestCase):
    def run_shim(self, source, name="main", arguments="{}"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder, "work")
            root.mkdir()
            (root / "job.py").write_text(source)
            pathlib.Path(folder, "arguments.json").write_text(arguments)
            read, write = os.pipe()
            done = subprocess.run(
                ["sh", "-c", 'exec "$@" 3>&%d' % write, "sh", sys.executable, "-u", SHIM, "3", folder, "job", name],
                cwd=root, pass_fds=[write], capture_output=True, text=True, timeout=60, check=False,
            )
            os.close(write)
            with os.fdopen(read, "rb") as pipe:
                return done, list(self.messages(pipe.read())), self.value(folder)

    @staticmethod
    def messages(data):
        while data:
            (length,) = struct.unpack(">I", data[:4])
            yield json.loads(data[4 : 4 + length])
            data = data[4 + length :]

    @staticmethod
    def value(folder):
        file = pathlib.Path(folder, "value.json")
        return json.loads(file.read_text()) if file.exists() else None

    def test_value_is_returned(self):
        done, messages, value = self.run_shim("def main(a, b=2): return [a, b]", arguments="[1]")
        self.assertEqual((done.returncode, value), (0, [1, 2]), done.stderr)
        self.assertEqual([m["kind"] for m in messages], ["started", "returned"])

    def test_forked_child_stores_no_value(self):
        source = (
            "import os\n"
            "def main():\n"
            "    ours, theirs = os.pipe()\n"
            "    if os.fork() == 0:\n"
            "        os.close(theirs)\n"
            "        os.read(ours, 1)\n"
            "        return 'of the fork'\n"
            "    import threading\n"
            "    def wait():\n"
            "        threading.main_thread().join()\n"
            "        os.close(theirs)\n"
            "        os.wait()\n"
            "    threading.Thread(target=wait).start()\n"
            "    return 'of the job'\n"
        )
        _, _, value = self.run_shim(source)
        self.assertEqual(value, "of the job")

    def test_shim_folder_is_not_in_path(self):
        done, messages, value = self.run_shim("import sys\ndef main(): return [p for p in sys.path if 'shim' in p]")
        self.assertEqual(value, [], done.stderr)

    def test_unexpected_arguments_are_rejected(self):
        _, messages, value = self.run_shim("def main(a): pass", arguments='{"b": 1}')
        self.assertEqual(messages[-1]["kind"], "refused")
        self.assertIn("main(a) cannot be called with these arguments", messages[-1]["reason"])

    def test_malformed_argument_is_rejected(self):
        for argument in ('{"$int": "x"}', '{"$bytes": {"$ref": "a"}}', '{"$datetime": 5}', '{"$decimal": "x"}'):
            _, messages, _ = self.run_shim("def main(a): pass", arguments='{"a": %s}' % argument)
            self.assertEqual(messages[-1]["kind"], "refused", messages)
            self.assertIn("invalid argument", messages[-1]["reason"])

    def test_module_that_removes_itself(self):
        done, messages, _ = self.run_shim("import sys\nsys.modules.pop('job')\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn(messages[-1]["kind"], ("raised", "refused"))

    def test_output_during_import_and_exit_with_text(self):
        done, messages, _ = self.run_shim("print('importing')\ndef main(): raise SystemExit('no data')")
        self.assertEqual((done.returncode, done.stdout), (1, "importing\n"))
        self.assertIn("no data", done.stderr)
        self.assertEqual(messages[-1], {"kind": "exited", "code": 1})


if __name__ == "__main__":
    unittest.main()
