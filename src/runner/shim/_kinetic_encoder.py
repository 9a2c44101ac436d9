"""Encodes values: docs/reference/values.md."""

import collections
import collections.abc
import enum
import json
import math
import os
import types

import _kinetic_frames as frames
import _kinetic_typed as typed
from _kinetic_arrays import ArrayEncoder
from _kinetic_digits import digits
from _kinetic_errors import cut, one_line, safe_text, type_name
from _kinetic_imports import base64, dataclasses, datetime, decimal, fractions, hashlib, pathlib, uuid
from _kinetic_refusals import NotEncodable, NotSerializable, advice, brief_repr, package_of
from _kinetic_times import encode_time, encode_timedelta

MAX_DEPTH = 150  # each level has up to three levels of JSON, and the reader's limit is 500
MAX_BYTES = 64 << 20
INLINE_BYTES = 64 << 10
PIECE = 1 << 20
TOO_LONG = "makes the value longer than %d MiB as JSON; write it to KINETIC_OUTPUT_DIR instead"
SHARED_BYTES = 128  # a smaller part that occurs again is encoded again, which needs less memory


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
    return "%s[%s]" % (path, cut(one_line(safe_text(brief_repr, key, "repr")), 80))


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
                  if "__slots__" in vars(kind) and package_of(kind) != package_of(base)]
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


class Encoder(ArrayEncoder):
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
            return self.encode_text(value, path)
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
                if package_of(type(value)) != "pandas":  # whose times have caches
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
        raise NotSerializable(path, value, "is not serializable" + advice(value))

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

    def encode_file(self, content, path):
        """Encodes the content of a file that is a part of a value."""
        return self._content(bytes(content), path)

    def _check_attributes(self, value, base, path):
        """Refuses a value of a subclass with content that its base lacks."""
        added = _added_attributes(value, base) if type(value) is not base else ()
        if not added:
            return
        what = {"numpy": "numpy.asarray", "builtins": base.__name__, "collections": "list"}.get(base.__module__, "str")
        instead = advice(value) or "; return %s(value) to drop them" % what
        raise NotSerializable(path, value, "has attributes that would be lost (%s)%s" % (
            cut(", ".join(map(str, added)), 100), instead))

    def encode_text(self, value, path):
        try:
            self._count(len(value.encode("utf-8")) + 2, path, value)
        except UnicodeEncodeError:
            raise NotSerializable(path, value, "contains a lone surrogate, which UTF-8 cannot encode") from None
        return value

    def _int(self, value, path):
        self._count(1 + value.bit_length() * 3 // 10, path, value)
        if -(2**63) <= value < 2**63:
            return value
        return {"$int": digits(value)}

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
                first = key = self.encode_text(str.__str__(key), path)
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

    def _fraction(self, value, path, depth):
        parts = (value.numerator, value.denominator)
        for part in parts:
            self._count(part.bit_length() * 3 // 10, path, value)
        return {"$fraction": [digits(part) for part in parts]}

    _BY_TYPE = (
        (str, lambda self, value, path, _: self.encode_text(str.__str__(value), path)),
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
        (datetime, "datetime", encode_time),
        (datetime, "date", lambda self, value, *_: {"$date": value.isoformat()}),
        (datetime, "time", encode_time),
        (datetime, "timedelta", encode_timedelta),
        (decimal, "Decimal", lambda self, value, *_: {"$decimal": str(value)}),
        (fractions, "Fraction", _fraction),
        (pathlib, "PurePath", lambda self, value, path, _: {self._PATH_TAG: self.encode_text(str(value), path)}),
        (uuid, "UUID", lambda self, value, *_: {"$uuid": str(value)}),
    )

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
