"""Arguments and values as data: docs/reference/values.md. The encoding is that of the job's own module."""

from __future__ import annotations

import importlib
import importlib.util
import io
import json
import os
import sys
from typing import Any, Callable

from . import _types
from ._data import Data
from ._errors import Error


def _load_shim() -> Any:
    """Returns the module that encodes values in jobs."""
    folder = os.path.join(os.path.dirname(__file__), "_shim")
    for name in ("_kinetic_imports", "_kinetic_errors", "_kinetic_frames", "_kinetic_typed", "_kinetic_refusals",
                 "_kinetic_digits", "_kinetic_times", "_kinetic_arrays", "_kinetic_encoder", "_kinetic_decoder",
                 "_kinetic_values"):  # each imports some of those before it
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
    return sys.modules["_kinetic_values"]


shim = _load_shim()


class ArgumentEncoder(shim.Encoder):  # type: ignore[misc, name-defined]
    """Encodes arguments. The content of bytes and arrays stays a buffer.

    Attributes
    ----------
    types : dict of str to type
        The dataclasses, named tuples, and enums of the arguments, by name.
    packages : dict of str to str
        The packages that the job needs for the arguments, with the path of an argument.
    data : list of Data
        The data of the arguments.
    """

    _PATH_TAG = "$pathlib"  # a relative path is relative to the job's folder, as it is to this one

    def __init__(self, to_pickle: Callable[[object], bytes] | None = None) -> None:
        super().__init__("", to_pickle, True)
        self.data: list[Data] = []

    def argument(self, value: object, path: str) -> object:
        """Returns the encoded argument.

        Raises
        ------
        Error
            The argument, or a part of it, is not data.
        """
        try:
            return self.encode(value, path)
        except shim.NotSerializable as problem:
            why = problem.why.replace("; return ", "; pass ")
            if "KINETIC_OUTPUT_DIR" in why:
                why = "is too long as JSON; write it to a file, and pass kinetic.Data with its path"
            hint = "pass data, and create other objects in the function"
            if self._to_pickle is None:
                hint += "; kinetic.run(serializer='pickle') pickles them"
            raise Error(f"cannot send the argument {problem.path}: {problem.type} {why}", "INVALID_ARGUMENT",
                        hint) from None

    def _compound(self, value: Any, path: str, depth: int) -> object:
        if isinstance(value, Data):
            self.data.append(value)
            return {"$path": value.mount}
        return super()._compound(value, path, depth)

    def _content(self, value: bytes, path: str) -> object:
        return {"$bytes": value}

    def encode_file(self, content: Any, path: str) -> object:
        return {"$npy": (shim.npy_header(len(content)), content)}

    def _array(self, numpy: Any, value: Any, path: str, depth: int) -> object:
        self.packages.setdefault("numpy", path)
        value = numpy.asarray(value)  # also of a subclass
        if value.dtype.isbuiltin == 2 or shim.has_metadata(value.dtype):
            raise shim.NotSerializable(path, value, f"has dtype {value.dtype!r}, which .npy files cannot hold")
        header = io.BytesIO()
        fortran = value.flags.f_contiguous and not value.flags.c_contiguous
        described = {"descr": numpy.lib.format.dtype_to_descr(value.dtype), "fortran_order": bool(fortran),
                     "shape": value.shape}
        try:
            numpy.lib.format.write_array_header_1_0(header, described)
        except ValueError:  # a dtype with many fields
            numpy.lib.format.write_array_header_2_0(header, described)
        flat = value.T if fortran else numpy.ascontiguousarray(value)
        return {"$npy": (header.getvalue(), flat.reshape(-1).view(numpy.uint8) if value.size else b"")}


class _ValueDecoder(shim.Decoder):  # type: ignore[misc, name-defined]
    """Decodes the value of a job."""

    def __init__(self, is_pickle_allowed: bool) -> None:
        super().__init__("", _types.find_loaded, is_pickle_allowed)

    def decode(self, value: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1:
            (tag, content), = value.items()
            if tag in shim.TYPED and not shim.fits(tag, _types.find_loaded(content["type"]), content):
                return self._without_type(tag, content)
            if tag == "$pickle" and not self._is_pickle_allowed:
                raise Error("the value has pickled parts, which execute code when they are loaded",
                            "FAILED_PRECONDITION", "use kinetic.attach(ID, serializer='pickle')")
        return super().decode(value)

    def _without_type(self, tag: str, content: dict[str, Any]) -> Any:
        """Returns the content of an object whose class this program has not imported."""
        if tag == "$enum":
            return self.decode(content["value"])
        return {name: self.decode(item) for name, item in content["fields"].items()}

    def _unpickle(self, content: Any) -> Any:
        try:
            from . import _unpickler

            return _unpickler.loads(self.decode_file(content))
        except Exception as error:
            raise Error(f"cannot load a pickled part of the value: {type(error).__name__}: {error}",
                        "FAILED_PRECONDITION") from error

    def _path(self, content: str) -> Any:
        import pathlib

        return pathlib.Path(content)

    def import_package(self, name: str, what: str) -> Any:
        try:
            return importlib.import_module(name)
        except ImportError:
            raise Error(f"the value of the job is {what}, but {name} is not installed here", "FAILED_PRECONDITION",
                        f"install {name}, or return other data") from None

    def _array(self, content: Any) -> Any:
        numpy = self.import_package("numpy", "an array")
        if not isinstance(content, bytearray):
            return super()._array(content)
        header = io.BytesIO(memoryview(content)[:1 << 16])
        version = numpy.lib.format.read_magic(header)
        readers = {(1, 0): numpy.lib.format.read_array_header_1_0, (2, 0): numpy.lib.format.read_array_header_2_0}
        if version not in readers:  # names of fields that are not Latin-1
            return numpy.load(io.BytesIO(content), allow_pickle=False)
        shape, fortran, dtype = readers[version](header)
        flat = numpy.frombuffer(content, dtype, offset=header.tell())
        return flat.reshape(shape, order="F" if fortran else "C")


def decode(value: object, serializer: str | None = None) -> Any:
    """Returns the Python object of a job's value."""
    return _ValueDecoder(serializer == "pickle").decode(value)


def decode_json(text: str, serializer: str | None) -> Any:
    """Returns the Python object of a value in JSON."""
    return decode(json.loads(text), serializer)
