#!/usr/bin/env python3
"""Copies to and from running local jobs (kinetic cp), with the store in a folder and in a bucket.

    copy_test.py KINETIC RUNNER GCS_SERVER folder|bucket [TEST...]
"""

import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import unittest

from bucket import Bucket, BucketMachine
from machine import Machine

KINETIC, RUNNER, SERVER, PLACE = sys.argv[1:5]

# Runs until it gets the file "stop".
PROGRAM = """echo first > train.log
mkdir -p "$KINETIC_OUTPUT_DIR/plots" "$KINETIC_CHECKPOINT_DIR/step-1" outputs empty
echo plot > "$KINETIC_OUTPUT_DIR/plots/a.svg"
echo mine > outputs/own.txt
printf 'w\\0x' > "$KINETIC_CHECKPOINT_DIR/step-1/w.bin"
chmod +x "$KINETIC_CHECKPOINT_DIR/step-1/w.bin"
ln -s step-1 "$KINETIC_CHECKPOINT_DIR/latest"
ln -s "$FOREIGN" evil
ln -s "$(dirname "$FOREIGN")" outside
mkfifo pipe
touch ready
until test -e stop; do echo more >> train.log; sleep 0.02; done
cat stop
"""
LARGE_BYTES = 200 << 20


class CopyTestCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-copy-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.make_machine()
        self.project = self.here.project
        self.secret = self.folder / "secrets/key"
        self.secret.parent.mkdir()
        self.secret.write_text("secret")

    def start(self, *arguments, program=PROGRAM, job="train"):
        (self.project / "job.sh").write_text(program)
        (self.project / "job.yaml").write_text(
            f"run: sh job.sh\ndependencies: null\nenv: {{FOREIGN: {self.secret}}}\n")
        started = self.here.run("run", "job.yaml", "--id", job, "--detach", *arguments)
        self.assertEqual(started.returncode, 0, started.stderr)
        self.addCleanup(self.here.run, "rm", "--force", job)
        self.await_line(job)

    def await_line(self, job):
        """Waits until the program has made its files."""
        ready = self.folder / "here/.local/state/kinetic/jobs" / job / "work/ready"
        self.wait_for(ready.exists)

    def wait_for(self, happened, seconds=30):
        until = time.monotonic() + seconds
        while not happened():
            self.assertLess(time.monotonic(), until, "did not happen")
            time.sleep(0.02)

    def cp(self, *arguments, code=0, machine=None):
        done = (machine or self.here).run("cp", *arguments)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stderr

    def left(self):
        """Returns the objects of copies in the store."""
        return sorted(name for name in self.here.objects() if "/copies/" in name)

    def signal_supervisors(self, number):
        for pid, (name, _) in self.here.processes().items():
            if name.startswith("kinetic-runner"):
                os.kill(pid, number)

    def stop(self, job="train"):
        (self.project / "stop").write_text("stop now\n")
        self.cp("stop", f"{job}:")
        self.assertEqual(self.here.run("wait", job).returncode, 0)


class Copies:
    def test_files_and_folders_are_copied_in_both_directions(self):
        self.start()
        self.cp("train:train.log", ".")
        self.assertTrue((self.project / "train.log").read_text().startswith("first\nmore\n"))
        self.cp("latest:checkpoints/latest", "step")
        self.assertEqual((self.project / "step/w.bin").read_bytes(), b"w\0x")
        self.assertTrue(os.access(self.project / "step/w.bin", os.X_OK))
        self.cp("train:checkpoints", ".")
        self.assertEqual(os.readlink(self.project / "checkpoints/latest"), "step-1")
        self.cp("tra:./outputs/own.txt", "mine.txt")
        self.assertEqual((self.project / "mine.txt").read_text(), "mine\n")
        done = json.loads(self.here.run("cp", "train:outputs/plots", "plots", "--json").stdout)
        self.assertEqual(done, {"id": "train", "source": "train:outputs/plots", "destination": "plots", "folder": True,
                                "files": 1, "bytes": 5, "replaced": 0, "skipped": []})
        self.assertIn("; existing files replaced: 1\n", self.cp("train:outputs/plots", "plots/../."))
        self.assertIn("copied to mine.txt; the existing file was replaced\n", self.cp("tra:./outputs/own.txt", "mine.txt"))
        config = self.project / "config"
        (config / "deep").mkdir(parents=True)
        (config / "deep/run.sh").write_text("#!/bin/sh\n")
        (config / "deep/run.sh").chmod(0o755)
        (config / "link").symlink_to("deep")
        (config / "out").symlink_to("/etc")
        self.assertIn("not copied: out: points outside the copied folder", self.cp("config", "train:outputs"))
        self.cp("train:outputs/config", "back")
        self.assertTrue(os.access(self.project / "back/deep/run.sh", os.X_OK))
        self.assertEqual(os.readlink(self.project / "back/link"), "deep")
        self.assertFalse((self.project / "back/out").exists())
        self.stop()
        self.assertIn("stop now", self.here.run("logs", "train").stdout)
        self.assertEqual(self.left(), [])
        # The stored outputs of a job that has ended.
        self.cp("train:outputs/plots/a.svg", "after.svg")
        self.assertEqual((self.project / "after.svg").read_text(), "plot\n")
        self.cp("train:outputs", "everything")
        self.assertTrue((self.project / "everything/config/deep/run.sh").exists())
        # Otherwise the next bundle would contain them.
        self.assertIn("*", (self.project / "everything/.gitignore").read_text())
        self.assertIn("it has ended, and only its outputs are kept", self.cp("train:train.log", "late", code=120))
        self.assertIn("it has ended: succeeded", self.cp("stop", "train:", code=120))
        self.assertIn("did you mean 'outputs/plots'?", self.cp("train:outputs/plot", "late", code=2))

    def test_links_and_paths_do_not_leave_the_job(self):
        self.start()
        self.assertIn("evil is a link to a missing file, or to one outside", self.cp("train:evil", "x", code=120))
        self.assertIn("outside is a link", self.cp("train:outside/key", "x", code=120))
        self.assertIn("contains '..'", self.cp("train:../supervisor.json", "x", code=2))
        self.assertIn("in none of the job's own folders", self.cp(f"train:{self.secret}", "x", code=2))
        self.assertIn("neither a file nor a folder", self.cp("train:pipe", "x", code=120))
        self.assertIn("not copied: outside: points outside the copied folder", self.cp("train:", "all"))
        self.assertEqual({path.name for path in (self.project / "all").iterdir()},
                         {"job.sh", "job.yaml", "small.py", "train.log", "outputs", "ready"})
        (self.project / "new").write_text("new")
        for place in ("evil", "outside", "outside/key", "outside/", "pipe/x"):
            self.cp("new", f"train:{place}", code=120)
        self.assertEqual([path.name for path in self.secret.parent.iterdir()], ["key"])
        self.assertEqual(self.secret.read_text(), "secret")
        self.assertFalse((self.project / "x").exists())
        self.assertEqual(self.left(), [])

    def test_errors_name_what_is_wrong(self):
        self.start()
        self.assertIn("did you mean 'train.log'?", self.cp("train:train.lgo", ".", code=2))
        self.assertIn("write ./outputs/own.txt", self.cp("train:outputs/own.txt", ".", code=2))
        self.assertIn("neither path is in a job", self.cp("a", "./b:c", code=2))
        self.assertIn("from one job to another", self.cp("a:b", "c:d", code=2))
        self.assertIn("missing job ID before ':'", self.cp(":b", "c", code=2))
        self.assertIn("the folder missing does not exist", self.cp("train:train.log", "missing/x", code=2))
        self.assertIn("does not exist", self.cp("train:train.log", "missing/", code=120))
        self.assertIn("did you mean 'small.py'?", self.cp("smal.py", "train:", code=2))
        (self.project / "taken/train.log").mkdir(parents=True)
        self.assertIn("cannot replace the folder taken/train.log with a file",
                      self.cp("train:train.log", "taken", code=120))
        self.assertIn("cannot replace small.py with a folder", self.cp("train:outputs", "small.py", code=120))
        self.assertIn("nothing does not exist in job train", self.cp("small.py", "train:nothing/x", code=2))
        self.assertIn("cannot replace train.log with a folder", self.cp("taken", "train:train.log", code=120))
        self.assertEqual(self.left(), [])

    def test_several_clients_copy_at_the_same_time(self):
        self.start()
        clients = [self.here.start("cp", "train:train.log", f"log-{number}") for number in range(5)]
        for client in clients:
            _, text = client.communicate(timeout=60)
            self.assertEqual(client.returncode, 0, text)
        self.assertEqual(self.left(), [])

    def test_interrupted_client_removes_its_request(self):
        self.start(program=f"truncate -s {LARGE_BYTES} large.bin\n" + PROGRAM)
        for stopped in ("requests", "files"):
            client = self.here.start("cp", "train:large.bin", "large.bin")
            self.wait_for(lambda stopped=stopped: any(f"/{stopped}/" in name for name in self.left()) or
                          client.poll() is not None)
            client.send_signal(signal.SIGINT)
            client.communicate(timeout=60)
            self.assertIn(client.returncode, (0, -signal.SIGINT))  # it may have been done
            # The job may notice later that the request is gone.
            self.wait_for(lambda: self.left() == [])
        self.cp("train:large.bin", "large.bin")
        self.assertEqual((self.project / "large.bin").stat().st_size, LARGE_BYTES)

    def test_killed_client_does_not_block_others(self):
        self.start()
        self.signal_supervisors(signal.SIGSTOP)
        client = self.here.start("cp", "train:", "all")
        self.wait_for(lambda: any("/requests/" in name for name in self.left()))
        client.kill()
        client.communicate(timeout=60)
        self.signal_supervisors(signal.SIGCONT)
        self.cp("train:train.log", "log")
        self.wait_for(lambda: any(name.endswith("answer.json") for name in self.left()))
        left = self.left()
        self.assertEqual(self.here.run("gc").returncode, 0)
        self.assertEqual(self.left(), left, "it may still be used")
        self.make_old(left)
        self.assertIn("copies", self.here.run("gc").stdout)
        self.assertEqual(self.left(), [])

    def test_job_that_does_not_answer_is_reported(self):
        self.start()
        self.signal_supervisors(signal.SIGSTOP)
        begin = time.monotonic()
        text = self.cp("train:train.log", "log", code=120)
        self.assertLess(time.monotonic() - begin, 30)
        self.signal_supervisors(signal.SIGCONT)
        self.assertIn("waiting for job train to respond", text)
        self.assertIn("job train did not respond within 20 seconds", text)
        self.assertEqual(self.left(), [])

    def test_end_of_the_program_ends_the_wait(self):
        self.start(program="touch ready\nsleep 7\n")
        begin = time.monotonic()
        while time.monotonic() - begin < 30:
            done = self.here.run("cp", "train:ready", "ready")
            if done.returncode != 0:
                break
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ended", done.stderr)
        self.assertEqual(self.left(), [])

    def test_job_that_has_not_started_is_reported(self):
        self.here.environment["KINETIC_CONCURRENCY"] = "1"
        self.start()
        self.assertEqual(self.here.run("run", "job.yaml", "--id", "second", "--detach").returncode, 0)
        self.addCleanup(self.here.run, "rm", "--force", "second")
        text = self.cp("second:a", "b", code=120)
        self.assertIn("waiting for job second to start: queued", text)
        self.assertIn("job second has not started: queued", text)


class FolderCopies(Copies, CopyTestCase):
    def make_machine(self):
        self.here = Machine(self.folder / "here", KINETIC, RUNNER, None)
        self.here.environment["KINETIC_RUNNER"] = RUNNER

    def make_old(self, names):
        then = time.time() - 2 * 24 * 3600
        for name in names:
            os.utime(self.here.store / name, (then, then))


class BucketCopies(Copies, CopyTestCase):
    def make_machine(self):
        self.bucket = Bucket(SERVER, self.folder)
        self.addCleanup(self.bucket.stop)
        self.here = BucketMachine(self.folder / "here", KINETIC, RUNNER, self.bucket, "team")
        self.there = BucketMachine(self.folder / "there", KINETIC, RUNNER, self.bucket, "team")

    def make_old(self, names):
        for name in names:
            self.bucket.age("team/" + name, 2)

    def test_copy_from_another_machine(self):
        self.start()
        status = lambda: json.loads(self.there.run("status", "train", "--json").stdout)["state"]
        self.wait_for(lambda: status() == "running")
        self.cp("train:train.log", "log", machine=self.there)
        self.assertTrue((self.there.project / "log").read_text().startswith("first\n"))
        (self.there.project / "stop").write_text("from there\n")
        self.cp("stop", "train:", machine=self.there)
        self.assertEqual(self.here.run("wait", "train").returncode, 0)
        self.assertIn("from there", self.here.run("logs", "train").stdout)

    def test_idle_job_is_checked_every_five_seconds(self):
        self.start()
        self.bucket.requests()
        begin = time.monotonic()
        self.wait_for(lambda: len(self.checks()) >= 4, seconds=60)
        self.assertGreater(time.monotonic() - begin, 12)
        polls = self.bucket.requests()
        lists = [each for each in polls if "copies" in each["target"]]
        self.assertEqual(lists, [], "nothing else is read")

    def checks(self):
        return [each for each in self.bucket.peek() if each["target"].split("?")[0].endswith("copying")]

    def test_short_job_is_not_checked(self):
        self.bucket.requests()
        self.assertEqual(self.here.submit().returncode, 0)
        self.assertEqual(self.here.await_quiet(), {})
        self.assertEqual(self.checks(), [])

    def test_no_object_changes_twice_in_a_second(self):
        self.start()
        self.bucket.requests()
        for number in range(4):
            self.cp("train:train.log", f"log-{number}")
        refused = [each["target"] for each in self.bucket.requests() if each["status"] == 429]
        self.assertEqual(refused, [])


if __name__ == "__main__":
    tests = sys.argv[5:] or ["FolderCopies" if PLACE == "folder" else "BucketCopies"]
    unittest.main(argv=sys.argv[:1] + tests)
