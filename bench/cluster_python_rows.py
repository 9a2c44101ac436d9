"""Rows about the Python package on a cluster."""

from cluster_row import Line, milliseconds, times
from cluster_rows import RIVAL_ROUNDS, in_turn, median
from python_kinetic import PythonKinetic

SCRIPT = """import kinetic
@kinetic.run
def f():
    import time
    return time.time()
for _ in range(2):
    print(f(), flush=True)
"""


def python(place):
    """A script calls a decorated function twice."""
    script = place.machine.project / "calls.py"
    script.write_text(SCRIPT)
    environment = {**place.environment(*place.ways(False)), "PYTHONPATH": str(place.binaries.parent / "python")}
    rival = PythonKinetic(place)
    mine, its = in_turn(2 * RIVAL_ROUNDS, (lambda: place.run(["/usr/bin/python3", script], environment), 1),
                        (lambda: rival.run(calls=2), 2))
    rival.close()
    for what, goal, duration in (("cold process to the value of a decorated function", 6, lambda run: run.until_line),
                                 ("second call of the process", 7, lambda run: run.streamed)):
        took, its_took = (median(map(duration, runs)) for runs in (mine, its))
        yield Line(what, f">= {goal}x", f"{milliseconds(took)}, {median(run.peak for run in mine):.0f} MB",
                   f"the Python Kinetic: {milliseconds(its_took)}, {median(run.peak for run in its):.0f} MB",
                   times(its_took / took), its_took / took >= goal, "the cluster's own share, which row pod measures")
