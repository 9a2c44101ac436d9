"""Tests `kinetic run` on the local target: streams, values, exit codes, output."""

import json
import os
import re
import subprocess
import unittest

from harness import IS_SANITIZED, KINETIC, TIMEOUT, JobCase

FUNCTIONS = r"""
import os, sys

def add(a, b=1):
    print("adding")
    print("to stderr", file=sys.stderr)
    return a + b

def text():
    return "plain text"

def nothing():
    pass

def inner():
    raise KeyError("no such key")

def fail():
    try:
        inner()
    except KeyError as error:
        raise ValueError("cannot train") from error

def small():
    return b"\x00\xffbytes"

def large():
    return {"blob": bytes(range(256)) * 1000}

def write():
    with open(os.path.join(os.environ["KINETIC_OUTPUT_DIR"], "model.txt"), "w") as file:
        file.write("weights")
"""


class Commands(JobCase):
    def test_streams_and_exit_code_are_unchanged(self):
        done = self.run_kinetic("run", "--", "sh", "-c", "echo out; echo err >&2; exit 7", code=7)
        self.assertEqual(done.stdout, "out\n")
        self.assertIn("err\n", done.stderr)
        self.assertIn("failed", done.stderr)

    def test_success_has_a_closing_line(self):
        lines = self.run_kinetic("run", "--", "sh", "-c", "echo hello >&2; sleep 1.2").stderr.splitlines()
        self.assertRegex(lines[-1], r"^job [a-z2-7]{16} succeeded in \S+s$")
        phases = [line for line in lines[lines.index("hello"):] if line.startswith(("queue:", "pull:", "start:"))]
        self.assertEqual(phases, [])
        self.write("work.py", "def main():\n    return 1\n")
        self.write("job.yaml", "function: work:main\n")
        self.assertTrue(self.run_kinetic("run", "job.yaml").stderr.endswith("s; value: kinetic result\n"))
        self.write("work.py", "def main():\n    pass\n")
        self.assertRegex(self.run_kinetic("run", "job.yaml").stderr, r" succeeded in \S+s\n$")
        done = self.run_kinetic("run", "--", "sh", "-c", "echo 1 > $KINETIC_OUTPUT_DIR/x")
        self.assertTrue(done.stderr.endswith("s; outputs: kinetic outputs get\n"))
        self.assertEqual(self.run_kinetic("run", "--quiet", "--", "true").stderr, "")

    def test_short_downloads_are_not_shown(self):
        self.write("data/x.txt", "x")
        self.write("job.yaml", "run: sleep 0.2\ndata: {/data: ./data}\n")
        for _ in range(3):
            self.assertNotIn("pull", self.run_kinetic("run", "job.yaml").stderr)

    def test_closed_stdout_is_not_reused(self):
        running = self.start("run", "--", "sleep", "600", preexec_fn=lambda: os.close(1))
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        self.until("the job's start", lambda: self.json("ps", "--state", "running"))
        self.assertEqual(os.readlink(f"/proc/{running.pid}/fd/1"), "/dev/null")

    def test_job_does_not_inherit_open_files(self):
        read, write = os.pipe()
        self.addCleanup(os.close, read)
        client = self.start("run", "--detach", "--", "sleep", "600", pass_fds=[write])
        os.close(write)
        client.communicate(timeout=60)
        self.until("the job's start", lambda: self.json("ps", "--state", "running"))
        os.set_blocking(read, False)
        self.assertEqual(os.read(read, 1), b"", "another process has the other end open")

    def test_output_bytes_are_unchanged(self):
        done = self.run_kinetic("run", "--", "printf", r"a\377\nb\tno newline")
        self.assertEqual(done.stdout, "a\udcff\nb\tno newline")

    def test_death_by_signal(self):
        done = self.run_kinetic("run", "--", "sh", "-c", "kill -9 $$", code=137)
        self.assertIn("SIGKILL", done.stderr)

    def test_reserved_exit_code_of_program_is_reported(self):
        done = self.run_kinetic("run", "--", "sh", "-c", "exit 124", code=124)
        self.assertIn("exit code 124 comes from the program, not from kinetic", done.stderr)
        document = json.loads(self.run_kinetic("run", "--json", "--", "sh", "-c", "exit 124", code=124).stdout)
        self.assertEqual((document["exit_code"], document["exit_source"]), (124, "program"))

    def test_time_limit_has_exit_code_of_kinetic(self):
        done = self.run_kinetic("run", "--timeout", "1s", "--set", "timeouts.grace=1s", "--json", "--",
                                "sleep", "60", code=124)
        document = json.loads(done.stdout)
        self.assertEqual((document["exit_source"], document["state"]), ("kinetic", "failed"))

    def test_missing_program(self):
        done = self.run_kinetic("run", "--", "no-such-program-here", code=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no-such-program-here", done.stderr)
        self.write("sub/notes.sh", "echo hello\n")
        for program, says in (
            ("./nope.sh", "starting ./nope.sh: no such file or directory ('kinetic bundle ls' lists the bundle)"),
            ("/nope/x", "starting /nope/x: no such file or directory (the path must exist where the job runs; a program in "
                        "the bundle has a relative path)"),
            ("echo hi", "the program 'echo hi' is not in the job's PATH (pass the program and its arguments as separate "
                        "words: echo hi)"),
            ("sub/notes.sh", "starting sub/notes.sh: permission denied (make the file executable: chmod +x sub/notes.sh)"),
        ):
            done = self.run_kinetic("run", "-q", "--", program, code=None)
            self.assertRegex(done.stderr, r"^error: job \w+ failed: " + re.escape(says) + r"\n")

    def test_low_limits_of_the_machine_fail_at_once(self):
        def limited(limit):
            command = f'ulimit {limit}; exec "$0" run -- true'
            return subprocess.run(["bash", "-c", command, KINETIC], cwd=self.work, env=self.environment(),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)

        few_files = limited("-n 12")
        self.assertEqual(few_files.returncode, 120, few_files.stderr)
        self.assertIn("the limit on open files is 12, but a job needs 64; raise it: ulimit -n", few_files.stderr)
        # The stack of a thread is as large as the limit of the main thread's.
        if not IS_SANITIZED:
            no_threads = limited("-s 1000000 -v 900000")
            self.assertEqual(no_threads.returncode, 120, no_threads.stderr)
            self.assertEqual(no_threads.stderr, "error: cannot start a thread\n"
                             "hint: raise the limits on processes and memory: ulimit -u, ulimit -v\n")
            real_runner = os.path.join(os.path.dirname(KINETIC), "kinetic-runner")
            runner = self.write("runner", f'#!/bin/sh\nulimit -s 1000000\nulimit -v 900000\nexec "{real_runner}" "$@"\n')
            runner.chmod(0o755)
            refused = self.run_kinetic("run", "--runner", str(runner), "--", "true", code=120)
            self.assertIn("before it was ready: cannot start a thread; raise the limits", refused.stderr)
        self.assertEqual(self.json("ps", "--all"), [])

    def test_messages_begin_on_a_new_line_of_a_shared_file(self):
        words = ("run", "--", "printf", "no newline")
        with (self.work / "both").open("wb") as both:
            subprocess.run([KINETIC, *words], cwd=self.work, env=self.environment(), stdin=subprocess.DEVNULL,
                           stdout=both, stderr=both, check=True, timeout=TIMEOUT)
        self.assertRegex((self.work / "both").read_text(), r"\nno newline\njob \w+ succeeded")
        self.assertEqual(self.run_kinetic(*words).stdout, "no newline")

    def test_variables_and_secrets(self):
        done = self.run_kinetic("run", "--env", "MODE=fast", "--env", "HOMEWORK", "--secret", "API_*", "--",
                                "sh", "-c", "echo $MODE $HOMEWORK; echo ${#API_KEY}",
                                env={"HOMEWORK": "done", "API_KEY": "hunter2hunter2"})
        self.assertEqual(done.stdout, "fast done\n14\n")

    def test_stdout_is_only_json(self):
        done = self.run_kinetic("run", "--json", "--", "sh", "-c", "echo out")
        document = json.loads(done.stdout)
        self.assertEqual((document["state"], document["kind"], document["exit_code"]), ("succeeded", "run", 0))
        self.assertLessEqual(document["created"], document["started"])
        self.assertLessEqual(document["started"], document["finished"])
        self.assertIn("out\n", done.stderr)

    def test_quiet_prints_only_warnings(self):
        shown = self.run_kinetic("run", "-q", "--", "true")
        self.assertIn("warning: the bundle is empty", shown.stderr)
        self.write("a.txt", "")
        done = self.run_kinetic("run", "-q", "--", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual((done.stdout, done.stderr), ("out\n", "err\n"))


class Functions(JobCase):
    def setUp(self):
        super().setUp()
        self.write("work.py", FUNCTIONS)

    def job(self, function, rest=""):
        self.write("job.yaml", f"name: work\nfunction: work:{function}\n{rest}")
        return "job.yaml"

    def test_stdout_is_only_value(self):
        done = self.run_kinetic("run", self.job("add", "args: {a: 2}\n"), "--arg", "b=40")
        self.assertEqual(done.stdout, "42\n")
        self.assertIn("adding\n", done.stderr)
        self.assertIn("to stderr\n", done.stderr)

    def test_strings_are_json_unless_raw(self):
        self.assertEqual(self.run_kinetic("run", self.job("text")).stdout, '"plain text"\n')
        self.assertEqual(self.run_kinetic("run", self.job("text"), "--raw").stdout, "plain text")
        self.assertEqual(self.run_kinetic("run", self.job("nothing")).stdout, "")

    def test_value_can_be_written_to_file(self):
        done = self.run_kinetic("run", self.job("add", "args: {a: 2}\n"), "--output", "value.json")
        self.assertEqual(done.stdout, "")
        self.assertEqual((self.work / "value.json").read_text(), "3\n")

    def test_bytes_value_is_unchanged(self):
        raw = b"\x00\xffbytes"
        done = self.run_kinetic("run", self.job("small"), "--raw")
        self.assertEqual(done.stdout.encode("utf-8", "surrogateescape"), raw)
        self.run_kinetic("run", "job.yaml", "--output", "small.bin")
        self.assertEqual((self.work / "small.bin").read_bytes(), raw)

    def test_large_value_can_be_read(self):
        document = self.json("run", self.job("large"))
        reference = document["value"]["blob"]["$bytes"]["$ref"]
        self.run_kinetic("result", document["id"], "--ref", reference, "--output", "large.bin")
        self.assertEqual((self.work / "large.bin").read_bytes(), bytes(range(256)) * 1000)
        self.run_kinetic("result", document["id"], "--ref", "f" * 64, "--output", "large.bin", code=2)
        self.assertEqual((self.work / "large.bin").stat().st_size, 256_000)
        self.assertEqual([path.name for path in self.work.glob("*.part")], [])

    def test_unwritable_value_file(self):
        done = self.run_kinetic("run", self.job("text"), "--output", "no/such/folder", code=2)
        self.assertIn("--output no/such/folder: no such file or directory", done.stderr)
        self.assertEqual(self.json("ps"), [])
        full = self.run_kinetic("run", "-q", self.job("text"), "--output", "/dev/full", code=120)
        self.assertRegex(full.stderr, r"^error: cannot write /dev/full: no space left on device\n"
                         r"hint: job (\w+) succeeded; 'kinetic result \1' prints its value\n$")

    def test_exception_is_printed_like_python(self):
        done = self.run_kinetic("run", self.job("fail"), code=1)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"(?m)^remote exception in job \w+:$")
        for part in ("Traceback (most recent call last):", "KeyError: 'no such key'",
                     "direct cause of the following exception", "ValueError: cannot train",
                     'raise ValueError("cannot train") from error'):
            self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("ValueError: cannot train"), 1)

    def test_exception_as_json(self):
        document = self.json("run", self.job("fail"), code=1)
        self.assertEqual((document["exit_code"], document["exit_source"]), (1, "exception"))
        self.assertEqual(document["exception"]["type"], "ValueError")
        self.assertEqual(document["exception"]["cause"]["type"], "KeyError")
        self.assertIsNone(document["value"])

    def test_outputs(self):
        document = self.json("run", self.job("write"))
        folder = self.run_kinetic("outputs", document["id"]).stdout.strip()
        with open(f"{folder}/model.txt") as file:
            self.assertEqual(file.read(), "weights")
        listed = self.json("outputs", "ls", document["id"])
        self.assertEqual([(entry["path"], entry["size_bytes"]) for entry in listed], [("model.txt", 7)])
        for fetched, there in ((1, 0), (0, 1)):
            report = self.json("outputs", "get", document["id"], "--to", "got")
            self.assertEqual((report["files"], report["files_present"]), (fetched, there))
        with open(f"{self.work}/got/model.txt") as file:
            self.assertEqual(file.read(), "weights")
        self.run_kinetic("outputs", "get", document["id"], "absent", code=2)

    def test_dry_run_stores_nothing(self):
        done = self.run_kinetic("run", self.job("add", "args: {a: 2}\n"), "--dry-run")
        for part in ("Job", "Code", "Environment", "work:add", "local", "2 files"):
            self.assertIn(part, done.stdout)
        plan = self.json("run", "job.yaml", "--dry-run")
        self.assertIn("work.py", [entry["path"] for entry in plan["bundle"]["entries"]])
        self.assertFalse([name for name in plan["objects"] if name.startswith("locks/")])  # there are no dependencies
        self.assertEqual(self.json("ps"), [])

    def test_diagnostics_have_steps_and_durations(self):
        job = self.job("add", "args: {a: 2}\n")
        milestones = self.run_kinetic("run", job, "-v").stderr
        for phase in ("package", "stage", "build", "submit", "collect"):
            self.assertRegex(milestones, rf"info job: {phase} took \d+\.\d{{3}}s")
        self.assertNotIn("debug", milestones)
        all_of_it = self.run_kinetic("run", job, "-vv").stderr
        for part in (r"walked 2 entries under .*project \(", r"Python 3\.\S+ is /",
                     r"tree [0-9a-f]{12}: stored before in \S+; read \d of 2 files",
                     r"lock [0-9a-f]{64}: empty: there are no dependencies",
                     r"environment [0-9a-f]{64} found in /", r"supervisor started for job [a-z0-9]+\n"):
            self.assertRegex(all_of_it, part)
        self.assertNotIn("job: ", self.run_kinetic("run", job).stderr)

    def test_same_id_attaches_and_another_job_is_rejected(self):
        job = self.job("add", "args: {a: 2}\n")
        self.assertEqual(self.run_kinetic("run", job, "--id", "once").stdout, "3\n")
        self.assertEqual(self.run_kinetic("run", job, "--id", "once").stdout, "3\n")
        done = self.run_kinetic("run", job, "--id", "once", "--arg", "a=5", code=2)
        self.assertIn("args.a", done.stderr)
        done = self.run_kinetic("run", job, "--id", "once", "--env", "A=b", code=2)
        self.assertIn("already exists, but differs in env: absent before, ", done.stderr)
        self.assertEqual(len(self.json("ps")), 1)

    def test_large_files_are_named_once_per_project(self):
        job = self.job("nothing", "dependencies: null\n")
        for i in range(7):
            with open(self.work / f"large{i}.bin", "wb") as file:
                file.truncate((51 + i) << 20)
        plan = self.run_kinetic("run", "--dry-run", job).stderr
        first = self.run_kinetic("run", "--dry-run", job).stderr
        for text in (plan, first):
            self.assertIn("large files: large6.bin (57.0 MiB), large5.bin (56.0 MiB), large4.bin (55.0 MiB), "
                          "large3.bin (54.0 MiB), large2.bin (53.0 MiB) and 2 more", text)
            self.assertEqual(text.count("large files"), 1)
        self.write(".kineticignore", "large[0-5].bin\n")
        self.assertIn("large files: large6.bin", self.run_kinetic("run", "--detach", job).stderr)
        self.assertNotIn("large files", self.run_kinetic("run", "--detach", job).stderr)
        self.write(".kineticignore", "large[0-4].bin\n")
        self.assertIn("large5.bin", self.run_kinetic("run", "--detach", job).stderr)


class Bytes(JobCase):
    """Text that is not UTF-8 is refused wherever it enters, since records cannot carry it."""

    def test_is_refused_with_the_place_where_it_entered(self):
        self.write("work.py", "def main(x=None):\n    return x\n")
        self.write("job.yaml", "function: work:main\n")
        raw = b"caf\xe9"
        cases = (
            ((b"--arg", b"x=" + raw, b"job.yaml"), {}, "--arg x: "),
            ((b"--env", b"X=" + raw, b"job.yaml"), {}, "--env X: "),
            ((b"--env", b"X", b"job.yaml"), {b"X": raw}, "--env X: "),
            ((b"--arg", b"x={$env: X}", b"job.yaml"), {b"X": raw}, "--arg x: "),
            ((b"--set", b"env.X=" + raw, b"job.yaml"), {}, "--set env.X: "),
            ((b"--secret", b"X", b"job.yaml"), {b"X": raw}, "secrets: the value of X "),
            ((b"--secret", b"X*", b"job.yaml"), {b"XY": raw}, "secrets: the value of XY "),
            ((b"--owner", raw, b"job.yaml"), {}, "owner"),
            ((b"--", b"echo", raw), {}, "the command after --: "),
        )
        for arguments, env, place in cases:
            with self.subTest(arguments=arguments):
                environment = {os.fsencode(k): os.fsencode(v) for k, v in self.environment().items()} | env
                done = subprocess.run([os.fsencode(KINETIC), b"run", *arguments], cwd=self.work, env=environment,
                                      stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(place, done.stderr.decode())
                self.assertIn("not valid UTF-8", done.stderr.decode())
        self.assertEqual(self.json("ps", "--all"), [])


if __name__ == "__main__":
    unittest.main()
