"""Arguments and table of the measuring programs."""

import argparse
import os
import pathlib
import sys
import tempfile

HEADINGS = ("measure", "goal", "kinetic", "rival", "as fast as the rival", "met", "bounded by")


def arguments(description, programs, folder=None, folder_help="for temporary files"):
    """Returns a parser, to which arguments may be added.

    @param programs  measured and measuring programs
    @param folder  default folder for measurements
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", default="build/release/bin", help=f"folder of {', '.join(programs)}")
    parser.add_argument("--folder", default=folder, help=folder_help)
    return parser


def parse(parser, programs):
    """Returns the arguments. Exits if a program is missing."""
    options = parser.parse_args()
    options.binaries = pathlib.Path(options.binaries).resolve()
    for program in programs:
        if not (options.binaries / program).exists():
            sys.exit(f"{options.binaries} has no {program}: cmake --preset release && cmake --build --preset release")
    return options


def load():
    return "load " + " ".join(f"{value:.1f}" for value in os.getloadavg())


def run(parser, programs, rows, measure):
    """Prints each row as soon as it is known, then the table.

    @param parser  of `arguments`
    @param rows  functions by name; all of them or those selected by the arguments
    @param measure  returns the rows of one of them: measure(row, options, folder), in its own folder
    """
    parser.add_argument("rows", nargs="*", help=f"rows to measure: {', '.join(rows)} (default: all)")
    options = parse(parser, programs)
    unknown = set(options.rows) - set(rows)
    if unknown:
        parser.error(f"unknown rows: {', '.join(sorted(unknown))}; valid rows: {', '.join(rows)}")
    print(f"{os.cpu_count()} processors, {load()} before", file=sys.stderr, flush=True)
    lines = []
    for name in options.rows or rows:
        with tempfile.TemporaryDirectory(prefix="kinetic-bench-", dir=options.folder) as folder:
            for row in measure(rows[name], options, folder):
                print(f"{row.line()} {load()}", file=sys.stderr, flush=True)
                lines.append(row.line())
    print("| " + " | ".join(HEADINGS) + " |")
    print("|" + "---|" * len(HEADINGS))
    print("\n".join(lines))
