"""Damaged, foreign, huge and missing objects of a folder store, in every class of object."""

import json
import os
import shutil
import unittest

from harness import JobCase

WORK = """
import os, pathlib
def main(mark, fail=False):
    print("log of " + mark)
    pathlib.Path(os.environ["KINETIC_OUTPUT_DIR"], "out.txt").write_text("output of " + mark)
    pathlib.Path(os.environ["KINETIC_CHECKPOINT_DIR"], "state").write_text(mark)
    if fail:
        raise ValueError("failed in " + mark)
    return {"mark": "value of " + mark, "pad": "x" * 20000}
"""
READERS = (("status",), ("wait",), ("result",), ("logs",), ("why",), ("attach",), ("outputs", "ls"), ("ps", "--all"))
DOCUMENTED = {0, 1, 2, 120, 121, 122, 123, 124, 125, 126}
HUGE = 6 << 30


class StoreCase(JobCase):
    def setUp(self):
        super().setUp()
        self.store = self.home / "store"
        self.write("work.py", WORK)
        # More than fits into a tree object, so that there is a pack.
        self.write("blob.bin", os.urandom(200_000).hex())

    def environment(self, **more):
        return super().environment(KINETIC_STORE=str(self.store), **more)

    def finish(self, job, code=0, **arguments):
        lines = [f"name: {job}", "function: work:main", "args:", f"  mark: {job}"]
        lines += [f"  {key}: {value}" for key, value in arguments.items()]
        self.write(f"{job}.yaml", "\n".join(lines) + "\n")
        self.run_kinetic("run", f"{job}.yaml", "--id", job, code=code)
        return job

    def files(self, *parts):
        return sorted(path for part in parts for path in self.store.glob(part) if path.is_file())

    def objects_of(self, job):
        return self.files(f"jobs/{job}/**/*", f"index/*-{job}", f"index/*-{job}.ended", f"checkpoints/{job}/*")

    def read_all(self, job):
        """Runs each reading command. @returns what they printed"""
        printed = ""
        for command in READERS:
            arguments = command if command[0] == "ps" else (*command, job)
            done = self.run_kinetic(*arguments, code=None)
            self.assertIn(done.returncode, DOCUMENTED, f"{arguments}: {done.stderr}")
            printed += done.stdout + done.stderr
        return printed


class ForeignObjects(StoreCase):
    def counterpart(self, path, job, other):
        name = str(path.relative_to(self.store)).replace(job, other)
        if name.startswith("index/"):
            return self.files(f"index/*-{other}{path.suffix}")[0]
        return self.store / name

    def test_objects_of_another_job_are_rejected(self):
        self.finish("alpha")
        self.finish("beta")
        named = set()
        for source in self.objects_of("alpha"):
            target = self.counterpart(source, "alpha", "beta")
            if not target.exists():
                continue
            before = target.read_bytes()
            shutil.copyfile(source, target)
            with self.subTest(object=target.name):
                printed = self.read_all("beta")
                for text in ("log of alpha", "value of alpha"):
                    self.assertNotIn(text, printed)
                self.assertEqual(
                    [job["state"] for job in self.json("ps", "--all") if job["id"] == "beta"], ["succeeded"])
                if "alpha" in printed.replace("alpha  ", ""):
                    named.add(target.name)
            target.write_bytes(before)
        for name in ("result.json", "value.json", "000000000000"):
            self.assertIn(name, named)
        self.assertIn("value of beta", self.run_kinetic("result", "beta").stdout)

    def test_a_runner_replaces_what_is_not_its_result(self):
        self.finish("alpha")
        foreign = (self.store / "jobs/alpha/result.json").read_bytes()
        for number, content in enumerate((foreign, b"\x00 garbage", None)):
            job = self.submit("sh", "-c", "while [ ! -e go ]; do sleep 0.05; done; exit 3",
                              options=("--id", f"beta{number}"))
            with self.subTest(content=content):
                self.until("it runs", lambda: self.state(job) == "running")
                result = self.store / "jobs" / job / "result.json"
                if content is None:
                    os.mkfifo(result)
                else:
                    result.write_bytes(content)
                self.assertEqual(self.state(job), "running")
                (self.home / ".local/state/kinetic/jobs" / job / "work" / "go").touch()
                self.run_kinetic("wait", job, code=3)
                self.assertIn(b'"exit_code": 3', result.read_bytes())


class Values(StoreCase):
    def test_state_does_not_depend_on_the_value(self):
        job = self.finish("alpha")
        [value] = self.files(f"jobs/{job}/**/value.json")

        def huge():
            with open(value, "wb") as file:
                file.truncate(HUGE)

        for damage in (lambda: value.write_bytes(b"[1"), lambda: value.write_bytes(b""), huge, value.unlink):
            damage()
            self.assertEqual(self.state(job), "succeeded")
            self.run_kinetic("wait", job)
            self.run_kinetic("why", job)
            self.run_kinetic("logs", job)
            self.assertEqual([one["state"] for one in self.json("ps", "--all")], ["succeeded"])
            self.assertIn("value", self.run_kinetic("result", job, code=120).stderr)

    def test_readers_limit_size(self):
        job = self.finish("alpha")
        for path in self.objects_of(job):
            before = path.read_bytes()
            with self.subTest(object=path.name):
                with open(path, "r+b") as file:
                    file.truncate(HUGE)
                self.read_all(job)
            path.write_bytes(before)
        self.assertIn("value of alpha", self.run_kinetic("result", job).stdout)


class MissingResults(StoreCase):
    def test_outcome_in_index_is_kept(self):
        self.finish("good")
        self.finish("bad", code=1, fail="true")
        cancelled = self.submit("sleep", "600", options=("--id", "stopped"))
        self.run_kinetic("cancel", cancelled)
        for job, state, code in (("good", "succeeded", 0), ("bad", "failed", 120), ("stopped", "cancelled", 126)):
            result = self.store / "jobs" / job / "result.json"
            result.unlink()
            for _ in range(2):
                self.run_kinetic("wait", job, code=code)
                self.assertEqual(self.state(job), state)
                self.assertFalse(result.exists(), "nothing is stored in its place")
        for damage in (b"\x00 garbage", b"{}"):
            for job, code in (("good", 0), ("bad", 120), ("stopped", 126)):
                (self.store / "jobs" / job / "result.json").write_bytes(damage)
                self.run_kinetic("wait", job, code=code)
            self.assertIn("; the state is from the index", " ".join(self.run_kinetic("status", "good").stdout.split()))
            self.run_kinetic("timeline", "good", code=120)
            self.assertIn("job good succeeded, but", self.run_kinetic("result", "good", code=120).stderr)
        for job in ("good", "bad", "stopped"):
            (self.store / "jobs" / job / "result.json").unlink()
        missing = self.run_kinetic("result", "good", code=120).stderr
        self.assertIn("job good succeeded, but its result.json is missing from the store", missing)
        self.run_kinetic("rm", "good", "bad", "stopped")


    def test_unknown_exit_code_is_not_invented(self):
        job = self.submit("sh", "-c", "exit 7", options=("--id", "seven"))
        self.run_kinetic("wait", job, code=7)
        (self.store / "jobs" / job / "result.json").write_bytes(b"{}")
        for command in ("wait", "attach", "result"):
            self.assertIn("job seven failed, but result.json: ", self.run_kinetic(command, job, code=120).stderr)
        status = self.run_kinetic("status", job)
        self.assertIn("its exit code is unknown", status.stderr)
        self.assertNotIn("exit code", status.stdout)
        self.assertEqual((self.json("status", job)["state"], self.json("status", job)["exit_code"]), ("failed", None))
        self.assertEqual(self.json("why", job)["cause"], "no_status")
        self.assertIn("cannot check that the log is complete", self.run_kinetic("logs", job).stderr)


DAMAGES = {
    "empty": lambda old: b"",
    "cut": lambda old: old[: len(old) // 2],
    "flipped": lambda old: old[:9] + bytes([(old + b" " * 10)[9] ^ 1]) + old[10:],
    "garbage": lambda old: b"\x00\xff garbage",
    "another type": lambda old: b"[]",
    "damaged trailer": lambda old: b"x\xff\xff\xff\x7fKNTCMETA",
}


class DamagedObjects(StoreCase):
    def expect_usable(self, job):
        """Checks that damage of one job hides nothing and blocks nothing, and that the job can be removed."""
        self.assertIn("other", [one["id"] for one in self.json("ps", "--all")])
        self.assertEqual([one["name"] for one in self.json("data", "ls")], ["set"])
        self.run_kinetic("gc")
        self.run_kinetic("gc", "--verify", "--dry-run")
        self.read_all(job)
        self.run_kinetic("rm", "--force", job)
        self.assertEqual(self.objects_of(job), [])
        self.assertEqual([one["id"] for one in self.json("ps", "--all")], ["other"])

    def test_job_objects(self):
        self.write("set/a.txt", "a")
        self.run_kinetic("data", "put", "set")
        self.finish("other")
        self.finish("alpha")
        saved = {path: path.read_bytes() for path in self.objects_of("alpha")}
        self.assertGreaterEqual(len(saved), 6, saved)
        for path, before in saved.items():
            for how, damage in DAMAGES.items():
                if damage(before) == before:
                    continue
                with self.subTest(object=path.name, damage=how):
                    path.write_bytes(damage(before))
                    self.expect_usable("alpha")
                for original, content in saved.items():
                    original.parent.mkdir(parents=True, exist_ok=True)
                    original.write_bytes(content)
        self.assertIn("value of alpha", self.run_kinetic("result", "alpha").stdout)

    def test_errors_and_warnings_contain_advice(self):
        job = self.finish("alpha")
        record = self.store / "jobs" / job / "record.json"
        [segment] = self.files(f"jobs/{job}/**/log/*")
        for path, name in ((segment, f"attempts/1/0/log/{segment.name}"), (segment.parent, "attempts/1/0/log")):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            os.mkfifo(path)
            logs = self.run_kinetic("logs", job, code=120)
            self.assertIn(f"jobs/alpha/{name}", logs.stderr)
            self.assertIn(" is damaged: it is not a regular file", logs.stderr)
            self.assertNotIn("no output", logs.stderr)
        path.unlink()
        record.write_bytes(b"{}")
        self.assertIn("hint: to remove the job: kinetic rm --force alpha",
                      self.run_kinetic("diff", job, job, code=120).stderr)
        [index] = self.files("index/*-alpha.ended")
        (self.store / "index" / index.name.removesuffix(".ended")).unlink()
        index.unlink()
        warnings = self.run_kinetic("gc").stderr.splitlines()
        self.assertEqual([" ".join(warnings).count(text) for text in ("alpha/record.json:", "rm --force alpha")], [1, 1])

    def test_verification_names_removed_objects(self):
        self.finish("alpha")
        [tree, *_] = self.files("trees/*")
        for path in (tree, self.store / "locks/zz"):
            path.unlink(missing_ok=True)
            path.parent.mkdir(exist_ok=True)
            os.mkfifo(path)
        for options, advice in (((), "gc --verify"), (("--verify", "--dry-run"), ""), (("--verify",), "(it was removed)")):
            warnings = self.run_kinetic("gc", *options).stderr
            for name in (tree.name, "locks/zz"):
                [line] = [line for line in warnings.splitlines() if name in line]
                self.assertEqual(line.count(name), 1)
                self.assertIn(advice, line)
        self.assertNotIn("gc --verify", warnings)
        self.assertEqual(self.run_kinetic("gc", "--verify").stderr.count("locks/zz"), 0)

    def test_index_entry_with_a_record(self):
        self.finish("alpha")
        [entry] = self.files("index/*-alpha")
        for how, damage in DAMAGES.items():
            with self.subTest(damage=how):
                entry.write_bytes(damage(entry.read_bytes()) or b"")
                [job] = self.json("ps", "--all")
                self.assertEqual((job["id"], job["state"]), ("alpha", "succeeded"))
        entry.unlink()
        self.assertEqual(self.state("alpha"), "succeeded")

    def test_data_sets(self):
        self.write("set/a.txt", "a")
        self.write("good/a.txt", "b")
        self.run_kinetic("data", "put", "good")
        for how, damage in DAMAGES.items():
            for repair in (("data", "rm", "set"), ("data", "put", "set")):
                with self.subTest(damage=how, repair=repair):
                    self.run_kinetic("data", "put", "set")
                    path = self.store / "data" / "set"
                    path.write_bytes(damage(path.read_bytes()))
                    listed = self.run_kinetic("data", "ls")
                    self.assertIn("good", listed.stdout)
                    self.assertIn("data/set", listed.stderr)
                    self.assertIn("data/set", self.run_kinetic("gc").stderr)
                    self.run_kinetic(*repair)
                    self.assertNotIn("data/set", self.run_kinetic("data", "ls").stderr)


class DamagedContent(StoreCase):
    def damage_each(self):
        """Damages each pack and tree in each way. @yields after each damage"""
        for kind in ("packs", "trees"):
            for how, damage in DAMAGES.items():
                self.finish("probe")
                self.run_kinetic("rm", "probe")
                for path in self.files(f"{kind}/*"):
                    with self.subTest(kind=kind, damage=how):
                        path.write_bytes(damage(path.read_bytes()))
                        yield

    def test_a_second_run_heals_the_bundle(self):
        for _ in self.damage_each():
            self.write("job.yaml", "name: job\nfunction: work:main\nargs: {mark: job}\n")
            first = self.run_kinetic("run", "job.yaml", code=None)
            if first.returncode != 0:
                self.assertEqual(first.returncode, 123, first.stderr)
                self.assertIn("run the job again", first.stderr)
            self.run_kinetic("run", "job.yaml")
            # These runs have copied unchanged files of the project. A repeated job reads them from the store.
            repeated = self.run_kinetic("rerun", "latest", code=None)
            if repeated.returncode != 0:
                self.assertIn("the damaged objects were removed", repeated.stderr)
                self.run_kinetic("run", "job.yaml")
                self.run_kinetic("rerun", "latest")

    def test_verify_removes_damaged_content(self):
        for _ in self.damage_each():
            before = self.files("packs/*", "trees/*")
            self.run_kinetic("gc", "--verify", "--dry-run")
            self.assertEqual(self.files("packs/*", "trees/*"), before)
            report = self.json("gc", "--verify")
            self.assertLess(len(self.files("packs/*", "trees/*")), len(before), report)
            [again] = [one for one in self.json("gc", "--verify")["classes"] if one["name"] == "verified"]
            self.assertEqual(again["removed"], 0)
            self.finish("healed")
            self.run_kinetic("rm", "healed")


class OtherMachine(StoreCase):
    def test_force_removes_a_job_of_another_machine(self):
        job = self.submit("sleep", "600")
        self.until("it runs", lambda: self.state(job) == "running")
        there = {"XDG_STATE_HOME": str(self.home / "elsewhere")}
        self.assertIn("another target", self.run_kinetic("cancel", job, env=there, code=120).stderr)
        self.run_kinetic("rm", job, env=there, code=120)
        removed = self.run_kinetic("rm", "--force", job, env=there)
        self.assertIn("although it may not have ended", removed.stderr)
        self.assertEqual(self.objects_of(job), [])
        [supervisor] = self.home.glob(".local/state/kinetic/jobs/*/supervisor.json")
        pid = json.loads(supervisor.read_text())["pid"]
        (supervisor.parent / "cancel").touch()
        self.until("its supervisor to end", lambda: not os.path.exists(f"/proc/{pid}"))
        self.assertEqual(self.files(f"jobs/{job}/**/*"), [], "a supervisor of a removed job stores nothing")


if __name__ == "__main__":
    unittest.main()
