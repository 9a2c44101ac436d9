#!/usr/bin/env python3
"""Jobs on Kubernetes: submission, logs, status, end, results.

    cluster_jobs_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import sys
import time
import unittest

import cluster
from cluster_machine import JobsTestCase, numbered

PROGRAMS = sys.argv[1:4]

FUNCTION = "name: small\nfunction: small:main\nargs: {n: 20}\ndependencies: null\n"
SMALL = """import os, pathlib
def main(n):
    for i in range(n): print('line', i)
    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / 'out.txt').write_text('kept')
    return n + 1
"""
RAISES = """def main(n):
    print('line 0')
    raise ValueError('no such luck')
"""
SLOW = """import time
def main(n):
    for i in range(n):
        print('line', i, flush=True)
        time.sleep(0.1)
    return n
"""


class Jobs(JobsTestCase):
    programs = PROGRAMS

    def test_value_is_returned(self):
        self.machine.job(FUNCTION, small_py=SMALL)
        done = self.machine.run("run", "job.yaml", "--id", "first")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "21\n")
        self.assertEqual(numbered(done.stderr), list(range(20)))
        self.assertEqual(self.bucket.read("team/outputs/first/out.txt"), b"kept")
        self.assertEqual(self.machine.answer("result", "first")["value"], 21)
        self.assertEqual(self.jobs(), [], "what the job made in the cluster goes with its end")

    def test_exception_is_returned(self):
        self.machine.job(FUNCTION, small_py=RAISES)
        done = self.machine.run("run", "job.yaml", "--id", "raises")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("ValueError: no such luck", done.stderr)
        self.assertIn("small.py", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_exit_code_and_streams_are_returned(self):
        self.machine.job("name: shell\nrun: 'echo out; echo err >&2; exit 7'\ndependencies: null\n")
        done = self.machine.run("run", "job.yaml")
        self.assertEqual(done.returncode, 7, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "out\n")
        self.assertIn("err\n", done.stderr)

    def test_job_costs_the_time_on_its_node(self):
        """A location makes this a cluster in Google Cloud, as far as prices are concerned."""
        machine = self.machine
        machine.environment["KINETIC_LOCATION"] = "us-west4-a"
        machine.job("name: slow\nrun: echo begun; exec sleep 600\ndependencies: null\n")
        self.assertEqual(machine.run("run", "job.yaml", "--id", "slow", "--detach").returncode, 0)
        machine.await_state("slow", {"running"})

        def listed():
            [cost] = [job["cost"] for job in machine.answer("ps") if job["id"] == "slow"]
            return cost

        deadline = time.monotonic() + 60
        while listed()["node_seconds"] < 2:
            self.assertLess(time.monotonic(), deadline, "ps does not have the time of a running job")
        self.assertGreaterEqual(machine.answer("status", "slow")["cost"]["node_seconds"], listed()["node_seconds"] - 2)
        machine.run("cancel", "slow")
        end = listed()
        self.assertGreater(end["node_seconds"], 2)
        self.assertAlmostEqual(end["dollars"], end["node_seconds"] / 3600 * end["price_per_hour"], 5)
        self.assertEqual((end["region"], end["nodes"]), ("us-west4", "on_demand"))
        self.assertEqual(machine.answer("status", "slow")["cost"], end)

        machine.job("name: sweep\nrun: sleep 1\ndependencies: null\narray: {count: 3}\n")
        self.assertEqual(machine.run("run", "job.yaml", "--id", "sweep").returncode, 0)
        document = machine.answer("costs", "slow", "sweep")
        self.assertEqual(document["jobs"][0]["cost"], end)
        self.assertGreater(document["jobs"][1]["cost"]["node_seconds"], 3)
        task = machine.answer("status", "sweep", "--task", "1")["cost"]["node_seconds"]
        self.assertGreater(task, 1)
        self.assertLess(task, document["jobs"][1]["cost"]["node_seconds"])

    def test_job_can_be_cancelled_from_another_machine(self):
        self.machine.job(FUNCTION.replace("20", "600"), small_py=SLOW)
        self.assertEqual(self.machine.run("run", "job.yaml", "--id", "slow", "--detach").returncode, 0)
        there = self.new_machine("there")
        there.await_state("slow", {"running"})
        self.assertEqual([job["id"] for job in there.answer("ps")], ["slow"])
        self.assertEqual(there.run("cancel", "slow").returncode, 0)
        self.assertEqual(self.machine.answer("status", "slow")["state"], "cancelled")
        self.assertEqual(self.machine.run("wait", "slow").returncode, 126)
        self.assertEqual(self.jobs(), [])

    def test_files_are_copied_from_and_to_a_running_job(self):
        self.machine.job("name: long\ndependencies: null\n"
                         "run: 'echo here > a.log; mkdir $KINETIC_CHECKPOINT_DIR/one; ln -s /etc/passwd evil; "
                         "ln -s /kinetic/run/collector.lock other; cp a.log $KINETIC_CHECKPOINT_DIR/one; "
                         "until test -e stop; do sleep 0.1; done; cat stop; stat -c %u stop'\n")
        self.assertEqual(self.machine.run("run", "job.yaml", "--id", "long", "--detach").returncode, 0)
        there = self.new_machine("there")
        there.await_state("long", {"running"})
        copied = there.answer("cp", "long:a.log", "copy.log")
        self.assertEqual((copied["files"], copied["bytes"]), (1, 5))
        self.assertEqual((there.project / "copy.log").read_text(), "here\n")
        self.assertEqual(there.run("cp", "long:checkpoints", "saved").returncode, 0)
        self.assertEqual((there.project / "saved/one/a.log").read_text(), "here\n")
        self.assertEqual(there.answer("cp", "long:/kinetic/run/work/a.log", "again")["bytes"], 5)
        for name in ("evil", "other"):
            refused = there.run("cp", f"long:{name}", "x")
            self.assertEqual(refused.returncode, 120)
            self.assertIn(f"{name} is a link", refused.stderr)
        there.write({"stop": "from there\n"})
        self.assertEqual(there.run("cp", "stop", "long:").returncode, 0)
        done = self.machine.run("attach", "long")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("from there\n0\n", done.stdout)
        self.assertEqual([name for name in self.machine.objects() if "/copies/" in name], [])

    def test_dry_run_output_is_accepted_by_api_server(self):
        self.machine.job("name: dry\nsecrets: [API_TOKEN]\ndependencies: null\nrun: 'true'\n")
        secret = {"API_TOKEN": "s3cr3t-v4lue"}
        shown = self.machine.run("run", "job.yaml", "--dry-run", "--json", extra=secret)
        self.assertNotIn(secret["API_TOKEN"], shown.stdout)
        manifests = json.loads(shown.stdout)["manifests"]
        self.assertEqual([each["kind"] for each in manifests], ["Secret", "Job"])
        for each in manifests:
            self.cluster.kubectl("create", "--dry-run=server", "-n", self.namespace, "-f", "-", input=json.dumps(each))
        self.assertEqual(self.jobs(), [])
        self.assertEqual(self.bucket.objects("team/jobs/"), set())

    def test_only_program_receives_secrets(self):
        secret = "s3cr3t-v4lue-that-nobody-sees"
        self.machine.job("name: secret\nsecrets: [API_TOKEN]\ndependencies: null\nrun: sh check.sh\n",
                         check_sh=f"echo $API_TOKEN\ntest \"$API_TOKEN\" = {secret[:6]}''{secret[6:]}\n")
        done = self.machine.run("run", "job.yaml", "--id", "hush", extra={"API_TOKEN": secret})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn(secret, done.stdout + done.stderr)
        for name in self.bucket.objects("team/"):
            self.assertNotIn(secret.encode(), self.bucket.read(f"team/{name}"), name)
        for kind in ("events", "pods", "secrets"):
            self.assertNotIn(secret, json.dumps(self.api.get(self.core(kind))), kind)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
