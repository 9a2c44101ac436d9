#!/usr/bin/env python3
"""Measures submissions to a distant bucket: sequential round trips and duration.

    bench/round_trips.py [--binaries build/release/bin] [--round-trip-ms 50]

The stand-in runs behind a proxy that delays each response. These are measurements, not tests: see bench/README.md.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/support"))

import table
from delaying_proxy import DelayingProxy, count_round_trips, until_record
from trees import make_files

ROUNDS = 7
PROGRAMS = ("kinetic", "kinetic-runner", "gcs-server")


class DistantBucketHome:
    """A home of kinetic with its store in a bucket behind the proxy, and a project."""

    def __init__(self, binaries, folder, round_trip):
        self.binaries, self.folder, self.round_trip = binaries, pathlib.Path(folder), round_trip
        (self.folder / "contents").mkdir()
        self.server = subprocess.Popen(
            [binaries / "gcs-server", "--bucket", "bench", "--no-md5", "--data-dir", self.folder / "contents"],
            stdout=subprocess.PIPE, text=True)
        self.proxy = DelayingProxy(self.server.stdout.readline().strip(), 0)
        self.tree = self.folder / "tree"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"),
                            "STORAGE_EMULATOR_HOST": self.proxy.url, "KINETIC_STORE": "gs://bench/team"}

    def close(self):
        self.proxy.stop()
        self.server.terminate()
        self.server.wait()
        self.server.stdout.close()

    def submit(self):
        """@returns the start time and the requests"""
        self.proxy.exchanges()
        self.proxy.delay = self.round_trip
        begin = time.monotonic()
        done = subprocess.run([self.binaries / "kinetic", "run", "--detach", "job.yaml"], cwd=self.tree,
                              env=self.environment, capture_output=True, text=True, check=True)
        self.proxy.delay = 0
        exchanges = self.proxy.exchanges()
        subprocess.run([self.binaries / "kinetic", "wait", done.stdout.split()[0]], cwd=self.tree,
                       env=self.environment, capture_output=True, check=True)
        return begin, exchanges


def spread(times):
    return f"{statistics.median(times) * 1000:.0f} ms ({min(times) * 1000:.0f} to {max(times) * 1000:.0f})"


def edited(place):
    """One of 2,000 files changed, until the record is stored."""
    make_files(place.tree, 2000, 50_000)
    place.submit()
    counts, times = [], []
    for number in range(ROUNDS):
        (place.tree / "area0/team2/project1/module_7.py").write_text(f"edited = {number}\n" * 2000)
        begin, exchanges = place.submit()
        asked = until_record(exchanges)
        counts.append(count_round_trips(asked))
        times.append(max(exchange.end for exchange in asked) - begin)
    ratio = statistics.median(times) / place.round_trip
    return (f"100 MB in 2,000 files, one edited, to the record written | <= 3 round trips | {max(counts)} round trips of "
            f"{len(asked)} requests | {spread(times)}, {ratio:.1f} round trips")


def unchanged(place):
    """50,000 unchanged files, until they are known to be unchanged and until the record is stored."""
    make_files(place.tree, 50_000, 1000)
    place.submit()
    times, ends, counts = [], [], []
    for _ in range(ROUNDS):
        begin, exchanges = place.submit()
        asked = until_record(exchanges)
        content = [exchange for exchange in asked if "%2Ftrees%2F" in exchange.target or "%2Fpacks%2F" in exchange.target]
        counts.append(len(content))
        times.append(content[-1].end - begin - place.round_trip)
        ends.append(max(exchange.end for exchange in asked) - begin)
    return (f"50,000 files, unchanged | 1 request, <= 100 ms + 1 round trip | {max(counts)} request, "
            f"{len(asked)} with format, index and record | {spread(times)} + 1 round trip from the start of the "
            f"program until it is known; {spread(ends)} to the record")


def main():
    parser = table.arguments(__doc__, PROGRAMS, folder_help="for temporary files; 1 GB is needed")
    parser.add_argument("--round-trip-ms", type=float, default=50)
    options = table.parse(parser, PROGRAMS)
    print("| measure | goal | requests | time |\n|---|---|---|---|")
    for row in (edited, unchanged):
        with tempfile.TemporaryDirectory(prefix="kinetic-bench-", dir=options.folder) as folder:
            place = DistantBucketHome(options.binaries, folder, options.round_trip_ms / 1000)
            try:
                print(f"| {row(place)} |", flush=True)
            finally:
                place.close()


if __name__ == "__main__":
    main()
