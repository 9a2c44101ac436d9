#!/usr/bin/env python3
"""Runs a job against a server that fails one request: nothing is lost or duplicated.

    bucket_faults_test.py KINETIC RUNNER GCS_SERVER [--every] [TEST...]

The requests of a job without faults are counted. Then each of them fails in turn: with --every in all ways, otherwise
in one. The client is also killed at each request and started again.
"""

import datetime
import json
import pathlib
import shutil
import signal
import socket
import sys
import tempfile
import time
import unittest

from bucket import ACTS, Bucket, BucketMachine

EVERY = "--every" in sys.argv
WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
KINETIC, RUNNER, SERVER = WORDS[:3]
TOKEN = "secret-token-of-a-test"
# These requests depend on the timing of the job.
VARIES = ("/following",)


class BucketCase(unittest.TestCase):
    """A bucket that requires a token."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-faults-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.bucket = Bucket(SERVER, self.folder, TOKEN)
        self.addCleanup(self.bucket.stop)

    def machine(self, place):
        machine = BucketMachine(self.folder / place, KINETIC, RUNNER, self.bucket, place)
        (machine.folder / "token").write_text(TOKEN)
        machine.environment["KINETIC_TOKEN_FILE"] = str(machine.folder / "token")
        return machine


class RequestFaults(BucketCase):
    def setUp(self):
        super().setUp()
        done, self.expected, self.count = self.run_at("count", [])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(self.count, 15)

    def kinds(self, machine):
        """Returns names of objects without their random parts. A killed client may leave an index entry without a
        job, which is ignored and expires."""
        return sorted({"index" if name.startswith("index/") else name for name in machine.objects()
                       if not name.endswith(VARIES)})

    def run_at(self, place, faults):
        """Runs the job in its own place. @returns the result, its objects and its number of requests"""
        machine = self.machine(place)
        before = self.bucket.count()
        self.bucket.commit(*[{**fault, "index": before + fault["index"]} for fault in faults])
        done = machine.submit()
        self.assertEqual(machine.await_quiet(), {}, place)
        count = self.bucket.count() - before
        self.bucket.behave()
        kinds = self.kinds(machine)
        machine.check_store()
        if done.returncode == 0:
            machine.check_success(self, place, json.loads(done.stdout))
        machine.remove()
        return done, kinds, count

    def test_job_survives_any_fault_at_any_request(self):
        names = list(ACTS)
        tried = 0
        for index in range(self.count):
            for number, name in enumerate(names):
                if not EVERY and number != index % len(names):
                    continue
                with self.subTest(index=index, fault=name):
                    done, kinds, _ = self.run_at(f"{index}-{number}", [{**ACTS[name], "index": index}])
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertEqual(kinds, self.expected)
                    tried += 1
        print(f"{tried} jobs of {self.count} requests", flush=True)

    def test_client_killed_at_any_request_loses_nothing(self):
        for index in range(0, self.count, 1 if EVERY else 4):
            with self.subTest(index=index):
                machine = self.machine(f"killed-{index}")
                at = self.bucket.count() + index
                self.bucket.commit({"do": "stall-reply", "stall": 2000, "index": at})
                client = machine.start("run", "job.yaml", "--id", "fixed-id", "--json")
                while self.bucket.count() <= at and client.poll() is None:
                    time.sleep(0.002)
                client.send_signal(signal.SIGKILL)
                client.communicate()
                self.bucket.behave()
                machine.check_recovery(self, f"killed at request {index}", states=("succeeded",))
                self.assertEqual(self.kinds(machine), self.expected)
                machine.remove()


class NewJobFaults(BucketCase):
    """The same without a chosen ID: the supervisor stores the record."""

    def run_at(self, place, *faults):
        """Runs the job in its own place. @returns the machine, the result and its number of requests"""
        machine = self.machine(place)
        before = self.bucket.count()
        self.bucket.commit(*[{**fault, "index": before + fault["index"]} for fault in faults])
        done = machine.run("run", "job.yaml", "--json")
        self.assertEqual(machine.await_quiet(), {}, place)
        count = self.bucket.count() - before
        self.bucket.behave()
        return machine, done, count

    def count(self):
        machine, done, count = self.run_at("count")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(count, 15)
        machine.remove()
        return count

    def check(self, machine, answer):
        machine.check_success(self, str(machine.folder), answer, answer["id"])
        machine.check_store()

    def test_job_survives_any_fault_at_any_request(self):
        names = list(ACTS)
        for index in range(self.count()):
            for number, name in enumerate(names):
                if not EVERY and number != index % len(names):
                    continue
                with self.subTest(index=index, fault=name):
                    machine, done, _ = self.run_at(f"{index}-{number}", {**ACTS[name], "index": index})
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.check(machine, json.loads(done.stdout))
                    machine.remove()

    def test_killed_client_leaves_nothing_or_a_listed_job(self):
        for index in range(0, self.count(), 1 if EVERY else 2):
            with self.subTest(index=index):
                machine = self.machine(f"killed-{index}")
                at = self.bucket.count() + index
                self.bucket.commit({"do": "stall-reply", "stall": 500, "index": at})
                client = machine.start("run", "job.yaml", "--json")
                while self.bucket.count() <= at and client.poll() is None:
                    time.sleep(0.002)
                client.send_signal(signal.SIGKILL)
                client.communicate()
                self.bucket.behave()
                self.assertEqual(machine.await_quiet(), {}, index)
                listed = json.loads(machine.run("ps", "--all", "--json").stdout)
                stored = {name.split("/")[1] for name in machine.objects() if name.endswith("record.json")}
                self.assertLessEqual(stored, {job["id"] for job in listed})
                for job in stored:
                    self.check(machine, json.loads(machine.run("result", job, "--json").stdout) | {"id": job})
                machine.remove()

    def test_refused_record_leaves_nothing(self):
        machine = self.machine("refused")
        self.bucket.commit({**ALL, "status": 403, "method": "POST", "path": "*record.json*"})
        done = machine.run("run", "job.yaml", "--json")
        self.bucket.behave()
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("record.json", done.stdout + done.stderr)
        self.assertEqual(machine.await_quiet(), {})
        self.assertEqual([name for name in machine.objects() if name.startswith(("index/", "jobs/"))], [])
        self.assertEqual(machine.orphans(), {})


ALL = {"do": "answer", "times": 0}
WAITS = """import os, pathlib, time
def main(n):
    pathlib.Path(os.environ['HOME'], 'up').touch()
    while not pathlib.Path('go').exists(): time.sleep(0.05)
    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / 'out.txt').write_text('kept')
    return n + 1
"""


def eventually(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("never: " + what)
        time.sleep(0.05)


class BadDays(BucketCase):
    """Servers that fail for a time, do not respond, or refuse the credential."""

    def test_commands_survive_half_a_minute_of_failures(self):
        places = {place: self.machine(place) for place in ("ps", "data", "run", "quiet")}
        for machine in places.values():
            self.assertEqual(machine.submit(job="before").returncode, 0)
            self.assertEqual(machine.await_quiet(), {})
        self.bucket.commit({**ALL, "status": 503})
        commands = {place: places[place].start(*words) for place, words in {
            "ps": ("ps", "--all"), "data": ("data", "put", "small.py"), "run": ("run", "job.yaml"),
            "quiet": ("ps", "--all", "-q")}.items()}
        time.sleep(30)
        self.bucket.behave()
        for place, command in commands.items():
            with self.subTest(command=place):
                out, err = command.communicate(timeout=120)
                self.assertEqual(command.returncode, 0, out + err)
                self.assertEqual("retrying: 503 from Cloud Storage, " in err, place != "quiet", err)
                self.assertLess(err.count("retrying: "), 10, err)

    def test_commands_end_after_the_time_for_retries(self):
        machine = self.machine("ends")
        self.assertEqual(machine.run("ps").returncode, 0)
        for fault in ({"status": 503}, {"status": 429}, {"status": 500}, {"do": "reset-before-body"}):
            with self.subTest(fault=fault):
                self.bucket.commit({**ALL, **fault})
                before = self.bucket.count()
                # Concurrent calls may each check the store.
                for duration, most in (("0", 4), ("3s", 40)):
                    done = machine.run("ps", "--retry-for", duration)
                    self.assertEqual(done.returncode, 120, done.stdout + done.stderr)
                    self.assertLessEqual(self.bucket.count() - before, most)
                    before = self.bucket.count()
                self.assertIn("attempts in ", done.stderr)
                self.bucket.behave()

    def test_silent_servers_are_named(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(64)
            for words in (("ps",), ("ps", "-q")):
                machine = self.machine("silent" + "-q" * (len(words) - 1))
                machine.environment["STORAGE_EMULATOR_HOST"] = f"http://127.0.0.1:{silent.getsockname()[1]}"
                done = machine.run(*words, "--retry-for", "0")
                self.assertEqual(done.returncode, 120, done.stdout + done.stderr)
                self.assertEqual("waiting for 127.0.0.1, 5 s" in done.stderr, "-q" not in words, done.stderr)
                self.assertIn("no data for 30 s", done.stderr)

    def test_refused_credential_keeps_neither_slot_nor_supervisor(self):
        here = self.machine("refused")
        here.environment["KINETIC_CONCURRENCY"] = "1"
        (here.project / "small.py").write_text(WAITS)
        client = here.start("run", "job.yaml", "--id", "first")
        runtime = here.folder / ".local/state/kinetic/jobs/first"
        eventually((runtime / "home/up").exists, "the program runs")
        self.bucket.commit({**ALL, "status": 401})
        # The next job of this machine has its store elsewhere.
        other = {"KINETIC_STORE": str(here.folder / "other-store")}
        self.assertEqual(here.run("run", "job.yaml", "--id", "second", "--detach", extra=other).returncode, 0)
        (runtime / "work/go").touch()
        second = runtime.parent / "second"
        eventually((second / "home/up").exists, "the next job runs although the first is not stored")
        (second / "work/go").touch()
        out, err = client.communicate(timeout=120)
        self.assertIn("the store rejected the credential", err, out)
        self.assertIn("check the program that writes the file", err)
        eventually(lambda: "kinetic-runner" not in {name for name, _ in here.processes().values()},
                   "the supervisors have ended")
        ended = datetime.datetime.now(datetime.timezone.utc)
        self.bucket.behave()
        why = here.run("why", "first")
        self.assertEqual(why.returncode, 0, why.stdout + why.stderr)
        result = here.run("result", "first", "--json")
        self.assertEqual(json.loads(result.stdout)["value"], 21, result.stderr)
        self.assertEqual(self.bucket.read("refused/outputs/first/out.txt"), b"kept")
        status = json.loads(here.run("status", "first", "--json").stdout)
        finished = datetime.datetime.fromisoformat(status["finished"].replace("Z", "+00:00"))
        self.assertLess(finished, ended - datetime.timedelta(seconds=10), "the end of the program")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + WORDS[3:])
