"""Loads functions that a Python program passes by value: docs/reference/values.md, "Functions by value"."""

import importlib
import io
import os
import pickle
import sys

import _kinetic_values as values
from _kinetic_errors import cut, one_line

# What cloudpickle imports. The project may have modules of these names.
_STANDARD = {
    name: importlib.import_module(name)
    for name in ("copyreg", "dataclasses", "dis", "enum", "logging", "opcode", "pickle", "platform", "struct",
                 "threading", "types", "typing", "uuid", "warnings", "weakref")
}


class CannotLoad(Exception):
    """The function cannot be loaded in this job."""


def load(arguments, folder, root):
    """Returns the function, its arguments, the source of its files by their names, and the pickler for parts of its value.

    `arguments` is the arguments document. The library cloudpickle that it contains is unpacked in `folder`.
    """
    is_pickle_allowed = arguments.get("serializer") == "pickle"
    here = "%d.%d" % sys.version_info[:2]
    if arguments["python"] != here:
        raise CannotLoad(
            "the function was passed by value from Python %s, but the job runs Python %s; run both with the same "
            "version, or move the function into a module of the project" % (arguments["python"], here))
    decoder = values.Decoder(root, values.import_type)
    _use_library(_content_of(decoder.decode(arguments["library"])), arguments["library_version"], folder)
    content = io.BytesIO(_content_of(decoder.decode(arguments["function"])))
    try:
        passed, sources = pickle.load(content), pickle.load(content)
        types = passed["types"]
        decoder = values.Decoder(root, lambda name: types.get(name) or values.import_type(name), is_pickle_allowed)
        positional = [decoder.decode(item) for item in arguments["positional"]]
        named = {name: decoder.decode(item) for name, item in arguments["named"].items()}
    except ModuleNotFoundError as error:
        raise CannotLoad("the function needs the module %s, which the job lacks; add its package to the job's "
                         "dependencies" % error.name) from None
    except (pickle.UnpicklingError, EOFError) as error:
        raise CannotLoad("the function cannot be loaded: %s: %s" % (
            type(error).__name__, cut(one_line(str(error)), 1000))) from None
    return passed["function"], positional, named, sources, _to_pickle if is_pickle_allowed else None


def _to_pickle(value):
    import cloudpickle

    return cloudpickle.dumps(value, pickle.DEFAULT_PROTOCOL)


def _content_of(passed):
    """Returns bytes, or the content of the file that the tasks of an array share."""
    if isinstance(passed, bytes):
        return passed
    with open(passed, "rb") as file:
        return file.read()


def _use_library(archive, version, folder):
    """Imports cloudpickle, in the version that made the pickle."""
    own = {name: sys.modules.get(name) for name in _STANDARD}
    sys.modules.update(_STANDARD)
    try:
        _import_library(archive, version, folder)
    finally:
        for name, module in own.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def _import_library(archive, version, folder):
    try:
        import cloudpickle

        if cloudpickle.__version__ == version:
            return
    except ImportError:
        pass
    path = os.path.join(folder, "cloudpickle.zip")
    if not os.path.exists(path):  # written by an earlier call in the same process
        with open(path, "wb") as file:
            file.write(archive)
    for name in [name for name in sys.modules if name.partition(".")[0] == "cloudpickle"]:
        del sys.modules[name]
    sys.path.insert(0, path)
    importlib.invalidate_caches()
    import cloudpickle  # noqa: F401
