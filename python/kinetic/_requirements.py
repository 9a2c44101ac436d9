"""Requirements files for jobs whose packages are not listed by a file."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from typing import Any, Iterator

from ._errors import Error

ENVIRONMENT = "environment"
_OWN = ("kinetic", "pip", "uv")  # of no use in jobs


@contextlib.contextmanager
def with_file(options: dict[str, Any], root: str) -> Iterator[dict[str, Any]]:
    """Yields the keywords of `kinetic.run` with a path as `dependencies`. A file that this writes is removed afterwards.

    Parameters
    ----------
    options : dict
        The keywords.
    root : str
        The folder that is sent.
    """
    lines = lines_of(options, root)
    if lines is None:
        yield options
        return
    with tempfile.TemporaryDirectory(prefix="kinetic-requirements-") as folder:
        path = os.path.join(folder, "requirements.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        yield {**options, "dependencies": path}


def lines_of(options: dict[str, Any], root: str) -> list[str] | None:
    """Returns the requirements that `dependencies` means; None: it names a file, or is not set."""
    dependencies = options.get("dependencies")
    if isinstance(dependencies, (list, tuple)):
        return list(dependencies)
    return installed(root) if dependencies == ENVIRONMENT else None


def check(dependencies: object) -> None:
    """Raises a TypeError or ValueError for the name of a package, and for a list with other entries."""
    if isinstance(dependencies, (set, frozenset)):
        raise TypeError("kinetic.run: dependencies is a set, expected a list")
    if isinstance(dependencies, str) and dependencies != ENVIRONMENT:
        _check_name(dependencies)
    if not isinstance(dependencies, (list, tuple)):
        return
    for line in dependencies:
        if not isinstance(line, str):
            raise TypeError(f"kinetic.run: dependencies has {line!r}, expected texts such as 'numpy>=2'")
        if not line[:1].isalnum() or "\n" in line:
            raise ValueError(f"kinetic.run: dependencies has {line!r}, expected a package such as 'numpy>=2'; write "
                             "options and paths to a requirements file")


def _check_name(dependencies: str) -> None:
    """Raises a ValueError for the name of a package, which is no file."""
    if os.path.exists(dependencies) or not re.fullmatch(r"[A-Za-z][\w-]*([=<>!~]=.*)?", dependencies):
        return
    import difflib

    if difflib.get_close_matches(dependencies, [ENVIRONMENT], 1):
        raise ValueError(f"kinetic.run: dependencies is {dependencies!r}; did you mean {ENVIRONMENT!r}?")
    raise ValueError(f"kinetic.run: dependencies is {dependencies!r}, which is no file; for packages, pass a list: "
                     f"dependencies=[{dependencies!r}]")


def installed(root: str) -> list[str]:
    """Returns a requirement for each package that is installed here, except for the project in `root`.

    Raises
    ------
    Error
        A package is installed from a folder or file of this machine.
    """
    from importlib import metadata

    lines: dict[str, str] = {}
    local: list[str] = []
    for package in metadata.distributions():
        name = package.metadata["Name"]
        if not name or name.lower() in (*lines, *_OWN):  # the first one in the path is imported
            continue
        origin = _origin(package)
        url = origin.get("url", "")
        if not url.startswith("file:"):
            lines[name.lower()] = _line(name, package.version, origin)
        elif _path(url) != root:
            local.append(f"{name} from {_path(url)}")
    if local:
        raise Error("cannot install packages of this environment in a job: " + ", ".join(sorted(local)),
                    "FAILED_PRECONDITION", "list the packages in a requirements.txt, and keep the code of your own "
                    "packages in the project")
    return [lines[name] for name in sorted(lines)]


def _origin(package: Any) -> dict[str, Any]:
    """Returns what direct_url.json contains: of a package from a URL, a repository, or a folder (PEP 610)."""
    import json

    text = package.read_text("direct_url.json")
    origin: dict[str, Any] = json.loads(text) if text else {}
    return origin


def _line(name: str, version: str, origin: dict[str, Any]) -> str:
    if not origin:
        return f"{name}=={version}"
    repository = origin.get("vcs_info")
    url = f"{repository['vcs']}+{origin['url']}@{repository['commit_id']}" if repository else origin["url"]
    folder = f"#subdirectory={origin['subdirectory']}" if origin.get("subdirectory") else ""
    return f"{name} @ {url}{folder}"


def _path(url: str) -> str:
    from urllib.parse import unquote, urlsplit

    return os.path.realpath(unquote(urlsplit(url).path))
