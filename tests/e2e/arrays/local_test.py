#!/usr/bin/env python3
"""Arrays on this machine: results of each task, limits, and processes that are killed.

    local_test.py KINETIC RUNNER [TEST...]
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from machine import Machine, content_of

KINETIC, RUNNER = sys.argv[1:3]
MODULE = """import os, pathlib, time
def square(x, wait=0):
    print('task', os.environ['KINETIC_TASK_INDEX'], 'of', os.environ['KINETIC_NUM_TASKS'])
    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / 'x.txt').write_text(str(x))
    if x < 0:
        raise ValueError(f'{x} is negative')
    time.sleep(wait)
    return x * x
def forever(x):
    print('waits', flush=True)
    time.sleep(600)
"""
SHARED = """import os, pathlib, time
CALLS = 0
def number(x, wait=0):
    global CALLS
    CALLS += 1
    print('begins', x)
    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / f'{x}.txt').write_text('')
    time.sleep(wait)
    print('ends', x)
    return {'calls': CALLS, 'task': os.environ['KINETIC_TASK_INDEX'], 'pid': os.getpid()}
"""
ENDS = """import os, signal, sys, time
CALLS = 0
def end(how):
    global CALLS
    CALLS += 1
    if how == 'raise': raise ValueError(how)
    if how == 'exit': sys.exit(3)
    if how == 'crash': os.kill(os.getpid(), signal.SIGSEGV)
    if how == 'wait': time.sleep(60)
    return CALLS
"""
JOB = "dependencies: null\nbundle: {root: .}\n"


class LocalArrays(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-array-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.machine = Machine(self.folder / "m", KINETIC, RUNNER, None)
        self.machine.environment["KINETIC_CONCURRENCY"] = "2"
        (self.machine.project / "work.py").write_text(MODULE)
        self.addCleanup(self.end_all)

    def end_all(self):
        for pid in self.machine.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    @property
    def state(self):
        return self.machine.folder / ".local/state/kinetic/jobs"

    def start(self, text, *arguments):
        (self.machine.project / "job.yaml").write_text(text + JOB)
        return self.machine.start("run", "job.yaml", "--id", "a", *arguments)

    def run_array(self, text, code=0):
        run = self.start(text)
        out, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, code, out + err)
        return out, err

    def object(self, name):
        path = self.machine.store / "jobs/a" / name
        return json.loads(content_of(path)) if path.exists() else None

    def result(self, task=None):
        return self.object("result.json" if task is None else f"tasks/{task:06}/result.json")

    def ended(self):
        folder = self.machine.store / "jobs/a/ended"
        return sorted(int(path.name) for path in folder.iterdir()) if folder.exists() else []

    def counts(self):
        return self.result()["tasks"]

    def until(self, what, found, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := found():
                return value
            time.sleep(0.02)
        self.fail(f"waited for {what}: {self.machine.run('ps').stdout}")

    def running(self, task):
        """Returns the process that supervises a task, once its program runs."""
        folder = self.state / f"a/tasks/{task:06}"

        def supervisor():
            status = folder / "status.json"
            if not status.exists() or json.loads(status.read_text())["state"] != "running":
                return None
            return json.loads((folder / "supervisor.json").read_text())["pid"]

        return self.until(f"task {task} to run", supervisor)

    def assert_nothing_runs(self):
        self.until("the processes to end", lambda: not self.machine.processes())

    def test_each_task_has_its_result(self):
        self.run_array("function: work:square\narray: {over: [{x: 1}, {x: 2}, {x: -3}, {x: 4}, {x: 5}]}\n", code=1)
        self.assertEqual(self.counts(), {"tasks": 5, "running": 0, "succeeded": 4, "failed": 1, "cancelled": 0})
        self.assertEqual([self.result(task).get("value") for task in range(5)], [1, 4, None, 16, 25])
        self.assertEqual(self.result(2)["exception"]["message"], "-3 is negative")
        self.assertEqual(self.result()["reason"], "1 of 5 tasks failed")
        self.assertEqual(self.ended(), [0, 1, 2, 3, 4])
        outputs = self.machine.store / "outputs/a/tasks"
        self.assertEqual([content_of(outputs / f"{task:06}/x.txt") for task in range(5)],
                         [b"1", b"2", b"-3", b"4", b"5"])
        self.assertFalse((self.state / "a").exists(), "the runtime directory is left")
        self.assert_nothing_runs()

    def test_large_arguments_are_read_by_range(self):
        entries = [{"x": task, "wait": 0, "text": "ä" * 3000} for task in range(30)]
        (self.machine.project / "work.py").write_text("def main(x, wait, text):\n    return [x, len(text)]\n")
        self.run_array(f"function: work:main\narray:\n  over: {json.dumps(entries)}\n")
        self.assertEqual(len(list((self.machine.store / "jobs/a/arguments").iterdir())), 1)
        self.assertEqual([self.result(task)["value"] for task in range(30)], [[task, 3000] for task in range(30)])

    def test_count_repeats_the_same_arguments(self):
        self.run_array("run: ['sh', '-c', 'echo $KINETIC_TASK_INDEX > $KINETIC_OUTPUT_DIR/n']\narray: {count: 3}\n")
        outputs = self.machine.store / "outputs/a/tasks"
        self.assertEqual([content_of(outputs / f"{task:06}/n") for task in range(3)], [b"0\n", b"1\n", b"2\n"])

    def test_failures_are_limited(self):
        self.run_array("function: work:square\narray: {over: [{x: -1}, {x: -2}, {x: 3}, {x: 4}], max_failed: 0,"
                       " parallel: 1}\n", code=1)
        self.assertEqual(self.counts(), {"tasks": 4, "running": 0, "succeeded": 0, "failed": 1, "cancelled": 0})
        self.assertIn("max_failed is 0", self.result()["reason"])
        self.assertEqual(self.ended(), [0])

    def test_tasks_share_a_process(self):
        """The module is imported once in each process. Each task has its own value, output and log."""
        (self.machine.project / "work.py").write_text(SHARED)
        self.run_array("function: work:number\narray: {over: [[0], [1], [2], [3], [4], [5]], tasks_per_pod: 3,"
                       " parallel: 1}\n")
        values = [self.result(task)["value"] for task in range(6)]
        self.assertEqual([value["calls"] for value in values], [1, 2, 3, 1, 2, 3])
        self.assertEqual([value["task"] for value in values], ["0", "1", "2", "3", "4", "5"])
        self.assertEqual(len({value["pid"] for value in values}), 2)
        outputs = self.machine.store / "outputs/a/tasks"
        for task in range(6):
            self.assertEqual([path.name for path in (outputs / f"{task:06}").iterdir()], [f"{task}.txt"])
            log = b"".join(content_of(path) for path in
                           (self.machine.store / f"jobs/a/tasks/{task:06}/attempts/1/0/log").iterdir())
            self.assertEqual(self.result(task)["log_records"], 2, log)
        self.assertFalse((self.state / "a").exists(), "the runtime directory is left")
        self.assert_nothing_runs()

    def test_program_that_ends_is_started_again(self):
        """An exception leaves the program; an exit, a crash and a time limit end it."""
        (self.machine.project / "work.py").write_text(ENDS)
        entries = ["fine", "raise", "fine", "exit", "fine", "crash", "fine", "wait", "fine"]
        self.run_array(f"function: work:end\narray: {{over: {json.dumps(entries)}, tasks_per_pod: 9}}\n"
                       "timeouts: {run: 2s, grace: 1s}\n", code=1)
        self.assertEqual([self.result(task)["outcome"] for task in range(9)],
                         ["succeeded", "failed"] * 4 + ["succeeded"])
        self.assertEqual([self.result(task)["exit_code"] for task in (1, 3, 5, 7)], [1, 3, 139, 124])
        self.assertEqual([self.result(task)["value"] for task in (0, 2, 4, 6, 8)], [1, 3, 5, 1, 1])
        self.assertEqual(self.counts()["failed"], 4)
        self.assert_nothing_runs()

    def test_killed_process_loses_one_task(self):
        (self.machine.project / "work.py").write_text(SHARED)
        self.start("function: work:number\nargs: {wait: 1}\narray: {over: [{x: 0}, {x: 1}, {x: 2}, {x: 3}],"
                   " tasks_per_pod: 4}\n", "--detach").communicate(timeout=60)
        os.kill(self.running(1), signal.SIGKILL)
        self.assertEqual(self.machine.run("wait", "a").returncode, 1)
        self.assertEqual([self.result(task)["outcome"] for task in range(4)],
                         ["succeeded", "lost", "succeeded", "succeeded"])
        self.assert_nothing_runs()

    def test_cancelled_array_ends_shared_processes(self):
        self.start("function: work:forever\narray: {over: [{x: 1}, {x: 2}, {x: 3}, {x: 4}], tasks_per_pod: 2}\n",
                   "--detach").communicate(timeout=60)
        self.running(0)
        self.running(2)
        self.assertEqual(self.machine.run("cancel", "a").returncode, 0)
        self.assertEqual([(self.result(task) or {}).get("outcome") for task in range(4)],
                         ["cancelled", None, "cancelled", None])
        self.assert_nothing_runs()

    def test_task_is_retried(self):
        self.run_array("run: ['sh', '-c', '[ $KINETIC_TASK_INDEX = 0 ] || [ $KINETIC_ATTEMPT = 2 ] || exit 75']\n"
                       "retry: {attempts: 2, on: ['exit:75']}\narray: {count: 3}\n")
        self.assertEqual([self.result(task)["attempt"] for task in range(3)], [1, 2, 2])

    def test_killed_task_is_lost_and_the_others_run(self):
        self.start("function: work:forever\narray: {over: [{x: 1}, {x: 2}]}\n", "--detach").communicate(timeout=60)
        pids = [self.running(task) for task in range(2)]
        os.kill(pids[0], signal.SIGKILL)
        self.until("the result of the killed task", lambda: self.result(0))
        self.assertEqual(self.result(0)["outcome"], "lost")
        self.assertIsNone(self.result(1))
        self.assertEqual(self.machine.run("cancel", "a").returncode, 0)
        self.assertEqual(self.result(1)["outcome"], "cancelled")
        self.assertEqual(self.counts(), {"tasks": 2, "running": 0, "succeeded": 0, "failed": 1, "cancelled": 1})
        self.assert_nothing_runs()

    def test_cancelled_array_starts_no_more_tasks(self):
        self.start("function: work:forever\narray: {over: [{x: 1}, {x: 2}, {x: 3}, {x: 4}]}\n",
                   "--detach").communicate(timeout=60)
        self.running(0)
        self.assertEqual(self.machine.run("cancel", "a").returncode, 0)
        self.assertEqual(self.result()["outcome"], "cancelled")
        self.assertEqual(self.result(0)["outcome"], "cancelled")
        self.assertIsNone(self.result(3))
        self.assert_nothing_runs()

    def test_killed_array_is_ended_by_the_next_client(self):
        self.start("function: work:forever\narray: {over: [{x: 1}, {x: 2}, {x: 3}]}\n",
                   "--detach").communicate(timeout=60)
        self.running(0)
        self.running(1)
        os.kill(json.loads((self.state / "a/supervisor.json").read_text())["pid"], signal.SIGKILL)
        waited = self.machine.run("wait", "a")
        self.assertEqual(waited.returncode, 125, waited.stdout + waited.stderr)
        self.assertEqual(self.result()["outcome"], "lost")
        self.assertEqual([self.result(task)["outcome"] for task in range(2)], ["lost", "lost"])
        self.assertEqual(self.ended(), [0, 1])
        self.assertIn("2/3 done, 2 failed", self.result()["reason"])
        self.assertFalse((self.state / "a").exists(), "the runtime directory is left")
        self.assert_nothing_runs()

    def test_array_killed_at_any_time_loses_no_result(self):
        """Each task that a client sees as ended has the value it returned."""
        for pause in (0.05, 0.15, 0.3, 0.6):
            shutil.rmtree(self.machine.store, ignore_errors=True)
            run = self.start("function: work:square\narray: {over: [[1], [2], [3], [4], [5], [6], [7], [8]]}\n",
                             "--detach")
            run.communicate(timeout=60)
            time.sleep(pause)
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the array has ended already
                os.kill(json.loads((self.state / "a/supervisor.json").read_text())["pid"], signal.SIGKILL)
            self.machine.run("wait", "a")
            ends = {task: self.result(task) for task in range(8) if self.result(task)}
            self.assertEqual(self.ended(), sorted(ends))
            for task, end in ends.items():
                if end["outcome"] == "succeeded":
                    self.assertEqual(end["value"], (task + 1) ** 2)
                else:
                    self.assertEqual(end["outcome"], "lost")
            counts = self.counts()
            self.assertEqual(counts["succeeded"] + counts["failed"], len(ends))
            self.assert_nothing_runs()

    def test_jobs_wait_for_one_task_only(self):
        """A short job behind a long array waits for a place, not for the whole array."""
        self.machine.environment["KINETIC_CONCURRENCY"] = "1"
        self.start("function: work:square\nargs: {wait: 0.2}\narray: {over: [" +
                   ", ".join(f"{{x: {task}}}" for task in range(60)) + "]}\n", "--detach").communicate(timeout=60)
        self.running(0)
        done = self.machine.run("run", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(self.result(), "the array has ended first")
        self.assertEqual(self.machine.run("cancel", "a").returncode, 0)

    def test_tasks_run_at_the_same_time(self):
        """`parallel` may exceed the number of jobs that run at the same time."""
        self.start("function: work:forever\narray: {over: [{x: 1}, {x: 2}, {x: 3}, {x: 4}, {x: 5}], parallel: 4}\n",
                   "--detach").communicate(timeout=60)
        for task in range(4):
            self.running(task)
        self.assertFalse((self.state / "a/tasks/000004").exists())
        self.assertEqual(self.machine.run("cancel", "a").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
