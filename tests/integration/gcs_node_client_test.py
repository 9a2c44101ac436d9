#!/usr/bin/env python3
"""Google's Node client against the stand-in.   gcs_node_client_test.py GCS_SERVER MODULES_DIR

The client is installed into MODULES_DIR once. If that is not possible, the test is skipped with a message.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from gcs_program import GcsProgram

SKIPPED = 77
CLIENT = "@google-cloud/storage@7.17.0"
ACTS = ["small", "createdOnce", "large", "listed", "composed", "rules"]


def install(folder: pathlib.Path):
    """Returns whether the client is installed."""
    if (folder / "node_modules/@google-cloud/storage").exists():
        return True
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}\n")
    done = subprocess.run(["npm", "install", "--silent", CLIENT], cwd=folder, capture_output=True, text=True)
    return done.returncode == 0


class NodeClient(unittest.TestCase):
    program = modules = None

    def test_node_client_operations_succeed(self):
        server = GcsProgram(self.program)
        self.addCleanup(server.stop)
        with tempfile.TemporaryDirectory() as folder:
            environment = {"PATH": os.environ["PATH"], "HOME": folder}
            done = subprocess.run(["node", pathlib.Path(__file__).with_name("gcs_node_client.mjs"), server.url,
                                   self.modules, folder], env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout.split()), (0, ACTS), done.stderr)
        chunks = [r["status"] for r in server.requests() if r["method"] == "PUT" and "upload_id" in r["target"]]
        self.assertEqual(chunks, [308] * 5 + [200])


def main():
    if shutil.which("npm") is None or not install(pathlib.Path(sys.argv[2])):
        print(f"skipped 1 of 1: {CLIENT} cannot be installed (it needs node and npm)")
        return SKIPPED
    NodeClient.program, NodeClient.modules = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    return 0 if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
