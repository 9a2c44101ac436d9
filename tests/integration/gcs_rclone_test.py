#!/usr/bin/env python3
"""rclone against the stand-in: round trip of a tree.   gcs_rclone_test.py GCS_SERVER"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from gcs_program import GcsProgram, run_with_tool
from sample_tree import read_tree, write_tree


class Rclone(unittest.TestCase):
    program = None

    def setUp(self):
        # Pages are smaller than the tree, so that paging is covered.
        self.server = GcsProgram(self.program, "--bucket", "rclone-bucket", "--page-limit", "40",
                                 "--empty-pages")
        self.addCleanup(self.server.stop)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "rclone.conf").write_text(
            "[s]\ntype = google cloud storage\nanonymous = true\n"
            f"endpoint = {self.server.url}/storage/v1/\nbucket_policy_only = true\n")

    def rclone(self, *arguments):
        done = subprocess.run(["rclone", "--config", self.folder / "rclone.conf", "--retries", "1",
                               *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_tree_round_trip(self):
        up, down = self.folder / "up", self.folder / "down"
        write_tree(up)
        self.rclone("copy", str(up), "s:rclone-bucket/tree")
        self.rclone("check", str(up), "s:rclone-bucket/tree")
        self.rclone("copy", "s:rclone-bucket/tree", str(down))
        self.assertEqual(read_tree(up), read_tree(down))
        chunks = [r for r in self.server.requests() if "upload_id=" in r["target"]]
        self.assertGreater(len(chunks), 1, "the large file was sent in chunks")

    def test_changes_are_synchronized(self):
        up = self.folder / "up"
        write_tree(up)
        self.rclone("sync", str(up), "s:rclone-bucket/tree")
        (up / "one").write_bytes(b"22")
        shutil.rmtree(up / "many")
        self.rclone("sync", str(up), "s:rclone-bucket/tree")
        names = self.rclone("lsf", "-R", "--files-only", "s:rclone-bucket/tree").split("\n")
        self.assertEqual(sorted(filter(None, names)), sorted(read_tree(up)))
        self.rclone("copy", "s:rclone-bucket/tree", "s:rclone-bucket/copied")
        self.rclone("check", str(up), "s:rclone-bucket/copied")
        self.rclone("purge", "s:rclone-bucket/tree")
        self.assertEqual(self.rclone("lsf", "s:rclone-bucket"), "copied/\n")


if __name__ == "__main__":
    sys.exit(run_with_tool(Rclone, "rclone", "apt-get install rclone"))
