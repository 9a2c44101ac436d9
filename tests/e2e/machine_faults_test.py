#!/usr/bin/env python3
"""Full disks, failing devices, interrupted calls and too many open files at every operation of a job.

    machine_faults_test.py KINETIC RUNNER FAULT_LIBRARY [--every] [TEST...]

After each fault there is a success, or an error that names operation, object and cause. Nothing incomplete is visible,
and the next run succeeds. Without --every, a fixed selection of places is tried.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from machine import Machine, VALUE, count_operations, spread

EVERY = "--every" in sys.argv
WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
KINETIC, RUNNER, LIBRARY = WORDS[:3]
FOR_EVER = 10**9
CAUSES = {
    "ENOSPC": "no space left on device",
    "EROFS": "read-only file system",
    "EIO": "input/output error",
    "EMFILE": "too many open files",
}


class MachineFaults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-faults-"))

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def machine(self, name, **options):
        return Machine(self.folder / str(name), KINETIC, RUNNER, LIBRARY, **options)

    def check_answer(self, what, done, cause):
        """Checks for a success, a job that failed for this cause, or a complete error; never a crash."""
        self.assertGreaterEqual(done.returncode, 0, f"{what}: {done.stderr}")
        self.assertTrue(done.stdout, f"{what}: {done.stderr}")
        answer = json.loads(done.stdout)
        if answer.get("state") == "succeeded":
            self.assertEqual(answer["value"], VALUE, what)
            return "succeeded"
        if "error" in answer:
            message = answer["error"]["message"]
            self.assertIn(cause, message.lower(), f"{what}: {done.stdout}")
            if cause != CAUSES["EMFILE"]:  # a pipe has no path
                self.assertIn("/", message, what)
            return "error"
        self.assertIn(answer["state"], {"failed", "lost"}, f"{what}: {done.stdout}")
        if answer["state"] == "failed":
            self.assertIn(cause, done.stdout.lower(), f"{what}: {done.stdout}")
        return answer["state"]

    def fault_at_each(self, what, fault, places, environment, times=1):
        machine = self.machine("count")
        count = count_operations(machine, machine.submit,
                                 lambda _, counter: environment(machine, fault, 0, times, counter))
        machine.remove()
        ended = {}
        for place in spread(count, places):
            machine = self.machine(place)
            name = f"{what} with {fault} at {place} of {count}" + (" and ever after" if times > 1 else "")
            with self.subTest(name):
                done = machine.submit(environment(machine, fault, place, times, None))
                state = self.check_answer(name, done, CAUSES[fault])
                ended[state] = ended.get(state, 0) + 1
                machine.check_recovery(self, name, states=("succeeded", "failed", "lost"))
                fresh = machine.submit(job="fresh")
                self.assertEqual(fresh.returncode, 0, name + fresh.stdout + fresh.stderr)
                machine.check_success(self, name, json.loads(fresh.stdout), job="fresh")
                self.assertEqual(machine.await_quiet(), {}, name)
            machine.remove()
        print(f"{what} with {fault}: {count} operations, {ended}", flush=True)

    @staticmethod
    def of_client(machine, fault, place, times, counter):
        return machine.fault("kinetic", fault, place, times, counter)

    @staticmethod
    def of_supervisor(machine, fault, place, times, counter):
        return machine.runner_with(machine.fault("kinetic-runner", fault, place, times, counter))

    def test_client_survives_each_fault(self):
        for fault in CAUSES:
            self.fault_at_each("client", fault, None if EVERY else 3, self.of_client)

    def test_supervisor_survives_each_fault(self):
        for fault in CAUSES:
            self.fault_at_each("supervisor", fault, None if EVERY else 3, self.of_supervisor)

    def test_full_disk(self):
        places = 40 if EVERY else 4
        self.fault_at_each("client", "ENOSPC", places, self.of_client, FOR_EVER)

    def test_full_disk_of_supervisor(self):
        """The supervisor waits for free space. If it is killed meanwhile, the next command completes its work."""
        machine = self.machine("count")
        count = count_operations(machine, machine.submit,
                                 lambda _, counter: self.of_supervisor(machine, "ENOSPC", 0, 1, counter))
        machine.remove()
        for place in spread(count, 40 if EVERY else 4):
            machine = self.machine(place)
            with self.subTest(f"{place} of {count}"):
                client = machine.start("run", "job.yaml", "--id", "fixed-id", "--json",
                                       extra=self.of_supervisor(machine, "ENOSPC", place, FOR_EVER, None))
                try:
                    client.wait(timeout=3)
                except subprocess.TimeoutExpired:
                    for pid, (program, _) in machine.processes().items():
                        if program == "kinetic-runner":
                            os.kill(pid, signal.SIGKILL)
                client.communicate(timeout=60)
                machine.check_recovery(self, place, states=("succeeded", "failed", "lost"))
            machine.remove()

    def endure(self, fault, seed, packages):
        machine = self.machine(f"{fault}-{seed}", packages=packages)
        day = {**machine.fault("kinetic", fault, seed),
               **machine.runner_with(machine.fault("kinetic-runner", fault, seed))}
        done = machine.submit(day)
        what = f"{fault}, {seed}"
        self.assertEqual(done.returncode, 0, f"{what}: {done.stdout}{done.stderr}")
        machine.check_success(self, what, json.loads(done.stdout))
        for command in (["ps", "--all"], ["gc"], ["outputs", "fixed-id"], ["rm", "fixed-id"]):
            done = machine.run(*command, extra=machine.fault("kinetic", fault, seed))
            self.assertEqual(done.returncode, 0, f"{what}: {command}: {done.stderr}")
        machine.check_store()
        machine.remove()

    def test_short_transfers_change_nothing(self):
        self.endure("short", 0, packages=True)

    def test_interrupted_calls_change_nothing(self):
        for seed in range(200 if EVERY else 5):
            with self.subTest(seed=seed):
                self.endure("EINTR", seed, packages=seed % 10 == 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + WORDS[3:])
