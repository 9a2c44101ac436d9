#!/usr/bin/env python3
"""`kinetic init --cluster` with a stand-in for Google Cloud, whose GKE cluster is the test cluster.

    cluster_join_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import unittest
import urllib.request
import uuid

from bucket import Bucket
from cluster_up_test import CloudTestCase, GCS_SERVER, PROJECT, setUpModule  # noqa: F401 (unittest calls it)

ENABLED = ["serviceusage", "storage", "container", "compute", "iam", "cloudresourcemanager"]
IDENTITIES = {"workloadIdentityConfig": {"workloadPool": f"{PROJECT}.svc.id.goog"}}
DNS = {"controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"allowExternalTraffic": True}}}
METADATA = {"workloadMetadataConfig": {"mode": "GKE_METADATA"}}
ANA, BOB = "user:ana@example.com", "user:bob@example.com"
BUCKET = f"{PROJECT}-team"
READS = ("GET", "HEAD")


class JoinTestCase(CloudTestCase):
    options = {"enabled": ENABLED, "pool_needs_cluster": True}

    def setUp(self):
        super().setUp()
        self.namespace = f"join-{uuid.uuid4().hex[:8]}"
        self.environment.pop("KINETIC_NAMESPACE")
        self.addCleanup(self.delete_namespace)

    def delete_namespace(self):
        api = self.cluster.api
        if api.find(f"/api/v1/namespaces/{self.namespace}"):
            api.delete(f"/api/v1/namespaces/{self.namespace}")

    def add_cluster(self, name="team", location="us-west4-a", node=METADATA, **fields):
        """Creates a cluster as another tool does."""
        cluster = {key: value for key, value in {"name": name, **DNS, **IDENTITIES, **fields}.items() if value}
        if "autopilot" not in fields:
            cluster["nodePools"] = [{"name": "main", "initialNodeCount": 1,
                                     "config": {"machineType": "e2-standard-2", **node}}]
        self.send("container", f"/v1/projects/{PROJECT}/locations/{location}/clusters", {"cluster": cluster})
        while self.cloud.operations.running():
            self.cloud.settle()

    def send(self, service, path, body):
        request = urllib.request.Request(
            f"{self.cloud.url}/{service}.googleapis.com{path}", json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.cluster.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def be(self, user, *roles):
        """Makes the client's token that of a user with these roles in the project."""
        project = f"projects/{PROJECT}"
        policy = self.cloud.iam.policy(project)
        policy["bindings"] += [{"role": role, "members": [user]} for role in roles]
        self.cloud.iam.set(project, policy)
        self.cloud.options.tokens = {self.cluster.token: user}

    def join(self, *words, code=0):
        return self.run_kinetic("init", "--project", PROJECT, "--cluster", "team", "--namespace", self.namespace,
                                *words, code=code)

    def checks(self, *words):
        found = json.loads(self.join("--json", *words).stdout)["checks"]
        return {check["name"]: check for check in found}

    def profile(self):
        shown = json.loads(self.run_kinetic("profile", "show", "team", "--json").stdout)
        return json.dumps(shown)


class Join(JoinTestCase):
    def test_changes_nothing(self):
        self.add_cluster()
        self.assertIn("to use it: kinetic init --cluster team", self.up("--cluster", "team", code=120).stderr)
        before, sent = self.resources(), len(self.cloud.log)
        done = self.join()
        self.assertEqual(self.resources(), before)
        written = [entry["target"] for entry in self.cloud.log[sent:]
                   if entry["verb"] not in READS and not entry["target"].endswith("getIamPolicy")]
        self.assertEqual(written, [])
        self.assertFalse(self.cluster.api.find(f"/api/v1/namespaces/{self.namespace}"))
        for text in ("team in us-west4-a is RUNNING: Standard, Kubernetes 1.36.3",
                     f"kubectl create namespace {self.namespace} && kubectl create serviceaccount team-jobs",
                     f"gs://{BUCKET} does not exist; gcloud storage buckets create gs://{BUCKET}",
                     "--role=roles/storage.objectUser --member=principal://iam.googleapis.com/projects/123456789012/",
                     "gcloud services enable storage.googleapis.com artifactregistry.googleapis.com",
                     "gcloud artifacts repositories create team --repository-format=docker --location=us-west4",
                     "kinetic init --cluster=team --location=us-west4-a --project=kinetic-test --adopt"):
            self.assertIn(text, done.stdout)
        self.assertIn("using profile team", done.stderr)
        profile = self.profile()
        for text in (f"gs://{BUCKET}/jobs", "us-west4-a", self.namespace, "dns"):
            self.assertIn(text, profile)
        self.check_requests()

    def test_adopts(self):
        self.add_cluster()
        cluster = self.cloud.state.shown()["clusters"]
        self.join("--adopt", code=2)  # asks
        self.assertNotIn("buckets", self.kinds())
        done = self.join("--adopt", "--yes")
        self.assertIn("created runner image runner", done.stderr)
        self.assertNotIn("missing", done.stderr)
        self.assertNotIn("failed", done.stdout)
        self.assertEqual(self.cloud.state.shown()["clusters"], cluster)
        self.assertTrue(self.cluster.api.find(f"/api/v1/namespaces/{self.namespace}/serviceaccounts/team-jobs"))
        self.assertIn("/runner:", self.profile())

        status = json.loads(self.run_kinetic("cluster", "status", "--json").stdout)
        self.assertEqual(status["name"], "team")
        done = self.run_kinetic("down", "--purge", "--yes")
        self.assertIn("kinetic did not create cluster team, so it is kept", done.stderr)
        self.assertNotIn("costs money", done.stderr)
        self.assertEqual(self.cloud.state.shown()["clusters"], cluster)
        self.assertFalse(self.kinds() & {"buckets", "repositories"})
        self.check_requests()

    def test_uses_what_exists(self):
        self.add_cluster()
        self.send("storage", f"/storage/v1/b?project={PROJECT}", {"name": "shared", "location": "us-west4"})
        policy = self.cloud.iam.policy("buckets/shared")
        pods = (f"principalSet://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/"
                f"{PROJECT}.svc.id.goog/namespace/{self.namespace}")
        policy["bindings"].append({"role": "roles/storage.objectAdmin", "members": [pods]})
        self.cloud.iam.set("buckets/shared", policy)
        self.environment["KINETIC_RUNNER_IMAGE"] = "registry.example.com/runner:1"
        checks = self.checks("--store", "gs://shared/team")
        self.assertEqual((checks["bucket"]["state"], checks["bucket access"]["state"]), ("ok", "ok"), checks)
        self.assertEqual(checks["runner image"]["evidence"], "registry.example.com/runner:1")
        self.assertNotIn("image repository", checks)
        self.assertIn("gs://shared/team", self.profile())

    def test_profile_keeps_its_account(self):
        """Profiles of earlier versions have another account."""
        self.add_cluster()
        self.environment["KINETIC_SERVICE_ACCOUNT"] = "earlier"
        self.join()
        self.environment.pop("KINETIC_SERVICE_ACCOUNT")
        self.join()
        self.assertIn('"earlier"', self.profile())

    def test_autopilot_in_a_region(self):
        self.add_cluster(location="us-west4", autopilot={"enabled": True})
        checks = self.checks()
        self.assertIn("team in us-west4 is RUNNING: Autopilot", checks["GKE cluster"]["evidence"])
        self.assertIn("a container has 0.5 CPUs", checks["node pools"]["evidence"])
        self.assertEqual(checks["node pools"]["state"], "ok")
        self.assertEqual(checks["Workload Identity"]["state"], "ok")
        self.assertIn("--location=us-west4 ", checks["bucket"]["advice"])
        self.assertIn("RUNNING", self.run_kinetic("cluster", "status").stdout)

    def test_workload_identity_is_off(self):
        self.add_cluster(node={}, workloadIdentityConfig=None)
        checks = self.checks()
        self.assertEqual(checks["Workload Identity"]["state"], "failed")
        self.assertEqual(checks["Workload Identity"]["advice"],
                         "gcloud container clusters update team --location=us-west4-a --project=kinetic-test "
                         f"--workload-pool={PROJECT}.svc.id.goog")
        self.assertNotIn("bucket access", checks)
        self.cloud.state["clusters"][f"projects/{PROJECT}/locations/us-west4-a/clusters/team"].update(IDENTITIES)
        checks = self.checks()
        self.assertIn("off in node pool main", checks["Workload Identity"]["evidence"])
        self.assertIn("gcloud container node-pools update main --cluster=team", checks["Workload Identity"]["advice"])

    def test_no_reachable_endpoint(self):
        self.add_cluster(controlPlaneEndpointsConfig={"dnsEndpointConfig": {"allowExternalTraffic": False}})
        checks = self.checks()
        self.assertEqual(checks["endpoint"]["state"], "failed")
        self.assertIn("--enable-dns-access", checks["endpoint"]["advice"])
        self.assertIn("not checked", checks["service account"]["evidence"])

    def test_cluster_of_kinetic(self):
        """Another machine uses a cluster that `kinetic up` created."""
        self.up("--cluster", "team", "--namespace", self.namespace)
        (self.home / ".config/kinetic/config.yaml").unlink()
        done = self.join()
        self.assertNotIn("failed", done.stdout)
        self.assertNotIn("missing", done.stderr)
        self.assertIn("/runner:", self.profile())


class Doctor(JoinTestCase):
    def doctor(self, *words, code=0):
        found = json.loads(self.run_kinetic("doctor", "--json", *words, code=code).stdout)["checks"]
        return {check["name"]: check for check in found}

    def test_fixes_and_checks_from_a_pod(self):
        (self.home / "objects").mkdir()
        storage = Bucket(GCS_SERVER, self.home / "objects", host="0.0.0.0", name=BUCKET)
        self.addCleanup(storage.stop)
        port = storage.url.rsplit(":", 1)[1]
        self.environment |= {"KINETIC_STORAGE_ENDPOINT": storage.url, "KINETIC_RUNNER_CREDENTIALS": "none",
                             "KINETIC_RUNNER_ENDPOINT": f"http://{self.cluster.address}:{port}",
                             "KINETIC_IMAGE": self.cluster.images["python"]}
        self.add_cluster()
        self.join()
        checks = self.doctor(code=1)
        self.assertEqual(checks["runner image"]["state"], "failed")
        self.assertEqual(checks["endpoint"]["state"], "ok")
        self.assertEqual(checks["permissions"]["state"], "ok")
        self.run_kinetic("doctor", "--fix", code=2)  # asks
        fixed = self.doctor("--fix", "--yes", "--pod")
        self.assertEqual({check["state"] for check in fixed.values()} - {"warning"}, {"ok"}, fixed)
        self.assertRegex(fixed["pod"]["evidence"], r"pulled the runner image on node .+ and used the store")
        self.check_requests()
        self.assertEqual(self.run_kinetic("run", "--", "python3", "-c", "print(6 * 7)").stdout, "42\n")

        self.environment["KINETIC_RUNNER_ENDPOINT"] = "http://127.0.0.1:9"  # of the pod
        self.assertIn("127.0.0.1", self.doctor("--pod", code=1)["pod"]["evidence"])
        probes = self.cluster.api.find(f"/apis/batch/v1/namespaces/{self.namespace}/jobs")["items"]
        self.assertEqual([job for job in probes if "probe" in job["metadata"]["name"]
                          and "deletionTimestamp" not in job["metadata"]], [])

    def test_commands_are_not_wrapped(self):
        self.add_cluster()
        self.join()
        command = (f"gcloud storage buckets create gs://{BUCKET} --project={PROJECT} --location=us-west4 "
                   "--uniform-bucket-level-access --soft-delete-duration=0")
        self.assertIn(command, [line.strip() for line in self.on_terminal(80, "doctor")])

    def test_image_that_nodes_cannot_pull(self):
        self.add_cluster()
        self.environment["KINETIC_RUNNER_IMAGE"] = f"{self.registry.host}/no-such/runner:1"
        self.join("--adopt", "--yes")
        pod = self.doctor("--pod", code=1)["pod"]
        self.assertIn("no-such/runner:1", pod["evidence"])
        self.assertIn("runner_image", pod["advice"])

    def test_quota_and_permissions(self):
        self.cloud.options.quotas = {"us-west4": {"TPU_LITE_PODSLICE_V5": 0}}
        self.add_cluster()
        self.join()
        self.send("container", f"/v1/projects/{PROJECT}/locations/us-west4-a/clusters/team/nodePools", {"nodePool": {
            "name": "tpu", "initialNodeCount": 0, "config": {"machineType": "ct5lp-hightpu-1t", **METADATA},
            "autoscaling": {"enabled": True, "minNodeCount": 0, "maxNodeCount": 4}}})
        checks = self.doctor(code=1)
        self.assertEqual(checks["quota"]["evidence"], "TPU_LITE_PODSLICE_V5 in us-west4: 4 needed, 0 available")
        self.assertEqual(checks["node pools"]["evidence"], "tpu (ct5lp-hightpu-1t)")
        self.send("storage", f"/storage/v1/b?project={PROJECT}", {"name": BUCKET, "location": "us-west4"})
        self.be(BOB, "roles/container.clusterAdmin")
        checks = self.doctor(code=1)
        self.assertIn("you lack storage.objects.create", checks["bucket permissions"]["evidence"])
        self.assertIn("--role=roles/storage.objectUser", checks["bucket permissions"]["advice"])

    def test_gpu_drivers(self):
        self.add_cluster()
        self.join()
        pools = f"/v1/projects/{PROJECT}/locations/us-west4-a/clusters/team/nodePools"
        for name, driver in (("gpu", "LATEST"), ("bare", "INSTALLATION_DISABLED")):
            self.send("container", pools, {"nodePool": {
                "name": name, "initialNodeCount": 0, "config": {"machineType": "g2-standard-4", **METADATA, "accelerators": [
                    {"acceleratorType": "nvidia-l4", "acceleratorCount": "1",
                     "gpuDriverInstallationConfig": {"gpuDriverVersion": driver}}]}}})
            self.cloud.settle()
            check = self.doctor(code=1)["GPU drivers"]
            self.assertEqual(check["state"], "ok" if name == "gpu" else "warning")
        self.assertEqual(check["evidence"], "GKE installs none in node pool bare")
        self.assertIn("--accelerator=type=nvidia-l4,count=1,gpu-driver-version=default", check["advice"])

    def test_no_cluster_to_fix(self):
        self.assertIn("is not a GKE cluster", self.run_kinetic("doctor", "--fix", code=2).stderr)
        self.add_cluster()
        self.join()
        self.cloud.state["clusters"].clear()
        check = self.doctor(code=1)["Google Cloud"]
        self.assertIn("has no cluster team", check["evidence"])


class Refusals(JoinTestCase):
    def test_no_such_cluster(self):
        done = self.join(code=2)
        self.assertIn("project kinetic-test has no cluster team", done.stderr)
        self.assertIn("the project has no clusters", done.stderr)
        self.add_cluster("teams")
        self.assertIn("did you mean teams in us-west4-a?", self.join(code=2).stderr)
        self.assertIn("did you mean teams in us-west4-a?", self.join("--location", "us-west4-b", code=2).stderr)
        self.assertFalse((self.home / ".config/kinetic/config.yaml").exists())

    def test_two_clusters(self):
        self.add_cluster()
        self.add_cluster(location="us-west4-b")
        done = self.join(code=2)
        self.assertIn("project kinetic-test has 2 clusters named team", done.stderr)
        self.assertIn("--location us-west4-a, or --location us-west4-b", done.stderr)
        self.join("--location", "us-west4-b")

    def test_no_permission(self):
        self.add_cluster()
        self.be(BOB)
        done = self.join(code=2)
        self.assertIn("project kinetic-test does not exist, or you have no access to it", done.stderr)
        self.be(BOB, "roles/storage.objectUser")
        self.assertIn("ask for roles/container.admin in the project; to run jobs only, for roles/container.developer", self.join(code=120).stderr)

    def test_few_permissions(self):
        """What cannot be read is reported, and the rest works."""
        self.add_cluster()
        self.send("storage", f"/storage/v1/b?project={PROJECT}", {"name": BUCKET, "location": "us-west4"})
        self.be(BOB, "roles/container.clusterAdmin")
        checks = self.checks()
        self.assertEqual(checks["bucket"]["state"], "warning")
        self.assertIn("cannot be read", checks["bucket"]["evidence"])
        self.assertIn("if it is missing: gcloud storage buckets create", checks["bucket"]["advice"])
        self.assertEqual(checks["APIs"]["state"], "warning")

    def test_disabled_api(self):
        self.cloud.state["services"].pop("container")
        done = self.join(code=120)
        self.assertIn("container.googleapis.com is not enabled in project 123456789012", done.stderr)
        self.assertIn("gcloud services enable container.googleapis.com --project=123456789012", done.stderr)

    def test_other_profile(self):
        self.add_cluster()
        self.run_kinetic("profile", "create", "team", "--kind", "local")
        self.assertIn("remove it first: kinetic profile rm team", self.join(code=2).stderr)

    def test_bad_words(self):
        for words, message in ((["--adopt"], "--adopt and --yes require --cluster"),
                               (["train.py", "--cluster", "team"], "--cluster cannot be combined with train.py"),
                               (["--cluster", "team"], "no Google Cloud project is set"),
                               (["--cluster", "Team", "--project", PROJECT], "expected a cluster name of lowercase letters, digits and '-', found 'Team'"),
                               (["--cluster", 41 * "a", "--project", PROJECT], "cluster name"),
                               (["--cluster", "team", "--project", PROJECT, "--store", "gs://B_"], "bucket")):
            with self.subTest(words):
                self.assertIn(message, self.run_kinetic("init", *words, code=2).stderr)


if __name__ == "__main__":
    unittest.main()
