#!/usr/bin/env python3
"""Users of one cluster cannot read or change each other's data, from their machines and from their jobs' pods.

    cluster_up_users_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import shlex
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request

import google_cluster
from bucket import Bucket
from cluster import Api, ApiError, wait_for
from google_cluster import GCS_SERVER, KINETIC, PROJECT, CloudTestCase
from pod_identity import PodIdentity

CLUSTER = "shared"  # jobs of its users are not counted as jobs of other tests' clusters
BUCKET = f"{PROJECT}-{CLUSTER}"
OTHER = "other"
USER_ROLES = {"roles/container.clusterViewer", "roles/serviceusage.serviceUsageConsumer"}
ANA, BO = "ana@example.com", "bo@example.com"
OWNER = "user:owner@example.com"
# What a job can do below a prefix with the identity of its pod.
PROBE = """import urllib.error
import urllib.parse
import urllib.request


def main(objects, folder):
    def status(method, rest):
        try:
            return urllib.request.urlopen(urllib.request.Request(objects + rest, method=method)).status
        except urllib.error.HTTPError as error:
            return error.code

    name = '/' + urllib.parse.quote(folder + 'notes.txt', safe='')
    return {'list': status('GET', '?prefix=' + urllib.parse.quote(folder)),
            'read': status('GET', name + '?alt=media'), 'delete': status('DELETE', name)}
"""
DENIED = {"list": 403, "read": 403, "delete": 403}


def folder(email):
    return f"users/{email}/"


def setUpModule():
    google_cluster.setUpModule()


def tearDownModule():
    google_cluster.tearDownModule()


class Users(CloudTestCase):
    options = {"owners": [OWNER]}

    def setUp(self):
        super().setUp()
        self.environment["KINETIC_CLUSTER"] = CLUSTER
        self.tokens = self.cluster.user_tokens
        self.cloud.options.tokens = {self.cluster.token: OWNER,
                                     **{token: f"user:{email}" for email, token in self.tokens.items()}}
        (self.home / "objects").mkdir()
        storage = Bucket(GCS_SERVER, self.home / "objects", name="unused")
        self.addCleanup(storage.stop)
        self.cloud.options.objects = storage.url
        self.identity = PodIdentity(self.cloud, self.cluster)
        self.addCleanup(self.identity.stop)
        self.addCleanup(self.delete_namespaces)

    def delete_namespaces(self):
        """As the deletion of a cluster does."""
        names = ("shared-ana", "shared-bo", "other-ana")
        for name in names:
            self.cluster.api.delete(f"/api/v1/namespaces/{name}")
        wait_for("the end of the namespaces", lambda: not any(self.namespace(name) for name in names))

    def namespace(self, name):
        return self.cluster.api.find(f"/api/v1/namespaces/{name}")

    # Machines of users

    def storage(self):
        return f"{self.cloud.url}/storage.googleapis.com"

    def environment_of(self, email):
        home = self.home / email
        (home / "project").mkdir(parents=True, exist_ok=True)
        own = {name: value for name, value in self.environment.items()
               if name not in ("KINETIC_NAMESPACE", "KINETIC_CLUSTER")}
        return own | {
            "HOME": str(home), "KINETIC_ACCESS_TOKEN": self.tokens[email], "KINETIC_STORAGE_ENDPOINT": self.storage(),
            "KINETIC_RUNNER_ENDPOINT": f"{self.identity.url}/storage.googleapis.com",
            "KINETIC_RUNNER_CREDENTIALS": "none",  # the proxy adds them
            "KINETIC_IMAGE": self.cluster.images["python"]}

    def run_as(self, email, *words, code=0):
        environment = self.environment_of(email)
        done = subprocess.run([KINETIC, *words], env=environment, cwd=f"{environment['HOME']}/project",
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
        self.assertEqual(done.returncode, code, f"{email}: {words}: {done.stdout}{done.stderr}")
        return done

    def up_with_users(self):
        """Returns the users' commands by the name in their namespace."""
        done = self.up("--user", ANA, "--user", BO)
        self.assertIn(f"created user {ANA}", done.stderr)
        commands = [shlex.split(line) for line in done.stdout.splitlines() if line.startswith("kinetic profile create")]
        for email, command in zip((ANA, BO), commands, strict=True):
            self.assertEqual(command[0], "kinetic")
            self.run_as(email, *command[1:])

    def probe_as(self, email, job, place):
        """Returns what a job of a user can do below a prefix."""
        project = self.home / email / "project"
        (project / "probe.py").write_text(PROBE)
        self.run_as(email, "run", "probe:main", "--accelerator", "v5litepod-1", "--id", job, "--arg", f"folder={place}",
                    "--arg", f"objects={self.identity.url}/storage.googleapis.com/storage/v1/b/{BUCKET}/o")
        return json.loads(self.run_as(email, "result", job, "--json").stdout)["value"]

    def status_as(self, email, method, rest, content=None):
        """Returns the HTTP status of a request for objects with the token of a user."""
        upload = "/upload" if content else ""
        request = urllib.request.Request(f"{self.storage()}{upload}/storage/v1/b/{BUCKET}/o{rest}", content,
                                         {"Authorization": f"Bearer {self.tokens[email]}"}, method=method)
        try:
            return urllib.request.urlopen(request, timeout=30).status
        except urllib.error.HTTPError as error:
            return error.code

    # Tests

    def test_users_are_isolated(self):
        self.up_with_users()
        self.run_as(BO, "run", "--accelerator", "v5litepod-1", "--id", "secret", "--", "true")
        self.check_storage()
        self.check_kubernetes()
        self.check_requests()

    def check_storage(self):
        name, own = (urllib.parse.quote(folder(email) + "notes.txt", safe="") for email in (BO, ANA))
        self.assertEqual(self.status_as(BO, "POST", f"?uploadType=media&name={name}", b"notes"), 200)
        with self.subTest("pod"):
            self.assertEqual(self.probe_as(ANA, "spy", folder(BO)), DENIED)
            self.assertEqual(self.status_as(ANA, "POST", f"?uploadType=media&name={own}", b"notes"), 200)
            self.assertEqual(self.probe_as(ANA, "own", folder(ANA)), {"list": 200, "read": 200, "delete": 204})
        with self.subTest("machine"):
            self.assertEqual({"list": self.status_as(ANA, "GET", f"?prefix={folder(BO)}"),
                              "read": self.status_as(ANA, "GET", f"/{name}?alt=media"),
                              "delete": self.status_as(ANA, "DELETE", f"/{name}")}, DENIED)
            self.assertEqual(self.status_as(ANA, "POST", f"?uploadType=media&name={name}", b"forged"), 403)
            self.assertEqual(self.status_as(BO, "GET", f"/{name}?alt=media"), 200)
            self.assertEqual(self.status_as(ANA, "GET", ""), 403)
            self.assertEqual(self.status_as(ANA, "GET", "?prefix=users/"), 403)
            done = self.run_as(ANA, "ps", "--store", f"gs://{BUCKET}/users/{BO}", code=120)
            self.assertIn("403", done.stderr)

    def check_kubernetes(self):
        ana = Api(self.cluster.server, self.cluster.ca_file, self.tokens[ANA])
        pod = {"metadata": {"name": "spy"}, "spec": {"containers": [{"name": "main", "image": "spy"}]}}
        for method, path, body in (("POST", "/api/v1/namespaces/shared-bo/pods", pod),
                                   ("GET", "/apis/batch/v1/namespaces/shared-bo/jobs", None),
                                   ("DELETE", "/apis/batch/v1/namespaces/shared-bo/jobs/kinetic-secret", {}),
                                   ("GET", "/api/v1/namespaces/shared-bo/secrets", None),
                                   ("GET", "/apis/batch/v1/jobs", None)):
            with self.subTest(path), self.assertRaises(ApiError) as raised:
                ana.call(method, path, body)
            self.assertEqual(raised.exception.status, 403)
        self.assertEqual(ana.get("/apis/batch/v1/namespaces/shared-ana/jobs")["kind"], "JobList")
        pod["spec"]["volumes"] = [{"name": "node", "hostPath": {"path": "/"}}]
        with self.assertRaises(ApiError) as raised:
            self.cluster.api.create("/api/v1/namespaces/shared-ana/pods", pod)
        self.assertIn("PodSecurity", str(raised.exception))

    def test_users_are_removed(self):
        empty = self.resources()
        self.up_with_users()
        self.assertIn("up to date", self.up("--user", ANA.title()).stderr)
        self.assertIn(f"users: {ANA}, {BO}", self.run_kinetic("cluster", "status").stdout)
        refused = self.up("--user", "a.n.a@example.org", code=2)
        self.assertIn(f"users {ANA} and a.n.a@example.org would have the same namespace", refused.stderr)

        self.run_as(BO, "run", "--accelerator", "v5litepod-1", "-d", "--id", "busy", "--", "sleep", "600")
        self.assertIn("1 job is running", self.down(code=120).stderr)
        self.assertIn("1 job is running", self.down("--user", BO, code=120).stderr)
        done = self.down("--user", BO, "--force")
        self.assertIn(f"gs://{BUCKET}/users/{BO} is kept", done.stderr)
        self.assertIsNone(self.namespace("shared-bo"))
        self.assertNotIn("bo@", json.dumps(self.cloud.iam.policies()))
        self.assertNotIn("ns/shared-bo", json.dumps(self.cloud.iam.policies()))
        self.assertIn("users: ana@example.com\n", self.run_kinetic("cluster", "status").stdout)
        self.assertEqual(self.status_as(ANA, "GET", f"?prefix={folder(ANA)}"), 200)
        self.assertIn("nothing to delete", self.down("--user", BO).stderr)
        self.assertIn("nothing to delete", self.down("--user", "shutdown@example.com").stderr)
        self.assertIn("deleted objects", self.down("--user", BO, "--purge").stderr)

        self.down("--purge")
        left = self.resources() - empty
        self.assertEqual({one for one in left if one[0] not in ("services", "workloadPools")}, set())
        self.assertNotIn("ana@", json.dumps(self.cloud.iam.policies()))
        self.check_requests()

    def test_user_of_two_clusters(self):
        """Removal from one cluster keeps the roles in the project that the other one needs."""
        self.up("--user", ANA)
        self.environment["KINETIC_CLUSTER"] = OTHER
        self.up("--user", ANA)
        self.down("--user", ANA)
        self.assertEqual(self.project_roles(ANA), USER_ROLES)
        self.up("--user", ANA)
        # The second and third of these requests are for the bucket of the other cluster.
        self.cloud.faults.set(rules=[{"method": "storage.managedFolders.get", "nth": nth,
                                      "kind": "permission:roles/storage.admin"} for nth in (2, 3)])
        self.assertIn(f"the roles of {ANA} in the project are kept", self.down("--user", ANA).stderr)
        self.cloud.faults.set(rules=[])
        self.assertEqual(self.project_roles(ANA), USER_ROLES)
        self.environment["KINETIC_CLUSTER"] = CLUSTER
        self.down("--purge")
        self.assertEqual(self.project_roles(ANA), set())
        self.environment["KINETIC_CLUSTER"] = OTHER
        self.down("--purge")
        self.check_requests()

    def project_roles(self, email):
        return {binding["role"] for binding in self.cloud.iam.policy(f"projects/{PROJECT}")["bindings"]
                if f"user:{email}" in binding["members"]}

    def test_clusters_do_not_share_a_bucket(self):
        """Jobs of one cluster cannot use the bucket of another one."""
        self.up()
        self.environment["KINETIC_CLUSTER"] = OTHER
        self.up()
        members = [{member for binding in self.cloud.iam.policy(f"buckets/{PROJECT}-{name}")["bindings"]
                    for member in binding["members"] if member.startswith("principal:")} for name in (CLUSTER, OTHER)]
        self.assertEqual([len(each) for each in members], [1, 1])
        self.assertNotEqual(*members)


if __name__ == "__main__":
    unittest.main()
