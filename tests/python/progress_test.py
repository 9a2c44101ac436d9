"""The progress of a job: in a terminal, in files and pipes, and in threads."""

import io
import os
import re
import subprocess
import sys
import threading
import unittest
from unittest import mock

from harness import PACKAGE, TIMEOUT, PythonCase

sys.path.insert(0, PACKAGE)

from kinetic import _display, _plain, _progress, _terminal  # noqa: E402
from terminal import Screen, Terminal  # noqa: E402

MODULE = """
    import time
    import kinetic

    @kinetic.run
    def nap(seconds):
        print("napping", flush=True)
        time.sleep(seconds)
        return "slept"
"""


class FakeTerminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class Views(unittest.TestCase):
    def show(self, display, *events):
        """Returns what a display writes for events, each with its time."""
        with mock.patch("sys.stderr", FakeTerminal()) as err, mock.patch("sys.stdout", FakeTerminal()) as out:
            for now, *event in events:
                with mock.patch("time.monotonic", lambda now=now: now):
                    display(*event)
        return err.getvalue(), out.getvalue()

    def test_plain_lines_tell_only_what_takes_long(self):
        err, out = self.show(
            _plain.PlainDisplay("abc"),
            (0, "begin", "build", b"packages of requirements.txt"), (1, "end", "build", b"3 packages"),
            (10, "begin", "queue", b"2 jobs are ahead"), (11, "tick", "", b""), (12, "tick", "", b""),
            (13, "tick", "", b""), (14, "begin", "queue", b"1 job is ahead\x1b[2J"), (15, "end", "queue", b""),
            (16, "begin", "run", b""), (60, "tick", "", b""), (61, "log", "stdout", b"hello\n"))
        self.assertEqual(err, "kinetic: job abc: queue: 2 jobs are ahead\n"
                              "kinetic: job abc: queue: 1 job is ahead [2J\n")
        self.assertEqual(out, "hello\n")

    def test_lines_in_a_terminal(self):
        with mock.patch("sys.stderr", FakeTerminal()), mock.patch("time.monotonic", lambda: 0), \
                mock.patch.dict(os.environ, {"NO_COLOR": "1"}):
            display = _terminal.TerminalDisplay("abc", "Ctrl-C detaches")
        err, _ = self.show(
            display, (0, "begin", "queue", b"1 job is ahead"), (5, "tick", "", b""), (6, "end", "queue", b""),
            (7, "begin", "pull", b"fetching the bundle"), (8, "bytes", "pull", b"1536 1048576"),
            (9, "warning", "", b"slow"), (10, "log", "stdout", b"begun"), (11, "tick", "", b""),
            (12, "end", "pull", b"late"), (13, "log", "stdout", b"\n"), (14, "begin", "run", b""), (15, "tick", "", b""))
        screen = Screen(80, 20)
        screen.feed(err.replace("\n", "\r\n"))
        self.assertEqual(screen.text(), ["✓ queue        6.0s", "kinetic: warning: slow", "✓ fetch        3.0s",
                                         "⠋ 15s  abc  Ctrl-C detaches", ""])
        drawn = re.findall(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] (.*)\n", err)
        self.assertIn("queue      1 job is ahead  5.0s", drawn)
        self.assertIn("fetch      1.5 KiB of 1.0 MiB  1.0s", drawn)

    def test_threads_and_settings_show_only_the_log(self):
        chosen = []
        thread = threading.Thread(target=lambda: chosen.append(_display.display()))
        with mock.patch("sys.stderr", FakeTerminal()):
            thread.start()
            thread.join()
            with mock.patch.dict(os.environ, {"KINETIC_PROGRESS": "never"}):
                chosen.append(_display.display())
            with mock.patch.dict(os.environ, {"KINETIC_PROGRESS": "plain"}):
                chosen.append(_display.display())
            with mock.patch.dict(os.environ, {"TERM": "xterm"}):
                chosen.append(_display.display())
            with mock.patch.dict(os.environ, {"TERM": "dumb"}):
                chosen.append(_display.display())
        self.assertEqual([type(each) for each in chosen],
                         [_progress.Display, _progress.Display, _plain.PlainDisplay, _terminal.TerminalDisplay,
                          _plain.PlainDisplay])

    def test_settings_of_color(self):
        for color, no_color, expected in (("", "", True), ("auto", "1", False), ("never", "", False),
                                          ("always", "1", True)):
            with mock.patch.dict(os.environ, {"KINETIC_COLOR": color, "NO_COLOR": no_color}):
                self.assertEqual(_terminal.is_colored(), expected, (color, no_color))

    def test_long_lines_are_cut_and_characters_replaced(self):
        terminal = FakeTerminal()
        terminal.encoding = "ascii"
        with mock.patch("sys.stderr", terminal), mock.patch("kinetic._terminal._columns", lambda: 30), \
                mock.patch.dict(os.environ, {"NO_COLOR": "1"}):
            display = _terminal.TerminalDisplay()
            display("begin", "queue", b"x" * 100)
            display.close()
        line = terminal.getvalue().split("\n")[0]
        self.assertTrue(line.isascii() and len(line) == 29, line)


class Jobs(PythonCase):
    def setUp(self):
        super().setUp()
        self.write("model.py", MODULE)
        self.alone = {"KINETIC_CONCURRENCY": "1"}
        self.run_python("-c", "import model; print(model.nap.submit(600).id)")
        self.first = self.jobs()[0]["id"]

    def test_a_terminal_shows_why_a_job_waits(self):
        terminal = Terminal(["/usr/bin/python3", "-c", "import model; print(model.nap(0))"],
                            self.environment(TERM="xterm", **self.alone), self.work)
        self.addCleanup(terminal.close)
        before, reason = terminal.read_until(r"queue +waiting for 1 job.*\n", TIMEOUT)
        self.kinetic("cancel", self.first)
        after, _ = terminal.read_until("slept\r\n", TIMEOUT)
        screen = Screen(100, 40)
        screen.feed(before + reason[0] + after)
        *ended, log, rest = screen.text()
        self.assertEqual({line.split()[0] for line in ended}, {"✓"}, ended)
        self.assertLessEqual({"build", "code", "upload", "submit"}, {line.split()[1] for line in ended})
        self.assertEqual((log, rest), ("napping", ""))

    def test_a_batch_shows_why_it_waits(self):
        terminal = Terminal(["/usr/bin/python3", "-c", "import model; print(list(model.nap.map([0, 0])))"],
                            self.environment(TERM="xterm", **self.alone), self.work)
        self.addCleanup(terminal.close)
        terminal.read_until(r"queue +waiting for 1 job.*\n.*0 of 2 calls ended", TIMEOUT)
        self.kinetic("cancel", self.first)
        terminal.read_until(r"\['slept', 'slept'\]", TIMEOUT)

    def test_misspelt_setting_is_an_error(self):
        done = subprocess.run(["/usr/bin/python3", "-c", "import model; model.nap(0)"], cwd=self.work, text=True,
                              env=self.environment(KINETIC_PROGRESS="plian"), capture_output=True)
        self.assertIn("kinetic.Error: KINETIC_PROGRESS: expected one of auto, plain, never; found 'plian'\n"
                      "hint: did you mean 'plain'?", done.stderr)

    def test_a_file_gets_one_line_for_a_long_wait(self):
        program = subprocess.Popen(["/usr/bin/python3", "-c", "import model; print(model.nap(0))"], cwd=self.work,
                                   env=self.environment(**self.alone), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(program.kill)
        line = program.stderr.readline()
        self.assertRegex(line, r"kinetic: job \w+: queue: waiting for 1 job; concurrency is 1")
        self.kinetic("cancel", self.first)
        out, err = program.communicate(timeout=TIMEOUT)
        self.assertEqual((out, err), ("napping\nslept\n", ""))

    def test_a_terminal_shows_how_many_calls_have_ended(self):
        self.kinetic("cancel", self.first)
        self.write("batch.py", """
            import model

            batch = model.nap.map([0, 600])
            for value in batch:
                pass
        """)
        terminal = Terminal(["/usr/bin/python3", "batch.py"], self.environment(TERM="xterm"), self.work)
        self.addCleanup(terminal.close)
        _, found = terminal.read_until(r"s  1 of 2 calls ended  (\w+)  Ctrl-C detaches", TIMEOUT)
        self.kinetic("cancel", found[1])
        terminal.read_until("BatchError: 1 of 2 calls failed", TIMEOUT)


if __name__ == "__main__":
    unittest.main()
