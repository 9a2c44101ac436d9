#!/usr/bin/env python3
"""Round trips of a submission to a distant cluster and store until the Job is accepted. No other process is needed.

    cluster_round_trips_test.py KINETIC RUNNER GCS_SERVER [TEST...]

Responses are delayed so long that independent requests overlap.
"""

import json
import os
import pathlib
import re
import resource
import ssl
import sys
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

import cluster
from cluster_machine import JobsTestCase
from delaying_proxy import DelayingProxy, Exchange, count_round_trips
from no_processes import no_processes

PROGRAMS = sys.argv[1:4]
DELAY = 1.0
JOB = "name: quick\nrun: 'true'\ndependencies: null\nbundle: {root: .}\n"
# Identifies the kind of object that is requested: a store object or a cluster resource.
KIND = re.compile(r"/team/(\w+)|/(version|namespaces|serviceaccounts|selfsubjectaccessreviews|jobs|secrets)(?:/[^/]*)?$")


def kind_of(exchange):
    found = KIND.search(urllib.parse.unquote(exchange.target).partition("?")[0])
    name = urllib.parse.parse_qs(urllib.parse.urlsplit(exchange.target).query).get("name")
    if name:
        return name[0].split("/")[1]
    return found.group(1) or found.group(2) if found else exchange.target


class RoundTrips(JobsTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.far_store = DelayingProxy(self.bucket.url, 0)
        self.addCleanup(self.far_store.stop)
        trusted = ssl.create_default_context(cafile=self.cluster.ca_file)
        self.far_api = DelayingProxy(self.cluster.server, 0, trusted, {"Authorization": f"Bearer {self.cluster.token}"})
        self.addCleanup(self.far_api.stop)
        self.far = self.new_machine("far", kubeconfig=self.far_kubeconfig())
        self.far.environment["STORAGE_EMULATOR_HOST"] = self.far_store.url
        self.far.job(JOB)
        for number in range(40):
            self.far.write({f"data/{number}": f"{number} " * 500})
        # The store, the bundle in it and an ended job exist already.
        self.submit()

    def far_kubeconfig(self):
        path = self.folder / "far.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "far",
            "clusters": [{"name": "far", "cluster": {"server": self.far_api.url}}],
            "contexts": [{"name": "far", "context": {"cluster": "far"}}]}))
        return path

    def submit(self, *arguments, delay=0, ahead=0, **more):
        """@param ahead  number of provisioning Jobs created before the job
        @returns the requests until the Job was accepted, after the job has ended"""
        for server in (self.far_store, self.far_api):
            server.exchanges()
            server.delay = delay
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.far.run("run", "job.yaml", "--detach", *arguments, **more)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.processor_time = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        for server in (self.far_store, self.far_api):
            server.delay = 0
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        asked = self.far_store.exchanges() + self.far_api.exchanges()
        accepted = [exchange for exchange in asked if (exchange.method, kind_of(exchange)) == ("POST", "jobs")
                    and exchange.target.startswith("/apis/")]
        self.assertEqual([exchange.status for exchange in accepted], [201] * (ahead + 1))
        accepted.sort(key=lambda exchange: exchange.begin)
        self.assertEqual(self.machine.run("wait", done.stdout.split()[0]).returncode, 0)
        return [exchange for exchange in asked if exchange.begin <= accepted[-1].end]

    def kinds(self, asked):
        return sorted(f"{exchange.method} {kind_of(exchange)}" for exchange in asked)

    def test_unchanged_job_takes_two_round_trips(self):
        asked = self.submit(delay=DELAY, preexec_fn=no_processes)
        self.assertEqual(self.kinds(asked), [
            "GET format", "GET jobs", "GET namespaces", "GET trees", "GET version", "POST index", "POST jobs",
            "POST jobs", "POST selfsubjectaccessreviews"])
        self.assertEqual(count_round_trips(asked), 2)
        print(f"processor time of the client: {self.processor_time * 1000:.0f} ms", file=sys.stderr)

    def test_job_with_secrets_takes_two_round_trips(self):
        self.far.job("secrets: [API_TOKEN]\n" + JOB)
        secret = {"API_TOKEN": "s3cr3t-v4lue"}
        self.submit(extra=secret)
        asked = self.submit(delay=DELAY, extra=secret)
        self.assertIn("POST secrets", self.kinds(asked))
        self.assertEqual(count_round_trips(asked), 2)

    def test_job_with_packages_takes_two_round_trips(self):
        self.far.job(JOB.replace("dependencies: null\n", "python: '3.11'\n"), requirements_txt="idna==3.7\n")
        self.far.environment["PATH"] = os.environ["PATH"]  # for pip
        self.submit(ahead=1)
        self.far.environment["PATH"] = "/nowhere"
        asked = self.submit(delay=DELAY, preexec_fn=no_processes)
        kinds = self.kinds(asked)
        self.assertIn("GET locks", kinds)
        self.assertEqual(kinds.count("GET trees"), 2, kinds)
        self.assertEqual([kind for kind in kinds if "packages" in kind or "environments" in kind], [])
        self.assertEqual(count_round_trips(asked), 2)

    def test_events_of_others_cost_nothing(self):
        events = f"/api/v1/namespaces/{self.namespace}/events"
        for number in range(520):  # more than one page
            self.cluster.api.create(events, {
                "metadata": {"name": f"foreign-{number}"}, "reason": "Pulled", "message": "of another job",
                "involvedObject": {"kind": "Pod", "namespace": self.namespace, "name": f"foreign-{number}"}})
        trace = self.folder / "trace"
        self.machine.job(JOB.replace("'true'", "'sleep 2'"))
        done = self.machine.run("run", "job.yaml", "--id", "own", "--trace", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        urls = [urllib.parse.unquote(json.loads(line)["url"]) for line in trace.read_text().splitlines()]
        asked = [url for url in urls if urllib.parse.urlsplit(url).path == events]
        self.assertTrue(asked)
        self.assertEqual([url for url in asked if "involvedObject.name=kinetic-own" not in url], [])

    def test_end_takes_one_round_trip_after_the_result(self):
        trace = self.folder / "trace"
        # The client follows the job before it ends.
        self.far.write({"work.py": f"import time\ndef main():\n    time.sleep({8 * DELAY})\n    return [1, 2]\n"})
        self.far.job("function: work:main\ndependencies: null\nbundle: {root: .}\n")
        for server in (self.far_store, self.far_api):
            server.delay = DELAY
        self.assertEqual(self.run_job("--trace", trace, machine=self.far).stdout, "[1,2]\n")
        requests = [json.loads(line) for line in trace.read_text().splitlines()]
        at = lambda request: urllib.parse.unquote(request["url"]).partition("?")[0]
        [result] = [request for request in requests if at(request).endswith("/result.json") and request["status"] == 200]
        later = [request for request in requests if request["start_us"] >= result["end_us"]]
        listed = sorted(f"{request['method']} {at(request)}" for request in later)
        self.assertEqual([request for request in later if "/secrets/" in at(request)], [], listed)
        ends = [Exchange(request["method"], at(request), request["status"], request["start_us"], request["end_us"])
                for request in later]
        self.assertLessEqual(count_round_trips(ends), 1, listed)

    def test_cluster_requests_share_one_connection(self):
        trace = self.folder / "trace"
        self.machine.job(JOB)
        submitted = self.machine.run("run", "job.yaml", "--detach", "--trace", trace)
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        requests = [json.loads(line) for line in trace.read_text().splitlines()]
        asked = [request for request in requests if request["url"].startswith(self.cluster.server)]
        self.assertGreater(len(asked), 3)
        # The first request may belong to the search for leftover jobs, which an ending command does not wait for.
        self.assertLessEqual([request["new_connection"] for request in asked].count(True), 1)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
