#!/usr/bin/env python3
"""Arrays of this machine with everything in a bucket that changes an object once a second and fails some requests.

    bucket_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from bucket import Bucket, BucketMachine

KINETIC, RUNNER, SERVER = sys.argv[1:4]
TASKS = 12
JOB = f"""function: work:square
dependencies: null
bundle: {{root: .}}
array:
  parallel: 4
  over: {json.dumps([{"x": task} for task in range(TASKS)])}
"""


class BucketArrays(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-bucket-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.bucket = Bucket(SERVER, self.folder)
        self.addCleanup(self.bucket.stop)
        self.here, self.there = (BucketMachine(self.folder / name, KINETIC, RUNNER, self.bucket, "team")
                                 for name in ("here", "there"))
        (self.here.project / "work.py").write_text("def square(x):\n    print('task', x)\n    return x * x\n")
        (self.here.project / "job.yaml").write_text(JOB)

    def results(self):
        """Returns the results of all tasks, each of which is one object."""
        names = [f"team/jobs/a/tasks/{task:06}/result.json" for task in range(TASKS)]
        return [json.loads(self.bucket.read(name)) for name in names]

    def check(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([result["value"] for result in self.results()], [x * x for x in range(TASKS)])
        self.assertEqual(self.bucket.objects("team/jobs/a/ended/"), {f"{task:06}" for task in range(TASKS)})
        self.assertEqual(self.here.await_quiet(), {})

    def test_array_is_visible_from_another_machine(self):
        self.check(self.here.run("run", "job.yaml", "--id", "a"))
        refused = [request["target"] for request in self.bucket.requests() if request["status"] == 429]
        self.assertEqual(refused, [])
        seen = self.there.run("status", "a", "--json")
        self.assertEqual(json.loads(seen.stdout)["state"], "succeeded", seen.stderr)
        asked = [request["target"] for request in self.bucket.requests()]
        self.assertLess(len(asked), 10, asked)
        self.assertEqual(self.there.run("rm", "a").returncode, 0)
        self.assertEqual(self.bucket.objects("team/jobs/"), set())

    def test_array_survives_unavailable_requests(self):
        self.bucket.commit({"do": "answer", "status": 503, "share": 0.05}, {"do": "lose-reply", "share": 0.02})
        done = self.here.run("run", "job.yaml", "--id", "a")
        self.bucket.behave()
        self.check(done)

    def test_another_client_reads_and_collects_while_it_runs(self):
        gate = self.folder / "gate"
        (self.here.project / "work.py").write_text(
            "import pathlib, time\n"
            "def square(x):\n"
            f"    while x % 3 and not pathlib.Path('{gate}').exists():\n"
            "        time.sleep(0.02)\n"
            "    return {'long': 'x' * 20000, 'square': x * x}\n")
        running = self.here.start("run", "job.yaml", "--id", "a", "--parallel", str(TASKS))
        while len(self.bucket.objects("team/jobs/a/ended/")) < TASKS // 3:
            self.assertIsNone(running.poll())
            time.sleep(0.05)
        collected = self.there.run("gc", "--all", "--json")
        self.assertEqual(collected.returncode, 0, collected.stderr)
        rows = json.loads(self.there.run("results", "a", "--json").stdout)
        self.assertEqual({row["task"]: row["value"]["square"] for row in rows if row.get("value")},
                         {x: x * x for x in range(0, TASKS, 3)})
        gate.touch()
        output, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 0, output + errors)
        self.assertEqual([json.loads(line)["value"]["square"] for line in output.splitlines()],
                         [x * x for x in range(TASKS)])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
