#!/usr/bin/env python3
"""Local jobs with everything in a bucket, inspected from this machine and another.

    bucket_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time
import unittest

from bucket import Bucket, BucketMachine
from machine import LINES, VALUE

KINETIC, RUNNER, SERVER = sys.argv[1:4]

SLOW = """import os, pathlib, time
def main(n):
    for i in range(n):
        print('line', i, flush=True)
        if i == n // 2: time.sleep(2)
    return n + 1
"""

LARGE = """import os, pathlib, random
def main(n):
    content = random.Random(n).randbytes(n << 20)
    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / 'large.bin').write_bytes(content)
"""
MIB = 1 << 20

class BucketJobs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-bucket-"))
        self.bucket = Bucket(SERVER, self.folder)
        self.here = self.machine("here")
        self.there = self.machine("there")

    def tearDown(self):
        self.bucket.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def machine(self, name, place="team"):
        return BucketMachine(self.folder / name, KINETIC, RUNNER, self.bucket, place)

    def asked(self, machine, *arguments):
        """Returns the JSON output of a successful command and the requests that it made."""
        self.bucket.requests()
        done = machine.run(*arguments, "--json")
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout), self.bucket.requests()

    def test_job_is_visible_from_another_machine(self):
        answer = json.loads(self.here.submit().stdout)
        self.here.check_success(self, "here", answer)
        self.there.check_success(self, "there", {"value": self.asked(self.there, "result", "fixed-id")[0]["value"]})
        listed, _ = self.asked(self.there, "ps", "--all")
        self.assertEqual([(job["id"], job["state"]) for job in listed], [("fixed-id", "succeeded")])
        self.assertEqual(self.bucket.read("team/outputs/fixed-id/out.txt"), b"kept")
        again = json.loads(self.here.submit().stdout)
        self.assertEqual((again["state"], again["value"]), ("succeeded", VALUE))
        other = self.there.submit()
        self.assertEqual(other.returncode, 2, "a job that belongs to another machine: " + other.stdout)
        self.assertIn("target identity", other.stdout)
        self.assertEqual(self.there.run("rm", "fixed-id").returncode, 0)
        self.assertEqual(self.asked(self.here, "ps", "--all")[0], [])

    def test_no_object_changes_twice_in_a_second(self):
        """The server rejects a second change of an object within a second."""
        sources = {"short": "def main(n):\n    return n\n",
                   "failed": "def main(n):\n    raise ValueError(n)\n",
                   "long": SLOW.replace("time.sleep(2)", "time.sleep(4)")}
        self.bucket.requests()
        for job, source in sources.items():
            (self.here.project / "small.py").write_text(source)
            self.here.run("run", "job.yaml", "--id", job)
            self.assertEqual(self.there.run("status", job).returncode, 0)
        requests = self.bucket.requests()
        listed, _ = self.asked(self.there, "ps", "--all")
        self.assertEqual({job["id"]: job["state"] for job in listed},
                         {"short": "succeeded", "failed": "failed", "long": "succeeded"})
        for job in sources:
            self.assertEqual(self.here.run("rm", job).returncode, 0)
        self.assertEqual([name for name in self.here.objects() if name.startswith("index/")], [])
        self.assertEqual(self.here.await_quiet(), {})
        requests += self.bucket.requests()
        self.assertGreater(len(requests), 30)
        self.assertEqual([request["target"] for request in requests if request["status"] == 429], [])

    def test_unchanged_bundle_takes_one_request(self):
        self.here.submit(job="first")
        self.bucket.requests()
        self.assertEqual(self.here.run("run", "job.yaml", "--detach").returncode, 0)
        content = [r["target"] for r in self.bucket.requests()
                   if "%2Ftrees%2F" in r["target"] or "%2Fpacks%2F" in r["target"]]
        staged = [target for target in content if "alt=media" not in target]
        self.assertEqual(len(staged), 1, content)
        self.assertEqual(self.here.await_quiet(), {})

    def test_ps_takes_one_listing(self):
        for name in ("one", "two", "three"):
            self.here.submit(job=name)
        jobs, requests = self.asked(self.there, "ps", "--all")
        self.assertEqual(len(jobs), 3)
        self.assertEqual([r["method"] for r in requests], ["GET", "GET"], "format.json and the listing")

    def test_running_job_can_be_followed_from_another_machine(self):
        (self.here.project / "small.py").write_text(SLOW)
        self.assertEqual(self.here.run("run", "job.yaml", "--id", "slow", "--detach").returncode, 0)
        followed = self.there.run("attach", "slow")
        lines = (followed.stdout + followed.stderr).splitlines()
        self.assertEqual([line for line in lines if line.startswith("line ")], LINES)
        self.assertEqual(followed.returncode, 0, followed.stderr)

    def test_killed_supervisor_is_detected(self):
        (self.here.project / "small.py").write_text(SLOW)
        self.here.run("run", "job.yaml", "--id", "slow", "--detach")
        until = time.monotonic() + 20
        while self.asked(self.here, "status", "slow")[0]["state"] != "running" and time.monotonic() < until:
            time.sleep(0.05)

        for pid, (program, _) in self.here.processes().items():
            if program.startswith("kinetic-runner"):
                os.kill(pid, signal.SIGKILL)
                self.await_death(pid)
        state, _ = self.asked(self.here, "status", "slow")
        self.assertEqual(state["state"], "lost")
        self.assertEqual(self.asked(self.there, "status", "slow")[0]["state"], "lost")
        self.assertEqual(self.here.await_quiet(), {})

    def await_death(self, pid):
        """A killed process holds its locks until its last thread has exited."""
        process = pathlib.Path(f"/proc/{pid}")
        until = time.monotonic() + 20
        while time.monotonic() < until:
            try:
                state = (process / "stat").read_text().rpartition(")")[2].split()[0]
                if state == "Z" and len(list((process / "task").iterdir())) == 1:
                    return
            except OSError:
                return
            time.sleep(0.005)
        self.fail(f"process {pid} still runs")

    def test_missing_bucket_is_named(self):
        self.here.environment["KINETIC_STORE"] = "gs://nobodys-bucket"
        done = self.here.run("run", "job.yaml")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("gs://nobodys-bucket", done.stderr)
        self.assertIn("hint:", done.stderr)
        self.assertEqual(self.here.await_quiet(), {})

    def test_removed_jobs_and_their_content_are_collected(self):
        self.here.submit()
        self.here.run("rm", "fixed-id")
        report, _ = self.asked(self.here, "gc", "--dry-run")
        self.assertEqual(report["removed"], [], "what is young is kept")

    def large_output(self, mib, *flags):
        """Runs a job with one output of the given size. @returns what the job writes"""
        (self.here.project / "small.py").write_text(LARGE)
        job = (self.here.project / "job.yaml").read_text().replace("n: 20", f"n: {mib}")
        (self.here.project / "job.yaml").write_text(job)
        done = self.here.run("run", "job.yaml", "--id", "fixed-id", *flags)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return random.Random(mib).randbytes(mib * MIB)

    def keep_deleted(self):
        """Checks that no parts remain."""
        self.bucket.change({"softDeletePolicy": {"retentionDurationSeconds": "604800"}})

    def kill_when(self, command, happened):
        """Starts a command on this machine and kills it when the condition holds."""
        victim = self.here.start(*command)
        until = time.monotonic() + 60
        while not happened() and victim.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        self.assertIsNone(victim.poll(), "it ended too early")
        victim.send_signal(signal.SIGKILL)
        victim.communicate()

    def test_large_output_download_uses_ranges_and_resumes(self):
        content = self.large_output(64)
        out = self.here.folder / "out"
        get = ("outputs", "get", "fixed-id", "--to", str(out))
        self.bucket.requests()
        self.bucket.commit({"do": "stall-reply", "path": "*large.bin*alt=media*", "skip": 1, "times": 1,
                            "at_byte": 5 * MIB})

        def three_ranges_are_there():
            journals = list(out.glob(".kinetic-*.parts"))
            noted = dict(line.split()[:2] for line in journals[0].read_text().splitlines()
                         if line.endswith(".")) if journals else {}
            there = sorted(int(bytes) for bytes in noted.values())
            return there[1:] == [16 * MIB] * 3 and there[0] >= 4 * MIB

        self.kill_when(get, three_ranges_are_there)
        self.bucket.behave()
        self.bucket.requests()
        done = self.here.run(*get)
        self.assertEqual(done.returncode, 0, done.stderr)
        ranges = [dict(r["headers"])["Range"] for r in self.bucket.requests() if "alt=media" in r["target"]
                  and "large.bin" in r["target"]]
        self.assertEqual(len(ranges), 1, ranges)
        begin, end = (int(number) for number in ranges[0].removeprefix("bytes=").split("-"))
        self.assertLessEqual(end - begin, 12 * MIB, "what was there of the range that was cut")
        self.assertEqual(sorted(path.name for path in out.iterdir()), [".gitignore", "large.bin"])
        self.assertTrue((out / "large.bin").read_bytes() == content)

    def test_large_output_upload_leaves_no_parts(self):
        content = self.large_output(70)
        targets = [r["target"] for r in self.bucket.requests()]
        self.assertTrue(any("/compose" in target for target in targets))
        self.assertEqual(self.bucket.objects("team/.tmp/"), set())
        self.assertTrue(self.bucket.read("team/outputs/fixed-id/large.bin") == content)
        removed = self.here.run("rm", "fixed-id")
        self.assertEqual(removed.returncode, 0, removed.stderr)
        self.keep_deleted()
        self.here.submit()
        self.assertFalse(any("/compose" in r["target"] for r in self.bucket.requests()))
        self.assertTrue(self.bucket.read("team/outputs/fixed-id/large.bin") == content)

    def test_output_upload_resumes_after_killed_supervisor(self):
        self.keep_deleted()
        uploads = self.here.folder / ".local/state/kinetic/uploads"
        self.bucket.commit({"do": "answer", "status": 503, "method": "PUT", "at_byte": 8 * MIB},
                           {"do": "stall-body", "method": "PUT", "times": 0})
        content = self.large_output(20, "--detach")
        until = time.monotonic() + 60
        while not any(r["fault"] for r in self.bucket.peek()) and time.monotonic() < until:
            time.sleep(0.005)
        identity = self.here.folder / ".local/state/kinetic/jobs/fixed-id/supervisor.json"
        supervisor = json.loads(identity.read_text())["pid"]
        os.kill(supervisor, signal.SIGKILL)
        self.await_death(supervisor)
        self.assertEqual(self.here.await_quiet(), {})
        self.bucket.behave()
        _, requests = self.asked(self.here, "status", "fixed-id")
        ranges = [dict(r["headers"]).get("Content-Range", "") for r in requests if r["method"] == "PUT"]
        self.assertEqual(self.bucket.objects("team/outputs/fixed-id/"), {"large.bin"})
        self.assertTrue(self.bucket.read("team/outputs/fixed-id/large.bin") == content)
        self.assertTrue(any(r.startswith(f"bytes {8 * MIB}-") for r in ranges), ranges)
        self.assertFalse(any(r.startswith("bytes 0-") for r in ranges), ranges)
        self.assertEqual(list(uploads.iterdir()), [])

    def test_pack_upload_resumes_after_killed_client(self):
        (self.here.project / "data.bin").write_bytes(os.urandom(12 * MIB))
        uploads = self.here.folder / ".local/state/kinetic/uploads"
        self.bucket.commit({"do": "answer", "status": 503, "method": "PUT", "at_byte": 6 * MIB},
                           {"do": "stall-body", "method": "PUT", "times": 0})
        self.kill_when(("run", "job.yaml", "--id", "fixed-id"),
                       lambda: any(r["fault"] for r in self.bucket.peek()))
        self.bucket.behave()
        self.assertEqual(len(list(uploads.iterdir())), 1)
        self.assertEqual(uploads.stat().st_mode & 0o777, 0o700)
        self.bucket.requests()
        done = self.here.submit()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        ranges = [dict(r["headers"]).get("Content-Range", "") for r in self.bucket.requests() if r["method"] == "PUT"]
        self.assertTrue(ranges[0].startswith("bytes */"), ranges)
        self.assertTrue(ranges[1].startswith(f"bytes {6 * MIB}-"), ranges)
        self.assertEqual(list(uploads.iterdir()), [])

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
