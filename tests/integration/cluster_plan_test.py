#!/usr/bin/env python3
"""What `kinetic up` plans, against a stand-in for Google Cloud. Nothing is created, so this needs no cluster.

    cluster_plan_test.py KINETIC [TEST...]
"""

import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))
from google_cloud import GoogleCloud, Options  # noqa: E402

KINETIC = os.path.abspath(sys.argv.pop(1))
DOCUMENTS = subprocess.run([SUPPORT / "google-documents"], capture_output=True, text=True, check=True).stdout.strip()
PROJECT, TOKEN = "kinetic-test", "ya29.s3cret-token"
SERVICES = ["serviceusage", "storage", "container", "compute", "artifactregistry", "iam", "iamcredentials",
            "cloudresourcemanager", "cloudquotas"]
JOBS = {"key": "kinetic.dev/jobs", "value": "true", "effect": "NO_SCHEDULE"}
SPOT = {"key": "cloud.google.com/gke-spot", "value": "true", "effect": "NO_SCHEDULE"}


class Plan(unittest.TestCase):
    def setUp(self):
        self.cloud = GoogleCloud(Options(documents=DOCUMENTS, enabled=list(SERVICES),
                                         durations={"default": 0.0})).start()
        self.addCleanup(self.cloud.stop)
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-plan-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "KINETIC_METADATA_HOST": "none",
                            "KINETIC_API_ENDPOINT": self.cloud.url, "KINETIC_ACCESS_TOKEN": TOKEN}

    def kinetic(self, *words, code=0):
        done = subprocess.run([KINETIC, *words], env=self.environment, cwd=self.home, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        self.assertEqual((self.cloud.violations, self.cloud.defects), ([], []))
        return done

    def plan(self, pools, *words, code=0, **more):
        """Returns the plan of a cluster file, or the error."""
        (self.home / "kinetic.yaml").write_text(json.dumps({"project": PROJECT, "pools": pools, **more}))
        done = self.kinetic("up", "--dry-run", "--json", *words, code=code)
        return json.loads(done.stdout) if code == 0 else done.stdout

    def requests(self, plan):
        return [request for step in plan["steps"] for request in step["requests"]]

    def bodies(self, plan, kind):
        return [request["body"][kind] for request in self.requests(plan) if kind in (request["body"] or {})]

    def send(self, plan):
        """Sends the requests of a plan to the stand-in. Returns what it refused."""
        host, refused = urllib.parse.urlsplit(self.cloud.url), []
        for request in self.requests(plan):
            connection = http.client.HTTPConnection(host.hostname, host.port, timeout=10)
            path = request["url"].removeprefix(self.cloud.url)
            connection.request(request["method"], path, json.dumps(request["body"]) if request["body"] else None,
                               {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
            connection.close()
            if answer.status >= 300:
                refused.append((request["method"], path, text))
            self.cloud.clock.advance(1)
            self.cloud.settle()
        self.cloud.state["repositories"].clear()  # there is no registry
        return refused

    def existing(self, pools, **more):
        """Creates a cluster with pools, as an earlier `kinetic up` did. Nothing responds at its endpoint."""
        refused = self.send(self.plan(pools, **more))
        self.assertEqual([one for one in refused if "container" in one[1] or "compute" in one[1]], [])
        for cluster in self.cloud.state["clusters"].values():
            cluster["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"] = ""
        return {name.rpartition("/")[2]: pool for name, pool in self.cloud.state["nodePools"].items()}


class Pools(Plan):
    def test_every_accelerator_of_one_machine_is_accepted(self):
        """Google's rules, of which the discovery documents have only the names of fields."""
        self.cloud.options.constraints = {}
        pools = [{"accelerator": "v5litepod-1"}, {"accelerator": "v5litepod-8", "spot": True},
                 {"accelerator": "v5litepod-4", "flex_start": True}, {"accelerator": "l4", "disk": "200Gi"},
                 {"accelerator": "cpu", "idle_time": "10m"}, {"accelerator": "cpu", "spot": True}]
        made = self.existing(pools)
        config = {name: pool["config"] for name, pool in made.items()}
        self.assertEqual(config["cpu"]["taints"], [JOBS])
        self.assertEqual(config["cpu-spot"]["taints"], [JOBS, SPOT])
        self.assertEqual(config["v5litepod-8-spot"]["taints"], [SPOT])
        self.assertNotIn("taints", config["v5litepod-1"])
        self.assertEqual({name: one["consolidationDelay"] for name, one in config.items() if name != "default"},
                         {"v5litepod-1": "120s", "v5litepod-8-spot": "120s", "v5litepod-4-flex": "120s",
                          "gpu-l4": "120s", "cpu": "600s", "cpu-spot": "120s"})
        self.assertEqual(config["gpu-l4"]["bootDisk"], {"sizeGb": "200"})
        self.assertNotIn("kubeletConfig", str(config), "the version of a new cluster is not known")
        [added] = self.bodies(self.plan([{"accelerator": "v5litepod-4", "spot": True}]), "nodePool")
        self.assertEqual(added["config"]["kubeletConfig"], {"shutdownGracePeriodSeconds": 120})
        for name, pool in made.items():
            if name != "default":
                self.assertEqual(pool["upgradeSettings"], {"maxSurge": 0, "maxUnavailable": 1}, name)

    def test_cluster_is_not_upgraded_during_jobs(self):
        [cluster] = self.bodies(self.plan([]), "cluster")
        [exclusion] = cluster["maintenancePolicy"]["window"]["maintenanceExclusions"].values()
        self.assertEqual(exclusion["maintenanceExclusionOptions"],
                         {"scope": "NO_MINOR_OR_NODE_UPGRADES", "endTimeBehavior": "UNTIL_END_OF_SUPPORT"})
        self.assertEqual(cluster["nodePools"][0]["config"]["bootDisk"], {"sizeGb": "32"})

    def test_images_are_streamed(self):
        plan = self.plan([])
        self.assertIn("containerfilesystem.googleapis.com", json.dumps(self.requests(plan)))
        roles = {binding["role"] for policy in self.bodies(plan, "policy") for binding in policy["bindings"]}
        self.assertLessEqual({"roles/serviceusage.serviceUsageConsumer", "roles/container.defaultNodeServiceAccount"},
                             roles)

    def test_slices_of_several_machines_are_refused(self):
        for name in ("v5litepod-16", "tpu7x-16", "v6e-8-4t"):
            self.assertIn(f"no job can use {name}, a slice of", self.plan([{"accelerator": name}], code=2))
            (self.home / "kinetic.yaml").unlink()
            refused = self.kinetic("pool", "add", name, "--project", PROJECT, "--dry-run", code=2).stderr
            self.assertIn(f"no job can use {name}, a slice of", refused)

    def test_existing_slice_is_kept(self):
        self.existing([{"accelerator": "v5litepod-1"}])
        [cluster] = self.cloud.state["clusters"]
        one = self.cloud.state["nodePools"][f"{cluster}/nodePools/v5litepod-1"]
        self.cloud.state["nodePools"][f"{cluster}/nodePools/slice"] = {
            **one, "name": "slice", "config": one["config"] | {"machineType": "ct5lp-hightpu-4t"},
            "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"}}
        slice_16 = {"accelerator": "v5litepod-16", "name": "slice"}
        plan = self.plan([slice_16, {"accelerator": "v5litepod-1"}])
        self.assertIn("node pool slice is not changed, because no kinetic job can use v5litepod-16",
                      str(plan["warnings"]))
        self.assertEqual([step["name"] for step in plan["steps"] if step["kind"] == "node pool"], ["v5litepod-1"])
        self.assertIn("node pool other: no job can use v5litepod-16", self.plan([slice_16 | {"name": "other"}], code=2))

    def test_settings_of_earlier_pools(self):
        pool = self.existing([{"accelerator": "v5litepod-1"}])["v5litepod-1"]
        changes = lambda **more: [request["body"] for step in self.plan([{"accelerator": "v5litepod-1", **more}])["steps"]  # noqa: E731
                                  if step["kind"] == "node pool" for request in step["requests"]]
        self.assertEqual(changes(), [])
        delay = pool["config"].pop("consolidationDelay")
        pool["upgradeSettings"] = {"maxSurge": 1, "strategy": "SURGE"}
        surge = {"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 1}}
        self.assertEqual(changes(), [{"consolidationDelay": delay}, surge])
        self.assertEqual(changes(idle_time="5m"), [{"consolidationDelay": "300s"}, surge])
        refused = self.send(self.plan([{"accelerator": "v5litepod-1"}]))
        self.assertEqual([one for one in refused if "container" in one[1]], [])
        self.assertEqual(changes(), [])
        pool["config"]["consolidationDelay"] = "900s"  # with idle_time, then without
        self.assertEqual(changes(), [])

    def test_improvements_need_no_permission(self):
        """Another user runs `up` of a newer version on the cluster."""
        pool = self.existing([{"accelerator": "v5litepod-1"}])["v5litepod-1"]
        del pool["config"]["consolidationDelay"], self.cloud.state["services"]["containerfilesystem"]
        roles = ["roles/viewer", "roles/storage.admin", "roles/artifactregistry.admin"]
        [account] = self.cloud.state["serviceAccounts"]
        self.cloud.iam.create(f"projects/{PROJECT}", [
            {"role": "roles/container.defaultNodeServiceAccount", "members": [f"serviceAccount:{account}"]},
            *({"role": role, "members": ["user:ana@example.com"]} for role in roles)])
        plan = self.plan([{"accelerator": "v5litepod-1"}])
        changed = {step["kind"] for step in plan["steps"] if step["action"] != "keep"}
        self.assertLessEqual({"APIs", "access", "node pool"}, changed)
        self.assertNotIn("you lack permissions", str(plan["warnings"]))
        self.cloud.state["nodePools"].clear()
        self.assertIn("ask for roles/container.admin", str(self.plan([{"accelerator": "v5litepod-1"}])["warnings"]))

    def test_limits(self):
        for key, value, expected in (("idle_time", "10s", "from 1m to 24h"), ("disk", "8Gi", "from 32Gi to 64Ti")):
            self.assertIn(expected, self.plan([{"accelerator": "l4", key: value}], code=2))
        (self.home / "kinetic.yaml").unlink()
        self.assertIn("idle_time: expected from 1m", self.kinetic(
            "up", "--project", PROJECT, "--accelerator", "l4", "--idle-time", "2s", "--dry-run", code=2).stderr)


class Networks(Plan):
    def test_private_nodes_have_a_router(self):
        self.assertNotIn("router", {step["kind"] for step in self.plan([])["steps"]})
        plan = self.plan([], private_nodes=True)
        [cluster] = self.bodies(plan, "cluster")
        self.assertEqual(cluster["networkConfig"], {"defaultEnablePrivateNodes": True})
        self.assertEqual([one for one in self.send(plan) if "compute" in one[1]], [])
        [router] = self.cloud.state["routers"].values()
        self.assertEqual(router["nats"][0]["natIpAllocateOption"], "AUTO_ONLY")


    def test_router_of_a_cluster_with_private_nodes(self):
        """The router is created before the cluster and deleted with it. A foreign router of the same name is not deleted."""
        self.existing([], private_nodes=True)
        routers = self.cloud.state["routers"]
        [(name, router)] = routers.items()
        actions = lambda: {step["kind"]: step["action"] for step in self.plan([], private_nodes=True)["steps"]}  # noqa: E731
        self.assertEqual((actions()["router"], actions()["cluster"]), ("keep", "keep"))
        routers.clear()
        self.assertEqual(actions()["router"], "create", "the nodes of the existing cluster need it")
        routers[name] = router
        down = ("down", "--project", PROJECT, "--dry-run", "--json")
        deleted = lambda: {step["kind"] for step in json.loads(self.kinetic(*down).stdout)["steps"]}  # noqa: E731
        self.assertLessEqual({"router", "cluster"}, deleted())
        routers[name] = router | {"description": "theirs"}
        self.assertNotIn("router", deleted())
        self.assertIn("router kinetic-nat exists, but kinetic did not create it", self.plan([], private_nodes=True, code=120))

    def test_router_of_a_cluster_with_public_nodes(self):
        self.existing([])
        plan = self.plan([], private_nodes=True)
        self.assertNotIn("router", {step["kind"] for step in plan["steps"]})
        self.assertIn("keep their external addresses", str(plan["warnings"]))


class AllProblems(Plan):
    def test_in_the_file(self):
        refused = self.plan([{"accelerator": "l4", "spot": True, "flex_start": True},
                             {"accelerator": "l4", "name": "default"}], location="us-west4", users=["a@b.c", "A@x.y"], code=2)
        for text in ("spot, flex_start and reservation exclude each other", "'default' is reserved", "expected a zone",
                     "would have the same namespace"):
            self.assertIn(text, refused)

    def test_in_the_project(self):
        self.existing([])
        [cluster] = self.cloud.state["clusters"].values()
        [account] = self.cloud.state["serviceAccounts"].values()
        cluster["resourceLabels"], account["description"] = {}, "theirs"
        refused = self.plan([], code=120)
        self.assertIn("cluster kinetic exists, but kinetic did not create it", refused)
        self.assertIn("service account kinetic-nodes exists, but kinetic did not create it", refused)


class Quotas(Plan):
    def quotas(self, accelerator, location, **pool):
        return {quota["name"]: quota["available"] for quota in self.plan(
            [{"accelerator": accelerator, **pool}], location=location)["quotas"]}

    def test_names(self):
        families = "GPUS-PER-GPU-FAMILY-per-project-region (NVIDIA_{})"
        expected = {
            ("v4-8", "us-central2-b"): ("TPU_PODSLICE_V4", "PREEMPTIBLE_TPU_PODSLICE_V4"),
            ("v6e-1", "us-east5-b"): ("TPUS-PER-TPU-FAMILY-per-project-region (CT6E)",
                                      "PREEMPTIBLE-TPU-V6E-per-project-region"),
            ("tpu7x-8", "us-east1-d"): ("TPUS-PER-TPU-FAMILY-per-project-region (tpu7x)",
                                        "PREEMPTIBLE-TPU7X-per-project-region"),
            ("h100x8", "us-central1-a"): (families.format("H100"), "PREEMPTIBLE-NVIDIA-H100-GPUS-per-project-region"),
            ("h100-megax8", "us-east1-b"): (families.format("H100_MEGA"),
                                            "PREEMPTIBLE-NVIDIA-H100-MEGA-GPUS-per-project-region"),
            ("h200x8", "us-central1-a"): (families.format("H200"), "PREEMPTIBLE-NVIDIA-H200-GPUS-per-project-region"),
            ("b200x8", "us-east1-b"): (families.format("B200"), "PREEMPTIBLE-NVIDIA-B200-GPUS-per-project-region"),
            ("rtx-pro-6000", "us-east1-d"): (families.format("RTX_PRO_6000"),
                                             "PREEMPTIBLE-NVIDIA-RTX-PRO-6000-GPUS-per-project-region"),
            ("l4", "us-west4-a"): ("NVIDIA_L4_GPUS", "PREEMPTIBLE_NVIDIA_L4_GPUS")}
        for (name, zone), (on_demand, spot) in expected.items():
            with self.subTest(name):
                gpu = "-per-project-region (NVIDIA" in on_demand or "NVIDIA" in on_demand
                found = self.quotas(name, zone)
                self.assertEqual(set(found), {on_demand} | ({"GPUS-ALL-REGIONS-per-project"} if gpu else set()))
                self.assertNotIn(None, found.values())
                self.assertEqual(set(self.quotas(name, zone, spot=True)), {spot})

    def test_zero_is_reported(self):
        self.cloud.options.quotas = {"global": {"GPUS_ALL_REGIONS": 0}}
        plan = self.plan([{"accelerator": "l4"}], location="us-west4-a")
        self.assertIn("GPUS-ALL-REGIONS-per-project in all regions is used up", str(plan["warnings"]))
        plan = self.plan([{"accelerator": "h200x8"}], location="us-central1-a")
        self.assertIn("(NVIDIA_H200) in us-central1 is used up", str(plan["warnings"]))

    def test_limit_of_the_region_counts(self):
        self.cloud.options.quotas = {"us-central1": {"NVIDIA_H200_GPUS": 16, "NVIDIA_H100_GPUS": 24}}
        found = self.quotas("h200x8", "us-central1-a")
        self.assertEqual(found["GPUS-PER-GPU-FAMILY-per-project-region (NVIDIA_H200)"], 16)

    def test_flex_start_uses_the_other_quota_too(self):
        self.cloud.options.quotas = {"us-east5": {"PREEMPTIBLE_CT6E": 0, "CT6E": 8}}
        self.assertEqual(self.quotas("v6e-1", "us-east5-b", flex_start=True),
                         {"TPUS-PER-TPU-FAMILY-per-project-region (CT6E)": 8})

    def test_reservations_of_families(self):
        zone = "https://www.googleapis.com/compute/v1/projects/p/zones/us-east5-b"
        self.cloud.options.reservations = [
            {"name": "all", "zone": zone, "aggregateReservation": {"vmFamily": "VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E"}},
            {"name": "old", "zone": zone, "aggregateReservation": {"vmFamily": "VM_FAMILY_CLOUD_TPU_POD_SLICE_CT5P"}},
            {"name": "one", "zone": zone, "specificReservation": {"instanceProperties": {"machineType": "ct6e-standard-1t"}}}]
        offers = json.loads(self.kinetic("accelerators", "v6e-1", "--available", "--project", PROJECT, "--json").stdout)
        self.assertEqual({offer["zone"]: offer["reservations"] for offer in offers}["us-east5-b"], ["all", "one"])


class Zones(Plan):
    def test_default_zone_has_the_accelerator(self):
        for name in ("tpu7x-8", "b200x8", "h100-megax8", "rtx-pro-6000", "v4-8"):
            self.plan([{"accelerator": name}])

    def test_only_other_zones_are_accepted(self):
        self.assertIn("use another zone of us-south1", self.plan(
            [{"accelerator": "v6e-1"}], location="us-south1-ai1b", code=2))
        for name in ("us-west4", "us-west4-", "us-west4-a-b", "us-west4-A"):
            self.assertIn("expected a zone", self.plan([], location=name, code=2))

    def test_unlisted_tpu_is_a_warning(self):
        plan = self.plan([{"accelerator": "v6e-1"}], location="us-west4-a")
        self.assertIn("v6e-1 (machine type ct6e-standard-1t) is not available in us-west4-a according to Google's list, "
                      "so GKE will probably refuse the node pool, and the cluster will not contain it; "
                      "zones that have it: ", str(plan["warnings"]))
        self.assertIn("us-east5", str(plan["warnings"]))
        self.assertIn("is not available in us-west4-b", self.plan([{"accelerator": "a100"}], location="us-west4-b", code=2))
        self.assertIn("is not available in us-west9-z", self.plan([{"accelerator": "v6e-1"}], location="us-west9-z", code=2))


class Prices(Plan):
    def test_idle_price_includes_disk_and_address(self):
        for zone, dollars in (("us-central1-a", 0.1764), ("europe-west4-a", 0.1832)):
            price = self.plan([], location=zone)["price_per_hour"]
            self.assertAlmostEqual(price["idle"], dollars, places=3)
            self.assertEqual(price["date"], "2026-08-19")

    def test_the_oldest_price_is_dated(self):
        price = self.plan([{"accelerator": "v6e-1"}, {"accelerator": "v5litepod-1"}],
                          location="us-east5-b")["price_per_hour"]
        self.assertEqual(price["date"], "2024-12-23")
        self.assertAlmostEqual(price["busy"], 2.70 + 1.20 + price["idle"])
        self.assertIsNone(self.plan([{"accelerator": "v6e-1", "spot": True}])["price_per_hour"]["busy"])

    def test_prices_are_refreshed_where_that_is_allowed(self):
        self.cloud.state["services"]["cloudbilling"] = 0.0
        price = self.plan([{"accelerator": "v6e-1", "spot": True}], location="us-east5-b")["price_per_hour"]
        self.assertAlmostEqual(price["busy"] - price["idle"], 1.88)
        read = lambda: sum(entry["method"] == "cloudbilling.services.skus.list" for entry in self.cloud.log)  # noqa: E731
        before = read()
        self.assertGreater(before, 0)
        flex = self.plan([{"accelerator": "v6e-1", "flex_start": True}], location="us-east5-b")["price_per_hour"]
        self.assertAlmostEqual(flex["busy"] - flex["idle"], 1.36)
        self.assertEqual(read(), before, "the stored prices are of today")
        stored = next(self.home.rglob("prices.json"))
        self.cloud.state["services"].pop("cloudbilling")
        stored.write_text(json.dumps(json.loads(stored.read_text()) | {"date": "2026-01-01"}))
        old = self.plan([{"accelerator": "v6e-1", "spot": True}], location="us-east5-b")["price_per_hour"]
        self.assertIsNone(old["busy"], "the price of Spot nodes is too old")


if __name__ == "__main__":
    unittest.main()
