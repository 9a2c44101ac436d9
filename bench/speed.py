#!/usr/bin/env python3
"""Measures kinetic against what people would use instead, in one run on one machine.

    bench/speed.py [--binaries build/release/bin] [ROW...]

Prints a table of medians: of each work by the clock and in processor time, and of both ratios to its rival, which
runs in turn with it. Nothing here is a test: figures are for people. bench/README.md says more.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import bundle_rows
import job_rows
from bench import Place

ROWS = {
    "help": job_rows.help,
    "pack": bundle_rows.pack,
    "unchanged": bundle_rows.unchanged,
    "unpack": bundle_rows.unpack,
    "trivial": job_rows.trivial,
    "lines": job_rows.lines,
    "ps": job_rows.ps,
    "large": bundle_rows.large,
}
HEADINGS = ("measure", "goal", "kinetic", "rival", "as fast as the rival", "met", "bounded by")


def load():
    return "load " + " ".join(f"{value:.1f}" for value in os.getloadavg())


def measure(name, binaries, folder):
    """The lines of one row of the table."""
    with tempfile.TemporaryDirectory(prefix="kinetic-bench-", dir=folder) as own:
        for row in ROWS[name](Place(binaries, own)):
            print(f"{row.line()} {load()}", file=sys.stderr, flush=True)
            yield row.line()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", default="build/release/bin", help="where kinetic and bundle_tool are")
    parser.add_argument("--folder", help="where to measure; on the disk whose speed counts")
    parser.add_argument("rows", nargs="*", help=f"of {', '.join(ROWS)}; all of them")
    options = parser.parse_args()
    unknown = set(options.rows) - set(ROWS)
    if unknown:
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}")
    for program in ("kinetic", "kinetic-runner", "bundle_tool", "measure"):
        if not (pathlib.Path(options.binaries) / program).exists():
            sys.exit(f"{options.binaries} has no {program}: cmake --preset release && cmake --build --preset release")
    print(f"{os.cpu_count()} processors, {load()} before", file=sys.stderr, flush=True)
    lines = [line for name in options.rows or ROWS for line in measure(name, options.binaries, options.folder)]
    print("| " + " | ".join(HEADINGS) + " |")
    print("|" + "---|" * len(HEADINGS))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
