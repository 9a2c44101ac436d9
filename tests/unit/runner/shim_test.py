"""The Python shim by itself: values, exceptions, calls.   shim_test.py SHIM_FOLDER"""

import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import inspect
import io
import itertools
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import uuid

SHIM = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, SHIM)

import _kinetic_attributes as attributes  # noqa: E402
import _kinetic_call as call  # noqa: E402
import _kinetic_encoder as encoding  # noqa: E402
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

    def back(self, value):
        text = json.dumps(self.encode(value), allow_nan=False)
        return values.decode(json.loads(text), "/root")

    def set_bound(self, mebibytes):
        self.addCleanup(setattr, encoding, "MAX_BYTES", encoding.MAX_BYTES)
        encoding.MAX_BYTES = mebibytes << 20

    def untyped(self, value):
        """Returns the encoded value without the name of its type."""
        encoded = self.encode(value)
        return encoded["$typed"]["value"] if "$typed" in (encoded if isinstance(encoded, dict) else {}) else encoded

    def refused(self, value):
        with self.assertRaises(values.NotSerializable) as caught:
            self.encode(value)
        return caught.exception


class Values(Encoding):
    def test_json_values_are_unchanged(self):
        value = {"a": [1, 2.5, None, True, "é"], "b": {}}
        self.assertEqual(self.encode(value), value)

    def test_other_types_round_trip(self):
        for value in (
            2**63, -(2**63) - 1, 10**5000, (1, (2, [3])), {1, 2}, frozenset({"a"}), b"\x00\xff", 1 + 2j,
            {1: "a", (2, 3): "b"}, {"$ref": 1}, datetime.datetime(2026, 1, 2, 3, 4, 5, 6),
            datetime.date(2026, 1, 2), datetime.time(1, 2), datetime.timedelta(1, 2, 3), bytearray(b"\0a"),
            collections.OrderedDict(b=1, a=2), collections.OrderedDict({2: 1}), collections.Counter("abca"),
            collections.defaultdict(list, a=[1]), collections.defaultdict(None, {1: 2}), collections.deque([1, (2,)]),
            collections.deque([1, 2], maxlen=2), range(5), range(0, 10**15, 7), range(0), slice(1, None, "a"),
            pathlib.PurePosixPath("a/../b"), pathlib.PureWindowsPath("a\\b"),
            decimal.Decimal("1.50"), fractions.Fraction(1, 3), uuid.UUID(int=7), float("inf"), -float("inf"),
        ):
            found = self.back(value)
            self.assertEqual(found, value)
            self.assertIs(type(found), type(value))
        self.assertNotEqual(self.back(float("nan")), self.back(float("nan")))
        self.assertEqual(self.back(collections.deque([1, 2], maxlen=2)).maxlen, 2)
        self.assertIs(self.back(collections.defaultdict(set)).default_factory, set)

    def test_dataclasses_tuples_and_enums_keep_names(self):
        self.assertEqual(self.encode(Point(1, 2.0)), {"$dataclass": {"type": "Point", "fields": {"x": 1, "y": 2.0}}})
        self.assertEqual(self.encode(Pair(1, 2)), {"$namedtuple": {"type": "Pair", "fields": {"a": 1, "b": 2}}})
        self.assertEqual(self.encode(Colour.RED), {"$enum": {"type": "Colour", "name": "RED", "value": 1}})
        self.assertEqual(self.encode(pathlib.Path("a/b")), {"$path": "a/b"})

    def test_types_that_would_be_lost(self):
        """A value becomes one of the base type. Encoders that are strict refuse it."""
        for value, plain in ((type("Own", (dict,), {})(a=1), {"a": 1}), (type("Own", (str,), {})("a"), "a"),
                             (collections.defaultdict(lambda: 1, a=1), {"a": 1}), ({type("Own", (str,), {})("a"): 1}, {"a": 1}),
                             (types.MappingProxyType({"a": 1}), {"a": 1}), (type("Own", (bytearray,), {})(b"a"), b"a"),
                             (type("Own", (datetime.date,), {})(2026, 1, 2), datetime.date(2026, 1, 2))):
            self.assertEqual(self.encode([value]), self.encode([plain]))
            with self.assertRaises(values.NotSerializable) as caught:
                values.Encoder(self.folder.name, is_strict=True).encode([value])
            self.assertIn("would lose its type; return ", str(caught.exception))
            self.assertTrue(caught.exception.path.startswith("$[0]"))

    def test_attributes_of_data_classes_that_are_no_fields(self):
        @dataclasses.dataclass
        class Own:
            x: int
            y: int = dataclasses.field(init=False)
            z: int = dataclasses.field(init=False)

            def __post_init__(self):
                self.y = 2 * self.x

            @functools.cached_property
            def half(self):
                return self.x / 2

        own = Own(4)
        self.assertEqual(own.half, 2)
        encoded = self.encode(own)
        self.assertEqual(encoded["$dataclass"]["fields"], {"x": 4, "y": 8})
        found = values.decode(encoded, "/", lambda _: Own)
        self.assertEqual((found.x, found.y, found.half, hasattr(found, "z")), (4, 8, 2, False))
        own.cache = {}
        problem = self.refused([own])
        self.assertEqual(problem.path, "$[0]")
        self.assertIn("attributes that are no fields (cache)", str(problem))

    def test_subclasses_hide_nothing(self):
        """The base type's content counts, whatever methods the subclass has."""
        names = ("__iter__", "__len__", "items", "keys", "values", "__getitem__", "get", "__contains__", "tolist",
                 "__int__", "__index__", "__float__", "__complex__", "__bytes__", "__str__", "__bool__")
        lies = {name: lambda self, *_: [] for name in names}
        for base, content in (
            (str, "ab"), (int, 3), (int, 2**70), (float, 1.5), (complex, 1 + 2j), (bytes, b"ab"),
            (bytearray, b"ab"), (list, [1, 2]), (tuple, (1, 2)), (collections.deque, (1, 2)), (set, {1, 2}),
            (frozenset, {1, 2}), (dict, {"a": 1}), (dict, {1: 2}), (collections.OrderedDict, {"b": 1, "a": 2}),
            (collections.defaultdict, {"a": 1}), (collections.Counter, {"a": 1}),
        ):
            liar = type("Liar", (base,), lies)
            if issubclass(base, dict):
                value = liar()
                for key, item in content.items():
                    base.__setitem__(value, key, item)
            else:
                value = liar(content)
            self.assertEqual(self.encode(value), self.untyped(content if issubclass(base, dict) else base(content)), base)

    def test_order_of_an_ordered_map_is_kept(self):
        ordered = collections.OrderedDict(a=1, b=2)
        ordered.move_to_end("a")
        self.assertEqual(list(self.untyped(ordered)), ["b", "a"])

    def test_keys_that_only_look_equal_are_kept(self):
        class Key(str):
            __hash__ = object.__hash__
            __eq__ = object.__eq__

        self.assertEqual(self.encode({Key("a"): 1, Key("a"): 2}), {"$dict": [["a", 1], ["a", 2]]})

    def test_long_bytes_are_stored_as_files(self):
        blob = os.urandom(encoding.INLINE_BYTES + 1)
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
        for _ in range(encoding.MAX_DEPTH + 2):
            deep = [deep]
        self.assertIn("deeper", self.refused(deep).message())
        self.assertIn("surrogate", self.refused("\ud800").message())

    def test_error_advises_what_to_return_instead(self):
        for module, name, advice in (("pandas._libs.missing", "NAType", "return None"),
                                     ("pandas._libs.interval", "Interval", "return str(value)"),
                                     ("polars.lazyframe.frame", "LazyFrame(collect)", "return value.collect()"),
                                     ("torch", "Tensor(detach)", "return tensor.detach().cpu().numpy()"),
                                     ("jaxlib._jax", "ArrayImpl(__array__)", "return numpy.asarray(value)"),
                                     ("job", "Model(model_dump)", "return value.model_dump()"),
                                     ("job", "Model(__attrs_attrs__)", "return attrs.asdict(value)")):
            name, _, method = name.rstrip(")").partition("(")
            value = type(name, (), {"__module__": module, **({method: lambda self: 0} if method else {})})()
            self.assertIn(f"is not serializable; {advice}" if advice.startswith("return") else advice,
                          self.refused([value]).message())
        for value in (object(), type("Tensor", (), {"__module__": "torch"})(), iter([])):
            self.assertTrue(self.refused(value).message().endswith("is not serializable"), value)

    def test_array_that_cannot_be_converted_gets_advice(self):
        def fail(self, *_, **__):
            raise TypeError("on another device")
        fields = {"__module__": "torch", "__array__": fail, "dtype": "float32", "shape": (1,), "detach": fail}
        message = self.refused(type("Tensor", (), fields)()).message()
        self.assertIn("return tensor.detach().cpu().numpy()", message)

    def test_repeated_list_is_not_a_cycle(self):
        shared = [1]
        self.assertEqual(self.encode([shared, shared]), [[1], [1]])

    def test_shared_parts_are_counted_as_often_as_they_occur(self):
        """Whatever holds a part twice, 60 times over, is refused at once, with the bound and a place."""
        self.set_bound(1)
        for pair in (
            lambda x: [x, x], lambda x: (x, x), lambda x: {"a": x, "b": x}, lambda x: {1: x, 2: x},
            lambda x: frozenset({(1, x), (2, x)}), lambda x: Pair(x, x), lambda x: Point(x, x),
            lambda x: collections.deque([x, x]), lambda x: types.MappingProxyType({"a": x, "b": x}),
            lambda x: [[x], x], lambda x: [b"." * 10, x, x], lambda x: collections.OrderedDict(a=x, b=x),
        ):
            for first in ([1], "text", {}, b"." * encoding.INLINE_BYTES, Colour.RED):
                value = first
                try:
                    for _ in range(16 if isinstance(pair(1), frozenset) else 60):
                        value = pair(value)
                except TypeError:  # not hashable
                    continue
                value = [value] * 1000
                problem = self.refused(value)
                self.assertIn("makes the value longer than 1 MiB", problem.message())
                self.assertTrue(problem.path.startswith("$"), problem.path)

    def test_nothing_much_longer_than_the_bound_is_encoded(self):
        class Endless(collections.abc.Mapping):
            __len__ = __getitem__ = lambda self, key=None: 1
            __iter__ = lambda self: itertools.count()
            items = lambda self: ((str(i), i) for i in itertools.count())

        self.set_bound(1)
        for value in ("x" * (1 << 20), 1 << (1 << 24), fractions.Fraction(1 << (1 << 24)),
                      {"a": [0] * (1 << 19)}, Endless(), [b"x" * 1000] * 800, [None] * (1 << 18)):
            problem = self.refused(value)
            self.assertIn("longer than 1 MiB", problem.message())
        self.assertTrue(self.encode({"a": [0] * ((1 << 19) - 40), "b": "x" * 10}))

    def test_counted_bytes_are_at_most_those_of_the_json(self):
        for value in (
            {}, [], (), None, True, 0, -1, 10**18, 2**63, 10**500, 0.5, "", "é", {"a": {"b": [1, 2]}}, {1: 2},
            b"", b"x" * 1000, b"x" * (encoding.INLINE_BYTES + 1), 1j, {1}, Point(1, 2.0), Pair(1, 2), Colour.RED,
            fractions.Fraction(10**50, 3), decimal.Decimal(1), uuid.UUID(int=1), [[1] * 100] * 100,
        ):
            encoder = values.Encoder(self.folder.name)
            text = json.dumps(encoder.encode(value), separators=(",", ":"), ensure_ascii=False)
            self.assertLessEqual(encoder._size, len(text.encode()) + 1, value)

    def test_shared_part_is_a_copy_in_each_place(self):
        shared = {"k": ["x" * encoding.SHARED_BYTES]}
        value = [shared, [shared], shared]
        self.assertEqual(self.back(value), value)

    def test_failing_repr_keeps_location(self):
        class Broken:
            def __repr__(self):
                raise RuntimeError

        self.assertIn("failed", self.refused(Broken()).repr)

    def test_problem_is_one_line(self):
        class Frame:
            def __repr__(self):
                return "   a\n0  1\n1  2\n"

        class Key(Frame, tuple):
            pass

        self.assertEqual(self.refused({Key(): [print]}).path, "$[a 0  1 1  2][0]")
        self.assertEqual(self.refused(Frame()).repr, "a 0  1 1  2")

    def test_deepest_value_is_readable(self):
        for kind, levels in ((dict, encoding.MAX_DEPTH - 1), (collections.OrderedDict, encoding.MAX_DEPTH // 2)):
            deep = 1
            for _ in range(levels):
                deep = kind({1: deep})
            text = json.dumps(self.encode(deep))
            depth = most = 0
            for character in text:
                depth += (character in "[{") - (character in "]}")
                most = max(most, depth)
            self.assertLess(most, 500)

    def test_path_arguments_are_relative_to_root(self):
        self.assertEqual(values.decode({"f": {"$path": "a/../b"}}, "/root"), {"f": "/root/b"})
        self.assertEqual(values.decode({"$path": "/data/x"}, "/root"), "/data/x")


class Contents(Encoding):
    """What comes back is equal, or the refusal says where it was."""

    BASES = (("ab",), (3,), (2**70,), (1.5,), (1 + 2j,), (b"ab",), (bytearray(b"ab"),), ([1, 2],), ((1, 2),),
             (collections.deque([1, 2]),), ({1, 2},), (frozenset({1}),), ({"a": 1},), (collections.OrderedDict(b=1),),
             (collections.Counter("aab"),), (datetime.datetime, 2026, 1, 2), (datetime.date, 2026, 1, 2),
             (datetime.time, 3, 4), (datetime.timedelta, 1, 2), (decimal.Decimal("1.5"),), (fractions.Fraction, 1, 3),
             (pathlib.PurePosixPath("a/b"),), (uuid.UUID, str(uuid.UUID(int=7))))

    @staticmethod
    def subclass(base, members, arguments):
        """Returns an instance of a subclass of the base with these attributes, and one of the base."""
        if isinstance(base, type):
            return type("Sub", (base,), members)(*arguments), base(*arguments)
        return type("Sub", (type(base),), members)(base), base

    def test_attributes_of_subclasses_are_kept_or_refused(self):
        slots_fit = (list, dict, set, frozenset, float, bytearray, str, complex, datetime.date)
        for base, *arguments in self.BASES:
            for members in ({}, {"__slots__": ()}, {"__slots__": ("unit",)}, {"__slots__": ("__unit",)}):
                try:
                    value, plain = self.subclass(base, members, arguments)
                except TypeError:  # slots in a subclass of int, tuple, or bytes
                    self.assertNotIsInstance(base, slots_fit)
                    continue
                self.assertEqual(self.encode(value), self.untyped(plain))
                if members.get("__slots__") == ():
                    continue
                object.__setattr__(value, "_Sub__unit" if members.get("__slots__") == ("__unit",) else "unit", "m")
                problem = self.refused({"a": [0, 1, value]})
                self.assertEqual(problem.path, "$.a[2]", value)
                self.assertRegex(problem.message(), r"attributes that would be lost \(.*unit\).*; return ")

    def test_attributes_that_are_items_are_no_content(self):
        class Own(dict):
            def __init__(self, **items):
                super().__init__(items)
                self.__dict__ = self

        class Copied(collections.OrderedDict):
            def __init__(self, **items):
                super().__init__(items)
                self.__dict__.update(items, missing=None, __orig_class__=dict)

        self.assertEqual(self.encode(Own(a=1)), {"a": 1})
        self.assertEqual(self.encode(Copied(a=[1])), {"a": [1]})
        changed = Copied(a=[1])
        changed.a = [2]
        self.assertIn("(a)", self.refused(changed).message())

    def test_times_keep_zone_and_fold(self):
        import zoneinfo

        berlin, apia = zoneinfo.ZoneInfo("Europe/Berlin"), zoneinfo.ZoneInfo("Pacific/Apia")
        fixed = datetime.timezone(datetime.timedelta(hours=-3, minutes=-30))
        for when in ((2026, 7, 1, 2, 30), (2026, 10, 25, 2, 30), (2026, 3, 29, 2, 30), (1890, 1, 1), (2011, 12, 30, 1)):
            for zone in (berlin, apia, fixed, datetime.timezone.utc, zoneinfo.ZoneInfo("UTC")):
                for fold in (0, 1):
                    value = datetime.datetime(*when, microsecond=7, tzinfo=zone, fold=fold)
                    back = self.back([value])[0]
                    self.assertEqual((back.replace(fold=0), back.utcoffset()), (value.replace(fold=0), value.utcoffset()))
                    self.assertEqual(str(back.tzinfo), str(zone))
        for value in (datetime.datetime(2026, 1, 1, fold=1), datetime.time(1, fold=1), datetime.time(1, tzinfo=berlin)):
            self.assertEqual(self.refused([value]).path, "$[0]")
        self.assertEqual(self.back(datetime.time(1, tzinfo=fixed)), datetime.time(1, tzinfo=fixed))

    def test_nanoseconds_are_kept_or_refused(self):
        delta = type("Timedelta", (datetime.timedelta,), {"nanoseconds": 7})(0)
        self.assertEqual(self.encode(delta), {"$timedelta": [0, 0, 0, 7]})
        self.assertRaises(ValueError, values.decode, {"$timedelta": [0, 0, 0, 7]}, "/")
        for text in ("2026-01-01T00:00:00.000000007", "2026-01-01T00:00:00.000000007+01:00"):
            self.assertRaisesRegex(ValueError, "nanoseconds", values.decode, {"$datetime": text}, "/")

    def test_other_content_beside_items_is_refused(self):
        import array
        import time

        for value, advice in ((time.gmtime(0), "return tuple(value)"), (os.stat("/"), "return tuple(value)"),
                              (memoryview(array.array("i", [1, 2])), "return value.tolist()"),
                              (array.array("i", [1]), "return value.tolist()")):
            self.assertIn(advice, self.refused([value]).message())
        self.assertEqual(self.encode(memoryview(b"ab")), self.encode(b"ab"))


@unittest.skipIf(numpy is None, "numpy is not installed")
class Arrays(Encoding):
    def test_array_comes_back_equal_or_is_refused(self):
        """Every dtype, shape, order and subclass: the file has the same content, or the position is named."""
        dtypes = [code for code in numpy.typecodes["All"] if code != "O"] + [
            ">f4", "S3", "U2", "V4", "M8[ns]", "m8[7s]", [("a", "i4"), ("b", "f8", (2,))], [(("title", "a"), ">i2")],
            {"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 0]},
            numpy.dtype("i4", metadata={"unit": "m"}), [("a", numpy.dtype("i4", metadata={"unit": "m"}), (2,))],
            numpy.dtype({"names": ["a"], "formats": ["i1"], "itemsize": 8})]
        unit = type("Unit", (numpy.ndarray,), {"__array_finalize__": lambda self, _: setattr(self, "unit", "m")})
        refused = 0
        for dtype in map(numpy.dtype, dtypes):
            for shape in ((), (0,), (3,), (2, 3)):
                plain = numpy.frombuffer(bytes(range(1, 241)) * 4, numpy.dtype(("V", dtype.itemsize)) if dtype.itemsize else
                                         "u1")[:max(1, int(numpy.prod(shape)))]
                plain = (plain.view(dtype) if dtype.itemsize and dtype.char not in "U?" else
                         numpy.ones(plain.shape, dtype))[:int(numpy.prod(shape))].reshape(shape)
                for value in (plain, numpy.asfortranarray(plain), plain.view(numpy.recarray), plain.view(unit),
                              numpy.ma.array(plain), plain[()]):
                    try:
                        encoded = self.encode({"a": [value]})["a"][0]
                    except values.NotSerializable as problem:
                        self.assertEqual(problem.path, "$.a[0]")
                        self.assertTrue(isinstance(value, (unit, numpy.ma.MaskedArray, numpy.ma.core.MaskedConstant)) or
                                        values.has_metadata(dtype) or "overlapping" in problem.message(), problem.message())
                        refused += 1
                        continue
                    self.assertNotIsInstance(value, (unit, numpy.ma.MaskedArray))
                    if "$array" not in (encoded if isinstance(encoded, dict) else {}):
                        self.assertLess(dtype.itemsize, 17)  # a plain number, string or time
                        continue
                    back = numpy.load(os.path.join(self.folder.name, encoded["$array"]["$ref"]), allow_pickle=False)
                    self.assertEqual((back.dtype, back.shape, repr(back.tolist())),
                                     (plain.dtype, numpy.shape(value), repr(numpy.asarray(value).tolist())))
        self.assertGreater(refused, 100)

    def test_scalars_keep_their_precision(self):
        exact = numpy.longdouble(1) + numpy.finfo(numpy.longdouble).eps
        for value in (exact, exact + 1j, numpy.array(exact)):
            reference = self.encode([value])[0]["$array"]["$ref"]
            self.assertEqual(numpy.load(os.path.join(self.folder.name, reference))[()], value)

    def test_mask_is_not_dropped(self):
        message = self.refused({"a": numpy.ma.array([1.0, -999.0], mask=[False, True])}).message()
        self.assertIn("_mask", message)
        self.assertIn("return value.filled()", message)

    def test_mapped_file_is_an_array(self):
        mapped = numpy.memmap(os.path.join(self.folder.name, "file"), "i4", "w+", shape=(2,))
        self.assertEqual(self.encode(mapped)["$array"]["items"], [0, 0])

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

    def test_npy_arguments_become_arrays(self):
        array = numpy.arange(6, dtype="int16").reshape(3, 2)
        file = io.BytesIO()
        numpy.save(file, array)
        content = base64.b64encode(file.getvalue()).decode()
        decoded = values.decode({"w": [{"$npy": content}]}, "/root")["w"][0]
        numpy.testing.assert_array_equal(decoded, array)
        self.assertEqual(decoded.dtype, array.dtype)

    def test_half_precision_of_torch_keeps_its_name(self):
        wide = type("Tensor", (), {"__array__": lambda self, *_, **__: numpy.array([1, 2.5], "float32")})()
        fields = {"__module__": "torch", "__array__": None, "dtype": "torch.bfloat16", "shape": (2,),
                  "detach": lambda self: self, "cpu": lambda self: self, "float": lambda self: wide}
        encoded = self.encode(type("Tensor", (), fields)())["$typed"]
        self.assertEqual((encoded["type"], encoded["value"]["$array"]["items"]), ("ml_dtypes.bfloat16", [1, 2.5]))
        content = io.BytesIO()
        numpy.save(content, numpy.array([1, 2.5], "float32"))
        file = {"$npy": base64.b64encode(content.getvalue()).decode()}
        argument = {"$typed": {"type": "ml_dtypes.bfloat16", "value": file}}
        self.assertEqual(values.decode(argument, "/root").tolist(), [1, 2.5])

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

    def test_exception_that_cannot_be_read_is_described(self):
        class Broken(SyntaxError):
            filename = lineno = text = 5

        class Mute(Exception):
            __cause__ = property(lambda self: 1 / 0)

        for kind in (Broken, Mute):
            described = self.describe(lambda: (_ for _ in ()).throw(kind("m")))
            self.assertEqual((described["type"], described["traceback"]), (kind.__name__, []))

    @unittest.skipIf(sys.version_info < (3, 11), "exception groups are of Python 3.11")
    def test_members_of_a_group_are_complete(self):
        """What Python prints of the members: frames, notes, causes, and their own members."""
        group = getattr(__import__("builtins"), "ExceptionGroup")

        def member(error, cause=None):
            try:
                raise error from cause
            except Exception as raised:
                raised.add_note("note of " + type(raised).__name__)
                return raised

        inner = group("inner", [member(OSError(28, "full")), member(KeyError("k"), member(ValueError("v")))])
        outer = group("outer", [inner, member(TypeError("t\nu"))])
        message = self.describe(lambda: (_ for _ in ()).throw(outer))["message"]
        for line in ("+---------------- 1 ----------------\n| ExceptionGroup: inner (2 sub-exceptions)\n| +---", "| | OSError: [Errno 28] full\n",
                     "| | note of OSError\n", '| |   File "shim_test.py", line', "| |     raise error from cause\n",
                     "| | ValueError: v\n", "| | The above exception was the direct cause of", "| | KeyError: 'k'\n",
                     "| | note of KeyError\n", "| TypeError: t\n| u\n| note of TypeError\n+------"):
            self.assertIn(line, message)

    @unittest.skipIf(sys.version_info < (3, 11), "exception groups are of Python 3.11")
    def test_shared_members_are_described_in_bounded_time(self):
        group = getattr(__import__("builtins"), "ExceptionGroup")
        deep = ValueError("x")
        for _ in range(100):
            deep = group("g", [deep, deep])
        message = self.describe(lambda: (_ for _ in ()).throw(deep))["message"]
        self.assertIn("and 1 more", message)
        self.assertLess(len(message), errors.MAX_MESSAGE + 100)


class Attributes(unittest.TestCase):
    def test_data_of_instance_builtin_and_slots(self):
        class Slotted(OSError):
            __slots__ = ("code",)

        error = Slotted(2, "no", "a.csv")
        error.code, error.extra, error.lock = 7, (1, {2}), object()
        self.assertEqual(attributes.encode_attributes(error), {
            "args": {"$tuple": [2, "no"]}, "code": 7, "errno": 2, "strerror": "no", "filename": "a.csv",
            "filename2": None, "extra": {"$tuple": [1, {"$set": [2]}]}})

    def test_long_values_and_arrays_are_left_out(self):
        error = ValueError("x" * 10_000)
        error.long, error.short = "y" * 10_000, "z"
        if numpy is not None:
            error.array = numpy.zeros(3)
        encoded = attributes.encode_attributes(error)
        self.assertEqual(sorted(encoded), ["args", "short"])
        self.assertEqual(attributes.encode_attributes(ValueError(object())), {})

    def test_methods_of_the_user_do_not_run(self):
        class Hostile(Exception):
            def __getattribute__(self, name):
                raise SystemExit(name)

            args = property(lambda self: 1 / 0)

        error = Hostile("a")
        error.known = 1
        self.assertEqual(attributes.encode_attributes(error), {"args": {"$tuple": ["a"]}, "known": 1})


class ShimCase(unittest.TestCase):
    def run_shim(self, source, name="main", arguments="{}", files=(), environment=None,
                 workdir="."):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder, "work")
            root.mkdir()
            for path, content in (("job.py", source), *files):
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_text(content)
            pathlib.Path(folder, "arguments.json").write_text(arguments)
            read, write = os.pipe()
            done = subprocess.run(
                ["sh", "-c", 'exec "$@" 3>&%d' % write, "sh", sys.executable, "-u",
                 os.path.join(SHIM, "__main__.py"), "3", folder, str(root), "job", name],
                cwd=root / workdir, pass_fds=[write], capture_output=True, text=True, timeout=60, check=False,
                env={**os.environ, **(environment or {})},
            )
            os.close(write)
            self.root = str(root)
            self.mine = (root / "mine").read_bytes() if (root / "mine").exists() else None
            later = pathlib.Path(folder, "messages")
            with os.fdopen(read, "rb") as pipe:
                sent = pipe.read() + (later.read_bytes() if later.exists() else b"")
                return done, list(self.messages(sent)), self.value(folder)

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


class Checks(ShimCase):
    """Functions are checked without inspect where that has the same result."""

    PARAMETERS = ("", "a", "a, b", "a, b=1", "a=1, b=2", "*, a", "*, a=1", "a, *, b", "a, *, b=1", "a, /", "a=1, /",
                  "a, /, b", "*args", "a, *args", "**more", "a, **more", "a=1, *args, b, **more", "a, /, **more")
    ARGUMENTS = ((), ("a",), ("b",), ("a", "b"), ("a", "b", "c"))

    def test_accepted_arguments_are_those_that_bind(self):
        for parameters in self.PARAMETERS:
            function = eval("lambda %s: 0" % parameters)
            for names in self.ARGUMENTS:
                named = dict.fromkeys(names, 0)
                try:
                    inspect.signature(function).bind(**named)
                    binds = True
                except TypeError:
                    binds = False
                accepted = bool(call.accepts(function, named))
                if "/" in parameters:
                    self.assertFalse(accepted, parameters)  # left to inspect
                else:
                    self.assertEqual(accepted, binds, (parameters, names))

    def test_only_functions_without_attributes_are_plain(self):
        def function():
            pass

        def wrapper():
            pass

        wrapper.__wrapped__ = function
        self.assertTrue(call.is_plain(function))
        for other in (wrapper, len, Point, Point(1, 2), self.check_is_never_plain, itertools.count):
            self.assertFalse(call.is_plain(other), other)

    def check_is_never_plain(self):
        """A method."""

    def test_generators_are_refused(self):
        for source in ("def main():\n    yield 1", "async def main():\n    yield 1",
                       "import functools\ndef inner():\n    yield 1\n@functools.wraps(inner)\n"
                       "def main():\n    return inner()"):
            _, messages, _ = self.run_shim(source)
            self.assertEqual(messages[-1]["kind"], "refused", (source, messages))
            self.assertIn("generator function", messages[-1]["reason"])

    def test_awaitables_are_awaited(self):
        for source in ("async def main(): return 1",
                       "async def inner(): return 1\ndef main(): return inner()",
                       "class Waits:\n    def __await__(self):\n        return 1\n        yield\n"
                       "def main(): return Waits()",
                       "import types\n@types.coroutine\ndef inner():\n    return 1\n    yield\n"
                       "def main(): return inner()"):
            done, messages, value = self.run_shim(source)
            self.assertEqual(value, 1, (source, messages, done.stderr))

    def test_threads_that_linger_are_reported(self):
        source = ("import threading, time\n"
                  "def main(): threading.Thread(target=time.sleep, args=(0.3,), name='slow').start()")
        _, messages, _ = self.run_shim(source)
        self.assertEqual(messages[-1], {"kind": "lingering", "threads": ["slow"]})


class Calls(ShimCase):
    def test_imports_from_the_current_folder_before_the_root(self):
        done, messages, value = self.run_shim(
            "", workdir="sub", files=(
                ("sub/job.py", "import beside, top, os\n"
                               "def main(): return [beside.X, top.X, os.path.basename(os.getcwd())]"),
                ("sub/beside.py", "X = 'sub'"), ("beside.py", "X = 'root'"), ("src/top.py", "X = 'src'")))
        self.assertEqual(value, ["sub", "src", "sub"], done.stderr)

    def test_input_is_refused(self):
        _, messages, _ = self.run_shim("def main():\n    input()")
        self.assertEqual(messages[-1]["exception"]["type"], "EOFError")
        self.assertIn("input() needs a terminal, and a job has none", messages[-1]["exception"]["message"])

    def test_breakpoint_is_refused(self):
        done, messages, value = self.run_shim("def main():\n    breakpoint()")
        self.assertEqual(messages[-1]["exception"]["type"], "RuntimeError")
        self.assertIn("interactive jobs are not supported yet", messages[-1]["exception"]["message"])
        done, messages, value = self.run_shim("def main():\n    breakpoint()\n    return 1",
                                              environment={"PYTHONBREAKPOINT": "0"})
        self.assertEqual(value, 1, done.stderr)

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

    def test_exit_codes_are_those_of_python(self):
        """The code, the output and the message agree with a script that ends the same way."""
        define = (
            "import sys, enum\n"
            "class Broken:\n"
            "    def __str__(self): raise ValueError\n"
            "class Odd(int):\n"
            "    def __and__(self, other): return 0\n"
            "class Code(enum.IntEnum):\n"
            "    THREE = 3\n"
            "class Hidden(SystemExit):\n"
            "    @property\n"
            "    def code(self): raise ValueError\n"
            "class Other(SystemExit):\n"
            "    code = 9\n"
        )
        cases = ["sys.exit()"] + ["sys.exit(%s)" % code for code in (
            "None", "0", "1", "255", "256", "257", "-1", "-256", "2**31", "2**32", "2**40", "2**63 - 1", "2**63",
            "-2**63", "-2**63 - 1", "2**100", "True", "False", "Odd(5)", "Code.THREE", "'text'", "''", "b'x'",
            "1.0", "[1]", "(1, 2)", "Broken()", "SystemExit(4)",
        )] + ["raise SystemExit(1, 2)", "raise Hidden(3)", "raise Other(3)",
              "sys.stderr = None; sys.exit('text')"]
        for case in cases:
            expected = subprocess.run([sys.executable, "-c", define + case], capture_output=True, text=True, check=False)
            done, messages, value = self.run_shim(define + "def main(): " + case)
            self.assertEqual((done.returncode, done.stdout), (expected.returncode, expected.stdout), case)
            if "Error" not in expected.stderr:  # newer versions also report their own errors
                self.assertEqual(done.stderr.strip(), expected.stderr.strip(), case)
            self.assertEqual((messages[-1]["kind"], messages[-1]["code"]), ("exited", expected.returncode), case)
            self.assertIsNone(value)

    def test_code_that_becomes_zero_is_told(self):
        for code in (256, -256, 2**40):
            _, messages, _ = self.run_shim("import sys\ndef main(): sys.exit(%d)" % code)
            self.assertIn("sys.exit(%d) is exit code 0" % code, messages[-1]["note"])
        self.assertNotIn("note", self.run_shim("import sys\ndef main(): sys.exit(0)")[1][-1])


class Ends(ShimCase):
    """A function ends as `python -c "import job; job.main()"` does: code, output, and all that Python reports."""

    CASES = (
        "return 5",
        "raise ValueError('one\\ntwo')",
        "try: int('x')\n    except ValueError as error: raise KeyError('k') from error",
        "try: int('x')\n    except ValueError: raise KeyError('k')",
        "import asyncio; raise asyncio.CancelledError",
        "sys.excepthook = lambda kind, error, trace: print('hook', kind.__name__, error)\n    raise ValueError('v')",
        "sys.excepthook = lambda kind, error, trace: print('at', trace.tb_frame.f_code.co_name)\n    raise SystemExit(4)",
        "sys.excepthook = lambda *_: {}['k']\n    raise ValueError('v')",
        "sys.excepthook = lambda *_: sys.exit(7)\n    raise ValueError('v')",
        "sys.excepthook = lambda *_: sys.stderr.close()\n    raise ValueError('v')",
        "atexit.register(lambda: print('at exit', type(getattr(sys, 'last_value', None)).__name__))",
        "atexit.register(print, 'first'); atexit.register(print, 'second'); sys.exit(3)",
        "atexit.register(lambda: {}['k'])",
        "atexit.register(os._exit, 6)",
        "threading.Thread(target=lambda: {}['k']).start()",
        "threading.excepthook = lambda args: print('thread', args.exc_type)\n"
        "    threading.Thread(target=lambda: {}['k']).start()",
        "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start(); print('main')",
        "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start(); raise ValueError",
        "threading.Thread(target=time.sleep, args=(100,), daemon=True).start()",
        "class Bad:\n        def __del__(self): raise ValueError('del')\n    Bad()",
        "class Bad:\n        def __del__(self): raise ValueError('del')\n    sys.kept = Bad()",
        "sys.unraisablehook = lambda args: print('unraisable', args.exc_type)\n"
        "    class Bad:\n        def __del__(self): raise ValueError('del')\n    Bad()",
        "sys.stdout.close()", "sys.stderr.close(); raise SystemExit(9)", "sys.stdout = None", "sys.stderr = None",
        "os.close(1)", "os.close(2); raise SystemExit(2)",
        "class Out:\n        def write(self, text): pass\n        def flush(self): raise TypeError('flush')\n"
        "    sys.stdout = Out()",
        "sys.stdout = open('/dev/full', 'w'); print('lost')",
        "sys.exit = print; os.abort = None; raise SystemExit(8)",
        "os._exit(3)", "os.kill(os.getpid(), 9)",
        "if os.fork() == 0: raise ValueError('child')\n    print(os.wait()[1])",
        "if os.fork() == 0: sys.exit(5)\n    print(os.wait()[1])",
        "atexit.register(lambda: print(os.getpid() == parent))\n    parent = os.getpid()\n"
        "    if os.fork() == 0: return\n    os.wait()",
        "sys.excepthook = lambda *_: print('hook')\n    if os.fork() == 0: raise ValueError('child')\n    os.wait()",
        "if os.fork() == 0: threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start(); return\n"
        "    os.wait()",
        "process = multiprocessing.get_context('fork').Process(target=int, args=('x',), name='P')\n"
        "    process.start(); process.join(); sys.exit(process.exitcode)",
    )

    @staticmethod
    def lines(text, root):
        """Returns lines without positions below them, the caller's frame, and the folder."""
        return sorted(re.sub(" at 0x[0-9a-f]+", "", line.replace(root + "/", "").strip()) for line in text.splitlines()
                      if line.strip(" ~^") and '"<string>"' not in line and "import job;" not in line)

    def test_function_ends_as_a_script_does(self):
        for case in self.CASES:
            source = "import atexit, multiprocessing, os, sys, threading, time\n\n\ndef main():\n    %s\n" % case
            with tempfile.TemporaryDirectory() as root:
                pathlib.Path(root, "job.py").write_text(source)
                script = subprocess.run([sys.executable, "-u", "-c", "import job; job.main()"], cwd=root, text=True,
                                        capture_output=True, timeout=60)
            done, messages, _ = self.run_shim(source)
            self.assertEqual((done.returncode, done.stdout), (script.returncode, script.stdout), (case, done.stderr))
            expected = self.lines(script.stderr, root)
            found = self.lines(done.stderr, self.root)
            for message in messages:
                if message["kind"] == "raised" and "excepthook" not in case:
                    found = sorted(found + self.lines("\n".join(errors.as_lines(message["exception"])), ""))
            self.assertEqual(found, expected, case)
            if "ValueError('v')" in case:
                self.assertEqual(messages[-1]["exception"]["type"], "ValueError")

    def test_closed_descriptors_lose_nothing(self):
        for close in ("os.close(3)", "os.closerange(3, 256)", "os.closerange(0, 256)",
                      "os.close(3); assert os.open('mine', os.O_CREAT | os.O_RDWR) == 3"):
            for end, kind in (("return 5", "returned"), ("raise ValueError('v')", "raised"), ("sys.exit(4)", "exited"),
                              ("return object()", "not_serializable")):
                _, messages, value = self.run_shim("import os, sys\ndef main():\n    %s\n    %s" % (close, end))
                self.assertEqual([m["kind"] for m in messages], ["started", kind], (close, end))
                self.assertEqual(value, 5 if kind == "returned" else None)
                self.assertIn(self.mine, (None, b""), "a message is in the program's own file")


class PythonPackage(ShimCase):
    """What a job has for programs that use the Python package."""

    def test_arguments_with_types_are_objects_of_the_job(self):
        source = (
            "import collections, dataclasses, enum\n"
            "class Color(enum.Enum): RED = 1\n"
            "@dataclasses.dataclass(frozen=True)\n"
            "class Point:\n    x: int\n    color: Color\n"
            "Pair = collections.namedtuple('Pair', 'a b')\n"
            "def main(point, pair, path): return [point == Point(1, Color.RED), pair == Pair(1, 2), str(path)]"
        )
        color = {"$enum": {"type": "job.Color", "name": "RED", "value": 1}}
        arguments = {"point": {"$dataclass": {"type": "job.Point", "fields": {"x": 1, "color": color}}},
                     "pair": {"$namedtuple": {"type": "job.Pair", "fields": {"a": 1, "b": 2}}},
                     "path": {"$pathlib": "a/../b"}}
        _, messages, value = self.run_shim(source, arguments=json.dumps(arguments))
        self.assertEqual(value, [True, True, "a/../b"], messages)

    def test_type_that_the_job_lacks_is_refused(self):
        arguments = {"p": {"$dataclass": {"type": "nowhere.Point", "fields": {}}}}
        _, messages, _ = self.run_shim("def main(p): pass", arguments=json.dumps(arguments))
        self.assertIn("the type nowhere.Point of an argument is in no module", messages[-1]["reason"])

    def test_module_can_decorate_functions_without_the_package(self):
        source = (
            "import kinetic\n"
            "from kinetic import map as each, Data, Job\n"
            "@kinetic.run\ndef one(): return 1\n"
            "@kinetic.run(accelerator='gpu-l4')\ndef main() -> Job:\n"
            "    try:\n        each(one, [1])\n    except RuntimeError as error:\n        return one(), str(error)"
        )
        _, messages, value = self.run_shim(source)
        self.assertEqual(value, {"$tuple": [
            1, "a job cannot use kinetic.map: jobs are submitted from outside"]}, messages)

    def test_package_of_the_job_is_preferred(self):
        _, _, value = self.run_shim("import kinetic\ndef main(): return kinetic.mine", files=[("kinetic.py", "mine = 2")])
        self.assertEqual(value, 2)


class OwnModules(ShimCase):
    """A bundle may have modules with names of the standard library's."""

    FAILS = "import sys\nsys.stderr.write('imported ' + __name__)\nraise RuntimeError('of the bundle')\n"
    SCENARIOS = {
        "a value of many types": (
            "class Awaited:\n    def __await__(self): return iter(())\n"
            "def main(): return [b'x' * 100000, {1: 2}, 2**70, {1}, 1j, 'text', {'a': None}, float('nan')]",
            "returned"),
        "an exception": ("def main():\n    try: int('x')\n    except ValueError: return {}['k']", "raised"),
        "a coroutine": ("async def main(): return 1", "returned"),
        "a missing function": ("def mian(): pass", "refused"),
        "arguments": ("def main(**given): return list(given.values())", "returned"),
        "an exit": ("def main(): raise SystemExit(3)", "exited"),
    }
    ARGUMENTS = {
        "arguments": '{"a": {"$datetime": "2026-01-02"}, "b": {"$decimal": "1"}, "c": {"$bytes": "eA=="},'
        ' "d": {"$fraction": ["1", "2"]}, "e": {"$uuid": "%s"}}' % uuid.UUID(int=1)
    }

    @classmethod
    def setUpClass(cls):
        """Finds the names of all modules that the shim imports, directly or not."""
        listing = (
            "import sys; sys.path.insert(0, %r); before = set(sys.modules)\n"
            "import _kinetic_call, _kinetic_imports\n"
            "for module in _kinetic_imports._LAZY: module.load()\n"
            "print(*{n.partition('.')[0] for n in sys.modules if not n.startswith('_kinetic')})" % SHIM
        )
        done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
        cls.names = sorted(set(done.stdout.split()) - {"__main__", "job"})
        assert {"json", "types", "re", "enum", "struct", "threading", "asyncio", "os"} <= set(cls.names)

    def check(self, files, environment=None, scenarios=tuple(SCENARIOS)):
        for scenario in scenarios:
            source, kind = self.SCENARIOS[scenario]
            done, messages, _ = self.run_shim(
                source, arguments=self.ARGUMENTS.get(scenario, "{}"), files=files, environment=environment)
            found = [message["kind"] for message in messages]
            self.assertEqual(found, ["started", kind], (scenario, messages, done.stderr))
            self.assertNotIn("imported", done.stderr, scenario)

    def test_shim_imports_none_of_them(self):
        self.check([(name + ".py", self.FAILS) for name in self.names])
        for path in ("%s/__init__.py", "src/%s.py"):
            self.check([(path % name, self.FAILS) for name in self.names], scenarios=("an exception", "arguments"))

    def test_shim_imports_none_of_pythonpath(self):
        # Python itself imports some of these names when it starts, before the shim.
        names = [name for name in self.names if name in self.imported_later()]
        self.check([("lib/%s.py" % name, self.FAILS) for name in names], {"PYTHONPATH": "lib"})

    def test_single_names_of_the_report(self):
        for name in ("json", "types", "re", "enum", "struct", "threading", "tokenize"):
            source, kind = self.SCENARIOS["an exception"]
            done, messages, _ = self.run_shim(source, files=[(name + ".py", self.FAILS)])
            self.assertEqual(messages[-1]["kind"], kind, (name, done.stderr))
            self.assertEqual(messages[-1]["exception"]["traceback"][-1]["code"], "except ValueError: return {}['k']")

    @staticmethod
    def imported_later():
        """Returns the names of modules that Python imports only on demand."""
        script = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
        started = subprocess.run([sys.executable, "-X", "frozen_modules=off", "-c", script],
                                 capture_output=True, text=True, check=True)
        return set(sys.builtin_module_names).union(OwnModules.names) - set(started.stdout.split())

    def test_jobs_code_imports_what_a_script_does(self):
        """Each name is the bundle's or the standard library's, as in `python script.py`."""
        # Some built-in modules, such as Debian's array, import modules that the bundle replaces.
        built_in = set(sys.builtin_module_names) - {"sys"}
        names = [name for name in self.names if name not in built_in | {"job", "script"}]
        files = [(name + ".py", "of_bundle = True") for name in names]
        probe = "found = {name: hasattr(__import__(name), 'of_bundle') for name in %r}\n" % names
        with tempfile.TemporaryDirectory() as folder:
            for path, content in (*files, ("script.py", probe + "print(found)")):
                pathlib.Path(folder, path).write_text(content)
            script = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True)
        self.assertEqual(script.returncode, 0, script.stderr)
        _, messages, value = self.run_shim(probe + "def main(): return found", files=files)
        self.assertEqual(value, eval(script.stdout), messages)
        self.assertTrue(value["json"] and not value["sys"])

    def test_modules_without_namesakes_are_loaded_once(self):
        source = (
            "import enum, json, sys\n"
            "class E(enum.Enum): A = 1\n"
            "def main(): return [E.A, sys.modules['json'] is json]"
        )
        _, _, value = self.run_shim(source, files=[("types.py", "mine = 1")])
        self.assertEqual(value, [{"$enum": {"type": "job.E", "name": "A", "value": 1}}, True])

    def test_children_find_the_bundle(self):
        source = (
            "import os, subprocess, sys\n"
            "def main():\n"
            "    child = subprocess.run([sys.executable, '-c', 'import helper; print(helper.x)'], cwd='/',\n"
            "                           capture_output=True, text=True)\n"
            "    return [child.stdout, os.environ['PYTHONPATH'].split(':')[2:], sys.path[0] == os.getcwd(),\n"
            "            sys.path[1] == os.path.join(os.getcwd(), 'src'), sys.path[2]]"
        )
        _, messages, value = self.run_shim(
            source, files=[("src/helper.py", "x = 5")], environment={"PYTHONPATH": "/mine"})
        self.assertEqual(value, ["5\n", ["/mine"], True, True, "/mine"], messages)

    def test_main_module_of_a_spawned_process(self):
        source = (
            "import multiprocessing\n"
            "def double(x): return 2 * x\n"
            "def main():\n"
            "    with multiprocessing.get_context('spawn').Pool(1) as pool: return pool.map(double, [1, 2])"
        )
        done, messages, value = self.run_shim(source)
        self.assertEqual(value, [2, 4], (messages, done.stderr))


if __name__ == "__main__":
    unittest.main()
