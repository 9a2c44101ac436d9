"""Tests how commands select jobs: IDs, prefixes, names, 'latest', several at once, filters and confirmation."""

import json
import os
import re
import signal
import unittest

from harness import TerminalCase

ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Names(TerminalCase):
    def ended(self, name, *command, code=0, **env):
        """Runs a job to its end and returns its ID."""
        done = self.run_kinetic("run", "--json", "--name", name, "--", *(command or ("true",)), code=code, env=env)
        return json.loads(done.stdout)["id"]

    def test_name_selects_newest_own_job(self):
        first, second = self.ended("nap"), self.ended("nap")
        theirs = self.ended("nap", KINETIC_OWNER="bob@there")
        other = self.ended("walk", KINETIC_OWNER="bob@there")
        self.assertEqual(self.json("status", "nap")["id"], second)
        self.assertEqual(self.json("status")["id"], second)
        self.assertEqual(self.json("status", "latest")["id"], second)
        self.assertEqual(self.json("status", "nap", env={"KINETIC_OWNER": "bob@there"})["id"], theirs)
        self.assertEqual(self.json("status", first[:8])["id"], first)
        done = self.run_kinetic("status", "walk", code=2)
        self.assertIn(f"a name selects your own jobs only; pass the ID of the job of bob@there: {other}", done.stderr)
        self.assertIn("no jobs of eve@x", self.run_kinetic("logs", env={"KINETIC_OWNER": "eve@x"}, code=2).stderr)

    def test_misspelled_name_has_hint(self):
        self.ended("train")
        self.assertIn("hint: did you mean 'train'?", self.run_kinetic("cancel", "trian", code=2).stderr)

    def test_id_latest_is_reserved(self):
        done = self.run_kinetic("run", "--id", "latest", "--", "true", code=2)
        self.assertIn("a job cannot have the ID 'latest'", done.stderr)

    def test_name_latest_is_reserved(self):
        for arguments in (("--name", "latest", "--", "true"), ("--set", "name=latest", "--", "true")):
            done = self.run_kinetic("run", *arguments, code=2)
            self.assertIn("name: found latest, which selects the newest job", done.stderr)
        self.write("latest.py", "")
        self.assertEqual(self.run_kinetic("run", "--dry-run", "--json", "latest.py").stdout.count('"name":"latest"'), 0)

    def test_commands_without_id_use_the_newest_job(self):
        self.write("work.py", "def main():\n    print('hello')\n    return 7\n")
        self.write("job.yaml", "function: work:main\n")
        job = self.json("run", "job.yaml")["id"]
        self.assertEqual(self.run_kinetic("result").stdout, "7\n")
        self.assertEqual(self.run_kinetic("logs").stdout, "hello\n")
        self.assertIn(f"job {job}", self.run_kinetic("logs").stderr)
        self.assertEqual(self.run_kinetic("attach").stdout, "7\n")
        self.assertIn(job, self.run_kinetic("outputs").stdout)
        self.assertEqual(self.json("outputs", "ls"), [])
        self.assertIn(job, self.run_kinetic("wait", "--json").stdout)
        self.assertIn(job, self.run_kinetic("status").stdout)

    def test_several_jobs(self):
        good, bad = self.ended("good", "echo", "fine"), self.ended("bad", "sh", "-c", "echo no; exit 4", code=4)
        self.assertEqual([each["id"] for each in self.json("status", "good", "bad", good)], [good, bad])
        self.assertIn(f"id        {bad}", self.run_kinetic("status", "good", "bad").stdout)
        self.assertEqual([each["id"] for each in self.json("wait", "good", "bad", code=4)], [good, bad])
        self.assertEqual([each["exit_code"] for each in self.json("result", "good", "bad", code=4)], [0, 4])
        self.assertEqual(self.run_kinetic("logs", "good", "bad").stdout, "good | fine\nbad | no\n")
        records = [json.loads(line) for line in
                   self.run_kinetic("logs", "good", "bad", "--stream", "stdout", "--json").stdout.splitlines()]
        self.assertEqual([(each["id"], each["text"]) for each in records], [(good, "fine\n"), (bad, "no\n")])
        self.assertIn("several jobs cannot be combined with --output",
                      self.run_kinetic("result", "good", "bad", "--output", "x", code=2).stderr)
        self.assertEqual(self.run_kinetic("rm", "good", "bad").stdout, f"{good}\n{bad}\n")

    def test_none_is_printed_for_one_of_several_jobs(self):
        self.write("work.py", "def main(value): return value\n")
        for name, value in (("nothing", "null"), ("seven", "7")):
            self.run_kinetic("run", "work:main", "--name", name, "--arg", f"value={value}")
        self.assertEqual(self.run_kinetic("result", "nothing").stdout, "")
        self.assertEqual(self.run_kinetic("result", "nothing", "seven").stdout, "null\n7\n")

    def test_one_wrong_id_changes_nothing(self):
        job = self.ended("keep")
        for command in ("rm", "status", "logs", "wait", "result"):
            done = self.run_kinetic(command, "keep", "nonesuch", code=2)
            self.assertEqual(done.stdout, "")
            self.assertIn("error: job nonesuch does not exist", done.stderr)
            self.assertEqual("; nothing was done" in done.stderr, command == "rm")
        self.assertEqual(self.run_kinetic("ps", "-q").stdout, job + "\n")

    def test_ended_job_cannot_be_cancelled(self):
        job = self.ended("over")
        done = self.run_kinetic("cancel", "over", code=1)
        self.assertIn(f"job {job} had already ended: succeeded", done.stderr)

    def test_cancel_all(self):
        ended = self.ended("over")
        jobs = {self.submit("sleep", "600", options=("--name", name)) for name in ("a", "b")}
        theirs = self.run_kinetic("run", "--detach", "--", "sleep", "600", env={"KINETIC_OWNER": "bob@there"}).stdout.strip()
        done = self.run_kinetic("cancel", "--all", code=2)
        self.assertIn("refusing to cancel 2 jobs without --yes, because there is no terminal to ask on", done.stderr)
        self.assertIn("hint: pass --yes", done.stderr)
        self.assertIn("no jobs to cancel", self.run_kinetic("cancel", "--all", "--older-than", "1h").stderr)
        done = self.run_kinetic("cancel", "--all", "--yes")
        self.assertEqual(set(done.stdout.splitlines()), {f"{job} cancelled" for job in jobs})
        self.assertEqual(self.state(ended), "succeeded")
        self.assertNotEqual(self.state(theirs), "cancelled")

    def test_rm_by_state_and_age(self):
        good, bad = self.ended("good"), self.ended("bad", "false", code=1)
        self.assertIn("no jobs to remove", self.run_kinetic("rm", "--older-than", "1d").stderr)
        self.assertIn("no jobs are selected", self.run_kinetic("rm", code=2).stderr)
        self.assertIn("ID cannot be combined with --all", self.run_kinetic("rm", "--all", "good", code=2).stderr)
        self.assertIn("--older-than: expected a duration",
                      self.run_kinetic("rm", "--older-than", "soon", code=2).stderr)
        self.assertEqual(self.run_kinetic("rm", "--state", "failed", "--yes").stdout, bad + "\n")
        running = self.submit("sleep", "600")
        self.assertEqual(self.run_kinetic("rm", "--all", "-y").stdout, good + "\n")
        self.assertEqual(self.run_kinetic("rm", "--all", "--force", "-y").stdout, running + "\n")
        self.assertEqual(self.json("ps"), [])

    def test_confirmation_on_a_terminal(self):
        job = self.ended("nap")

        def answer(text):
            typed = []

            def write(seen, fd):
                if "[y/N]" in seen and not typed:
                    typed.append(True)
                    os.write(fd, text)
            return write
        code, seen = self.on_terminal("rm", "--all", then=answer(b"n\n"))
        self.assertEqual(code, 0)
        self.assertIn(f"remove 1 job: {job} (nap)?", seen)
        self.assertIn("nothing was done", seen)
        self.assertNotIn("error", seen)
        self.assertEqual(len(self.json("ps")), 1)
        self.assertEqual(self.on_terminal("rm", "--all", then=answer(b"yellow\n"))[0], 0)
        for key in (b"\x03", b"\x04"):  # Ctrl-C, Ctrl-D
            _, seen = self.on_terminal("rm", "--all", then=answer(key))
            self.assertRegex(seen, r"\[y/N\] (\^[CD](\x08\x08)?)?\r\n")
        self.on_terminal("rm", "--all", then=answer(b"yes\n"))
        self.assertEqual(self.json("ps"), [])

    def test_completion_offers_names(self):
        job = self.ended("train")
        lines = self.run_kinetic("__complete", "--", "logs", "tr").stdout.splitlines()
        self.assertEqual(lines, [f"train\tnewest: {job}"])
        words = [line.split("\t")[0] for line in self.run_kinetic("__complete", "--", "rm", "train", "").stdout.splitlines()]
        self.assertEqual(words, ["train", "latest", job])
        sleeping = self.submit("sleep", "600")
        lines = self.run_kinetic("__complete", "--", "cancel", "").stdout.splitlines()
        self.assertEqual(lines[-1].split("\t")[0], sleeping)
        self.assertNotIn(job, "".join(lines))

    def test_list_emphasizes_the_unique_prefix(self):
        for job in ("aab-1", "aac-2", "b-3"):
            self.run_kinetic("run", "--id", job, "--", "true")
        _, seen = self.on_terminal("ps")
        for emphasized in ("\x1b[1maab\x1b[0m-1", "\x1b[1maac\x1b[0m-2", "\x1b[1mb\x1b[0m-3"):
            self.assertIn(emphasized, seen)
        _, seen = self.on_terminal("ps", "-n", "1", "--name", "project")
        self.assertNotIn("aab", seen)


class Selectors(TerminalCase):
    def jobs(self):
        """Three ended jobs: two named sweep, with different rates, and another one."""
        self.write("work.py", "import os, pathlib\ndef main(rate=0, epochs=1):\n    print('rate', rate)\n"
                              "    pathlib.Path(os.environ['KINETIC_OUTPUT_DIR'], 'r').write_text(str(rate))\n"
                              "    return rate\n")
        run = ("run", "-q", "--json", "work:main", "--arg", "epochs=3")
        first, second = (json.loads(self.run_kinetic(*run, "--name", "sweep", "--arg", f"rate={rate}", "--tag",
                                                     f"rate={rate}", "--tag", "team=nlp").stdout)["id"]
                         for rate in (1, 2))
        return first, second, json.loads(self.run_kinetic(*run, "--name", "other", "--tag", "team=nlp").stdout)["id"]

    def test_by_name(self):
        first, second, other = self.jobs()
        self.assertEqual([each["id"] for each in self.json("wait", "--name", "sweep")], [first, second])
        self.assertEqual(self.run_kinetic("result", "--name", "sweep").stdout, "1\n2\n")
        self.assertEqual(self.run_kinetic("logs", "--name", "sweep").stdout,
                         f"{first} | rate 1\n{second} | rate 2\n")
        self.assertEqual([each["id"] for each in self.json("outputs", "--name", "sweep")], [first, second])
        self.run_kinetic("outputs", "get", "--name", "sweep", "--to", "got")
        self.assertEqual([(self.work / "got" / job / "r").read_text() for job in (first, second)], ["1", "2"])
        self.assertIn("you have no jobs named sweeep\n", self.run_kinetic("wait", "--name", "sweeep", code=2).stderr)
        self.assertIn("ID cannot be combined with --name",
                      self.run_kinetic("logs", "--name", "sweep", first, code=2).stderr)
        self.assertIn("refusing to remove 2 jobs without --yes", self.run_kinetic("rm", "--name", "sweep", code=2).stderr)
        self.assertEqual(self.run_kinetic("rm", "--name", "sweep", "-y").stdout, f"{second}\n{first}\n")
        self.assertEqual(self.run_kinetic("ps", "-q").stdout, other + "\n")

    def test_name_says_which_job_of_how_many(self):
        _, second, other = self.jobs()
        for command in (("status", "sweep"), ("result", "sweep"), ("outputs", "sweep"), ("diff", "sweep", other)):
            self.assertIn(f"job {second}: the newest of 2 jobs named sweep\n", self.run_kinetic(*command).stderr)
        self.assertNotIn("the newest of", self.run_kinetic("status", "other", second).stderr)
        self.assertIn(f"job {second}: the newest of 2 jobs named sweep\n", self.run_kinetic("rm", "sweep").stderr)
        self.assertNotIn("the newest of", self.run_kinetic("rm", "sweep").stderr)

    def test_by_tag(self):
        first, second, other = self.jobs()
        self.assertEqual(self.run_kinetic("ps", "-q", "--tag", "team=nlp").stdout, f"{other}\n{second}\n{first}\n")
        self.assertEqual(self.run_kinetic("ps", "-q", "--tag", "team=nlp", "--tag", "rate=2").stdout, second + "\n")
        self.assertEqual(self.run_kinetic("ps", "--tag", "rate=3").stderr, "no jobs with the tags rate=3\n")
        self.assertIn("--tag: expected NAME=VALUE, found 'rate'", self.run_kinetic("ps", "--tag", "rate", code=2).stderr)
        self.assertEqual(self.json("ps", "--tag", "rate=2")[0]["tags"], {"rate": "2", "team": "nlp"})
        again = self.json("rerun", second, "--tag", "rate=again")["id"]
        self.assertEqual(self.json("status", again)["tags"], {"rate": "again", "team": "nlp"})
        self.assertEqual(self.run_kinetic("result", "--tag", "rate=1").stdout, "1\n")
        self.assertEqual(self.run_kinetic("rm", "--tag", "team=nlp", "--name", "other", "-y").stdout, other + "\n")

    def test_tags_are_listed(self):
        self.submit("true")
        self.assertNotIn("TAGS", self.run_kinetic("ps").stdout)
        self.submit("true", options=("--tag", "team=nlp", "--tag", "rate=1"))
        self.assertIn("TAGS", self.run_kinetic("ps").stdout)
        self.assertIn("rate=1 team=nlp", self.run_kinetic("ps").stdout)

    def test_invalid_tags(self):
        for tag, says in (("team", '--tag: found "team", expected name=value'), ("a b=1", "invalid name \"a b\""),
                          ("x=", "--tag x: found "), ("x=" + "a" * 64, "expected 1–63 characters")):
            self.assertIn(says, self.run_kinetic("run", "--tag", tag, "--", "true", code=2).stderr)
        many = [word for n in range(10) for word in ("--tag", f"tag{n}={'v' * 60}")]
        self.assertIn("tags: found 7", self.run_kinetic("run", *many, "--", "true", code=2).stderr)
        self.write("job.yaml", "run: 'true'\ntags: {run: 7, debug: true}\n")
        self.assertEqual(self.json("status", self.json("run")["id"])["tags"], {"run": "7", "debug": "true"})

    def test_names_with_dots_and_underscores(self):
        job = self.submit("true", options=("--name", "exp_lr0.1"))
        self.assertEqual(self.json("status", "exp_lr0.1")["id"], job)
        self.assertIn("the first and last are a letter or digit",
                      self.run_kinetic("run", "--name", "exp_", "--", "true", code=2).stderr)


class Columns(TerminalCase):
    def test_arguments_that_differ(self):
        self.write("work.py", "def main(rate=0, epochs=1): return rate\n")
        self.write("train.py", "")
        for rate in (1, 2):
            self.run_kinetic("run", "-q", "work:main", "--name", "f", "--arg", "epochs=3", "--arg", f"rate={rate}")
            self.run_kinetic("run", "-q", "train.py", "--lr", str(rate), "--fast")
        table = self.run_kinetic("ps").stdout
        self.assertEqual([line.split()[2] for line in table.splitlines()], ["ARGS", "--lr", "rate=2", "--lr", "rate=1"])
        self.assertNotIn("epochs", table)
        self.assertNotIn("--fast", table)
        self.assertEqual(self.json("ps")[0]["args"], ["--lr 2", "--fast"])
        one = self.run_kinetic("ps", "-n", "1", "--columns", "name,args").stdout
        self.assertEqual(one, "NAME   ARGS\ntrain  --lr 2 --fast\n")

    def test_sort_and_columns(self):
        for name, seconds in (("b", 0.3), ("a", 0), ("c", 0)):
            self.run_kinetic("run", "-q", "--name", name, "--", "sleep", str(seconds))
        names = lambda *options: self.run_kinetic("ps", "--columns", "name", *options).stdout.split()[1:]
        self.assertEqual(names(), ["c", "a", "b"])
        self.assertEqual(names("--sort", "name"), ["a", "b", "c"])
        self.assertEqual(names("--sort", "age"), ["c", "a", "b"])
        self.assertEqual(names("--sort", "duration")[0], "b")
        self.assertEqual([job["name"] for job in self.json("ps", "--sort", "name")], ["a", "b", "c"])
        self.assertIn("--columns: unknown column 'nam'", self.run_kinetic("ps", "--columns", "id,nam", code=2).stderr)
        self.assertIn("--sort: expected one of", self.run_kinetic("ps", "--sort", "size", code=2).stderr)
        self.assertIn("--columns cannot be combined with --json",
                      self.run_kinetic("ps", "--columns", "id", "--json", code=2).stdout)


class Wait(TerminalCase):
    def test_timeout(self):
        job = self.submit("sleep", "600")
        done = self.run_kinetic("wait", job, "--timeout", "1s", code=119)
        self.assertIn(f"timed out after 1s: job {job} has not finished", done.stderr)
        self.assertIn("none of the 2 jobs have finished",
                      self.run_kinetic("wait", "--any", job, self.submit("sleep", "600"), "--timeout", "1s",
                                       code=119).stderr)
        self.assertEqual(self.json("wait", job, "--timeout", "1s", code=119)["error"]["exit_code"], 119)
        self.assertIn("--timeout: expected a duration", self.run_kinetic("wait", "--timeout", "x", code=2).stderr)
        self.assertIn(self.state(job), ("pending", "running"))

    def test_any(self):
        slow = self.submit("sleep", "600")
        fast = self.submit("sh", "-c", "exit 3", options=("--concurrency", "2"))
        self.assertEqual(self.run_kinetic("wait", "--any", slow, fast, code=3).stdout, fast + "\n")
        self.assertNotIn(self.state(slow), ("failed", "succeeded", "cancelled"))


class Logs(TerminalCase):
    def test_time_and_pattern(self):
        job = self.submit("sh", "-c", "echo loss 1; echo other; sleep 1.2; echo loss 2; echo loss 3; printf 'error x'")
        self.run_kinetic("wait", job)
        self.assertEqual(self.run_kinetic("logs", job, "--grep", "^loss [13]|error").stdout, "loss 1\nloss 3\nerror x")
        self.assertEqual(self.run_kinetic("logs", job, "--grep", "loss", "-n", "2").stdout, "loss 2\nloss 3\n")
        times = [line.split()[0] for line in self.run_kinetic("logs", job, "--timestamps", "--utc").stdout.splitlines()]
        self.assertTrue(all(time.endswith("Z") for time in times), times)
        self.assertEqual(self.run_kinetic("logs", job, "--since", times[2]).stdout, "loss 2\nloss 3\nerror x")
        self.assertEqual(self.run_kinetic("logs", job, "--until", times[1]).stdout, "loss 1\nother\n")
        self.assertEqual(self.run_kinetic("logs", job, "--since", "1h", "--until", "30m").stdout, "")
        local = self.run_kinetic("logs", job, "-t", "-n", "1", env={"TZ": "UTC-2"}).stdout
        self.assertRegex(local, r"^\S+\+02:00 error x")
        self.assertEqual(self.run_kinetic("logs", job, "--since", local.split()[0]).stdout, "error x")
        self.assertIn("--grep: invalid regular expression '('", self.run_kinetic("logs", job, "--grep", "(", code=2).stderr)
        self.assertIn("--since: expected a duration", self.run_kinetic("logs", job, "--since", "noon", code=2).stderr)
        self.assertIn("--tail with --follow cannot be combined with --grep",
                      self.run_kinetic("logs", job, "-f", "-n", "1", "--grep", "x", code=2).stderr)

    def test_several_jobs_are_followed_at_once(self):
        jobs = [self.submit("sh", "-c", f"printf 'begin '; while [ ! -e {self.work}/go ]; do sleep 0.05; done; echo end {n}",
                            options=("--concurrency", "2")) for n in (1, 2)]
        follower = self.start("logs", "-f", *jobs)
        self.until("both running", lambda: all(self.state(job) == "running" for job in jobs))
        self.write("go", "")
        out, err = follower.communicate(timeout=60)
        self.assertEqual(follower.returncode, 0, err)
        self.assertEqual(set(out.splitlines()), {f"{job} | begin end {n}" for n, job in enumerate(jobs, 1)})


class List(TerminalCase):
    def test_empty_selection_is_described(self):
        self.assertIn("'kinetic run' creates it", self.run_kinetic("ps").stderr)
        self.submit("true")
        self.assertEqual(self.run_kinetic("ps", "--name", "nosuch").stderr, "no jobs named nosuch\n")
        self.assertEqual(self.run_kinetic("ps", "--of", "mallory", "--state", "failed").stderr,
                         "no failed jobs of mallory\n")

    def test_quiet_list_prints_ids(self):
        jobs = [self.submit("true") for _ in range(2)]
        self.assertEqual(self.run_kinetic("ps", "-q").stdout, f"{jobs[1]}\n{jobs[0]}\n")

    def test_watch_prints_changes(self):
        job = self.submit("sh", "-c", f"while [ ! -e {self.work}/go ]; do sleep 0.05; done")
        self.until("the job running", lambda: self.state(job) == "running")
        watch = self.start("ps", "--watch", env={"TZ": "UTC"})
        self.assertRegex(watch.stdout.readline(), rf"^\S+Z {job} \S+ running$")
        self.write("go", "")
        self.assertRegex(watch.stdout.readline(), rf"^\S+Z {job} \S+ succeeded$")
        watch.terminate()
        out, _ = watch.communicate(timeout=60)
        self.assertEqual((watch.returncode, out), (130, ""))

    def test_watch_refreshes_a_terminal(self):
        job = self.submit("sleep", "600")
        self.until("the job running", lambda: self.state(job) == "running")
        typed = []

        def act(seen, fd):
            if "running" in seen and not typed:
                typed.append(self.run_kinetic("cancel", job))
            if "cancelled" in seen:
                os.write(fd, b"\x03")
        code, seen = self.on_terminal("ps", "--watch", then=act)
        self.assertEqual(code, -signal.SIGINT)
        self.assertIn("\x1b[2A\x1b[J", seen)


if __name__ == "__main__":
    unittest.main()
