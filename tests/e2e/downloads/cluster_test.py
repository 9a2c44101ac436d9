#!/usr/bin/env python3
"""Downloads of jobs on Kubernetes: the client deletes the Job while its pod stores them.

    cluster_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase
from image_case import FUNCTION

PROGRAM = """
import os, pathlib
def main():
    model = pathlib.Path(os.environ["HF_HOME"], "hub", "models--org--tiny")
    link = model / "snapshots" / "c0ffee" / "model.safetensors"
    if link.exists():
        return len(link.read_bytes())
    (model / "blobs").mkdir(parents=True)
    link.parent.mkdir(parents=True)
    (model / "blobs" / "abc").write_bytes(os.urandom(100_000_000))
    link.symlink_to("../../blobs/abc")
    return "downloaded"
"""


class Downloads(JobsTestCase):
    programs = sys.argv[1:4]

    def test_next_job_finds_them(self):
        self.machine.job(FUNCTION, app_py=PROGRAM)
        self.assertEqual(json.loads(self.run_job("--id", "first").stdout), "downloaded")
        wait_for("the manifest", lambda: any(name.endswith("manifest.json")
                                             for name in self.bucket.objects("team/downloads/")), 120)
        second = self.run_job("--id", "second")
        self.assertEqual(json.loads(second.stdout), 100_000_000)
        self.assertIn("fetched 95.4 MiB of downloads of earlier jobs", second.stderr)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
