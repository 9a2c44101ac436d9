#!/usr/bin/env python3
"""Fails if ctest does not run a Python test program, or runs only some of its test classes.

    registered_tests.py ROOT BUILD
"""

import ast
import json
import pathlib
import subprocess
import sys

# Run by scripts/other-control-planes, which installs the control planes.
RUN_BY_HAND = {"control_plane_test.py"}


def tested_classes(source):
    """Returns the names of all classes, and of those with test functions of their own or of a base in the file."""
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    tested = set()
    for node in nodes:
        own = any(isinstance(member, ast.FunctionDef) and member.name.startswith("test") for member in node.body)
        if own or any(isinstance(base, ast.Name) and base.id in tested for base in node.bases):
            tested.add(node.name)
    return {node.name for node in nodes}, tested


def problems(sources, commands):
    """@param sources   path below tests/ -> text of each Python test
    @param commands  the commands that ctest runs, as lists of words"""
    for path, text in sorted(sources.items()):
        runs = [command for command in commands if any(word.endswith("/" + path) for word in command)]
        if not runs and pathlib.PurePath(path).name not in RUN_BY_HAND:
            yield f"{path}: not run by ctest"
        classes, tested = tested_classes(text)
        chosen = [{word.split(".")[0] for word in command} & classes for command in runs]
        if runs and all(chosen):  # a program without a choice runs all of its classes
            missing = tested - set().union(*chosen)
            if missing:
                yield f"{path}: ctest does not run {', '.join(sorted(missing))}"


def main(root, build):
    sources = {path.relative_to(root / "tests").as_posix(): path.read_text(encoding="utf-8")
               for path in (root / "tests").rglob("*_test.py")}
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True)
    commands = [test["command"] for test in json.loads(listed.stdout)["tests"] if "command" in test]
    found = list(problems(sources, commands))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
