"""The panel of a notebook, with a stand-in of IPython."""

import contextlib
import io
import sys
import types
import unittest
from unittest import mock

from harness import PACKAGE

sys.path.insert(0, PACKAGE)

from kinetic import _display, _notebook, _plain  # noqa: E402


class IPython:
    """Keeps what a notebook would save: the last state of each output."""

    def __init__(self):
        self.outputs = {}
        self.updates = 0
        self.hooks = []
        self.shell = types.SimpleNamespace(kernel=object(), execution_count=1,
                                           events=types.SimpleNamespace(register=lambda _name, hook: self.hooks.append(hook)))
        self.package = types.SimpleNamespace(get_ipython=lambda: self.shell)
        self.display = types.SimpleNamespace(display=self._display, update_display=self._update)

    def _display(self, data, raw, display_id):
        assert raw and display_id not in self.outputs
        self.outputs[display_id] = data

    def _update(self, data, raw, display_id):
        assert raw and display_id in self.outputs
        self.outputs[display_id] = data
        self.updates += 1

    def end_cell(self):
        for hook in self.hooks:
            hook()
        self.shell.execution_count += 1

    def texts(self):
        return [data["text/plain"] for data in self.outputs.values()]


class PanelTest(unittest.TestCase):
    def setUp(self):
        self.ipython = IPython()
        self.now = 100.0
        modules = {"IPython": self.ipython.package, "IPython.display": self.ipython.display, "ipykernel": types.ModuleType("x")}
        for patch in (mock.patch.dict(sys.modules, modules), mock.patch.object(_notebook, "_panel", None),
                      mock.patch("time.monotonic", lambda: self.now)):
            patch.start()
            self.addCleanup(patch.stop)

    def run_job(self, job, lines=(), state="succeeded"):
        with _display.display() as on_event:
            on_event("begin", "build", b"requirements.txt")
            on_event("end", "build", b"3 packages")
            on_event("end", "submit", job.encode())
        with _display.display(job, "Ctrl-C detaches") as on_event:
            on_event("begin", "queue", b"waiting for <1> job")
            self.now += 3
            on_event("tick", "", b"")
            on_event("begin", "run", b"")
            for line in lines:
                on_event("log", "stdout", line.encode())
            if state:
                on_event("state", "", state.encode())

    def test_waiting_job(self):
        with _display.display("abc", "Ctrl-C detaches") as on_event:
            on_event("begin", "queue", b"waiting for <1> job")
            self.now += 12
            on_event("tick", "", b"")
            self.assertEqual(self.ipython.texts(),
                             ["… job abc  queue: waiting for <1> job  12s  interrupting the kernel detaches"])
            page, = (data["text/html"] for data in self.ipython.outputs.values())
            self.assertIn("waiting for &lt;1&gt; job", page)

    def test_cell_keeps_one_panel_with_the_last_state(self):
        self.run_job("abc", ["one\n", "tw", "o\n", "10%\r", "20%\r", "done\n"])
        self.run_job("def", state="failed")
        self.ipython.end_cell()
        self.assertEqual(self.ipython.texts(), ["✓ job abc  succeeded  3.0s\none\ntwo\ndone\n✗ job def  failed  3.0s"])
        self.run_job("ghi", state="")
        self.ipython.end_cell()
        self.assertEqual(self.ipython.texts()[1:], ["… job ghi  submitted  3s"])

    def test_updates_are_few(self):
        with _display.display("abc", "") as on_event:
            for _ in range(1000):
                on_event("log", "stdout", b"line\n")
                self.now += 0.001
        self.assertIn(self.ipython.updates, range(1, 6))

    def test_saved_size_is_limited(self):
        for i in range(30):
            self.run_job(f"job{i}", [f"{'<' * 3000}{i}\n" for i in range(100)])
        self.ipython.end_cell()
        data, = self.ipython.outputs.values()
        self.assertLess(len(data["text/plain"]), 50_000)
        self.assertLess(len(data["text/html"]), 250_000)
        self.assertTrue(data["text/plain"].startswith("20 earlier jobs\n✓ job job20  succeeded  3.0s\n(kinetic logs job20 "))
        self.assertIn("<99\n", data["text/plain"] + "\n")

    def test_other_shells_and_settings_have_no_panel(self):
        self.ipython.shell = types.SimpleNamespace()  # IPython in a terminal
        self.assertIsInstance(_display.display(), _plain.PlainDisplay)
        self.ipython.shell = None
        self.assertIsInstance(_display.display(), _plain.PlainDisplay)
        with mock.patch.dict("os.environ", {"KINETIC_PROGRESS": "plain"}), contextlib.redirect_stderr(io.StringIO()):
            self.ipython.shell = types.SimpleNamespace(kernel=object())
            self.assertIsInstance(_display.display(), _plain.PlainDisplay)
        self.assertFalse(self.ipython.outputs)


if __name__ == "__main__":
    unittest.main()
