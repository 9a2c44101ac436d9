#!/usr/bin/env python3
"""Google's Python client against the stand-in for Cloud Build, and its discovery document against the excerpt.

cloud_build_python_client_test.py GCS_SERVER VENV_DIR

The client is installed into VENV_DIR once. If that is not possible, the test is skipped with a message.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SUPPORT = pathlib.Path(__file__).resolve().parent.parent / "support"
sys.path[:0] = [str(SUPPORT), str(SUPPORT.parent / "e2e")]
from bucket import Bucket
from cloud_build import CloudBuild
from cloud_build.schema import FILE, excerpt

SKIPPED = 77
PACKAGE = "google-api-python-client==2.202.0"  # version whose discovery document the excerpt is from


def client_python(folder):
    """Returns the interpreter of a virtual environment with the client, or None."""
    python = folder / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        has_client = subprocess.run([python, "-c", "import googleapiclient"], capture_output=True)
        if has_client.returncode != 0:
            subprocess.run([python, "-m", "pip", "install", "-q", PACKAGE], check=True)
    except subprocess.CalledProcessError as error:
        print(f"skipped 1 of 1: {PACKAGE} cannot be installed: {error}")
        return None
    return python


class PythonClient(unittest.TestCase):
    program = None

    def setUp(self):
        from google.oauth2.credentials import Credentials
        from googleapiclient import discovery

        folder = tempfile.TemporaryDirectory(prefix="kinetic-cloud-build-")
        self.addCleanup(folder.cleanup)
        data = pathlib.Path(folder.name, "bucket")
        data.mkdir()
        bucket = Bucket(self.program, data)
        self.addCleanup(bucket.stop)
        self.service = CloudBuild(pathlib.Path(folder.name, "builds"), bucket.url)
        self.addCleanup(self.service.stop)
        self.service.held.set()
        client = discovery.build("cloudbuild", "v1", credentials=Credentials(self.service.token),
                                 client_options={"api_endpoint": self.service.url}, static_discovery=True)
        self.addCleanup(client.close)
        self.builds = client.projects().locations().builds()
        self.order = {"source": {"storageSource": {"bucket": "bucket", "object": "o", "generation": "1"}},
                      "steps": [{"name": "gcr.io/cloud-builders/docker", "args": ["build", "."]}],
                      "tags": ["mine"], "logsBucket": "gs://bucket/logs"}

    def create(self, order=None):
        begun = self.builds.create(parent="projects/p/locations/europe-west4", body=order or self.order).execute()
        return begun["metadata"]["build"]

    def test_builds_are_created_listed_and_cancelled(self):
        build = self.create()
        self.assertEqual(build["status"], "QUEUED")
        self.assertEqual(self.builds.get(name=build["name"]).execute()["id"], build["id"])
        listed = self.builds.list(parent="projects/p/locations/europe-west4", filter='tags="mine"').execute()
        self.assertEqual([one["id"] for one in listed["builds"]], [build["id"]])
        cancelled = self.builds.cancel(name=build["name"], body={}).execute()
        self.assertEqual(cancelled["status"], "CANCELLED")

    def test_builds_are_listed_in_pages(self):
        made = {self.create()["id"] for _ in range(3)}
        found = set()
        request = self.builds.list(parent="projects/p/locations/europe-west4", pageSize=1)
        while request:
            answer = request.execute()
            found |= {build["id"] for build in answer["builds"]}
            request = self.builds.list_next(request, answer)
        self.assertEqual(found, made)

    def test_rejected_requests_raise_client_errors(self):
        from googleapiclient.errors import HttpError

        with self.assertRaisesRegex(HttpError, "Unknown name"):
            self.create({**self.order, "logBucket": "gs://bucket"})
        with self.assertRaisesRegex(HttpError, "not found"):
            self.builds.get(name="projects/p/locations/europe-west4/builds/none").execute()

    def test_schema_is_excerpt_of_discovery_document(self):
        import googleapiclient

        documents = pathlib.Path(googleapiclient.__file__).parent / "discovery_cache/documents"
        self.assertEqual(FILE.read_text(), excerpt(json.loads((documents / "cloudbuild.v1.json").read_text())))


if __name__ == "__main__":
    if os.environ.get("CLOUD_BUILD_CLIENT") is None:
        interpreter = client_python(pathlib.Path(sys.argv[2]).resolve())
        if interpreter is None:
            sys.exit(SKIPPED)
        os.environ["CLOUD_BUILD_CLIENT"] = "yes"
        os.execv(interpreter, [str(interpreter), *sys.argv])
    PythonClient.program = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
