"""Types that are sent as another one with the name of their own: docs/reference/values.md, `$typed`."""

import collections
import sys

_BUILTINS = {bytearray: "bytearray"}
COLLECTIONS = {collections.OrderedDict: "OrderedDict", collections.Counter: "Counter",
                collections.defaultdict: "defaultdict", collections.deque: "deque"}
PLAIN = {str, int, float, complex, bytes, memoryview, dict, tuple, list, set, frozenset, range, slice}
_FACTORIES = {kind.__name__: kind for kind in (bool, bytes, dict, float, frozenset, int, list, set, str, tuple)}


def with_type(value, encoded):
    """Returns the encoded value with the name of its type, or None if that type would be lost."""
    kind = type(value)
    if kind in PLAIN:
        return encoded
    name, more = _name_of(value, kind), {}
    if kind is collections.deque and value.maxlen is not None:
        more["maxlen"] = value.maxlen
    if kind is collections.defaultdict and value.default_factory is not None:
        more["factory"] = getattr(value.default_factory, "__name__", "")
        if _FACTORIES.get(more["factory"]) is not value.default_factory:
            return None
    if name.startswith("pandas.") and hasattr(value, "unit"):
        more["unit"] = value.unit
    return {"$typed": dict({"type": name, "value": encoded}, **more)} if name else None


def missing_item(value):
    """Returns an encoded missing item of pandas, or None for another value."""
    pandas = sys.modules.get("pandas")
    for name in ("NaT", "NA"):
        if pandas is not None and value is getattr(pandas, name, pandas):
            return {"$typed": {"type": "pandas." + name, "value": None}}
    return None


def _name_of(value, kind):
    """Returns the name of a type that is kept, or an empty text."""
    if kind in _BUILTINS:
        return _BUILTINS[kind]
    if kind in COLLECTIONS:
        return "collections." + COLLECTIONS[kind]
    package = kind.__module__.partition(".")[0]
    if package == "pathlib" or (package == "pandas" and kind.__name__ in ("Timestamp", "Timedelta")):
        return "%s.%s" % (package, kind.__name__)
    return ""


def decode(decoder, content):
    """Returns the value of a `$typed`. Without the package of its type, it has the type that it was sent as."""
    package, _, name = content["type"].rpartition(".")
    decode_one = _DECODERS.get(package, lambda *_: decoder.decode(content["value"]))
    return decode_one(decoder, name, content)


def _builtin(decoder, name, content):
    return {kind.__name__: kind for kind in _BUILTINS}[name](decoder.decode(content["value"]))


def _collection(decoder, name, content):
    value = decoder.decode(content["value"])
    if name == "deque":
        return collections.deque(value, content.get("maxlen"))
    if name == "defaultdict":
        return collections.defaultdict(_FACTORIES.get(content.get("factory")), value)
    return {named: kind for kind, named in COLLECTIONS.items()}[name](value)


def _path(decoder, name, content):
    import pathlib

    return {"PurePosixPath": pathlib.PurePosixPath, "PureWindowsPath": pathlib.PureWindowsPath}[name](
        next(iter(content["value"].values())))


def _ml_type(decoder, name, content):
    array = decoder.decode(content["value"])
    try:
        import ml_dtypes
    except ImportError:
        return array
    return array.astype(getattr(ml_dtypes, name, array.dtype))


def _pandas_scalar(decoder, name, content):
    try:
        import pandas
    except ImportError:
        return decoder.decode(content["value"])
    if name in ("NaT", "NA"):
        return getattr(pandas, name)
    if name == "Timestamp":
        text, _, zone = content["value"]["$datetime"].rstrip("]").partition("[")
        value = pandas.Timestamp(text)
        value = value.tz_convert(zone) if zone else value
    else:
        names = ("days", "seconds", "microseconds", "nanoseconds")
        value = pandas.Timedelta(**dict(zip(names, content["value"]["$timedelta"])))
    return value.as_unit(content["unit"]) if "unit" in content and hasattr(value, "as_unit") else value


_DECODERS = {"": _builtin, "collections": _collection, "pathlib": _path, "ml_dtypes": _ml_type,
             "pandas": _pandas_scalar}
