#!/usr/bin/env python3
"""500 jobs on 500 nodes of a real control plane. KWOK simulates the nodes, so no job starts.

    cluster_many_jobs_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import concurrent.futures
import sys
import time
import unittest

import cluster
from cluster import command, wait_for
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]
NODES, JOBS, AT_ONCE = 500, 500, 8
WAITING = JOBS // 2  # number of jobs without a matching node
LOOKED_AT = 5  # number of inspected jobs of each kind
ENDED = 250  # jobs without outcome, on nodes without logs

JOB = """name: many
run: 'true'
dependencies: null
pod:
  metadata: {labels: {kinetic.test/still: "%s"}}
  spec:
    nodeSelector: {kinetic.test/fake: "true"%s}
    tolerations: [{key: kinetic.test/fake, operator: Exists}]
    containers: [{name: main, resources: {limits: {kinetic.test/slot: "1"}}}]
"""


class ManyJobs(JobsTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.addCleanup(command, "kwok", 0)
        command("kwok", NODES, "--capacity", "kinetic.test/slot=1", "--label", "kubernetes.io/arch=amd64")

    def submit(self, ids):
        """Runs `kinetic run --detach` for each job, several at once."""
        def one(job):
            return self.machine.run("run", "job.yaml", "--id", job, "--detach")
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for job, done in zip(ids, pool.map(one, ids)):
                self.assertEqual(done.returncode, 0, f"{job}: {done.stdout}{done.stderr}")

    def conditions(self, path):
        """Returns {type: condition} of an object."""
        return {each["type"]: each for each in self.api.get(path)["status"].get("conditions", [])}

    def check_waiting(self, job):
        """Checks that the scheduler's message is the evidence."""
        pod = self.pod_of(f"kinetic-{job}")["metadata"]["name"]
        said = self.conditions(self.core(f"pods/{pod}"))["PodScheduled"]
        why = self.machine.answer("why", job)
        self.assertEqual((why["state"], why["cause"]), ("pending", "no_matching_node"), why)
        self.assertEqual(said["reason"], "Unschedulable")
        self.assertIn(f"condition PodScheduled=False of pod {pod}", [each["source"] for each in why["evidence"]])
        self.assertIn(said["message"].split(". ")[0], str(why["evidence"]))

    def check_placed(self, job):
        """Checks that kinetic reports the pod as starting, or its node as not ready on a slow machine."""
        [pod] = self.api.get(self.core(f"pods?labelSelector=job-name=kinetic-{job}"))["items"]
        node = f"/api/v1/nodes/{pod['spec']['nodeName']}"

        def agreed():
            ready = self.conditions(node)["Ready"]["status"]
            status, why = self.machine.answer("status", job), self.machine.answer("why", job)
            self.assertEqual((status["state"], why["state"]), ("pending", "pending"), why)
            self.assertIn("scheduled", [each["event"] for each in status["timeline"]])
            return why["cause"] == ("starting" if ready == "True" else "node_not_ready")
        wait_for("the cause", agreed)

    def test_every_job_is_listed_once_with_its_state(self):
        fit = [f"fits-{number}" for number in range(JOBS - WAITING)]
        wait = [f"waits-{number}" for number in range(WAITING)]
        self.machine.job(JOB % ("true", ", kinetic.test/nobody: has"))
        self.submit(wait)
        self.machine.job(JOB % ("true", ""))
        self.submit(fit)
        made = [job["metadata"]["name"] for job in self.api.get(self.batch("jobs"))["items"]]
        self.assertEqual(sorted(made), sorted(f"kinetic-{job}" for job in fit + wait))
        self.assertEqual(self.bundles(), 2, "one bundle for each job file")

        def nodes():
            """Returns {job: node} of the scheduled pods."""
            return {pod["metadata"]["labels"]["kinetic.dev/job-id"]: pod["spec"]["nodeName"]
                    for pod in self.api.get(self.core("pods"))["items"] if pod["spec"].get("nodeName")}
        wait_for("the scheduler", lambda: len(nodes()) == len(fit), 600)
        self.assertEqual(set(nodes()), set(fit))
        self.assertEqual(len(set(nodes().values())), len(fit), "a node for each")

        listed = self.machine.answer("ps", "--all")
        self.assertEqual(sorted(job["id"] for job in listed), sorted(fit + wait))
        self.assertEqual({(job["state"], job["reason"]) for job in listed}, {("pending", "its pod has not started yet")})
        for number in range(LOOKED_AT):
            self.check_waiting(wait[number * len(wait) // LOOKED_AT])
            self.check_placed(fit[number * len(fit) // LOOKED_AT])

    def ended(self):
        return sum(1 for job in self.api.get(self.batch("jobs"))["items"]
                   if any(each["type"] == "Complete" for each in job["status"].get("conditions", [])))

    def list(self):
        begin = time.monotonic()
        listed = self.machine.answer("ps", "--all")
        took = time.monotonic() - begin
        print(f"ps of {len(listed)} jobs: {took:.2f} s, {self.ended()} left", file=sys.stderr)
        return took, listed

    def test_unreadable_jobs_do_not_block_commands(self):
        ids = [f"over-{number}" for number in range(ENDED)]
        self.machine.job(JOB % ("false", ""))
        self.submit(ids)
        wait_for("their ends", lambda: self.ended() == len(ids), 600)
        for _ in range(2):  # logs may still arrive
            took, listed = self.list()
            self.assertLess(took, 20)
            self.assertEqual(sorted(job["id"] for job in listed), sorted(ids))
        command("kwok", 0)  # logs can no longer arrive

        def settled():
            took, listed = self.list()
            self.assertLess(took, 20)
            return {job["state"] for job in listed} == {"lost"}
        wait_for("their outcomes", settled, 600)
        self.assertEqual(self.jobs(), [])

    def bundles(self):
        return len(self.bucket.objects("team/trees/"))


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
