#!/usr/bin/env python3
"""`kinetic up` and `down` against a stand-in for Google Cloud, with the test cluster as its GKE cluster.

    cluster_up_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import datetime
import json
import threading
import unittest

from bucket import Bucket
from cluster import wait_for
from google_cluster import (BUCKET, GCS_SERVER, NAMESPACE, PROJECT, CloudTestCase, setUpModule,  # noqa: F401
                            tearDownModule)

ALL_STEPS = {"APIs", "bucket", "repository", "service account", "access", "runner image", "cluster", "namespace",
             "node pool"}


class Up(CloudTestCase):
    def test_creates_everything_once(self):
        planned = json.loads(self.run_kinetic("up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--dry-run",
                                              "--json").stdout)
        self.assertEqual({step["kind"] for step in planned["steps"]}, ALL_STEPS)
        self.assertEqual({step["action"] for step in planned["steps"]}, {"create"})
        self.assertFalse(self.kinds() & {"clusters", "buckets"}, "a dry run creates nothing")

        done = self.up()
        lines = done.stderr.splitlines()
        self.assertLessEqual(len(lines), 16, done.stderr)
        self.assertIn("created cluster kinetic", done.stderr)
        self.assertTrue(self.cluster.api.find(f"{NAMESPACE}/serviceaccounts/kinetic-jobs"))
        profile = self.run_kinetic("profile", "show", "kinetic", "--json").stdout
        self.assertIn(f"gs://{BUCKET}/jobs", profile)
        self.check_requests()

        [repository] = self.cloud.state["repositories"].values()
        self.assertEqual({policy["action"] for policy in repository["cleanupPolicies"].values()}, {"DELETE", "KEEP"})
        before = self.resources()
        again = self.up()
        self.assertIn("cluster kinetic is up to date", again.stderr)
        self.assertEqual(self.resources(), before)

    def test_down_removes_it(self):
        empty = self.resources()
        self.up()
        done = self.down("--purge")
        self.assertIn("no disks, addresses or load balancers of the cluster are left", done.stderr)
        self.assertIn("removed profile kinetic", done.stderr)
        self.assertNotIn("kinetic", [one["name"] for one in json.loads(self.run_kinetic("profile", "ls", "--json").stdout)])
        self.assertEqual(self.cloud.state.costs(), [])
        self.assertEqual({one for one in self.resources() - empty if one[0] not in ("services", "workloadPools")}, set())
        self.assertIn("nothing to delete", self.down("--purge", "--project", PROJECT).stderr)
        self.check_requests()

    def test_down_keeps_bucket(self):
        self.up()
        done = self.down()
        self.assertIn(f"gs://{BUCKET}/jobs is kept", done.stderr)
        self.assertIn("profile kinetic is no longer used; to see its jobs: kinetic ps --target kinetic", done.stderr)
        self.assertIn(f"gs://{BUCKET}/jobs", self.run_kinetic("profile", "show", "kinetic", "--json").stdout)
        self.assertIn('"local"', self.run_kinetic("config", "get", "target", "--json").stdout)
        self.assertIn(BUCKET, str(self.resources()))
        plan = self.run_kinetic("up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--location",
                                "us-central1-a", "--dry-run")
        self.assertIn("the bucket is in us-west4, not in the cluster's region us-central1", plan.stdout + plan.stderr)

    def test_confirmation_is_required(self):
        done = self.run_kinetic("up", "--project", PROJECT, "--accelerator", "v5litepod-1", code=2)
        self.assertIn("--yes", done.stderr)
        self.assertFalse(self.kinds() & {"clusters", "buckets"})

    def test_pools_of_every_kind(self):
        (self.project / "kinetic.yaml").write_text(f"""
project: {PROJECT}
location: us-west4-a
pools:
  - {{accelerator: v5litepod-8, spot: true, max_nodes: 3}}
  - accelerator: l4
  - {{accelerator: cpu, max_nodes: 5}}
  - {{accelerator: v5litepod-4, flex_start: true}}
""")
        self.run_kinetic("up", "--yes")
        pools = {name.rpartition("/")[2]: pool for name, pool in self.cloud.state["nodePools"].items()}
        self.assertNotIn("placementPolicy", pools["v5litepod-8-spot"])
        self.assertEqual(pools["gpu-l4"]["config"]["accelerators"][0]["acceleratorType"], "nvidia-l4")
        self.assertEqual(pools["cpu"]["config"]["machineType"], "e2-standard-4")
        flex = pools["v5litepod-4-flex"]
        self.assertEqual((flex["config"]["flexStart"], flex["config"]["maxRunDuration"]), (True, "604800s"))
        self.assertEqual(flex["config"]["reservationAffinity"], {"consumeReservationType": "NO_RESERVATION"})
        self.assertFalse(flex["management"]["autoRepair"])
        self.assertIn("up to date", self.run_kinetic("up", "--yes").stderr)
        self.check_requests()

    def write_pools(self, *pools):
        (self.project / "kinetic.yaml").write_text(json.dumps({"project": PROJECT, "location": "us-west4-a",
                                                               "pools": list(pools)}))

    def pool_requests(self):
        planned = json.loads(self.run_kinetic("up", "--dry-run", "--json").stdout)
        return [request["body"] for step in planned["steps"] if step["kind"] == "node pool"
                for request in step["requests"]]

    def test_settings_of_earlier_pools_are_changed(self):
        jobs, theirs = ({"key": key, "value": "true", "effect": "NO_SCHEDULE"} for key in ("kinetic.dev/jobs", "theirs"))
        self.cloud.options.reservations = [{"name": "tpus", "zone": "us-west4-a"}]
        reserved = {"accelerator": "v5litepod-1", "reservation": "projects/other/reservations/tpus"}
        self.write_pools({"accelerator": "cpu"}, reserved)
        self.run_kinetic("up", "--yes")
        pools = {name.rpartition("/")[2]: pool for name, pool in self.cloud.state["nodePools"].items()}
        pools["cpu"]["config"]["taints"] = [theirs]
        self.write_pools({"accelerator": "cpu"}, reserved | {"idle_time": "5m"})
        self.assertEqual(self.pool_requests(), [{"taints": {"taints": [theirs, jobs]}}, {"consolidationDelay": "300s"}])
        self.run_kinetic("up", "--yes")
        self.assertEqual(self.pool_requests(), [])
        [cluster] = self.cloud.state["clusters"].values()
        cluster["currentMasterVersion"] = "1.34.1-gke.3849001"
        self.write_pools({"accelerator": "v5litepod-4", "spot": True})
        self.assertNotIn("kubeletConfig", self.pool_requests()[0]["nodePool"]["config"])
        self.check_requests()

    def test_failed_pool_that_the_plan_does_not_name(self):
        self.up()
        self.cloud.state["nodePools"][f"projects/{PROJECT}/locations/us-west4-a/clusters/kinetic/nodePools/"
                                      "v5litepod-1"]["status"] = "ERROR"
        done = self.run_kinetic("up", "--project", PROJECT, "--yes")
        self.assertIn("node pool v5litepod-1 has failed; to delete it: kinetic pool rm v5litepod-1", done.stderr)

    def test_removal_of_a_pool_of_the_file(self):
        self.up()
        (self.project / "kinetic.yaml").write_text(f"project: {PROJECT}\npools:\n  - accelerator: v5litepod-1\n")
        done = self.run_kinetic("pool", "rm", "v5litepod-1", "--dry-run")
        self.assertIn("node pool v5litepod-1 is in the cluster file; to keep 'kinetic up' from creating it "
                      "again, remove it there", done.stderr)

    def test_option_for_a_pool_of_the_file(self):
        (self.project / "kinetic.yaml").write_text(f"project: {PROJECT}\npools:\n  - accelerator: v5litepod-1\n")
        planned = self.run_kinetic("up", "--accelerator", "v5litepod-1", "--max-nodes", "3", "--dry-run")
        self.assertIn("0 to 3 nodes", planned.stdout)

    def test_a_second_cluster_of_the_name_keeps_what_both_use(self):
        self.up()
        clusters = self.cloud.state["clusters"]
        name = f"projects/{PROJECT}/locations/us-west4-a/clusters/kinetic"
        clusters[name.replace("us-west4-a", "us-west4-b")] = {**clusters[name], "location": "us-west4-b"}
        done = self.down("--purge")
        self.assertIn("there is a cluster kinetic in us-west4-b, so what it uses is kept", done.stderr)
        self.assertNotIn(name, clusters)
        self.assertIn(BUCKET, str(self.resources()))
        self.assertIn("kinetic", self.run_kinetic("profile", "ls").stdout)
        self.down("--purge", "--project", PROJECT, "--location", "us-west4-b")
        self.assertEqual(self.cloud.state.costs(), [])
        self.assertFalse(self.kinds() & {"clusters", "buckets"})

    def test_two_clusters_are_reported(self):
        """Another client creates the cluster in another zone while this one does."""
        clusters = self.cloud.state["clusters"]

        def create_second():
            wait_for("the first cluster", lambda: clusters)
            [(name, first)] = list(clusters.items())
            clusters[name.replace("us-west4-a", "us-west4-b")] = {**first, "location": "us-west4-b",
                                                                  "createTime": "2026-01-01T00:00:00Z"}
        other = threading.Thread(target=create_second)
        other.start()
        done = self.up(code=120)
        other.join()
        self.assertIn("another 'kinetic up' created cluster kinetic in us-west4-b at the same time", done.stderr)
        self.assertIn(f"kinetic down --cluster kinetic --project {PROJECT} --location us-west4-a", done.stderr)

    def test_another_machine_finds_the_cluster(self):
        self.up("--location", "us-west4-b")
        (self.home / ".config/kinetic/config.yaml").unlink()
        self.assertIn("up to date", self.up().stderr)
        (self.home / ".config/kinetic/config.yaml").unlink()
        for words in (("pool", "ls"), ("cluster", "status")):
            refused = self.run_kinetic(*words, "--project", PROJECT, "--location", "us-west4-a", code=120)
            self.assertIn("cluster kinetic exists in us-west4-b, not in us-west4-a", refused.stderr)
        refused = self.up("--location", "us-west4-a", code=120)
        self.assertIn("cluster kinetic exists in us-west4-b, not in us-west4-a", refused.stderr)
        self.assertIn("use --location us-west4-b, choose another name with --cluster, or delete it first: "
                      f"kinetic down --cluster kinetic --project {PROJECT} --location us-west4-b", refused.stderr)
        self.run_kinetic("down", "--project", PROJECT, "--purge", "--yes")
        self.assertEqual(self.cloud.state.costs(), [])

    def test_pools_and_status(self):
        self.up()
        done = self.run_kinetic("pool", "add", "v5litepod-1", "--spot", "--max-nodes", "2", "--yes")
        self.assertIn("created node pool v5litepod-1-spot", done.stderr)
        self.assertIn("an unknown price per hour with all nodes of these pools busy", done.stdout)
        again = self.run_kinetic("pool", "add", "v5litepod-1", "--spot", "--max-nodes", "2")
        self.assertIn("node pool v5litepod-1-spot is up to date", again.stderr)
        listed = json.loads(self.run_kinetic("pool", "ls", "--json").stdout)
        self.assertEqual({pool["name"]: pool["max_nodes"] for pool in listed},
                         {"default": 1, "v5litepod-1": 1, "v5litepod-1-spot": 2})
        self.assertEqual({pool["name"]: pool["price_per_node_hour"] for pool in listed},
                         {"default": 0.08487, "v5litepod-1": 1.2, "v5litepod-1-spot": None})
        self.check_resize("pool", "resize", "v5litepod-1", "--max-nodes", "5")
        planned = self.run_kinetic("pool", "rm", "v5litepod-1-spot", "--dry-run")
        self.assertRegex(planned.stdout, r"delete +node pool +v5litepod-1-spot")
        self.assertNotIn("per hour", planned.stdout, "no Spot price is known")
        self.assertIn("add --yes", self.run_kinetic("pool", "rm", "v5litepod-1-spot", code=2).stderr)
        removed = self.run_kinetic("pool", "rm", "v5litepod-1-spot", "--yes")
        self.assertNotIn("kinetic.yaml", removed.stderr)
        self.check_narrow_terminal()
        status = json.loads(self.run_kinetic("cluster", "status", "--json").stdout)
        self.assertEqual({pool["name"]: pool["max_nodes"] for pool in status["pools"]}, {"default": 1, "v5litepod-1": 5})
        self.assertEqual((status["status"], status["running_jobs"]), ("RUNNING", 0))
        self.assertIn("price per hour now: $0.1", self.run_kinetic("cluster", "status").stdout)
        self.check_replacement()
        self.assertIn("has no node pool nothing", self.run_kinetic("pool", "rm", "nothing", "--yes", code=2).stderr)
        self.check_requests()

    def check_resize(self, *words):
        for more, code in ((["--dry-run"], 0), ([], 2)):  # without --yes, it asks
            planned = self.run_kinetic(*words, *more, code=code)
            self.assertRegex(planned.stdout, r"change +node pool +v5litepod-1 +at most 5 nodes instead of 1")
            self.assertIn("$6.00 per hour with all nodes of these pools busy instead of $1.20", planned.stdout)
        [pool] = [pool for name, pool in self.cloud.state["nodePools"].items() if name.endswith("/v5litepod-1")]
        self.assertEqual(pool["autoscaling"]["maxNodeCount"], 1)
        self.assertIn("changed node pool v5litepod-1", self.run_kinetic(*words, "--yes").stderr)
        self.assertIn("already has", self.run_kinetic(*words).stderr)

    def check_narrow_terminal(self):
        for words in (("pool", "ls"), ("cluster", "status")):
            lines = self.on_terminal(60, *words)
            self.assertTrue(any(line.startswith("v5litepod-1  ct5lp-hightpu-1t") for line in lines), lines)
        planned = self.on_terminal(60, "up", "--project", PROJECT, "--accelerator", "v5litepod-4", "--dry-run")
        self.assertIn("create  node pool  v5litepod-4  about 2 min", planned)
        self.assertIn("    ct5lp-hightpu-4t, 0 to 1 nodes, idle ones deleted after", planned)
        self.assertLessEqual(max(map(len, planned)), 60, planned)

    def check_replacement(self):
        self.write_pool("accelerator: v5litepod-4")
        refused = self.run_kinetic("up", "--yes", code=120)
        self.assertIn("has machine type ct5lp-hightpu-1t instead of ct5lp-hightpu-4t", refused.stderr)
        self.assertIn("replaced node pool v5litepod-1", self.run_kinetic("up", "--yes", "--replace").stderr)
        [pool] = [pool for name, pool in self.cloud.state["nodePools"].items() if name.endswith("/v5litepod-1")]
        self.assertEqual(pool["config"]["machineType"], "ct5lp-hightpu-4t")
        self.assertIn("up to date", self.run_kinetic("up", "--yes").stderr)

    def test_accelerators_by_zone(self):
        self.up()
        offers = json.loads(self.run_kinetic("accelerators", "v5litepod-1", "--available", "--project", PROJECT,
                                             "--json").stdout)
        [here] = [offer for offer in offers if offer["zone"] == "us-west4-a"]
        self.assertEqual((here["price_per_hour"], here["spot_price_per_hour"]), (1.2, None))
        self.assertGreater(here["quota"], 0)
        sent = len(self.cloud.log)
        shown = self.run_kinetic("accelerators", "v5litepod-1", "--available", "--project", PROJECT).stdout
        regions = [entry["target"] for entry in self.cloud.log[sent:] if "/regions/" in entry["target"]]
        self.assertEqual(len(regions), len(set(regions)), regions)
        self.assertGreater(len(offers), len(regions))  # zones of a region share its quotas
        self.assertIn("us-west4-a", shown)
        self.run_kinetic("accelerators", "--available", code=2)
        self.check_requests()

    def test_two_at_once(self):
        words = ("up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--yes")
        clients = [self.start(*words), self.start(*words)]
        for client in clients:
            _, errors = client.communicate(timeout=240)
            self.assertEqual(client.returncode, 0, errors)
        self.assertIn("up to date", self.up().stderr)
        self.check_requests()

    def test_resizes_pool(self):
        self.up()
        done = self.up("--max-nodes", "3")
        self.assertIn("changed node pool v5litepod-1", done.stderr)
        self.assertIn("$3.78 with all nodes of these pools busy instead of $1.38", done.stdout)
        self.assertNotIn("smaller", done.stderr)
        self.assertIn("up to date", self.up("--max-nodes", "3").stderr)
        self.assertIn("up to date", self.up().stderr)
        self.assertIn("the maximum number of nodes of node pool v5litepod-1 decreases from 3 to 2",
                      self.up("--max-nodes", "2").stderr)
        self.cloud.options.quotas = {"us-west4": {"TPU_LITE_PODSLICE_V5": 4}}
        planned = self.run_kinetic("pool", "resize", "v5litepod-1", "--max-nodes", "9", "--dry-run")
        self.assertIn("quota TPU_LITE_PODSLICE_V5 in us-west4: 9 needed, 4 available", planned.stdout)
        self.check_requests()

    def test_job_runs_on_the_cluster(self):
        (self.home / "objects").mkdir()
        storage = Bucket(GCS_SERVER, self.home / "objects", host="0.0.0.0", name=BUCKET)
        self.addCleanup(storage.stop)
        self.up()
        port = storage.url.rsplit(":", 1)[1]
        self.environment |= {"KINETIC_STORAGE_ENDPOINT": storage.url, "KINETIC_RUNNER_CREDENTIALS": "none",
                             "KINETIC_RUNNER_ENDPOINT": f"http://{self.cluster.address}:{port}",
                             "KINETIC_IMAGE": self.cluster.images["python"]}
        done = self.run_kinetic("run", "--accelerator", "v5litepod-1", "--", "python3", "-c", "print(6 * 7)")
        self.assertEqual(done.stdout, "42\n")
        self.assertIn("price per hour: $1.20 for v5litepod-1 (list price of ", done.stderr)
        self.assertRegex(done.stderr, r"cost: about \$0\.00 for ")
        self.check_cost_limit()
        self.addCleanup(lambda: self.start("cancel", "busy").communicate(timeout=120))  # other tests need its node
        started = self.start("run", "--accelerator", "v5litepod-1", "--id", "busy", "-d", "--", "sleep", "600")
        started.communicate(timeout=120)
        refused = self.down(code=120)
        self.assertIn("1 job is running on cluster kinetic: busy\n", refused.stderr)
        planned = self.run_kinetic("down", "--dry-run", "--json")
        self.assertEqual(json.loads(planned.stdout)["running_jobs"], ["busy"])
        self.assertIn("jobs are running: busy", planned.stderr)
        self.check_jobs_on_pool()
        self.run_kinetic("cancel", "busy")

    def check_jobs_on_pool(self):
        """A pool with a running job is deleted or replaced only on request."""
        pods = f"{NAMESPACE}/pods?labelSelector=kinetic.dev/job-id=busy"
        [pod] = wait_for("a running pod", lambda: [pod for pod in self.cluster.api.get(pods)["items"]
                                                   if pod["status"]["phase"] == "Running"])
        self.set_pool_of(pod["spec"]["nodeName"], "v5litepod-1")
        self.addCleanup(self.set_pool_of, pod["spec"]["nodeName"], None)
        self.write_pool("accelerator: v5litepod-1, spot: true")
        plan = json.loads(self.run_kinetic("up", "--dry-run", "--json").stdout)
        [step] = [step for step in plan["steps"] if step["action"] != "keep"]
        self.assertEqual((step["action"], step["name"], step["detail"], step["running_jobs"]),
                         ("replace", "v5litepod-1", "has no Spot nodes", ["busy"]))
        refused = self.run_kinetic("up", "--yes", code=120)
        self.assertIn("node pool v5litepod-1 cannot be changed: it has no Spot nodes; jobs run on it: busy", refused.stderr)
        self.assertIn("add --replace", refused.stderr)
        self.check_quota_of_existing_node()
        status = wait_for("the first check of the shutdown", self.status)
        self.assertEqual(status["running_jobs"], 1)
        self.assertAlmostEqual(status["price_per_hour"], 1.3)
        self.assertGreater(status["estimated_cost_this_month"], 0)
        self.assertIn("estimated cost this month: $", self.run_kinetic("cluster", "status").stdout)
        refused = self.run_kinetic("pool", "rm", "v5litepod-1", "--yes", code=120)
        self.assertIn("1 job is running on node pool v5litepod-1", refused.stderr)

    def status(self):
        """Returns the status of the cluster, or None while no pod has checked that the cluster can delete itself."""
        process = self.start("cluster", "status", "--json")
        stdout = process.communicate(timeout=240)[0]
        return json.loads(stdout) if process.returncode == 0 else None

    def check_quota_of_existing_node(self):
        """Compute Engine counts a node that exists as used."""
        self.cloud.options.quotas = {"us-west4": {"TPU_LITE_PODSLICE_V5": 2}}
        for nodes, needed in (("2", 1), ("4", 3)):
            planned = self.run_kinetic("pool", "resize", "v5litepod-1", "--max-nodes", nodes, "--dry-run")
            self.assertIn(f"quota TPU_LITE_PODSLICE_V5 in us-west4: {needed} needed, 2 available", planned.stdout)
        self.assertIn("is too small for all nodes", planned.stderr)
        self.cloud.options.quotas = {}

    def set_pool_of(self, node, pool):
        self.cluster.api.patch(f"/api/v1/nodes/{node}", {"metadata": {"labels": {"cloud.google.com/gke-nodepool": pool}}})

    def write_pool(self, text):
        (self.project / "kinetic.yaml").write_text(
            f"project: {PROJECT}\nlocation: us-west4-a\npools: [{{name: v5litepod-1, {text}}}]\n")

    def check_cost_limit(self):
        (self.project / "job.yaml").write_text("run: sleep 600\naccelerator: v5litepod-1\nmax_cost: 0.001 USD\n")
        done = self.run_kinetic("run", "job.yaml", code=124)
        self.assertIn("exceeded its time limit (3.0 s), with max_cost: 0.001 USD", done.stderr)
        (self.project / "job.yaml").write_text("run: 'true'\naccelerator: v5p-8\nmax_cost: 1 EUR\n")
        self.assertIn("job.yaml:3:11: max_cost: prices are known in USD only", self.run_kinetic("run", "job.yaml", code=2).stderr)
        (self.project / "job.yaml").write_text("run: 'true'\naccelerator: v5p-8\nmax_cost: 1 USD\n")
        self.assertIn("no price is known for v5p-8 in us-west4", self.run_kinetic("run", "job.yaml", code=2).stderr)


class Refusals(CloudTestCase):
    def test_unknown_project(self):
        done = self.run_kinetic("up", "--project", "no-such-project", "--accelerator", "l4", "--yes", code=2)
        self.assertIn("project no-such-project does not exist, or you have no access to it", done.stderr)
        done = self.run_kinetic("up", "--project", "123456789012", "--accelerator", "l4", "--yes", code=2)
        self.assertIn("expected the ID of a project, such as my-project, found the number 123456789012", done.stderr)

    def test_down_without_access_to_the_policy(self):
        self.up()
        self.cloud.faults.set(rules=[{"method": "cloudresourcemanager.projects.getIamPolicy", "nth": nth,
                                      "kind": "permission:roles/resourcemanager.projectIamAdmin"} for nth in range(1, 20)])
        before = self.resources()
        refused = self.down("--purge", code=120)
        self.assertIn("nothing is deleted, because access nodes: run cannot be read", refused.stderr)
        self.assertIn("roles/resourcemanager.projectIamAdmin", refused.stderr)
        self.assertEqual(self.resources(), before)

    def test_quota_project_of_the_login_without_the_api(self):
        """Its errors say nothing about this project."""
        self.up()
        before = self.resources()
        self.cloud.options.quota_projects = {"other": {"number": "42", "enabled": ["serviceusage", "storage"]}}
        self.cloud.options.login_project = "other"
        self.assertIn("up to date", self.up().stderr)
        self.environment["KINETIC_QUOTA_PROJECT"] = "other"
        for words in (("down", "--purge", "--yes"), ("up", "--project", PROJECT, "--dry-run")):
            refused = self.run_kinetic(*words, code=120).stderr
            self.assertIn("is not enabled in project 42", refused)
        self.assertEqual(self.resources(), before)
        del self.environment["KINETIC_QUOTA_PROJECT"]
        self.down("--purge")
        self.assertEqual(self.cloud.state.costs(), [])

    def test_disk_that_is_left(self):
        self.up()
        self.cloud.options.orphan = "disk"
        self.assertIn("cluster kinetic is not completely deleted", self.down("--purge", code=120).stderr)
        self.assertIn("still exists and costs money", self.down("--purge", "--project", PROJECT, code=120).stderr)

    def test_no_billing_account(self):
        self.cloud.options.billing = False
        done = self.up(code=120)
        self.assertIn("link a billing account: https://console.cloud.google.com/billing", done.stderr)

    def test_zone_without_the_accelerator(self):
        self.enable("compute", "container")
        done = self.up("--location", "us-central1-f", code=2)
        self.assertIn("is not available in us-central1-f", done.stderr)
        self.assertIn("us-west4-a", done.stderr)

    def test_zone_that_does_not_exist(self):
        self.enable("compute", "container")
        done = self.run_kinetic("up", "--project", PROJECT, "--location", "us-west9-z", "--yes", code=2)
        self.assertIn("the default node pool (machine type e2-standard-2) is not available in us-west9-z", done.stderr)
        self.assertFalse(self.kinds() & {"clusters", "buckets"})

    def test_purge_after_a_failed_start_elsewhere(self):
        self.cloud.faults.set(rules=[{"method": "container.projects.locations.clusters.create", "nth": nth,
                                      "kind": "stockout"} for nth in range(1, 20)])
        self.up("--location", "us-west4-b", code=120)
        self.cloud.faults.set(rules=[])
        self.assertIn("kinetic", self.run_kinetic("profile", "ls").stdout)
        self.assertIn("removed profile kinetic", self.run_kinetic("down", "--project", PROJECT, "--purge", "--yes").stderr)

    def test_hints_for_another_cluster(self):
        self.up()
        words = ("--project", PROJECT, "--cluster", "other")
        for command in (("pool", "ls"), ("cluster", "status")):
            self.assertIn(f"hint: create it: kinetic up --cluster other --project {PROJECT}\n",
                          self.run_kinetic(*command, *words, code=2).stderr)
        self.assertIn("hint: use --location us-west4-a\n",
                      self.run_kinetic("cluster", "status", "--location", "us-west4-b", code=120).stderr)

    def test_zone_with_all_accelerators(self):
        self.enable("compute", "container")
        pools = ("--accelerator", "v5litepod-1", "--accelerator", "a100")
        planned = self.run_kinetic("up", "--project", PROJECT, *pools, "--dry-run", "--json")
        self.assertEqual(json.loads(planned.stdout)["location"], "us-central1-a")
        refused = self.run_kinetic("up", "--project", PROJECT, *pools, "--accelerator", "v6e-1", code=2)
        self.assertIn("no zone has all accelerators of this plan: create a second cluster", refused.stderr)

    def test_zone_is_checked_when_the_api_is_enabled(self):
        done = self.up("--location", "us-central1-f", code=2)
        self.assertIn("warning: zone and quota are not checked, because the Compute Engine API is not enabled yet", done.stderr)
        self.assertIn("is not available in us-central1-f", done.stderr)
        self.assertFalse(self.kinds() & {"clusters", "buckets"})
        # A zone is remembered only as long as there is a cluster in it.
        planned = self.run_kinetic("up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--dry-run", "--json")
        self.assertEqual(json.loads(planned.stdout)["location"], "us-west4-a")

    def test_quota_without_a_limit_for_the_region(self):
        """The default limit of new projects is 0, which Google leaves out."""
        self.enable("compute", "container", "cloudquotas")
        self.cloud.options.quotas = {"us-east5": {"CT6E": 0}, "us-east1": {"CT6E": 16}}
        (self.project / "kinetic.yaml").write_text(
            f"project: {PROJECT}\nlocations: [us-east5-a, us-east1-d]\npools: [{{accelerator: v6e-1}}]\n")
        self.assertEqual(json.loads(self.run_kinetic("up", "--dry-run", "--json").stdout)["location"], "us-east1-d")
        done = self.run_kinetic("up", "--location", "us-east5-b", "--dry-run")
        self.assertIn("in us-east5: 1 needed, 0 available", done.stdout)
        self.assertIn("is used up, so no further node can start", done.stderr)

    def test_location_of_another_cluster(self):
        self.up()
        planned = self.run_kinetic("up", "--project", PROJECT, "--cluster", "other", "--accelerator", "v6e-1", "--dry-run",
                                   "--json")
        self.assertEqual(json.loads(planned.stdout)["location"], "us-east5-b")

    def test_pool_name_in_use(self):
        self.up()
        refused = self.run_kinetic("pool", "add", "l4", "--name", "v5litepod-1", "--dry-run", code=2).stderr
        self.assertIn("node pool v5litepod-1 exists and has machine type ct5lp-hightpu-1t", refused)
        refused = self.run_kinetic("pool", "add", "l4", "--name", "default", "--dry-run", code=2).stderr
        self.assertIn("the node pool 'default' is reserved for the system's pods", refused)

    def test_quota_of_all_pools(self):
        self.up()
        self.cloud.options.quotas = {"us-west4": {"TPU_LITE_PODSLICE_V5": 4}}
        planned = self.run_kinetic("pool", "add", "v5litepod-4", "--dry-run")
        self.assertIn("us-west4: 5 needed, 4 available", planned.stdout)
        self.run_kinetic("pool", "add", "v5litepod-4", "--yes")
        planned = self.run_kinetic("pool", "resize", "v5litepod-4", "--max-nodes", "3", "--dry-run")
        self.assertIn("us-west4: 13 needed, 4 available", planned.stdout)

    def enable(self, *services):
        """Enables APIs, as an earlier `kinetic up` did."""
        self.cloud.state["services"].update(dict.fromkeys(services, 0.0))

    def zone_of(self, *zones, code=0):
        """Returns the zone that a plan chooses from a list, and its warnings."""
        (self.project / "kinetic.yaml").write_text(
            f"project: {PROJECT}\nlocations: [{', '.join(zones)}]\npools: [{{accelerator: v5litepod-1}}]\n")
        done = self.run_kinetic("up", "--dry-run", "--json", code=code)
        return json.loads(done.stdout)["location"] if code == 0 else None, done.stdout + done.stderr

    def test_zones_in_order(self):
        self.assertEqual(self.zone_of("us-central1-b", "us-west4-a")[0], "us-central1-b")
        self.assertIn("zone and quota are not checked", self.zone_of("us-central1-b", "us-west4-a")[1])
        self.enable("compute", "container")
        self.assertEqual(self.zone_of("us-central1-b", "us-west4-a", "europe-west4-b")[0], "us-west4-a")
        self.cloud.options.quotas = {"us-west4": {"TPU_LITE_PODSLICE_V5": 0}}
        self.assertEqual(self.zone_of("us-central1-b", "us-west4-a", "europe-west4-b")[0], "europe-west4-b")
        self.assertEqual(self.zone_of("us-central1-b", "us-west4-a")[0], "us-west4-a")
        zone, warned = self.zone_of("us-central1-b", "us-east1-d")
        self.assertEqual(zone, "us-central1-b")
        self.assertIn("is not available in us-central1-b according to Google's list", warned)
        self.assertIn("us-west4-a", warned)
        refused = self.zone_of("us-central1-f", "us-west9-z", code=2)[1]
        self.assertIn("none of us-central1-f, us-west9-z has all machine types", refused)
        self.cloud.state["clusters"][f"projects/{PROJECT}/locations/us-west4-b/clusters/kinetic"] = {
            "name": "kinetic", "location": "us-west4-b"}
        self.assertIn("exists in us-west4-b, which is not one of its locations",
                      self.zone_of("us-west4-a", "us-central1-b", code=120)[1])

    def test_foreign_cluster(self):
        self.up()
        for one in self.cloud.state["clusters"].values():
            one["resourceLabels"] = {}
        done = self.up(code=120)
        self.assertIn("kinetic did not create it", done.stderr)
        self.assertIn("--cluster NAME", done.stderr)

    def test_differences_of_the_cluster(self):
        self.up()
        [cluster] = self.cloud.state["clusters"].values()
        self.assertNotIn("warning", self.up().stderr)
        cluster["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["allowExternalTraffic"] = False
        cluster["workloadIdentityConfig"] = {}
        found = " ".join(self.up("--network", "research", "--dry-run").stderr.split())
        for text in ("cluster kinetic stays in network default; for network research, create another cluster",
                     "kinetic cannot be reached at its DNS endpoint: gcloud container clusters update kinetic "
                     "--location=us-west4-a --project=kinetic-test --enable-dns-access",
                     "kinetic has no Workload Identity, so its pods cannot use the bucket: gcloud container clusters "
                     "update kinetic --location=us-west4-a --project=kinetic-test --workload-pool=kinetic-test.svc.id.goog"):
            self.assertIn(text, found)

    def test_pool_of_no_cluster(self):
        self.enable("compute", "container")
        done = self.run_kinetic("pool", "add", "v5litepod-1", "--project", PROJECT, "--yes", code=2)
        self.assertIn(f"project {PROJECT} has no cluster kinetic that kinetic created", done.stderr)
        self.assertIn("create it: kinetic up", done.stderr)

    def test_pools_that_are_not_changed(self):
        self.up()
        for words in (("rm", "default", "--yes"), ("resize", "default", "--max-nodes", "2")):
            self.assertIn("node pool default runs the system's pods", self.run_kinetic("pool", *words, code=2).stderr)
        for one in self.cloud.state["clusters"].values():
            one["resourceLabels"] = {}
        for words in (("rm", "v5litepod-1", "--yes"), ("resize", "v5litepod-1", "--max-nodes", "2")):
            self.assertIn("has no cluster kinetic that kinetic created", self.run_kinetic("pool", *words, code=2).stderr)

    def test_failed_up_in_another_zone(self):
        """`down` finds what a failed `up` created, also in another region."""
        self.cloud.faults.set(rules=[{"method": "container.projects.locations.clusters.create",
                                      "kind": "permission:roles/container.admin", "nth": nth} for nth in range(1, 20)])
        self.up("--location", "us-central1-a", code=120)
        self.assertIn("repositories", self.kinds())
        self.down("--purge")
        self.assertFalse(self.kinds() & {"repositories", "buckets", "serviceAccounts"}, self.resources())

    def test_no_project(self):
        done = self.run_kinetic("up", "--accelerator", "l4", "--yes", code=2)
        self.assertIn("use --project PROJECT, or set project in kinetic.yaml", done.stderr)

    def test_bad_names(self):
        for words, message in (
                (["--accelerator", "l4", "--spot", "--flex-start"], "spot, flex_start and reservation exclude each other"),
                (["--cluster", "Team"], "expected a cluster name of lowercase letters, digits and '-', found 'Team'"),
                (["--location", "us-west4"], "expected a zone"),
                (["--accelerator", "l4", "--max-nodes", "0"], "--max-nodes: expected a number from 1 to 10000, found 0"),
                (["--accelerator", "v5litepod-5"], "v5litepod-5")):
            with self.subTest(words):
                done = self.run_kinetic("up", "--project", PROJECT, *words, "--yes", code=2)
                self.assertIn(message, done.stderr)
                self.assertEqual(self.cloud.log, [])

    def test_exceeded_quota(self):
        self.cloud.options.quotas = {"us-west4": {"TPU_LITE_PODSLICE_V5": 0}}
        self.up()  # pools start without nodes
        done = self.run_kinetic("up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--max-nodes", "2",
                                "--dry-run")
        self.assertIn("quota TPU_LITE_PODSLICE_V5 in us-west4: 2 needed, 0 available", done.stdout)
        (self.project / "kinetic.yaml").write_text(
            f"project: {PROJECT}\nlocation: us-west4-a\npools:\n  - {{accelerator: v5litepod-1, max_nodes: 20}}\n"
            "  - {accelerator: v5litepod-4, max_nodes: 4}\n")
        self.assertIn("us-west4: 36 needed, 0 available", self.run_kinetic("up", "--dry-run").stdout)

    def test_bucket_of_another_project(self):
        self.up()
        self.cloud.state["buckets"][BUCKET]["projectNumber"] = "42"
        self.assertIn(f"bucket gs://{BUCKET} belongs to another project", self.up(code=2).stderr)

    def test_no_credential(self):
        """No credential is looked for with this endpoint, but the cluster needs one."""
        self.up()
        (self.home / "objects").mkdir()
        storage = Bucket(GCS_SERVER, self.home / "objects", name=BUCKET)
        self.addCleanup(storage.stop)
        self.environment |= {"KINETIC_STORAGE_ENDPOINT": storage.url}
        self.run_kinetic("ps")
        self.environment.pop("KINETIC_ACCESS_TOKEN")
        self.assertIn("no Google Cloud credential", self.run_kinetic("run", "--", "true", code=120).stderr)

    def refused_at(self, **kinds):
        """Returns stderr of a client to which some methods respond with permanent errors."""
        names = {"bucket": "storage.buckets.insert", "account": "iam.projects.serviceAccounts.create",
                 "grant": "cloudresourcemanager.projects.setIamPolicy",
                 "cluster": "container.projects.locations.clusters.create",
                 "pool": "container.projects.locations.clusters.nodePools.create"}
        self.cloud.faults.set(rules=[{"method": names[name], "kind": kind, "nth": nth}
                                     for name, kind in kinds.items() for nth in range(1, 20)])
        done = self.up("--replace", code=120)
        self.cloud.faults.set(rules=[])
        self.assertIn("what was created is kept: run the same command again to continue", done.stderr)
        return done.stderr

    def test_missing_roles(self):
        errors = self.refused_at(bucket="permission:roles/storage.admin",
                                 account="permission:roles/iam.serviceAccountAdmin")
        self.assertIn("roles/storage.admin", errors)
        self.assertIn("roles/iam.serviceAccountAdmin", errors)
        self.assertIn("roles/resourcemanager.projectIamAdmin",
                      self.refused_at(grant="permission:roles/resourcemanager.projectIamAdmin"))
        self.assertIn("roles/container.admin", self.refused_at(cluster="permission:roles/container.admin"))
        self.up()

    def test_all_missing_roles_are_named_before(self):
        self.enable("cloudresourcemanager", "container", "compute", "iam", "artifactregistry", "cloudquotas")
        ana = ["user:ana@example.com"]
        roles = ["roles/viewer", "roles/container.admin", "roles/storage.admin", "roles/serviceusage.serviceUsageAdmin",
                 "roles/iam.serviceAccountUser"]
        words = ("up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--dry-run")

        def set_roles():
            self.cloud.iam.create(f"projects/{PROJECT}", [{"role": role, "members": ana} for role in roles])

        set_roles()
        refused = self.run_kinetic(*words, code=120)
        self.assertIn("hint: ask for these roles in the project: roles/artifactregistry.admin, "
                      "roles/iam.serviceAccountAdmin, roles/resourcemanager.projectIamAdmin\n", refused.stderr)
        roles += ["roles/artifactregistry.admin", "roles/resourcemanager.projectIamAdmin"]
        set_roles()
        self.assertIn("you lack permissions in project kinetic-test, so the plan will fail; ask for "
                      "roles/iam.serviceAccountAdmin\n", self.run_kinetic(*words).stderr)

    def test_failed_operations(self):
        self.assertIn("console.cloud.google.com/iam-admin/quotas", self.refused_at(cluster="quota"))
        self.assertIn("the zone has no capacity: try again later, or run 'kinetic down' and use another zone",
                      self.refused_at(cluster="stockout"))
        self.assertIn("use another network with --network", self.refused_at(cluster="cidr_overlap"))
        self.refused_at(cluster="operation_error")
        errors = self.refused_at(pool="stockout")
        self.assertIn("zones that have it: us-west4-b", errors)
        self.assertNotIn("us-west4-a, ", errors)
        self.refused_at(pool="operation_error")
        self.assertIn("is in state ERROR", self.run_kinetic("pool", "resize", "v5litepod-1", "--max-nodes", "3",
                                                            code=120).stderr)
        refused = self.up(code=120).stderr
        self.assertIn("node pool v5litepod-1 cannot be changed: it failed", refused)
        self.assertIn("add --replace", refused)
        self.assertIn("replaced node pool v5litepod-1", self.up("--replace").stderr)
        self.assertIn("up to date", self.up().stderr)

    def test_no_cluster_without_its_bucket(self):
        errors = self.refused_at(bucket="permission:roles/storage.admin")
        self.assertNotIn("creating cluster", errors)
        self.assertNotIn("clusters", self.kinds())

    def test_status_of_cluster_that_does_not_respond(self):
        self.up()
        for one in self.cloud.state["clusters"].values():
            one["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"] = "127.0.0.1:1"
        done = self.run_kinetic("cluster", "status")
        self.assertIn("warning: cannot read the jobs and nodes of cluster kinetic: ", done.stderr)
        self.assertIn("running jobs: unknown\n", done.stdout)
        self.assertRegex(done.stdout, r"v5litepod-1 +ct5lp-hightpu-1t +no +unknown +1 ")
        pools = json.loads(self.run_kinetic("pool", "ls", "--json").stdout)
        self.assertEqual({pool["nodes"] for pool in pools}, {None})

    def test_unknown_jobs(self):
        """A cluster whose jobs cannot be listed is deleted only with --force."""
        self.up()
        for one in self.cloud.state["clusters"].values():
            one["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"] = ""
        refused = self.down(code=120).stderr
        self.assertIn("cannot check for running jobs: the cluster kinetic in us-west4-a of project kinetic-test has no DNS "
                      "endpoint", refused)
        self.assertIn("add --force", refused)
        self.assertIn("clusters", self.kinds())
        self.assertIn("cannot check for running jobs", self.down("--force").stderr)
        self.assertNotIn("clusters", self.kinds())

    def test_organization_policy(self):
        self.cloud.options.constraints = {"storage.buckets.insert": "constraints/gcp.resourceLocations"}
        self.assertIn("constraints/gcp.resourceLocations", self.up(code=120).stderr)


class Delays(CloudTestCase):
    """Google's changes become visible later."""

    options = {"iam_delay": 3.0, "account_delay": 3.0, "enable_delay": 3.0, "pool_needs_cluster": True}

    def test_up_waits_until_changes_are_visible(self):
        done = self.up()
        self.assertIn("waiting until the API is enabled everywhere", done.stderr)
        self.assertIn("waiting until the service account is visible", done.stderr)
        self.assertIn("up to date", self.up().stderr)
        self.down("--purge")
        self.assertEqual(self.cloud.state.costs(), [])


class CatalogPrices(CloudTestCase):
    options = {"enabled": ["serviceusage", "storage", "cloudbilling", "compute", "cloudquotas"]}

    def test_prices_of_the_catalog(self):
        def price_of(name, zone):
            offers = json.loads(self.run_kinetic("accelerators", name, "--available", "--project", PROJECT,
                                                 "--json").stdout)
            return next(offer for offer in offers if offer["zone"] == zone)

        listed = price_of("v6e-1", "us-east5-a")
        self.assertEqual((listed["price_per_hour"], listed["spot_price_per_hour"]), (2.7, None))
        self.cloud.faults.set(rules=[{"method": "cloudbilling.services.skus.list", "kind": "503", "nth": 1}])
        done = self.run_kinetic("accelerators", "--refresh-prices")
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        self.assertEqual(done.stderr.splitlines()[-1], f"3 TPU prices as of {today}")
        self.run_kinetic("accelerators", "v6e-1", "--refresh-prices", code=2)
        self.assertEqual(price_of("v6e-1", "us-east5-a"), listed | {
            "price_per_hour": 2.71, "price_date": today, "spot_price_per_hour": 1.88, "spot_price_date": today})
        self.assertEqual(price_of("v5p-8", "us-east5-a")["price_date"], "2024-12-23")  # not in the catalog
        planned = self.run_kinetic("up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--dry-run")
        self.assertIn("(list prices, the oldest of 2026-08-19)", planned.stdout)
        [file] = self.home.rglob("prices.json")
        refreshed = self.run_kinetic("accelerators", "--refresh-prices", "--json")
        self.assertEqual(json.loads(file.read_text()), json.loads(refreshed.stdout))
        file.write_text("damaged")
        self.assertEqual(price_of("v6e-1", "us-east5-a"), listed)
        self.check_requests()


class DisabledCatalog(CloudTestCase):
    options = {}

    def test_error_names_the_api(self):
        done = self.run_kinetic("accelerators", "--refresh-prices", code=120)
        self.assertIn("error: reading the Cloud Billing catalog: ", done.stderr)
        self.assertIn("hint: gcloud services enable cloudbilling.googleapis.com", done.stderr)
        self.assertEqual(list(self.home.rglob("prices.json")), [])


class NoBilling(CloudTestCase):
    options = {"enabled": ["serviceusage", "storage", "cloudbilling"], "billing": False}

    def test_is_reported_before_the_plan(self):
        self.assertIn("project kinetic-test has no billing account", self.up(code=120).stderr)


class Interruptions(CloudTestCase):
    """A client that is killed at any request leaves a state from which the next one continues."""

    stride = 9  # between the requests at which clients are killed
    seeds = 1

    def kill_at(self, number, *words):
        """Kills a client at its request with this number. Returns whether it sent so many."""
        self.cloud.hold.set(len(self.cloud.log) + 1 + number, "before" if number % 2 else "after")
        client = self.start(*words)
        try:
            while client.poll() is None:
                if self.cloud.hold.held(0.2):
                    client.kill()
                    return True
            return False
        finally:
            self.cloud.hold.release(None)
            client.kill()
            client.communicate()

    def test_up_continues_after_kills(self):
        words = ("up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--yes")
        number = 0
        while self.kill_at(number, *words):
            number += self.stride
        self.assertGreater(number, 20)
        self.up()
        self.assertIn("up to date", self.up().stderr)
        self.check_requests()
        self.assertEqual(self.kinds() & {"clusters", "buckets", "repositories"},
                         {"clusters", "buckets", "repositories"})

    def test_down_after_partial_up(self):
        for number in range(20, 70, max(3, self.stride)):
            with self.subTest(number):
                self.kill_at(number, "up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--yes")
                wait_for("the end of operations", lambda: not self.cloud.operations.running())
                self.run_kinetic("down", "--project", PROJECT, "--purge", "--yes")
                self.assertEqual(self.cloud.state.costs(), [])

    def test_down_continues_after_kills(self):
        for number in range(12, 60, max(8, self.stride)):
            with self.subTest(number):
                self.up()
                self.kill_at(number, "down", "--purge", "--yes")
                self.down("--purge", "--project", PROJECT)
                self.assertEqual(self.cloud.state.costs(), [])

    def test_up_during_deletion(self):
        self.up()
        self.cloud.options.durations = {"default": 0.05, "DELETE_CLUSTER": 4.0}
        client = self.start("down", "--yes")
        clusters = self.cloud.state["clusters"]
        wait_for("the deletion", lambda: any(one["status"] == "STOPPING" for one in list(clusters.values())))
        client.kill()
        client.communicate()
        done = self.up()
        self.assertIn("created cluster kinetic", done.stderr)
        self.assertEqual([one["status"] for one in clusters.values()], ["RUNNING"])
        self.assertIn("up to date", self.up().stderr)

    def test_up_during_deletion_of_the_repository(self):
        """It can still be read until its deletion ends, so the first plan keeps it."""
        self.up()
        self.cloud.options.durations = {"default": 0.05, "CREATE_CLUSTER": 4.0, "deleteRepository": 3.0}
        client = self.start("down", "--yes")
        wait_for("the deletion", lambda: self.cloud.operations.running(service="artifactregistry"))
        client.kill()
        client.communicate()
        self.assertIn("created repository kinetic", self.up().stderr)
        self.assertEqual(len(self.cloud.state["repositories"]), 1)
        self.assertIn("up to date", self.up().stderr)

    def test_transient_errors_everywhere(self):
        for seed in range(self.seeds):
            with self.subTest(seed):
                self.cloud.faults.set(seed=seed, probability=0.1, kinds=["503", "429", "reset_before", "reset_after"])
                self.up()
                self.down("--purge")
                self.cloud.faults.set(rules=[])
                self.assertEqual(self.cloud.state.costs(), [])


class EveryInterruption(Interruptions):
    stride = 1
    seeds = 10


if __name__ == "__main__":
    unittest.main()
