#!/usr/bin/env python3
"""Several clients run the same command on one job at once: all get the same result, and it takes effect once.

    cluster_concurrency_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import sys
import unittest

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase, numbered

PROGRAMS = sys.argv[1:4]
CLIENTS = 4

JOB = "name: together\nfunction: together:main\ndependencies: null\nargs: {n: 50, wait: %d}\nsecrets: [API_TOKEN]\n"
SECRET = {"API_TOKEN": "s3cr3t-v4lue"}
PROGRAM = """import os, pathlib, time
def main(n, wait):
    for i in range(n): print('line', i, flush=True)
    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / 'out.txt').write_text('kept' * 100_000)
    time.sleep(wait)
    return n
"""


class Concurrency(JobsTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.machines = [self.machine] + [self.new_machine(f"there-{number}") for number in range(1, CLIENTS)]

    def write(self, wait):
        for machine in self.machines:
            machine.job(JOB % wait, together_py=PROGRAM)

    def submit(self, job, wait):
        self.write(wait)
        done = self.machine.run("run", "job.yaml", "--id", job, "--detach", extra=SECRET)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def at_once(self, *words):
        """Runs the command on each machine. @returns [(code, stdout, stderr)]"""
        clients = [machine.start(*words, extra=SECRET) for machine in self.machines]
        ends = [client.communicate(timeout=300) for client in clients]
        return [(client.returncode, *end) for client, end in zip(clients, ends)]

    def lines(self, job):
        log = self.machine.run("logs", job)
        return numbered(log.stdout + log.stderr)

    def check_empty(self, job):
        self.assertEqual(self.pods_made(f"kinetic-{job}"), 1)
        wait_for("an empty namespace", lambda: not self.jobs() and not self.remaining_pods() and
                 not self.secrets())

    def test_clients_wait_for_one_job(self):
        self.submit("waited", 5)
        for code, out, err in self.at_once("attach", "waited"):
            self.assertEqual((code, out), (0, "50\n"), err)
            self.assertEqual(numbered(err), list(range(50)))
        self.assertEqual(self.agrees("waited", 1)["state"], "succeeded")
        self.check_empty("waited")

    def test_clients_submit_jobs(self):
        self.write(2)
        for code, out, err in self.at_once("run", "job.yaml", "--id", "same"):
            self.assertEqual((code, out), (0, "50\n"), err)
            self.assertEqual(numbered(err), list(range(50)))
        self.agrees("same", 1)
        self.check_empty("same")

    def test_clients_cancel_one_job(self):
        self.submit("unwanted", 3600)
        self.machine.await_state("unwanted", {"running"})
        wait_for("its lines", lambda: self.lines("unwanted") == list(range(50)))
        for code, out, err in self.at_once("cancel", "unwanted"):
            self.assertIn(code, (0, 1), out + err)  # 1: a client that began after the end
        self.assertEqual(self.agrees("unwanted", 1)["state"], "cancelled")
        for code, _, err in self.at_once("wait", "unwanted"):
            self.assertEqual(code, 126, err)
        self.assertEqual(self.lines("unwanted"), list(range(50)))
        self.check_empty("unwanted")

    def test_clients_reconcile_unattended_jobs(self):
        self.submit("left", 0)
        wait_for("its result", lambda: self.bucket.objects("team/jobs/left/result.json"))
        for code, out, err in self.at_once("result", "left", "--json"):
            self.assertEqual((code, json.loads(out)["value"]), (0, 50), err)
        for number, (code, out, err) in enumerate(self.at_once("outputs", "get", "left")):
            self.assertEqual(code, 0, out + err)
            self.assertEqual((self.machines[number].project / "left/out.txt").read_text(), "kept" * 100_000)
        self.agrees("left", 1)
        self.check_empty("left")

    def test_cancellation_ends_waiting_clients(self):
        self.submit("torn", 3600)
        self.machine.await_state("torn", {"running"})
        wait_for("its lines", lambda: self.lines("torn") == list(range(50)))
        clients = [machine.start("attach", "torn") for machine in self.machines[1:]]
        done = self.machine.run("cancel", "torn")
        self.assertEqual(done.returncode, 0, done.stderr)
        for client in clients:
            _, err = client.communicate(timeout=120)
            self.assertEqual(client.returncode, 126, err)
            self.assertEqual(numbered(err), list(range(50)))
        self.agrees("torn", 1)
        self.check_empty("torn")


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
