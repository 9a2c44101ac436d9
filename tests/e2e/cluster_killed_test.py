#!/usr/bin/env python3
"""A client of a real Kubernetes is killed at any of its requests, and started again: one job, its value, nothing left.

    cluster_killed_test.py KINETIC RUNNER GCS_SERVER [TEST...]

All that a client asks of the store and of the API server goes through one counter. At each number in turn it is
killed: before the server hears of the request, and when the server has answered. Where a client comes to its end,
there was no such number, and all have been tried.
"""

import itertools
import json
import pathlib
import sys
import threading
import unittest

import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from counting_proxy import Counter, CountingProxy, make_identity

PROGRAMS = sys.argv[1:4]
FEWEST = {"run": 10, "wait": 4}

JOB = """name: small
function: small:main
args: {n: 20}
dependencies: null
secrets: [API_TOKEN]
"""
SECRET = {"API_TOKEN": "s3cr3t-v4lue"}
# Long enough for a client to come and wait for it.
PROGRAM = """import os, pathlib, time
def main(n):
    for i in range(n): print('line', i)
    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / 'out.txt').write_text('kept')
    time.sleep(%d)
    return n + 1
"""


class Killed(JobsTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.counter = Counter()
        self.servers = [
            CountingProxy(self.cluster.server, self.counter, self.cluster.ca_file, make_identity(self.folder)),
            CountingProxy(self.bucket.url, self.counter)]
        for server in self.servers:
            self.addCleanup(server.stop)
        self.kubeconfig = self.folder / "counted.kubeconfig"
        self.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "k", "cluster": {"server": self.servers[0].url,
                                                   "certificate-authority": str(self.folder / "proxy.crt")}}],
            "users": [{"name": "u", "user": {"token": self.cluster.token}}],
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}]}))

    def counted_machine(self, place, sleeps):
        """A machine whose requests are counted; pods go to the bucket by its own address."""
        machine = self.new_machine(place, place=place, kubeconfig=self.kubeconfig)
        machine.environment |= {"STORAGE_EMULATOR_HOST": self.servers[1].url}
        machine.job(JOB, small_py=PROGRAM % sleeps)
        return machine

    def submit(self, machine, *more):
        return machine.run("run", "job.yaml", "--id", machine.place, "--json", *more, extra=SECRET)

    def kill_at(self, machine, index, answered, *words):
        """Starts a client that dies at that request. @returns whether there was one; the process has ended"""
        started, client = threading.Event(), []

        def strike():
            started.wait()
            client[0].kill()
            client[0].wait()

        self.counter.arm(index, answered, strike)
        client.append(machine.start(*words, extra=SECRET))
        started.set()
        out, err = client[0].communicate(timeout=180)
        last = self.counter.requests[index] if index < len(self.counter.requests) else None
        self.counter.arm(None, False, None)
        if last is None:
            self.assertEqual(client[0].returncode, 0, out + err)
        else:
            self.assertEqual(client[0].returncode, -9, f"{last}: {out}{err}")
        return last

    def check_whole(self, machine, again):
        """One job, its value and its log; in the cluster nothing, in the store what a client leaves that lived."""
        job = machine.place
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        answer = json.loads(again.stdout)
        machine.check_success(self, job, answer, job)
        self.assertEqual([each["id"] for each in machine.answer("ps", "--all")], [job])
        self.assertEqual(self.pods_made(f"kinetic-{job}"), 1)
        wait_for("an empty namespace", lambda: not self.jobs() and not self.secrets() and not self.staying())
        machine.check_store()
        self.assertEqual(self.bucket.read(f"{machine.place}/outputs/{job}/out.txt"), b"kept")
        return self.kinds(machine)

    def secrets(self):
        return [each["metadata"]["name"] for each in self.api.get(self.core("secrets"))["items"]]

    def kinds(self, machine):
        """Names of objects with what tells jobs apart taken out."""
        names = (name.replace(machine.place, "ID") for name in machine.objects() if not name.endswith("/following"))
        return sorted({"index" if name.startswith("index/") else name for name in names})

    def kill_everywhere(self, kind, prepare, words, sleeps=0):
        """`prepare` makes what there is before the client in question starts."""
        machine = self.counted_machine(f"{kind}-whole", sleeps)
        expected = self.check_whole(machine, self.submit(machine))
        for answered in (False, True):
            killed = []
            for index in itertools.count():
                machine = self.counted_machine(f"{kind}-{'after' if answered else 'before'}-{index}", sleeps)
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

    def test_at_any_request_of_a_job_that_is_followed(self):
        self.kill_everywhere("run", lambda machine: None,
                             lambda machine: ["run", "job.yaml", "--id", machine.place, "--json"])

    def test_at_any_request_of_a_wait(self):
        def prepare(machine):
            done = self.submit(machine, "--detach")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.kill_everywhere("wait", prepare, lambda machine: ["wait", machine.place], sleeps=5)


if __name__ == "__main__":
    cluster.need_root()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
