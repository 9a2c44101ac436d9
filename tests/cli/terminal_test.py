"""Tests output on a terminal: transient progress, colors, job output above the progress."""

import os
import pty
import re
import select
import signal
import time
import unittest

from harness import KINETIC, TIMEOUT, JobCase

ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal(JobCase):
    def on_terminal(self, *arguments, then=None, **env):
        """Runs on a pseudo-terminal and calls `then(seen, pid)` for each piece of output. Returns (code, bytes
        seen)."""
        environment = self.environment(TERM="xterm-256color", **env)
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            os.execve(KINETIC, [KINETIC, *arguments], environment)
        seen = b""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            ready, _, _ = select.select([fd], [], [], 0.1)
            if not ready:
                continue
            try:
                piece = os.read(fd, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
            if then is not None:
                then(seen.decode(errors="replace"), fd)
        else:
            os.kill(pid, signal.SIGKILL)
        os.close(fd)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), seen.decode(errors="replace")

    def test_run(self):
        code, seen = self.on_terminal("run", "--", "sh", "-c", "echo hello; sleep 1; echo bye; exit 3")
        self.assertEqual(code, 3)
        text = ESCAPES.sub("", seen)
        self.assertIn("hello\r\n", text)
        self.assertIn("bye\r\n", text)
        self.assertIn("Ctrl-C detaches", text)
        # The last status line is cleared.
        self.assertNotIn("Ctrl-C", text[text.rindex("bye"):].replace("\r\n", "\n").split("error:")[-1])

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
        self.assertEqual(code, 130)
        self.assertIn("kinetic attach", seen)
        self.assertEqual(self.json("ps")[0]["state"], "running")


if __name__ == "__main__":
    unittest.main()
