"""What `import kinetic` offers in a job whose environment lacks the package."""

import unittest

from harness import PythonCase


class InJob(PythonCase):
    def test_module_has_all_names(self):
        self.write("model.py", """
            import kinetic

            def annotated(job: kinetic.Job[int]) -> kinetic.Batch[int]:
                pass

            @kinetic.run
            def missing(names):
                return [name for name in [*names, "__version__"] if not hasattr(kinetic, name)]
        """)
        self.assertEqual(self.run_python("-c", """if 1:
            import kinetic, model
            print(model.missing(kinetic.__all__))
        """).stdout, "[]\n")

    def test_decorated_functions_have_their_attributes(self):
        self.write("model.py", """
            import kinetic

            @kinetic.run
            def double(x):
                return 2 * x

            fast = double.options(accelerator="v5litepod-1")

            @kinetic.run
            def use():
                try:
                    double.submit(1)
                except RuntimeError as error:
                    return fast(3), double.__wrapped__(4), str(error)
        """)
        self.assertEqual(self.run_python("-c", "import model; print(model.use())").stdout,
                         "(6, 8, 'a job cannot submit jobs: double.submit was called in a job; "
                         "double(…) runs in this job')\n")

    def test_calls_in_a_job_run_there_and_are_reported_once(self):
        self.write("model.py", """
            import kinetic

            @kinetic.run
            def inner(x):
                return x + 1

            @kinetic.run
            async def later():
                return 4

            @kinetic.run
            def outer():
                import asyncio, copy, pickle
                assert pickle.loads(pickle.dumps(inner)) is inner is copy.deepcopy(inner)
                return inner(1) + inner(2), asyncio.iscoroutinefunction(later), asyncio.run(later())
        """)
        done = self.run_python("-c", "import model; print(model.outer())")
        self.assertEqual(done.stdout, "(5, True, 4)\n")
        self.assertEqual(done.stderr, "kinetic: inner was called in a job and runs there\n")

    def test_function_passed_by_value_calls_another_one(self):
        done = self.run_script("""
            import kinetic

            class Model:
                @kinetic.run
                def inner(self, x):
                    return x + 1

            @kinetic.run
            def factorial(n):
                return 1 if n < 2 else n * factorial(n - 1)

            @kinetic.run
            def outer():
                messages = []
                for method in ("submit", "map", "run_async", "run_async_map"):
                    try:
                        getattr(factorial, method)([3])
                    except RuntimeError as error:
                        messages.append(str(error))
                return Model().inner(1), factorial.options(name="other")(4), messages

            print(factorial(5))
            *values, messages = outer()
            print(values)
            for message in messages:
                print(message)
        """)
        self.assertEqual(done.stdout.splitlines(), ["120", "[2, 24]", *(
            f"a job cannot submit jobs: factorial.{method} was called in a job; factorial(…) runs in this job"
            for method in ("submit", "map", "run_async", "run_async_map"))])

    def test_modules_of_the_python_tool(self):
        self.write("model.py", """
            import kinetic
            from kinetic.collections import BatchError, BatchHandle, attach_batch, map
            from kinetic.jobs import JobHandle, JobStatus, attach, list_jobs
            from kinetic.job_status import JobStatus as same_status

            assert same_status is JobStatus

            @kinetic.run
            def use(status):
                names = [name for module in (kinetic.jobs, kinetic.collections) for name in dir(module) if name[0] != "_"]
                try:
                    map(use, [1])
                except RuntimeError as error:
                    return status is JobStatus.FAILED, kinetic.jobs.JobStatus(status) is status, names, str(error)
        """)
        done = self.run_python("-c", """if 1:
            import kinetic, model
            same, also, names, error = model.use(kinetic.jobs.JobStatus.FAILED)
            assert same and also and {*kinetic.jobs.__all__, *kinetic.collections.__all__} <= {*names}, names
            print(error)
        """)
        self.assertEqual(done.stdout, "a job cannot use kinetic.collections.map: jobs are submitted from outside\n")

    def test_functions_of_the_package_are_variables(self):
        done = self.run_script("""
            import kinetic
            from kinetic import JobHandle, attach, attach_batch, list_jobs, map, run

            @run
            def use():
                names = []
                for each in (attach, attach_batch, list_jobs, map):
                    try:
                        each("x")
                    except RuntimeError:
                        names.append("refused")
                return names, run(lambda x: x + 1)(1), JobHandle.__name__

            print(use())
        """)
        self.assertEqual(done.stdout, "(['refused', 'refused', 'refused', 'refused'], 2, 'Job')\n")

    def test_folder_named_kinetic_does_not_hide_it(self):
        self.write("kinetic/data.txt", "of the project")
        self.write("model.py", "import kinetic\n\n@kinetic.run\ndef one():\n    return 1\n")
        self.assertEqual(self.run_python("-c", "import model; print(model.one())").stdout, "1\n")

    def test_classes_are_passed_by_value(self):
        done = self.run_script("""
            import kinetic

            source = kinetic.Data("main.py")

            @kinetic.run
            def use(status=kinetic.JobStatus.FAILED):
                return type(source).__name__, status == "failed"

            print(use())
        """)
        self.assertEqual(done.stdout, "('Data', True)\n")


if __name__ == "__main__":
    unittest.main()
