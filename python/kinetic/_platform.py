"""Loads the C++ module, which needs a certain platform."""

from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any


def load_module() -> Any:
    """Returns the module kinetic._kinetic.

    Raises
    ------
    ImportError
        This interpreter cannot load it. The message names the reason.
    """
    try:
        return importlib.import_module("kinetic._kinetic")
    except ImportError as error:
        raise ImportError(reason(str(error)), name="kinetic._kinetic") from error


def reason(problem: str) -> str:
    """Returns why the module cannot be loaded, from the message of the interpreter."""
    import platform

    if "t" in getattr(sys, "abiflags", ""):
        return "kinetic does not support free-threaded builds of CPython; use a build with the GIL"
    if "subinterpreters" in problem:
        return "kinetic does not support subinterpreters; use the main interpreter"
    if sys.implementation.name != "cpython":
        return f"kinetic does not support {platform.python_implementation()}; use CPython 3.10 or later"
    if sys.platform != "linux":
        return f"kinetic runs on Linux, not on {platform.system()}; use a Linux machine or a container"
    if platform.libc_ver()[0] != "glibc":
        return "kinetic needs the C library glibc, which Alpine and other musl systems lack; use another distribution"
    return (f"the module of kinetic does not fit Python {platform.python_version()} on {platform.machine()}: "
            f"{problem}; install kinetic with this Python")
