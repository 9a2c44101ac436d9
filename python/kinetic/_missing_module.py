"""Advice for a module that a job lacks."""

from __future__ import annotations

import re
import sys

_PROBLEM = re.compile(r"No module named '([\w.]+)'|needs the module ([\w.]+), which the job lacks")


def advice(message: str) -> str:
    """Returns the line to add to the dependencies for the module that an error of a job names, or an empty text.

    The package and its version are those that are installed here.
    """
    found = _PROBLEM.search(message)
    module = (found[1] or found[2]).partition(".")[0] if found else ""
    if not module or module in sys.stdlib_module_names:
        return ""
    from importlib import metadata

    package = next(iter(metadata.packages_distributions().get(module, [])), None)
    try:
        line = f"{package}=={metadata.version(package)}" if package else ""
    except metadata.PackageNotFoundError:  # damaged metadata
        line = str(package)
    if not line:
        return f"add the package of the module {module} to the job's dependencies, or the module to the project"
    return f"add this line to the job's dependencies: {line}"
