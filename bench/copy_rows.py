"""Rows about files that jobs on this machine read."""

import contextlib
import os
import re
import shutil
import time

from row import Row, cores
from measuring import interleaved

JOBS = 20


def changed(place):
    """From the start of the command to the start of the program."""
    tree = place.folder / "tree"
    for number in range(2000):
        folder = tree / f"package{number // 50}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module_{number}.py").write_bytes(os.urandom(200_000))
    (tree / "job.yaml").write_text("run: date +started=%s.%N\ndependencies: null\nbundle: {root: .}\n")
    edits = iter(range(1000))
    copies = (place.folder / f"copy{number}" for number in range(1000))

    def ours():
        (tree / "package7/module_353.py").write_text(f"edited = {next(edits)}\n")
        begun = time.time()
        cost = place.run("run", "job.yaml", cwd=tree)
        cost.wall = float(re.search(r"started=([0-9.]+)", cost.output)[1]) - begun
        return cost

    def copy():
        folder = next(copies)
        cost = place.shell(f"cp -r tree {folder}")
        shutil.rmtree(folder)
        return cost

    measured, rival = interleaved(7, ours, copy)
    yield Row("one of 2,000 files (400 MB of code) edited, to the start of the program", "<= 500 ms", measured, rival,
              "cp -r", limits=((measured.wall * 1000, 500, "ms"),), bounds=f"copying the files; {cores(measured)}",
              by_clock=True)


def used_mebibytes(folder):
    blocks = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # status files are replaced meanwhile
                blocks += os.lstat(os.path.join(parent, name)).st_blocks
    return blocks / 2048


def data(place):
    """The space that running jobs use in addition to the stored data."""
    (place.folder / "set").mkdir()
    for number in range(4):
        with open(place.folder / f"set/part{number}", "wb") as file:
            for _ in range(256):
                file.write(os.urandom(2**20))
    tree = place.folder / "tree"
    tree.mkdir()
    gate = place.folder / "gate"
    (tree / "job.yaml").write_text(
        f"run: 'cat $KINETIC_DATA_DIR/set/* | wc -c && while [ ! -e {gate} ]; do sleep 0.1; done'\n"
        "dependencies: null\nbundle: {root: .}\ndata: {/set: ../set}\n")
    gate.touch()
    place.run("run", "job.yaml", cwd=tree)  # stores the data
    gate.unlink()
    before = used_mebibytes(place.home)
    costs = [place.run("run", "--detach", "--concurrency", str(JOBS), "job.yaml", cwd=tree) for _ in range(JOBS)]
    jobs = [cost.output.split()[0] for cost in costs]
    for job in jobs:
        while str(2**30) not in place.run("logs", job).output:
            time.sleep(0.1)
    extra = used_mebibytes(place.home) - before
    gate.touch()
    for job in jobs:
        place.run("wait", job)
    cost = costs[-1]
    yield Row(f"{JOBS} jobs over 1 GiB of local data, space that they use", "<= 100 MB", cost,
              limits=((extra, 100, "MB"),), bounds="the time is that of one submission")
