#!/usr/bin/env python3
"""A real API server accepts the manifests of kinetic unchanged, and they have the intended effect.

The manifests are those of tests/golden/manifest.

    cluster_manifests_test.py [Manifests] [Merge] [Jobs] [Placement]
"""

import copy
import json
import pathlib
import unittest

from cluster import ApiError, ClusterTestCase, command, need_cluster, wait_for

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
STRICT = "dryRun=All&fieldValidation=Strict"
WAITING = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)); time.sleep(600)"


def golden(name):
    """Returns the objects of one case by kind."""
    items = json.loads((GOLDEN / f"manifest/{name}.expected.json").read_text())["items"]
    return {item["kind"]: item for item in items}


def names():
    return sorted(path.name.removesuffix(".expected.json") for path in (GOLDEN / "manifest").glob("*.expected.json"))


def differences(sent, got, where=""):
    """Returns the parts of `sent` that are missing or different in `got`. The server may add defaults."""
    if isinstance(sent, dict) and isinstance(got, dict):
        return [line for key, value in sent.items() for line in differences(value, got.get(key), f"{where}.{key}")]
    if isinstance(sent, list) and isinstance(got, list) and len(sent) == len(got):
        return [line for i, pair in enumerate(zip(sent, got)) for line in differences(*pair, f"{where}[{i}]")]
    return [] if sent == got or (sent == {} and got is None) else [f"{where}: sent {sent!r}, got {got!r}"]


class Schema:
    """The OpenAPI document of one API group."""

    def __init__(self, document):
        self._schemas = document["components"]["schemas"]

    def violations(self, value, name):
        return self._check(value, self._schemas[name], name)

    def _check(self, value, schema, where):
        for part in schema.get("allOf", []):
            schema = {**schema, **part}
        if "$ref" in schema:
            return self._check(value, self._schemas[schema["$ref"].rsplit("/", 1)[1]], where)
        if "oneOf" in schema:
            return min((self._check(value, one, where) for one in schema["oneOf"]), key=len)
        kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
        kind = kinds.get(schema.get("type"), object)
        if not isinstance(value, kind) or (isinstance(value, bool) and schema["type"] == "integer"):
            return [f"{where}: expected {schema['type']}, found {value!r}"]
        if isinstance(value, list):
            return [line for i, item in enumerate(value) for line in self._check(item, schema["items"], f"{where}[{i}]")]
        if not isinstance(value, dict):
            return []
        found = [f"{where}: no {key}" for key in schema.get("required", []) if key not in value]
        for key, member in value.items():
            nested = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            found += [f"{where}: unknown {key}"] if nested is None else self._check(member, nested, f"{where}.{key}")
        return found


class ObjectsTestCase(ClusterTestCase):
    def create(self, item, query=""):
        item = copy.deepcopy(item)
        item["metadata"]["namespace"] = self.namespace
        path = {"Job": self.batch("jobs"), "Secret": self.core("secrets"), "Pod": self.core("pods")}[item["kind"]]
        return self.api.create(f"{path}?{query}", item)


class Manifests(ObjectsTestCase):
    def test_server_accepts_every_manifest_unchanged(self):
        self.assertGreaterEqual(len(names()), 12)
        for name in names():
            for kind, item in golden(name).items():
                with self.subTest(name, kind=kind):
                    got = self.create(item, STRICT)
                    got["metadata"]["namespace"] = item["metadata"]["namespace"]
                    self.assertEqual(differences(item, got), [])

    def test_server_rejects_unknown_field(self):
        job = golden("cpu")["Job"]
        job["spec"]["template"]["spec"]["tolerationz"] = []
        with self.assertRaises(ApiError) as refused:
            self.create(job, STRICT)
        self.assertIn('unknown field "spec.template.spec.tolerationz"', str(refused.exception))

    def test_every_manifest_matches_openapi_document(self):
        jobs = Schema(self.api.get("/openapi/v3/apis/batch/v1"))
        for name in names():
            with self.subTest(name):
                self.assertEqual(jobs.violations(golden(name)["Job"], "io.k8s.api.batch.v1.Job"), [])
        wrong = golden("cpu")["Job"]
        wrong["spec"]["backoffLimit"] = "3"
        wrong["spec"]["template"]["spec"]["containers"][0]["comand"] = []
        self.assertEqual(len(jobs.violations(wrong, "io.k8s.api.batch.v1.Job")), 2)

    def test_restricted_namespace_accepts_restricted_pod(self):
        self.api.patch(f"/api/v1/namespaces/{self.namespace}",
                       {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
        account = {"kind": "ServiceAccount", "apiVersion": "v1", "metadata": {"name": "trainer"}}
        self.api.create(self.core("serviceaccounts"), account)

        def pod(name):
            template = golden(name)["Job"]["spec"]["template"]
            return {"apiVersion": "v1", "kind": "Pod", **template, "metadata": {"name": name}}

        wait_for("the namespace to be restricted", lambda: self.refusal(pod("cpu")))
        self.assertIn('violates PodSecurity "restricted', self.refusal(pod("cpu")))
        self.assertEqual(self.refusal(pod("restricted")), "")

    def refusal(self, item):
        try:
            self.create(item, STRICT)
            return ""
        except ApiError as refused:
            return str(refused)


class Merge(ClusterTestCase):
    def test_pod_fields_merge_like_kubectl(self):
        cases = json.loads((GOLDEN / "strategic_merge/cases.json").read_text())
        self.assertGreaterEqual(len(cases), 14)
        for case in cases:
            with self.subTest(case["name"]):
                pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": case["original"]}
                merged = self.cluster.kubectl("patch", "--local", "-f", "-", "--type=strategic", "-o", "json",
                                              "-p", json.dumps({"spec": case["patch"]}), input=json.dumps(pod))
                self.assertEqual(self.plain(json.loads(merged)["spec"]), self.plain(case["merged"]))

    def plain(self, value):
        """Ignores fields that kubectl adds, and order: kubectl puts new items first."""
        if isinstance(value, list):
            return sorted((self.plain(item) for item in value), key=json.dumps)
        if not isinstance(value, dict):
            return value
        return {key: self.plain(value[key]) for key in sorted(value)
                if value[key] is not None and (key, value[key]) != ("resources", {})}


class Jobs(ObjectsTestCase):
    """The golden Job with two attempts, with other programs in its containers."""

    def start(self, program):
        job = golden("timeouts")["Job"]
        spec = job["spec"]["template"]["spec"]
        collector, main = spec["initContainers"][0], spec["containers"][0]
        for container, code in ((collector, WAITING), (main, program)):
            container.update(image=self.cluster.images["python"], command=["python3", "-c", code])
        collector["lifecycle"]["postStart"]["exec"]["command"] = ["true"]
        self.create(job)
        return job["metadata"]["name"]

    def ended(self, name):
        """Returns the reason of the Job's failure."""
        def look():
            conditions = self.api.get(self.batch(f"jobs/{name}")).get("status", {}).get("conditions", [])
            return next((each["reason"] for each in conditions if each["type"] == "Failed"), None)
        return wait_for(f"the end of {name}", look)

    def pods(self, name):
        return self.api.get(self.core(f"pods?labelSelector=job-name={name}"))["items"]

    def test_failed_program_ends_job(self):
        name = self.start("raise SystemExit(3)")
        self.assertEqual(self.ended(name), "PodFailurePolicy")
        self.assertEqual(len(self.pods(name)), 1)

    def test_launcher_exit_code_creates_another_pod(self):
        name = self.start("raise SystemExit(200)")
        wait_for("a second pod", lambda: len(self.pods(name)) == 2)
        self.assertGreaterEqual(self.api.get(self.batch(f"jobs/{name}"))["status"]["failed"], 1)

    def test_evicted_pod_is_replaced_and_not_counted(self):
        name = self.start(WAITING.replace("exit(0)", "exit(143)"))
        pod = self.pod_of(name)["metadata"]["name"]
        self.wait_for_phase(pod, "Running")
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
        self.api.create(self.core(f"pods/{pod}/eviction"), eviction)
        wait_for("another pod", lambda: any(each["metadata"]["name"] != pod for each in self.pods(name)))
        self.assertEqual(self.api.get(self.batch(f"jobs/{name}"))["status"].get("failed", 0), 0)

    def test_secret_is_removed_with_job(self):
        objects = golden("secrets")
        self.create(objects["Secret"])
        created = self.create(objects["Job"], "fieldValidation=Strict")
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": created["metadata"]["name"],
                 "uid": created["metadata"]["uid"], "controller": False, "blockOwnerDeletion": False}
        secret = self.core(f"secrets/{created['metadata']['name']}")
        self.api.patch(secret, {"metadata": {"ownerReferences": [owner]}})
        self.api.delete(self.batch(f"jobs/{created['metadata']['name']}"))
        wait_for("the Secret to go", lambda: self.api.find(secret) is None)


def pool(resource, count, **labels):
    """Returns a node like GKE's, with a taint that only pods for fake nodes tolerate."""
    taints = [{"key": "kinetic.test/fake", "value": "true", "effect": "NoSchedule"},
              {"key": resource, "value": "present", "effect": "NoSchedule"}]
    prefixed = {f"cloud.google.com/{key.replace('_', '-')}": value for key, value in labels.items() if key != "machine"}
    if "gke_spot" in labels:
        taints.append({"key": "cloud.google.com/gke-spot", "value": "true", "effect": "NoSchedule"})
    capacity = {"cpu": "200", "memory": "1Ti", "pods": "110", "ephemeral-storage": "1Ti", resource: str(count)}
    return {"metadata": {"labels": {"kinetic.test/fake": "true", "kubernetes.io/arch": "amd64",
                                    "node.kubernetes.io/instance-type": labels["machine"], **prefixed},
                         "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "spec": {"taints": taints}, "status": {"capacity": capacity, "allocatable": capacity}}


def tpu(label, topology, machine, count, **more):
    return pool("google.com/tpu", count, gke_tpu_accelerator=label, gke_tpu_topology=topology, machine=machine, **more)


def gpu(label, machine, count, **more):
    return pool("nvidia.com/gpu", count, gke_accelerator=label, machine=machine, **more)


# Expected values are from Google's documentation.
POOLS = {
    "v3-device": tpu("tpu-v3-device", "2x2", "ct3-hightpu-4t", 4),
    "v4": tpu("tpu-v4-podslice", "2x2x1", "ct4p-hightpu-4t", 4),
    "v4-spot": tpu("tpu-v4-podslice", "2x2x1", "ct4p-hightpu-4t", 4, gke_spot="true"),
    "v5e-1": tpu("tpu-v5-lite-podslice", "1x1", "ct5lp-hightpu-1t", 1),
    "v5e-4": tpu("tpu-v5-lite-podslice", "2x2", "ct5lp-hightpu-4t", 4),
    "v5p-4": tpu("tpu-v5p-slice", "2x2x1", "ct5p-hightpu-4t", 4),
    "v6e-8-of-4": tpu("tpu-v6e-slice", "2x4", "ct6e-standard-4t", 4),
    "v6e-8": tpu("tpu-v6e-slice", "2x4", "ct6e-standard-8t", 8),
    "tpu7x": tpu("tpu7x", "2x2x1", "tpu7x-standard-4t", 4),
    "l4": gpu("nvidia-l4", "g2-standard-4", 1),
    "a100": gpu("nvidia-tesla-a100", "a2-highgpu-1g", 1),
    "a100-80gb": gpu("nvidia-a100-80gb", "a2-ultragpu-1g", 1),
    "h100": gpu("nvidia-h100-80gb", "a3-highgpu-8g", 8),
}
# Golden cases by node pool.
PLACES = {"tpu_v3": "v3-device", "spot_retry": "v4-spot", "tpu": "v5e-4", "tpu_one_machine_of_eight": "v6e-8",
          "tpu_spatial": "tpu7x", "queue": "l4", "second_choice": "a100-80gb", "gpu": "h100"}


class Placement(ObjectsTestCase):
    """Scheduling on nodes simulated by KWOK."""

    def setUp(self):
        super().setUp()
        command("kwok", 1)
        for name, node in POOLS.items():
            self.api.create("/api/v1/nodes", {**node, "metadata": {"name": name, **node["metadata"]}})
            self.addCleanup(self.api.delete, f"/api/v1/nodes/{name}")
        for name in POOLS:
            wait_for(f"node {name}", lambda name=name: self.is_ready(self.api.get(f"/api/v1/nodes/{name}")))

    def is_ready(self, node):
        conditions = {each["type"]: each["status"] for each in node.get("status", {}).get("conditions", [])}
        keys = {taint["key"] for taint in node["spec"]["taints"]}
        return conditions.get("Ready") == "True" and "node.kubernetes.io/not-ready" not in keys

    def place_of(self, name):
        """Returns the node that the pod of a golden Job is bound to."""
        template = golden(name)["Job"]["spec"]["template"]
        template["spec"].setdefault("tolerations", []).append({"key": "kinetic.test/fake", "operator": "Exists"})
        pod = name.replace("_", "-")
        self.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": pod}, "spec": template["spec"]})
        return wait_for(f"a node for {name}", lambda: self.api.get(self.core(f"pods/{pod}"))["spec"].get("nodeName"))

    def test_each_accelerator_runs_on_its_own_nodes(self):
        for name, expected in PLACES.items():
            with self.subTest(name):
                self.assertEqual(self.place_of(name), expected)

    def test_job_without_accelerator_uses_none(self):
        self.assertNotIn(self.place_of("cpu"), POOLS)


if __name__ == "__main__":
    need_cluster()
    unittest.main()
