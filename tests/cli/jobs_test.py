"""Tests commands on submitted jobs: ps, status, logs, attach, wait, result, cancel, rm, bundle, env, gc."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from harness import KINETIC, JobCase


class Environments(JobCase):
    def test_environments_are_listed_and_removed(self):
        self.assertEqual(self.json("env", "ls"), [])
        self.assertIn("no environments", self.run_kinetic("env", "ls").stderr)
        self.write("work.py", "import time\ndef main():\n    time.sleep(600)\n")
        self.write("job.yaml", "name: sleeper\nfunction: work:main\n")
        job = self.run_kinetic("run", "--detach", "job.yaml").stdout.strip()
        [one] = self.json("env", "ls")
        self.assertEqual((one["jobs"], one["packages"]), (["sleeper"], 0))
        self.assertGreater(one["size_bytes"], 0)
        self.assertLessEqual(one["built_at"], one["last_used"])
        self.assertIn(one["id"][:12], self.run_kinetic("env", "ls").stdout)
        used = self.run_kinetic("env", "rm", one["id"][:6], code=120)
        self.assertIn(f"environment {one['id'][:12]} is used by job {job}, which is not finished", used.stderr)
        self.assertIn(f"hint: wait for it, or cancel it: kinetic cancel {job}", used.stderr)
        self.run_kinetic("cancel", job)
        self.assertEqual(self.json("env", "rm", one["id"][:6]), {"removed": [one["id"]]})
        self.assertEqual(self.json("env", "ls"), [])
        gone = self.run_kinetic("env", "rm", one["id"], code=2)
        self.assertIn("does not exist", gone.stderr)

    def test_environment_of_many_jobs(self):
        self.write("work.py", "def main(): pass\n")
        self.write("job.yaml", "function: work:main\n")
        for number in range(5):
            self.run_kinetic("run", "--name", f"job-{number}", "job.yaml")
            if number == 2:
                self.assertRegex(self.run_kinetic("env", "ls").stdout, " ago  job-2, job-1, job-0\n")
        self.assertRegex(self.run_kinetic("env", "ls").stdout, " ago  job-4, job-3, job-2, and 2 more\n")
        self.assertEqual(len(self.json("env", "ls")[0]["jobs"]), 5)


class Why(JobCase):
    def test_why_without_jobs(self):
        self.assertIn("no jobs", self.run_kinetic("why", code=2).stderr)
        self.assertIn("does not exist", self.run_kinetic("why", "nope", code=2).stderr)

    def test_queued_job(self):
        alone = ("--concurrency", "1")
        first = self.submit("sh", "-c", "while [ ! -e go ]; do sleep 0.05; done",
                            options=(*alone, "--name", "ahead"))
        self.until("the first running", lambda: self.state(first) == "running")
        second = self.submit("true", options=alone)
        self.until("the second waiting", lambda: self.json("why", second)["cause"] == "jobs_ahead")
        reason = "waiting for 1 job; concurrency is 1"
        said = self.json("why")
        self.assertEqual((said["id"], said["state"], said["final"]), (second, "queued", False))
        self.assertEqual(said["headline"], f"{reason}; running: {first} (ahead)")
        self.assertEqual(said["blocked_by"], [first])
        self.assertEqual(said["evidence"][0]["text"], reason)
        shown = self.run_kinetic("why").stdout
        self.assertEqual(shown.splitlines()[0], f"{second} is queued: {reason}; running: {first} (ahead)")
        self.assertEqual(shown.count(reason), 1)
        self.assertIn(f"what to do: wait, or end one with 'kinetic cancel {first}'", shown)
        self.assertEqual(self.run_kinetic("logs", second).stderr,
                         f"job {second} has no output (queued: {reason})\n")
        self.assertEqual(self.json("why", first)["cause"], "running")
        follower = self.start("logs", "-f", second)
        self.assertEqual(follower.stderr.readline(), f"job {second} is queued: {reason}\n")
        self.run_kinetic("cancel", first)
        self.assertEqual(follower.communicate(timeout=60), ("", ""))
        self.run_kinetic("wait", second)
        self.assertEqual(self.json("why", second)["cause"], "succeeded")
        self.assertEqual(self.run_kinetic("why", first).stdout.splitlines()[0], f"{first} was cancelled")

    def test_failed_job(self):
        job = self.submit("sh", "-c", "exit 7")
        self.run_kinetic("wait", job, code=7)
        said = self.json("why", job)
        self.assertEqual((said["cause"], said["state"], said["final"]), ("program", "failed", True))
        self.assertEqual(said["evidence"][0]["source"], "the result, stored by the runner")
        self.assertEqual(self.run_kinetic("why", job).stdout,
                         f"{job} has failed: exited with code 7\nwhat to do: see 'kinetic logs {job}'\n")

    def test_killed_supervisor_leaves_no_process(self):
        """Also not those that the program has started, and before any other command."""
        job = self.submit("sh", "-c", "setsid sleep 1000 & echo $! > started; exec sleep 1000")
        runtime = self.home / ".local/state/kinetic/jobs" / job
        started = self.until("the program", lambda: self.read(runtime / "work/started").strip())
        supervisor = json.loads(self.read(runtime / "supervisor.json"))["pid"]
        with (runtime / "supervisor.log").open("a") as log:
            log.write("2026-11-28T05:00:00.000Z not enough memory\n")
        os.kill(supervisor, signal.SIGKILL)
        self.until("the end", lambda: not os.path.exists(f"/proc/{started}"))
        done = self.run_kinetic("wait", job, code=125)
        self.assertIn(f"job {job} was lost: the process that ran it ({supervisor}) is gone; "
                      "its last message: not enough memory", done.stderr)
        self.assertIn(f"{job} was lost: the process that ran it", self.run_kinetic("why", job).stdout)

    @staticmethod
    def read(path):
        return path.read_text() if path.exists() else ""


class Jobs(JobCase):
    def test_long_reasons_are_shortened(self):
        self.write("work.py", "def main(): raise ValueError('x' * 5000)\n")
        self.run_kinetic("run", "work:main", code=1)
        self.assertLess(len(self.run_kinetic("ps").stdout), 600)
        self.assertGreater(len(self.json("ps")[0]["reason"]), 1000)

    def test_empty_lists_are_explained(self):
        self.assertIn("store does not exist; 'kinetic run' creates it", self.run_kinetic("ps").stderr)
        self.run_kinetic("run", "--", "true")
        self.assertIn("no jobs named x of y\n",
                      self.run_kinetic("ps", "--name", "x", "--of", "y").stderr)
        self.assertFalse((self.home / "elsewhere").exists())
        store = self.home / "store"
        store.symlink_to("/nowhere")
        self.assertIn("it is a link to /nowhere", self.run_kinetic("ps", "--store", str(store), code=2).stderr)
        store.unlink()
        store.write_text("")
        self.assertIn("it is not a folder", self.run_kinetic("ps", "--store", str(store), code=2).stderr)

    def test_unstored_outputs_are_reported(self):
        done = self.run_kinetic("run", "--", "sh", "-c", "ln -s /etc/passwd $KINETIC_OUTPUT_DIR/evil")
        self.assertIn("not stored as an output: evil: points outside the output folder", done.stdout + done.stderr)
        (self.work / "digits").mkdir()
        os.mkfifo(self.work / "digits/pipe")
        self.write("digits/one", "1")
        self.write("f.py", "def f(data): pass\n")
        self.write("job.yaml", "function: f:f\nargs: {data: {$path: /data}}\ndata: {/data: ./digits}\n")
        self.assertIn("warning: data./data: pipe", self.run_kinetic("run", "job.yaml").stderr)

    def test_id_without_index_entry_is_found(self):
        job = self.submit("true")
        self.run_kinetic("wait", job)
        store = self.home / ".local/share/kinetic/store"
        shutil.rmtree(store / "index")
        self.assertEqual(self.json("ps", "--all"), [])
        self.assertEqual(self.state(job), "succeeded")
        self.assertEqual([known["id"] for known in self.json("ps", "--all")], [job])

    def test_ended_job_can_be_removed_immediately(self):
        """The supervisor may still be cleaning up."""
        self.run_kinetic("run", "--", "sh", "-c", "seq 10000 | xargs touch")
        self.run_kinetic("rm", self.json("ps", "--all")[0]["id"])
        self.assertEqual(self.json("ps", "--all"), [])

    def test_detached_job_can_be_attached(self):
        job = self.submit("sh", "-c", "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 5")
        self.until("the job running", lambda: self.state(job) == "running")
        done = self.run_kinetic("result", job, code=120)
        self.assertIn("has not finished: its state is running", done.stderr)
        attached = self.start("attach", job)
        self.until("the first line", lambda: self.run_kinetic("logs", job).stdout == "one\n")
        self.run_kinetic("cancel", job)
        out, err = attached.communicate(timeout=60)
        self.assertEqual((attached.returncode, out), (126, "one\n"), err)
        self.assertEqual(self.state(job), "cancelled")
        self.run_kinetic("wait", job, code=126)
        self.run_kinetic("result", job, code=126)
        self.run_kinetic("cancel", job, code=1)
        self.assertEqual(self.state(job), "cancelled")

    def test_cancel_tells_what_it_waits_for(self):
        job = self.submit("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done",
                          options=("--set", "timeouts.grace=5s"))
        self.until("the program", lambda: self.run_kinetic("logs", job).stdout == "ready\n")
        done = self.run_kinetic("cancel", job)
        self.assertEqual(done.stdout, f"{job} cancelled\n")
        self.assertEqual(done.stderr, f"waiting for job {job} to end; a program that is still running is killed after its "
                         "grace period (default: 30s)\n")

    def test_function_that_has_returned_but_not_ended(self):
        self.write("work.py", "import threading, time\ndef main():\n"
                   "    threading.Thread(target=time.sleep, args=(600,)).start()\n    return 4\n")
        job = self.run_kinetic("run", "--detach", "work:main").stdout.strip()
        returned = f"{job} is running: the function has returned, but threads or processes of its program"
        self.until("the return", lambda: returned in self.run_kinetic("why", job).stdout)
        done = self.run_kinetic("cancel", job)
        self.assertEqual((done.stdout, done.stderr),
                         (f"{job} succeeded\n", f"job {job} had succeeded before it could be cancelled\n"))
        self.assertEqual(self.run_kinetic("result", job).stdout, "4\n")

    def test_result_without_a_value(self):
        self.write("work.py", "def main(): pass\n")
        self.run_kinetic("run", "--id", "none", "work:main")
        done = self.run_kinetic("result", "none")
        self.assertEqual((done.stdout, done.stderr), ("", "job none returned None\n"))

    def test_owner_option_of_ps(self):
        done = self.run_kinetic("ps", "--owner", "ana", code=2)
        self.assertIn("'kinetic ps' does not use --owner", done.stderr)
        self.assertIn("--of ana", done.stderr)

    def test_wait_and_result_return_exit_code_of_job(self):
        job = self.submit("sh", "-c", "echo x; exit 7")
        done = self.run_kinetic("wait", job, code=7)
        self.assertEqual(done.stdout, "")
        self.run_kinetic("result", job, code=7)
        self.run_kinetic("attach", job, code=7)
        self.assertEqual(self.json("wait", job, code=7)["exit_code"], 7)

    def test_logs(self):
        job = self.submit("sh", "-c", "for i in 1 2 3 4; do echo line $i; done; echo oops >&2")
        self.run_kinetic("wait", job)
        self.assertEqual(self.run_kinetic("logs", job, "--stream", "stdout").stdout,
                         "line 1\nline 2\nline 3\nline 4\n")
        self.assertEqual(self.run_kinetic("logs", job, "--stream", "stderr").stdout, "oops\n")
        self.assertEqual(self.run_kinetic("logs", "-f", job).stdout.count("\n"), 5)
        self.assertEqual(self.run_kinetic("logs", job, "--tail", "2").stdout.count("\n"), 2)
        records = [json.loads(line) for line in
                   self.run_kinetic("logs", job, "--json", "--since-sequence", "1").stdout.splitlines()]
        self.assertEqual([record["sequence"] for record in records], [1, 2, 3, 4])
        self.assertEqual(self.run_kinetic("logs", job, "--grep", "nope").stderr, f"no log line of job {job} matches\n")
        self.assertEqual(self.run_kinetic("logs", job, "-n", "0").stderr, "")
        failed = self.submit("sh", "-c", "exit 7")
        self.assertIn(f"job {failed} failed: exited with code 7", self.run_kinetic("logs", "-f", failed).stderr)
        stamped = self.run_kinetic("logs", job, "--timestamps", "--stream", "stderr").stdout
        self.assertRegex(stamped, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z oops\n$")

    def test_messages_in_logs_of_several_jobs_name_the_job(self):
        jobs = [self.submit("sh", "-c", f"echo {text}; sleep 600 &") for text in ("one", "two")]
        self.run_kinetic("wait", *jobs)
        done = self.run_kinetic("logs", *jobs)
        self.assertEqual(done.stdout, f"{jobs[0]} | one\n{jobs[1]} | two\n")
        for job, line in zip(jobs, done.stderr.splitlines()):
            self.assertTrue(line.startswith(f"{job} | kinetic: terminated: "), line)
        self.assertEqual(len(done.stderr.splitlines()), 2)

    def test_logs_into_closed_pipe_end_quietly(self):
        job = self.submit("sh", "-c", "i=0; while [ $i -lt 50000 ]; do echo line $i; i=$((i+1)); done")
        self.run_kinetic("wait", job)
        pipe = subprocess.run(f'"{KINETIC}" logs {job} | head -n 1', shell=True, cwd=self.work,
                              env=self.environment(), capture_output=True, text=True)
        self.assertEqual((pipe.stdout, pipe.stderr), ("line 0\n", ""))

    def test_ps(self):
        self.assertIn("no jobs", self.run_kinetic("ps").stderr)
        self.assertEqual(self.json("ps"), [])
        for name in ("first", "second"):
            self.run_kinetic("run", "--name", name, "--", "true")
        self.run_kinetic("run", "--name", "third", "--", "false", code=1)
        listed = self.json("ps")
        self.assertEqual([job["name"] for job in listed], ["third", "second", "first"])
        self.assertEqual([job["state"] for job in listed], ["failed", "succeeded", "succeeded"])
        self.assertEqual(len(self.json("ps", "-n", "2")), 2)
        self.assertEqual(len(self.json("ps", "-n", str(2**32))), 3)
        self.assertIn("--limit: expected a whole number, 1 or more, found '0'", self.run_kinetic("ps", "-n", "0", code=2).stderr)
        self.assertEqual([job["name"] for job in self.json("ps", "--state", "failed")], ["third"])
        self.assertEqual([job["name"] for job in self.json("ps", "--name", "first")], ["first"])
        table = self.run_kinetic("ps").stdout
        self.assertTrue(table.startswith("ID "))
        self.assertIn("ana@", table)
        self.assertRegex(table, r"^.*  REASON\n.* exited with code 1\n")
        self.assertNotIn("REASON", self.run_kinetic("ps", "--state", "succeeded").stdout)

    def test_reason_does_not_repeat_the_state(self):
        job = self.submit("sleep", "600")
        self.run_kinetic("cancel", job)
        self.assertEqual(self.json("status", job)["reason"], "cancelled")
        self.assertRegex(self.run_kinetic("ps").stdout, r"^.*  TARGET\n.*  cancelled  .*  local\n$")
        self.assertNotIn("\nreason", self.run_kinetic("status", job).stdout)

    def test_status_of_running_job(self):
        job = self.submit("sleep", "600")
        self.until("the job running", lambda: self.state(job) == "running")
        events = [moment["event"] for moment in self.json("status", job)["timeline"]]
        self.assertIn("started", events)
        self.assertNotIn("EVENT", self.run_kinetic("status", job).stdout)
        text = self.run_kinetic("status", "-v", job).stdout
        self.assertIn("EVENT", text)
        self.assertRegex(text, r"(?m)^started +\d{4}-")
        self.assertRegex(text, r"(?m)^now +\d{4}-")
        self.assertRegex(text, r"(?m)^running   for \d")
        self.assertNotIn("\nran ", text)
        self.run_kinetic("cancel", job)
        text = self.run_kinetic("status", "-v", job).stdout
        self.assertNotIn("\nnow ", text)
        self.assertRegex(text, r"(?m)^ran       \d")
        self.assertNotIn("\nrunning ", text)

    def test_status_begins_with_what_ran(self):
        self.write("work.py", "def main(rate, note): return rate\n")
        for line in ("init -q -b trunk", "add .", "-c user.name=a -c user.email=a@b commit -q -m one"):
            subprocess.run(["git", *line.split()], cwd=self.work, check=True, env=self.environment())
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.work, check=True, env=self.environment(),
                                capture_output=True, text=True).stdout.strip()
        job = self.json("run", "work:main", "--arg", "rate=0.5", "--arg", "note=two words", "--memory", "1Gi",
                        "--tag", "team=nlp")["id"]
        text = self.run_kinetic("status", job).stdout
        for line in ("function  work:main", 'arguments rate=0.5, note="two words"', "tags      team=nlp",
                     f"commit    {commit} (trunk)", "resources 1.0 GiB memory", "packages  none (Python 3."):
            self.assertIn(f"\n{line}", text)
        self.assertLess(text.index("function"), text.index("owner"))
        said = self.json("status", job)
        self.assertEqual((said["function"], said["command"], said["arguments"], said["commit"], said["branch"]),
                         ("work:main", None, {"rate": 0.5, "note": "two words"}, commit, "trunk"))
        self.assertEqual((said["resources"]["memory_bytes"], said["packages"], said["tags"]),
                         (1 << 30, 0, {"team": "nlp"}))
        (self.work / "sub").mkdir()
        self.work = self.work / "sub"
        job = self.submit("sh", "-c", "echo $0", "a b")
        text = self.run_kinetic("status", job).stdout
        self.assertIn("\ncommand   sh -c 'echo $0' 'a b'\n", text)
        self.assertIn("\nfolder    sub\n", text)
        self.assertEqual(self.json("status", job)["command"], ["sh", "-c", "echo $0", "a b"])
        self.run_kinetic("wait", job)
        rerun = self.json("rerun", job)["id"]
        self.assertIn(f"\nrerun of  {job}\n", self.run_kinetic("status", rerun).stdout)

    def test_status_has_timeline(self):
        job = self.submit("true")
        self.run_kinetic("wait", job)
        text = self.run_kinetic("status", job).stdout
        self.assertIn("succeeded", text)
        self.assertIn("EVENT", self.run_kinetic("status", job, "--verbose").stdout)
        document = self.json("status", job[:-2])
        self.assertEqual(document["id"], job)
        self.assertTrue(document["timeline"])

    def test_unknown_jobs(self):
        for command in ("status", "logs", "attach", "wait", "result", "cancel", "rm", "outputs"):
            with self.subTest(command=command):
                done = self.run_kinetic(command, "no-such-job", code=2)
                self.assertIn("no-such-job", done.stderr)
                self.assertEqual(self.json(command, "no-such-job", code=2)["error"]["code"], "NOT_FOUND")

    def test_id_prefix(self):
        self.submit("true", options=("--id", "pre-aa"))
        self.assertEqual(self.json("wait", "pre-")["id"], "pre-aa")
        self.assertIn("'-' is not a job ID", self.run_kinetic("wait", "-", code=2).stderr)

    def test_one_unknown_id_changes_nothing(self):
        job = self.submit("sleep", "600")
        for command in (["cancel"], ["rm", "--force"]):
            self.assertIn("job nonesuch does not exist",
                          self.run_kinetic(*command, job, "nonesuch", code=2).stderr)
            self.assertIn(self.state(job), ("queued", "pending", "running"))

    def test_json_log_has_every_record(self):
        self.write("job.yaml", "run: echo $KINETIC_ATTEMPT; exit 75\nretry: {attempts: 2, on: [exit:75]}\n")
        job = self.json("run", "job.yaml", code=75)["id"]
        done = self.run_kinetic("logs", job, "--json")
        records = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([record["sequence"] for record in records], list(range(len(records))))
        self.assertEqual([record["text"] for record in records if record["stream"] == "stdout"], ["1\n", "2\n"])
        self.assertIn("system", [record["stream"] for record in records])
        self.assertEqual(done.stderr, "")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([KINETIC, "logs", job, "--json"], stdout=full, stderr=subprocess.PIPE,
                                  env=self.environment(), text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (120, "error: cannot write to stdout: no space left on device\n"))

    def test_rm(self):
        job = self.submit("sleep", "60")
        self.until("the job running", lambda: self.state(job) == "running")
        self.assertNotEqual(self.run_kinetic("rm", job, code=None).returncode, 0)
        self.assertEqual(self.run_kinetic("rm", "--force", job).stdout.strip(), job)
        self.run_kinetic("status", job, code=2)
        self.assertEqual(self.json("ps"), [])

    def test_bundle(self):
        self.write("pyproject.toml", "[project]\nname = 'x'\nversion = '1'\n")
        self.write("train.py", "print(1)\n")
        self.assertIn("train.py", self.run_kinetic("bundle", "ls").stdout)
        self.write("job.yaml", "name: b\nrun: python3 train.py\ndependencies: null\n")
        listing = self.json("bundle", "ls", "job.yaml")
        self.assertEqual({entry["path"] for entry in listing["entries"]}, {"pyproject.toml", "train.py", "job.yaml"})
        self.run_kinetic("run", "job.yaml")
        self.assertIn("no changes since", self.run_kinetic("bundle", "diff", "job.yaml").stderr)
        self.write("train.py", "print(2)\n")
        self.write("new.py", "")
        changes = {change["path"]: change["change"] for change in self.json("bundle", "diff", "job.yaml")["changes"]}
        self.assertEqual(changes, {"train.py": "modified", "new.py": "added"})
        self.assertIn("~ train.py", self.run_kinetic("bundle", "diff", "job.yaml").stdout)

    def test_last_job_needs_job_of_folder(self):
        job = self.submit("true")  # the default name of the folder
        done = self.run_kinetic("bundle", "diff", code=2)
        self.assertIn("error: there is no job file and no job to compare with", done.stderr)
        self.assertIn("hint: pass a job file, or a job with --since ID", done.stderr)
        self.run_kinetic("wait", job)
        self.assertEqual(self.json("bundle", "diff", "--since", job)["since"], job)
        self.write("requirements.txt", "")
        self.assertEqual(self.json("env", "explain")["since"], "")

    def test_environment_and_lock(self):
        self.write("requirements.txt", "")
        self.write("job.yaml", "name: e\nrun: python3 -V\ndependencies: requirements.txt\n")
        explanation = self.json("env", "explain", "job.yaml")
        self.assertRegex(explanation["manifest_key"], "^[0-9a-f]{64}$")
        self.assertIn("manifest key", self.run_kinetic("env", "explain", "job.yaml").stdout)

    def test_empty_name_selects_nothing(self):
        for option in ("--name", "--of"):
            self.assertIn(f"{option}: expected a name, found ''", self.run_kinetic("ps", option, "", code=2).stderr)

    def test_deleted_folder(self):
        gone = self.work / "gone"
        gone.mkdir()
        for command in ("run -- true", "data put x"):
            gone.mkdir(exist_ok=True)
            done = subprocess.run(["sh", "-c", f'rmdir "$1"; exec "$0" {command}', KINETIC, str(gone)], cwd=gone,
                                  env=self.environment(), capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr.splitlines()[0]),
                             (120, "error: the current directory no longer exists"), command)

    def test_command_of_several_lines(self):
        job = self.submit("sh", "-c", "echo a\necho b", options=("--name", "two"))
        lines = self.run_kinetic("status", job).stdout.splitlines()
        self.assertEqual(lines[2:4], ["command   sh -c 'echo a", "          echo b'"])

    def test_gc(self):
        self.run_kinetic("run", "--", "true")
        report = self.json("gc", "--dry-run")
        self.assertIn("packs", [entry["name"] for entry in report["classes"]])
        self.assertIn("packs", self.run_kinetic("gc").stdout)
        self.assertRegex(self.run_kinetic("gc").stdout, r"\ntrees +0 +0 B +1 .* a job needs them, or used in the last 8 days\n")
        why = {entry["name"]: entry["why_kept"] for entry in self.json("gc", "--all")["classes"]}
        self.assertEqual((why["trees"], why["jobs"]), ("a job needs them", "kinetic rm or --jobs-older-than removes them"))
        self.assertEqual(len(self.json("ps")), 1)

    def test_gc_all(self):
        self.write("work.py", "def main(): return 1\n")
        kept = self.json("run", "work:main")["id"]
        trees = lambda *options: {entry["name"]: (entry["removed"], entry["kept"])
                                  for entry in self.json("gc", *options)["classes"]}["trees"]
        self.assertEqual(trees("--all"), (0, 1))
        self.write("work.py", "def main(): return 2\n")
        self.run_kinetic("rm", self.json("run", "work:main")["id"])
        self.assertEqual(trees(), (0, 2))
        self.assertIn("--all removes newer ones too", self.run_kinetic("gc").stderr)
        self.assertEqual(trees("--all", "--dry-run"), (1, 1))
        self.assertEqual(trees("--all"), (1, 1))
        self.assertEqual(self.json("rerun", kept)["value"], 1)
        self.assertEqual(self.json("run", "work:main")["value"], 2)

    def test_downloads_are_kept_for_later_jobs(self):
        download = ('test -d "$NLTK_DATA" && mkdir -p "$HF_HOME/hub" && test ! -e "$HF_HOME/hub/model" && '
                    'echo weights > "$HF_HOME/hub/model"')
        self.run_kinetic("run", "--", "sh", "-c", download)
        self.assertEqual(self.run_kinetic("run", "--quiet", "--", "sh", "-c", 'cat "$HF_HOME/hub/model"').stdout,
                         "weights\n")
        cache = lambda *options: {entry["name"]: (entry["removed"], entry["kept_bytes"])
                                  for entry in self.json("gc", *options)["classes"]}.get("job cache")
        self.assertEqual(cache(), (0, 8))
        self.assertEqual(cache("--all", "--dry-run"), (1, 0))
        started = self.work / "started"
        waits = f'touch "{started}"; while test -e "{started}"; do sleep 0.05; done'
        self.run_kinetic("run", "--id", "waits", "--detach", "--", "sh", "-c", waits)
        while not started.exists():
            time.sleep(0.05)
        self.assertEqual(cache("--all"), (0, 8), "a running job may be using it")
        started.unlink()
        self.run_kinetic("wait", "waits")
        self.assertEqual(cache("--all"), (1, 0))
        self.assertIsNone(cache())


if __name__ == "__main__":
    unittest.main()
