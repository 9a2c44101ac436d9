"""Exceptions of jobs, interrupted waits, and input that is refused before anything is sent."""

import signal
import unittest

from harness import PythonCase

MODULE = """
    import os, sys, time
    import kinetic

    class Custom(Exception):
        def __init__(self, code, why):
            super().__init__(f"{code}: {why}")
            self.code = code

    @kinetic.run
    def fail(how):
        if how == "key":
            return {}["missing"]
        if how == "custom":
            raise Custom(7, "no data")
        if how == "exit":
            sys.exit(3)
        if how == "os":
            os.stat("/nonexistent")
        raise ValueError("bad " + how)

    @kinetic.run
    def sleep(seconds):
        print("started", flush=True)
        time.sleep(seconds)
        return seconds

    @kinetic.run(cancel_on_interrupt=True)
    def sleep_unless_interrupted(seconds):
        print("started", flush=True)
        time.sleep(seconds)
"""


class Failures(PythonCase):
    def setUp(self):
        super().setUp()
        self.write("model.py", MODULE)

    def test_exceptions_have_their_own_type_and_the_remote_traceback(self):
        done = self.run_python("-c", """if 1:
            import model, kinetic, traceback
            for how in ("value", "key", "os", "custom", "exit"):
                try:
                    model.fail(how)
                except Exception as error:
                    print(type(error).__qualname__, error.args[:1])
                    text = "".join(traceback.format_exception(error))
                    assert how == "exit" or ('File "model.py", line' in text and "in fail" in text), text
                    if how == "value":
                        assert 'raise ValueError("bad " + how)' in text, text
                    if how == "exit":
                        assert (error.exit_code, error.state) == (3, "failed")
        """)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "ValueError ('bad value',)")
        self.assertEqual(lines[1], "KeyError ('missing',)")
        self.assertTrue(lines[2].startswith("FileNotFoundError"), lines)
        self.assertEqual(lines[3], "Custom ('7: no data',)")
        self.assertTrue(lines[4].startswith("RemoteError ('job "), lines)

    def test_traceback_shows_the_lines_of_a_script(self):
        done = self.run_script("""
            import kinetic

            @kinetic.run
            def divide(x):
                return 1 / x  # here

            divide(0)
        """, code=1)
        self.assertIn("ZeroDivisionError: division by zero", done.stderr)
        self.assertIn("main.py\", line 6, in divide", done.stderr)
        self.assertIn("return 1 / x  # here", done.stderr)

    def interrupt(self, function):
        program = self.start("-c", f"import model; model.{function}(600)")
        self.addCleanup(program.kill)
        self.assertEqual(program.stdout.readline(), "started\n")
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", errors)
        return self.jobs()[0], errors

    def test_interrupt_detaches(self):
        job, errors = self.interrupt("sleep")
        self.assertIn(f"kinetic: detached: job {job['id']} continues; to follow it: kinetic attach {job['id']}", errors)
        self.assertEqual(job["state"], "running")
        self.kinetic("cancel", job["id"])

    def test_interrupt_cancels_on_request(self):
        job, errors = self.interrupt("sleep_unless_interrupted")
        self.assertIn(f"kinetic: job {job['id']} cancelled", errors)
        self.assertEqual(job["state"], "cancelled")

    def test_closed_pipe_of_the_log_detaches(self):
        program = self.start("-c", """if 1:
            import kinetic

            @kinetic.run
            def write():
                import time
                while True:
                    print("x" * 4000, flush=True)
                    time.sleep(0.02)

            write()
        """)
        self.addCleanup(program.kill)
        program.stdout.readline()
        program.stdout.close()
        errors = program.stderr.read()
        job, = self.jobs()
        self.assertEqual(job["state"], "running")
        self.assertIn(f"kinetic: detached: job {job['id']} continues; to follow it: kinetic attach {job['id']}\n", errors)
        self.assertIn("BrokenPipeError", errors)
        self.kinetic("cancel", job["id"])

    def test_values_that_cannot_be_stored(self):
        done = self.run_script("""
            import kinetic

            def fail(f):
                try:
                    kinetic.run(f)()
                except kinetic.RemoteError as error:
                    print(error)

            fail(lambda: open("/dev/null"))
            fail(lambda: {"rows": (n for n in range(3))})
            fail(lambda: {}.items())
        """)
        *_, first, hint, rows, _, items, _ = done.stdout.splitlines()
        self.assertIn("cannot store the return value: the returned _io.TextIOWrapper is not serializable", first)
        self.assertEqual(hint, "hint: return numbers, texts, lists, dicts, dataclasses, arrays, or frames, or write "
                               "files to KINETIC_OUTPUT_DIR; kinetic.run(serializer='pickle') pickles other objects")
        self.assertIn("$.rows: generator is not serializable; return list(value)", rows)
        self.assertIn("dict_items is not serializable; return list(value)", items)

    def test_stop_iteration_does_not_end_loops(self):
        self.run_python("-c", """if 1:
            import asyncio, kinetic

            @kinetic.run
            def stop(x=0):
                raise StopIteration(5)

            async def wait():
                await stop.submit()

            batch = kinetic.map(stop, [1, 2])
            for loop in (lambda: list(stop() for _ in range(1)), lambda: asyncio.run(wait()),
                         lambda: list(batch.as_completed())):
                try:
                    loop()
                    assert False
                except RuntimeError as error:
                    assert isinstance(error.__cause__, StopIteration) and error.__cause__.value == 5
            assert [error.value for error in batch.results(return_exceptions=True)] == [5, 5]
        """)

    def test_handles(self):
        self.run_python("-c", """if 1:
            import model, kinetic, pickle
            job = model.sleep.submit(600)
            try:
                job.result(timeout=0.01)
                assert False
            except TimeoutError as error:
                assert isinstance(error, kinetic.Error) and error.code == "DEADLINE_EXCEEDED"
            assert pickle.loads(pickle.dumps(job)) == job == kinetic.attach("sleep")
            listed, = kinetic.list_jobs(name="sleep")
            assert listed == job and listed.name == "sleep"
            assert listed.properties["state"] in ("queued", "pending", "running")
            job.cancel()
            assert job.status() == "cancelled" == job.wait() and job.status().is_final()
            try:
                job.result()
                assert False
            except kinetic.RemoteError as error:
                assert error.state == "cancelled" and error.job == job.id
            try:
                kinetic.attach("nosuchjob")
                assert False
            except kinetic.Error as error:
                assert error.code == "NOT_FOUND" and error.hint, error
        """)


class Refusals(PythonCase):
    def refuses(self, program, message):
        done = self.run_python("-", text="import kinetic\n" + program, code=1)
        self.assertIn(message, done.stderr)
        self.assertEqual(self.jobs(), [])

    def test_what_cannot_be_a_job(self):
        for program, message in (
            ("@kinetic.run\nclass A: pass", "TypeError: kinetic.run cannot decorate the class A; decorate a function"),
            ("@kinetic.run\ndef g():\n    yield 1\n", "TypeError: kinetic.run cannot decorate the generator g"),
            ("import functools\n@kinetic.run\n@functools.cache\ndef g(): pass\n", "below the cache"),
            ("@kinetic.run\n@staticmethod\ndef g(): pass\n", "TypeError: place @kinetic.run below @staticmethod"),
            ("kinetic.run(acelerator='cpu')(print)", "has no keyword acelerator; did you mean accelerator?"),
            ("kinetic.run(accelerator='v99-1')(lambda: 0)()", "accelerator: "),
            ("kinetic.run(retry={'attemps': 2})(lambda: 0)()", "unknown key \"attemps\"; did you mean attempts?"),
            ("kinetic.run(capture_env_vars='A*B')(lambda: 0)()", "'A*B', but a * can only be at the end"),
            ("kinetic.map(lambda x: x, [1], paralel=2)", "kinetic.map has no keyword paralel; did you mean parallel?"),
            ("kinetic.map(lambda x: x, [1, (2, 3)])", "TypeError: item 1: <lambda>() too many positional arguments"),
            ("kinetic.map(lambda x: x, [1, print])", "kinetic.Error: item 1: cannot send the argument x"),
            ("kinetic.attach(None)", "TypeError: job_id is None, expected a str"),
            ("kinetic.run(dependencies='numpy')(print)", "ValueError: kinetic.run: dependencies is 'numpy', which is no file"),
            ("kinetic.run(dependencies='enviroment')(print)", "did you mean 'environment'?"),
            ("kinetic.run('gpu-l4')", "did you mean accelerator='gpu-l4'?"),
            ("kinetic.run(target='lcal')(len)([])", "no target or profile 'lcal'\nhint: did you mean 'local'?"),
            ("kinetic.attach('x', target='other')", "no target or profile 'other'\nhint: the profiles are: local\n"),
            ("kinetic.run(array=3)(len)", "has no keyword array; use kinetic.map(f, items)"),
            ("kinetic.run(retry=3)(len)", "TypeError: kinetic.run: retry is 3, expected a dict such as {'attempts': 3}"),
            ("kinetic.run(timeouts='2h')(len)", "timeouts is '2h', expected a dict such as {'run': '2h'}"),
            ("kinetic.run(volumes=['a'])(len)", "volumes is ['a'], expected a dict such as {'/data': kinetic.Data(…)}"),
            ("kinetic.list_jobs(limit=-3)", "ValueError: limit is -3, expected 1 to"),
            ("kinetic.run(debug=True)(print)", "ValueError: kinetic.run: debug is not supported"),
        ):
            with self.subTest(program):
                self.refuses(program, message)

    def test_arguments_and_globals_that_cannot_be_sent(self):
        for program, message in (
            ("import threading\n@kinetic.run\ndef f(callbacks): pass\nf([1, 2, threading.Lock()])",
             "cannot send the argument callbacks[2]: _thread.lock is not serializable"),
            ("@kinetic.run\ndef f(**k): pass\nf(log=open('/dev/null'))",
             "cannot send the argument log: _io.TextIOWrapper is not serializable"),
            ("import threading\nguard = threading.Lock()\n@kinetic.run\ndef f(): guard.acquire()\nf()",
             "cannot send the function f: it uses guard, an object of type lock"),
            ("kinetic.run(lambda: 1, python='3.9')()", "cannot send the function <lambda> by value to Python 3.9: this is "),
            ("kinetic.run(lambda x: x)(b'x' * (60 << 20))",
             "hint: write large arguments to a file, and pass kinetic.Data with its path"),
            ("items = []\nitems.append(items)\nkinetic.run(lambda x: x)(items)", "the argument x[0]: list contains itself"),
        ):
            with self.subTest(program):
                self.refuses(program, message)

    def test_current_folder_that_no_longer_exists(self):
        self.run_python("-c", """if 1:
            import os, kinetic
            os.mkdir("gone")
            os.chdir("gone")
            os.rmdir("../gone")
            for call in (kinetic.run(lambda: 1), lambda: kinetic.Data("file")):
                try:
                    call()
                    assert False
                except kinetic.Error as error:
                    assert str(error).startswith("the current folder no longer exists\\nhint: "), error
        """)

    def test_handles_check_numbers(self):
        self.run_python("-", text="""
            import kinetic
            job = kinetic.run(lambda: 1).submit()
            for call, message in ((lambda: job.result(timeout="5s"), "timeout is '5s', expected a number"),
                                  (lambda: job.wait(float("nan")), "timeout is NaN"),
                                  (lambda: job.tail(-1), "n is -1, expected 0 to"),
                                  (lambda: job.tail("3"), "n is '3', expected a whole number")):
                try:
                    call()
                    assert False
                except (TypeError, ValueError) as error:
                    assert str(error).startswith(message), error
            job.cancel()
        """)

    def test_names_of_the_package(self):
        self.run_python("-c", """if 1:
            import kinetic, pickle
            assert {"map", "Job", "attach", "BatchError", "run"} <= set(dir(kinetic))
            assert kinetic.RemoteFunction[[int], str] and kinetic.Job[str] and kinetic.Batch[str]  # in annotations
            assert f"{kinetic.JobStatus.LOST}" == str(kinetic.JobStatus.LOST) == "lost"
            for name in kinetic.__all__:
                public = getattr(kinetic, name)
                if isinstance(public, type):
                    assert public.__module__ == "kinetic" and pickle.loads(pickle.dumps(public)) is public, name
        """)

    def test_keywords_of_the_python_tool(self):
        done = self.run_python("-W", "default", "-", text="""
            import kinetic, os
            os.environ["TOKEN"] = "abc"

            @kinetic.run(zone="a", capture_env_vars="TOKEN", container_image="bundled", backend=None)
            def f():
                import os
                return os.environ["TOKEN"]

            job = f.run_async()
            assert isinstance(job, kinetic.JobHandle)
            print(job.result(cleanup=True))
        """)
        self.assertEqual(done.stdout, "abc\n")
        self.assertEqual(done.stderr.count("<stdin>:5: UserWarning: kinetic.run: zone has no effect"), 1)
        program = "import kinetic\nkinetic.run(len).options(\n    zone='a')\nkinetic.collections.map(len, ['a'], project='a')"
        self.assertRegex(self.run_python("-c", program).stderr, "(?s)<string>:2: .*zone.*<string>:4: .*project")


if __name__ == "__main__":
    unittest.main()
