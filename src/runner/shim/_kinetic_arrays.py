"""Encodes and decodes arrays of numpy and of other libraries: docs/reference/values.md, `$array` and `$npy`."""

import io
import os
import sys

from _kinetic_errors import cut, one_line, safe_text
from _kinetic_imports import base64
from _kinetic_refusals import NotSerializable, advice, package_of

INLINE_ITEMS = 256
NPY_HEADER = 118  # with the 10 bytes before it a multiple of 64
# Arrays of these have labels, units or missing items that numpy lacks.
_LABELLED = {"pandas", "xarray", "polars", "pint", "cudf", "modin"}


def has_metadata(dtype):
    parts = [field[0] for field in (dtype.fields or {}).values()] + [dtype.base][dtype.base is dtype:]
    return bool(dtype.metadata) or any(map(has_metadata, parts))


class ArrayEncoder:
    """The part of an encoder that encodes arrays."""

    def encode_array(self, array, path, depth):
        """Encodes an array that is a part of a value."""
        return self._array(sys.modules["numpy"], array, path, depth)

    @staticmethod
    def _is_numpy(value):
        numpy = sys.modules.get("numpy")
        return isinstance(value, tuple(getattr(numpy, name, ()) for name in ("generic", "ndarray")))

    def _numpy(self, value, path, depth):
        numpy = sys.modules["numpy"]
        base = next(kind for kind in type(value).__mro__ if package_of(kind) == "numpy"
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
        if value.dtype.isbuiltin == 2 or has_metadata(value.dtype):
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
        if not is_array or isinstance(value, type) or set(map(package_of, type(value).__mro__)) & _LABELLED:
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
                cut(one_line(safe_text(str, error, "str")), 500), advice(value))
            raise NotSerializable(path, value, why) from None


def array_of(numpy, content):
    """Returns the array of an .npy file: {"$path": FILE}, or the file in base64."""
    npy = content["$path"] if isinstance(content, dict) else io.BytesIO(base64.b64decode(content, validate=True))
    return numpy.load(npy, allow_pickle=False)


def npy_header(size):
    """Returns the header of an .npy file with bytes, which needs no numpy."""
    text = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % size
    return b"\x93NUMPY\x01\x00" + NPY_HEADER.to_bytes(2, "little") + text.ljust(NPY_HEADER - 1).encode() + b"\n"


def content_of_npy(content):
    """Returns the bytes of an .npy file with such a header."""
    if isinstance(content, dict):
        with open(content["$path"], "rb") as file:
            file.seek(NPY_HEADER + 10)
            return file.read()
    return base64.b64decode(content, validate=True)[NPY_HEADER + 10:]
