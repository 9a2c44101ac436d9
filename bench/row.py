"""Common parts of the rows of the table."""

import dataclasses
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests/support"))

import read_only
from measuring import Meter


@dataclasses.dataclass
class Row:
    """One row of the table. `limits` are (value, limit, unit); the value must not exceed the limit."""

    measure: str
    goal: str
    ours: object
    rival: object = None
    rival_name: str = "-"
    at_least: float = 0.0  # times as fast as the rival in wall clock time
    limits: tuple = ()
    bounds: str = ""
    by_clock: bool = False  # most processor time is spent in the job, which is not counted

    def ratios(self):
        return self.rival.wall / self.ours.wall, self.rival.cpu / max(self.ours.cpu, 1e-6)

    def met(self):
        if any(value > limit for value, limit, _ in self.limits):
            return "no"
        if self.rival is None or not self.at_least:
            return "yes"
        by_clock, by_processor = (ratio >= self.at_least for ratio in self.ratios())
        if by_clock == by_processor or self.by_clock:
            return "yes" if by_clock else "no"
        return "by the clock only" if by_clock else "by processor time only"

    def line(self):
        figure = f"{self.ours.wall * 1000:.1f} ms, {self.ours.cpu * 1000:.1f} CPU"
        for value, _, unit in self.limits:
            figure += f", {value:.1f} {unit}" if unit != "ms" else ""
        rival = ratio = "-"
        if self.rival is not None:
            rival = f"{self.rival_name}: {self.rival.wall * 1000:.1f} ms, {self.rival.cpu * 1000:.1f} CPU"
            by_clock, by_processor = self.ratios()
            ratio = f"{by_clock:.2f}x ({by_processor:.2f}x CPU)"
        return f"| {self.measure} | {self.goal} | {figure} | {rival} | {ratio} | {self.met()} | {self.bounds} |"


class Place:
    """Creates a folder for one row, with home directories of kinetic."""

    def __init__(self, binaries, folder):
        self.binaries = binaries
        self.kinetic = str(self.binaries / "kinetic")
        self.runner = self.binaries / "kinetic-runner"
        self.tool = str(self.binaries / "bundle_tool")
        self.folder = pathlib.Path(folder)
        self.measure = Meter(self.binaries / "measure", folder)
        self.home = None
        self.new_home()

    def new_home(self):
        if self.home is not None:
            read_only.remove(self.home)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.home)}

    def remove(self, folder):
        """Removes a folder of the home directory."""
        read_only.remove(self.home / folder)

    @property
    def store(self):
        return self.home / ".local/share/kinetic/store"

    def run(self, *arguments, cwd=None, to_file=None):
        return self.measure([self.kinetic, *arguments], cwd=cwd or self.folder, env=self.environment, to_file=to_file)

    def submit(self, tree):
        """Submits the folder's job and waits for its end, which is not measured."""
        cost = self.run("run", "--detach", "job.yaml", cwd=tree)
        self.run("wait", cost.output.split()[0])
        return cost

    def shell(self, command, cwd=None):
        return self.measure(["sh", "-c", command], cwd=cwd or self.folder, env={**os.environ, "HOME": str(self.folder)})


def cores(cost):
    return f"{cost.cpu / cost.wall:.1f} cores busy"
