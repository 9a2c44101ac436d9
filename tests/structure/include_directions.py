#!/usr/bin/env python3
"""Fails on an include in the wrong direction and prints its line.

- src/components.txt lists the components of src/ and what each may include: itself, the listed components, and
  everything below those.
- The subdirectories of a component include each other without a cycle. Files directly in the component's folder may be
  included by its subdirectories, and may include them.
- The command line includes only public headers and src/settings, and public headers include only each other.
- Each third-party library is included only by the component that adapts it.
"""

import pathlib
import re
import sys

THIRD_PARTY = {
    "nlohmann": {"src/json"},
    "yaml-cpp": {"src/json", "src/settings"},
    "toml++": {"src/json"},
    "openssl": {"src/base", "src/auth"},
    "curl": {"src/curl"},
    "isa-l": {"src/base"},
    "zstd.h": {"src/record", "src/bundle", "src/oci"},
    "zlib.h": {"src/oci"},
    "archive.h": {"src/oci"},
    "archive_entry.h": {"src/oci"},
    "CLI": {"cli"},
    "spdlog": {"cli"},
    "fmt": {"src", "cli"},
    "tl": {"include/kinetic"},
}
HEAVY_IN_HEADERS = ("nlohmann", "yaml-cpp", "toml++", "spdlog", "fmt", "zstd.h", "zlib.h", "openssl")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def read_components(root):
    """Returns {name: (direct uses, purpose)} in the order of src/components.txt."""
    components = {}
    for line in (root / "src/components.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, uses, purpose = (field.strip() for field in line.split("|", 2))
            components[name] = (uses.split(), purpose)
    return components


def reachable(components, name):
    seen = {name}
    queue = [name]
    while queue:
        for lower in components[queue.pop()][0]:
            if lower not in seen:
                seen.add(lower)
                queue.append(lower)
    return seen


def cycle_problems(root):
    """Yields the includes between subdirectories of one component that are part of a cycle."""
    edges = {}  # {component: {folder: {included folder: the first include}}}
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        folder = path.relative_to(root / "src").parent.as_posix()
        component = folder.split("/")[0]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match or not match[2].startswith(component + "/"):
                continue
            included = pathlib.PurePosixPath(match[2]).parent.as_posix()
            if component not in (folder, included) and folder != included:
                where = f"{path.relative_to(root)}:{number}: {line.strip()}"
                edges.setdefault(component, {}).setdefault(folder, {}).setdefault(included, where)
    for folders in edges.values():
        for folder, included in cyclic_edges(folders):
            yield f"{folders[folder][included]}: {included} includes {folder} directly or indirectly"


def cyclic_edges(folders):
    """Yields the pairs (folder, included folder) from which the second leads back to the first."""
    uses = {folder: (list(included), "") for folder, included in folders.items()}
    for included in folders.values():
        for folder in included:
            uses.setdefault(folder, ([], ""))
    for folder, included in folders.items():
        yield from ((folder, other) for other in included if folder in reachable(uses, other))


class Rules:
    def __init__(self, root):
        self.root = root
        components = read_components(root)
        self.below = {name: reachable(components, name) for name in components}

    def complaint(self, path, quote, name):
        """Returns the reason why `path` may not include `name`, or None."""
        relative = path.relative_to(self.root).as_posix()
        first = name.split("/")[0]
        if quote == "<":
            return self.third_party_complaint(relative, path.suffix, first)
        if first == "kinetic":
            return None
        if relative.startswith("include/"):
            return "a public header may include public headers only"
        if relative.startswith("cli/"):
            known = (self.root / "cli" / name).exists() or (first == "settings" and (self.root / "src" / name).exists())
            return None if known else "the command line may include include/kinetic/ and src/settings/ only"
        component = relative.split("/")[1]
        if component not in self.below:
            return f"src/components.txt does not list {component}"
        if first in self.below and first not in self.below[component]:
            return f"{component} may not include {first}"
        return None

    @staticmethod
    def third_party_complaint(relative, suffix, library):
        allowed = THIRD_PARTY.get(library)
        if allowed is None:
            return None
        if not any(relative.startswith(place + "/") for place in allowed):
            return f"only {', '.join(sorted(allowed))} may include <{library}>"
        if suffix == ".h" and library in HEAVY_IN_HEADERS:
            return f"<{library}> is too heavy for a header"
        return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    rules = Rules(root)
    problems = []
    edges = 0
    for top in ("include", "src", "cli"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                edges += 1
                why = rules.complaint(path, *match.groups())
                if why:
                    problems.append(f"{path.relative_to(root)}:{number}: {line.strip()}: {why}")
    problems += cycle_problems(root)
    print("\n".join(problems) if problems else f"{edges} includes have an allowed direction")
    return 1 if problems or edges < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
