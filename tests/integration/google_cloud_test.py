#!/usr/bin/env python3
"""Tests of the stand-in for Google Cloud."""

import http.client
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))
from google_cloud import GoogleCloud, Options  # noqa: E402

DOCUMENTS = subprocess.run([SUPPORT / "google-documents"], capture_output=True, text=True, check=True).stdout.strip()
P, N, OWNER, BO, POD = "kinetic-test", "123456789012", "ya29.s3cret-token", "token-bo", "token-pod"
PRINCIPAL = (f"principal://iam.googleapis.com/projects/{N}/locations/global/workloadIdentityPools/"
             f"{P}.svc.id.goog/subject/ns/default/sa/ana")
SERVICES = ["serviceusage", "storage", "container", "compute", "artifactregistry", "iam",
            "cloudresourcemanager", "cloudquotas", "cloudbilling"]
CLUSTERS = f"/container.googleapis.com/v1/projects/{P}/locations/us-west4-a/clusters"
POOLS = f"{CLUSTERS}/k/nodePools"
REPOSITORIES = f"/artifactregistry.googleapis.com/v1/projects/{P}/locations/us-west4/repositories"
ACCOUNTS = f"/iam.googleapis.com/v1/projects/{P}/serviceAccounts"
PROJECT = f"/cloudresourcemanager.googleapis.com/v3/projects/{P}"
USAGE = f"/serviceusage.googleapis.com/v1/projects/{P}/services"
COMPUTE = f"/compute.googleapis.com/compute/v1/projects/{P}"
BUCKETS = "/storage.googleapis.com/storage/v1/b"


class Case(unittest.TestCase):
    """Starts a stand-in for each test and asserts that requests are valid."""

    given = {}

    def setUp(self):
        tokens = {OWNER: "user:ana@example.com", BO: "user:bo@example.com", POD: PRINCIPAL}
        self.cloud = GoogleCloud(Options(**{
            "documents": DOCUMENTS, "tokens": tokens, "enabled": list(SERVICES),
            "durations": {"default": 0.0}, **self.given})).start()
        self.addCleanup(self.cloud.stop)
        self.expected_violations = 0
        self.addCleanup(self.check_violations)

    def check_violations(self):
        self.assertEqual(self.expected_violations, len(self.cloud.violations),
                         self.cloud.violations)
        self.assertEqual([], self.cloud.defects)

    def ask(self, verb, path, body=None, token=OWNER, headers=None, timeout=5):
        """Returns the status and the document of a response."""
        host = urllib.parse.urlsplit(self.cloud.url)
        connection = http.client.HTTPConnection(host.hostname, host.port, timeout=timeout)
        headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        content = body if isinstance(body, bytes) or body is None else json.dumps(body)
        if isinstance(content, str):
            headers.setdefault("Content-Type", "application/json")
        try:
            connection.request(verb, path, content, headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        is_json = "json" in (answer.headers.get("Content-Type") or "")
        return answer.status, json.loads(text) if is_json else text

    def do(self, verb, path, body=None, **more):
        status, document = self.ask(verb, path, body, **more)
        self.assertIn(status, (200, 204), document)
        return document

    def refused(self, code, text, verb, path, body=None, **more):
        """Asserts that a request fails with a code and a text. Returns the error."""
        status, document = self.ask(verb, path, body, **more)
        self.assertEqual(code, status, document)
        self.assertIn(text, document["error"]["message"])
        return document["error"]

    def control(self, verb, path, body=None):
        status, document = self.ask(verb, f"/_control/{path}", body, token=None, timeout=9)
        self.assertEqual(200, status, document)
        return document

    def cluster(self, name="k", **more):
        """Creates a cluster and returns its operation once it is done."""
        cluster = {"name": name, "nodePools": [self.pool("default", "e2-standard-4", count=1)],
                   "workloadIdentityConfig": {"workloadPool": f"{P}.svc.id.goog"}, **more}
        return self.done(self.do("POST", CLUSTERS, {"cluster": cluster}))

    def pool(self, name="tpu", machine="ct5lp-hightpu-1t", count=0, config=None, **more):
        return {"name": name, "initialNodeCount": count,
                "config": {"machineType": machine, **(config or {})}, **more}

    def add_pool(self, **more):
        return self.done(self.do("POST", POOLS, {"nodePool": self.pool(**more)}))

    def done(self, operation):
        """Returns an operation of GKE once it is done."""
        path = f"{CLUSTERS.rpartition('/')[0]}/operations/{operation['name']}"
        for _ in range(500):
            operation = self.do("GET", path)
            if operation["status"] == "DONE":
                return operation
            time.sleep(0.005)
        raise AssertionError(operation)


class Clusters(Case):
    def test_create_get_conflict_delete(self):
        operation = self.cluster()
        self.assertNotIn("error", operation)
        cluster = self.do("GET", f"{CLUSTERS}/k")
        self.assertEqual("RUNNING", cluster["status"])
        self.assertEqual("203.0.113.10", cluster["endpoint"])
        self.assertTrue(cluster["masterAuth"]["clusterCaCertificate"])
        self.assertIn(".gke.goog",
                      cluster["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"])
        self.assertEqual(1, len(self.cloud.state["disks"]))
        self.assertEqual(4, len(self.cloud.state["firewalls"]))
        again = {"cluster": {"name": "k", "initialNodeCount": 1}}
        self.refused(409, "Already exists", "POST", CLUSTERS, again)
        everywhere = CLUSTERS.replace("us-west4-a", "-")
        self.assertEqual(1, len(self.do("GET", everywhere)["clusters"]))
        self.done(self.do("DELETE", f"{CLUSTERS}/k"))
        self.refused(404, "Not found", "GET", f"{CLUSTERS}/k")
        self.assertEqual([], self.control("GET", "state")["costs"])
        self.assertEqual({}, self.cloud.state["firewalls"])

    def test_update_and_labels(self):
        self.cluster()
        channel = {"update": {"desiredReleaseChannel": {"channel": "RAPID"}}}
        self.done(self.do("PUT", f"{CLUSTERS}/k", channel))
        cluster = self.do("GET", f"{CLUSTERS}/k")
        self.assertEqual("RAPID", cluster["releaseChannel"]["channel"])
        labels = {"resourceLabels": {"a": "b"}, "labelFingerprint": cluster["labelFingerprint"]}
        self.done(self.do("POST", f"{CLUSTERS}/k:setResourceLabels", labels))
        self.refused(400, "fingerprint", "POST", f"{CLUSTERS}/k:setResourceLabels", labels)

    def test_conflicts_of_operations(self):
        self.cluster()
        self.cloud.options.durations = {"default": 60}
        first = self.do("POST", POOLS, {"nodePool": self.pool("p1")})
        self.refused(400, f"Operation {first['name']} is currently creating a node pool for "
                          "cluster k. Please wait", "DELETE", f"{CLUSTERS}/k")
        for index in range(2, 6):
            self.do("POST", POOLS, {"nodePool": self.pool(f"p{index}")})
        self.refused(429, "concurrent operations quota 5", "POST", POOLS,
                     {"nodePool": self.pool("p6")})
        error = self.refused(400, "incompatible operation", "DELETE", f"{POOLS}/p1")
        self.assertEqual("CLUSTER_ALREADY_HAS_OPERATION", error["details"][0]["reason"])
        self.control("POST", "advance", {"seconds": 61})
        self.assertNotIn("error", self.done(first))

    def test_operation_passes_through_its_states(self):
        self.cloud.options.clock, self.cloud.options.durations = "fake", {"default": 10}
        body = {"cluster": {"name": "k", "initialNodeCount": 1}}
        operation = self.do("POST", CLUSTERS, body)
        path = f"{CLUSTERS.rpartition('/')[0]}/operations/{operation['name']}"
        seen = [operation["status"]]
        for seconds in (5, 6):
            self.control("POST", "advance", {"seconds": seconds})
            seen.append(self.do("GET", path)["status"])
        self.assertEqual(["PENDING", "RUNNING", "DONE"], seen)

    def test_failed_create_leaves_the_cluster_in_error(self):
        self.cloud.options.quotas = {"us-west4": {"CPUS": 2}}
        operation = self.cluster()
        self.assertEqual("GCE_QUOTA_EXCEEDED", operation["clusterConditions"][0]["code"])
        self.assertEqual("ERROR", self.do("GET", f"{CLUSTERS}/k")["status"])
        self.done(self.do("DELETE", f"{CLUSTERS}/k"))

    def test_orphans(self):
        for orphan, kind in (("disk", "disks"), ("address", "addresses")):
            with self.subTest(orphan):
                self.cloud.options.orphan = orphan
                self.cluster()
                self.done(self.do("DELETE", f"{CLUSTERS}/k"))
                found = self.do("GET", f"{COMPUTE}/aggregated/{kind}?" + urllib.parse.urlencode(
                    {"filter": "labels.goog-k8s-cluster-name=k"}))["items"]
                named = [one for scope in found.values() for one in scope.get(kind, [])]
                self.assertEqual(1, len(named))
        zone, disk = list(self.cloud.state["disks"])[0].split("/")
        operation = self.do("DELETE", f"{COMPUTE}/zones/{zone}/disks/{disk}")
        waited = self.do("POST", f"{COMPUTE}/zones/{zone}/operations/{operation['name']}/wait")
        self.assertEqual("DONE", waited["status"])
        self.assertEqual({}, self.cloud.state["disks"])

    def test_server_config(self):
        config = self.do("GET", f"{CLUSTERS.rpartition('/')[0]}/serverConfig")
        self.assertIn(config["defaultClusterVersion"], config["validMasterVersions"])


class NodePools(Case):
    def setUp(self):
        super().setUp()
        self.cluster()

    def test_create_get_conflict_resize_delete(self):
        self.assertNotIn("error", self.add_pool())
        self.refused(409, "Already exists", "POST", POOLS, {"nodePool": self.pool()})
        self.done(self.do("POST", f"{POOLS}/tpu:setSize", {"nodeCount": 2}))
        self.assertEqual(3, self.do("GET", f"{CLUSTERS}/k")["currentNodeCount"])
        self.assertEqual(3, len(self.cloud.state["disks"]))
        scaling = {"autoscaling": {"enabled": True, "maxNodeCount": 3, "locationPolicy": "ANY"}}
        self.done(self.do("POST", f"{POOLS}/tpu:setAutoscaling", scaling))
        self.assertEqual(3, self.do("GET", f"{POOLS}/tpu")["autoscaling"]["maxNodeCount"])
        self.done(self.do("DELETE", f"{POOLS}/tpu"))
        self.assertEqual(1, len(self.do("GET", POOLS)["nodePools"]))

    def test_rules(self):
        slice_policy = {"type": "COMPACT", "tpuTopology": "4x4"}
        refused = [
            ("can't be specified with single-host TPU slice pool",
             self.pool(placementPolicy={"type": "COMPACT", "tpuTopology": "1x1"})),
            ("require placement_policy.tpu_topology",
             self.pool(machine="ct5lp-hightpu-4t", placementPolicy={"type": "COMPACT"})),
            ("does not exist in zone", self.pool(machine="ct6e-standard-1t")),
            ("Maximum node count 0 is not a valid size of TPU pod slice with topology 4x4",
             self.pool(machine="ct5lp-hightpu-4t", placementPolicy=slice_policy,
                       autoscaling={"enabled": True, "totalMaxNodeCount": 4})),
            ("gang mode of size '4'",
             self.pool(machine="ct5lp-hightpu-4t", placementPolicy=slice_policy, count=3)),
            ("tpu7x-standard-4t machine type with placement policy is not supported. Use workload policy",
             self.pool(machine="tpu7x-standard-4t", locations=["us-west4-b"],
                       placementPolicy={"type": "COMPACT", "tpuTopology": "2x2x2"})),
            ("does not exist.", self.pool(config={
                "serviceAccount": f"missing@{P}.iam.gserviceaccount.com"}))]
        for text, pool in refused:
            with self.subTest(text):
                self.refused(400, text, "POST", POOLS, {"nodePool": pool})

    def test_grace_of_spot_nodes_needs_a_new_version(self):
        config = {"spot": True, "kubeletConfig": {"shutdownGracePeriodSeconds": 30}}
        [cluster] = self.cloud.state["clusters"].values()
        cluster["currentMasterVersion"] = "1.34.1-gke.3849001"
        self.refused(400, "requires a newer version", "POST", POOLS, {"nodePool": self.pool(config=config)})
        cluster["currentMasterVersion"] = "1.36.3-gke.1105000"
        self.assertNotIn("error", self.add_pool(config=config))

    def test_update_of_one_field(self):
        self.add_pool()
        self.done(self.do("PUT", f"{POOLS}/tpu", {"consolidationDelay": "120s"}))
        self.assertEqual("120s", self.do("GET", f"{POOLS}/tpu")["config"]["consolidationDelay"])
        self.refused(400, "Only one field", "PUT", f"{POOLS}/tpu",
                     {"consolidationDelay": "60s", "taints": {"taints": []}})

    def test_multi_host(self):
        operation = self.add_pool(machine="ct5lp-hightpu-4t", count=4, placementPolicy={
            "type": "COMPACT", "tpuTopology": "4x4"}, autoscaling={
                "enabled": True, "maxNodeCount": 4, "locationPolicy": "ANY"})
        self.assertNotIn("error", operation)

    def test_stockout_hits_only_nodes_that_are_wanted_at_once(self):
        self.cloud.options.stockouts = ["ct5lp-*@us-west4-a"]
        self.assertNotIn("error", self.add_pool(name="later"))
        operation = self.add_pool(name="now", count=1)
        self.assertEqual("GCE_STOCKOUT", operation["nodepoolConditions"][0]["code"])
        pool = self.do("GET", f"{POOLS}/now")
        self.assertEqual(("ERROR", "GCE_STOCKOUT"),
                         (pool["status"], pool["conditions"][0]["code"]))

    def test_quota(self):
        self.cloud.options.quotas = {"us-west4": {"PREEMPTIBLE_TPU_LITE_PODSLICE_V5": 1}}
        operation = self.add_pool(count=2, config={"spot": True})
        self.assertEqual("GCE_QUOTA_EXCEEDED", operation["nodepoolConditions"][0]["code"])

    def test_node_account_without_role(self):
        self.add_pool()
        pool = self.do("GET", f"{POOLS}/tpu")
        self.assertEqual("NODE_SERVICE_ACCOUNT_MISSING_PERMISSIONS",
                         pool["conditions"][0]["code"])
        account = self.do("POST", ACCOUNTS, {"accountId": "kinetic-nodes"})["email"]
        policy = self.do("POST", f"{PROJECT}:getIamPolicy", {})
        policy["bindings"].append({"role": "roles/container.defaultNodeServiceAccount",
                                   "members": [f"serviceAccount:{account}"]})
        self.do("POST", f"{PROJECT}:setIamPolicy", {"policy": policy})
        self.add_pool(name="good", config={"serviceAccount": account})
        self.assertNotIn("conditions", self.do("GET", f"{POOLS}/good"))

    def test_act_as(self):
        policy = self.do("POST", f"{PROJECT}:getIamPolicy", {})
        policy["bindings"].append({"role": "roles/container.admin",
                                   "members": ["user:bo@example.com"]})
        self.do("POST", f"{PROJECT}:setIamPolicy", {"policy": policy})
        self.refused(400, "iam.serviceAccountUser", "POST", POOLS, {"nodePool": self.pool()},
                     token=BO)

    def test_hook_that_is_a_command(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "event")
            self.cloud.options.hook = f"cat > {file}"
            self.add_pool(count=1)
            self.assertEqual("tpu", json.loads(file.read_text())["pool"])

    def test_hook(self):
        told = []
        self.cloud.options.hook = told.append
        self.add_pool(count=1)
        self.done(self.do("POST", f"{POOLS}/tpu:setSize", {"nodeCount": 2}))
        self.done(self.do("DELETE", f"{POOLS}/tpu"))
        self.assertEqual([("created", 1), ("resized", 2), ("deleted", 0)],
                         [(event["event"], event["size"]) for event in told])


class Storage(Case):
    def test_create_get_conflict_delete(self):
        wanted = {"name": "b-ana", "location": "us-west4",
                  "softDeletePolicy": {"retentionDurationSeconds": "0"},
                  "iamConfiguration": {"uniformBucketLevelAccess": {"enabled": True}},
                  "lifecycle": {"rule": [{"action": {"type": "Delete"}, "condition": {"age": 3}}]}}
        self.do("POST", f"{BUCKETS}?project={P}", wanted)
        bucket = self.do("GET", f"{BUCKETS}/b-ana")
        self.assertEqual(("US-WEST4", "0"), (
            bucket["location"], bucket["softDeletePolicy"]["retentionDurationSeconds"]))
        error = self.refused(409, "already own it", "POST", f"{BUCKETS}?project={P}", wanted)
        self.assertNotIn("status", error)
        labels = {"labels": {"a": "b", "c": "d"}}
        self.do("PATCH", f"{BUCKETS}/b-ana", labels)
        patched = self.do("PATCH", f"{BUCKETS}/b-ana", {"labels": {"a": None}})
        self.assertEqual({"c": "d"}, patched["labels"])
        upload = f"/storage.googleapis.com/upload{BUCKETS[23:]}/b-ana/o?uploadType=media&name=x%2Fy"
        self.do("POST", upload, b"content", headers={"Content-Type": "text/plain"})
        self.assertEqual(b"content", self.do("GET", f"{BUCKETS}/b-ana/o/x%2Fy?alt=media"))
        self.refused(409, "not empty", "DELETE", f"{BUCKETS}/b-ana")
        listed = self.do("GET", f"{BUCKETS}/b-ana/o?prefix=x/&delimiter=/")
        self.assertEqual(["x/y"], [one["name"] for one in listed["items"]])
        self.do("DELETE", f"{BUCKETS}/b-ana/o/x%2Fy")
        self.do("DELETE", f"{BUCKETS}/b-ana")
        self.refused(404, "does not exist", "GET", f"{BUCKETS}/b-ana")

    def test_taken_name(self):
        self.cloud.options.taken_buckets = ["taken"]
        self.refused(409, "not available", "POST", f"{BUCKETS}?project={P}", {"name": "taken"})
        self.refused(403, "storage.buckets.get", "GET", f"{BUCKETS}/taken")

    def test_policy_with_condition(self):
        self.do("POST", f"{BUCKETS}?project={P}", {"name": "b-ana", "iamConfiguration": {
            "uniformBucketLevelAccess": {"enabled": True}}})
        self.refused(403, "storage.objects.get", "GET", f"{BUCKETS}/b-ana/o/ana%2Fx", token=POD)
        policy = self.do("GET", f"{BUCKETS}/b-ana/iam?optionsRequestedPolicyVersion=3")
        start = 'resource.name.startsWith("projects/_/buckets/b-ana/objects/'
        policy["bindings"].append({
            "role": "roles/storage.objectUser", "members": [PRINCIPAL],
            "condition": {"title": "own", "expression": f'{start}ana/") || {start}all/")'}})
        stale = {**policy, "etag": "AAAA"}
        self.refused(412, "pre-conditions", "PUT", f"{BUCKETS}/b-ana/iam", stale)
        self.refused(400, "version 3", "PUT", f"{BUCKETS}/b-ana/iam", policy)
        self.do("PUT", f"{BUCKETS}/b-ana/iam", {**policy, "version": 3})
        self.refused(404, "No such object", "GET", f"{BUCKETS}/b-ana/o/ana%2Fx", token=POD)
        self.refused(403, "storage.objects.get", "GET", f"{BUCKETS}/b-ana/o/bo%2Fx", token=POD)
        old = self.do("GET", f"{BUCKETS}/b-ana/iam")
        self.assertIn("_withcond_", str(old))

    def test_managed_folders(self):
        self.do("POST", f"{BUCKETS}?project={P}", {"name": "b-ana", "iamConfiguration": {
            "uniformBucketLevelAccess": {"enabled": True}}})
        folders, folder = f"{BUCKETS}/b-ana/managedFolders", f"{BUCKETS}/b-ana/managedFolders/users%2Fbo%2F"
        self.refused(404, "does not exist", "GET", f"{folder}/iam")
        self.do("POST", folders, {"name": "users/bo/"})
        self.refused(409, "already exists", "POST", folders, {"name": "users/bo"})
        self.assertEqual([one["name"] for one in self.do("GET", f"{folders}?prefix=users/")["items"]], ["users/bo/"])
        objects = f"{BUCKETS}/b-ana/o"
        self.refused(403, "storage.objects.list", "GET", f"{objects}?prefix=users/bo/", token=BO)
        policy = self.do("GET", f"{folder}/iam?optionsRequestedPolicyVersion=3")
        policy["bindings"].append({"role": "roles/storage.objectUser", "members": ["user:bo@example.com"]})
        self.do("PUT", f"{folder}/iam", policy)
        self.do("GET", f"{objects}?prefix=users/bo/x", token=BO)
        for prefix in ("", "?prefix=users/", "?prefix=users/bo", "?prefix=users/boris/"):
            self.refused(403, "storage.objects.list", "GET", f"{objects}{prefix}", token=BO)
        upload = f"/storage.googleapis.com/upload{objects[23:]}?uploadType=media&name="
        content = {"headers": {"Content-Type": "text/plain"}, "token": BO}
        self.do("POST", f"{upload}users%2Fbo%2Fx", b"content", **content)
        self.refused(403, "storage.objects.create", "POST", f"{upload}users%2Fx", b"content", **content)
        self.do("POST", f"{upload}other", b"content", headers={"Content-Type": "text/plain"})
        self.refused(403, "storage.objects.get", "GET", f"{objects}/other", token=BO)
        self.refused(403, "storage.objects.get", "POST", f"{objects}/users%2Fbo%2Fy/compose",
                     {"sourceObjects": [{"name": "other"}], "destination": {}}, token=BO)
        self.refused(403, "storage.managedFolders.setIamPolicy", "PUT", f"{folder}/iam", policy, token=BO)
        for name in "other", "users%2Fbo%2Fx":
            self.do("DELETE", f"{objects}/{name}")
        self.refused(409, "managed folders", "DELETE", f"{BUCKETS}/b-ana")
        self.refused(409, "not empty", "DELETE", folder)
        self.do("DELETE", f"{folder}?allowNonEmpty=true")
        self.do("DELETE", f"{BUCKETS}/b-ana")

    def test_objects_of_another_server(self):
        other = GoogleCloud(Options(documents=DOCUMENTS)).start()
        self.addCleanup(other.stop)
        self.cloud.options.objects = f"{other.url}/storage.googleapis.com"
        self.do("POST", f"{BUCKETS}?project={P}", {"name": "b-ana"})
        upload = f"/storage.googleapis.com/upload{BUCKETS[23:]}/b-ana/o?uploadType=media&name=x"
        other.options.project, other.iam = P, other.iam
        self.do("POST", upload, b"content", headers={"Content-Type": "text/plain"})
        self.assertEqual(["x"], list(other.state["buckets"]["b-ana"]["_objects"]))
        self.refused(409, "not empty", "DELETE", f"{BUCKETS}/b-ana")
        self.refused(403, "storage.objects.get", "GET", f"{BUCKETS}/b-ana/o/x", token=BO)
        self.do("DELETE", f"{BUCKETS}/b-ana/o/x")
        self.do("DELETE", f"{BUCKETS}/b-ana")
        self.assertEqual({}, other.state["buckets"])


class _Sessions(http.server.BaseHTTPRequestHandler):
    """Answers each request with an upload session and records it."""

    seen = []

    def _handle(self):
        self.seen.append((self.command, self.path.partition("?")[0]))
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Location", f"http://{self.headers['Host']}/upload/storage/v1/b/b-ana/o"
                                     "?uploadType=resumable&upload_id=7")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_PUT = _handle

    def log_message(self, *_):
        pass


class PassedOn(Case):
    """Requests that only the server of objects knows."""

    def setUp(self):
        super().setUp()
        self.do("POST", f"{BUCKETS}?project={P}", {"name": "b-ana"})
        server = http.server.HTTPServer(("127.0.0.1", 0), _Sessions)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.cloud.options.objects = f"http://127.0.0.1:{server.server_port}"
        _Sessions.seen.clear()

    def test_upload_session(self):
        upload = f"/storage.googleapis.com/upload{BUCKETS[23:]}/b-ana/o?uploadType=resumable&name=x"
        host = urllib.parse.urlsplit(self.cloud.url)
        connection = http.client.HTTPConnection(host.hostname, host.port, timeout=5)
        self.addCleanup(connection.close)
        connection.request("POST", upload, "{}", {"Authorization": f"Bearer {OWNER}"})
        answer = connection.getresponse()
        answer.read()
        location = answer.headers["Location"]
        self.assertTrue(location.startswith(f"{self.cloud.url}/storage.googleapis.com/upload/"))
        self.do("PUT", location[len(self.cloud.url):], b"content")
        path = "/upload/storage/v1/b/b-ana/o"
        self.assertEqual([("POST", path), ("PUT", path)], _Sessions.seen)

    def test_batch(self):
        path = "/storage.googleapis.com/batch/storage/v1"
        part = b"--x\r\n\r\nDELETE /storage/v1/b/b-ana/o/x HTTP/1.1\r\n\r\n--x--\r\n"
        headers = {"Content-Type": "multipart/mixed; boundary=x"}
        self.refused(403, "storage.objects.delete", "POST", path, part, token=BO, headers=headers)
        self.assertEqual([], _Sessions.seen)
        self.do("POST", path, part, headers=headers)
        self.assertEqual([("POST", "/batch/storage/v1")], _Sessions.seen)


class ArtifactRegistry(Case):
    def test_create_get_conflict_delete(self):
        body = {"format": "DOCKER", "cleanupPolicies": {"old": {
            "id": "old", "action": "DELETE", "condition": {"olderThan": "2592000s"}}}}
        operation = self.do("POST", f"{REPOSITORIES}?repositoryId=r", body)
        path = f"/artifactregistry.googleapis.com/v1/{operation['name']}"
        self.assertTrue(self.wait(path)["response"]["registryUri"].endswith(f"/{P}/r"))
        self.assertEqual("STANDARD_REPOSITORY", self.do("GET", f"{REPOSITORIES}/r")["mode"])
        self.refused(409, "already exists", "POST", f"{REPOSITORIES}?repositoryId=r", body)
        self.refused(400, "updateMask", "PATCH", f"{REPOSITORIES}/r", {"labels": {"a": "b"}})
        self.do("PATCH", f"{REPOSITORIES}/r?updateMask=labels", {"labels": {"a": "b"}})
        policy = self.do("GET", f"{REPOSITORIES}/r:getIamPolicy")
        policy["bindings"] = [{"role": "roles/artifactregistry.reader",
                               "members": ["user:bo@example.com"]}]
        self.do("POST", f"{REPOSITORIES}/r:setIamPolicy", {"policy": policy})
        self.do("GET", f"{REPOSITORIES}/r", token=BO)
        self.refused(403, "artifactregistry.repositories.delete", "DELETE", f"{REPOSITORIES}/r",
                     token=BO)
        operation = self.do("DELETE", f"{REPOSITORIES}/r")
        self.wait(f"/artifactregistry.googleapis.com/v1/{operation['name']}")
        self.refused(404, "not found", "GET", f"{REPOSITORIES}/r")
        self.expected_violations = 1  # the missing updateMask

    def test_remote(self):
        self.refused(400, "remote repository config", "POST", f"{REPOSITORIES}?repositoryId=hub",
                     {"format": "DOCKER", "mode": "REMOTE_REPOSITORY"})
        operation = self.do("POST", f"{REPOSITORIES}?repositoryId=hub", {
            "format": "DOCKER", "mode": "REMOTE_REPOSITORY", "remoteRepositoryConfig": {
                "dockerRepository": {"publicRepository": "DOCKER_HUB"}}})
        self.wait(f"/artifactregistry.googleapis.com/v1/{operation['name']}")
        self.assertEqual(1, len(self.do("GET", REPOSITORIES)["repositories"]))

    def wait(self, path):
        for _ in range(500):
            operation = self.do("GET", path)
            if operation.get("done"):
                return operation
            time.sleep(0.005)
        raise AssertionError(operation)


class ServiceAccounts(Case):
    def test_create_get_conflict_delete(self):
        body = {"accountId": "kinetic-nodes", "serviceAccount": {"displayName": "Nodes"}}
        account = self.do("POST", ACCOUNTS, body)
        email = account["email"]
        self.assertEqual("Nodes", self.do("GET", f"{ACCOUNTS}/{email}")["displayName"])
        self.do("GET", f"/iam.googleapis.com/v1/projects/-/serviceAccounts/{email}")
        self.refused(409, "already exists", "POST", ACCOUNTS, body)
        self.do("PATCH", f"{ACCOUNTS}/{email}", {
            "updateMask": "description", "serviceAccount": {"description": "x"}})
        policy = self.do("POST", f"{ACCOUNTS}/{email}:getIamPolicy")
        policy["bindings"] = [{"role": "roles/iam.workloadIdentityUser",
                               "members": [f"serviceAccount:{P}.svc.id.goog[default/ana]"]}]
        self.do("POST", f"{ACCOUNTS}/{email}:setIamPolicy", {"policy": policy})
        self.assertEqual(1, len(self.do("GET", ACCOUNTS)["accounts"]))
        self.do("DELETE", f"{ACCOUNTS}/{email}")
        self.refused(404, "Unknown service account", "GET", f"{ACCOUNTS}/{email}")

    def test_new_account_is_unknown_to_policies(self):
        self.cloud.options.account_delay, self.cloud.options.clock = 60, "fake"
        email = self.do("POST", ACCOUNTS, {"accountId": "kinetic-nodes"})["email"]
        policy = self.do("POST", f"{PROJECT}:getIamPolicy", {})
        policy["bindings"].append({"role": "roles/logging.logWriter",
                                   "members": [f"serviceAccount:{email}"]})
        body = {"policy": policy}
        self.refused(400, f"Service account {email} does not exist.", "POST",
                     f"{PROJECT}:setIamPolicy", body)
        self.control("POST", "advance", {"seconds": 60})
        self.do("POST", f"{PROJECT}:setIamPolicy", body)
        self.do("DELETE", f"{ACCOUNTS}/{email}")
        self.assertIn("deleted:serviceAccount:", str(self.do("POST", f"{PROJECT}:getIamPolicy")))


class Project(Case):
    def test_project(self):
        project = self.do("GET", PROJECT)
        self.assertEqual((f"projects/{N}", P, "ACTIVE"),
                         (project["name"], project["projectId"], project["state"]))
        self.do("GET", PROJECT.replace(P, N))
        self.refused(403, "resourcemanager.projects.get", "GET", PROJECT + "-other")
        granted = self.do("POST", f"{PROJECT}:testIamPermissions",
                          {"permissions": ["container.clusters.create"]})
        self.assertEqual(["container.clusters.create"], granted["permissions"])

    def test_role_that_is_already_there(self):
        """A policy keeps the roles of service agents, which the stand-in does not list."""
        agent = {"role": "roles/container.serviceAgent", "members": [
            f"serviceAccount:service-{N}@container-engine-robot.iam.gserviceaccount.com"]}
        owner = {"role": "roles/owner", "members": ["user:ana@example.com"]}
        self.cloud.iam.create(f"projects/{P}", [owner, agent])
        policy = self.do("POST", f"{PROJECT}:getIamPolicy", {})
        self.do("POST", f"{PROJECT}:setIamPolicy", {"policy": policy})
        policy = {"bindings": [owner, {**agent, "role": "roles/made.up"}]}
        self.refused(400, "not supported", "POST", f"{PROJECT}:setIamPolicy", {"policy": policy})

    def test_race(self):
        policy = self.do("POST", f"{PROJECT}:getIamPolicy", {})
        self.do("POST", f"{PROJECT}:setIamPolicy", {"policy": {**policy, "bindings": [
            *policy["bindings"], {"role": "roles/viewer", "members": ["user:bo@example.com"]}]}})
        error = self.refused(409, "concurrent policy changes", "POST", f"{PROJECT}:setIamPolicy",
                             {"policy": policy})
        self.assertEqual("ABORTED", error["status"])

    def test_grants_become_visible_later(self):
        self.cloud.options.iam_delay, self.cloud.options.clock = 60, "fake"
        policy = self.do("POST", f"{PROJECT}:getIamPolicy", {})
        policy["bindings"].append({"role": "roles/viewer", "members": ["user:bo@example.com"]})
        self.do("POST", f"{PROJECT}:setIamPolicy", {"policy": policy})
        self.refused(403, 'Required "container.clusters.list" permission(s)', "GET", CLUSTERS,
                     token=BO)
        self.control("POST", "options", {"seconds_per_request": 30})
        self.refused(403, "container.clusters.list", "GET", CLUSTERS, token=BO)
        self.do("GET", CLUSTERS, token=BO)

    def test_token(self):
        self.refused(401, "invalid authentication credentials", "GET", PROJECT, token="wrong")
        self.refused(401, "invalid authentication credentials", "GET", PROJECT, token=None)

    def test_quota_project(self):
        header = {"x-goog-user-project": P}
        self.do("GET", CLUSTERS, headers=header)
        self.refused(403, "serviceusage.services.use", "GET", CLUSTERS, token=BO, headers=header)

    def test_quota_project_without_the_service(self):
        self.cloud.options.quota_projects = {"other": {"number": "42", "enabled": ["storage"]}}

        def consumer(headers=None):
            status, answer = self.ask("GET", CLUSTERS, headers=headers)
            return status, status == 403 and answer["error"]["details"][0]["metadata"]["consumer"]

        self.assertEqual((403, "projects/42"), consumer({"x-goog-user-project": "other"}))
        self.assertEqual((200, False), consumer())
        self.cloud.options.login_project = "other"
        self.assertEqual((403, "projects/42"), consumer())
        self.assertEqual((200, False), consumer({"x-goog-user-project": P}))

    def test_names_in_conditions_on_clusters(self):
        account = "serviceAccount:a@elsewhere.iam.gserviceaccount.com"
        self.cloud.options.tokens["token-a"] = account

        def allowed(**spelling):
            self.cloud.options.gke_condition_names = spelling.get("seen", "locations")
            name = f"projects/{P}/{spelling['granted']}/us-west4-a/clusters/k"
            self.cloud.iam.create(f"projects/{P}", [{
                "role": "roles/container.clusterAdmin", "members": [account],
                "condition": {"title": "k", "expression": f'resource.name == "{name}"'}}])
            return self.ask("GET", f"{CLUSTERS}/k", token="token-a")[0] == 404

        self.assertTrue(allowed(granted="locations"))
        self.assertFalse(allowed(granted="locations", seen="zones"))
        self.assertTrue(allowed(granted="zones", seen="zones"))
        self.assertFalse(allowed(granted="locations", seen="none"))

    def test_constraint(self):
        self.cloud.options.constraints = {"storage.buckets.insert": "storage.uniformAccess"}
        self.refused(412, "Constraint constraints/storage.uniformAccess violated", "POST",
                     f"{BUCKETS}?project={P}", {"name": "b-ana"})

    def test_billing(self):
        info = f"/cloudbilling.googleapis.com/v1/projects/{P}/billingInfo"
        self.assertTrue(self.do("GET", info)["billingEnabled"])
        self.cloud.options.billing = False
        self.assertNotIn("billingEnabled", self.do("GET", info))
        self.refused(403, "requires billing", "GET", CLUSTERS)

    def test_prices(self):
        path = "/cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus?pageSize=6"
        first = self.do("GET", path)
        second = self.do("GET", f"{path}&pageToken={first['nextPageToken']}")
        third = self.do("GET", f"{path}&pageToken={second['nextPageToken']}")
        self.assertEqual((6, ""), (len(first["skus"]), third["nextPageToken"]))


class ServiceUsage(Case):
    given = {"enabled": ["serviceusage"], "durations": {"default": 0.05}}

    def test_enable(self):
        error = self.refused(403, "has not been used in project", "GET", CLUSTERS)
        info = error["details"][0]
        self.assertEqual(("SERVICE_DISABLED", "container.googleapis.com", f"projects/{N}"), (
            info["reason"], info["metadata"]["service"], info["metadata"]["consumer"]))
        name = f"projects/{P}/services/container.googleapis.com"
        states = f"{USAGE}:batchGet?names={name}"
        self.assertEqual("DISABLED", self.do("GET", states)["services"][0]["state"])
        body = {"serviceIds": ["container.googleapis.com"]}
        operation = self.do("POST", f"{USAGE}:batchEnable", body)
        self.assertNotIn("done", operation)
        path = f"/serviceusage.googleapis.com/v1/{operation['name']}"
        while not self.do("GET", path).get("done"):
            time.sleep(0.005)
        self.assertEqual("ENABLED", self.do("GET", states)["services"][0]["state"])
        self.do("GET", CLUSTERS)
        again = self.do("POST", f"{USAGE}:batchEnable", body)
        self.assertEqual(("operations/noop.DONE_OPERATION", True), (again["name"], again["done"]))

    def test_without_billing(self):
        self.cloud.options.billing = False
        self.refused(400, "Billing must be enabled", "POST", f"{USAGE}:batchEnable",
                     {"serviceIds": ["container.googleapis.com"]})


class Compute(Case):
    def test_places_and_machine_types(self):
        region = self.do("GET", f"{COMPUTE}/regions/us-west4")
        quotas = {quota["metric"]: quota["limit"] for quota in region["quotas"]}
        self.assertEqual(32, quotas["TPU_LITE_PODSLICE_V5"])
        self.assertIn("us-west4-a", region["zones"][0])
        self.assertIn("us-west4-a", [one["name"] for one in self.do(
            "GET", f"{COMPUTE}/zones")["items"]])
        machine = f"{COMPUTE}/zones/us-west4-a/machineTypes/"
        self.assertEqual(24, self.do("GET", machine + "ct5lp-hightpu-1t")["guestCpus"])
        self.refused(404, "was not found", "GET", machine + "ct6e-standard-1t")
        found = self.do("GET", f"{COMPUTE}/aggregated/machineTypes?filter=name%3Dct6e-standard-1t")
        scopes = {scope for scope, one in found["items"].items() if "machineTypes" in one}
        self.assertEqual({"zones/us-central1-b", "zones/us-east1-d", "zones/us-east5-a",
                          "zones/us-east5-b", "zones/us-south1-ai1b", "zones/europe-west4-a"}, scopes)

    def test_lists(self):
        for path in ("aggregated/acceleratorTypes", "aggregated/reservations", "aggregated/disks",
                     "aggregated/addresses", "aggregated/forwardingRules", "aggregated/routers",
                     "aggregated/subnetworks", "global/networks", "global/firewalls"):
            with self.subTest(path):
                self.assertIn("kind", self.do("GET", f"{COMPUTE}/{path}"))
        listed = self.do("GET", f"{COMPUTE}/global/networks?filter=name%20eq%20def.*")
        self.assertEqual(1, len(listed["items"]))

    def test_quotas(self):
        infos = (f"/cloudquotas.googleapis.com/v1/projects/{P}/locations/global/services/"
                 "compute.googleapis.com/quotaInfos")
        self.cloud.options.quotas = {"us-east5": {"CT6E": 4}}
        family = self.do("GET", f"{infos}/TPUS-PER-TPU-FAMILY-per-project-region")
        others, special, newer = family["dimensionsInfos"]
        self.assertEqual({"region": "us-east5", "tpu_family": "CT6E"}, special["dimensions"])
        self.assertEqual("4", special["details"]["value"])
        self.assertEqual({"tpu_family": "CT6E"}, others["dimensions"])
        self.assertEqual({"tpu_family": "tpu7x"}, newer["dimensions"])
        everywhere = self.do("GET", f"{infos}/GPUS-ALL-REGIONS-per-project")
        self.assertEqual(["global"], everywhere["dimensionsInfos"][0]["applicableLocations"])
        self.assertGreater(len(self.do("GET", infos)["quotaInfos"]), 4)


class Validation(Case):
    def test_violations(self):
        bad = [
            ("Unknown name \"diskSizeGB\"", self.pool(config={"diskSizeGB": 5})),
            ("initialNodeCount", {"name": "x", "initialNodeCount": "4"}),
            ("TYPE_ENUM", self.pool(config={"taints": [{"key": "a", "effect": "NoSchedule"}]})),
            ("output only", {"name": "x", "status": "RUNNING"})]
        for text, pool in bad:
            with self.subTest(text):
                self.refused(400, text, "POST", POOLS, {"nodePool": pool})
        self.refused(400, "Cannot bind query parameter", "GET", f"{CLUSTERS}?page=3")
        self.refused(400, "cluster.name", "POST", CLUSTERS, {"cluster": {"initialNodeCount": 1}})
        self.assertEqual(404, self.ask("GET", "/container.googleapis.com/v1/nothing")[0])
        self.refused(400, "Content-Type", "POST", POOLS, {}, headers={"Content-Type": "text/plain"})
        self.assertEqual(8, len(self.control("GET", "violations")["violations"]))
        self.expected_violations = 8

    def test_fields(self):
        self.cluster()
        self.assertEqual({"clusters": [{"name": "k", "nodePools": [{"name": "default"}]}]},
                         self.do("GET", f"{CLUSTERS}?fields=clusters(name,nodePools/name)"))
        self.refused(400, "Invalid field selection", "GET", f"{CLUSTERS}?fields=clusters(name")
        self.expected_violations = 1

    def test_labels(self):
        self.refused(400, "Invalid label key", "POST", f"{BUCKETS}?project={P}",
                     {"name": "b-ana", "labels": {"app.kubernetes.io/name": "x"}})

    def test_unknown_method(self):
        self.expected_violations = 1
        self.refused(501, "not implemented", "GET", f"{CLUSTERS}/k/jwks")


class Faults(Case):
    def faults(self, *rules):
        self.control("POST", "faults", list(rules))

    def rule(self, kind, method="*", nth=1):
        return {"method": method, "kind": kind, "nth": nth}

    def test_statuses(self):
        self.faults(self.rule("503", "container.*", 2), self.rule("429", "compute.*"))
        self.do("GET", CLUSTERS)
        self.refused(503, "unavailable", "GET", CLUSTERS)
        self.do("GET", CLUSTERS)
        self.refused(429, "Quota exceeded", "GET", f"{COMPUTE}/zones")

    def test_lost_requests_and_responses(self):
        for kind, count in (("reset_before", 0), ("reset_after", 1)):
            with self.subTest(kind):
                self.faults(self.rule(kind))
                with self.assertRaises((ConnectionError, http.client.HTTPException)):
                    self.ask("POST", ACCOUNTS, {"accountId": "kinetic-nodes"})
                self.assertEqual(count, len(self.cloud.state["serviceAccounts"]))

    def test_timeout(self):
        self.faults(self.rule("timeout"))
        with self.assertRaises(TimeoutError):
            self.ask("POST", ACCOUNTS, {"accountId": "kinetic-nodes"}, timeout=0.1)
        self.assertEqual({}, self.cloud.state["serviceAccounts"])

    def test_permission(self):
        self.faults(self.rule("permission:roles/container.admin", nth=None))
        self.refused(403, "container.clusters.list", "GET", CLUSTERS)
        self.do("GET", f"{COMPUTE}/zones")

    def test_failed_operations(self):
        self.cluster()
        expected = {"quota": "GCE_QUOTA_EXCEEDED", "stockout": "GCE_STOCKOUT",
                    "operation_error": None}
        for kind, code in expected.items():
            with self.subTest(kind):
                self.faults(self.rule(kind, "*.nodePools.create"))
                name = kind.replace("_", "-")
                operation = self.add_pool(name=name, count=1)
                self.assertEqual(code, operation["nodepoolConditions"][0].get("code"))
                self.assertEqual("ERROR", self.do("GET", f"{POOLS}/{name}")["status"])

    def test_random_faults_repeat_with_their_seed(self):
        runs = []
        for _ in range(2):
            self.control("POST", "faults", {"probability": 0.5, "kinds": ["503"], "seed": 7})
            runs.append([self.ask("GET", CLUSTERS)[0] for _ in range(20)])
        self.assertEqual(runs[0], runs[1])
        self.assertEqual({200, 503}, set(runs[0]))

    def test_unknown_fault(self):
        self.assertEqual(400, self.ask("POST", "/_control/faults",
                                       [{"method": "*", "kind": "fire"}])[0])


class Hold(Case):
    def held(self, phase):
        """Holds the creation of an account and returns its client's thread."""
        self.do("GET", CLUSTERS)
        self.control("POST", "hold", {"at": 2, "phase": phase})
        client = threading.Thread(target=self.do, args=("POST", ACCOUNTS,
                                                        {"accountId": "kinetic-nodes"}))
        client.start()
        self.assertEqual("iam.projects.serviceAccounts.create",
                         self.control("GET", "held")["method"])
        return client

    def test_before_and_after(self):
        client = self.held("before")
        self.assertEqual({}, self.cloud.state["serviceAccounts"])
        self.control("POST", "release", {})
        client.join()
        self.assertEqual(1, len(self.cloud.state["serviceAccounts"]))

    def test_after(self):
        client = self.held("after")
        self.assertEqual(1, len(self.cloud.state["serviceAccounts"]))
        self.control("POST", "release", {})
        client.join()

    def test_killed_client(self):
        """A request that is held before it is applied is lost with its client."""
        self.control("POST", "hold", {"in": 1})
        with self.assertRaises(TimeoutError):
            self.ask("POST", ACCOUNTS, {"accountId": "kinetic-nodes"}, timeout=0.1)
        self.control("POST", "release", {})
        for _ in range(200):
            if self.cloud.log[-1]["status"]:
                break
            time.sleep(0.005)
        self.assertEqual("dropped", self.cloud.log[-1]["status"])
        self.assertEqual({}, self.cloud.state["serviceAccounts"])


class Connections(Case):
    def test_keep_alive_and_chunked_body(self):
        host = urllib.parse.urlsplit(self.cloud.url)
        connection = http.client.HTTPConnection(host.hostname, host.port, timeout=5)
        self.addCleanup(connection.close)
        headers = {"Authorization": f"Bearer {OWNER}", "Content-Type": "application/json"}
        for name in ("kinetic-a", "kinetic-b"):
            body = json.dumps({"accountId": name}).encode()
            connection.request("POST", ACCOUNTS, iter([body[:5], body[5:]]), headers,
                               encode_chunked=True)
            answer = connection.getresponse()
            self.assertEqual(200, answer.status, answer.read())
            answer.read()
        self.assertEqual(2, len(self.cloud.state["serviceAccounts"]))

    def test_log(self):
        self.do("GET", CLUSTERS)
        entry = self.control("GET", "log")["log"][0]
        self.assertEqual(("container.projects.locations.clusters.list", "user:ana@example.com",
                          200), (entry["method"], entry["caller"], entry["status"]))


class Program(unittest.TestCase):
    def test_prints_its_url(self):
        command = [sys.executable, "-m", "google_cloud.server", "--documents", DOCUMENTS,
                   "--iam-delay", "5", "--owners", '["user:bo@example.com"]']
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              cwd=SUPPORT) as process:
            self.assertRegex(process.stdout.readline(), r"^http://127\.0\.0\.1:\d+\n$")
            process.terminate()


if __name__ == "__main__":
    unittest.main()
