"""The packages of a function without a dependency file: those of the Python tool's image that it imports."""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any, Iterable

from . import _package_check
from ._display import tell
from ._place import Place

# What a job needs to import a module. Keras needs a framework.
_PACKAGES = {"jax": ("jax",), "keras": ("keras", "jax"), "numpy": ("numpy",)}


def add(options: dict[str, Any], function: Any, place: Place, needed: Iterable[str]) -> dict[str, Any]:
    """Returns the keywords of `kinetic.run` with the packages, unless the job has others.

    Parameters
    ----------
    options : dict
        The keywords.
    function : callable
        The function that the job calls.
    place : Place
        The files of the job.
    needed : iterable of str
        The packages that arguments need.
    """
    if options.get("dependencies") is not None or not _package_check.can_check(options):
        return options
    if _package_check.has_file(function, place):
        return options
    modules = _Imports(place).of(function) | set(needed)
    names = sorted({package for module in modules for package in _PACKAGES.get(module, ())})
    if not names:
        return options
    tell(f"there is no dependency file, so the job gets {', '.join(names)}, which the function uses")
    return {**options, "dependencies": [_line(name) for name in names]}


class _Imports:
    """Collects the top-level modules that a function, its helpers, and the project's modules use."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._found: set[str] = set()
        self._seen: set[int] = set()
        self._rest: list[Any] = []

    def of(self, function: Any) -> set[str]:
        """Returns the names."""
        self._rest.append(function)
        self._add_module(_module_of(_unwrapped(function)))
        while self._rest:
            item = _unwrapped(self._rest.pop())
            if id(item) not in self._seen and isinstance(item, types.FunctionType):
                self._seen.add(id(item))
                self._add_function(item)
        return self._found

    def _add_function(self, function: types.FunctionType) -> None:
        for name in _names(function.__code__):
            self._found |= {name.partition(".")[0]} & _PACKAGES.keys()
            self._add(function.__globals__.get(name), function.__module__)

    def _add(self, value: Any, user: str) -> None:
        """Adds a global of the module `user`."""
        module = _module_of(value)
        if module == user:
            self._rest += vars(value).values() if isinstance(value, type) else [value]
        else:
            self._add_module(module)

    def _add_module(self, name: str) -> None:
        self._found.add(name.partition(".")[0])
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        if name == "__main__" or not file or id(module) in self._seen or not self._place.holds_module(name, file):
            return
        self._seen.add(id(module))  # a module of the project, which the job imports as a whole
        for value in list(vars(module).values()):
            self._add(value, name)


def _unwrapped(value: Any) -> Any:
    """Returns the function of a method, and of one that decorators such as `kinetic.run` have replaced."""
    try:
        return inspect.unwrap(getattr(value, "__func__", value))
    except Exception:  # a proxy of an object that does not exist yet, or a cycle
        return None


def _module_of(value: Any) -> str:
    """Returns the name of a module, or of the module that defines an object."""
    try:
        name = value.__name__ if isinstance(value, types.ModuleType) else value.__module__
    except Exception:  # as above
        return ""
    return name if isinstance(name, str) else ""


def _names(code: types.CodeType) -> set[str]:
    """Returns the names of globals, attributes, and imported modules in a function and those inside of it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _line(name: str) -> str:
    from importlib import metadata

    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return name
    return name if "+" in version or ".dev" in version else f"{name}=={version}"  # not in an index
