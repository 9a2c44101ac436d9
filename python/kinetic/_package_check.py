"""Checks, before anything is sent, that a job has the packages that its arguments need."""

from __future__ import annotations

import os
import re
from typing import Any

from . import _requirements
from ._errors import Error
from ._place import Place

_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*([<>=!~;].*)?$")
_HARMLESS = ("--index-url", "--extra-index-url", "--find-links", "--hash", "-i ", "-f ", "--trusted-host")


class _Unknown(Exception):
    """The packages of a job cannot be listed here."""


def check(packages: dict[str, str], function: Any, options: dict[str, Any], place: Place) -> None:
    """Raises an Error if a job surely lacks a package.

    Parameters
    ----------
    packages : dict of str to str
        The packages that arguments need, with the path of an argument.
    function : callable
        The function that the job calls.
    options : dict
        The keywords of `kinetic.run`.
    place : Place
        The files of the job.
    """
    if not packages or not can_check(options):
        return
    if options.get("dependencies") is None and _has_script_block(function):
        return
    try:
        names, file = _listed(options, place)
        known = set(names) if packages.keys() <= set(names) else _with_requirements(names)
    except _Unknown:
        return
    for package, path in packages.items():
        if package not in known and not _is_in_bundle(package, place):
            raise Error(f"cannot send the argument {path}: the job does not have the package {package}",
                        "INVALID_ARGUMENT", _advice(package, file))


def can_check(options: dict[str, Any]) -> bool:
    """Returns whether the packages of a job are only those that its keywords or its dependency file list."""
    in_image = options.get("image") or options.get("container_image") not in (None, "bundled")
    return not in_image and "PYTHONPATH" not in (options.get("env") or {})


def has_file(function: Any, place: Place) -> bool:
    """Returns whether a file lists the packages of the function, or may list them."""
    try:
        return _has_script_block(function) or bool(_discovered(place))
    except _Unknown:
        return True


def _has_script_block(function: Any) -> bool:
    """Returns whether the function's file lists packages itself (PEP 723)."""
    code = getattr(function, "__code__", None)
    try:
        return code is not None and "# /// script" in _text(code.co_filename)
    except _Unknown:
        return False


def _is_in_bundle(package: str, place: Place) -> bool:
    return any(os.path.exists(os.path.join(folder, package)) for folder in (place.workdir, place.root))


def _advice(package: str, file: str) -> str:
    if not file:
        return f"pass dependencies=[{package!r}], or write a requirements.txt with the line: {package}"
    if os.path.basename(file) == "pyproject.toml":
        return f"add {package!r} to the dependencies in {file}"
    return f"add the line to {file}: {package}"


def _listed(options: dict[str, Any], place: Place) -> tuple[list[str], str]:
    """Returns the names of the packages that a job requests, and the file with them, or an empty text."""
    dependencies = options.get("dependencies")
    lines = _requirements.lines_of(options, place.root)
    if lines is not None:
        return _names(lines), ""
    if isinstance(dependencies, dict):
        if set(dependencies) != {"file"}:
            raise _Unknown
        dependencies = dependencies["file"]
    file = os.fspath(dependencies) if dependencies is not None else _discovered(place)
    if not file:
        return [], ""
    name = os.path.basename(file)
    if name == "pyproject.toml":
        return _names(_of_project(file)), file
    if not name.endswith(".txt"):
        raise _Unknown
    return _names(_text(file).splitlines()), file


def _discovered(place: Place) -> str:
    """Returns the dependency file of a project, as docs/reference/environments.md defines it."""
    folder = place.workdir
    while True:
        for name in ("uv.lock", "pylock.toml", "requirements.txt", "pyproject.toml", "setup.py"):
            path = os.path.join(folder, name)
            if os.path.exists(path) and (name != "pyproject.toml" or "[project]" in _text(path)):
                return path
        if folder == place.root or folder == os.path.dirname(folder):
            return ""
        folder = os.path.dirname(folder)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        raise _Unknown from None


def _of_project(file: str) -> list[str]:
    try:
        import tomllib
    except ImportError:  # Python 3.10
        raise _Unknown from None
    try:
        project = tomllib.loads(_text(file))["project"]
    except (tomllib.TOMLDecodeError, KeyError):
        raise _Unknown from None
    if "dependencies" in project.get("dynamic", []):
        raise _Unknown
    return list(project.get("dependencies", []))


def _names(lines: list[str]) -> list[str]:
    """Returns the names of packages in lines of a requirements file."""
    names = []
    for line in lines:
        line = line.partition(" #")[0].rstrip("\\").strip()
        if not line or line.startswith(("#", *_HARMLESS)):
            continue
        found = _REQUIREMENT.match(line)
        if found is None:  # an extra, a URL, a path, another file
            raise _Unknown
        names.append(_normalized(found[1]))
    return names


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _with_requirements(names: list[str]) -> set[str]:
    """Returns packages and those that they require, as far as they are installed here."""
    from importlib import metadata

    found: set[str] = set()
    rest = list(names)
    while rest:
        name = rest.pop()
        if name in found:
            continue
        found.add(name)
        try:
            required = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            raise _Unknown from None
        rest += _names([line for line in required if "extra ==" not in line])
    return found
