"""Ctrl-C and timeouts end the wait for a job, and say how to follow it."""

import signal
import unittest

from harness import PythonCase

MODULE = """
    import time
    import kinetic

    @kinetic.run
    def sleep(seconds):
        time.sleep(seconds)

    @kinetic.run(cancel_on_interrupt=True)
    def cancelled(seconds):
        time.sleep(seconds)
"""
WAITS = {
    "call": "f(600)",
    "result": "f.submit(600).result()",
    "wait": "f.submit(600).wait()",
    "batch": "f.map([600]).results()",
    "iteration": "list(kinetic.map(f, [600]))",
    "await": "asyncio.run(once(f.submit(600)))",
    "gather": "asyncio.run(several(f.submit(600)))",
}
# Interrupts itself as soon as the main thread waits.
PROGRAM = """
import asyncio, kinetic, os, signal, sys, threading, time
from model import {name} as f

async def once(job):
    return await job

async def several(job):
    return await asyncio.gather(job, asyncio.sleep(600))

def interrupt(main):
    while sys._current_frames()[main].f_code.co_name not in ("_wait", "_next", "select"):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, args=(threading.get_ident(),), daemon=True).start()
{wait}
"""

# Interrupts itself when a phase of the submission is reported.
SUBMISSION = """
import os, signal
from kinetic import _progress, _submission
from model import {name} as f

class Interrupting(_progress.Display):
    def __call__(self, kind, name, text):
        if (kind, name) == {event}:
            os.kill(os.getpid(), signal.SIGINT)

_submission.display = Interrupting
f.submit(600)
"""


class Interrupts(PythonCase):
    def setUp(self):
        super().setUp()
        self.write("model.py", MODULE)

    def interrupt(self, name, wait):
        self.write("main.py", PROGRAM.format(name=name, wait=wait))
        errors = self.run_python("main.py", code=-signal.SIGINT).stderr
        self.assertIn("KeyboardInterrupt", errors)
        job = next(job for job in self.jobs() if job["name"] == name)
        return job, errors

    def test_async_call_whose_submission_is_interrupted_names_its_job(self):
        self.write("asynchronous.py", """if 1:
            import asyncio, os, signal, threading, kinetic
            @kinetic.run
            async def sleep(seconds):
                import time
                time.sleep(seconds)
            submit = kinetic.RemoteFunction.submit
            def interrupted(*args):
                os.kill(os.getpid(), signal.SIGINT)
                return submit(*args)
            kinetic.RemoteFunction.submit = interrupted
            asyncio.run(sleep(600))
        """)
        errors = self.run_python("asynchronous.py", code=-signal.SIGINT).stderr
        job, = self.jobs()
        self.assertIn(f"detached: job {job['id']} continues", errors)

    def test_every_wait_detaches(self):
        for kind, wait in WAITS.items():
            with self.subTest(kind):
                job, errors = self.interrupt("sleep", wait)
                follow = f"kinetic: detached: job {job['id']} continues; to follow it: kinetic attach {job['id']}\n"
                self.assertEqual(errors.count(follow), 1, errors)
                self.assertIn(job["state"], ("queued", "pending", "running"))
                self.kinetic("cancel", job["id"])

    def test_every_wait_cancels_on_request(self):
        for kind in ("call", "batch", "await"):
            with self.subTest(kind):
                job, errors = self.interrupt("cancelled", WAITS[kind])
                self.assertEqual(errors.count(f"kinetic: job {job['id']} cancelled\n"), 1, errors)
                self.assertEqual(job["state"], "cancelled")

    def interrupt_submission(self, name, event):
        self.write("main.py", SUBMISSION.format(name=name, event=event))
        return self.run_python("main.py", code=-signal.SIGINT).stderr

    def test_submitted_job_is_named_or_cancelled(self):
        errors = self.interrupt_submission("sleep", ("end", "submit"))
        job, = self.jobs()
        self.assertIn(f"kinetic: detached: job {job['id']} continues; to follow it: kinetic attach {job['id']}\n", errors)
        errors = self.interrupt_submission("cancelled", ("end", "submit"))
        job, = (job for job in self.jobs() if job["name"] == "cancelled")
        self.assertIn(f"kinetic: job {job['id']} cancelled\n", errors)
        self.assertEqual(job["state"], "cancelled")

    def test_interrupt_before_the_submission_leaves_no_job(self):
        errors = self.interrupt_submission("sleep", ("begin", "package"))
        for job in self.jobs():  # the submission may be faster than the signal
            self.assertIn(f"detached: job {job['id']} continues", errors)
        if not self.jobs():
            self.assertIn("kinetic: interrupted; no job was submitted\n", errors)

    def test_timeouts_say_that_the_job_continues(self):
        done = self.run_python("-c", """if 1:
            import asyncio, kinetic, model
            job = model.sleep.submit(600)
            batch = model.sleep.map([600])
            waits = [lambda: job.result(timeout=0.01), lambda: job.result(timeout=0.5, stream_logs=True),
                     lambda: job.wait(0.01), lambda: batch.results(timeout=0.01)]
            for what, timeout, wait in zip(["job"] * 3 + ["batch"], [0.01, 0.5, 0.01, 0.01], waits):
                try:
                    wait()
                    assert False
                except TimeoutError as error:
                    assert error.code == "DEADLINE_EXCEEDED"
                    own = job.id if what == "job" else batch.group_id
                    text = f"{what} {own} did not end within {timeout:g} s and keeps running: kinetic attach {own}"
                    assert str(error) == text, error

            async def main():
                try:
                    await asyncio.wait_for(job, 0.05)
                except asyncio.TimeoutError:
                    print("timed out")

            asyncio.run(main())
            job.cancel()
            batch.cancel()
        """)
        self.assertIn("timed out\n", done.stdout)
        self.assertNotIn("detached", done.stderr)


if __name__ == "__main__":
    unittest.main()
