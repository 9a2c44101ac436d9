"""Encodes and decodes values: docs/reference/values.md."""

import collections
import collections.abc
import enum
import importlib
import io
import json
import math
import os
import reprlib
import sys
import types

import _kinetic_frames as frames
import _kinetic_typed as typed
from _kinetic_errors import cut, one_line, safe_text, type_name
from _kinetic_imports import base64, dataclasses, datetime, decimal, fractions, hashlib, pathlib, pickle, uuid

MAX_DEPTH = 150  # each level has up to three levels of JSON, and the reader's limit is 500
MAX_BYTES = 64 << 20
INLINE_BYTES = 64 << 10
INLINE_ITEMS = 256
MAX_REPR = 200
MAX_PATH = 120
PIECE = 1 << 20
NPY_HEADER = 118  # with the 10 bytes before it a multiple of 64
TOO_LONG = "makes the value longer than %d MiB as JSON; write it to KINETIC_OUTPUT_DIR instead"
SHARED_BYTES = 128  # a smaller part that occurs again is encoded again, which needs less memory


class NotSerializable(Exception):
    """A value that cannot be encoded, with its path inside the result."""

    def __init__(self, path, value, why, show=True):
        super().__init__(why)
        self.path = cut(path, MAX_PATH)
        self.type = type_name(type(value))
        self.why = why
        self.repr = cut(one_line(safe_text(_brief_repr, value, "repr")), MAX_REPR) if show else ""

    def message(self):
        if self.path == "$":
            return "the returned %s %s" % (self.type, self.why)
        return "%s: %s %s" % (self.path, self.type, self.why)


class NotEncodable(NotSerializable):
    """A value that cannot be encoded even as a pickle."""


def _brief_repr(value):
    """Returns repr(), or the start of it for containers, whose repr() may be of any length."""
    if type(value).__module__ in ("builtins", "collections"):
        return _BRIEF.repr(value)
    return repr(value)


_BRIEF = reprlib.Repr()
_BRIEF.maxlevel = 4
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = MAX_REPR


def _package_of(kind):
    return (getattr(kind, "__module__", "") or "").partition(".")[0]


# What to return instead of a value, by its module and the name or an attribute of its type.
_ADVICE = (
    ("polars", "collect", "return value.collect()"),
    ("xarray", "to_netcdf", "return value.to_dict(), or write it with value.to_netcdf to KINETIC_OUTPUT_DIR"),
    ("torch", "detach", "return tensor.detach().cpu().numpy()"),
    ("jax", "__array__", "return numpy.asarray(value)"),
    ("jaxlib", "__array__", "return numpy.asarray(value)"),
    ("numpy", "filled", "return value.filled(), or {'data': value.data, 'mask': value.mask}"),
    ("", "model_dump", "return value.model_dump()"),
    ("", "__attrs_attrs__", "return attrs.asdict(value)"),
    ("", "gi_frame", "return list(value)"),
    ("builtins", "mapping", "return list(value)"),  # keys() of a dict
    ("", "to_pylist", "return value.to_pylist()"),
    ("", "to_list", "return value.to_list()"),
    ("", "tolist", "return value.tolist()"),
    ("", "to_dict", "return value.to_dict()"),
    ("pandas", "NAType", "return None"),
    ("pandas", "NaTType", "return None"),
    ("pandas", "Interval", "return str(value)"),
    ("pandas", "freqstr", "return str(value)"),
)


def _advice(value):
    kind = type(value)
    for module, of_type, advice in _ADVICE:
        if module in ("", _package_of(kind)) and (of_type == kind.__name__ or hasattr(kind, of_type)):
            return "; " + advice
    return ""


# Arrays of these have labels, units or missing items that numpy lacks.
_LABELLED = {"pandas", "xarray", "polars", "pint", "cudf", "modin"}


def _has_metadata(dtype):
    parts = [field[0] for field in (dtype.fields or {}).values()] + [dtype.base][dtype.base is dtype:]
    return bool(dtype.metadata) or any(map(_has_metadata, parts))


def _is_named(encoded):
    """Returns whether an encoded tuple is a named one, which has the name of its type."""
    return isinstance(encoded, dict) and "$namedtuple" in encoded


def _is_cache(value, name):
    """Returns whether an attribute is the result of a functools.cached_property."""
    return type(getattr(type(value), name, None)).__name__ == "cached_property"


def _is_plain_key(key):
    return isinstance(key, str) and not isinstance(key, enum.Enum) and not str.startswith(key, "$")


def _step(path, key):
    if isinstance(key, str) and key.isidentifier():
        return "%s.%s" % (path, key)
    return "%s[%s]" % (path, cut(one_line(safe_text(_brief_repr, key, "repr")), 80))


def _base_of(value, kinds):
    """Returns the built-in type whose methods see all of a value, also of a subclass that hides some."""
    return next(kind for kind in kinds if isinstance(value, kind))


def _added_attributes(value, base):
    """Returns the names of attributes that a value has and an instance of `base` has not."""
    try:
        added = dict(object.__getattribute__(value, "__dict__"))
    except (AttributeError, TypeError, ValueError):
        added = {}
    with_slots = [kind for kind in type(value).__mro__
                  if "__slots__" in vars(kind) and _package_of(kind) != _package_of(base)]
    for name, member in ((name, member) for kind in with_slots for name, member in vars(kind).items()):
        try:
            if isinstance(member, types.MemberDescriptorType):
                added[name] = member.__get__(value)
        except AttributeError:  # not set
            pass
    # Some maps have their items as attributes too. typing adds __orig_class__.
    is_map = isinstance(value, dict)
    return [name for name, item in added.items()
            if str(name)[-2:] != "__" and not (is_map and dict.get(value, name) is item)]


class Encoder:
    """Encodes one value. Arrays and long bytes become files in `folder`, named by their SHA-256.

    Counts the bytes of JSON while it encodes, never more than there will be, so that a value above the
    limit is refused before it needs that much memory. A part that occurs again is counted again but not
    encoded again: its JSON may be exponentially longer than the value.

    `to_pickle` returns the pickle of a part that is not data. Without it, such parts are refused.

    If `is_strict`, a subclass of a type that is data is no data. Otherwise it becomes an object of that type.
    """

    _PATH_TAG = "$path"

    def __init__(self, folder, to_pickle=None, is_strict=False):
        self._folder = folder
        self._to_pickle = to_pickle
        self._is_strict = is_strict or to_pickle is not None
        self._open = set()
        self._size = 0
        self._done = {}  # by id and depth: the part, which keeps its id in use, its JSON and size
        self.types = {}  # of dataclasses, named tuples and enums, by name
        self.packages = {}  # that decoding needs, with the path of the first value that needs it

    def encode(self, value, path="$", depth=0):
        if value is None or value is True or value is False:
            self._count(4, path, value)
            return value
        kind = type(value)
        if kind is str:
            return self._text(value, path)
        if kind is int:
            return self._int(value, path)
        if kind is float:
            return self._float(value, path)
        if depth > MAX_DEPTH:
            raise NotSerializable(path, value, "is nested deeper than %d levels" % MAX_DEPTH, False)
        if id(value) in self._open:
            raise NotSerializable(path, value, "contains itself", False)
        done = self._done.get((id(value), depth))
        if done is not None:
            self._count(done[2], path, value)
            return done[1]
        before = self._size
        self._count(2, path, value)
        self._open.add(id(value))
        try:
            encode = self._compound if self._to_pickle is None else self._data_or_pickle
            encoded = encode(value, path, depth + 1)
        finally:
            self._open.discard(id(value))
        size = self._size - before
        if size >= SHARED_BYTES:
            self._done[id(value), depth] = (value, encoded, size)
        return encoded

    def _type(self, value):
        name = type_name(type(value))
        self.types[name] = type(value)
        return name

    def _count(self, size, path, value):
        self._size += size
        if self._size > MAX_BYTES:
            raise NotEncodable(path, value, TOO_LONG % (MAX_BYTES >> 20), False)

    def _data_or_pickle(self, value, path, depth):
        before = self._size
        try:
            return self._compound(value, path, depth)
        except NotEncodable:
            raise
        except NotSerializable:
            self._size = before
        try:
            content = self._to_pickle(value)
        except Exception as error:
            raise NotEncodable(path, value, "cannot be pickled: %s" % cut(one_line(str(error)), 500)) from None
        return {"$pickle": self.encode_file(content, path)}

    def _compound(self, value, path, depth):
        if isinstance(value, enum.Enum):
            inner = self.encode(value.value, path + ".value", depth)
            return {"$enum": {"type": self._type(value), "name": value.name, "value": inner}}
        if self._is_numpy(value):
            return self._numpy(value, path, depth)
        for kind, method in self._BY_TYPE:
            if isinstance(value, kind):
                self._check_attributes(value, kind, path)
                if type(value) in typed.PLAIN:
                    return method(self, value, path, depth)
                depth += type(value) in typed.COLLECTIONS  # one more level of JSON
                return self._with_type(value, kind, method(self, value, path, depth), path)
        missing = typed.missing_item(value)
        if missing is not None:
            return missing
        for module, name, method in self._OF_MODULES:
            loaded = module.if_imported()
            kind = getattr(loaded, name, ()) if loaded is not None else ()
            if isinstance(value, kind):
                if _package_of(type(value)) != "pandas":  # whose times have caches
                    self._check_attributes(value, kind, path)
                encoded = method(self, value, path, depth)
                return encoded if self._is_own(value, loaded, kind) else self._with_type(value, kind, encoded, path)
        if hasattr(type(value), "__dataclass_fields__"):
            return self._dataclass(value, path, depth)
        frame = self._frame(value, path, depth)
        if frame is not None:
            return frame
        if isinstance(value, collections.abc.Mapping):
            return self._with_type(value, dict, self._map(value.items(), path, depth), path)
        array, cast = self._as_array(value, path)
        if cast:
            return self._cast(array, cast, path, depth)
        if array is not None:
            return self._numpy(array, path, depth)
        raise NotSerializable(path, value, "is not serializable" + _advice(value))

    @staticmethod
    def _is_own(value, module, kind):
        """Returns whether a value is exactly of a type of a module, or a path of the current system."""
        return type(value) is kind or (kind.__name__ == "PurePath" and type(value) is type(module.Path()))

    def _with_type(self, value, base, encoded, path):
        """Returns the encoded value with the name of its type, unless it is plain data."""
        named = encoded if _is_named(encoded) else typed.with_type(value, encoded)
        if named is not None:
            return named
        if self._is_strict and not self._is_numpy(value):
            raise NotSerializable(path, value, "is not exactly a %s, and would lose its type; return %s(value)" % (
                base.__name__, base.__name__))
        return encoded

    def _frame(self, value, path, depth):
        try:
            return frames.encode(self, value, path, depth)
        except frames.CannotSend as error:
            raise NotSerializable(path, value, str(error), False) from None

    def encode_array(self, array, path, depth):
        """Encodes an array that is a part of a value."""
        return self._array(sys.modules["numpy"], array, path, depth)

    def encode_file(self, content, path):
        """Encodes the content of a file that is a part of a value."""
        return self._content(bytes(content), path)

    def _check_attributes(self, value, base, path):
        """Refuses a value of a subclass with content that its base lacks."""
        added = _added_attributes(value, base) if type(value) is not base else ()
        if not added:
            return
        what = {"numpy": "numpy.asarray", "builtins": base.__name__, "collections": "list"}.get(base.__module__, "str")
        advice = _advice(value) or "; return %s(value) to drop them" % what
        raise NotSerializable(path, value, "has attributes that would be lost (%s)%s" % (
            cut(", ".join(map(str, added)), 100), advice))

    def _text(self, value, path):
        try:
            self._count(len(value.encode("utf-8")) + 2, path, value)
        except UnicodeEncodeError:
            raise NotSerializable(path, value, "contains a lone surrogate, which UTF-8 cannot encode") from None
        return value

    def _int(self, value, path):
        self._count(1 + value.bit_length() * 3 // 10, path, value)
        if -(2**63) <= value < 2**63:
            return value
        return {"$int": _digits(value)}

    def _float(self, value, path):
        self._count(3, path, value)
        if math.isfinite(value):
            return value
        return {"$float": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}

    def _complex(self, value, path, depth):
        parts = (complex.real.__get__(value), complex.imag.__get__(value))
        return {"$complex": [self._float(part, path) for part in parts]}

    def _bytes(self, value, path, depth):
        if isinstance(value, memoryview):
            if value.ndim != 1 or value.itemsize != 1:
                raise NotSerializable(path, value, "is not one of bytes; return value.tolist()")
            value = value.tobytes()
        else:
            value = bytes(_base_of(value, (bytes, bytearray)).__getitem__(value, slice(None)))
        return self._content(value, path)

    def _content(self, value, path):
        """Encodes bytes."""
        if len(value) <= INLINE_BYTES:
            self._count(len(value) * 4 // 3, path, value)
            return {"$bytes": base64.b64encode(value).decode("ascii")}
        reference = self._store(lambda file: file.write(value))
        self._count(2 * len(reference), path, value)
        return {"$bytes": {"$ref": reference, "sha256": reference, "size_bytes": len(value)}}

    def _items(self, kind, value, path, depth):
        """Encodes the items of a list, a tuple or the like with the methods of the base type `kind`."""
        if self._size + 2 * kind.__len__(value) > MAX_BYTES:
            self._count(2 * kind.__len__(value), path, value)
        items = []
        for item in kind.__iter__(value):
            self._size += bool(items)  # a comma
            items.append(self.encode(item, "%s[%d]" % (path, len(items)), depth))
        return items

    def _list(self, value, path, depth):
        return self._items(_base_of(value, (list, collections.deque)), value, path, depth)

    def _tuple(self, value, path, depth):
        fields = getattr(value, "_fields", None)
        if not isinstance(fields, tuple) or len(set(fields)) != tuple.__len__(value):
            if getattr(type(value), "n_fields", 0) > tuple.__len__(value):  # such as time.struct_time
                raise NotSerializable(path, value, "has attributes that are no items; return tuple(value) to drop them")
            return {"$tuple": self._items(tuple, value, path, depth)}
        members = {}
        for field, item in zip(fields, tuple.__iter__(value)):
            members[field] = self._member(field, item, path, depth)
        return {"$namedtuple": {"type": self._type(value), "fields": members}}

    def _set(self, value, path, depth):
        kind = _base_of(value, (set, frozenset))
        items = self._items(kind, value, path + "{}", depth)
        if len(items) > 1:
            items.sort(key=lambda item: json.dumps(item, sort_keys=True, default=repr))
        return {"$set" if kind is set else "$frozenset": items}

    def _dict(self, value, path, depth):
        kind = _base_of(value, (collections.OrderedDict, dict))
        return self._map(kind.items(value), path, depth)

    def _map(self, items, path, depth):
        pairs = []
        for key, item in items:
            self._size += 1 + bool(pairs)  # a colon and a comma
            if _is_plain_key(key):
                self._with_type(key, str, key, path + " key")
                first = key = self._text(str.__str__(key), path)
            else:
                first = self.encode(key, path + " key", depth)
            pairs.append([first, self.encode(item, _step(path, key), depth)])
        if all(_is_plain_key(first) for first, _ in pairs):
            members = dict(pairs)
            if len(members) == len(pairs):
                return members
        return {"$dict": pairs}

    def _member(self, name, item, path, depth):
        self._count(len(name), path, item)
        return self.encode(item, _step(path, name), depth)

    def _dataclass(self, value, path, depth):
        fields = {}
        for field in dataclasses.fields(value):
            if hasattr(value, field.name):  # others were not set
                fields[field.name] = self._member(field.name, getattr(value, field.name), path, depth)
        self._check_fields(value, fields, path)
        return {"$dataclass": {"type": self._type(value), "fields": fields}}

    def _check_fields(self, value, fields, path):
        """Refuses attributes that are no fields, such as those that __post_init__ sets."""
        added = [name for name in _added_attributes(value, object) if name not in fields and not _is_cache(value, name)]
        if added:
            raise NotSerializable(path, value, "has attributes that are no fields (%s); declare them with "
                                  "dataclasses.field(init=False)" % cut(", ".join(added), 100))

    def _slice(self, value, path, depth):
        parts = (value.start, value.stop, value.step)
        return {"$" + type(value).__name__: [self.encode(part, path, depth) for part in parts]}

    def _datetime(self, value, path, depth):
        zone = getattr(value, "tzinfo", None)
        text = value.isoformat()
        offset = zone is not None and value.utcoffset()
        if value != value or (value.fold and offset is False) or offset is None:
            why = "is no time" if value != value else "has a fold or a time zone without an offset, which would be lost"
            raise NotSerializable(path, value, why + _advice(value))
        name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # of zoneinfo and pytz
        if isinstance(name, str):
            text += "[%s]" % name
        return {"$datetime" if isinstance(value, datetime.datetime) else "$time": self._text(text, path)}

    def _timedelta(self, value, path, depth):
        if value != value:
            raise NotSerializable(path, value, "is no duration" + _advice(value))
        nanoseconds = getattr(value, "nanoseconds", 0)  # of pandas
        more = [nanoseconds] if nanoseconds else []
        return {"$timedelta": [value.days, value.seconds, value.microseconds, *more]}

    def _fraction(self, value, path, depth):
        parts = (value.numerator, value.denominator)
        for part in parts:
            self._count(part.bit_length() * 3 // 10, path, value)
        return {"$fraction": [_digits(part) for part in parts]}

    _BY_TYPE = (
        (str, lambda self, value, path, _: self._text(str.__str__(value), path)),
        (int, lambda self, value, path, _: self._int(int.__int__(value), path)),
        (float, lambda self, value, path, _: self._float(float.__float__(value), path)),
        (complex, _complex),
        (bytes, _bytes),
        (bytearray, _bytes),
        (memoryview, _bytes),
        (dict, _dict),
        (tuple, _tuple),
        (list, _list),
        (collections.deque, _list),
        (range, _slice),
        (slice, _slice),
        (set, _set),
        (frozenset, _set),
    )
    _OF_MODULES = (
        (datetime, "datetime", _datetime),
        (datetime, "date", lambda self, value, *_: {"$date": value.isoformat()}),
        (datetime, "time", _datetime),
        (datetime, "timedelta", _timedelta),
        (decimal, "Decimal", lambda self, value, *_: {"$decimal": str(value)}),
        (fractions, "Fraction", _fraction),
        (pathlib, "PurePath", lambda self, value, path, _: {self._PATH_TAG: self._text(str(value), path)}),
        (uuid, "UUID", lambda self, value, *_: {"$uuid": str(value)}),
    )

    @staticmethod
    def _is_numpy(value):
        numpy = sys.modules.get("numpy")
        return isinstance(value, tuple(getattr(numpy, name, ()) for name in ("generic", "ndarray")))

    def _numpy(self, value, path, depth):
        numpy = sys.modules["numpy"]
        base = next(kind for kind in type(value).__mro__ if _package_of(kind) == "numpy"
                    and not kind.__module__.startswith("numpy.ma"))
        self._check_attributes(value, base, path)  # numpy's own matrix and memmap add no content
        if value.dtype.hasobject:
            raise NotSerializable(path, value, "has dtype %s, which holds Python objects" % value.dtype)
        if value.dtype.isbuiltin == 2 and numpy.can_cast(value.dtype, numpy.float32):  # bfloat16 and other ML types
            return self._cast(numpy.asarray(value).astype(numpy.float32), value.dtype.name, path, depth)
        if value.ndim > 0:
            return self._array(numpy, value, path, depth)
        kind = value.dtype.kind
        if kind == "f" and value.dtype.itemsize <= 8:
            return self._float(float(value), path)
        if kind == "c" and value.dtype.itemsize <= 16:
            return self._complex(complex(value), path, depth)
        if kind in "biuSU":
            return self.encode(value.item(), path, depth)
        if kind == "M" and not numpy.isnat(value) and numpy.datetime_data(value.dtype)[0] != "generic":
            return {"$datetime": numpy.datetime_as_string(value)}
        return self._array(numpy, numpy.asarray(value), path, depth)

    def _cast(self, wider, name, path, depth):
        """Encodes an array of a type that .npy files cannot hold, whose items are also float32."""
        encoded = self._numpy(wider, path, depth)
        return {"$typed": {"type": "ml_dtypes." + name, "value": encoded}} if wider.ndim > 0 else encoded

    def _array(self, numpy, value, path, depth):
        value = numpy.asarray(value)
        if value.dtype.isbuiltin == 2 or _has_metadata(value.dtype):
            raise NotSerializable(path, value, "has dtype %r, which .npy files cannot hold" % value.dtype)
        try:
            reference = self._store(lambda file: numpy.lib.format.write_array(file, value, None, False))
        except (TypeError, ValueError) as error:
            raise NotSerializable(path, value, "cannot be stored as .npy: %s" % cut(one_line(str(error)), 500)) from None
        array = {
            "$ref": reference,
            "sha256": reference,
            "dtype": str(value.dtype) if value.dtype.names is None else str(value.dtype.descr),
            "shape": list(value.shape),
            "size_bytes": os.path.getsize(os.path.join(self._folder, reference)),
        }
        if value.size <= INLINE_ITEMS and value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
            array["items"] = self.encode(value.tolist(), path, depth)
        return {"$array": array}

    def _as_array(self, value, path):
        """Converts arrays of other libraries (jax, torch, tensorflow) with __array__.

        Returns the array, or None, and the name of its type if that is not the array's.
        """
        is_array = all(hasattr(value, name) for name in ("__array__", "dtype", "shape"))
        if not is_array or isinstance(value, type) or set(map(_package_of, type(value).__mro__)) & _LABELLED:
            return None, ""
        try:
            import numpy

            if hasattr(value, "detach") and hasattr(value, "cpu"):
                value = value.detach().cpu()
                name = str(value.dtype).partition(".")[2]
                if name.startswith(("bfloat", "float8")):
                    return numpy.asarray(value.float()), name
            return numpy.asarray(value), ""
        except Exception as error:
            why = "cannot be converted to a numpy array: %s%s" % (
                cut(one_line(safe_text(str, error, "str")), 500), _advice(value))
            raise NotSerializable(path, value, why) from None

    def _store(self, write):
        os.makedirs(self._folder, exist_ok=True)
        draft = os.path.join(self._folder, "draft")
        with open(draft, "wb") as file:
            write(file)
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


def write_value(value, folder, to_pickle=None):
    """Writes value.json and the files that it refers to; returns its size in bytes."""
    text = json.dumps(Encoder(os.path.join(folder, "values"), to_pickle).encode(value), ensure_ascii=False,
                      allow_nan=False, separators=(",", ":")).encode("utf-8")
    if len(text) > MAX_BYTES:
        raise NotSerializable("$", value, TOO_LONG % (MAX_BYTES >> 20), False)
    with open(os.path.join(folder, "value.json"), "wb") as file:
        file.write(text)
    return len(text)


def decode(value, root, find_type=None):
    """Returns the Python value of an argument.

    `root` is the base of a relative `$path`. `find_type` returns the class of a name, for dataclasses, named
    tuples and enums; without it they remain maps.
    """
    return Decoder(root, find_type).decode(value)


class Decoder:
    """Decodes values. A subclass may decode the forms that only results have.

    Loads pickled parts, which may execute code, only if `is_pickle_allowed`. Otherwise they remain maps.
    """

    def __init__(self, root="", find_type=None, is_pickle_allowed=False):
        self._root = root
        self._find_type = find_type
        self._is_pickle_allowed = is_pickle_allowed

    def decode(self, value):
        if isinstance(value, list):
            return [self.decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            tag, content = next(iter(value.items()))
            decoder = self._BY_TAG.get(tag)
            if decoder is not None and self._is_known(tag):
                return decoder(self, content)
        return {key: self.decode(item) for key, item in value.items()}

    def _is_known(self, tag):
        if tag == "$pickle":
            return self._is_pickle_allowed
        return self._find_type is not None or tag not in _TYPED

    def _unpickle(self, content):
        return pickle.loads(self.decode_file(content))

    def import_package(self, name, what):
        """Returns the package that a part of a value needs."""
        try:
            return importlib.import_module(name)
        except ImportError:
            raise ImportError(self._MISSING % (what, name, name)) from None

    _MISSING = "an argument is %s, but %s is not installed; add %s to the job's dependencies"

    def decode_file(self, content):
        """Returns the content of a file that is a part of a value."""
        return self.decode(content) if "$bytes" in content else _content_of_npy(content["$npy"])

    def _path(self, content):
        return os.path.normpath(os.path.join(self._root, content))

    def _bytes(self, content):
        return content if isinstance(content, bytes) else base64.b64decode(content, validate=True)

    def _type(self, tag, content):
        kind = self._find_type(content["type"])
        if not fits(tag, kind, content):
            raise LookupError("the type %s differs from that of the %s" % (content["type"], tag[1:]))
        return kind

    def _dataclass(self, content):
        kind = self._type("$dataclass", content)
        value = object.__new__(kind)
        for name, item in content["fields"].items():
            object.__setattr__(value, name, self.decode(item))
        return value

    def _namedtuple(self, content):
        kind = self._type("$namedtuple", content)
        return tuple.__new__(kind, [self.decode(item) for item in content["fields"].values()])

    def _enum(self, content):
        kind = self._type("$enum", content)
        member = kind.__members__.get(content["name"])
        return kind(self.decode(content["value"])) if member is None else member  # flags have no names

    def _array(self, content):
        return _array_of(self.import_package("numpy", "an array ($npy)"), content)

    def _complex(self, content):
        return complex(*(float(self.decode(part)) for part in content))

    _BY_TAG = {
        "$path": lambda self, content: self._path(content),
        "$pathlib": lambda self, content: pathlib.Path(content),
        "$float": lambda self, content: float(content),
        "$int": lambda self, content: _integer(content),
        "$bytes": lambda self, content: self._bytes(content),
        "$npy": lambda self, content: self._array(content),
        "$range": lambda self, content: range(*map(self.decode, content)),
        "$slice": lambda self, content: slice(*map(self.decode, content)),
        "$typed": lambda self, content: typed.decode(self, content),
        "$pickle": lambda self, content: self._unpickle(content),
        "$frame": lambda self, content: frames.decode(self, content),
        "$tuple": lambda self, content: tuple(self.decode(item) for item in content),
        "$set": lambda self, content: {self.decode(item) for item in content},
        "$frozenset": lambda self, content: frozenset(self.decode(item) for item in content),
        "$dict": lambda self, content: {self.decode(key): self.decode(item) for key, item in content},
        "$complex": _complex,
        "$dataclass": _dataclass,
        "$namedtuple": _namedtuple,
        "$enum": _enum,
        "$datetime": lambda self, content: _time(datetime.datetime, content),
        "$date": lambda self, content: datetime.date.fromisoformat(content),
        "$time": lambda self, content: _time(datetime.time, content),
        "$timedelta": lambda self, content: _timedelta(*content),
        "$decimal": lambda self, content: decimal.Decimal(content),
        "$fraction": lambda self, content: fractions.Fraction(*map(_integer, content)),
        "$uuid": lambda self, content: uuid.UUID(content),
    }


_TYPED = ("$dataclass", "$namedtuple", "$enum")


def fits(tag, kind, content):
    """Returns whether a value of one of the tags _TYPED may become an object of this class.

    Others could have attributes with effects, such as the name of a file that is removed with its object.
    """
    if not isinstance(kind, type):
        return False
    if tag == "$enum":
        return issubclass(kind, enum.Enum)
    names = list(content["fields"])
    if tag == "$namedtuple":
        return issubclass(kind, tuple) and names == list(getattr(kind, "_fields", ()))
    known = [field.name for field in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
    return dataclasses.is_dataclass(kind) and names == [name for name in known if name in names]


def import_type(name):
    """Returns the class that type_name() names. Imports its module."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise LookupError("the type %s of an argument is in no module" % name)


def _time(kind, content):
    """Returns a datetime or time, such as 2026-01-02T03:04:05+01:00[Europe/Berlin] (RFC 9557)."""
    text, _, name = content.partition("[")
    digits = text.partition(".")[2].partition("+")[0].partition("-")[0].rstrip("Z")
    if digits[6:].strip("0"):
        raise ValueError("%s has nanoseconds, which a %s cannot hold" % (content, kind.__name__))
    value = kind.fromisoformat(text)
    if not name:
        return value
    import zoneinfo

    zone = zoneinfo.ZoneInfo(name.rstrip("]"))
    for fold in (0, 1):
        local = value.replace(tzinfo=zone, fold=fold)
        if local.utcoffset() == value.utcoffset():
            return local
    raise ValueError("%s has an offset that its time zone never has" % content)


def _timedelta(days, seconds, microseconds, nanoseconds=0):
    if nanoseconds:
        raise ValueError("a timedelta cannot hold nanoseconds")
    return datetime.timedelta(days, seconds, microseconds)


def _array_of(numpy, content):
    """Returns the array of an .npy file: {"$path": FILE}, or the file in base64."""
    npy = content["$path"] if isinstance(content, dict) else io.BytesIO(base64.b64decode(content, validate=True))
    return numpy.load(npy, allow_pickle=False)


def npy_header(size):
    """Returns the header of an .npy file with bytes, which needs no numpy."""
    text = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % size
    return b"\x93NUMPY\x01\x00" + NPY_HEADER.to_bytes(2, "little") + text.ljust(NPY_HEADER - 1).encode() + b"\n"


def _content_of_npy(content):
    """Returns the bytes of an .npy file with such a header."""
    if isinstance(content, dict):
        with open(content["$path"], "rb") as file:
            file.seek(NPY_HEADER + 10)
            return file.read()
    return base64.b64decode(content, validate=True)[NPY_HEADER + 10:]


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
