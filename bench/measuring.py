"""Runs programs and measures their resources."""

import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import threading


@dataclasses.dataclass
class Cost:
    wall: float  # seconds
    cpu: float  # seconds of user and system time, including awaited children
    peak: float  # MiB, the maximum of one of its processes
    output: str = ""


class Meter:
    def __init__(self, tool, folder):
        self.tool = str(tool)
        self.file = pathlib.Path(folder) / "cost.json"

    def __call__(self, command, *, cwd, env=None, to_file=None):
        """Runs a command. Its standard output is written to `to_file` or returned."""
        with open(to_file or os.devnull, "wb") as sink:
            ended = subprocess.run(
                [self.tool, self.file, *command],
                cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                stdout=sink if to_file else subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if ended.returncode != 0:
            raise RuntimeError(f"{command} ended with {ended.returncode}: {ended.stderr.decode()}")
        cost = json.loads(self.file.read_text())
        output = "" if to_file else ended.stdout.decode(errors="replace").strip()
        return Cost(cost["wall"], cost["cpu"], cost["peak_bytes"] / 2**20, output)


def middle(costs):
    return Cost(
        statistics.median(cost.wall for cost in costs),
        statistics.median(cost.cpu for cost in costs),
        max(cost.peak for cost in costs))


def interleaved(rounds, *works):
    """Warms up each operation once and then alternates them, so that other load affects all of them equally."""
    for work in works:
        work()
    taken = [[work() for work in works] for _ in range(rounds)]
    return [middle(costs) for costs in zip(*taken)]


class PeakOf:
    """Measures the peak memory (MiB) of a program's processes while the block runs."""

    def __init__(self, program):
        self.program = str(program)
        self.mebibytes = 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def watch(self):
        while not self.over.wait(0.02):
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                self.look(process)

    def look(self, process):
        try:
            if os.readlink(process / "exe") != self.program:
                return
            for line in (process / "status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    self.mebibytes = max(self.mebibytes, int(line.split()[1]) / 1024)
        except OSError:
            pass  # it has ended or is not accessible
