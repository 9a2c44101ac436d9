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


def has_tests(node):
    return any(isinstance(member, ast.FunctionDef) and member.name.startswith("test") for member in node.body)


def problems(sources, commands):
    """@param sources   file name -> text of each Python test
    @param commands  the commands that ctest runs, as lists of words"""
    for name, text in sorted(sources.items()):
        runs = [command for command in commands if any(word.endswith("/" + name) for word in command)]
        if not runs and name not in RUN_BY_HAND:
            yield f"{name}: not run by ctest"
        classes = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
        chosen = [{word.split(".")[0] for word in command} & classes.keys() for command in runs]
        if all(chosen):  # a program without a choice runs all of its classes
            missing = {name for name, node in classes.items() if has_tests(node)} - set().union(*chosen)
            if runs and missing:
                yield f"{name}: ctest does not run {', '.join(sorted(missing))}"


def main(root, build):
    sources = {path.name: path.read_text(encoding="utf-8") for path in (root / "tests").rglob("*_test.py")}
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True)
    commands = [test["command"] for test in json.loads(listed.stdout)["tests"] if "command" in test]
    found = list(problems(sources, commands))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
