"""Imports from the standard library that no module of the bundle replaces.

The root of a bundle may have a json.py. The job's code imports that one, as a script beside it would.
The shim uses the standard library's.
"""

import importlib
import importlib.machinery
import os
import sys


class LazyModule:
    """A module of the standard library that is imported on first use: most jobs need none of these."""

    def __init__(self, name):
        self._name = name
        self._module = None

    def __getattr__(self, attribute):
        return getattr(self.load(), attribute)

    def load(self):
        if self._module is None:
            self._module = importlib.import_module(self._name)
        return self._module

    def if_imported(self):
        """Returns the module, or None if no value can be of one of its types."""
        return self._module or sys.modules.get(self._name)


_LAZY = tuple(
    map(
        LazyModule,
        ("asyncio", "base64", "dataclasses", "datetime", "decimal", "difflib", "fractions", "hashlib",
         "inspect", "linecache", "pathlib", "pickle", "threading", "tokenize", "uuid"),
    )
)
(asyncio, base64, dataclasses, datetime, decimal, difflib, fractions, hashlib, inspect, linecache,
 pathlib, pickle, threading, tokenize, uuid) = _LAZY


def import_folders(root):
    """Returns the folders of the bundle that modules are imported from, in order."""
    folders = [os.getcwd(), root, os.path.join(root, "src")]
    return folders[1:] if os.path.samefile(folders[0], root) else folders


def open_bundle(root, path, at_start):
    """Puts the current directory, the bundle's root and its src/ first in the path, for this process and its
    children.

    Call with the standard library's path set. Modules that the shim has imported since `at_start`, the
    names of modules that Python itself imports, are forgotten if the path has others of their names.
    """
    folders = [folder for folder in import_folders(root) if os.path.isdir(folder)]
    extra = path[: len(path) - len(sys.path)]
    sys.path[:] = [folder for folder in sys.path if folder not in folders]  # from a .pth file of the project
    replaced = _replaced(folders + extra)
    if replaced:
        for module in _LAZY:
            module.load()
        if "asyncio" in replaced:
            _import_event_loop()
        for name in set(sys.modules) - at_start:
            if name.partition(".")[0] in replaced:
                del sys.modules[name]
    sys.path[:] = folders + [folder for folder in path if folder not in folders]
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(folders + ([inherited] if inherited else []))


def _import_event_loop():
    """Makes asyncio import what it imports only when it runs, from its own package."""

    async def nothing():
        pass

    asyncio.run(nothing())


def _replaced(folders):
    """Returns the names of modules in folders that are searched before the standard library."""
    names = set()
    for folder in folders:
        try:
            names.update(entry.partition(".")[0] for entry in os.listdir(folder))
        except OSError:  # an archive, or a missing folder of PYTHONPATH
            continue
    return {name for name in names if _is_replaced(name, folders)}


def _is_replaced(name, folders):
    """Returns whether an import finds the module `name` in the folders first."""
    machinery = importlib.machinery
    if machinery.BuiltinImporter.find_spec(name) or machinery.FrozenImporter.find_spec(name):
        return False
    found = machinery.PathFinder.find_spec(name, folders)
    if found is None or found.loader is None:  # a folder without __init__.py comes last
        return False
    return machinery.PathFinder.find_spec(name, sys.path) is not None
