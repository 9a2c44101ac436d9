"""Passes a function to a job: by the name of its module if the job can import it, otherwise by value."""

from __future__ import annotations

import io
import os
import pickle
import sys
import threading
import zipfile
from typing import Any

from . import _values
from ._client import python_version
from ._errors import Error
from ._place import Place, is_library
from ._remote_function import RemoteFunction

PICKLED = "_kinetic_pickled:call"  # calls a function that is passed by value
_MOST_SOURCE = 1 << 20
_library: tuple[str, bytes] | None = None
_pickling = threading.Lock()  # cloudpickle's list of modules that it pickles by value is global


def _renew_lock() -> None:
    global _pickling
    _pickling = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # another thread of the parent may hold it


def name_in_job(function: Any, place: Place) -> str | None:
    """Returns ``module:callable`` if this name refers to the same function or class in the job, otherwise None."""
    module_name = getattr(function, "__module__", None)
    path = getattr(function, "__qualname__", "")
    module = sys.modules.get(module_name or "")
    if module is None or module_name == "__main__" or "<" in path:
        return None
    found: object = module
    for part in path.split("."):
        found = getattr(found, part, None)
    if isinstance(found, RemoteFunction):  # also if the call is one of `found.options(…)`
        found = found.__wrapped__
    if found is not function:
        return None
    file = getattr(module, "__file__", None)
    if file is None:
        return f"{module_name}:{path}" if module_name in sys.builtin_module_names else None
    if is_library(file) or place.holds_module(str(module_name), file):
        return f"{module_name}:{path}"
    return None


class Pickler:
    """Pickles the parts of one call, after a single search for the modules that are pickled by value.

    Parameters
    ----------
    place : Place
        The files of the job.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._modules: list[Any] | None = None

    def dumps(self, value: object) -> tuple[bytes, set[str]]:
        """Returns the pickle of an object, and the names of the files whose code it contains.

        The user's modules that the job cannot import are pickled by value.
        """
        import cloudpickle

        if self._modules is None:
            self._modules = [module for module in list(sys.modules.values()) if _is_passed_by_value(module, self._place)]
        content = io.BytesIO()
        files: set[str] = set()
        with _pickling:
            registered: list[Any] = []
            try:
                for module in self._modules:
                    if module.__name__ not in cloudpickle.list_registry_pickle_by_value():
                        cloudpickle.register_pickle_by_value(module)
                        registered.append(module)
                _pickler(content, files).dump(value)
            finally:
                for module in registered:
                    cloudpickle.unregister_pickle_by_value(module)
        return content.getvalue(), files


def pickled_arguments(function: Any, types: dict[str, type], pickler: Pickler) -> dict[str, object]:
    """Returns the arguments of a job that calls the function by value, except those of the function."""
    version, library = _cloudpickle_archive()
    return {
        "name": _display_name(function),
        "python": python_version(),
        "library_version": version,
        "library": {"$bytes": library},
        "function": {"$bytes": _pickle(function, types, pickler)},
    }


def _display_name(function: Any) -> str:
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', None) or type(function).__module__}:{name}"


def _pickle(function: Any, types: dict[str, type], pickler: Pickler) -> bytes:
    """Returns the pickle of a function and types, and that of the source code that they come from."""
    try:
        content, files = pickler.dumps({"function": function, "types": dict(types)})
    except Exception as error:
        raise _cannot_pickle(function, error) from error
    return content + pickle.dumps(_sources(files))


def _pickler(content: io.BytesIO, files: set[str]) -> Any:
    """Returns a pickler that keeps the names of files, for tracebacks. cloudpickle itself drops them.

    It adds the names to `files`.
    """
    import collections
    import types

    import cloudpickle

    table: Any = cloudpickle.Pickler.dispatch_table
    reduce = table[types.CodeType]

    def reduce_code(code: types.CodeType) -> tuple[Any, ...]:
        make, arguments = reduce(code)
        files.add(code.co_filename)
        return make, tuple(code.co_filename if part == "<dynamic-code>" else part for part in arguments)

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        dispatch_table = collections.ChainMap({types.CodeType: reduce_code, RemoteFunction: _as_in_job}, table)

    return Pickler(content, pickle.DEFAULT_PROTOCOL)


class _Run:
    """Becomes, in a job, the decorator of the module that jobs have in place of this package."""

    def __call__(self) -> None:
        """Required by pickle."""

    def __reduce__(self) -> tuple[Any, ...]:
        return eval, ("__import__('_kinetic_standin').run",)


def _as_in_job(remote: RemoteFunction[..., Any]) -> tuple[Any, ...]:
    return _Run(), (remote.__wrapped__,)


def _cannot_pickle(function: Any, error: Exception) -> Error:
    """Names the global or closure variable that cannot be pickled."""
    import inspect

    import cloudpickle

    culprit = ""
    try:
        used = inspect.getclosurevars(inspect.unwrap(function))
        for name, value in {**used.globals, **used.nonlocals}.items():
            try:
                cloudpickle.dumps(value)
            except Exception:
                culprit = f": it uses {name}, an object of type {type(value).__qualname__}"
                break
    except (TypeError, ValueError):
        pass
    name = getattr(function, "__qualname__", repr(function))
    return Error(f"cannot send the function {name}{culprit}: {type(error).__name__}: {error}", "INVALID_ARGUMENT",
                 "create the object in the function, or pass data to it as an argument")


def _is_passed_by_value(module: Any, place: Place) -> bool:
    """Returns whether a module is the user's and the job cannot import it."""
    name = getattr(module, "__name__", "")
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or name in ("__main__", "__mp_main__") or sys.modules.get(name) is not module:
        return False
    if not file.endswith(".py") or name.partition(".")[0] in ("kinetic", "cloudpickle") or name.startswith("_kinetic_"):
        return False
    return not is_library(file) and not place.holds_module(name, file)


def _sources(files: set[str]) -> dict[str, str]:
    """Returns the source of files that tracebacks may mention, such as cells of a notebook."""
    import linecache

    texts = {name: "".join(linecache.getlines(name)) for name in sorted(files)}
    return {name: text for name, text in texts.items() if 0 < len(text) <= _MOST_SOURCE}


def _cloudpickle_archive() -> tuple[str, bytes]:
    """Returns cloudpickle's version and source, which the job uses if it lacks that version."""
    global _library
    if _library is None:
        import cloudpickle

        folder = os.path.dirname(str(cloudpickle.__file__))
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(os.listdir(folder)):
                if name.endswith(".py"):
                    entry = zipfile.ZipInfo("cloudpickle/" + name)  # with a fixed timestamp
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    with open(os.path.join(folder, name), "rb") as file:
                        archive.writestr(entry, file.read())
        _library = cloudpickle.__version__, content.getvalue()
    return _library


def encode_call(function: Any, positional: tuple[Any, ...], named: dict[str, Any],
                encoder: _values.ArgumentEncoder) -> tuple[list[object], dict[str, object]]:
    """Returns the encoded arguments of a call. Errors name an argument by its parameter."""
    names = _parameter_names(function)
    items = [encoder.argument(value, names[i] if i < len(names) else f"argument {i + 1}")
             for i, value in enumerate(positional)]
    return items, {name: encoder.argument(value, name) for name, value in named.items()}


def _parameter_names(function: Any) -> list[str]:
    code = getattr(function, "__code__", None)
    names = list(code.co_varnames[:code.co_argcount]) if code is not None else []
    return names[1:] if hasattr(function, "__self__") else names
