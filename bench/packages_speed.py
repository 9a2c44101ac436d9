#!/usr/bin/env python3
"""Compares local jobs with changed, new, and unchanged packages to `uv sync` of the same project.

Needs uv on PATH and the package index. The wheels are in uv's cache, ~/.cache/kinetic-tests, before the
measurement.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import time

import table
from measuring import Cost, interleaved
from row import Place, Row

SMALL = ("numpy", "pandas", "pyyaml", "requests", "rich", "scipy", "tqdm")  # 16 with their dependencies
LARGE = ("jax", "keras", "keras-hub")
CHANGED = "humanize"
VERSIONS = ("4.5.0", "4.6.0", "4.7.0", "4.8.0", "4.9.0", "4.10.0", "4.11.0", "4.12.0")
ROUNDS = len(VERSIONS) - 1
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
PROGRAMS = ("kinetic", "kinetic-runner", "measure")
UV_CACHE = pathlib.Path.home() / ".cache/kinetic-tests/uv-cache"
PROJECT = """[project]
name = "speed"
version = "1"
requires-python = "=={python}.*"
dependencies = {packages}
"""


class Side:
    """A project in a folder, for kinetic or for uv."""

    def __init__(self, place, name, packages):
        self.place, self.packages = place, packages
        self.folder = place.folder / name
        self.folder.mkdir()
        self.environment = {**place.environment, "UV_CACHE_DIR": str(UV_CACHE), "UV_SYSTEM_CERTS": "1",
                            "UV_PYTHON": sys.executable, "KINETIC_PYTHON": PYTHON}
        (self.folder / "job.yaml").write_text("name: packages\nrun: 'true'\n")
        self.version = 0

    def next_version(self):
        packages = [*self.packages, f"{CHANGED}=={VERSIONS[self.version % len(VERSIONS)]}"]
        self.version += 1
        (self.folder / "pyproject.toml").write_text(PROJECT.format(python=PYTHON, packages=packages))

    def measure(self, *command):
        return self.place.measure(command, cwd=self.folder, env=self.environment)

    def sync(self):
        return self.measure("uv", "sync", "-q")

    def run(self):
        """Measures until the program starts."""
        kinetic = self.place.kinetic
        begin = time.time()
        cost = self.measure(kinetic, "run", "--detach", "job.yaml")
        job = cost.output.split()[0]
        self.measure(kinetic, "wait", job)
        timeline = json.loads(self.measure(kinetic, "status", job, "--json").output)["timeline"]
        [started] = [moment["time"] for moment in timeline if moment["event"] == "started"]
        return Cost(datetime.datetime.fromisoformat(started).timestamp() - begin, cost.cpu, cost.peak)


def changed(place):
    ours, theirs = (Side(place, name, SMALL) for name in ("ours", "theirs"))
    for _ in VERSIONS:  # fill uv's cache
        theirs.next_version()
        theirs.sync()

    def run():
        ours.next_version()
        return ours.run()

    def sync():
        theirs.next_version()
        return theirs.sync()

    mine, rival = interleaved(ROUNDS, run, sync)
    yield Row("one small package of 17 changed, until the program starts", "<= 1.3x the time", mine, rival,
              "`uv sync`", at_least=1 / 1.3, bounds="requests to the index")


def new(place):
    ours, theirs = (Side(place, name, LARGE) for name in ("ours", "theirs"))
    ours.next_version()
    theirs.next_version()

    def run():
        for folder in (".cache/kinetic", ".local"):
            place.remove(folder)
        return ours.run()

    def sync():
        subprocess.run(["rm", "-rf", theirs.folder / ".venv", theirs.folder / "uv.lock"], check=True)
        return theirs.sync()

    mine, rival = interleaved(3, run, sync)
    yield Row("jax and keras-hub, only wheels cached, until the program starts", "<= 1.3x the time", mine, rival,
              "`uv sync`", at_least=1 / 1.3, bounds="links to files in uv's cache")


def unchanged(place):
    with_packages, without = (Side(place, name, SMALL) for name in ("with", "without"))
    with_packages.next_version()
    mine, plain = interleaved(ROUNDS * 3, with_packages.run, without.run)
    milliseconds = 1000 * (mine.wall - plain.wall)
    yield Row("the packages of an unchanged job, part of its start", "<= 5 ms", mine, plain, "a job without packages",
              limits=((milliseconds, 5, "ms more"),))


ROWS = {"changed": changed, "new": new, "unchanged": unchanged}


def measure(row, options, folder):
    return row(Place(options.binaries, folder))


if __name__ == "__main__":
    table.run(table.arguments(__doc__, PROGRAMS, folder_help="where to measure, on the disk to measure"), PROGRAMS,
              ROWS, measure)
