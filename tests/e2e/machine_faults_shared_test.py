#!/usr/bin/env python3
"""Many clients, two users and a wrong clock on one store.

    machine_faults_shared_test.py KINETIC RUNNER FAULT_LIBRARY
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from machine import Machine, VALUE

KINETIC, RUNNER, LIBRARY = sys.argv[1:4]
YEAR = 365 * 24 * 3600
GROUP = 23450
USERS = (23451, 23452)


class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Copies, because other users may have no access to the build folder.
        cls.programs = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-programs-"))
        cls.addClassCleanup(shutil.rmtree, cls.programs)
        cls.programs.chmod(0o755)
        for program in (KINETIC, RUNNER):
            shutil.copy(program, cls.programs)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-shared-"))
        self.folder.chmod(0o755)

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def machine(self, name, **options):
        return Machine(self.folder / name, KINETIC, RUNNER, LIBRARY, **options)

    def answer(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    # Concurrent clients -------------------------------------------------------------------------

    def test_twenty_clients_share_environment_and_bundle(self):
        machine = self.machine("many", packages=True)
        clients = [machine.start("run", "job.yaml", "--id", f"job-{i}") for i in range(20)]
        said = ""
        for client in clients:
            out, err = client.communicate(timeout=300)
            self.assertEqual(client.returncode, 0, out + err)
            self.assertEqual(out.strip().splitlines()[-1], str(VALUE))
            said += err
        self.assertEqual(said.count("1 package, built"), 1)
        self.assertEqual(said.count("1 package, unchanged"), 19)
        objects = machine.objects()
        self.assertEqual(len([name for name in objects if name.startswith("trees/")]), 1)
        self.assertEqual(len([name for name in objects if name.endswith("/result.json")
                              and name.count("/") == 2]), 20)
        listed = json.loads(machine.run("ps", "--all", "--json").stdout)
        self.assertEqual({job["state"] for job in listed}, {"succeeded"})
        self.assertEqual(len(listed), 20)
        self.assertEqual(machine.await_quiet(), {})

    def test_one_id_with_different_long_arguments_is_one_job(self):
        machine = self.machine("one-id")
        (machine.project / "small.py").write_text("def main(n):\n    return n[0]\n")
        for word in "ab":
            (machine.project / f"{word}.json").write_text(json.dumps([word, word * 200_000]))
            (machine.project / f"{word}.yaml").write_text(
                f"name: small\nfunction: small:main\nargs: {{n: {{$json: {word}.json}}}}\n"
                "bundle: {root: .}\ndependencies: null\n")
        for number in range(6):
            clients = {word: machine.start("run", f"{word}.yaml", "--id", f"job-{number}", "--json")
                       for word in "ab"}
            ended = {word: (client.communicate(timeout=120)[0], client.returncode)
                     for word, client in clients.items()}
            won = [word for word, (_, code) in ended.items() if code == 0]
            self.assertEqual(len(won), 1, ended)
            self.assertEqual(json.loads(ended[won[0]][0])["value"], won[0])
            lost = ended["b" if won[0] == "a" else "a"][0]
            self.assertEqual(json.loads(lost)["error"]["code"], "ALREADY_EXISTS", lost)

    # Two users ----------------------------------------------------------------------------------

    def user(self, uid, umask):
        """Returns a machine for a user, and a function that runs kinetic as that user."""
        machine = self.machine(f"user-{uid}")
        for path in [machine.folder, *machine.folder.rglob("*")]:
            os.chown(path, uid, uid)

        def run(*arguments):
            return subprocess.run(
                [self.programs / "kinetic", *arguments, "--store", str(self.folder / "store")], cwd=machine.project,
                env=machine.environment, capture_output=True, text=True, timeout=120, check=False,
                user=uid, group=uid, extra_groups=[GROUP], umask=umask)

        return run

    @unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
    def test_two_users_share_a_store(self):
        for mode, umasks in ((0o2775, (0o022, 0o022)), (0o2770, (0o077, 0o027))):
            with self.subTest(mode=oct(mode)):
                store = self.folder / "store"
                shutil.rmtree(store, ignore_errors=True)
                store.mkdir()
                os.chown(store, 0, GROUP)
                store.chmod(mode)
                for uid in USERS:
                    shutil.rmtree(self.folder / f"user-{uid}", ignore_errors=True)
                ana, ben = (self.user(uid, umask) for uid, umask in zip(USERS, umasks))
                self.assertEqual(self.answer(ana("run", "job.yaml", "--id", "first", "--json"))["value"], VALUE)
                self.assertEqual(self.answer(ben("run", "job.yaml", "--id", "second", "--json"))["value"], VALUE)
                listed = self.answer(ben("ps", "--all", "--json"))
                self.assertEqual({job["id"] for job in listed}, {"first", "second"})
                self.assertEqual(self.answer(ben("result", "first", "--json"))["value"], VALUE)
                self.assertIn("line 19", ben("logs", "first").stdout)
                gone = ben("gc", "--jobs-older-than", "0h")
                self.assertEqual(gone.returncode, 0, gone.stderr)
                listed = self.answer(ana("ps", "--all", "--json"))
                self.assertEqual(listed, [])
                self.assertEqual(self.answer(ana("run", "job.yaml", "--id", "third", "--json"))["value"], VALUE)

    @unittest.skipUnless(os.geteuid() == 0, "root may write everywhere, another user is needed")
    def test_unwritable_store_is_named(self):
        store = self.folder / "store"
        store.mkdir(mode=0o755)
        done = self.user(USERS[0], 0o022)("run", "job.yaml", "--json")
        self.assertNotEqual(done.returncode, 0)
        error = json.loads(done.stdout)["error"]
        self.assertIn(str(store), error["message"])
        self.assertIn("permission denied", error["message"])

    # A wrong clock ------------------------------------------------------------------------------

    def test_clock_off_by_a_year_is_harmless(self):
        for first, then in ((0, YEAR), (0, -YEAR), (YEAR, 0)):
            with self.subTest(first=first, then=then):
                machine = self.machine(f"clock-{first}-{then}")

                def day(ahead):
                    runner = machine.runner_with(machine.fault("kinetic-runner", clock=ahead))
                    return {**machine.fault("kinetic", clock=ahead), **runner}

                self.assertEqual(self.answer(machine.submit(day(first), job="before"))["value"], VALUE)
                self.assertEqual(self.answer(machine.submit(day(then), job="after"))["value"], VALUE)
                listed = self.answer(machine.run("ps", "--all", "--json", extra=day(then)))
                order = ["after", "before"] if then > first else ["before", "after"]
                self.assertEqual([job["id"] for job in listed], order)
                for clock in (then, first):
                    done = machine.run("gc", extra=day(clock))
                    self.assertEqual(done.returncode, 120 if clock else 0, done.stderr)
                    self.assertEqual("cannot determine ages" in done.stderr, clock != 0, done.stderr)
                    for job in ("before", "after"):
                        self.assertEqual(self.answer(machine.submit(day(clock), job=job))["value"], VALUE)
                self.assertEqual(len([n for n in machine.objects() if n.startswith("trees/")]), 1)
                machine.remove()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
