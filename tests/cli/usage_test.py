"""Tests usage errors: message, hint and exit code, as text and as JSON."""

import json
import os
import subprocess
import unittest

from harness import KINETIC, Case


class Usage(Case):
    def refused(self, *arguments, message, hint="", code=2):
        with self.subTest(arguments=arguments):
            done = self.run_kinetic(*arguments, code=code)
            self.assertEqual(done.stdout, "")
            self.assertIn("error: " + message, done.stderr)
            self.assertIn(hint, done.stderr)
            error = self.json(*arguments[:1], *arguments[1:], code=code)["error"] \
                if "--" not in arguments else None
            if error:
                self.assertIn(message.splitlines()[0], error["message"])
                self.assertEqual(error["exit_code"], code)

    def test_run_lists_its_settings(self):
        options = self.run_kinetic("run", "--help").stdout.partition("\nOptions:\n")[2]
        self.assertIn("--python VERSION", options)
        self.assertIn("--target PROFILE", options)
        self.assertNotIn("--python", self.run_kinetic("ps", "--help").stdout)

    def test_start_of_an_accelerator(self):
        self.refused("accelerators", "gpu", message="gpu is incomplete; choose one of: gpu-l4, gpu-t4,")
        self.refused("accelerators", "V5", message="V5 is incomplete; choose one of: v5litepod-1, v5p-8\n")
        self.refused("accelerators", "tpu", message="tpu is incomplete; choose one of: v3-8, v4-8,")

    def test_unknown_words(self):
        self.refused("rnu", message="unknown command 'kinetic rnu'", hint="did you mean 'run'?")
        self.refused("rnu", "run", "x", message="unknown command 'kinetic rnu'", hint="did you mean 'run'?")
        self.refused("run", "python loop.py 1 && echo done", message="cannot read",
                     hint="kinetic run -- sh -c 'python loop.py 1 && echo done'")
        self.refused("bundle", "list", message="unknown command 'kinetic bundle list'")
        self.refused("outputs", "download", "--to", "x", message="unknown command 'kinetic outputs download'",
                     hint="did you mean 'get'?")
        self.refused("outputs", "lss", "job", message="unknown command 'kinetic outputs lss'", hint="did you mean 'ls'?")
        self.refused("ps", "--stat", "running", message="kinetic ps: unknown option '--stat'",
                     hint="did you mean '--state'?")
        self.refused("ps", "extra", message="kinetic ps: unexpected argument 'extra'")
        self.refused("help", "rnu", message="unknown command 'kinetic rnu'", hint="'run'")

    def test_unknown_command_with_help_is_an_error(self):
        self.refused("show", "x", message="unknown command 'kinetic show'", hint="did you mean 'status'?")
        self.refused("upp", "--help", message="unknown command 'kinetic upp'", hint="did you mean 'up'?")
        self.refused("nonsense", "-h", message="unknown command 'kinetic nonsense'")
        self.refused("bundle", "export", "--help", message="unknown command 'kinetic bundle export'")
        self.assertIn("Usage: kinetic ps", self.run_kinetic("ps", "--nonsense", "--help").stdout)

    def test_suggestions_keep_the_meaning(self):
        self.refused("run", "--gpu", "--", "true", message="kinetic run: unknown option '--gpu'", hint="did you mean '--accelerator'?")
        self.refused("logs", "--state", "x", message="kinetic logs: unknown option '--state'", hint="see 'kinetic logs --help'")

    def test_missing_arguments(self):
        self.refused("bundle", message="'kinetic bundle' requires a command: ls, diff")
        self.refused("completion", message="kinetic completion: SHELL is missing", hint="kinetic completion --help")
        self.refused("run", "--name", message="--name requires a value")
        self.refused("logs", "--grep=", "latest", message="--grep requires a value")
        self.assertEqual(self.json("ps", "--name=", "-q", code=2)["error"]["message"], "--name requires a value")
        self.refused("run", message="nothing to run: this folder has no job.yaml", hint="kinetic init")
        self.refused("run", "--", message="no command after '--'")

    def test_invalid_values(self):
        self.refused("logs", "x", "--tail", "ten", message="--tail: expected a whole number, 0 or more, found 'ten'")
        self.refused("ps", "--state", "dead", message="--state: expected one of queued, pending")
        self.refused("gc", "--jobs-older-than", "soon", message="--jobs-older-than: expected a duration")
        self.refused("accelerators", "v5p-7", message="v5p-7 is not a valid size")
        self.refused("logs", "x", "--since", "1m", "--until", "5m", message="--until is not after --since")
        self.refused("run", "--output", "x", "--", "true", message="--output: a command has no value to write")
        self.refused("run", "make", "-c", "all", message="kinetic run: unknown option '-c'", hint="put '--' before it")
        self.refused("run", "--foo", message="kinetic run: unknown option '--foo'", hint="see 'kinetic run --help'")
        self.refused("--limit", "2", "ps", message="kinetic ps: --limit precedes the command",
                     hint="put it after the command: kinetic ps --limit")
        self.refused("run", "m:f", "--epochs", "3", message="kinetic run: unknown option '--epochs'", hint="--arg NAME=VALUE")
        self.refused("cp", "latest:x", "-", message="a file cannot be copied to the standard output")
        self.refused("run", "m:f", "--arg", "x=@foo", message="--arg x: a value cannot start with '@', '`' or '%'; quote the text\n")
        self.refused("run", "--output", "", "--", "true", message="--output: expected a file")
        self.refused("run", "m:f", "--arg", "n=[1,", message="--arg n: unclosed list; add `]`")
        self.refused("run", "m:f", "--arg", 'n="3', message="--arg n: unclosed quote; add the closing quote")
        self.refused("ps", "--color", "red", message="--color: expected one of auto, always, never")

    def test_job_files(self):
        self.refused("run", "nothing.yaml", message="cannot read nothing.yaml: no such file",
                     hint="kinetic init")
        self.refused("run", "trainer", message="cannot read trainer: no such file", hint="kinetic run -- trainer")
        self.refused("run", ".", message="nothing to run: this folder has no job.yaml", hint="kinetic init")
        self.refused("run", "--", "", message="no command after '--'")
        self.refused("init", "nosuch:f", message="nosuch:f: this folder has no such module")
        self.refused("init", "nosuch.py", message="nosuch.py: this folder has no such file")
        self.assertNotIn("kinetic run", self.run_kinetic("bundle", "ls", "nothing.yaml", code=2).stderr)
        self.write("elsewhere.yaml", "run: ls\ntarget: lab\n")
        self.refused("run", "elsewhere.yaml", message="elsewhere.yaml:2:9: target: no profile 'lab'")
        self.write("bad.yaml", "name: hello\nacelerator: cpu\nrun: true\ncount: ten\n")
        done = self.run_kinetic("run", "bad.yaml", code=2)
        self.assertIn("bad.yaml:2:1", done.stderr)
        self.assertIn("accelerator", done.stderr)
        self.assertIn("bad.yaml:4:1", done.stderr)
        error = self.json("run", "bad.yaml", code=2)["error"]
        self.assertEqual(error["code"], "INVALID_ARGUMENT")
        self.assertEqual(error["details"]["errors"], "3")

    def test_only_regular_files_are_accepted(self):
        os.mkfifo(self.work / "pipe")
        self.refused("run", "-", message="cannot read a job file from standard input")
        for file in ("pipe", "/dev/zero"):
            self.refused("run", file, message=f"cannot read {file}: it is not a regular file",
                         hint="write its content to a file")
        self.assertIn("pipe: it is not a regular file", self.run_kinetic("ps", "--config", "pipe", code=2).stderr)
        self.write("job.yaml", "run: ls\nbundle: {root: .}\n")
        os.symlink("pipe", self.work / "requirements.txt")
        self.assertIn("it is not a regular file", self.run_kinetic("run", "job.yaml", code=2).stderr)
        os.remove(self.work / "requirements.txt")
        self.write("job.yaml", "function: f:f\nargs: {x: {$json: pipe}}\nbundle: {root: .}\n")
        self.assertIn("is not a regular file", self.run_kinetic("run", "job.yaml", code=2).stderr)

    def test_job_file_too_large(self):
        self.write("large.yaml", "#" * (5 << 20))
        self.refused("run", "large.yaml", message="cannot read large.yaml: the file exceeds 4 MiB, the limit for job files")

    def test_errors_in_options_name_the_option(self):
        for option, value in [("--name", "Big"), ("--accelerator", "[]"), ("--cpu", "none"), ("--memory", "lots"),
                              ("--timeout", "long"), ("--timeout", "90"), ("--dependencies", "")]:
            done = self.run_kinetic("run", option, value, "--", "true", code=2)
            self.assertRegex(done.stderr, rf"^error: {option}: (found |\[\] is not an accelerator)")
        self.assertIn("--memory: found 8, expected a size from 1Mi to 1Ei, such as 32Gi; did you mean 8Gi?",
                      self.run_kinetic("run", "--memory", "8", "--", "true", code=2).stderr)
        self.assertIn("error: --env GONE: the variable is not set; set it or specify a value\n",
                      self.run_kinetic("run", "--env", "GONE", "--", "true", code=2).stderr)
        self.assertIn("error: --root: cannot ",
                      self.run_kinetic("run", "--root", "nowhere", "--", "true", code=2).stderr)

    def test_rejects_mutually_exclusive_options(self):
        for options in (["--locked", "--relock"], ["--detach", "--raw"], ["--detach", "--output", "x"],
                        ["--detach", "--cancel-on-interrupt"]):
            done = self.run_kinetic("run", *options, "--dry-run", "--", "true", code=2)
            names = " cannot be combined with ".join(word for word in options if word.startswith("--"))
            self.assertEqual(done.stderr, f"error: {names}\n")
        self.assertIn("--id: expected an ID, found nothing",
                      self.run_kinetic("run", "--id", "", "--", "true", code=2).stderr)

    def test_one_letter_value_has_no_suggestion(self):
        self.assertNotIn("did you mean", self.run_kinetic("ps", "--http-version", "3", code=2).stderr)

    def test_help_goes_to_stdout(self):
        for arguments in ([], ["--help"], ["help"], ["-h"]):
            done = self.run_kinetic(*arguments)
            self.assertIn("Usage: kinetic COMMAND", done.stdout)
            self.assertEqual(done.stderr, "")
        self.assertEqual(self.run_kinetic("run", "--help").stdout, self.run_kinetic("help", "run").stdout)

    def test_help_works_with_a_broken_configuration(self):
        config = self.home / ".config/kinetic/config.yaml"
        config.parent.mkdir(parents=True)
        config.write_text("profils: {}\n")
        self.run_kinetic("run", "--help")
        self.run_kinetic("version")
        self.run_kinetic("schema")
        done = self.run_kinetic("ps", code=2)
        self.assertIn("config.yaml:1:1: unknown key 'profils'", done.stderr)

    def test_version(self):
        text = self.run_kinetic("version").stdout
        self.assertEqual(text, self.run_kinetic("--version").stdout)
        self.assertEqual(text, "kinetic " + self.json("version")["version"] + "\n")

    def test_json_mode_prints_only_json(self):
        for arguments in (["--version"], ["--help"], ["run", "--help"], ["help", "run"], ["completion", "bash"],
                          ["ps"], ["env", "ls"], ["profile", "ls"], ["profile", "show"], ["config", "show"],
                          ["gc", "--dry-run"], ["accelerators"], ["bundle", "ls"], ["env", "explain"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.json(*arguments), self.json("--json", *arguments))
        self.assertEqual(self.json("run", "--help"), self.json("help", "run"))
        self.assertEqual(self.json("--version"), self.json("version"))

    def test_warns_once_about_a_misspelled_variable(self):
        done = self.run_kinetic("ps", env={"KINETIC_STROE": "/x", "KINETIC_JOB_ID": "of-a-job"})
        self.assertEqual(done.stderr.count("warning: unknown environment variable KINETIC_STROE; "
                                           "did you mean 'KINETIC_STORE'?\n"), 1)
        self.assertNotIn("KINETIC_JOB_ID", done.stderr)
        zone = self.run_kinetic("ps", env={"KINETIC_ZONE": "us-central1-a"}).stderr
        self.assertIn("KINETIC_ZONE has no effect: it belongs to the Python tool; use KINETIC_LOCATION", zone)
        self.assertEqual(self.run_kinetic("-q", "ps", env={"KINETIC_STROE": "/x"}).stderr, "")

    def test_schema_is_one_document(self):
        schema = json.loads(self.run_kinetic("schema").stdout)
        self.assertIn("draft/2020-12", schema["$schema"])
        self.assertEqual(schema, self.json("schema"))

    def test_accelerators(self):
        names = [entry["name"] for entry in self.json("accelerators")]
        self.assertIn("cpu", names)
        table = self.run_kinetic("accelerators").stdout
        for name in names:
            self.assertIn(name, table)
        one = self.json("accelerators", "v5p-8")
        self.assertEqual((len(one), one[0]["chips"]), (1, 4))

    def test_full_disk_is_an_error(self):
        for arguments in (["schema"], ["schema", "--json"], ["ps", "--json"], ["ps", "--stat", "--json"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([KINETIC, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      env=self.environment(), text=True)
            self.assertIn("error: ", done.stderr)
            if "--stat" not in arguments:
                self.assertEqual(done.returncode, 120)
                self.assertIn("cannot write to stdout: no space left", done.stderr)

    def test_commands_that_read_do_not_create_the_store(self):
        store = self.home / "no/such/store"
        commands = (("ps",), ("ps", "--all"), ("status", "x"), ("logs", "x"), ("wait", "x"), ("result", "x"), ("why", "x"),
                    ("cancel", "x"), ("rm", "x"), ("outputs", "ls", "x"), ("outputs", "get", "x"), ("attach", "x"),
                    ("data", "ls"), ("data", "rm", "x"), ("bundle", "ls"), ("env", "ls"), ("gc", "--dry-run"), ("gc",),
                    ("run", "--dry-run", "--", "true"))
        for command in commands:
            with self.subTest(command=command):
                options = command[:command.index("--")] if "--" in command else command
                self.run_kinetic(*options, "--store", str(store), *command[len(options):], code=None)
                self.assertFalse((self.home / "no").exists())
        store.mkdir(parents=True)
        self.run_kinetic("ps", "--store", str(store))
        self.assertEqual(list(store.iterdir()), [])
        self.run_kinetic("run", "--store", str(store), "--", "true")
        self.assertTrue((store / "format.json").exists())
        (self.home / "other").mkdir()
        (self.home / "other/file").write_text("x")
        done = self.run_kinetic("ps", "--store", str(self.home / "other"), code=2)
        self.assertIn("neither a store nor empty", done.stderr)


if __name__ == "__main__":
    unittest.main()
