#!/usr/bin/env python3
"""gcloud storage against the stand-in.   gcs_gcloud_test.py GCS_SERVER"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from gcs_program import GcsProgram, run_with_tool
from sample_tree import read_tree, write_tree


class Gcloud(unittest.TestCase):
    program = None

    def setUp(self):
        self.server = GcsProgram(self.program, "--bucket", "b", "--page-limit", "40")
        self.addCleanup(self.server.stop)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.up = self.folder / "up"
        write_tree(self.up)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "CLOUDSDK_CONFIG": str(self.folder / "config"),
            "CLOUDSDK_AUTH_DISABLE_CREDENTIALS": "true", "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
            "CLOUDSDK_CORE_PROJECT": "p", "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "true",
            "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE": f"{self.server.url}/storage/v1/"}

    def gcloud(self, *arguments, **settings):
        done = subprocess.run(["gcloud", "storage", *arguments], env={**self.environment, **settings}, cwd=self.folder,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout

    def test_tree_round_trip(self):
        self.gcloud("cp", "-r", "up", "gs://b/tree")
        down = self.folder / "down"
        down.mkdir()
        self.gcloud("cp", "-r", "gs://b/tree", "down")
        self.assertEqual(read_tree(self.up), read_tree(down / "tree"))
        listed = self.gcloud("ls", "gs://b/tree/**").splitlines()
        self.assertEqual(sorted(listed), sorted(f"gs://b/tree/{name}" for name in read_tree(self.up)))

    def test_large_object_uses_parts_and_ranges(self):
        large = self.up / "dir/deep/er/large"
        parts = {"CLOUDSDK_STORAGE_PARALLEL_COMPOSITE_UPLOAD_ENABLED": "true",
                 "CLOUDSDK_STORAGE_PARALLEL_COMPOSITE_UPLOAD_THRESHOLD": "4M",
                 "CLOUDSDK_STORAGE_PARALLEL_COMPOSITE_UPLOAD_COMPONENT_SIZE": "4M",
                 "CLOUDSDK_STORAGE_SLICED_OBJECT_DOWNLOAD_THRESHOLD": "4M",
                 "CLOUDSDK_STORAGE_SLICED_OBJECT_DOWNLOAD_COMPONENT_SIZE": "4M"}
        self.gcloud("cp", str(large), "gs://b/large", **parts)
        self.gcloud("cp", "gs://b/large", "back", **parts)
        self.assertEqual((self.folder / "back").read_bytes(), large.read_bytes())
        targets = [request["target"] for request in self.server.requests()]
        self.assertTrue(any("/compose" in target for target in targets), targets)

    def test_objects_are_composed_copied_and_described(self):
        for name in ("000", "001"):
            self.gcloud("cp", f"up/many/{name}.txt", f"gs://b/{name}")
        self.gcloud("objects", "compose", "gs://b/000", "gs://b/001", "gs://b/both")
        self.gcloud("mv", "gs://b/both", "gs://b/moved")
        wanted = b"".join((self.up / f"many/{name}.txt").read_bytes() for name in ("000", "001"))
        self.gcloud("cp", "gs://b/moved", "moved")
        self.assertEqual((self.folder / "moved").read_bytes(), wanted)
        described = json.loads(self.gcloud("objects", "describe", "gs://b/moved", "--format=json"))
        self.assertEqual((described["size"], described["component_count"]), (20_000, 2))
        self.gcloud("rm", "gs://b/**")
        self.assertEqual(self.gcloud("ls", "gs://b"), "")

    def test_lifecycle_rules_are_set(self):
        self.gcloud("buckets", "create", "gs://made-here", "--location=europe-west4", "--uniform-bucket-level-access")
        (self.folder / "rules.json").write_text(json.dumps(
            {"rule": [{"action": {"type": "Delete"}, "condition": {"daysSinceCustomTime": 30}}]}))
        self.gcloud("buckets", "update", "gs://made-here", "--lifecycle-file=rules.json")
        described = json.loads(self.gcloud("buckets", "describe", "gs://made-here", "--format=json"))
        self.assertEqual(described["location"], "EUROPE-WEST4")
        self.assertEqual(described["lifecycle_config"]["rule"][0]["condition"], {"daysSinceCustomTime": 30})


if __name__ == "__main__":
    sys.exit(run_with_tool(Gcloud, "gcloud", "https://cloud.google.com/sdk/docs/install"))
