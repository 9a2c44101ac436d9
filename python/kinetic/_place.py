"""Selects the files and the working directory of a job."""

from __future__ import annotations

import atexit
import contextlib
import os
import sysconfig
import tempfile
from typing import Any

from . import _folders
from ._errors import Error

_STANDARD_LIBRARY = os.path.join(os.path.realpath(sysconfig.get_path("stdlib")), "")
_empty_folder = ""


class Place:
    """The bundle of a job.

    Attributes
    ----------
    root : str
        The folder that is sent.
    workdir : str
        The folder of `root` that the job runs in.
    exclude : list of str
        Patterns of files that are not sent, besides those of ignore files.
    default_excludes : bool
        Whether virtual environments, caches, and the like are not sent.
    is_empty : bool
        Whether the function needs no files, so that `root` is an empty folder.
    """

    def __init__(self, root: str, workdir: str, exclude: list[str], default_excludes: bool = True,
                 is_empty: bool = False) -> None:
        self.root = root
        self.workdir = workdir
        self.is_empty = is_empty
        self._exclude = exclude
        self._default_excludes = default_excludes

    def holds_module(self, name: str, file: str) -> bool:
        """Returns whether the job imports this file as the module."""
        tail = name.replace(".", os.sep)
        file = os.path.realpath(file)
        for folder in (self.workdir, self.root, os.path.join(self.root, "src")):
            for path in (os.path.join(folder, tail, "__init__.py"), os.path.join(folder, tail + ".py")):
                if os.path.isfile(path):
                    return os.path.realpath(path) == file and self._is_sent(path)
        return False

    def _is_sent(self, path: str) -> bool:
        from . import _kinetic

        return _kinetic.is_bundled(self.root, self._exclude, self._default_excludes, os.path.relpath(path, self.root))


def find_place(function: Any, options: dict[str, Any]) -> Place:
    """Returns the project that contains the function's file; without one, the current directory's.

    A function of a folder that cannot be a project, such as the home directory, gets no files. Neither does one of
    a notebook or a terminal in a folder without a project marker, such as /tmp.
    """
    from . import _kinetic

    here = _utf8(os.path.realpath(_folders.current()))
    bundle = options.get("bundle")
    more: dict[str, Any] = bundle if isinstance(bundle, dict) else {"root": bundle}
    excludes = list(more.get("exclude") or []), more.get("default_excludes") is not False
    if more.get("root") is None:
        code = getattr(function, "__code__", None)
        file = os.path.realpath(code.co_filename) if code is not None else ""
        is_own_file = os.path.isfile(file) and not is_library(file)
        start = _utf8(os.path.dirname(file)) if is_own_file else here
        root = start
        try:
            root, has_marker = _kinetic.find_project(start, os.path.expanduser("~"))
        except Error as error:
            if error.code != "INVALID_ARGUMENT":
                raise
            has_marker = is_own_file = False
        if not (has_marker or is_own_file):
            folder = _no_files()
            return Place(folder, folder, [], is_empty=True)
    else:
        root = start = _utf8(os.path.realpath(os.fspath(more["root"])))
    is_inside = here == root or here.startswith(os.path.join(root, ""))
    return Place(root, here if is_inside else start, *excludes)


def _utf8(path: str) -> str:
    """Returns a path that the record of a job can contain, otherwise raises an Error."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise Error(f"the folder {path!r} has a name that is not UTF-8", "INVALID_ARGUMENT",
                    "rename it, or use another folder") from None
    return path


def is_library(file: str) -> bool:
    """Returns whether a file belongs to the standard library or to an installed package."""
    file = os.path.realpath(file)
    if "site-packages" in file.split(os.sep) or "dist-packages" in file.split(os.sep):
        return True
    return file.startswith(_STANDARD_LIBRARY)


def _no_files() -> str:
    global _empty_folder
    if not os.path.isdir(_empty_folder):
        _empty_folder = os.path.realpath(tempfile.mkdtemp(prefix="kinetic-no-files-"))
        atexit.register(_remove_folder, _empty_folder, os.getpid())
    return _empty_folder


def _remove_folder(folder: str, process: int) -> None:
    if os.getpid() == process:  # not in a fork
        with contextlib.suppress(OSError):
            os.rmdir(folder)
