#!/usr/bin/env python3
"""Checks ARCHITECTURE.md against src/components.txt.   architecture.py ROOT [--fix]

The diagram and the table of components in ARCHITECTURE.md are generated; --fix writes them.
"""

import pathlib
import re
import sys

from include_directions import read_components, reachable

BEGIN, END = "<!-- components: generated from src/components.txt -->", "<!-- /components -->"


def direct_edges(components):
    """Yields the uses that no other use of the same component implies."""
    for name, (uses, _) in components.items():
        for used in uses:
            others = [other for other in uses if other != used]
            if not any(used in reachable(components, other) for other in others):
                yield name, used


def text_of(components):
    lines = [BEGIN, "", "```mermaid", "graph TD", "  cli --> settings", "  settings --> job", "  cli --> job"]
    lines += [f"  {name} --> {used}" for name, used in reversed(list(direct_edges(components)))]
    lines += ["```", "", "| component | purpose |", "|---|---|"]
    lines += ["| `include/kinetic` | The public interface: values, specs, client, job, results. |"]
    lines += [f"| `src/{name}` | {purpose} |" for name, (_, purpose) in components.items()]
    lines += ["| `cli` | The command line: commands, terminal. Includes `include/kinetic` and `src/settings` only. |", "", END]
    return "\n".join(lines)


def main():
    root = pathlib.Path(sys.argv[1])
    page = root / "ARCHITECTURE.md"
    text = page.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if not pattern.search(text):
        sys.exit(f"ARCHITECTURE.md has no '{BEGIN}' section")
    wanted = pattern.sub(lambda _: text_of(read_components(root)), text)
    if "--fix" in sys.argv:
        page.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        sys.exit("ARCHITECTURE.md differs from src/components.txt; run tests/structure/architecture.py . --fix")


if __name__ == "__main__":
    main()
