"""Encodes and decodes frames of pandas, polars, and pyarrow: docs/reference/values.md, "Frames".

A frame of pandas is sent as the arrays that it consists of, and needs no other package than pandas. Arrow would
change columns of objects, frequencies, and some names. Frames of polars and tables of pyarrow are Arrow files.
"""

import io
import sys

TEXTS_AS_ITEMS = 256  # longer columns of texts are one array of UTF-8
_NUMPY_KINDS = "biufcmM"


class CannotSend(Exception):
    """A part of a frame cannot be encoded."""


def encode(encoder, value, path, depth):
    """Returns the encoded frame, or None for a value of another type."""
    for package, name, function in _ENCODERS:
        kind = getattr(sys.modules.get(package), name, None)
        if kind is None or not isinstance(value, kind):
            continue
        if type(value).__module__.partition(".")[0] != package:
            raise CannotSend("is a subclass, which would be lost; return %s.%s(value)" % (package, name))
        encoder.packages.setdefault(package, path)
        members = function(_Writer(encoder, path, depth), value)
        return {"$frame": dict({"type": "%s.%s" % (package, name)}, **members)}
    return None


def decode(decoder, content):
    """Returns the frame of the content of a `$frame`."""
    package, _, name = content["type"].partition(".")
    function = _DECODERS[package, name]
    library = decoder.import_package(package, "a " + content["type"])
    return function(_Reader(decoder, library), content)


class _Writer:
    """Encodes the parts of one frame."""

    def __init__(self, encoder, path, depth):
        self._encoder = encoder
        self._path = path
        self._depth = depth

    def value(self, value, place):
        return self._encoder.encode(value, "%s.%s" % (self._path, place), self._depth)

    def array(self, array):
        return self._encoder.encode_array(array, self._path, self._depth)

    def content(self, content):
        return self._encoder.encode_file(content, self._path)

    def pandas_frame(self, frame):
        parts = [{"positions": positions, "values": values} for positions, values in self._parts(frame)]
        return dict(index=self.index(frame.index), columns=self.index(frame.columns), parts=parts,
                    **self._attributes(frame))

    def pandas_series(self, series):
        return dict(values=self.column(series, "values"), index=self.index(series.index),
                    name=self.value(series.name, "name"), **self._attributes(series))

    def pandas_index(self, index):
        return {"index": self.index(index)}

    def _attributes(self, value):
        return {"attrs": self.value(dict(value.attrs), "attrs")} if value.attrs else {}

    def _parts(self, frame):
        """Yields columns: those of one numpy type together, as an array with two dimensions."""
        groups = {}
        for position, dtype in enumerate(frame.dtypes):
            groups.setdefault(dtype if _is_plain(dtype) else position, []).append(position)
        for dtype, positions in groups.items():
            if isinstance(dtype, int):
                yield positions, self.column(frame.iloc[:, dtype], str(frame.columns[dtype]))
            else:
                same = frame if len(positions) == frame.shape[1] else frame.iloc[:, positions]
                yield positions, {"array": self.array(same.to_numpy())}

    def index(self, index):
        pandas = sys.modules["pandas"]
        if isinstance(index, pandas.RangeIndex):
            return {"start": index.start, "stop": index.stop, "step": index.step, "name": self.value(index.name, "name")}
        if isinstance(index, pandas.MultiIndex):
            return {"levels": [self.index(level) for level in index.levels],
                    "codes": [self.array(codes) for codes in index.codes],
                    "names": [self.value(name, "names") for name in index.names]}
        freq = index.freqstr if isinstance(index, (pandas.DatetimeIndex, pandas.TimedeltaIndex)) else None
        if freq and pandas.tseries.frequencies.to_offset(freq) != index.freq:  # such as own holidays
            raise CannotSend("has an index with the frequency %r, which cannot be sent; set index.freq = None" % index.freq)
        return dict(values=self.column(index, "index"), name=self.value(index.name, "name"),
                    **({"freq": freq} if freq else {}))

    def column(self, column, name):
        """Returns an encoded Series or Index without its labels."""
        pandas = sys.modules["pandas"]
        dtype, array = column.dtype, column.array
        if _is_plain(dtype):
            return {"array": self.array(column.to_numpy())}
        described = {"dtype": str(dtype)}
        if dtype == object:
            described.update(self._objects(column.to_numpy(), name))
        elif isinstance(dtype, pandas.StringDtype):
            described.update(self._objects([None if item is dtype.na_value or item != item else item for item in array],
                                           name), storage=dtype.storage)
        elif isinstance(dtype, pandas.CategoricalDtype):
            described.update(codes=self.array(array.codes), categories=self.index(dtype.categories),
                             ordered=bool(dtype.ordered))
        elif isinstance(dtype, pandas.IntervalDtype):
            described.update(left=self.index(array.left), right=self.index(array.right), closed=array.closed)
        elif isinstance(dtype, getattr(pandas, "ArrowDtype", ())):
            described["arrow"] = self.arrow_column(array)
        elif pandas.api.types.pandas_dtype(str(dtype)) != dtype:
            raise CannotSend(_cannot_send(name, dtype))
        elif isinstance(dtype, pandas.DatetimeTZDtype):
            described["array"] = self.array(pandas.DatetimeIndex(array).tz_convert(None).to_numpy())
        elif isinstance(dtype, pandas.PeriodDtype):
            described["array"] = self.array(array.asi8)
        elif hasattr(array, "_mask") and hasattr(array, "_data"):
            described.update(array=self.array(array._data), mask=self.array(array._mask))
        else:
            raise CannotSend(_cannot_send(name, dtype))
        return described

    def _objects(self, items, name):
        """Returns encoded objects: many texts as one array of UTF-8, with lengths."""
        if len(items) <= TEXTS_AS_ITEMS or not all(item is None or type(item) is str for item in items):
            return {"items": [self.value(item, "%s[%d]" % (name, i)) for i, item in enumerate(items)]}
        numpy = sys.modules["numpy"]
        try:
            texts = [b"" if item is None else item.encode("utf-8") for item in items]
        except UnicodeEncodeError:
            raise CannotSend("has a text with a lone surrogate, which UTF-8 cannot encode, in %s" % name) from None
        lengths = [-1 if item is None else len(text) for item, text in zip(items, texts)]
        return {"text": self.array(numpy.frombuffer(b"".join(texts), "uint8")),
                "lengths": self.array(numpy.array(lengths, "int64"))}

    def arrow_column(self, array):
        import pyarrow

        self._encoder.packages.setdefault("pyarrow", self._path)
        return self.content(_arrow_file(pyarrow.table({"": array.__arrow_array__()})))

    def arrow_table(self, table):
        return {"arrow": self.content(_arrow_file(table))}

    def polars_frame(self, frame):
        polars = sys.modules["polars"]
        file = io.BytesIO()
        newest = {"compat_level": polars.CompatLevel.newest()} if hasattr(polars, "CompatLevel") else {}
        try:
            frame.write_ipc(file, **newest)
            kept = polars.read_ipc(io.BytesIO(file.getbuffer()), n_rows=0).schema
        except Exception as error:
            raise CannotSend("cannot be stored as an Arrow file: %s" % error) from None
        for name, kind in frame.schema.items():
            if kept[name] != kind:
                raise CannotSend(_cannot_send(name, kind))
        return {"arrow": self.content(file.getbuffer())}

    def polars_series(self, series):
        return self.polars_frame(series.to_frame())


class _Reader:
    """Decodes the parts of one frame."""

    def __init__(self, decoder, library):
        self._decoder = decoder
        self._library = library

    def value(self, value):
        return self._decoder.decode(value)

    def pandas_frame(self, content):
        pandas = self._library
        index, columns = self.index(content["index"]), self.index(content["columns"])
        parts = content["parts"]
        if len(parts) == 1 and _is_plain_form(parts[0]["values"]):
            frame = pandas.DataFrame(self.value(parts[0]["values"]["array"]), index=index, copy=False)
        else:
            series = {position: item for part in parts for position, item in self._series(part, index)}
            frame = pandas.DataFrame({position: series[position] for position in sorted(series)}, index=index)
        frame.columns = columns
        return self._with_attributes(frame, content)

    def _series(self, part, index):
        """Yields the position and the series of each column."""
        values = part["values"]
        if not _is_plain_form(values):
            column = self.column(values)
            yield part["positions"][0], self._library.Series(column, index=index, dtype=column.dtype, copy=False)
            return
        block = self.value(values["array"])
        for i, position in enumerate(part["positions"]):
            yield position, self._library.Series(block[:, i], index=index, copy=False)

    def pandas_series(self, content):
        column = self.column(content["values"])
        series = self._library.Series(column, index=self.index(content["index"]), name=self.value(content["name"]),
                                      dtype=column.dtype, copy=False)
        return self._with_attributes(series, content)

    def _with_attributes(self, value, content):
        value.attrs.update(self.value(content.get("attrs", {})))
        return value

    def pandas_index(self, content):
        return self.index(content["index"])

    def index(self, content):
        pandas = self._library
        if "start" in content:
            return pandas.RangeIndex(content["start"], content["stop"], content["step"], name=self.value(content["name"]))
        if "levels" in content:
            return pandas.MultiIndex([self.index(level) for level in content["levels"]],
                                     [self.value(codes) for codes in content["codes"]],
                                     names=[self.value(name) for name in content["names"]])
        column = self.column(content["values"])
        index = pandas.Index(column, dtype=column.dtype, name=self.value(content["name"]), tupleize_cols=False)
        if content.get("freq"):
            index.freq = content["freq"]
        return index

    def column(self, content):
        """Returns an array of numpy or pandas."""
        pandas = self._library
        if _is_plain_form(content):
            return self.value(content["array"])
        name = content["dtype"]
        if "items" in content or "text" in content:
            return self._of_objects(name, content)
        if "codes" in content:
            return pandas.Categorical.from_codes(self.value(content["codes"]), self.index(content["categories"]),
                                                 content["ordered"])
        if "closed" in content:
            return pandas.arrays.IntervalArray.from_arrays(self.index(content["left"]), self.index(content["right"]),
                                                           content["closed"])
        if "arrow" in content:
            return pandas.arrays.ArrowExtensionArray(_read_arrow(self._decoder, content["arrow"]).column(0))
        dtype = pandas.api.types.pandas_dtype(name)
        array = self.value(content["array"])
        if isinstance(dtype, pandas.DatetimeTZDtype):
            return pandas.DatetimeIndex(array).tz_localize("UTC").tz_convert(dtype.tz).array
        if isinstance(dtype, pandas.PeriodDtype):
            return pandas.arrays.PeriodArray(array, dtype=dtype)
        return dtype.construct_array_type()(array, self.value(content["mask"]))

    def _of_objects(self, name, content):
        items = [self.value(item) for item in content["items"]] if "items" in content else _texts(
            bytes(self.value(content["text"])), self.value(content["lengths"]).tolist())
        if "storage" in content:
            dtype = self._text_type(name, content["storage"])
            if dtype is not None:
                return dtype.construct_array_type()._from_sequence(items, dtype=dtype)
        import numpy

        array = numpy.empty(len(items), object)
        array[:] = items
        return array

    def _text_type(self, name, storage):
        """Returns a dtype of texts with the storage that is installed here. None: this pandas has none of the name."""
        pandas = self._library
        if storage == "pyarrow":
            try:
                import pyarrow  # noqa: F401
            except ImportError:
                storage = "python"
        if name != "str":
            return pandas.StringDtype(storage)
        try:
            return pandas.StringDtype(storage, na_value=float("nan"))
        except TypeError:  # before pandas 2.3
            return None

    def arrow_table(self, content):
        return _read_arrow(self._decoder, content["arrow"])

    def polars_frame(self, content):
        return self._library.read_ipc(io.BytesIO(self._decoder.decode_file(content["arrow"])))

    def polars_series(self, content):
        return self.polars_frame(content).to_series()


def _is_plain(dtype):
    """Returns whether an .npy file holds arrays of this dtype."""
    return getattr(dtype, "kind", "") in _NUMPY_KINDS and dtype.__class__.__module__.partition(".")[0] == "numpy"


def _is_plain_form(content):
    """Returns whether an encoded column is an array of numpy alone."""
    return set(content) == {"array"}


def _cannot_send(name, dtype):
    return "has the column %s of type %s, which cannot be sent; convert it to another type" % (name, dtype)


def _arrow_file(table):
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return memoryview(sink.getvalue())


def _read_arrow(decoder, content):
    pyarrow = decoder.import_package("pyarrow", "a table of Arrow")
    return pyarrow.ipc.open_stream(decoder.decode_file(content)).read_all()


def _texts(content, lengths):
    """Returns the texts of these lengths in UTF-8; -1: None."""
    texts, start = [], 0
    for length in lengths:
        texts.append(None if length < 0 else content[start:start + length].decode("utf-8"))
        start += max(length, 0)
    return texts


_ENCODERS = (
    ("pandas", "DataFrame", _Writer.pandas_frame),
    ("pandas", "Series", _Writer.pandas_series),
    ("pandas", "Index", _Writer.pandas_index),
    ("polars", "DataFrame", _Writer.polars_frame),
    ("polars", "Series", _Writer.polars_series),
    ("pyarrow", "Table", _Writer.arrow_table),
)
_DECODERS = {
    ("pandas", "DataFrame"): _Reader.pandas_frame,
    ("pandas", "Series"): _Reader.pandas_series,
    ("pandas", "Index"): _Reader.pandas_index,
    ("polars", "DataFrame"): _Reader.polars_frame,
    ("polars", "Series"): _Reader.polars_series,
    ("pyarrow", "Table"): _Reader.arrow_table,
}
