"""Tests output on a terminal: transient progress, colors, job output above the progress."""

import os
import re
import signal
import unittest

from harness import TerminalCase

ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal(TerminalCase):
    def test_run(self):
        code, seen = self.on_terminal("run", "--", "sh", "-c", "echo hello; sleep 1; echo bye; exit 3")
        self.assertEqual(code, 3)
        text = ESCAPES.sub("", seen)
        self.assertIn("hello\r\n", text)
        self.assertIn("bye\r\n", text)
        self.assertIn("Ctrl-C detaches", text)
        # The last status line is cleared.
        self.assertNotIn("Ctrl-C", text[text.rindex("bye"):].replace("\r\n", "\n").split("error:")[-1])

    def test_notebooks_get_plain_lines(self):
        for variables in ({"JPY_PARENT_PID": "812"}, {"TERM": "dumb"}):
            _, seen = self.on_terminal("run", "--", "sh", "-c", "echo hello; sleep 1", **variables)
            self.assertIn("submit", seen)
            self.assertEqual([code for code in ESCAPES.findall(seen) if not code.endswith("m")], [], variables)
            self.assertNotIn("\r", seen.replace("\r\n", ""), variables)

    def test_list_and_help_fit_the_terminal(self):
        for name in ("train-a-rather-long-name", "eval"):
            self.run_kinetic("run", "--name", name, "--", "sh", "-c", "exit 3", code=3)
        self.run_kinetic("run", "--", "true")
        for columns in (40, 60, 80, 200):
            for command in (("ps",), ("logs", "--help"), ("help", "wait")):
                _, seen = self.on_terminal(*command, columns=columns)
                text = [line for line in ESCAPES.sub("", seen).split("\r\n") if not line.startswith("  $ ")]
                self.assertLessEqual(max(map(len, text)), min(columns, 200 if command == ("ps",) else 100), text)
        _, seen = self.on_terminal("ps", columns=60)
        self.assertNotIn("OWNER", seen)
        self.assertIn("OWNER", self.on_terminal("ps", columns=200)[1])
        _, seen = self.on_terminal("ps", columns=84)
        self.assertIn("succeeded", ESCAPES.sub("", seen))

    def test_lines_of_a_log_do_not_overwrite_a_progress_bar(self):
        script = "printf ' 50%%\\r 60%%' >&2; sleep 0.5; echo epoch 2"
        self.run_kinetic("run", "--", "sh", "-c", script)
        _, seen = self.on_terminal("logs", columns=80)
        self.assertRegex(ESCAPES.sub("", seen), r"50%\r+\nepoch 2")

    def test_messages_are_wrapped_between_words(self):
        _, seen = self.on_terminal("run", "no-such-file.yaml", columns=60)
        lines = ESCAPES.sub("", seen).rstrip().split("\r\n")
        self.assertTrue(lines[0].startswith("error: "), lines)
        self.assertGreater(len(lines), 2)
        self.assertLessEqual(max(map(len, lines)), 60, lines)

    def test_reasons_are_wrapped_between_words(self):
        reason = "several words that do not fit into one line of a terminal with sixty columns"
        self.write("work.py", f"def main(): raise ValueError('{reason}')\n")
        self.run_kinetic("run", "work:main", code=1)
        for command in ("why", "status"):
            lines = ESCAPES.sub("", self.on_terminal(command, columns=60)[1]).rstrip().split("\r\n")
            self.assertLessEqual(max(map(len, lines)), 60, lines)
            self.assertIn(reason, " ".join(" ".join(lines).split()))

    def test_health_is_wrapped_in_its_column(self):
        _, seen = self.on_terminal("doctor", columns=60, PATH="/usr/bin:/bin")
        lines = ESCAPES.sub("", seen).rstrip().split("\r\n")
        self.assertTrue(any(line.startswith(" " * 9) for line in lines), lines)
        for line in lines:
            self.assertTrue(len(line) <= 60 or " " not in line.strip(), line)  # a long path

    def test_colors_can_be_disabled(self):
        self.assertIn("\x1b[1;31merror:", self.on_terminal("nonsense")[1])
        self.assertNotIn("\x1b[", self.on_terminal("nonsense", NO_COLOR="1")[1])
        self.assertNotIn("\x1b[", self.on_terminal("nonsense", "--color", "never")[1])

    def test_no_progress_redraws_nothing(self):
        _, seen = self.on_terminal("run", "--progress", "never", "--", "sh", "-c", "sleep 0.5; echo hello")
        self.assertNotIn("\x1b[J", seen)

    def test_ctrl_c_detaches(self):
        typed = []

        def interrupt(seen, fd):
            if "started" in seen and not typed:
                typed.append(True)
                os.write(fd, b"\x03")

        code, seen = self.on_terminal("run", "--", "sh", "-c", "echo started; sleep 30", then=interrupt)
        self.assertEqual(code, -signal.SIGINT)
        self.assertIn("kinetic attach", seen)
        self.assertEqual(self.json("ps")[0]["state"], "running")

    def test_attach_shows_the_time_since_the_start(self):
        job = self.submit("sh", "-c", "sleep 1; echo started; sleep 600")
        self.until("the output", lambda: self.run_kinetic("logs", job).stdout)

        def interrupt(seen, fd):
            if "Ctrl-C detaches" in seen:
                os.write(fd, b"\x03")

        code, seen = self.on_terminal("attach", job, then=interrupt)
        self.assertEqual(code, -signal.SIGINT)
        first = re.search(r"(\S+)s  " + job, ESCAPES.sub("", seen))
        self.assertGreaterEqual(float(first.group(1)), 1)
        self.run_kinetic("cancel", job)


if __name__ == "__main__":
    unittest.main()
