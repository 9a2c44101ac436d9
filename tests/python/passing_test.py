"""What a job receives from the program, and which values become objects."""

import unittest

from harness import PythonCase


class Passing(PythonCase):
    def test_sources_of_unused_modules_stay(self):
        (self.home / "lib").mkdir()
        (self.home / "lib/private.py").write_text("TEXT = 'not-for-the-job'\n")
        (self.home / "lib/helpers.py").write_text("def double(x):\n    return 2 * x\n")
        self.run_script("""
            import sys
            sys.path.insert(0, "../lib")
            import helpers, kinetic, private
            from kinetic import _place, _passing

            def use(x):
                return helpers.double(x)

            place = _place.find_place(use, {})
            content = bytes(_passing.pickled_arguments(use, {}, _passing.Pickler(place))["function"]["$bytes"])
            assert b"return 2 * x" in content and b"not-for" b"-the-job" not in content
        """)

    def test_secrets_are_those_of_the_call(self):
        done = self.run_script("""
            import kinetic, os

            @kinetic.run(secrets=["ACCESS"])
            def length():
                return len(os.environ["ACCESS"])

            for value in ("first-value", "second-value"):
                os.environ["ACCESS"] = value
                print(length())
        """)
        self.assertEqual(done.stdout, "11\n12\n")

    def test_project_may_have_a_module_named_as_one_of_the_library(self):
        self.write("pickle.py", "def loads():\n    return 'of the project'\n")
        done = self.run_python("-", text="""
            import kinetic

            @kinetic.run
            def use():
                import pickle
                return pickle.loads()

            print(use())
        """, folder=self.folder_without_modules())
        self.assertEqual(done.stdout, "of the project\n")

    def folder_without_modules(self):
        """Returns a folder of the project whose modules the client does not import, but the job does."""
        (self.work / "sub").mkdir()
        return self.work / "sub"

    def test_values_become_only_objects_of_data_classes(self):
        self.run_script("""
            import dataclasses, tempfile
            from kinetic._values import decode

            @dataclasses.dataclass
            class Point:
                x: int

            def value(type_name, **fields):
                return {"$dataclass": {"type": type_name, "fields": fields}}

            assert decode(value("Point", x=1)) == Point(1)
            assert decode(value("Point", x=1, other=2)) == {"x": 1, "other": 2}
            closer = "tempfile._TemporaryFileCloser"
            assert decode(value(closer, name="main.py", delete=True)) == {"name": "main.py", "delete": True}
            assert decode({"$namedtuple": {"type": "Point", "fields": {"x": 1}}}) == {"x": 1}
            assert decode({"$enum": {"type": "Point", "name": "A", "value": 3}}) == 3
        """)

    def test_exception_while_a_function_is_loaded_has_its_traceback(self):
        self.write("broken.py", """
            import os
            if "KINETIC_JOB_ID" in os.environ:
                raise ValueError("no license")
            def f():
                pass
        """)
        done = self.run_script("""
            import kinetic, broken

            @kinetic.run
            def use():
                return broken.f()

            try:
                use()
            except ValueError as error:
                print(error, "broken.py" in error.__notes__[0])
        """)
        self.assertEqual(done.stdout, "no license True\n")

    def test_failure_of_the_library_is_an_exception(self):
        done = self.run_script("""
            import kinetic, resource

            @kinetic.run
            def many():
                return b"x" * 300_000_000

            job = many.submit()
            job.wait()
            used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
            limit = used + 400_000_000
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            try:
                job.result()
            except (MemoryError, kinetic.Error) as error:
                print("failed")
        """)
        self.assertEqual(done.stdout, "failed\n")

    def test_subinterpreters_are_refused(self):
        done = self.run_python("-c", """if 1:
            import sys
            try:
                import _xxsubinterpreters as interpreters
            except ImportError:
                import _interpreters as interpreters
            interpreters.run_string(interpreters.create(), "import sys\\nsys.path[:] = %r\\n"
                "try:\\n    import kinetic._kinetic\\nexcept ImportError as error:\\n    print(error, flush=True)" % sys.path)
        """)
        self.assertEqual(done.stdout, "kinetic does not support subinterpreters; use the main interpreter\n")


if __name__ == "__main__":
    unittest.main()
