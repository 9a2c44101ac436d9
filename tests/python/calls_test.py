"""Calls of decorated functions: by the name of their module, and by value."""

import json
import os
import unittest

from harness import PythonCase

MODULE = """
    import kinetic

    FACTOR = 3

    @kinetic.run
    def scale(x, by=FACTOR):
        print("scaling", x)
        return x * by

    @kinetic.run(name="named", tags={"team": "nlp"})
    def both(a, /, b, *rest, c=4, **more):
        return [a, b, rest, c, more]

    @kinetic.run
    async def later(x):
        return x + 1

    @kinetic.run
    def outer(x):
        return scale(x) + 1
"""


class ByName(PythonCase):
    def setUp(self):
        super().setUp()
        self.write("model.py", MODULE)

    def test_value_and_log_arrive(self):
        done = self.run_python("-c", "import model; print(model.scale(5))")
        self.assertEqual(done.stdout, "scaling 5\n15\n")
        job, = self.jobs()
        self.assertEqual((job["name"], job["state"]), ("scale", "succeeded"))
        self.assertIn("function  model:scale", self.kinetic("status", job["id"]))

    def test_function_with_other_keywords_keeps_its_name(self):
        self.run_python("-c", "import model; model.scale(5); model.scale.options(name='other')(5)")
        differences = json.loads(self.kinetic("diff", "scale", "other", "--json"))
        self.assertEqual([each["name"] for each in differences["job"]], ["name"])
        self.assertEqual((differences["code"], differences["arguments"]), ([], []))

    def test_arguments_keep_their_form(self):
        done = self.run_python("-c", """if 1:
            import model
            assert model.both(1, 2, 3, c=5, d=6) == [1, 2, (3,), 5, {"d": 6}]
            assert model.both(1, b=2) == [1, 2, (), 4, {}]
            try:
                model.both(1)
            except TypeError as error:
                print(error)
        """)
        self.assertEqual(done.stdout, "both() missing a required argument: 'b'\n")
        self.assertEqual({job["name"] for job in self.jobs()}, {"named"})

    def test_nested_call_runs_in_the_same_job(self):
        self.assertIn("10\n", self.run_python("-c", "import model; print(model.outer(3))").stdout)
        self.assertEqual(len(self.jobs()), 1)

    def test_async_function_and_awaited_jobs(self):
        done = self.run_python("-c", """if 1:
            import asyncio, model

            async def main():
                jobs = [model.scale.submit(i) for i in range(3)]
                return await model.later(1), await asyncio.gather(*jobs)

            print(asyncio.run(main()))
        """)
        self.assertEqual(done.stdout, "(2, [0, 3, 6])\n")

    def test_decorated_functions_behave_like_functions(self):
        done = self.run_python("-c", """if 1:
            import asyncio, copy, inspect, kinetic, model, multiprocessing, pickle
            from concurrent.futures import ProcessPoolExecutor

            assert asyncio.iscoroutinefunction(model.later) and not asyncio.iscoroutinefunction(model.scale)
            assert copy.copy(model.scale) is model.scale is copy.deepcopy([model.scale])[0]
            assert pickle.loads(pickle.dumps(model.scale)) is model.scale
            error = kinetic.BatchError("2 failed", {1: ValueError("x")})
            again = pickle.loads(pickle.dumps(error))
            assert str(again) == "2 failed" and repr(again.failures) == "{1: ValueError('x')}"
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
                print(pool.submit(model.scale, 3).result())
        """)
        self.assertEqual(done.stdout, "scaling 3\n9\n")

    def test_module_is_imported_from_a_script_in_another_folder(self):
        self.write("scripts/use.py", "import sys; sys.path.insert(0, '.')\nimport model\nprint(model.scale(2))")
        self.assertEqual(self.run_python("scripts/use.py").stdout, "scaling 2\n6\n")


class ByValue(PythonCase):
    def test_function_of_a_script(self):
        done = self.run_script("""
            import dataclasses, os
            import kinetic

            @dataclasses.dataclass
            class Config:
                rate: float
                layers: tuple = (1, 2)

            offset = 10

            def helper(x):
                return x + offset

            @kinetic.run
            def train(config):
                assert isinstance(config, Config)
                return dataclasses.replace(config, rate=helper(config.rate)), os.path.exists("main.py")

            print(train(Config(1.5)))
        """)
        self.assertEqual(done.stdout, "(Config(rate=11.5, layers=(1, 2)), True)\n")
        status = self.kinetic("status", self.jobs()[0]["id"])
        self.assertIn("function  __main__:train\n", status)
        self.assertNotIn("pickled", status + self.kinetic("ps", "--all"))

    def test_decorated_functions_of_a_script_in_other_processes(self):
        done = self.run_script("""
            import multiprocessing, typing
            import cloudpickle, kinetic

            @kinetic.run
            def double(x: int) -> int:
                return 2 * x

            if __name__ == "__main__":
                assert typing.get_type_hints(double) == {"x": int, "return": int}
                for method in ("fork", "spawn"):
                    with multiprocessing.get_context(method).Pool(1) as pool:
                        print(pool.map(double, [1, 2]))
                assert cloudpickle.loads(cloudpickle.dumps(double))(3) == 6  # the function itself, as kinetic may be absent
        """)
        self.assertEqual(done.stdout, "[2, 4]\n[2, 4]\n")

    def test_program_on_standard_input_in_the_home_directory(self):
        done = self.run_python("-", folder=self.home, text="""
            import kinetic

            def make(n):
                @kinetic.run
                def add(x):
                    return x + n
                return add

            print(make(5)(2))
        """)
        self.assertEqual(done.stdout, "7\n")
        job, = self.jobs()
        self.assertEqual(job["name"], "add")

    def test_lambda_method_partial_and_module_outside_of_the_project(self):
        (self.home / "lib").mkdir()
        (self.home / "lib/helpers.py").write_text("def double(x):\n    return 2 * x\n")
        done = self.run_script("""
            import functools, sys
            sys.path.insert(0, "../lib")
            import helpers, kinetic

            class Model:
                weight = 3

                @kinetic.run
                def predict(self, x):
                    return self.weight * helpers.double(x)

            print(Model().predict(2), kinetic.run(lambda x: x - 1)(2), kinetic.run(functools.partial(pow, 2))(3))
        """)
        self.assertEqual(done.stdout, "12 1 8\n")

    def test_modules_that_are_not_sent_as_files(self):
        for name in ("ignored", "excluded", "sent"):
            self.write(f"{name}.py", f"import kinetic\n\nWORD = {name!r}\n\ndef word():\n    return WORD\n\n"
                                     "@kinetic.run\ndef whole():\n    return word()\n")
        self.write(".gitignore", "ignored.py\n")
        done = self.run_script("""
            import kinetic, excluded, ignored, sent

            @kinetic.run(bundle={"root": ".", "exclude": ["excluded.py"]})
            def words():
                import os
                return excluded.word(), ignored.word(), sent.word(), [n for n in os.listdir() if n.endswith("ed.py")]

            print(words(), ignored.whole())
        """)
        self.assertEqual(done.stdout, "('excluded', 'ignored', 'sent', []) ignored\n")

    def test_folder_whose_name_is_not_utf8(self):
        folder = os.path.join(os.fsencode(self.work), b"a\xff")
        os.mkdir(folder)
        program = "import kinetic\ntry:\n    kinetic.run(len)([])\nexcept kinetic.Error as error:\n    print(error)"
        self.assertIn("/a\\udcff' has a name that is not UTF-8", self.run_python("-c", program, folder=folder).stdout)

    def test_decorated_function_of_a_module_outside_of_the_project(self):
        (self.home / "lib").mkdir()
        (self.home / "lib/remote.py").write_text(
            "import kinetic\n\n@kinetic.run\ndef inner(x):\n    return 2 * x\n\n"
            "@kinetic.run\ndef outer(x):\n    return inner(x) + 1\n")
        done = self.run_script("""
            import sys
            sys.path.insert(0, "../lib")
            import remote

            print(remote.outer(3))
        """)
        self.assertEqual(done.stdout.splitlines()[-1], "7")


if __name__ == "__main__":
    unittest.main()
