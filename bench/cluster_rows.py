"""Rows about submission to a cluster and return of the value."""

import random
import statistics
import time

from cluster_row import Line, milliseconds, times
from python_kinetic import PythonKinetic

ROUNDS, RIVAL_ROUNDS = 9, 3
SMALL, LARGE = 10_000, 100_000


def in_turn(rounds, *works):
    """Returns the results of each operation, `rounds` times after a warm-up. Slow operations run less often."""
    taken = [[] for _ in works]
    for round_ in range(rounds + 1):
        for results, (work, every) in zip(taken, works):
            if round_ % every == 0:
                result = work()
                if round_ > 0:
                    results.append(result)
    return taken


def median(values):
    return statistics.median(values)


def accepted(place):
    """From a new process to the accepted Job, without changes and with a distant server."""
    rival = PythonKinetic(place)

    def ours():
        run = place.kinetic("run", "--detach", "job.yaml", far=True)
        place.machine.run("wait", run.line.split()[0])
        return run

    def theirs():
        run = rival.run(detach=True, far=True)
        place.remove_job(run.line)
        return run

    ours()
    submit = [place.binaries / "kinetic", "run", "--detach", "job.yaml"]
    count, asked = place.count(lambda *ways: place.run(submit, place.environment(*ways)))
    processes = place.processes(submit, place.environment(*place.ways(False)))
    its_count, its_asked = place.count(lambda *ways: place.remove_job(
        place.run(rival.script(detach=True), rival.environment(*ways)).line))
    its_processes = place.processes(rival.script(detach=True), rival.environment(*place.ways(False)))
    mine, its = in_turn(ROUNDS, (ours, 1), (theirs, 3))
    cpu = median(run.cpu for run in mine)
    took, its_took = (median(run.until_line for run in runs) for runs in (mine, its))
    its_cpu = median(run.cpu for run in its)
    yield Line(
        f"cold process to Job accepted, nothing changed, {milliseconds(place.round_trip)} round trips",
        ">= 5x; 2 round trips after the connections, 0 processes, < 30 ms CPU",
        f"{milliseconds(took)}; {count} round trips of {asked} requests, {processes} processes, "
        f"{milliseconds(cpu)} CPU",
        f"the Python Kinetic: {milliseconds(its_took)}; {its_count} round trips of {its_asked} requests, "
        f"{its_processes} processes, {milliseconds(its_cpu)} CPU",
        f"{its_took / took:.1f}x ({its_cpu / cpu:.0f}x CPU)",
        its_took / took >= 5 and count == 2 and processes == 0 and cpu < 0.03,
        f"{took / place.round_trip:.1f} round trips, of which 2 open connections")
    rival.close()


def returned(run):
    """Returns the seconds from the function's return to the value in the client. The pod has this machine's clock."""
    return run.line_at - float(run.line.strip('"').split()[0])


def value(place):
    yield from _value(place, far=False)


def value_far(place):
    yield from _value(place, far=True)


def _value(place, far):
    """From a new process to the value of a trivial function, and the part after the function."""
    rival = PythonKinetic(place)

    def ours(size=0):
        # The kubelet inspects its containers once a second. Without this pause, all runs would begin at the same
        # time in that second.
        time.sleep(random.random())
        return place.kinetic("run", "job.yaml", "--arg", f"size={size}", far=far)

    none, small, large, its = in_turn(ROUNDS, (ours, 1), (lambda: ours(SMALL), 1), (lambda: ours(LARGE), 1),
                                      (lambda: rival.run(far=far), 3))
    rival.close()
    where = f", {milliseconds(place.round_trip)} round trips" if far else ""
    took, its_took = (median(run.until_line for run in runs) for runs in (none, its))
    cpu, its_cpu = (median(run.cpu for run in runs) for runs in (none, its))
    yield Line(f"cold process to the value of a trivial function{where}", ">= 5x",
               f"{milliseconds(took)}, {milliseconds(cpu)} CPU",
               f"the Python Kinetic: {milliseconds(its_took)}, {milliseconds(its_cpu)} CPU", times(its_took / took),
               its_took / took >= 5, "the cluster's own share, which row pod measures")
    its_end = median(returned(run) for run in its)
    for runs, trips, what in ((none, 1, "up to 3 KiB"), (small, 2, f"{SMALL:,} bytes"), (large, 2, f"{LARGE:,} bytes")):
        ends = [returned(run) for run in runs]
        end = median(ends)
        limit = 0.1 + trips * place.round_trip * far
        yield Line(f"function returned to value in hand, {what}{where}", f"<= {milliseconds(limit)}; >= 40x",
                   f"{milliseconds(end)} ({milliseconds(min(ends))} to {milliseconds(max(ends))})",
                   f"the Python Kinetic: {milliseconds(its_end)}", times(its_end / end),
                   end <= limit and its_end / end >= 40)


def call(place):
    """A C++ program calls its own function as a job; the median of 21 calls."""
    rival = PythonKinetic(place)
    environment = {**place.environment(*place.ways(False)), "KINETIC_RUNNER": str(place.binaries / "kinetic-runner")}
    took = float(place.run([place.binaries / "native_call", "call"], environment).line) / 1000
    [its] = in_turn(RIVAL_ROUNDS, (rival.run, 1))
    rival.close()
    its_took = median(run.until_line for run in its)
    yield Line("C++ function as a job: call to value", "<= 1.2 s", milliseconds(took),
               f"the Python Kinetic, a trivial function: {milliseconds(its_took)}", times(its_took / took), took <= 1.2,
               "the cluster's own share, which row pod measures")
