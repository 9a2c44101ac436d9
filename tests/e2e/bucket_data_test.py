#!/usr/bin/env python3
"""Jobs with data in a bucket receive the state of their submission, or report why not.

    bucket_data_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import hashlib
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
import unittest

from bucket import ACTS, Bucket, BucketMachine

KINETIC, RUNNER, SERVER = sys.argv[1:4]

MODULE = """import hashlib, os, pathlib, time
def main(data, wait=None):
    while wait and not os.path.exists(wait): time.sleep(0.01)
    data = pathlib.Path(data)
    files = [data] if data.is_file() else sorted(p for p in data.rglob('*') if p.is_file())
    return {str(p.relative_to(data)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}
"""
SMALL = {"a.txt": b"first", "b/c.txt": b"second", "b/d-e.txt": b"third", "b.txt": b""}
# Larger than a single request, and no multiple of a range.
LARGE = random.Random(7).randbytes((40 << 20) + 12345)


def digests(files):
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


class BucketData(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-data-"))
        self.bucket = Bucket(SERVER, self.folder)
        self.machine = BucketMachine(self.folder / "here", KINETIC, RUNNER, self.bucket, "team")
        (self.machine.project / "small.py").write_text(MODULE)

    def tearDown(self):
        self.bucket.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def job(self, source, path="/data", more=""):
        (self.machine.project / "job.yaml").write_text(
            f"name: small\nfunction: small:main\nargs: {{data: {{$path: {path}}}}}\n"
            f"dependencies: null\ndata:\n  {path}: {source}\n{more}")

    def put(self, files, prefix="sets/one/"):
        for name, content in files.items():
            self.bucket.put(prefix + name, content)

    def value(self, *options):
        done = self.machine.run("run", "job.yaml", "--json", *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["value"]

    def refused(self, *options):
        """Returns the error of a run that submits nothing."""
        before = self.machine.objects()
        done = self.machine.run("run", "job.yaml", "--json", *options)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.machine.objects() - {"format.json"}, before - {"format.json"})
        return json.loads(done.stdout)["error"]

    def test_bucket_folder_is_copied_before_job_starts(self):
        self.put({**SMALL, "large.bin": LARGE})
        self.put({"": b"", "b/": b""})  # folder placeholder as created by consoles
        self.put({"x": b"not of it"}, "sets/one-more/")
        self.job("gs://bucket/sets/one")
        self.assertEqual(self.value(), digests({**SMALL, "large.bin": LARGE}))
        self.job("gs://bucket/sets/one/")
        self.assertEqual(self.value(), digests({**SMALL, "large.bin": LARGE}))

    def test_single_object_is_a_file(self):
        self.put(SMALL)
        self.job("gs://bucket/sets/one/b/c.txt", "/data/table.txt")
        self.assertEqual(self.value(), {".": digests(SMALL)["b/c.txt"]})

    def test_store_can_be_a_folder(self):
        self.put(SMALL)
        self.job("{source: gs://bucket/sets/one/, mode: copy}")
        self.machine.environment["KINETIC_STORE"] = str(self.folder / "store")
        self.assertEqual(self.value(), digests(SMALL))

    def test_record_lists_objects_and_is_removed_with_job(self):
        self.put(SMALL)
        self.job("gs://bucket/sets/one/")
        self.value("--id", "told")
        record = json.loads(self.bucket.read("team/jobs/told/record.json"))
        told = record["listed_data"]["/data"]
        self.assertEqual((told["objects"], told["bytes"]), (4, 16))
        names = [name for name in self.machine.objects() if name.startswith("jobs/told/data/")]
        self.assertEqual(len(names), 1)
        listing = json.loads(self.bucket.read("team/" + names[0]))
        self.assertEqual([entry[0] for entry in listing["objects"]], sorted(SMALL))
        self.assertEqual(self.machine.run("rm", "told").returncode, 0)
        self.assertEqual([name for name in self.machine.objects() if name.startswith("jobs/told/")], [])

    def test_progress_is_reported(self):
        self.put({"large.bin": LARGE, **SMALL})
        self.job("gs://bucket/sets/one")
        self.bucket.commit({"do": "stall-reply", "path": "*large.bin*alt=media*", "skip": 1, "times": 0})
        done = self.machine.run("run", "job.yaml", "--id", "slow", "--detach")
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = self.machine.folder / ".local/state/kinetic/jobs/slow/status.json"
        until = time.monotonic() + 30
        status = {}
        # The code is fetched before the data and reported in the same way.
        while (status.get("reason"), status.get("fetched_bytes", 0) > 0) != ("fetching /data", True):
            self.assertLess(time.monotonic(), until, status)
            status = json.loads(shown.read_text()) if shown.exists() else {}
            time.sleep(0.02)
        total = len(LARGE) + sum(len(content) for content in SMALL.values())
        self.assertEqual((status["phase"], status["reason"], status["total_bytes"]), ("pull", "fetching /data", total))
        self.assertLess(status["fetched_bytes"], total)
        self.bucket.behave()
        self.assertEqual(self.machine.run("cancel", "slow").returncode, 0)
        self.assertEqual(self.machine.await_quiet(), {})

    def test_object_replaced_after_submission_is_reported(self):
        self.machine.environment["KINETIC_DATA_CACHE"] = str(self.folder / "volume")
        self.put(SMALL)
        self.job("gs://bucket/sets/one/")
        self.machine.environment["KINETIC_CONCURRENCY"] = "1"
        gate = self.folder / "gate"
        blocker = self.machine.run("run", "--detach", "--id", "blocker", "--", "sh", "-c",
                                   f"while [ ! -e {gate} ]; do sleep 0.02; done")
        self.assertEqual(blocker.returncode, 0, blocker.stderr)
        self.assertEqual(self.machine.run("run", "job.yaml", "--detach", "--id", "late").returncode, 0)
        self.put({"a.txt": b"another"})
        gate.touch()
        done = self.machine.run("wait", "late", "--json")
        self.assertEqual(done.returncode, 123, done.stdout + done.stderr)
        self.assertIn("gs://bucket/sets/one/a.txt was changed or removed after the job was submitted", done.stdout)
        self.assertFalse(list((self.folder / "volume").glob("*/entries")))

    def test_same_id_with_other_data_is_rejected(self):
        self.put(SMALL)
        self.job("gs://bucket/sets/one/")
        self.value("--id", "same")
        self.value("--id", "same")
        self.put({"a.txt": b"another"})
        done = self.machine.run("run", "job.yaml", "--json", "--id", "same")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("data of /data", done.stdout)

    def test_damaged_download_is_repeated(self):
        self.put({**SMALL, "middle.bin": LARGE[:2 << 20], "large.bin": LARGE})
        self.job("gs://bucket/sets/one/")
        for name in ("c.txt", "middle.bin", "large.bin"):
            for act in ("flipped bit received", "reset in the answer", "503", "truncated answer"):
                self.bucket.commit({**ACTS[act], "path": f"*{name}?*alt=media*", "times": 1, "at_byte": 3})
                with self.subTest(name=name, act=act):
                    self.assertEqual(self.value()[f"b/{name}" if name == "c.txt" else name],
                                     digests({**SMALL, "middle.bin": LARGE[:2 << 20], "large.bin": LARGE})[
                                         f"b/{name}" if name == "c.txt" else name])
                self.bucket.behave()

    def fetched(self):
        """Returns the number of content requests for the set since the last call."""
        return len([r for r in self.bucket.requests() if "o/sets%2Fone%2F" in r["target"] and "alt=media" in r["target"]])

    def test_volume_content_is_not_fetched_again(self):
        self.put(SMALL)
        self.job("gs://bucket/sets/one/")
        cache = self.folder / "volume"
        self.machine.environment["KINETIC_DATA_CACHE"] = str(cache)
        self.bucket.requests()
        for expected in (4, 0):
            self.assertEqual(self.value(), digests(SMALL))
            self.assertEqual(self.fetched(), expected)
        self.put({"a.txt": b"another"})
        self.assertEqual(self.value(), digests({**SMALL, "a.txt": b"another"}))
        kept = next(cache.glob("listing-*/entries"))
        for content in cache.glob("listing-*/content/b/c.txt"):
            content.write_bytes(b"somebody's idea")
        self.assertEqual(self.value(), digests({**SMALL, "a.txt": b"another"}))
        report = json.loads(self.machine.run("gc", "--json").stdout)
        self.assertEqual([c["kept"] for c in report["classes"] if c["name"] == "kept data"], [2])
        os.utime(kept, (1_600_000_000, 1_600_000_000))
        report = json.loads(self.machine.run("gc", "--json").stdout)
        self.assertEqual([c["removed"] for c in report["classes"] if c["name"] == "kept data"], [1])

    def test_unusable_volume_is_ignored(self):
        self.put(SMALL)
        self.job("gs://bucket/sets/one/")
        (self.folder / "file").write_text("")
        self.machine.environment["KINETIC_DATA_CACHE"] = str(self.folder / "file")
        self.assertEqual(self.value(), digests(SMALL))

    def test_empty_source_is_reported_with_location(self):
        self.job("gs://bucket/nothing/here/")
        error = self.refused()
        self.assertIn("job.yaml:6:10: data./data: no object in gs://bucket/nothing/here/", error["message"])
        self.assertIn("job.yaml:6:10", self.refused("--dry-run")["message"])

    def test_missing_bucket_is_reported_with_location(self):
        self.job("gs://nobodys-bucket/x/")
        error = self.refused()
        self.assertIn("job.yaml:6:10", error["message"])
        self.assertIn("gs://nobodys-bucket", error["message"])

    def test_names_invalid_as_file_are_rejected(self):
        for name, words in (("be\all", "\\x07"), ("up/../etc", ".."), ("x" * 300, "longer"),
                            ("a/b", "cannot both be files")):
            with self.subTest(name=name):
                self.put({"a": b"1", name: b"2"}, "odd/")
                self.job("gs://bucket/odd/")
                self.assertIn(words, self.refused()["message"])
                self.bucket.remove("odd/" + name)

    def test_dry_run_names_listing(self):
        self.put(SMALL)
        self.job("gs://bucket/sets/one/")
        done = self.machine.run("run", "job.yaml", "--dry-run", "--json", "--id", "planned")
        self.assertEqual(done.returncode, 0, done.stdout)
        plan = json.loads(done.stdout)
        self.assertTrue([name for name in plan["objects"] if name.startswith("jobs/planned/data/")])
        self.assertEqual(plan["record"]["listed_data"]["/data"]["objects"], 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
