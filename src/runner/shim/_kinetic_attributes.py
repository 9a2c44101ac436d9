"""Encodes the attributes of exceptions that are data: docs/reference/values.md, "Exceptions"."""

import builtins
import json
import types

from _kinetic_errors import message_of, type_name
from _kinetic_values import Encoder, NotSerializable

MAX_BYTES = 16 << 10  # of all attributes of an exception
_DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_WITHOUT_DATA = (object, BaseException, Exception)


class _SmallEncoder(Encoder):
    """Encodes values without separate files, up to a limit."""

    def __init__(self, used):
        super().__init__("")
        self._size = used

    def _count(self, size, path, value):
        self._size += size
        if self._size > MAX_BYTES:
            raise NotSerializable(path, value, "is too long", False)

    def _array(self, numpy, value, path, depth):
        raise NotSerializable(path, value, "is an array", False)

    def _store(self, write):
        raise NotSerializable("", b"", "is too long", False)

    def used(self):
        return self._size


def encode_attributes(error):
    """Returns the encoded attributes of an exception by name, with ``args``. Omits attributes that are not data."""
    encoded, used = {}, 0
    try:
        members = _members_of(error)
        if members:
            encoded["exceptions"] = members
            used = len(json.dumps(members))
        for name, value in _attributes_of(error):
            encoder = _SmallEncoder(used + len(name) + 6)
            try:
                encoded[name] = encoder.encode(value, name)
                used = encoder.used()
            except NotSerializable:
                pass
    except BaseException:  # of a method of the user's; the exception itself matters more
        pass
    return encoded


def _members_of(group):
    """Returns the exceptions of a group, or None if they are not all exceptions or are too long."""
    kind = getattr(builtins, "ExceptionGroup", None)
    if kind is None or not issubclass(type(group), kind):
        return None
    members = [{"type": type_name(type(member)), "message": message_of(member),
                "attributes": encode_attributes(member)} for member in group.exceptions]
    return members if len(json.dumps(members)) <= MAX_BYTES // 2 else None


def _attributes_of(error):
    """Yields names and values, without calling the user's properties."""
    yield "args", BaseException.__dict__["args"].__get__(error)
    for base in type(error).__mro__:
        if base in _WITHOUT_DATA:
            continue
        for name, member in list(vars(base).items()):
            if isinstance(member, _DESCRIPTORS) and not name.startswith("__"):
                try:
                    yield name, member.__get__(error)
                except AttributeError:  # not set
                    pass
    for name, value in list(object.__getattribute__(error, "__dict__").items()):
        if not name.startswith("__"):
            yield name, value
