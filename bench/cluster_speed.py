#!/usr/bin/env python3
"""Measures jobs on Kubernetes against the Python Kinetic, kubectl and bare pods, on one machine.

    bench/cluster_speed.py [--binaries build/release/bin] [--round-trip-ms 50] [ROW...]

Uses the cluster of the tests and the Cloud Storage stand-in. Needs root. Prints a table of medians. These are
measurements, not tests: see bench/README.md.
"""

import cluster_array_rows
import cluster_rows
import cluster_more_rows
import cluster_python_rows
import package_rows
import table
from cluster_place import ClusterPlace

ROWS = {
    "accepted": cluster_rows.accepted,
    "value": cluster_rows.value,
    "far": cluster_rows.value_far,
    "call": cluster_rows.call,
    "python": cluster_python_rows.python,
    "ps": cluster_more_rows.ps,
    "pod": cluster_more_rows.pod,
    "lines": cluster_more_rows.lines,
    "status": cluster_more_rows.status,
    "packages": package_rows.packages,
    "layers": package_rows.layers,
    "array": cluster_array_rows.submitted,
    "fleet": cluster_array_rows.fleet,
    "large": cluster_array_rows.large,
    "foreign": cluster_array_rows.foreign,
}
PROGRAMS = ("kinetic", "kinetic-runner", "kinetic-launcher", "gcs-server", "measure", "native_call")


def measure(row, options, folder):
    place = ClusterPlace(options.binaries, folder, options.round_trip_ms / 1000)
    try:
        yield from row(place)
    finally:
        place.close()


def main():
    parser = table.arguments(__doc__, PROGRAMS)
    parser.add_argument("--round-trip-ms", type=float, default=50)
    table.run(parser, PROGRAMS, ROWS, measure)


if __name__ == "__main__":
    main()
