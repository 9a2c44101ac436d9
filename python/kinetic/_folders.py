"""The current folder, which another program may have removed."""

from __future__ import annotations

import os


def current() -> str:
    """Returns the current folder, otherwise raises an Error."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        from ._errors import Error

        raise Error("the current folder no longer exists", "FAILED_PRECONDITION",
                    "change to another one, such as with os.chdir") from None


def absolute(path: str | os.PathLike[str]) -> str:
    """Returns the absolute path of one that may be relative to the current folder."""
    text = os.fspath(path)
    return os.path.normpath(text if os.path.isabs(text) else os.path.join(current(), text))
