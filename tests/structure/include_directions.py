#!/usr/bin/env python3
"""Fails on an include that points the wrong way, and says which line.

The folders of src/ form a ladder; a folder may include itself and what stands below it. The command line
sees the public headers alone, public headers see only each other, and each third-party library is seen by
the one folder that adapts it.
"""

import pathlib
import re
import sys

BELOW = {
    "base": [],
    "json": ["base"],
    "http": ["base"],
    "curl": ["http"],
    "auth": ["http", "json"],
    "gcs": ["http", "json"],
    "gcp": ["http", "json"],
    "kube": ["auth", "http", "json"],
    "cloud": ["auth", "curl", "gcp", "gcs", "kube", "oci"],
    "oci": ["auth", "http", "json"],
    "spec": ["json"],
    "store": ["json", "gcs"],
    "record": ["spec", "store"],
    "bundle": ["record"],
    "env": ["bundle", "gcp", "oci"],
    "local": ["record", "cloud"],
    "pod": ["record", "cloud"],
    "target": ["env", "local", "pod"],
    "job": ["target", "cloud"],
    "runner": ["env", "local", "pod", "cloud"],
}
THIRD_PARTY = {
    "nlohmann": {"src/json"},
    "yaml-cpp": {"src/json", "cli/settings"},
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


def reachable(folder):
    seen = {folder}
    queue = [folder]
    while queue:
        for lower in BELOW[queue.pop()]:
            if lower not in seen:
                seen.add(lower)
                queue.append(lower)
    return seen


def complaint(root, path, quote, name):
    """Why `path` may not include `name`, or None."""
    relative = path.relative_to(root).as_posix()
    first = name.split("/")[0]
    if quote == "<":
        allowed = THIRD_PARTY.get(first)
        if allowed is None:
            return None
        if not any(relative.startswith(place + "/") for place in allowed):
            return f"only {', '.join(sorted(allowed))} may include <{first}>"
        if path.suffix == ".h" and first in HEAVY_IN_HEADERS:
            return f"<{first}> is too heavy for a header"
        return None
    if first == "kinetic":
        return None
    if relative.startswith("include/"):
        return "a public header includes public headers only"
    if relative.startswith("cli/"):
        return None if (root / "cli" / name).exists() else "the command line is written on include/kinetic/ alone"
    folder = relative.split("/")[1]
    if first in BELOW and first not in reachable(folder):
        return f"{folder} stands below {first}"
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
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
                why = complaint(root, path, *match.groups())
                if why:
                    problems.append(f"{path.relative_to(root)}:{number}: {line.strip()}: {why}")
    print("\n".join(problems) if problems else f"{edges} includes point the right way")
    return 1 if problems or edges < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
