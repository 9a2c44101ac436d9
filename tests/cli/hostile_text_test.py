"""Tests that text from a job, a job file or a file name cannot control the terminal or forge lines of the output."""

import re
import unittest

from harness import TerminalCase

# ESC, OSC and CSI sequences, C1 controls as characters and as raw bytes, bidirectional overrides, separators, line ends.
ATTACK = "\x1b[2J\x1b]0;title\x07\x9b31m\x85\x7f\x08\u202e\u2066\u2028\u2029\r\nerror: forged"
# What the output itself draws: colors, and the status lines that it removes.
DRAWN = re.compile(r"\x1b\[[0-9;]*m|\r\x1b\[[0-9]+A\x1b\[J")
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\udc80-\udcff]")

WORK = """\
import os, sys

ATTACK = {attack!r}
Evil = type("Evil" + ATTACK, (Exception,), {{}})
Evil.__module__ = "builtins"

def main():
    print("log " + {log!r})
    print("log " + {log!r}, file=sys.stderr)
    sys.stdout.flush()
    folder = os.environ["KINETIC_OUTPUT_DIR"]
    for name in b"out\\xc2\\x9b31m", "out\u202e".encode(), b"out\\x1b[2J", b"out\\xff\\x9b":
        with open(os.path.join(folder.encode(), name), "w") as file:
            file.write("x")
    exec(compile("def fail(e):\\n    raise e\\n", "file" + ATTACK, "exec"), globals())
    fail(Evil("message " + ATTACK))

def value():
    return {{"k" + ATTACK: "v" + ATTACK}}

def text():
    return "v" + ATTACK
"""
# Without line ends, so that every line begins with "log".
LOG = "\x1b[2J\x1b]0;title\x07\x9b31m\x85\x7f\x08\u202e\u2066 \x1b[31mred"


class HostileText(TerminalCase):
    def setUp(self):
        super().setUp()
        self.write("work.py", WORK.format(attack=ATTACK, log=LOG))
        self.write("job.yaml", "function: work:main\n")

    def check_safe(self, text, where):
        text = DRAWN.sub("", text).replace("\r\n", "\n")
        found = UNSAFE.search(text)
        self.assertIsNone(found, f"{where}: {text[max(0, found.start() - 60):found.end() + 60]!r}" if found else "")
        self.assertFalse([line for line in text.split("\n") if line.startswith("error: forged")], f"{where}: {text}")

    def check_both(self, *arguments, code):
        """Checks a command on a terminal and with pipes. Returns what the terminal shows."""
        done = self.run_kinetic(*arguments, code=code)
        self.check_safe(done.stdout, (arguments, "stdout"))
        self.check_safe(done.stderr, (arguments, "stderr"))
        exit_code, seen = self.on_terminal(*arguments)
        self.assertEqual(exit_code, code, seen)
        self.check_safe(seen, (arguments, "terminal"))
        return seen

    def failed_job(self):
        job = self.run_kinetic("run", "--detach", "job.yaml").stdout.strip()
        self.run_kinetic("wait", job, code=1)
        return job

    def test_commands_on_a_job(self):
        job = self.failed_job()
        for command in "result", "wait":
            seen = self.check_both(command, job, code=1)
            self.assertIn("Evil\\x1b[2J\\x1b]0;title\\x07\\u009b31m\\u0085\\x7f\\x08\\u202e\\u2066\\u2028\\u2029\\x0d", seen)
        for command in ["status"], ["why"], ["outputs", "ls"], ["outputs", "get"]:
            self.check_both(*command, job, code=0)
        self.check_both("ps", "--all", code=0)
        self.assertIn("out\\u202e", self.run_kinetic("outputs", "ls", job).stdout)
        for command in "status", "why", "logs", "wait", "result":
            seen = self.on_terminal(command, job, "--json")[1]
            self.check_safe(seen, (command, "--json"))

    def test_a_log_on_a_terminal_has_colors_only(self):
        job = self.failed_job()
        shown = "log \\x1b[2J\\x1b]0;title\\x07\\u009b31m\\u0085\\x7f\\x08\\u202e\\u2066 \x1b[31mred\x1b[0m\r\n"
        for arguments in (["logs", job], ["logs", job, "--timestamps"], ["attach", job], ["run", "job.yaml"]):
            seen = self.on_terminal(*arguments, "--progress", "never")[1]
            self.check_safe(seen, arguments)
            self.assertEqual(seen.count(shown), 2, seen)
            self.assertIn(f"log {LOG}\r\n", self.on_terminal(*arguments, "--raw", "--progress", "never")[1])

    def test_a_log_on_a_pipe_is_unchanged(self):
        job = self.failed_job()
        self.assertEqual(self.run_kinetic("logs", job).stdout, f"log {LOG}\n" * 2)
        self.assertEqual(self.run_kinetic("attach", job, code=1).stderr.count(f"log {LOG}\n"), 2)
        self.assertEqual(self.run_kinetic("run", "job.yaml", code=1).stderr.count(f"log {LOG}\n"), 2)

    def test_values(self):
        self.write("job.yaml", "function: work:value\n")
        piped = self.json("run", "job.yaml")["value"]
        self.assertEqual(piped, {"k" + ATTACK: "v" + ATTACK})
        self.assertIn("\x9b31m", self.run_kinetic("run", "job.yaml").stdout)
        self.check_safe(self.on_terminal("run", "job.yaml")[1], "value")
        self.write("job.yaml", "function: work:text\n")
        self.assertEqual(self.run_kinetic("run", "job.yaml", "--raw").stdout, "v" + ATTACK)
        self.assertIn("\x1b]0;title\x07\x9b31m", self.on_terminal("run", "job.yaml", "--raw")[1])

    def test_names_and_arguments(self):
        self.write("ordinary.txt", "")
        (self.work / ("file\x1b[2J\x9b\u202e")).write_text("x")
        (self.work / "a\\b").write_text("x")
        self.check_both("bundle", "ls", "job.yaml", code=0)
        self.check_both("run", "--dry-run", "--name", "name" + ATTACK, "job.yaml", code=2)
        self.check_both("run", "--detach", "job\x1b[2J\x9b.yaml", code=2)
        for arguments in (["status", "no" + ATTACK], ["logs", "x\x9b", "--" + ATTACK], ["x" + ATTACK],
                          ["ps", "--target", "t" + ATTACK], ["ps", "--state", ATTACK], ["profile", "show", ATTACK],
                          ["profile", "create", ATTACK], ["profile", "use", ATTACK], ["run", ATTACK],
                          ["run", "--set", "k" + ATTACK + "=1", "job.yaml"], ["run", "--arg", ATTACK, "job.yaml"],
                          ["run", "--env", "A" + ATTACK + "=1", "job.yaml"], ["run", "--python", ATTACK, "job.yaml"],
                          ["data", "rm", ATTACK], ["data", "put", ATTACK], ["gc", "--jobs-older-than", ATTACK]):
            self.check_both(*arguments, code=2)

    def test_a_progress_bar_restarts_its_line(self):
        job = self.submit("sh", "-c", r"printf '10%%\r20%%\r30%%\n'")
        self.run_kinetic("wait", job)
        self.assertIn("10%\r20%\r30%\r\n", self.on_terminal("logs", job)[1])
        times = re.findall(r"T[0-9:.]+Z ", self.on_terminal("logs", job, "--timestamps")[1])
        self.assertEqual(len(times), 3)


if __name__ == "__main__":
    unittest.main()
