#!/usr/bin/env python3
"""Measures the CPU time that `kinetic up` and `down` take, and their requests, with a stand-in for Google Cloud.

    bench/cluster_up.py [--binaries build/release/bin]

The test cluster must run: tests/support/cluster/cluster up. These are measurements, not tests: see bench/README.md.
"""

import os
import pathlib
import resource
import sys
import time

import table

PROGRAMS = ("kinetic", "kinetic-runner")
ROOT = pathlib.Path(__file__).resolve().parent.parent


def used_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    options = table.parse(table.arguments(__doc__, PROGRAMS), PROGRAMS)
    # The module takes its programs from the command line, like the tests that use it.
    sys.argv[1:] = [str(options.binaries / "kinetic"), str(options.binaries / "kinetic-runner"), os.devnull]
    sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/support")]
    from google_cluster import CloudTestCase, tearDownModule

    case = CloudTestCase()
    case.setUp()
    print("| command | CPU | goal | time | requests |\n|---|---|---|---|---|")
    try:
        for name, run in (("up", case.up), ("up, nothing to do", case.up), ("down --purge", lambda: case.down("--purge"))):
            cpu, begin, requests = used_cpu(), time.monotonic(), len(case.cloud.log)
            run()
            print(f"| {name} | {used_cpu() - cpu:.2f} s | 1 s | {time.monotonic() - begin:.1f} s | "
                  f"{len(case.cloud.log) - requests} |", flush=True)
    finally:
        case.doCleanups()
        tearDownModule()


if __name__ == "__main__":
    main()
