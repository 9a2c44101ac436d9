#!/usr/bin/env python3
"""Arrays on Kubernetes: one Indexed Job, whose pods run the tasks.

    cluster_arrays_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import os
import pathlib
import re
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]

# Tasks whose number ends with 3 raise. The first attempts of the hanging ones wait for their end.
WORK = """import os, time
HANGING = {5, 15}
def main(n):
    print('task', n, flush=True)
    if n % 10 == 3: raise ValueError(f'bad {n}')
    if n in HANGING and os.environ['KINETIC_ATTEMPT'] == '1': time.sleep(3600)
    return n * n
"""
TASKS = 40
BASE = "name: sweep\ndependencies: null\nbundle: {root: .}\n"
# Task 3 raises; tasks 5 and 8 wait for their end.
SHARED = """import time
calls = 0
def main(n):
    global calls
    calls += 1
    print('task', n, flush=True)
    if n == 3: raise ValueError('bad 3')
    if n in (5, 8): time.sleep(3600)
    return [n, calls]
"""
SLEEP = BASE + "run: 'echo begun; sleep 3600'\n"


def function(count, **array):
    fields = json.dumps({"over": [{"n": number} for number in range(count)], **array})
    return BASE + f"function: work:main\nretry: {{attempts: 3, on: [preempted]}}\narray: {fields}\n"


def kill_launcher(pod_uid):
    """Kills the first process of the container that runs the program, and so all of them, as the kernel does if
    memory runs out. Returns whether there was one."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            is_launcher = (process / "comm").read_text() == "kinetic-launche\n"
            if is_launcher and pod_uid in (process / "mountinfo").read_text():
                os.kill(int(process.name), signal.SIGKILL)
                return True
        except (FileNotFoundError, ProcessLookupError):
            continue
    return False


class Arrays(JobsTestCase):
    programs = PROGRAMS

    def submit(self, job, text):
        self.machine.job(text, work_py=WORK)
        done = self.machine.run("run", "job.yaml", "--id", job, "--detach")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def pods_of(self, job, task=None):
        selector = f"batch.kubernetes.io/job-name=kinetic-{job}"
        if task is not None:
            selector += f",batch.kubernetes.io/job-completion-index={task}"
        return self.api.get(self.core(f"pods?labelSelector={selector}"))["items"]

    def runs(self, job, task):
        """Returns the pod in which the program of a task runs."""
        def look():
            for pod in self.pods_of(job, task):
                if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]:
                    states = {each["name"]: each["state"] for each in pod["status"].get("containerStatuses", ())}
                    if "running" in states.get("main", ()):
                        return pod["metadata"]["name"]
            return None
        return wait_for(f"task {task} of {job}", look, 300)

    def result(self, job, task=None):
        name = f"team/jobs/{job}/result.json" if task is None else f"team/jobs/{job}/tasks/{task:06}/result.json"
        return json.loads(self.bucket.read(name))

    def ended(self, job):
        return sorted(self.bucket.objects(f"team/jobs/{job}/ended/"))

    def check_cluster_is_empty(self):
        self.assertEqual(self.jobs(), [])
        wait_for("no pod is left", lambda: not self.remaining_pods(), 120)

    def test_every_task_has_one_result(self):
        self.machine.job(function(TASKS, parallel=8), work_py=WORK)
        client = self.start("sweep")
        for task in (5, 15):
            self.api.delete(self.core("pods/" + self.runs("sweep", task)))
        output, messages = client.communicate(timeout=900)
        self.assertEqual(client.returncode, 1, output + messages)
        self.assertIn("4 of 40 tasks failed", messages)
        failed = {task for task in range(TASKS) if task % 10 == 3}
        self.assertEqual(self.ended("sweep"), [f"{task:06}" for task in range(TASKS)])
        for task in range(TASKS):
            result = self.result("sweep", task)
            if task in failed:
                self.assertEqual((result["outcome"], result["exception"]["message"]), ("failed", f"bad {task}"))
            else:
                self.assertEqual((result["outcome"], result["value"]), ("succeeded", task * task))
            self.assertEqual(result["attempt"], 2 if task in (5, 15) else 1, task)
        counts = {"tasks": 40, "running": 0, "succeeded": 36, "failed": 4, "cancelled": 0}
        self.assertEqual(self.result("sweep")["tasks"], counts)
        self.assertEqual(self.machine.answer("status", "sweep")["state"], "failed")
        self.check_cluster_is_empty()

    def test_counts_are_shown_and_pods_are_never_listed(self):
        self.submit("sweep", SLEEP.replace("3600", "5") + "array: {count: 6, parallel: 2}\n")
        self.runs("sweep", 3)
        status = self.machine.answer("status", "sweep")
        self.assertEqual(status["state"], "running")
        self.assertRegex(status["reason"], r"^[23]/6 done")
        trace = self.folder / "trace"
        done = self.machine.run("wait", "sweep", "--trace", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        asked = [json.loads(line)["url"] for line in trace.read_text().splitlines()]
        listed = [url for url in asked if "/pods?" in url and "job-completion-index" not in url]
        self.assertEqual([url for url in listed if "kinetic.dev%2Fjob-id" not in url], [])
        self.assertTrue([url for url in asked if "/jobs?" in url and "watch" in url], "the Job is watched")
        self.check_cluster_is_empty()

    def test_array_ends_when_too_many_tasks_failed(self):
        self.submit("bad", BASE + "run: 'test $KINETIC_TASK_INDEX -ge 4 && sleep 3600; exit 7'\n"
                    "array: {count: 12, parallel: 3, max_failed: 2}\n")
        done = self.machine.run("wait", "bad")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        counts = self.result("bad")["tasks"]
        self.assertGreaterEqual(counts["failed"], 3)
        self.assertEqual(counts["succeeded"], 0)
        self.assertLess(counts["failed"] + counts["cancelled"], 12)
        self.check_cluster_is_empty()

    def test_job_is_cancelled_with_its_tasks(self):
        self.submit("slow", SLEEP + "array: {count: 6, parallel: 2}\n")
        for task in (0, 1):
            self.runs("slow", task)
        done = self.machine.run("cancel", "slow")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.machine.run("wait", "slow").returncode, 126)
        self.assertEqual([self.result("slow", task)["outcome"] for task in (0, 1)], ["cancelled"] * 2)
        self.assertEqual(self.result("slow")["tasks"]["cancelled"], 2)
        self.check_cluster_is_empty()

    def test_one_task_is_cancelled(self):
        self.submit("some", BASE + "run: 'test $KINETIC_TASK_INDEX = 1 && sleep 3600; sleep 2'\n"
                    "array: {count: 4, parallel: 2}\n")
        self.runs("some", 1)
        done = self.machine.run("cancel", "some", "--task", "1,3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.result("some", 1)["outcome"], "cancelled")
        self.machine.run("wait", "some")
        self.assertEqual([self.result("some", task)["outcome"] for task in range(4)],
                         ["succeeded", "cancelled", "succeeded", "cancelled"])
        self.assertEqual(self.result("some")["tasks"]["cancelled"], 2)
        self.assertEqual(len(self.view.pods("kinetic-some")), 4, "no pod was replaced")
        self.check_cluster_is_empty()

    def test_another_client_ends_the_array_of_a_killed_one(self):
        self.machine.job(SLEEP.replace("3600", "3") + "array: {count: 4, parallel: 2}\n")
        client = self.start("left")
        self.runs("left", 0)
        client.kill()
        client.communicate()
        there = self.new_machine("there")
        done = there.run("wait", "left")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.result("left")["tasks"]["succeeded"], 4)
        self.check_cluster_is_empty()

    def test_array_whose_job_was_deleted_after_its_end_succeeds(self):
        self.submit("old", SLEEP.replace("3600", "0") + "array: {count: 3}\n")
        def is_complete():
            conditions = self.api.get(self.batch("jobs/kinetic-old"))["status"].get("conditions", ())
            return any(each["type"] == "Complete" and each["status"] == "True" for each in conditions)
        wait_for("the Job is complete", is_complete, 300)
        self.api.delete(self.batch("jobs/kinetic-old?propagationPolicy=Background"))
        wait_for("no pod is left", lambda: not self.pods_of("old"), 120)
        done = self.machine.run("wait", "old")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.result("old")["tasks"]["succeeded"], 3)

    def test_log_of_a_running_task_is_followed(self):
        self.submit("logs", SLEEP.replace("sleep 3600", "sleep 5; echo over") + "array: {count: 2}\n")
        self.runs("logs", 1)
        done = self.machine.run("logs", "logs", "--task", "1", "--follow")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall("begun|over", done.stdout), ["begun", "over"])
        self.assertEqual(self.machine.run("wait", "logs").returncode, 0)

    def shared(self, job, **array):
        """Submits ten tasks in three pods."""
        fields = json.dumps({"over": [{"n": number} for number in range(10)], "tasks_per_pod": 4, **array})
        self.machine.job(BASE + f"function: work:main\narray: {fields}\n", work_py=SHARED)
        done = self.machine.run("run", "job.yaml", "--id", job, "--detach")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def kill_container(self, job, pod):
        uid = next(each["metadata"]["uid"] for each in self.pods_of(job) if each["metadata"]["name"] == pod)
        self.assertTrue(kill_launcher(uid), f"the launcher of {pod} runs")

    def test_tasks_share_pods(self):
        """One task raises, one is killed with its container, and one is cancelled."""
        self.shared("short", parallel=3)
        killed = self.runs("short", 1)
        wait_for("task 5 runs", lambda: self.machine.run("logs", "short", "--task", "5").stdout, 120)
        self.assertEqual(self.machine.answer("status", "short", "--task", "5")["state"], "running")
        self.assertEqual(self.machine.answer("status", "short", "--task", "6")["state"], "queued")
        self.kill_container("short", killed)
        wait_for("task 5 has a result", lambda: "000005" in self.ended("short"), 120)
        self.runs("short", 2)
        wait_for("task 8 runs", lambda: "task 8" in self.machine.run("logs", "short", "--task", "8").stdout, 120)
        done = self.machine.run("cancel", "short", "--task", "8")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        followed = self.machine.run("logs", "short", "--task", "7", "--follow")
        self.assertEqual(followed.stdout, "task 7\n", followed.stderr)
        done = self.machine.run("wait", "short", seconds=300)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        results = [self.result("short", task) for task in range(10)]
        self.assertEqual([each["outcome"] for each in results],
                         ["succeeded"] * 3 + ["failed", "succeeded", "failed"] + ["succeeded"] * 2 + ["cancelled", "succeeded"])
        self.assertEqual(results[5]["exit_code"], 137)
        self.assertEqual([results[task]["value"] for task in (0, 1, 2, 4, 6, 7)],
                         [[0, 1], [1, 2], [2, 3], [4, 1], [6, 1], [7, 2]])
        self.assertEqual(self.ended("short"), [f"{task:06}" for task in range(10)])
        counts = {"tasks": 10, "running": 0, "succeeded": 7, "failed": 2, "cancelled": 1}
        self.assertEqual(self.result("short")["tasks"], counts)
        self.assertEqual(len(self.view.pods("kinetic-short")), 4, "one pod was replaced")
        logs = self.machine.run("logs", "short").stdout.splitlines()
        self.assertEqual([line for line in logs if "] task " in line], [f"[{task}] task {task}" for task in range(10)])
        self.check_cluster_is_empty()

    def test_array_of_shared_pods_is_cancelled(self):
        self.shared("stop", parallel=3)
        wait_for("task 8 runs", lambda: "task 8" in self.machine.run("logs", "stop", "--task", "8").stdout, 300)
        wait_for("task 2 has ended", lambda: "000002" in self.ended("stop"), 120)
        self.assertRegex(self.machine.answer("status", "stop")["reason"], "^[3-9]/10 done")
        self.assertEqual(self.machine.run("cancel", "stop").returncode, 0)
        self.assertEqual(self.machine.run("wait", "stop").returncode, 126)
        self.assertEqual(self.result("stop", 8)["outcome"], "cancelled")
        names = self.bucket.objects("team/jobs/stop/tasks/000009/")
        self.assertEqual(list(names), [], "it never ran")
        self.check_cluster_is_empty()

    def test_shared_pods_end_when_too_many_tasks_failed(self):
        self.submit("bad", BASE + "run: 'exit $KINETIC_TASK_INDEX'\n"
                    "array: {count: 40, tasks_per_pod: 10, parallel: 1, max_failed: 2}\n")
        done = self.machine.run("wait", "bad", seconds=300)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(self.ended("bad"), ["000000", "000001", "000002", "000003"])
        self.assertEqual(self.result("bad")["tasks"]["failed"], 3)
        self.check_cluster_is_empty()


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
