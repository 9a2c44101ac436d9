#!/usr/bin/env python3
"""What kinetic makes from a job is what a real API server takes, word for word, and does there what it is for.

The manifests are those of tests/golden/manifest, which tests of the library hold it to.
"""

import copy
import json
import pathlib
import subprocess
import unittest

from cluster import ApiError, ClusterTestCase, wait_for

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
STRICT = "dryRun=All&fieldValidation=Strict"
WAITING = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)); time.sleep(600)"


def golden(name):
    """The objects of one case, by kind."""
    items = json.loads((GOLDEN / f"manifest/{name}.expected.json").read_text())["items"]
    return {item["kind"]: item for item in items}


def names():
    return sorted(path.name.removesuffix(".expected.json") for path in (GOLDEN / "manifest").glob("*.expected.json"))


def differences(sent, got, where=""):
    """What of `sent` is missing or another in `got`: the server adds defaults, and takes nothing away."""
    if isinstance(sent, dict) and isinstance(got, dict):
        return [line for key, value in sent.items() for line in differences(value, got.get(key), f"{where}.{key}")]
    if isinstance(sent, list) and isinstance(got, list) and len(sent) == len(got):
        return [line for i, pair in enumerate(zip(sent, got)) for line in differences(*pair, f"{where}[{i}]")]
    return [] if sent == got or (sent == {} and got is None) else [f"{where}: sent {sent!r}, got {got!r}"]


class Schema:
    """The server's OpenAPI document of one group."""

    def __init__(self, document):
        self._schemas = document["components"]["schemas"]

    def complaints(self, value, name):
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
    def test_the_server_takes_each_as_it_is(self):
        self.assertGreaterEqual(len(names()), 12)
        for name in names():
            for kind, item in golden(name).items():
                with self.subTest(name, kind=kind):
                    got = self.create(item, STRICT)
                    got["metadata"]["namespace"] = item["metadata"]["namespace"]
                    self.assertEqual(differences(item, got), [])

    def test_the_server_would_refuse_a_field_that_is_not_there(self):
        job = golden("cpu")["Job"]
        job["spec"]["template"]["spec"]["tolerationz"] = []
        with self.assertRaises(ApiError) as refused:
            self.create(job, STRICT)
        self.assertIn('unknown field "spec.template.spec.tolerationz"', str(refused.exception))

    def test_each_is_what_the_servers_document_says(self):
        jobs = Schema(self.api.get("/openapi/v3/apis/batch/v1"))
        for name in names():
            with self.subTest(name):
                self.assertEqual(jobs.complaints(golden(name)["Job"], "io.k8s.api.batch.v1.Job"), [])
        wrong = golden("cpu")["Job"]
        wrong["spec"]["backoffLimit"] = "3"
        wrong["spec"]["template"]["spec"]["containers"][0]["comand"] = []
        self.assertEqual(len(jobs.complaints(wrong, "io.k8s.api.batch.v1.Job")), 2)

    def test_a_restricted_namespace_takes_the_pod_made_for_one(self):
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
    def test_pod_fields_are_merged_as_kubectl_merges(self):
        cases = json.loads((GOLDEN / "strategic_merge/cases.json").read_text())
        self.assertGreaterEqual(len(cases), 14)
        for case in cases:
            with self.subTest(case["name"]):
                pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": case["original"]}
                merged = self.cluster.kubectl("patch", "--local", "-f", "-", "--type=strategic", "-o", "json",
                                              "-p", json.dumps({"spec": case["patch"]}), input=json.dumps(pod))
                self.assertEqual(self.plain(json.loads(merged)["spec"]), self.plain(case["merged"]))

    def plain(self, value):
        """Without what kubectl's types add, and in any order: kubectl puts new items first."""
        if isinstance(value, list):
            return sorted((self.plain(item) for item in value), key=json.dumps)
        if not isinstance(value, dict):
            return value
        return {key: self.plain(value[key]) for key in sorted(value)
                if value[key] is not None and (key, value[key]) != ("resources", {})}


class Jobs(ObjectsTestCase):
    """The golden Job of two attempts, with other programs in its two containers."""

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
        """Why the Job failed."""
        def look():
            conditions = self.api.get(self.batch(f"jobs/{name}")).get("status", {}).get("conditions", [])
            return next((each["reason"] for each in conditions if each["type"] == "Failed"), None)
        return wait_for(f"the end of {name}", look)

    def pods(self, name):
        return self.api.get(self.core(f"pods?labelSelector=job-name={name}"))["items"]

    def test_a_program_that_fails_ends_the_job(self):
        name = self.start("raise SystemExit(3)")
        self.assertEqual(self.ended(name), "PodFailurePolicy")
        self.assertEqual(len(self.pods(name)), 1)

    def test_the_launchers_code_brings_another_pod(self):
        name = self.start("raise SystemExit(200)")
        wait_for("a second pod", lambda: len(self.pods(name)) == 2)
        self.assertGreaterEqual(self.api.get(self.batch(f"jobs/{name}"))["status"]["failed"], 1)

    def test_an_evicted_pod_is_replaced_and_counts_for_nothing(self):
        name = self.start(WAITING.replace("exit(0)", "exit(143)"))
        pod = self.pod_of(name)["metadata"]["name"]
        self.wait_for_phase(pod, "Running")
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
        self.api.create(self.core(f"pods/{pod}/eviction"), eviction)
        wait_for("another pod", lambda: any(each["metadata"]["name"] != pod for each in self.pods(name)))
        self.assertEqual(self.api.get(self.batch(f"jobs/{name}"))["status"].get("failed", 0), 0)

    def test_a_secret_goes_with_its_job(self):
        objects = golden("secrets")
        self.create(objects["Secret"])
        created = self.create(objects["Job"], "fieldValidation=Strict")
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": created["metadata"]["name"],
                 "uid": created["metadata"]["uid"], "controller": False, "blockOwnerDeletion": False}
        secret = self.core(f"secrets/{created['metadata']['name']}")
        self.api.patch(secret, {"metadata": {"ownerReferences": [owner]}})
        self.api.delete(self.batch(f"jobs/{created['metadata']['name']}"))
        wait_for("the Secret to go", lambda: self.api.find(secret) is None)


if __name__ == "__main__":
    unittest.main()
