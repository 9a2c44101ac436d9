"""Encodes and decodes values: docs/reference/values.md."""

import collections
import collections.abc
import enum
import importlib
import json
import math
import os
import sys

from _kinetic_errors import cut, safe_text, type_name

MAX_DEPTH = 150  # each level has up to three levels of JSON, and the reader's limit is 500
MAX_BYTES = 64 << 20
INLINE_BYTES = 64 << 10
INLINE_ITEMS = 256
MAX_REPR = 200
PIECE = 1 << 20


class _LazyModule:
    """A module that is imported on first use, because most jobs need none of these."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        return getattr(importlib.import_module(self._name), attribute)


base64, dataclasses, datetime, decimal, fractions, uuid = map(
    _LazyModule, ("base64", "dataclasses", "datetime", "decimal", "fractions", "uuid")
)


class NotSerializable(Exception):
    """A value that cannot be encoded, with its path inside the result."""

    def __init__(self, path, value, why):
        super().__init__(why)
        self.path = path
        self.type = type_name(type(value))
        self.why = why
        self.repr = cut(safe_text(repr, value, "repr"), MAX_REPR)

    def message(self):
        if self.path == "$":
            return "the returned %s %s" % (self.type, self.why)
        return "%s: %s %s" % (self.path, self.type, self.why)


def _module_of(value):
    return (getattr(type(value), "__module__", "") or "").split(".")[0]


def _is_plain_key(key):
    return isinstance(key, str) and not isinstance(key, enum.Enum) and not key.startswith("$")


def _step(path, key):
    if isinstance(key, str) and key.isidentifier():
        return "%s.%s" % (path, key)
    return "%s[%s]" % (path, cut(safe_text(repr, key, "repr"), 80))


class Encoder:
    """Encodes one value. Arrays and long bytes become files in `folder`, named by their SHA-256."""

    def __init__(self, folder):
        self._folder = folder
        self._open = set()

    def encode(self, value, path="$", depth=0):
        if value is None or value is True or value is False:
            return value
        kind = type(value)
        if kind is str:
            return self._text(value, path)
        if kind is int:
            return self._int(value)
        if kind is float:
            return self._float(value)
        if depth > MAX_DEPTH:
            raise NotSerializable(path, value, "is nested deeper than %d levels" % MAX_DEPTH)
        if id(value) in self._open:
            raise NotSerializable(path, value, "contains itself")
        self._open.add(id(value))
        try:
            return self._compound(value, path, depth + 1)
        finally:
            self._open.discard(id(value))

    def _compound(self, value, path, depth):
        if isinstance(value, enum.Enum):
            inner = self.encode(value.value, path + ".value", depth)
            return {"$enum": {"type": type_name(type(value)), "name": value.name, "value": inner}}
        if self._is_numpy(value):
            return self._numpy(value, path, depth)
        for kind, method in self._BY_TYPE:
            if isinstance(value, kind):
                return method(self, value, path, depth)
        for module, name, method in self._OF_MODULES:
            loaded = sys.modules.get(module)  # a value of its types exists only if it is imported
            if loaded is not None and isinstance(value, getattr(loaded, name)):
                return method(self, value, path, depth)
        if hasattr(type(value), "__dataclass_fields__"):
            return self._dataclass(value, path, depth)
        if isinstance(value, collections.abc.Mapping):
            return self._map(value, path, depth)
        array = self._as_array(value, path)
        if array is not None:
            return self._numpy(array, path, depth)
        raise NotSerializable(path, value, "is not serializable")

    @staticmethod
    def _text(value, path):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise NotSerializable(path, value, "contains a lone surrogate, which UTF-8 cannot encode") from None
        return str(value)

    @staticmethod
    def _int(value):
        value = int(value)
        if -(2**63) <= value < 2**63:
            return value
        return {"$int": _digits(value)}

    @staticmethod
    def _float(value):
        value = float(value)
        if math.isfinite(value):
            return value
        return {"$float": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}

    def _complex(self, value, path, depth):
        return {"$complex": [self._float(value.real), self._float(value.imag)]}

    def _bytes(self, value, path, depth):
        value = bytes(value)
        if len(value) <= INLINE_BYTES:
            return {"$bytes": base64.b64encode(value).decode("ascii")}
        reference = self._store(lambda file: file.write(value))
        return {"$bytes": {"$ref": reference, "sha256": reference, "size_bytes": len(value)}}

    def _items(self, values, path, depth):
        return [self.encode(v, "%s[%d]" % (path, i), depth) for i, v in enumerate(values)]

    def _list(self, value, path, depth):
        return self._items(value, path, depth)

    def _tuple(self, value, path, depth):
        fields = getattr(value, "_fields", None)
        if not isinstance(fields, tuple):
            return {"$tuple": self._items(value, path, depth)}
        members = {f: self.encode(v, _step(path, f), depth) for f, v in zip(fields, value)}
        return {"$namedtuple": {"type": type_name(type(value)), "fields": members}}

    def _set(self, value, path, depth):
        items = [self.encode(item, path + "{}", depth) for item in value]
        items.sort(key=lambda item: json.dumps(item, sort_keys=True))
        return {"$frozenset" if isinstance(value, frozenset) else "$set": items}

    def _map(self, value, path, depth):
        if all(_is_plain_key(key) for key in value):
            members = {}
            for key, item in value.items():
                name = self._text(str.__str__(key), path)
                members[name] = self.encode(item, _step(path, name), depth)
            return members
        pairs = []
        for key, item in value.items():
            encoded = self.encode(key, path + " key", depth)
            pairs.append([encoded, self.encode(item, _step(path, key), depth)])
        return {"$dict": pairs}

    def _dataclass(self, value, path, depth):
        fields = {}
        for field in dataclasses.fields(value):
            item = getattr(value, field.name, None)
            fields[field.name] = self.encode(item, _step(path, field.name), depth)
        return {"$dataclass": {"type": type_name(type(value)), "fields": fields}}

    def _timedelta(self, value, path, depth):
        return {"$timedelta": [value.days, value.seconds, value.microseconds]}

    def _fraction(self, value, path, depth):
        return {"$fraction": [_digits(value.numerator), _digits(value.denominator)]}

    _BY_TYPE = (
        (str, lambda self, value, path, depth: self._text(str.__str__(value), path)),
        (int, lambda self, value, path, depth: self._int(value)),
        (float, lambda self, value, path, depth: self._float(value)),
        (complex, _complex),
        ((bytes, bytearray, memoryview), _bytes),
        (dict, _map),
        (tuple, _tuple),
        ((list, collections.deque, range), _list),
        ((set, frozenset), _set),
    )
    _OF_MODULES = (
        ("datetime", "datetime", lambda self, value, *_: {"$datetime": value.isoformat()}),
        ("datetime", "date", lambda self, value, *_: {"$date": value.isoformat()}),
        ("datetime", "time", lambda self, value, *_: {"$time": value.isoformat()}),
        ("datetime", "timedelta", _timedelta),
        ("decimal", "Decimal", lambda self, value, *_: {"$decimal": str(value)}),
        ("fractions", "Fraction", _fraction),
        ("pathlib", "PurePath", lambda self, value, path, _: {"$path": self._text(str(value), path)}),
        ("uuid", "UUID", lambda self, value, *_: {"$uuid": str(value)}),
    )

    @staticmethod
    def _is_numpy(value):
        numpy = sys.modules.get("numpy")
        return numpy is not None and isinstance(value, (numpy.generic, numpy.ndarray))

    def _numpy(self, value, path, depth):
        numpy = sys.modules["numpy"]
        if value.dtype.hasobject:
            raise NotSerializable(path, value, "has dtype %s, which holds Python objects" % value.dtype)
        if value.ndim > 0:
            return self._array(numpy, value, path, depth)
        kind = value.dtype.kind
        if kind == "f":
            return self._float(float(value))
        if kind == "c":
            return self._complex(complex(value), path, depth)
        if kind in "biuSU":
            return self.encode(value.item(), path, depth)
        if kind == "M" and not numpy.isnat(value):
            return {"$datetime": numpy.datetime_as_string(value)}
        return self._array(numpy, numpy.asarray(value), path, depth)

    def _array(self, numpy, value, path, depth):
        value = numpy.asarray(value)
        reference = self._store(lambda file: numpy.lib.format.write_array(file, value, None, False))
        array = {
            "$ref": reference,
            "sha256": reference,
            "dtype": str(value.dtype) if value.dtype.names is None else str(value.dtype.descr),
            "shape": list(value.shape),
            "size_bytes": os.path.getsize(os.path.join(self._folder, reference)),
        }
        if value.size <= INLINE_ITEMS and value.dtype.kind in "biuf":
            array["items"] = self.encode(value.tolist(), path, depth)
        return {"$array": array}

    def _as_array(self, value, path):
        """Converts arrays of other libraries (jax, torch, tensorflow) with __array__."""
        is_array = all(hasattr(value, name) for name in ("__array__", "dtype", "shape"))
        if not is_array or isinstance(value, type) or _module_of(value) in ("pandas", "xarray"):
            return None
        try:
            import numpy

            if hasattr(value, "detach") and hasattr(value, "cpu"):
                value = value.detach().cpu()
            array = numpy.asarray(value)
        except Exception as error:
            why = "cannot be converted to a numpy array: %s" % cut(safe_text(str, error, "str"), 500)
            raise NotSerializable(path, value, why) from None
        if array.dtype.kind == "V" and array.dtype.names is None:  # bfloat16 and other ML types
            array = array.astype(numpy.float32)
        return array

    def _store(self, write):
        os.makedirs(self._folder, exist_ok=True)
        draft = os.path.join(self._folder, "draft")
        with open(draft, "wb") as file:
            write(file)
        import hashlib

        digest = hashlib.sha256()
        with open(draft, "rb") as file:
            for piece in iter(lambda: file.read(PIECE), b""):
                digest.update(piece)
        name = digest.hexdigest()
        os.replace(draft, os.path.join(self._folder, name))
        return name


def _digits(value):
    """Returns all digits of an integer, even above the interpreter's limit."""
    limit = getattr(sys, "get_int_max_str_digits", None)
    if limit is None:
        return str(value)
    before = limit()
    sys.set_int_max_str_digits(0)
    try:
        return str(value)
    finally:
        sys.set_int_max_str_digits(before)


def write_value(value, folder):
    """Writes value.json and the files that it refers to; returns its size in bytes."""
    text = json.dumps(Encoder(os.path.join(folder, "values")).encode(value), ensure_ascii=False,
                      allow_nan=False, separators=(",", ":")).encode("utf-8")
    if len(text) > MAX_BYTES:
        why = "is %d MiB as JSON, above the limit of %d MiB; write it to " % (
            len(text) >> 20, MAX_BYTES >> 20)
        raise NotSerializable("$", value, why + "KINETIC_OUTPUT_DIR instead")
    with open(os.path.join(folder, "value.json"), "wb") as file:
        file.write(text)
    return len(text)


def decode(value, root):
    """Returns the Python value of an argument. `root` is the base of a relative `$path`."""
    if isinstance(value, list):
        return [decode(item, root) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        tag, content = next(iter(value.items()))
        if tag in _DECODERS:
            return _DECODERS[tag](content, root)
    return {key: decode(item, root) for key, item in value.items()}


_DECODERS = {
    "$path": lambda content, root: os.path.normpath(os.path.join(root, content)),
    "$float": lambda content, root: float(content),
    "$int": lambda content, root: _integer(content),
    "$bytes": lambda content, root: base64.b64decode(content, validate=True),
    "$tuple": lambda content, root: tuple(decode(item, root) for item in content),
    "$set": lambda content, root: {decode(item, root) for item in content},
    "$frozenset": lambda content, root: frozenset(decode(item, root) for item in content),
    "$dict": lambda content, root: {decode(k, root): decode(v, root) for k, v in content},
    "$complex": lambda content, root: complex(*(float(decode(part, root)) for part in content)),
    "$datetime": lambda content, root: datetime.datetime.fromisoformat(content),
    "$date": lambda content, root: datetime.date.fromisoformat(content),
    "$time": lambda content, root: datetime.time.fromisoformat(content),
    "$timedelta": lambda content, root: datetime.timedelta(*content),
    "$decimal": lambda content, root: decimal.Decimal(content),
    "$fraction": lambda content, root: fractions.Fraction(*map(_integer, content)),
    "$uuid": lambda content, root: uuid.UUID(content),
}


def _integer(text):
    limit = getattr(sys, "get_int_max_str_digits", None)
    if limit is None:
        return int(text)
    before = limit()
    sys.set_int_max_str_digits(0)
    try:
        return int(text)
    finally:
        sys.set_int_max_str_digits(before)
