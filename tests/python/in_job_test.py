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
                         "(6, 8, 'a job cannot use the method submit of a decorated function: "
                         "jobs are submitted from outside')\n")

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
