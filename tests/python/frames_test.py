"""Frames of pandas and polars come back equal, type included. Installs both in a virtual environment."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness import PythonCase

PACKAGES = ("pandas", "polars", "pyarrow")
MODULE = """
    import datetime, decimal, os, zoneinfo
    import kinetic, numpy, pandas, polars

    @kinetic.run(env={"PYTHONPATH": os.path.dirname(os.path.dirname(numpy.__file__))})
    def echo(values):
        return values

    def check(before, after):
        assert type(before) is type(after), (type(before), type(after))
        if isinstance(before, polars.DataFrame):
            assert before.schema == after.schema and before.equals(after), (before, after)
        elif isinstance(before, polars.Series):
            assert (before.name, before.dtype) == (after.name, after.dtype) and before.equals(after), (before, after)
        elif isinstance(before, pandas.DataFrame):
            pandas.testing.assert_frame_equal(before, after, check_exact=True, check_column_type="exact",
                                              check_index_type="exact")
            assert list(map(repr, before.dtypes)) == list(map(repr, after.dtypes)) and before.attrs == after.attrs
        elif isinstance(before, pandas.Series):
            pandas.testing.assert_series_equal(before, after, check_exact=True, check_index_type="exact")
        else:
            pandas.testing.assert_index_equal(before, after, exact=True)
            assert getattr(before, "freq", None) == getattr(after, "freq", None)

    def columns():
        n = 5
        yield from {
            "float": numpy.arange(n) * 1.5, "float16": numpy.arange(n, dtype="f2"), "int": numpy.arange(n),
            "bool": numpy.array([True] * n), "complex": numpy.arange(n) * 1j,
            "object": pandas.Series([1, "a", None, (1, 2), float("inf")], dtype=object),
            "texts": pandas.Series(list("abcde"), dtype=object), "str": pandas.Series(["a", None, "é", "", "x"]),
            "string": pandas.array(["a", None, "b", "c", "d"], dtype="string"),
            "python": pandas.array(["a", None, "b", "c", "d"], dtype="string[python]"),
            "category": pandas.Categorical(["a", "b", None, "a", "b"], ["b", "a", "z"], ordered=True),
            "numbers": pandas.Categorical([1, 2, 3, 1, 2]),
            "Int64": pandas.array([1, None, 2**62, 4, 5], dtype="Int64"),
            "boolean": pandas.array([True, None, False, True, True], dtype="boolean"),
            "Float32": pandas.array([1.5, None, 2, 3, 4], dtype="Float32"),
            "days": pandas.date_range("2026-01-01", periods=n),
            "seconds": pandas.date_range("2026-01-01", periods=n).astype("M8[s]"),
            "zone": pandas.date_range("2026-03-29", periods=n, freq="h", tz="Europe/Berlin"),
            "offset": pandas.date_range("2026-03-29", periods=n, tz="+02:00"),
            "timedelta": pandas.to_timedelta([1, 2, None, 4, 5], unit="s"),
            "period": pandas.period_range("2026-01", periods=n, freq="M"),
            "interval": pandas.interval_range(0, n), "decimal": [decimal.Decimal("1.5")] * n,
            "arrow": pandas.array([1, None, 3, 4, 5], dtype="int64[pyarrow]"),
        }.items()
"""


class Frames(PythonCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-frames-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run(["/usr/bin/python3", "-m", "venv", cls.folder], check=True)
        subprocess.run([cls.folder / "bin/pip", "install", "-q", *PACKAGES], check=True)
        cls.python = str(cls.folder / "bin/python")

    def setUp(self):
        super().setUp()
        self.write("frames.py", MODULE)

    def echo(self, values):
        """Sends the values of an expression to a job, and compares each with its answer."""
        self.run_python("-", text="from frames import *\nbefore = " + values.strip() + """
for value, after in zip(before, echo(before)):
    check(value, after)
""")

    def test_each_type_of_column_of_pandas(self):
        self.echo("""[value for frame in [pandas.DataFrame(dict(columns()))] for name in frame for value in (
            frame[name], frame[[name]], frame[[name]].iloc[:0])] + [pandas.DataFrame(dict(columns()))] + [
            pandas.Index(column) for name, column in columns() if name != "float16"]""")

    def test_labels_of_pandas(self):
        self.echo("""[
            pandas.DataFrame(), pandas.DataFrame(index=range(3)), pandas.DataFrame(columns=["a", "b"]),
            pandas.DataFrame(dict(columns())).set_index(["str", "int"]),
            pandas.DataFrame(numpy.eye(4), columns=pandas.MultiIndex.from_product([["a", "b"], [1, 2]], names=["x", None])),
            pandas.DataFrame({"a": range(5)}, index=pandas.date_range("2026", periods=5, freq="B", name="day")),
            pandas.Series(range(5), index=pandas.date_range("2026", periods=5, freq="-1D"))[:1],
            pandas.DataFrame(index=pandas.date_range("2026", periods=5, freq="W-MON"))[:0],
            pandas.DataFrame([[1, "a", 2.0]], columns=["x", "x", "x"]), pandas.DataFrame({0: [1], None: ["a"]}),
            pandas.Series([1], name=("a", 1)), pandas.RangeIndex(3, 30, 4, name="r"), pandas.DataFrame(numpy.eye(9)[::2]),
        ]""")

    def test_scalars_of_pandas(self):
        self.run_python("-", text="""
            import pandas
            from frames import echo

            times = [pandas.Timestamp(7), pandas.Timestamp("2026-10-25 02:30+01:00").tz_convert("Europe/Berlin"),
                     pandas.Timestamp("2026-01-01", unit="s"), pandas.Timestamp("2026-01-01", tz="UTC"), pandas.Timedelta(7)]
            *found, nat, na, frame = echo([*times, pandas.NaT, pandas.NA, pandas.DataFrame({"a": [pandas.NA, times[0], "b"]})])
            assert nat is pandas.NaT and na is pandas.NA and frame["a"][0] is pandas.NA, (nat, na, frame)
            for before, after in zip(times, found):
                assert type(before) is type(after) and (before, before.unit) == (after, after.unit), (before, after)
                assert str(before) == str(after), (before, after)
            assert type(frame["a"][1]) is pandas.Timestamp and frame["a"][1] == times[0]
        """)

    def test_long_columns(self):
        self.echo("""[
            pandas.DataFrame({"texts": [None if i % 7 == 0 else f"é{i}" for i in range(20_000)],
                              "objects": pandas.Series([None if i % 7 == 0 else str(i) for i in range(20_000)], dtype=object),
                              "numbers": numpy.arange(20_000) * 0.5}),
            polars.DataFrame({"texts": [f"é{i}" for i in range(20_000)], "numbers": range(20_000)}),
        ]""")

    def test_frames_of_polars(self):
        self.echo("""[value for frame in [polars.DataFrame({
            "int": [1, 2, None], "text": ["a", None, "é"], "list": [[1], [], None], "date": [datetime.date(2026, 1, 1)] * 3,
            "zone": [datetime.datetime(2026, 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))] * 3,
            "duration": [datetime.timedelta(1)] * 3, "bytes": [b"a"] * 3, "struct": [{"a": 1, "b": "x"}] * 3,
            "null": [None] * 3, "decimal": [decimal.Decimal("1.50")] * 3,
        }).with_columns(
            category=polars.Series(["a", "b", "a"], dtype=polars.Categorical),
            enum=polars.Series(["a", "b", "a"], dtype=polars.Enum(["b", "a"])),
        )] for value in (frame, frame.head(0), *frame)]""")

    def test_frame_of_a_batch(self):
        self.run_script("""
            import kinetic, pandas

            @kinetic.run
            def work(x, y=1, *rest, **more):
                return x / y

            batch = work.map([4, (1, 2, 3), {"x": 6, "y": 4, "z": [1]}, (1, 0)])
            try:
                batch.to_frame()
                assert False
            except kinetic.BatchError:
                pass
            frame = batch.to_frame(return_exceptions=True)
            assert list(frame.columns) == ["x", "y", "rest", "more", "value"], frame
            assert type(frame["value"].pop(3)) is ZeroDivisionError and frame["x"].tolist() == [4, 1, 6, 1], frame
            assert frame["x"].dtype == int and frame["rest"][1] == (3,) and frame["more"][2] == {"z": [1]}, frame

            @kinetic.run
            def double(value):
                return 2 * value

            batch = double.map([0.5, 1.5])
            frame = batch.to_frame()
            pandas.testing.assert_frame_equal(frame, pandas.DataFrame({"value": [0.5, 1.5], "result": [1.0, 3.0]}))
            frame = kinetic.attach_batch(batch.group_id).to_frame()
            pandas.testing.assert_frame_equal(frame, pandas.DataFrame({"value": [1.0, 3.0]}))
        """)

    def test_other_frames_are_refused_by_their_path(self):
        self.run_script("""
            import kinetic, pandas, polars

            class Own(pandas.DataFrame):
                pass

            @kinetic.run
            def use(x):
                pass

            for value, why in (
                (pandas.DataFrame({"a": pandas.arrays.SparseArray([0, 1])}), "column a of type Sparse"),
                (pandas.DataFrame({"a": [1, object()]}), "x[0].a[1]: object is not serializable"),
                (pandas.DataFrame(index=pandas.date_range("2026", periods=3, freq=pandas.offsets.CustomBusinessDay(
                    holidays=["2026-01-02"]))), "set index.freq = None"),
                (Own({"a": [1]}), "pass pandas.DataFrame(value)"), (polars.LazyFrame({"a": [1]}), "pass value.collect()"),
                (polars.Series("a", [object()]), "cannot be stored as an Arrow file"),
            ):
                try:
                    use([value])
                except kinetic.Error as error:
                    assert "argument x[0]" in str(error) and why in str(error), error
                else:
                    raise AssertionError(why)
        """)
        self.assertEqual(self.jobs(), [])

    def test_job_without_the_package(self):
        done = self.run_script("""
            import kinetic, polars

            @kinetic.run
            def use(x):
                pass

            for options in ({}, {"env": {"PYTHONPATH": "/nowhere"}}):
                try:
                    use.options(**options)(polars.DataFrame({"a": [1]}))
                except (ImportError, kinetic.Error) as error:
                    print(error)
        """)
        self.assertEqual(done.stdout, "cannot send the argument x: the job does not have the package polars\n"
                                      f"hint: add the line to {self.work}/requirements.txt: polars\n"
                                      "an argument is a polars.DataFrame, but polars is not installed; add polars to the "
                                      "job's dependencies\n")


if __name__ == "__main__":
    unittest.main()
