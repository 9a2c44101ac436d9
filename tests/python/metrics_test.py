"""Metrics: what a job logs with kinetic.log, and how programs see it."""

import contextlib
import io
import json
import math
import os
import re
import sys
import unittest
from unittest import mock

from harness import PACKAGE, PythonCase

sys.path.insert(0, PACKAGE)

import kinetic  # noqa: E402
from kinetic import _metrics, _notebook, _plain, _terminal  # noqa: E402
from terminal import Screen  # noqa: E402

TRAIN = """
    import kinetic

    @kinetic.run
    def train(steps):
        for step in range(1, steps + 1):
            print("step", step)
            kinetic.log(step=step, loss=1 / step)
        return steps
"""
LINE = b'{"kinetic.metrics": {"step": %d, "loss": %g}}\n'


class FakeTerminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class Log(unittest.TestCase):
    def logged(self, **numbers):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            kinetic.log(**numbers)
        return out.getvalue()

    def test_line(self):
        self.assertEqual(self.logged(step=1, loss=2.07), '{"kinetic.metrics": {"step": 1, "loss": 2.07}}\n')
        self.assertEqual(self.logged(**{"val/loss": True, "für": math.nan}),
                         '{"kinetic.metrics": {"val/loss": 1, "f\\u00fcr": NaN}}\n')

    def test_scalars(self):
        class Scalar:
            def __float__(self):
                return 0.5

        self.assertEqual(_metrics.parse(self.logged(loss=Scalar(), low=-math.inf)), {"loss": 0.5, "low": -math.inf})

    def test_other_values_are_errors(self):
        for value in ("1", b"1", None, [1], 1j, "nan"):
            with self.assertRaisesRegex(TypeError, f"kinetic.log.*: loss is of type {type(value).__name__}"):
                self.logged(step=1, loss=value)
        with self.assertRaisesRegex(TypeError, "at least one number"):
            self.logged()
        with self.assertRaisesRegex(ValueError, "at most 64 numbers, not 65"):
            self.logged(**{f"a{number}": 1 for number in range(65)})
        for name in ("", "a" * 129, "für" * 40, "\ud800"):
            with self.assertRaisesRegex(ValueError, "names of 1 to 128 bytes"):
                self.logged(step=1, **{name: 1})
        self.assertIsNotNone(_metrics.parse(self.logged(**{"a" * 128: 1})))

    def test_whole_numbers_above_all_doubles(self):
        self.assertEqual(_metrics.parse(self.logged(high=10**400, low=-10**5000, most=2 * 10**307)),
                         {"high": math.inf, "low": -math.inf, "most": 2 * 10**307})


class Parse(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual(_metrics.parse('{"kinetic.metrics": {"a": 1, "b": -0.5, "c": "Infinity"}}\r\n'),
                         {"a": 1, "b": -0.5, "c": math.inf})
        for digits in (400, 5000):  # json reads at most 4,300 digits
            self.assertEqual(_metrics.parse('{"kinetic.metrics": {"a": 1%s, "b": -1%s}}' % (("0" * digits,) * 2)),
                             {"a": math.inf, "b": -math.inf})

    def test_other_lines(self):
        for line in ("", "step", '{"kinetic.metrics": 1}', '{"kinetic.metrics": {}}', '{"kinetic.metrics": {"a": true}}',
                     '{"kinetic.metrics": {"a": 1}, "b": 2}', '{"kinetic.metrics": {"a": [1]}}',
                     '{"kinetic.metrics": {"": 1}}', '{"kinetic.metrics": {"%s": 1}}' % ("a" * 129),
                     r'{"kinetic.metrics": {"\ud800": 1}}', '{"kinetic.metrics": {"a": 1}', ' {"kinetic.metrics": {"a": 1}}',
                     '{"kinetic.metrics": {"a": ' + "[" * 100_000):
            self.assertIsNone(_metrics.parse(line), line[:80])


class Views(unittest.TestCase):
    def show(self, display, *events):
        with mock.patch("sys.stderr", FakeTerminal()) as err, mock.patch("sys.stdout", FakeTerminal()) as out:
            for now, *event in events:
                with mock.patch("time.monotonic", lambda now=now: now):
                    display(*event)
            display.close()
        return err.getvalue(), out.getvalue()

    def test_plain_lines_are_few(self):
        rows = [(100 + step / 100, "log", "stdout", LINE % (step, 1 / step)) for step in range(1, 250)]
        err, out = self.show(_plain.PlainDisplay("abc"), (100, "log", "stdout", b"begin\n"), *rows)
        self.assertEqual(out, "begin\nstep 1  loss 1\nstep 101  loss 0.009901\nstep 201  loss 0.004975\n"
                              "step 249  loss 0.004016\n")
        self.assertEqual(err, "")

    def test_plain_lines_are_in_order(self):
        rows = [(100 + step / 100, "log", "stdout", LINE % (step, 1)) for step in (1, 2)]
        _, out = self.show(_plain.PlainDisplay("abc"), *rows, (100.1, "log", "stdout", b"evaluating\n"),
                           (101, "log", "stdout", LINE % (3, 1)), (102, "activity", "", b""),
                           (103, "log", "stdout", b"50%"), (104, "log", "stdout", LINE % (4, 1)),
                           (104.1, "log", "stdout", b"end\n"))
        self.assertEqual(out, "step 1  loss 1\nstep 2  loss 1\nevaluating\nstep 3  loss 1\n50%\nstep 4  loss 1\nend\n")

    def test_errors_of_rows_end_no_wait(self):
        with mock.patch.object(_metrics.MetricsLine, "add", side_effect=OverflowError), \
                mock.patch.object(_metrics.MetricsLine, "text", side_effect=OverflowError):
            _, out = self.show(_plain.PlainDisplay("abc"), (100, "log", "stdout", LINE % (1, 1)))
        self.assertEqual(out, (LINE % (1, 1)).decode())
        huge = b'{"kinetic.metrics": {"a": 1%s}}\n' % (b"0" * 400)
        self.assertEqual(self.show(_plain.PlainDisplay("abc"), (100, "log", "stdout", huge))[1], "a inf\n")

    def test_status_line_of_a_terminal(self):
        with mock.patch("sys.stderr", FakeTerminal()), mock.patch("time.monotonic", lambda: 0), \
                mock.patch.dict(os.environ, {"NO_COLOR": "1"}):
            display = _terminal.TerminalDisplay("abc", "Ctrl-C detaches")
        events = [(step, "log", "stdout", LINE % (step, 9 - step)) for step in range(1, 9)]
        err, out = self.show(display, *events)
        self.assertEqual(out, "")
        self.assertIn("8.0s  step 8  loss 1 █▇▆▅▄▃▂▁  abc  Ctrl-C detaches\n", err)
        screen = Screen(80, 20)
        screen.feed(err.replace("\n", "\r\n"))
        self.assertEqual(screen.text(), ["  run        step 8  loss 1 █▇▆▅▄▃▂▁", ""])

    def test_panel_of_a_notebook(self):
        panel = mock.Mock(jobs=[])
        display = _notebook.NotebookDisplay(panel).follow("abc", "")
        for step in range(1, 9):
            display("log", "stdout", LINE % (step, 9 - step))
        self.assertIn("job abc  step 8  loss 1 █▇▆▅▄▃▂▁", display.text(0).splitlines()[0])


class Jobs(PythonCase):
    def test_rows_of_a_job(self):
        self.write("model.py", TRAIN)
        done = self.run_python("-c", """if 1:
            import kinetic, model
            print(model.train(3))
            job = kinetic.attach("latest")
            print(job.metrics())
            job.logs(follow=True)
        """)
        rows = [{"step": step, "loss": 1 / step} for step in (1, 2, 3)]
        lines = done.stdout.splitlines()
        shown = [line for line in lines if re.match(r"step \d+  loss", line)]
        self.assertEqual([line for line in lines if line not in shown],
                         ["step 1", "step 2", "step 3", "3", str(rows), "step 1", "step 2", "step 3"])
        self.assertEqual(shown[-1], "step 3  loss 0.3333")
        self.assertEqual(json.loads(self.kinetic("status", "latest", "--json"))["metrics"]["loss"],
                         {"last": 1 / 3, "min": 1 / 3, "max": 1, "count": 3})

    def test_errors_in_a_job(self):
        self.write("model.py", """
            import kinetic

            @kinetic.run
            def wrong():
                for numbers in ({"loss": "low"}, {}, {"": 1}, {"a" * 129: 1}, {"high": 10**400}):
                    try:
                        kinetic.log(**numbers)
                    except (TypeError, ValueError) as error:
                        yield_to.append(str(error))
                return yield_to

            yield_to = []
        """)
        self.assertEqual(self.run_python("-c", "import model; print(*model.wrong(), sep='|')").stdout,
                         "high inf\n"
                         "kinetic.log(): loss is of type str, but must be a number or an array with one item|"
                         "kinetic.log() needs at least one number, such as loss=2.07|"
                         "kinetic.log() takes names of 1 to 128 bytes of UTF-8, not ''|"
                         "kinetic.log() takes names of 1 to 128 bytes of UTF-8, not '%s\n" % ("a" * 129 + "'"))
        self.assertEqual(self.run_python("-c", "import kinetic; print(kinetic.attach('latest').metrics())").stdout,
                         "[{'high': inf}]\n")

    def test_rows_of_threads_are_whole(self):
        self.write("model.py", """
            import threading

            import kinetic

            @kinetic.run
            def train():
                def log(thread):
                    for step in range(200):
                        kinetic.log(thread=thread, **{f"loss_{number}": step for number in range(30)})
                        print("noise")
                threads = [threading.Thread(target=log, args=(thread,)) for thread in range(4)]
                [thread.start() for thread in threads]
                [thread.join() for thread in threads]
        """)
        done = self.run_python("-c", """if 1:
            import kinetic, model
            job = model.train.submit()
            job.wait()
            rows = job.metrics()
            print(len(rows), {len(row) for row in rows}, [sum(row["thread"] == thread for row in rows) for thread in range(4)])
        """)
        self.assertEqual(done.stdout, "800 {31} [200, 200, 200, 200]\n")


if __name__ == "__main__":
    unittest.main()
