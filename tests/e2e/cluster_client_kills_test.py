#!/usr/bin/env python3
"""Clients killed at any request and started again: one job, its value, no leftovers.

    cluster_client_kills_test.py KINETIC RUNNER GCS_SERVER [TEST...]

All requests of a client to the store and the API server are counted. At each number the client is killed once before
the server receives the request and once after it has responded. The last number is reached when a client ends by
itself.
"""

import itertools
import json
import sys
import unittest
import urllib.parse

import cluster
from cluster import wait_for
from counted_case import CountedTestCase

PROGRAMS = sys.argv[1:4]
FEWEST = {"run": 10, "wait": 4}

JOB = """name: small
function: small:main
args: {n: 20}
dependencies: null
secrets: [API_TOKEN]
"""
SECRET = {"API_TOKEN": "s3cr3t-v4lue"}
# Long enough for a client to start waiting.
PROGRAM = """import os, pathlib, time
def main(n):
    for i in range(n): print('line', i)
    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / 'out.txt').write_text('kept')
    time.sleep(%d)
    return n + 1
"""


class ClientKills(CountedTestCase):
    programs = PROGRAMS
    secret = SECRET

    def killed_machine(self, place, sleeps):
        machine = self.counted_machine(place)
        machine.job(JOB, small_py=PROGRAM % sleeps)
        return machine

    def submit(self, machine, *more):
        return machine.run("run", "job.yaml", "--id", machine.place, "--json", *more, extra=SECRET)

    def check_whole(self, machine, again):
        """Checks that there is one job with value and log, no object in the cluster, and no unusual object in the
        store."""
        job = machine.place
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        answer = json.loads(again.stdout)
        machine.check_success(self, job, answer, job)
        self.assertEqual([each["id"] for each in machine.answer("ps", "--all")], [job])
        self.assertEqual(self.pods_made(f"kinetic-{job}"), 1)
        wait_for("an empty namespace", lambda: not self.jobs() and not self.secrets() and not self.remaining_pods())
        machine.check_store()
        self.assertEqual(self.bucket.read(f"{machine.place}/outputs/{job}/out.txt"), b"kept")
        return self.kinds(machine)

    def kinds(self, machine):
        """Returns names of objects without the parts that differ between jobs."""
        names = (name.replace(machine.place, "ID") for name in machine.objects() if not name.endswith("/following"))
        return sorted({"index" if name.startswith("index/") else name for name in names})

    def kill_everywhere(self, kind, prepare, words, sleeps=0):
        """`prepare` creates the state before the tested client starts."""
        machine = self.killed_machine(f"{kind}-whole", sleeps)
        expected = self.check_whole(machine, self.submit(machine))
        for answered in (False, True):
            killed = []
            for index in itertools.count():
                machine = self.killed_machine(f"{kind}-{'after' if answered else 'before'}-{index}", sleeps)
                prepare(machine)
                last = self.kill_at(machine, index, answered, *words(machine))
                with self.subTest(index=index, answered=answered, request=last):
                    self.assertEqual(self.check_whole(machine, self.submit(machine)), expected)
                machine.remove()
                if last is None:
                    break
                killed.append(last)
            print(f"{kind}: killed {'after' if answered else 'before'} {len(killed)} requests:", *killed, sep="\n  ",
                  flush=True)
            self.assertGreaterEqual(len(killed), FEWEST[kind])

    def test_client_killed_while_following(self):
        self.kill_everywhere("run", lambda machine: None,
                             lambda machine: ["run", "job.yaml", "--id", machine.place, "--json"])

    def test_client_killed_while_waiting(self):
        def prepare(machine):
            done = self.submit(machine, "--detach")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.kill_everywhere("wait", prepare, lambda machine: ["wait", machine.place], sleeps=5)

    def test_client_killed_during_accelerator_move(self):
        """Kills the client at each request that changes something: once before it is received, and once after."""
        begins = [("PUT", "next-job.json"), ("POST", "next-job.json"), ("DELETE", "/pods/"), ("PATCH", "/secrets/"),
                  ("DELETE", "/jobs/"), ("POST", "/jobs"), ("DELETE", "next-job.json")]
        struck = set()
        for number, (verb, part) in enumerate(begins):
            for answered in (False, True):
                machine = self.killed_machine(f"move-{number}-{int(answered)}", 0)
                machine.job(JOB + "accelerator: [gpu-h100x8, v5litepod-1]\ntimeouts: {pending: 60s}\n")
                done = self.submit(machine, "--detach")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

                def is_meant(what, verb=verb, part=part):
                    return what.startswith(verb + " ") and part in urllib.parse.unquote(what)
                last = self.kill_at(machine, is_meant, answered, "wait", machine.place)
                with self.subTest(request=last, answered=answered):
                    again = machine.run("wait", machine.place, "--json")
                    self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
                    self.check_moved(machine, machine.answer("result", machine.place))
                machine.remove()
                if last:
                    struck.add((part, answered))
        self.assertGreaterEqual(len(struck), 10, struck)

    def check_moved(self, machine, answer):
        job = machine.place
        machine.check_success(self, job, answer, job)
        wait_for("an empty namespace", lambda: not self.jobs() and not self.secrets() and not self.remaining_pods())
        left = [name for name in machine.objects() if "next-job" in name]
        self.assertEqual(left, [])
        self.assertEqual(self.view.job(f"kinetic-{job}")["metadata"]["annotations"]["kinetic.dev/accelerator"],
                         "v5litepod-1")


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
