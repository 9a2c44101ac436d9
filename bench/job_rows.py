"""Rows about the command line and jobs."""

import sys

from row import Row, cores
from measuring import PeakOf, interleaved
from trees import JOB

LINES = """import sys
for i in range(1000000):
    sys.stdout.write('line %d of the log, as a program writes it\\n' % i)
"""


def make_job(place, **files):
    tree = place.folder / "tree"
    tree.mkdir()
    for name, text in files.items():
        (tree / name.replace("_", ".")).write_text(text)
    return tree


def help(place):  # pylint: disable=redefined-builtin
    (ours,) = interleaved(31, lambda: place.run("--help"))
    yield Row("kinetic --help", "<= 4 ms", ours, limits=((ours.wall * 1000, 4, "ms"),),
              bounds="loading of shared libraries; the Python Kinetic takes 4,800 ms")


def trivial(place):
    tree = make_job(place, job_yaml="function: f:f\ndependencies: null\nbundle: {root: .}\n",
                    f_py="def f():\n    return 1\n")
    place.run("run", "job.yaml", cwd=tree)
    python = str(next(place.home.glob(".cache/kinetic/environments/*/bin/python")))
    ours, rival = interleaved(
        21,
        lambda: place.run("run", "job.yaml", cwd=tree),
        lambda: place.measure([python, "-c", "import json, traceback, importlib"], cwd=tree))
    yield Row("trivial function, submit to value", "<= 3x", ours, rival, "the job's python -c import", 1 / 3,
              bounds=f"start of Python in the job and flushes to the disk; {cores(ours)} by the client", by_clock=True)


def native(place):
    environment = {**place.environment, "KINETIC_RUNNER": str(place.runner)}
    cost = place.measure([str(place.binaries / "native_call")], cwd=place.folder, env=environment)
    cost.wall = float(cost.output) / 1000
    yield Row("C++ function, call to value", "<= 25 ms", cost, limits=((cost.wall * 1000, 25, "ms"),),
              bounds="start of the supervisor and flushes to the disk; processor time is that of 22 calls")


def array(place):
    """Sends an array of 256 MiB to a C++ function, which returns it."""
    size = 256
    environment = {**place.environment, "KINETIC_RUNNER": str(place.runner)}

    def call(verb, *arguments):
        cost = place.measure([str(place.binaries / "native_call"), verb, str(size), *arguments], cwd=place.folder,
                             env=environment)
        cost.wall = float(cost.output) / 1000
        place.remove(".local")  # the store, to limit disk space
        return cost

    ours, rival = interleaved(5, lambda: call("array"), lambda: call("files", str(place.folder / "array")))
    yield Row("256 MiB array to a C++ function and back", ">= 0.63x, <= 1.3x its memory beyond the array", ours, rival,
              "two files, written, flushed and read", 1 / 1.6, limits=(((ours.peak - size) / size, 1.3, "x the array"),),
              bounds="the job and the store are one file more, and five SHA-256", by_clock=True)


def jobs(place):
    environment = {**place.environment, "KINETIC_RUNNER": str(place.runner)}
    cost = place.measure([str(place.binaries / "native_call"), "jobs", "1000"], cwd=place.folder, env=environment)
    cost.cpu = float(cost.output) / 1000
    yield Row("1,000 jobs of one C++ program, time until all have ended, CPU of the client per submission", "<= 2 ms CPU", cost,
              limits=((cost.cpu * 1000, 2, "ms"),), bounds="one index entry and one record per job, and the start of its supervisor")


def lines(place):
    job = f"run: [{sys.executable}, p.py]\ndependencies: null\nbundle: {{root: .}}\n"
    tree = make_job(place, job_yaml=job, p_py=LINES)
    with PeakOf(place.runner) as runner:
        ours, rival = interleaved(
            5,
            lambda: place.run("run", "job.yaml", cwd=tree, to_file=place.folder / "followed.txt"),
            lambda: place.measure([sys.executable, "p.py"], cwd=tree, to_file=place.folder / "direct.txt"))
    followed = (place.folder / "followed.txt").read_bytes()
    if followed != (place.folder / "direct.txt").read_bytes():
        raise RuntimeError("the followed log differs from the program's output")
    yield Row("1,000,000 log lines, followed", ">= 0.5x, <= 40 MB", ours, rival, "to a file", 0.5,
              limits=((ours.peak, 40, "MB client"), (runner.mebibytes, 40, "MB runner")),
              bounds=f"{cores(ours)} by the client", by_clock=True)


# An index entry is named by a number and the time of its job: docs/reference/store.md.
LAST_MICROSECOND = 9_999_999_999_999_999


def fill_index(place, jobs):
    """Creates `jobs` index entries of finished jobs from the existing one."""
    index = place.store / "index"
    entry = next(path for path in index.rglob("*") if path.is_file())
    number, name = entry.name.split("-", 1)
    content = entry.read_bytes()
    created = LAST_MICROSECOND - int(number)
    for i in range(1, jobs):
        other = f"{i:0{len(name)}d}"
        itself = content.replace(name.encode(), other.encode()).replace(b"%d" % created, b"%d" % (created - i))
        entry.with_name(f"{int(number) + i:0{len(number)}d}-{other}").write_bytes(itself)


def ps(place):
    tree = make_job(place, job_yaml=JOB)
    place.run("run", "job.yaml", cwd=tree)
    fill_index(place, 10_000)
    listed = place.run("ps", "--all").output.count("\n")
    if listed != 10_000:
        raise RuntimeError(f"kinetic ps lists {listed} jobs of 10,000")
    ours, everything = interleaved(15, lambda: place.run("ps"), lambda: place.run("ps", "--all"))
    yield Row("kinetic ps with 10,000 jobs", "<= 50 ms, <= 40 MB", ours,
              limits=((ours.wall * 1000, 50, "ms"), (ours.peak, 40, "MB")), bounds="reading and sorting one folder")
    yield Row("kinetic ps --all with 10,000 jobs", "-", everything, limits=((everything.peak, 40, "MB"),),
              bounds="one file opened and read for each job")
