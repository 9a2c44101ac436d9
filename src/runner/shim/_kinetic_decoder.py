"""Decodes values: docs/reference/values.md."""

import enum
import importlib
import os

import _kinetic_frames as frames
import _kinetic_typed as typed
from _kinetic_arrays import array_of, content_of_npy
from _kinetic_digits import integer
from _kinetic_imports import base64, dataclasses, datetime, decimal, fractions, pathlib, pickle, uuid
from _kinetic_times import decode_time, decode_timedelta


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
        return self._find_type is not None or tag not in TYPED

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
        return self.decode(content) if "$bytes" in content else content_of_npy(content["$npy"])

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
        return array_of(self.import_package("numpy", "an array ($npy)"), content)

    def _complex(self, content):
        return complex(*(float(self.decode(part)) for part in content))

    _BY_TAG = {
        "$path": lambda self, content: self._path(content),
        "$pathlib": lambda self, content: pathlib.Path(content),
        "$float": lambda self, content: float(content),
        "$int": lambda self, content: integer(content),
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
        "$datetime": lambda self, content: decode_time(datetime.datetime, content),
        "$date": lambda self, content: datetime.date.fromisoformat(content),
        "$time": lambda self, content: decode_time(datetime.time, content),
        "$timedelta": lambda self, content: decode_timedelta(*content),
        "$decimal": lambda self, content: decimal.Decimal(content),
        "$fraction": lambda self, content: fractions.Fraction(*map(integer, content)),
        "$uuid": lambda self, content: uuid.UUID(content),
    }


TYPED = ("$dataclass", "$namedtuple", "$enum")


def fits(tag, kind, content):
    """Returns whether a value of one of the tags TYPED may become an object of this class.

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
