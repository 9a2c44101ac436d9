"""The packages of a function without a dependency file: those of the Python tool's image that it imports."""

from __future__ import annotations

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
    modules = _imported(function) | set(needed)
    names = sorted({package for module in modules for package in _PACKAGES.get(module, ())})
    if not names:
        return options
    tell(f"there is no dependency file, so the job gets {' and '.join(names)}, which the function uses")
    return {**options, "dependencies": [_line(name) for name in names]}


def _imported(function: Any) -> set[str]:
    """Returns the top-level modules that a function and the functions and classes of its file use."""
    found: set[str] = set()
    seen: set[int] = set()
    rest = [getattr(function, "__func__", function)]
    while rest:
        item = rest.pop()
        code = getattr(item, "__code__", None)
        if id(item) in seen or code is None:
            continue
        seen.add(id(item))
        names = _names(code)
        found |= {name.partition(".")[0] for name in names if name.partition(".")[0] in _PACKAGES}
        for name in names:
            value = item.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                found.add(value.__name__.partition(".")[0])
            elif getattr(value, "__module__", None) == item.__module__:
                rest += vars(value).values() if isinstance(value, type) else [value]
            elif getattr(value, "__module__", None):
                found.add(value.__module__.partition(".")[0])
    return found


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
        return f"{name}=={metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return name
