"""The module in threads, forked processes, and programs that end early; and what importing it costs."""

import pathlib
import platform
import unittest

from harness import PACKAGE, PythonCase

MODULE = """
    import kinetic, os, time

    @kinetic.run
    def double(x):
        return 2 * x

    @kinetic.run
    def sleep(seconds):
        time.sleep(seconds)
"""


class Processes(PythonCase):
    def setUp(self):
        super().setUp()
        self.write("model.py", MODULE)

    def test_importing_loads_nothing_heavy_and_starts_no_thread(self):
        done = self.run_python("-c", """if 1:
            import sys, kinetic, threading
            heavy = {"asyncio", "numpy", "cloudpickle", "json", "inspect", "kinetic._kinetic"} & set(sys.modules)
            assert not heavy, heavy
            import os
            assert len(os.listdir("/proc/self/task")) == 1
            assert kinetic.__version__.count(".") == 2
        """)
        self.assertEqual(done.stdout, "")

    def test_other_platforms_are_refused_by_name(self):
        package = self.home / "package"
        package.mkdir()
        for name in ("cloudpickle", "kinetic"):
            (package / name).mkdir()
            for file in pathlib.Path(PACKAGE, name).iterdir():
                if not file.name.startswith("_kinetic.") or file.suffix != ".so":
                    (package / name / file.name).symlink_to(file)
        done = self.run_python("-c", f"""if 1:
            import sys
            sys.path.insert(0, {str(package)!r})
            import kinetic, platform
            from unittest import mock

            def load():
                try:
                    kinetic.run(len)([])
                    assert False
                except ImportError as error:
                    print(str(error).partition(":")[0])

            load()
            with mock.patch.object(sys, "abiflags", "t"):
                load()
            with mock.patch.object(sys, "platform", "darwin"), mock.patch("platform.system", lambda: "Darwin"):
                load()
            with mock.patch("platform.libc_ver", lambda: ("", "")):
                load()
            try:
                kinetic.__version__
                assert False
            except ImportError as error:
                assert "install kinetic with this Python" in str(error)
        """)
        version, machine = platform.python_version(), platform.machine()
        self.assertEqual(done.stdout.splitlines(), [
            f"the module of kinetic does not fit Python {version} on {machine}",
            "kinetic does not support free-threaded builds of CPython; use a build with the GIL",
            "kinetic runs on Linux, not on Darwin; use a Linux machine or a container",
            "kinetic needs the C library glibc, which Alpine and other musl systems lack; use another distribution"])

    def test_forked_child_uses_its_own_client(self):
        done = self.run_python("-c", """if 1:
            import model, os
            job = model.double.submit(4)
            child = os.fork()
            if child == 0:
                print(job.result(), model.double.submit(5).result(), flush=True)
                os._exit(0)
            os.waitpid(child, 0)
            print(job.result())
        """)
        self.assertEqual(done.stdout, "8 10\n8\n")

    def test_child_that_was_forked_during_a_wait_ends(self):
        done = self.run_python("-c", """if 1:
            import model, os, sys, threading, time
            job = model.sleep.submit(600)
            waiting = threading.Thread(target=job.result, daemon=True)
            waiting.start()
            while job.status() != "running":
                time.sleep(0.05)
            child = os.fork()
            if child == 0:
                print(model.double.submit(5).result())
                sys.exit(0)
            print(os.waitpid(child, 0)[1])
            job.cancel()
            waiting.join()  # a thread that prints its exception at exit would abort the program
        """)
        self.assertEqual(done.stdout, "10\n0\n")

    def test_many_threads_share_the_client(self):
        done = self.run_python("-c", """if 1:
            import model
            from concurrent.futures import ThreadPoolExecutor
            with ThreadPoolExecutor(8) as pool:
                print(sum(pool.map(lambda x: model.double.submit(x).result(), range(8))))
        """)
        self.assertEqual(done.stdout, "56\n")

    def test_program_ends_while_jobs_run(self):
        self.run_python("-c", "import model; model.sleep.submit(600)")
        job, = self.jobs()
        self.assertIn(job["state"], ("pending", "running"))
        self.kinetic("cancel", job["id"])

    def test_waiting_thread_does_not_keep_the_program(self):
        self.run_python("-c", """if 1:
            import model, threading
            job = model.sleep.submit(600)
            threading.Thread(target=job.result, daemon=True).start()
        """)
        self.kinetic("cancel", "sleep")


if __name__ == "__main__":
    unittest.main()
