#!/usr/bin/env python3
"""Kills client, supervisor, installer or collector with SIGKILL, at writes and at random times.

    process_kills_test.py KINETIC RUNNER FAULT_LIBRARY [--every] [TEST...]

After each kill nothing incomplete is visible, the next command leaves no orphan, and the same id attaches to the job or
repeats it. Without --every, a fixed selection of writes is tried; with it every write and 200 random times.
KINETIC_DEATH_SEED repeats the random times of a run.
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

from machine import Machine, TERMINAL, VALUE, count_operations, spread

EVERY = "--every" in sys.argv
WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
KINETIC, RUNNER, LIBRARY = WORDS[:3]
PLACES = None if EVERY else 6
MOMENTS = 200 if EVERY else 4
SEED = int(os.environ.get("KINETIC_DEATH_SEED", random.SystemRandom().randrange(2**32) if EVERY else 1))
TEN_DAYS = 10 * 24 * 3600


class ProcessKills(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-death-"))

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def machine(self, name, **options):
        return Machine(self.folder / str(name), KINETIC, RUNNER, LIBRARY, **options)

    def kill_at_writes(self, what, environment, places=PLACES, **options):
        """`environment(machine, place, counter)` returns an environment that kills a submission at a place, or
        counts."""
        machine = self.machine("count", **options)
        count = count_operations(machine, machine.submit,
                                 lambda at, counter: environment(machine, at, counter))
        self.assertGreater(count, 10)
        ended = {}
        for place in spread(count, places):
            machine = self.machine(place, **options)
            machine.submit(environment(machine, place, None))
            state = machine.check_recovery(self, f"{what} killed at write {place} of {count}")
            ended[state] = ended.get(state, 0) + 1
            machine.remove()
        print(f"{what}: {count} writes, then {ended}", flush=True)

    def test_client_killed_at_each_write(self):
        self.kill_at_writes("client", lambda machine, place, counter: machine.fault(
            "kinetic", at=place, count=counter))

    def test_supervisor_killed_at_each_write(self):
        self.kill_at_writes("supervisor", lambda machine, place, counter: machine.runner_with(
            machine.fault("kinetic-runner", at=place, count=counter)))

    def test_client_killed_while_installing_environment(self):
        self.kill_at_writes("client with packages", lambda machine, place, counter: machine.fault(
            "kinetic", at=place, count=counter), places=None if EVERY else 4, packages=True)

    def test_installer_killed(self):
        """uv resolves and installs. Its writes are counted over all processes."""
        def environment(machine, place, counter):
            return machine.fault("uv", at=place, count=counter or machine.folder / "count")

        machine = self.machine("count", packages=True)
        count = count_operations(machine, machine.submit,
                                 lambda at, counter: environment(machine, at, counter))
        self.assertGreater(count, 100)
        for place in spread(count, 50 if EVERY else 4):
            machine = self.machine(place, packages=True)
            what = f"builder killed at write {place} of {count}"
            first = machine.submit(environment(machine, place, None))
            if first.returncode != 0:
                self.assertNotIn("Traceback", first.stderr, what)
            machine.check_recovery(self, what, states=("succeeded",))
            machine.remove()

    # The collector ------------------------------------------------------------------------------

    def used_machine(self):
        """Creates a machine with a kept job and leftovers of a removed one, and a copy to restore."""
        machine = self.machine("used")
        for job in ("kept", "old"):
            (machine.project / "small.py").write_text(
                (machine.project / "small.py").read_text() + f"# {job} " + job * 100_000 + "\n")
            self.assertEqual(machine.submit(job=job).returncode, 0)
        self.assertEqual(machine.run("rm", "old").returncode, 0)
        self.assertEqual(machine.await_quiet(), {})
        for path in machine.store.rglob("*"):
            if path.is_file():
                os.utime(path, (time.time() - TEN_DAYS,) * 2)
        shutil.copytree(machine.folder, self.folder / "copy", symlinks=True)
        return machine

    def restore(self, machine):
        machine.remove()
        shutil.copytree(self.folder / "copy", machine.folder, symlinks=True)

    def test_collector_killed_at_each_write(self):
        machine = self.used_machine()
        before = machine.objects()
        counter = machine.folder / "count"
        self.assertEqual(machine.run("gc", extra=machine.fault("kinetic", count=counter)).returncode, 0)
        count = counter.stat().st_size
        left = machine.objects()
        self.assertLess(len(left), len(before))
        self.assertGreater(count, 2)
        for place in spread(count, PLACES):
            what = f"collector killed at write {place} of {count}"
            self.restore(machine)
            died = machine.run("gc", extra=machine.fault("kinetic", at=place))
            self.assertEqual(died.returncode, -signal.SIGKILL, what + died.stderr)
            self.assertTrue(left <= machine.objects() <= before, what)
            again = machine.run("gc")
            self.assertEqual(again.returncode, 0, what + again.stderr)
            self.assertEqual(machine.objects(), left, what)
            machine.check_store()
            kept = machine.run("result", "kept", "--json")
            self.assertEqual(json.loads(kept.stdout)["value"], VALUE, what)

    # Random times -------------------------------------------------------------------------------

    def victim(self, machine, kind, command):
        """Returns a process of that kind, or None."""
        if kind in ("client", "collector"):
            return command.pid
        found = machine.processes()
        for pid, (name, parent) in found.items():
            if kind == "supervisor" and name == "kinetic-runner":
                return pid
            if kind == "builder" and name.startswith("python") and found.get(parent, ("",))[0] == "kinetic":
                return pid
        return None

    def kill_at_random_time(self, machine, kind, chance):
        """Starts a command and kills its victim at a random time. Returns whether there was one."""
        arguments = ["gc"] if kind == "collector" else ["run", "job.yaml", "--id", "fixed-id", "--json"]
        process = machine.start(*arguments)
        longest = {"client": 1.0, "supervisor": 0.3, "builder": 0.3, "collector": 0.05}[kind]
        until = time.monotonic() + 20
        victim = None
        while victim is None and process.poll() is None and time.monotonic() < until:
            victim = self.victim(machine, kind, process)
        time.sleep(chance.uniform(0, longest))
        killed = False
        if victim is not None:
            try:
                os.kill(victim, signal.SIGKILL)
                killed = True
            except ProcessLookupError:
                pass
        try:
            process.communicate(timeout=120)
        finally:
            process.kill()
        return killed

    def test_any_process_killed_at_any_time(self):
        print(f"KINETIC_DEATH_SEED={SEED}", flush=True)
        chance = random.Random(SEED)
        killed, ended = {}, {}
        number = 0
        while sum(killed.values()) < MOMENTS:
            number += 1
            kind = chance.choice(["client", "supervisor", "builder", "collector"])
            machine = self.machine(number, packages=kind == "builder" or chance.random() < 0.2)
            if kind == "collector":
                self.assertEqual(machine.submit().returncode, 0)
            done = self.kill_at_random_time(machine, kind, chance)
            killed[kind] = killed.get(kind, 0) + done
            state = machine.check_recovery(
                self, f"{kind} killed at moment {number} of KINETIC_DEATH_SEED={SEED}")
            self.assertIn(state, TERMINAL)
            ended[state] = ended.get(state, 0) + 1
            machine.remove()
        print(f"killed {killed}, then {ended}", flush=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + WORDS[3:])
