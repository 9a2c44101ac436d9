#!/usr/bin/env python3
"""Measures jobs on a real Kubernetes, against the Python Kinetic, kubectl and bare pods, in one run on one machine.

    bench/cluster_speed.py [--binaries build/release/bin] [--round-trip-ms 50] [ROW...]

The cluster is that of the tests, and the store the strict stand-in. As root. Prints a table of medians. Nothing here
is a test: figures are for people. bench/README.md says more.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import cluster_rows
import cluster_more_rows
from cluster_place import ClusterPlace
from cluster_row import HEADINGS
from speed import load

ROWS = {
    "accepted": cluster_rows.accepted,
    "value": cluster_rows.value,
    "far": cluster_rows.value_far,
    "ps": cluster_more_rows.ps,
    "pod": cluster_more_rows.pod,
    "lines": cluster_more_rows.lines,
    "status": cluster_more_rows.status,
}
PROGRAMS = ("kinetic", "kinetic-runner", "kinetic-launcher", "gcs-server", "measure")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", default="build/release/bin", help=f"where {', '.join(PROGRAMS)} are")
    parser.add_argument("--folder", help="for temporary files")
    parser.add_argument("--round-trip-ms", type=float, default=50)
    parser.add_argument("rows", nargs="*", help=f"of {', '.join(ROWS)}; all of them")
    options = parser.parse_args()
    unknown = set(options.rows) - set(ROWS)
    if unknown:
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}")
    for program in PROGRAMS:
        if not (pathlib.Path(options.binaries) / program).exists():
            sys.exit(f"{options.binaries} has no {program}: cmake --preset release && cmake --build --preset release")
    print(f"{os.cpu_count()} processors, {load()} before", file=sys.stderr, flush=True)
    lines = []
    for name in options.rows or ROWS:
        with tempfile.TemporaryDirectory(prefix="kinetic-bench-", dir=options.folder) as folder:
            place = ClusterPlace(options.binaries, folder, options.round_trip_ms / 1000)
            try:
                for line in ROWS[name](place):
                    print(f"{line.text()} {load()}", file=sys.stderr, flush=True)
                    lines.append(line.text())
            finally:
                place.close()
    print("| " + " | ".join(HEADINGS) + " |")
    print("|" + "---|" * len(HEADINGS))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
