#!/usr/bin/env python3
"""Counts the requests of commands to a bucket, and the sequential flights that they take.

    bench/flights.py [--binaries build/release/bin] [--round-trip-ms 100]

The stand-in runs behind a proxy that delays each response. These are measurements, not tests: see bench/README.md.
"""

import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/support"))

import table
from delaying_proxy import count_round_trips
from round_trips import PROGRAMS, DistantBucketHome

JOB = "name: flights\nfunction: flights:main\ndependencies: null\n"
CODE = "def main():\n    print('one line')\n    return 1\n"
SETTLE_S = 1.5


@dataclasses.dataclass(frozen=True)
class Goal:
    requests: int
    flights: int


GOALS = {"run": Goal(12, 6), "rm": Goal(4, 3), "result": Goal(2, 2), "gc": Goal(20, 8)}
WHAT = {"run": "an unchanged job on the local target, to its result", "rm": "a job that has ended",
        "result": "of a job that has ended", "gc": "of a store with three jobs"}


def kind(exchange):
    """Returns the method and the object without the parts that differ from job to job."""
    target = urllib.parse.unquote(exchange.target)
    place = re.search(r"(?:[?&](?:name|prefix)=|/o/)([^?&]*)", target)
    name = place.group(1).removeprefix("team/") if place else target.split("?")[0]
    name = re.sub(r"k-[a-z0-9-]+|[0-9a-f]{32,}|\d{12,}", "*", name)
    listing = "prefix=" in target
    return f"{'LIST' if listing else exchange.method} {name}"


class Place(DistantBucketHome):
    """A home with a small job."""

    def __init__(self, binaries, folder, round_trip):
        super().__init__(binaries, folder, round_trip)
        self.tree.mkdir()
        (self.tree / "job.yaml").write_text(JOB)
        (self.tree / "flights.py").write_text(CODE)

    def kinetic(self, *arguments):
        """Returns when the first output appeared, such as the value of `run`; None without output."""
        printed = None
        with tempfile.TemporaryFile("w+") as errors:
            with subprocess.Popen([self.binaries / "kinetic", *arguments], cwd=self.tree, env=self.environment,
                                  stdout=subprocess.PIPE, stderr=errors) as process:
                if process.stdout.read(1):
                    printed = time.monotonic()
                process.stdout.read()
            if process.returncode != 0:
                errors.seek(0)
                sys.exit(f"kinetic {' '.join(arguments)}: {errors.read()}")
        return printed

    def settle(self):
        """Waits until supervisors have ended and changes of the same objects are allowed again."""
        time.sleep(SETTLE_S)
        self.proxy.exchanges()

    def measure(self, *arguments):
        """Returns the requests of a command and of the supervisor that it started, and the number of flights that
        end after the first output."""
        self.settle()
        self.proxy.delay = self.round_trip
        printed = self.kinetic(*arguments)
        time.sleep(SETTLE_S)
        self.proxy.delay = 0
        exchanges = self.proxy.exchanges()
        after = [exchange for exchange in exchanges if printed is not None and exchange.end > printed]
        return exchanges, count_round_trips(after)


def measure(place):
    """Yields the name of each command and what Place.measure returns."""
    for number in range(3):
        place.kinetic("run", "job.yaml", "--id", f"job{number}")
    yield "run", place.measure("run", "job.yaml")
    yield "result", place.measure("result", "job0")
    yield "rm", place.measure("rm", "job0")
    yield "gc", place.measure("gc")


def main():
    parser = table.arguments(__doc__, PROGRAMS)
    parser.add_argument("--round-trip-ms", type=float, default=100)
    parser.add_argument("--list", action="store_true", help="also list the requests")
    options = table.parse(parser, PROGRAMS)
    print("| command | of | requests | goal | flights | goal | after the output | goal |\n|---|---|---|---|---|---|---|---|")
    details = []
    with tempfile.TemporaryDirectory(prefix="kinetic-bench-", dir=options.folder) as folder:
        place = Place(options.binaries, folder, options.round_trip_ms / 1000)
        try:
            for name, (exchanges, after) in measure(place):
                goal = GOALS[name]
                print(f"| {name} | {WHAT[name]} | {len(exchanges)} | {goal.requests} | "
                      f"{count_round_trips(exchanges)} | {goal.flights} | {after} | 1 |", flush=True)
                begin = min(exchange.begin for exchange in exchanges)
                details += [f"\n{name}"] + [
                    f"{(exchange.begin - begin) * 1000:6.0f} {(exchange.end - begin) * 1000:6.0f} {exchange.status} "
                    f"{kind(exchange)}" for exchange in sorted(exchanges, key=lambda exchange: exchange.begin)]
        finally:
            place.close()
    if options.list:
        print("\n".join(details))


if __name__ == "__main__":
    main()
