#!/usr/bin/env python3
"""An array of many pods, while pods, nodes, clients and the API server end.

    cluster_size_test.py KINETIC RUNNER GCS_SERVER [TEST...]

KINETIC_ARRAY_TASKS sets the number of tasks.
"""

import json
import os
import pathlib
import random
import signal
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import cluster
from cluster import command, wait_for
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]
TASKS = int(os.environ.get("KINETIC_ARRAY_TASKS", 300))
PARALLEL = 20

WORK = """import time
def main(n):
    print('task', n, flush=True)
    time.sleep(n % 5)
    return n * n
"""
JOB = ("name: many\ndependencies: null\nbundle: {root: .}\nfunction: work:main\n"
       "retry: {attempts: 10, on: [preempted, infrastructure, 'exit:137']}\n"
       "array: {over: {n: {range: %d}}, parallel: %d, tasks_per_pod: %d}\n")


def shims_of(namespace, pod):
    """Returns the processes that supervise the containers of a pod."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if b"containerd-shim" in words[0] and (process / "cwd").resolve().exists():
                found.append((int(process.name), (process / "cwd" / "config.json").read_text()))
        except OSError:
            continue
    words = [f'"io.kubernetes.cri.sandbox-{key}":"{value}"' for key, value in (("namespace", namespace), ("name", pod))]
    return [pid for pid, config in found if all(word in config for word in words)]


class Trouble:
    """Ends something of the cluster every few seconds until it is stopped."""

    def __init__(self, test, job):
        self.test, self.job = test, job
        self.done, self.failed = {}, None
        self._random, self._end = random.Random(47), threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self):
        self._end.set()
        self._thread.join()
        if self.failed:
            raise self.failed

    def _run(self):
        kinds = [self.delete_pod, self.kill_shim, self.delete_pod_by_force, self.stop_kubelet, self.kill_shim,
                 self.delete_pod]
        try:
            for number in range(10**6):
                if self._end.wait(4):
                    return
                # Once: the controllers need minutes to connect again.
                kind = self.stop_api_server if number == len(kinds) else kinds[number % len(kinds)]
                if kind():
                    self.done[kind.__name__] = self.done.get(kind.__name__, 0) + 1
        except Exception as failed:
            self.failed = failed

    def _pod(self):
        pods = [each["metadata"]["name"] for each in self.test.pods() if each["status"]["phase"] == "Running"]
        return self._random.choice(pods) if pods else None

    def delete_pod(self, query=""):
        pod = self._pod()
        if pod:
            self.test.api.delete(self.test.core(f"pods/{pod}{query}"))
        return pod is not None

    def delete_pod_by_force(self):
        return self.delete_pod("?gracePeriodSeconds=0")

    def kill_shim(self):
        # Not that of a pod that starts: the kubelet would neither start nor end it again.
        shims = shims_of(self.test.namespace, self._pod())
        for shim in shims:
            os.kill(shim, signal.SIGKILL)
        return bool(shims)

    def stop_kubelet(self):
        command("node-stop", "n2", "--kubelet")
        time.sleep(5)
        command("node-start", "n2")
        return True

    def stop_api_server(self):
        command("apiserver", "stop")
        time.sleep(3)
        command("apiserver", "start")
        return True


class ManyTasks(JobsTestCase):
    programs = PROGRAMS

    @classmethod
    def setUpClass(cls):
        command("node", "n2")
        cls.addClassCleanup(command, "node-remove", "n2")
        super().setUpClass()

    def ended(self, job):
        return self.bucket.objects(f"team/jobs/{job}/ended/")

    def check(self, job, tasks):
        names = {f"{task:06}" for task in range(tasks)}
        self.assertEqual(self.ended(job), names)
        results = [name for name in self.bucket.objects(f"team/jobs/{job}/tasks/") if name.endswith("result.json")]
        of_tasks = [name for name in results if "/attempts/" not in name]
        self.assertEqual(sorted(of_tasks), [f"{name}/result.json" for name in sorted(names)])
        lines = [json.loads(line) for line in self.machine.run("result", job).stdout.splitlines()]
        self.assertEqual([(line["task"], line.get("value")) for line in lines], [(n, n * n) for n in range(tasks)])
        for task in range(0, tasks, 10):
            result = json.loads(self.bucket.read(f"team/jobs/{job}/tasks/{task:06}/result.json"))
            self.assertEqual((result["outcome"], result["value"]), ("succeeded", task * task))
        counts = {"tasks": tasks, "running": 0, "succeeded": tasks, "failed": 0, "cancelled": 0}
        self.assertEqual(json.loads(self.bucket.read(f"team/jobs/{job}/result.json"))["tasks"], counts)
        self.assertEqual(self.jobs(), [])
        wait_for("no pod is left", lambda: not self.remaining_pods(), 300)

    def run_in_trouble(self, job, tasks, tasks_per_pod):
        self.machine.job(JOB % (tasks, PARALLEL, tasks_per_pod), work_py=WORK)
        begin = time.monotonic()
        client = self.start(job)
        wait_for("tasks have ended", lambda: len(self.ended(job)) > tasks // 10, 600)
        trouble = Trouble(self, job)
        try:
            wait_for("half of the tasks have ended", lambda: len(self.ended(job)) > tasks // 2, 3600)
            client.kill()
            client.communicate()
            other = self.machine.start("wait", job)
            self.addCleanup(other.kill)
            wait_for("most tasks have ended", lambda: len(self.ended(job)) > tasks * 9 // 10, 3600)
        finally:
            trouble.stop()
        output, messages = other.communicate(timeout=1800)
        self.assertEqual(other.returncode, 0, output + messages)
        took = time.monotonic() - begin
        print(f"{tasks} tasks in {took:.0f} s, {tasks / took:.2f}/s: {trouble.done}", file=sys.stderr)
        self.check(job, tasks)
        self.assertLessEqual({"delete_pod", "kill_shim", "stop_kubelet", "stop_api_server"}, trouble.done.keys())

    def test_every_task_has_one_result_whatever_ends(self):
        self.run_in_trouble("many", TASKS, 1)

    def test_every_task_of_shared_pods_has_one_result_whatever_ends(self):
        self.run_in_trouble("short", TASKS, 5)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
