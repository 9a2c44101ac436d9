"""Errors for values that cannot be encoded: what they are, and what to return instead."""

import reprlib

from _kinetic_errors import cut, one_line, safe_text, type_name

MAX_REPR = 200
MAX_PATH = 120


class NotSerializable(Exception):
    """A value that cannot be encoded, with its path inside the result."""

    def __init__(self, path, value, why, show=True):
        super().__init__(why)
        self.path = cut(path, MAX_PATH)
        self.type = type_name(type(value))
        self.why = why
        self.repr = cut(one_line(safe_text(brief_repr, value, "repr")), MAX_REPR) if show else ""

    def message(self):
        if self.path == "$":
            return "the returned %s %s" % (self.type, self.why)
        return "%s: %s %s" % (self.path, self.type, self.why)


class NotEncodable(NotSerializable):
    """A value that cannot be encoded even as a pickle."""


def brief_repr(value):
    """Returns repr(), or the start of it for containers, whose repr() may be of any length."""
    if type(value).__module__ in ("builtins", "collections"):
        return _BRIEF.repr(value)
    return repr(value)


_BRIEF = reprlib.Repr()
_BRIEF.maxlevel = 4
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = MAX_REPR


def package_of(kind):
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


def advice(value):
    kind = type(value)
    for module, of_type, instead in _ADVICE:
        if module in ("", package_of(kind)) and (of_type == kind.__name__ or hasattr(kind, of_type)):
            return "; " + instead
    return ""
