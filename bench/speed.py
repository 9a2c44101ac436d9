#!/usr/bin/env python3
"""Measures kinetic against alternatives on one machine.

    bench/speed.py [--binaries build/release/bin] [ROW...]

Prints medians of wall clock and processor time, and both ratios to a rival, which runs alternately. These are
measurements, not tests: see bench/README.md.
"""

import array_rows
import bundle_rows
import copy_rows
import job_rows
import metrics_rows
import table
from row import Place

ROWS = {
    "help": job_rows.help,
    "pack": bundle_rows.pack,
    "dry": bundle_rows.dry,
    "unchanged": bundle_rows.unchanged,
    "unpack": bundle_rows.unpack,
    "trivial": job_rows.trivial,
    "native": job_rows.native,
    "array": job_rows.array,
    "jobs": job_rows.jobs,
    "tasks": array_rows.tasks,
    "lines": job_rows.lines,
    "metrics": metrics_rows.metrics,
    "ps": job_rows.ps,
    "large": bundle_rows.large,
    "changed": copy_rows.changed,
    "data": copy_rows.data,
}
PROGRAMS = ("kinetic", "kinetic-runner", "bundle_tool", "measure", "native_call")


def measure(row, options, folder):
    return row(Place(options.binaries, folder))


if __name__ == "__main__":
    table.run(table.arguments(__doc__, PROGRAMS, folder_help="where to measure; must be on the disk to measure"),
              PROGRAMS, ROWS, measure)
