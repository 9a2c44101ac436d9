"""Advice for a module that a job lacks."""

from __future__ import annotations

import re
import sys

_PROBLEM = re.compile(r"No module named '(?P<a>[\w.]+)'|needs the module (?P<b>[\w.]+), which the job lacks"
                      r"|module (?P<e>[\w.]+) is neither in the bundle nor in the environment"
                      r"|no module (?P<c>[\w.]+) in the bundle or the environment"
                      r"|but (?P<d>[\w.]+) is not installed; add")


def advice(message: str) -> str:
    """Returns the line to add to the dependencies for the module that an error of a job names, or an empty text.

    The package and its version are those that are installed here.
    """
    found = _PROBLEM.search(message)
    module = str(found[str(found.lastgroup)]).partition(".")[0] if found else ""
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
