#!/usr/bin/env python3
"""Jobs on Kubernetes whose containers run as another user than the collector, with data.

    cluster_users_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import sys
import unittest

import cluster
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]

LOOKS = """import os, pathlib
def main():
    for name in 'HOME', 'TMPDIR', 'KINETIC_OUTPUT_DIR', 'KINETIC_CHECKPOINT_DIR':
        (pathlib.Path(os.environ[name]) / 'file').write_text('written')
    pathlib.Path('beside').write_text('the code')
    found = {str(path): path.read_text() for place in ('/data', '/models') for path in
             sorted(pathlib.Path(place).rglob('*')) if path.is_file()} if os.path.isdir('/data') else {}
    pathlib.Path('/data/own').write_text('x') if found else None
    return {'user': os.getuid(), 'found': found}
"""


class Users(JobsTestCase):
    programs = PROGRAMS

    def look(self, job, more):
        self.machine.job(f"name: users\nfunction: users:main\ndependencies: null\n{more}", users_py=LOOKS)
        self.machine.write({"train/a.txt": "A", "train/deep/b.txt": "B", "models/c.txt": "C"})
        done = self.machine.run("run", "job.yaml", "--id", job)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.bucket.read(f"team/outputs/{job}/file"), b"written")
        return self.machine.answer("result", job)["value"]

    def test_user_of_image(self):
        main = "{name: main, securityContext: {runAsUser: 1234, runAsGroup: 1234}}"
        value = self.look("own", f"pod: {{spec: {{containers: [{main}]}}}}\n"
                                 "data: {/data: ./train, /models/one: ./models}\n")
        self.assertEqual(value, {"user": 1234, "found": {"/data/a.txt": "A", "/data/deep/b.txt": "B",
                                                         "/models/one/c.txt": "C"}})

    def test_data_at_its_paths(self):
        value = self.look("data", "data: {/data: ./train, /models/deep/more: ./models}\n")
        self.assertEqual(value["found"],
                         {"/data/a.txt": "A", "/data/deep/b.txt": "B", "/models/deep/more/c.txt": "C"})

    def test_restricted_namespace(self):
        self.cluster.kubectl("label", "namespace", self.namespace, "pod-security.kubernetes.io/enforce=restricted")
        value = self.look("restricted", "data: {/data: ./train}\n")
        self.assertEqual(value, {"user": 65532, "found": {"/data/a.txt": "A", "/data/deep/b.txt": "B"}})


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
