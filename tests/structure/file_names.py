#!/usr/bin/env python3
"""Fails on a folder or file name that makes the tree hard to read, and on a unit test in the wrong folder.

- No folder contains 100 files or more.
- No file of src/, cli/, tests/ or bench/ has its folder's name, or begins with it: backend/kubernetes/kubernetes_pod.h
  is backend/kubernetes/pod.h.
- Each folder of tests/unit has a folder of src/ or cli/, except folders with data.
- If a unit test has the name of a source of its component, it is in the same folder: the test of src/a/b/x.cc is
  tests/unit/a/b/x_test.cc. Other unit tests may test several sources.
"""

import collections
import pathlib
import subprocess
import sys

MAX_FILES = 100
DATA_FOLDERS = ("backend/snapshots", "jobspec/data")  # of tests/unit


def tracked(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.decode().split("\0")[:-1]
        return [pathlib.PurePosixPath(name) for name in names if (root / name).exists()]
    return [path.relative_to(root) for path in root.rglob("*") if path.is_file() and "build" not in path.parts]


def too_full(paths):
    counts = collections.Counter(path.parent for path in paths)
    return [f"{folder} has {count} files; split it" for folder, count in sorted(counts.items()) if count >= MAX_FILES]


def repeated(paths):
    for path in paths:
        folder = path.parent.name
        if path.parts[0] in ("src", "cli", "tests", "bench") and path.suffix in (".h", ".cc", ".py"):
            if path.stem == folder or path.stem.startswith(folder + "_"):
                yield f"{path} repeats the name of its folder"


def unmirrored(paths):
    """Yields folders of tests/unit without a folder of sources."""
    sources = {folder for path in paths if path.parts[0] in ("src", "cli") for folder in path.parents}
    tested = {path.parent for path in paths if path.parts[:2] == ("tests", "unit") and len(path.parts) > 3}
    for folder in sorted(tested):
        below = folder.relative_to("tests/unit")
        is_data = any(below == data or data in below.parents for data in map(pathlib.PurePosixPath, DATA_FOLDERS))
        mirrored = below if below.parts[0] == "cli" else "src" / below
        if mirrored not in sources and not is_data:
            yield f"{folder} has no folder {mirrored}"


def misplaced(paths):
    """Yields unit tests in a folder that does not mirror that of their source, if the component has such a source."""
    sources = collections.defaultdict(set)
    for path in paths:
        if path.parts[0] in ("src", "cli") and path.suffix in (".h", ".cc"):
            sources[path.stem].add(path.parent)
    for path in paths:
        if path.parts[:2] != ("tests", "unit") or not path.name.endswith("_test.cc"):
            continue
        component = path.parts[2]
        top = pathlib.PurePosixPath("cli") if component == "cli" else pathlib.PurePosixPath("src", component)
        folders = {folder for folder in sources[path.name[: -len("_test.cc")]] if folder == top or top in folder.parents}
        mirrored = top.joinpath(*path.parts[3:-1])
        if folders and mirrored not in folders:
            yield f"{path} tests a source of {', '.join(map(str, sorted(folders)))}; move it to the folder that mirrors it"


def problems(paths):
    return too_full(paths) + list(repeated(paths)) + list(unmirrored(paths)) + list(misplaced(paths))


def main():
    found = problems(tracked(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else "no problems in folder and file names")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
