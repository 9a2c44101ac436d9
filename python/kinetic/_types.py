"""Finds classes by the names in values and exceptions."""

from __future__ import annotations

import sys


def find_loaded(name: str) -> type | None:
    """Returns the class of a name such as ``"package.module.Class"``, or None.

    Searches only imported modules, so that the content of a value never causes an import. A name without a module
    refers to ``__main__`` or to a builtin.
    """
    parts = name.split(".")
    candidates = [(".".join(parts[:count]), parts[count:]) for count in range(len(parts) - 1, 0, -1)]
    for module_name, path in [*candidates, ("__main__", parts), ("builtins", parts)]:
        found: object = sys.modules.get(module_name)
        for part in path if found is not None else ():
            found = getattr(found, "__dict__", {}).get(part)
        if isinstance(found, type):
            return found
    return None
