"""What Python sends as data comes back equal, type included."""

import unittest

from harness import PythonCase


class Values(PythonCase):
    def test_round_trip(self):
        self.run_script("""
            import collections, dataclasses, datetime, decimal, enum, fractions, os, pathlib, random, uuid
            import kinetic, numpy

            class Color(enum.Enum):
                RED = 1

            class Flags(enum.Flag):
                A = 1
                B = 2

            @dataclasses.dataclass(frozen=True)
            class Frozen:
                name: str
                part: object = None

            @dataclasses.dataclass
            class Own:
                x: int
                y: int = dataclasses.field(init=False)

                def __post_init__(self):
                    self.y = 2 * self.x

            Pair = collections.namedtuple("Pair", "a b")

            LEAVES = [
                None, True, 0, -1, 2**63, -2**70, 0.5, float("inf"), 1 + 2j, "", "é\\n", b"", b"x" * 100_000, Color.RED,
                Flags.A | Flags.B, datetime.datetime(2026, 1, 2, 3, 4, 5, 6), datetime.date(2026, 1, 2),
                datetime.timedelta(1, 2, 3), decimal.Decimal("1.50"), fractions.Fraction(1, 3), uuid.UUID(int=7),
                pathlib.Path("a/b"), (), frozenset({1}), {"$ref": 1}, {1: 2}, pathlib.PurePosixPath("a/../b"),
                bytearray(b"a"), range(0, 10**12, 7), slice(1, None), datetime.time(1, 2), -0.0, 10**400,
                collections.OrderedDict({"b": 1, 2: [3]}), collections.Counter("abca"), collections.deque([1], maxlen=3),
                collections.defaultdict(list, a=[1]), collections.defaultdict(None, {(1,): {}}), Own(3),
            ]

            def make(random, depth=0):
                kind = random.randrange(8) if depth < 4 else 0
                parts = [make(random, depth + 1) for _ in range(random.randrange(4))] if kind else []
                hashable = [part for part in parts if isinstance(part, (int, str, bytes, tuple)) and not _has_list(part)]
                return [lambda: random.choice(LEAVES), lambda: parts, lambda: tuple(parts), lambda: set(hashable),
                        lambda: {str(i): part for i, part in enumerate(parts)}, lambda: dict.fromkeys(hashable, parts),
                        lambda: Frozen("n", parts), lambda: Pair(parts, 1)][kind]()

            def _has_list(part):
                try:
                    hash(part)
                except TypeError:
                    return True
                return False

            def same(a, b):
                assert type(a) is type(b), (a, b)
                if isinstance(a, (list, tuple)):
                    return len(a) == len(b) and all(map(same, a, b))
                if isinstance(a, dict):
                    return list(a) == list(b) and all(map(same, a.values(), b.values()))
                return a == b

            @kinetic.run
            def echo(*values):
                return list(values)

            seed = random.randrange(10**6)
            values = LEAVES + [make(random.Random(seed + i)) for i in range(300)]
            assert same(echo(*values), values), seed
        """)

    def test_types_that_would_change_are_refused(self):
        self.run_script("""
            import array, collections, dataclasses, datetime, kinetic, types

            @kinetic.run
            def use(x):
                pass

            @dataclasses.dataclass
            class Cached:
                x: int

                def __post_init__(self):
                    self.cache = {}

            Pair = collections.namedtuple("Pair", "a b")

            def own(base, *arguments):
                return type("Own", (base,), {})(*arguments)

            for value in (own(str, "a"), own(int, 1), own(float, 1), own(bytes, b"a"), own(bytearray), own(list), own(dict),
                          own(tuple), own(set), own(frozenset), own(collections.OrderedDict), own(collections.deque),
                          own(datetime.date, 2026, 1, 2), collections.defaultdict(lambda: 1), collections.UserDict(),
                          collections.ChainMap(), types.MappingProxyType({}), {}.keys(), Cached(1), Ellipsis, int,
                          array.array("i"), object(), iter([]), {own(str, "a"): 1}, Exception("a")):
                try:
                    use({"a": [0, Pair(1, value)]})
                except kinetic.Error as error:
                    assert "cannot send the argument x.a[1].b" in str(error), error
                else:
                    raise AssertionError(value)
        """)
        self.assertEqual(self.jobs(), [])

    def test_arrays(self):
        self.write("model.py", """
            def twice(a, parts):
                return 2 * a, parts

            def describe(a):
                return str(a.dtype), a.shape, bool(a.flags.f_contiguous)
        """)
        self.run_python("-c", """if 1:
            import kinetic, model, numpy
            job = {"env": {"PYTHONPATH": numpy.__path__[0].removesuffix("/numpy")}}
            twice = kinetic.run(**job)(model.twice)
            a = numpy.arange(1_000_000, dtype="float32").reshape(1000, 1000)
            doubled, parts = twice(a, {"small": a[:2, ::-1], "flags": numpy.array([True])})
            assert doubled.dtype == a.dtype and (doubled == 2 * a).all() and doubled.flags.writeable
            assert (parts["small"] == a[:2, ::-1]).all() and parts["flags"].dtype == bool
            described = kinetic.run(**job)(model.describe)(numpy.asfortranarray(a[:3, :2]))
            assert described == ("float32", (3, 2), True), described
        """)

    def test_data_is_a_path_in_the_job(self):
        (self.home / "set").mkdir()
        (self.home / "set/a.txt").write_text("content")
        done = self.run_script("""
            import kinetic, os

            @kinetic.run
            def read(folders, file):
                return open(os.path.join(folders[0], "a.txt")).read(), open(file).read()

            print(read([kinetic.Data("../set/")], kinetic.Data("../set/a.txt")))
        """)
        self.assertEqual(done.stdout, "('content', 'content')\n")


if __name__ == "__main__":
    unittest.main()
