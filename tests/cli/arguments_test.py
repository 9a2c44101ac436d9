"""Commands with several arguments check all of them before they change anything."""

import pathlib
import re
import unittest

from harness import JobCase

CLI = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/reference/cli.md"
READS = {"status", "logs", "wait", "result", "results", "outputs get", "help", "costs", "metrics"}
STARTS = {"run", "rerun"}  # all arguments belong to one job
# Each command that changes something: arguments that it accepts, followed by bad ones. {env} is an environment.
CHANGES = {
    "rm": [["done", "nosuch"], ["--force", "done", "nosuch"], ["done", "running"], ["done", "queued"],
           ["done", "no/job"]],
    "cancel": [["running", "nosuch"]],
    "outputs rm": [["done", "out.txt", "nosuch"], ["done", "nosuch"], ["done", "done"]],
    "data rm": [["set", "nosuch"], ["set", "no/set"]],
    "env rm": [["{env}", "nosuch"]],
    "image rm": [],  # tests/integration/image_commands_test.py
}


class Arguments(JobCase):
    def snapshot(self):
        store = self.home / ".local/share/kinetic/store"
        # The supervisor of the running job writes its log and its index entry at any time.
        ignored = (".tmp", ".locks", "heartbeat", "index", "log")
        files = {path.relative_to(store): path.read_bytes() for path in store.rglob("*")
                 if path.is_file() and not any(part in ignored for part in path.parts)}
        return files, [one["id"] for one in self.json("env", "ls")], self.state("running")

    def test_each_command_with_several_arguments_is_known(self):
        usages = re.findall(r"^(?:Usage:|  +) *kinetic ([a-z ]+?) (?:\[OPTIONS\] )?[^a-z\n]*\.\.\.",
                            CLI.read_text(), re.MULTILINE)
        self.assertLessEqual({"rm", "data rm"}, set(usages))
        self.assertLessEqual(set(usages), READS | STARTS | set(CHANGES), "add the new command to a table")

    def test_a_bad_argument_changes_nothing(self):
        self.write("work.py", "def main():\n    return 1\n")
        self.write("job.yaml", "function: work:main\n")
        self.write("set/a.txt", "a")
        self.run_kinetic("data", "put", "set")
        self.run_kinetic("run", "job.yaml")
        [environment] = self.json("env", "ls")
        self.run_kinetic("run", "--id", "done", "--", "sh", "-c", "echo 1 >$KINETIC_OUTPUT_DIR/out.txt")
        alone = ("--concurrency", "1")
        self.submit("sleep", "600", options=(*alone, "--id", "running"))
        self.until("it runs", lambda: self.state("running") == "running")
        self.submit("true", options=(*alone, "--id", "queued"))
        self.until("the second waits", lambda: self.json("why", "queued")["cause"] == "jobs_ahead")
        before = self.snapshot()
        for command, cases in CHANGES.items():
            for case in cases:
                arguments = [word.format(env=environment["id"]) for word in case]
                with self.subTest(command=command, arguments=arguments):
                    done = self.run_kinetic(*command.split(), *arguments, code=None)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertEqual(self.snapshot(), before, done.stderr)
        self.assertEqual(self.json("outputs", "rm", "done", "out.txt")["removed"],
                         [{"id": "done", "files": 1, "bytes": 2}])


if __name__ == "__main__":
    unittest.main()
