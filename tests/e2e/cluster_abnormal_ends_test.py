#!/usr/bin/env python3
"""Abnormal ends of jobs on Kubernetes: the cause is reported and the log is complete.

    cluster_abnormal_ends_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import sys
import unittest

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase, numbered

PROGRAMS = sys.argv[1:4]

LINES = """import os, sys, time
def main(n):
    for i in range(n): print('line', i, flush=True)
    open(os.environ['KINETIC_OUTPUT_DIR'] + '/ready', 'w').close()
"""
WAITS = LINES + "    time.sleep(600)\n"
EATS = LINES + """    block = []
    while True: block.append(bytearray(os.urandom(1 << 20) * 8))
"""
GOES_ON = """import os, pathlib, time
def main(n):
    folder = pathlib.Path(os.environ['KINETIC_CHECKPOINT_DIR'])
    begun = [path.name for path in folder.iterdir()]
    if not begun:
        (folder / 'step-5').write_text('x')
        time.sleep(600)
    return {'begun': begun, 'attempt': int(os.environ['KINETIC_ATTEMPT'])}
"""


def function(more="", n=500):
    return f"name: ends\nfunction: ends:main\nargs: {{n: {n}}}\ndependencies: null\n{more}"


class AbnormalEnds(JobsTestCase):
    programs = PROGRAMS

    def start(self, job, more="", source=WAITS, n=500):
        self.machine.job(function(more, n), ends_py=source)
        done = self.machine.run("run", "job.yaml", "--id", job, "--detach")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def await_printed(self, job, count=500):
        wait_for("its lines", lambda: numbered(self.machine.run("logs", job).stderr +
                                               self.machine.run("logs", job).stdout) == list(range(count)))

    def pod(self, job):
        return self.pod_of(f"kinetic-{job}")

    def check_end(self, job, state, code, words, lines=500):
        status = self.machine.await_end(job)
        self.assertEqual(status["state"], state, status)
        self.assertIn(words, status["reason"], status)
        self.assertEqual(self.machine.run("wait", job).returncode, code, status)
        log = self.machine.run("logs", job)
        self.assertEqual(numbered(log.stdout + log.stderr), list(range(lines)))
        self.assertEqual(self.agrees(job)["state"], state)
        self.assertEqual(self.jobs(), [])

    def test_out_of_memory(self):
        self.start("oom", "resources: {memory: 200Mi}\n", EATS)
        self.check_end("oom", "failed", 137, "memory")

    def test_deleted_pod(self):
        self.start("deleted")
        self.await_printed("deleted")
        self.api.delete(self.core(f"pods/{self.pod('deleted')['metadata']['name']}"))
        self.check_end("deleted", "preempted", 122, "")

    def test_evicted_pod(self):
        self.start("evicted")
        self.await_printed("evicted")
        name = self.pod("evicted")["metadata"]["name"]
        self.api.create(self.core(f"pods/{name}/eviction"),
                        {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}})
        self.check_end("evicted", "preempted", 122, "")

    def test_deleted_job(self):
        self.start("gone")
        self.await_printed("gone")
        self.cluster.kubectl("delete", "job", "kinetic-gone", "-n", self.namespace)
        self.check_end("gone", "preempted", 122, "")

    def test_deleted_job_with_retries(self):
        """The pod that was deleted with its Job expects another attempt, which no Job starts."""
        self.start("again", "retry: {attempts: 3}\n")
        self.await_printed("again")
        self.cluster.kubectl("delete", "job", "kinetic-again", "-n", self.namespace)
        status = self.machine.await_end("again")
        self.assertEqual((status["state"], status["exit_code"]), ("lost", 125), status)
        self.assertIn("Job was deleted", status["reason"])

    def test_cancel_ends_the_pod_of_a_deleted_job(self):
        self.start("orphan")
        self.await_printed("orphan")
        self.cluster.kubectl("delete", "job", "kinetic-orphan", "-n", self.namespace, "--cascade=orphan")
        self.assertEqual(self.machine.answer("why", "orphan")["state"], "running")
        done = self.machine.run("cancel", "orphan")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        status = self.machine.await_end("orphan")
        self.assertEqual((status["state"], status["exit_code"]), ("cancelled", 126), status)
        log = self.machine.run("logs", "orphan")
        self.assertEqual(numbered(log.stdout + log.stderr), list(range(500)))
        pods = self.core("pods?labelSelector=job-name%3Dkinetic-orphan")
        wait_for("the end of its pod", lambda: all(pod["status"]["phase"] == "Failed"
                                                   for pod in self.api.get(pods)["items"]))

    def test_pod_that_cannot_reach_the_store(self):
        self.machine.job(function(), ends_py=WAITS)
        done = self.machine.run("run", "job.yaml", "--id", "apart", "--detach",
                                extra={"KINETIC_RUNNER_ENDPOINT": f"http://{self.cluster.address}:9"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        wait_for("the pod to start", lambda: self.machine.answer("why", "apart")["cause"] == "store_unavailable")
        self.assertEqual(self.machine.run("cancel", "apart").returncode, 0)

    def test_time_limit(self):
        self.start("late", "timeouts: {run: 10s, grace: 1s}\n")
        self.check_end("late", "failed", 124, "its time limit")

    def test_next_attempt_restores_last_checkpoint(self):
        self.start("resumed", "retry: {attempts: 2}\n", GOES_ON)
        wait_for("a checkpoint", lambda: self.bucket.objects("team/checkpoints/resumed/"))
        self.api.delete(self.core(f"pods/{self.pod('resumed')['metadata']['name']}"))
        status = self.machine.await_end("resumed")
        self.assertEqual(status["state"], "succeeded", status)
        self.assertEqual(self.machine.answer("result", "resumed")["value"], {"begun": ["step-5"], "attempt": 2})

    def test_empty_image_runs_program_of_bundle(self):
        self.machine.job("name: empty\nrun: [./hello]\ndependencies: null\n"
                         f"image: {self.cluster.images['empty']}\n")
        source = "#include <unistd.h>\nint main() { return write(1, \"hello\\n\", 6) == 6 ? 0 : 1; }\n"
        self.machine.write({"hello.c": source})
        import subprocess
        subprocess.run(["gcc", "-static", "-Os", "-o", self.machine.project / "hello",
                        self.machine.project / "hello.c"], check=True)
        done = self.machine.run("run", "job.yaml")
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"), done.stderr)

    def test_hostile_image(self):
        self.machine.job(f"name: hostile\nrun: 'echo $LD_PRELOAD'\ndependencies: null\n"
                         f"image: {self.cluster.images['hostile']}\n")
        done = self.machine.run("run", "job.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("/", done.stdout)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
