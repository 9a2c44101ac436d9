"""The clients of this process, one for each target."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any

    from . import _kinetic

_clients: dict[str, tuple[_kinetic.Client, dict[str, str]]] = {}  # with the environment at the time of opening
_of_parents: list[Any] = []  # clients of the process that this one was forked from: must not be used or destroyed


def _forget_clients() -> None:
    if _clients:
        from . import _kinetic

        _kinetic.forget_threads()
        _of_parents.append(dict(_clients))
        _clients.clear()


os.register_at_fork(after_in_child=_forget_clients)


def client(target: str = "") -> _kinetic.Client:
    """Returns the client of a target, with the settings of the command; empty: the configured target.

    Secrets and settings come from the current environment.
    """
    environment = dict(os.environ)
    found = _clients.get(target)
    if found is None or found[1] != environment:
        from . import _kinetic

        if not _clients:
            import atexit

            atexit.register(_kinetic.stop_other_threads)
        native = _kinetic.open_client(target, _python_folder(), python_version())
        found = _clients[target] = native, environment
    return found[0]


def python_version() -> str:
    """Returns the minor version of this interpreter, which jobs need, too."""
    return "%d.%d" % sys.version_info[:2]


def _python_folder() -> str:
    """Returns the folder of this interpreter, outside of its virtual environment."""
    return os.path.dirname(os.path.realpath(sys.executable or "/usr/bin/python3"))
