#!/usr/bin/env python3
"""`kinetic logs` prints what the job wrote: nothing is lost, repeated or reordered.

    log_integrity_test.py KINETIC RUNNER [--long | --slow-disk LIBRARY]

--long writes a million lines instead of fifty thousand. --slow-disk does so with a supervisor on a slow disk.
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

KINETIC, RUNNER = sys.argv[1:3]
LONG = "--long" in sys.argv
SLOW_DISK = sys.argv[sys.argv.index("--slow-disk") + 1] if "--slow-disk" in sys.argv else None
LINES = 1_000_000 if LONG else 50_000
PATIENCE_S = 600

NUMBERED = """
import os
out, err = os.fdopen(1, 'wb', 1 << 16), os.fdopen(2, 'wb', 1 << 14)
for i in range({lines}):
    (err if i % 2 else out).write(b'%s %d\\n' % (b'e' if i % 2 else b'o', i))
out.flush(); err.flush()
"""

RETRIED = """
import os, sys
attempt = os.environ['KINETIC_ATTEMPT']
for i in range(3000):
    print('attempt', attempt, 'line', i, flush=i % 100 == 0)
sys.stdout.flush()
os._exit(75 if attempt != '3' else 0)
"""


def raw(text):
    return f"import sys\nsys.stdout.buffer.write({text})\n"


class LogIntegrity(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-log-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.project = self.folder / "project"
        self.project.mkdir()
        runner = RUNNER
        if SLOW_DISK:
            runner = self.folder / "runner"
            runner.write_text(f'#!/bin/sh\nexport LD_PRELOAD={SLOW_DISK}\nexec {RUNNER} "$@"\n')
            runner.chmod(0o755)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "KINETIC_RUNNER": str(runner)}

    def start(self, *arguments, **options):
        return subprocess.Popen([KINETIC, *arguments], cwd=self.project, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def kinetic(self, *arguments):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, err

    def write_job(self, program, more=""):
        (self.project / "program.py").write_text(program)
        (self.project / "job.yaml").write_text(
            f"name: log\nrun: [{sys.executable}, program.py]\ndependencies: null\nbundle: {{root: .}}\n{more}")

    def submit(self, program, more=""):
        self.write_job(program, more)
        code, out, err = self.kinetic("run", "job.yaml", "--id", "j", "--detach")
        self.assertEqual(code, 0, out + err)

    def follow(self):
        return self.start("logs", "j", "--follow")

    def finish(self, reader):
        out, err = reader.communicate(timeout=PATIENCE_S)
        self.assertEqual(reader.returncode, 0, err)
        return out

    def await_end(self, code=0):
        self.assertEqual(self.kinetic("wait", "j")[0], code)

    def stored(self):
        code, out, err = self.kinetic("logs", "j")
        self.assertEqual(code, 0, err)
        return out

    def check_numbers(self, text, what):
        for rest, mark in ((0, b"o "), (1, b"e ")):
            numbers = [int(line[2:]) for line in text.splitlines() if line.startswith(mark)]
            wanted = list(range(rest, LINES, 2))
            if numbers != wanted:
                first = next((i for i, pair in enumerate(zip(numbers, wanted)) if pair[0] != pair[1]), len(numbers))
                self.fail(f"{what}: {len(numbers)} of {len(wanted)} lines, the first that differs is number {first}")
        self.assertEqual(text.count(b"\n"), LINES, what)

    def test_numbered_lines_on_both_streams(self):
        self.submit(NUMBERED.format(lines=LINES))
        reader = self.follow()
        self.check_numbers(self.finish(reader), "followed")
        self.await_end()
        self.check_numbers(self.stored(), "stored")

    def test_stalled_reader(self):
        self.submit(NUMBERED.format(lines=LINES))
        reader = self.follow()
        self.await_end()  # its pipe is full
        self.check_numbers(self.finish(reader), "stalled")

    def test_five_intermittent_clients(self):
        self.submit(NUMBERED.format(lines=LINES).replace("for i", "import time\nfor i").replace(
            "    (err", f"    if i % {LINES // 50} == 0: out.flush(); err.flush(); time.sleep(0.05)\n    (err"))
        generator = random.Random(1)
        staying = []
        for _ in range(5):
            leaving = self.follow()
            staying.append(self.follow())
            time.sleep(generator.uniform(0.05, 0.4))
            leaving.kill()
            leaving.communicate()
        for number, reader in enumerate(staying):
            self.check_numbers(self.finish(reader), f"client {number}")
        self.await_end()
        self.check_numbers(self.stored(), "stored")

    def test_retry_is_followed(self):
        self.submit(RETRIED, "retry: {attempts: 3, on: ['exit:75']}\n")
        readers = [self.follow() for _ in range(3)]
        wanted = [b"attempt %d line %d" % (attempt, i) for attempt in (1, 2, 3) for i in range(3000)]
        for number, reader in enumerate(readers):
            lines = [line for line in self.finish(reader).splitlines() if b" line " in line]
            self.assertEqual(lines, wanted, f"client {number}")
        self.await_end()
        self.assertEqual([line for line in self.stored().splitlines() if b" line " in line], wanted)

    def test_follower_before_job_starts(self):
        self.write_job("print('hello')\n")
        submission = self.start("run", "job.yaml", "--id", "j", "--detach")
        record = self.folder / ".local/share/kinetic/store/jobs/j/record.json"
        while not record.exists():
            time.sleep(0.0005)
        text = self.finish(self.follow())
        submission.communicate()
        self.assertEqual(text, b"hello\n")

    def check_raw(self, expression):
        self.submit(raw(expression))
        followed = self.finish(self.follow())
        self.await_end()
        wanted = eval(expression)  # pylint: disable=eval-used
        self.assertTrue(followed == wanted, f"followed: {len(followed)} of {len(wanted)} bytes")
        self.assertTrue(self.stored() == wanted)

    def test_all_bytes(self):
        self.check_raw("bytes(range(256)) * 400 + b'the end'")

    def test_line_without_newline(self):
        self.check_raw("b'0123456789' * 1000000")

    def test_progress_bars(self):
        self.check_raw("b''.join(b'\\r%3d%% [%s]' % (i % 101, b'#' * (i % 101)) for i in range(5000)) + b'\\r\\ndone\\n'")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
