"""The stand-in for Cloud Build is as strict as Google's documents, and its builds are real.

cloud_build_test.py GCS_SERVER
"""

import gzip
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import urllib.error
import urllib.request

SUPPORT = pathlib.Path(__file__).parent.parent / "support"
sys.path[:0] = [str(SUPPORT), str(SUPPORT.parent / "e2e")]
import image_registry
from bucket import Bucket
from cloud_build import CloudBuild, Fault, missing, need_builds

GCS_SERVER = os.path.abspath(sys.argv[1])
TIMEOUT = 60  # seconds
ENDED = {"SUCCESS", "FAILURE", "INTERNAL_ERROR", "TIMEOUT", "CANCELLED", "EXPIRED"}


def tar_gz(files):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(content.getvalue())


class CloudBuildCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if lacking := missing() or image_registry.missing():
            raise RuntimeError(lacking)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-cloud-build-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.registry = image_registry.Registry(cls.folder / "registry")
        cls.addClassCleanup(cls.registry.stop)
        (cls.folder / "bucket").mkdir()
        cls.bucket = Bucket(GCS_SERVER, cls.folder / "bucket", token="builder")
        cls.addClassCleanup(cls.bucket.stop)
        cls.base = f"{cls.registry.host}/base/tool:1"
        cls.push_base()

    @classmethod
    def push_base(cls):
        """Returns an image with one program."""
        tool = cls.folder / "tool"
        subprocess.run(["cc", "-static", "-o", tool, SUPPORT / "cloud_build/tool.c"], check=True)
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w") as archive:
            archive.add(tool, "tool")
        layer = content.getvalue()
        config = json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {
            "type": "layers", "diff_ids": [image_registry.sha256(layer)]}}).encode()
        kind = "application/vnd.oci.image.{}"
        cls.registry.put_manifest("base/tool", "1", {
            "schemaVersion": 2, "mediaType": image_registry.MANIFEST,
            "config": {"mediaType": kind.format("config.v1+json"), **cls.registry.put_blob("base/tool", config)},
            "layers": [{"mediaType": kind.format("layer.v1.tar"), **cls.registry.put_blob("base/tool", layer)}]})

    def setUp(self):
        self.service = CloudBuild(self.folder / self.id(), self.bucket.url, "builder")
        self.addCleanup(self.service.stop)
        self.builds = "/v1/projects/p/locations/global/builds"

    def ask(self, method, path, body=None, token=None, code=200):
        request = urllib.request.Request(
            self.service.url + path, None if body is None else json.dumps(body).encode(), method=method,
            headers={"Authorization": f"Bearer {token or self.service.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                self.assertEqual(answer.status, code)
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                document = json.load(error)
            self.assertEqual(error.code, code, document)
            self.assertEqual(document["error"]["code"], code)
            return document["error"]

    def order(self, dockerfile=None, **changes):
        """Stores the source of a Dockerfile in the bucket. Returns the build to request."""
        name = f"{self.id()}.tar.gz"
        self.bucket.put(name, tar_gz({
            "Dockerfile": (dockerfile or f"FROM {self.base}\nCOPY words /words\n").encode(), "context/words": b"hello"}))
        self.image = f"{self.registry.host}/made/{self.id().rsplit('.', 1)[1].lower()}:1"
        return {"source": {"storageSource": {"bucket": "bucket", "object": name}},
                "steps": [{"id": "build", "name": "gcr.io/cloud-builders/docker", "env": ["DOCKER_BUILDKIT=1"],
                           "args": ["build", f"--tag={self.image}", "-f", "Dockerfile", "--label=a=b c", "context"]}],
                "images": [self.image], "logsBucket": "gs://bucket/logs", "tags": ["mine"],
                "options": {"logging": "GCS_ONLY"}} | changes

    def begin(self, order):
        return self.ask("POST", self.builds, order)["metadata"]["build"]["id"]

    def wait(self, build, *statuses):
        deadline = time.monotonic() + TIMEOUT
        while (found := self.ask("GET", f"{self.builds}/{build}"))["status"] not in statuses:
            self.assertLess(time.monotonic(), deadline, found)
            self.assertNotIn(found["status"], ENDED, found)
            time.sleep(0.02)
        return found

    def log(self, build):
        return self.bucket.read(f"logs/log-{build}.txt").decode()


class Builds(CloudBuildCase):
    def test_image_is_built_and_pushed(self):
        build = self.begin(self.order(f'FROM {self.base}\nCOPY words /words\nRUN ["/tool", "at work", "0", "0"]\n'))
        done = self.wait(build, "SUCCESS")
        document, config, layers = self.registry.image(self.image.split("/", 1)[1].removesuffix(":1"), "1")
        self.assertEqual(done["results"]["images"], [{"name": self.image, "digest": image_registry.sha256(document)}])
        self.assertEqual(config["config"]["Labels"]["a"], "b c")
        self.assertGreater(len(layers), 1)
        self.assertEqual([step["status"] for step in done["steps"]], ["SUCCESS"])
        log = self.log(build)
        places = [log.index(words) for words in ("starting build", "FETCHSOURCE", "at work", "PUSH", "DONE")]
        self.assertEqual(places, sorted(places))

    def test_failed_step(self):
        build = self.begin(self.order(f'FROM {self.base}\nRUN ["/tool", "no such package", "0", "3"]\n'))
        done = self.wait(build, "FAILURE")
        self.assertEqual(done["failureInfo"]["type"], "USER_BUILD_STEP")
        self.assertEqual(done["steps"][0]["status"], "FAILURE")
        self.assertNotEqual(done["steps"][0]["exitCode"], 0)
        self.assertIn('build step 0 "gcr.io/cloud-builders/docker" failed', done["statusDetail"])
        self.assertIn("no such package", self.log(build))
        self.assertNotIn("DONE", self.log(build))

    def test_options_unknown_to_docker_are_rejected(self):
        for change, words in ({"args": ["build", "--secret=id=x", "context"]}, "unknown flag: --secret"), \
                             ({"args": ["build", "--tag=x"]}, "requires exactly 1 argument"), \
                             ({"name": "gcr.io/cloud-builders/none"}, "pull access denied"):
            order = self.order()
            order["steps"][0] |= change
            build = self.begin(order)
            self.assertEqual(self.wait(build, "FAILURE")["failureInfo"]["type"], "USER_BUILD_STEP")
            self.assertIn(words, self.log(build))
        order = self.order(f'FROM {self.base}\nRUN --mount=type=cache,target=/c ["/tool", "x", "0", "0"]\n')
        del order["steps"][0]["env"]
        build = self.begin(order)
        self.wait(build, "FAILURE")
        self.assertIn("requires BuildKit", self.log(build))

    def test_missing_source(self):
        order = self.order()
        order["source"]["storageSource"]["generation"] = "7"
        done = self.wait(self.begin(order), "FAILURE")
        self.assertEqual(done["failureInfo"]["type"], "FETCH_SOURCE_FAILED")

    def test_image_without_step(self):
        order = self.order()
        order["images"] = [f"{self.registry.host}/made/other:1"]
        self.assertEqual(self.wait(self.begin(order), "FAILURE")["failureInfo"]["type"], "PUSH_IMAGE_NOT_FOUND")

    def test_log_grows_and_cancelled_step_ends(self):
        build = self.begin(self.order(f'FROM {self.base}\nRUN ["/tool", "at work", "600", "0"]\n'))
        deadline = time.monotonic() + TIMEOUT
        while True:
            self.assertLess(time.monotonic(), deadline)
            try:
                if "at work" in self.log(build):
                    break
            except urllib.error.HTTPError:
                pass
            time.sleep(0.05)
        self.assertEqual(self.ask("POST", f"{self.builds}/{build}:cancel", {})["status"], "CANCELLED")
        self.service.builds[build].join()
        self.assertEqual(self.service.statuses(), ["CANCELLED"])
        self.ask("POST", f"{self.builds}/{build}:cancel", {})

    def test_build_timeout(self):
        order = self.order(f'FROM {self.base}\nRUN ["/tool", "at work", "600", "0"]\n', timeout="2s")
        self.wait(self.begin(order), "TIMEOUT")

    def test_queued_build_ends_with_requested_status(self):
        self.service.held.set()
        self.service.ends_as.append("EXPIRED")
        build = self.begin(self.order())
        self.assertEqual(self.ask("GET", f"{self.builds}/{build}")["status"], "QUEUED")
        self.service.held.clear()
        self.wait(build, "EXPIRED")
        again = self.ask("POST", f"{self.builds}/{build}:cancel", {}, code=400)
        self.assertEqual(again["status"], "FAILED_PRECONDITION")


class Interface(CloudBuildCase):
    """Requests only. Nothing is built."""

    def setUp(self):
        super().setUp()
        self.service.held.set()

    def refused(self, words, code=400, **changes):
        self.assertIn(words, self.ask("POST", self.builds, self.order() | changes, code=code)["message"])

    def test_request_is_checked_against_discovery_document(self):
        self.refused("Unknown name \"logBucket\" at 'build'", logBucket="gs://bucket")
        self.refused("Unknown name \"machine\" at 'build.options'", options={"machine": "E2_MEDIUM"})
        self.refused("TYPE_ENUM", options={"logging": "gcs_only"})
        self.refused("TYPE_GOOGLE-DURATION", timeout="60m")
        self.refused("output only", status="QUEUED")
        self.refused("TYPE_STRING", tags=[7])
        self.refused("TYPE_INT64", source={"storageSource": {"bucket": "b", "object": "o", "generation": "x"}})
        self.assertEqual(self.service.builds, {})

    def test_request_is_checked_beyond_discovery_document(self):
        self.refused("at least one build step", steps=[])
        self.refused("must have a name", steps=[{"id": "x"}])
        self.refused("invalid build tag", tags=["a b"])
        self.refused("24 hours", timeout="90000s")
        account = "projects/p/serviceAccounts/b@p.iam.gserviceaccount.com"
        self.refused("'build.service_account'", serviceAccount="b@p.iam.gserviceaccount.com")
        order = self.order(serviceAccount=account)
        del order["logsBucket"]
        self.assertIn("(a) specify 'build.logs_bucket'", self.ask("POST", self.builds, order, code=400)["message"])

    def test_credential_and_permissions_are_checked(self):
        self.assertEqual(self.ask("GET", self.builds, token="wrong", code=401)["status"], "UNAUTHENTICATED")
        self.ask("GET", self.builds.replace("/p/", "/other/"), code=403)
        self.service.is_disabled = True
        [detail] = self.ask("GET", self.builds, code=403)["details"]
        self.assertEqual(detail["reason"], "SERVICE_DISABLED")

    def test_builds_are_listed_by_tag_in_pages(self):
        first, second = self.begin(self.order()), self.begin(self.order())
        other = self.begin(self.order(tags=["other"]))
        query = "?filter=tags%3D%22mine%22&pageSize=1"
        page = self.ask("GET", self.builds + query)
        self.assertEqual([build["id"] for build in page["builds"]], [second])
        page = self.ask("GET", f"{self.builds}{query}&pageToken={page['nextPageToken']}")
        self.assertEqual([build["id"] for build in page["builds"]], [first])
        self.assertNotIn("nextPageToken", page)
        working = self.ask("GET", self.builds + "?filter=tags%3D%22other%22%20AND%20status%3D%22WORKING%22")
        self.assertEqual(working, {})
        self.ask("GET", self.builds + "?filter=tags%3Amine", code=400)
        self.ask("GET", self.builds + "?size=1", code=400)
        self.ask("GET", self.builds.replace("global", "europe-west4") + "/" + other, code=404)
        self.assertEqual(self.ask("GET", f"/v1/projects/p/builds/{other}")["id"], other)

    def test_faults_are_injected_once(self):
        self.service.faults += [Fault("GET", 503), Fault("GET", "cut"), Fault("POST", "lose")]
        self.ask("GET", self.builds, code=503)
        with self.assertRaises(OSError):
            self.ask("GET", self.builds)
        with self.assertRaises(OSError):
            self.ask("POST", self.builds, self.order())
        self.assertEqual(len(self.ask("GET", self.builds)["builds"]), 1)


if __name__ == "__main__":
    need_builds()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
