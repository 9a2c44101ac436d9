"""A row of the cluster table."""

import dataclasses


@dataclasses.dataclass
class Line:
    measure: str
    goal: str
    ours: str
    rival: str
    ratio: str
    met: bool
    bounds: str = ""

    def line(self):
        cells = (self.measure, self.goal, self.ours, self.rival, self.ratio, "yes" if self.met else "no", self.bounds)
        return "| " + " | ".join(cells) + " |"


def milliseconds(seconds):
    return f"{seconds * 1000:.0f} ms"


def times(ratio):
    return f"{ratio:.1f}x"
