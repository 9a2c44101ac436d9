"""serializer="pickle": parts of arguments and values that are not data are pickled, by request only."""

import unittest

from harness import PythonCase

MODULE = """
    import kinetic

    class Model:
        def __init__(self, weights):
            self.weights = weights

        def __eq__(self, other):
            return type(other) is type(self) and other.weights == self.weights

    @kinetic.run(serializer="pickle")
    def train(model, steps=1):
        assert type(model) is Model
        return {"model": Model(model.weights * steps), "steps": steps}
"""


class Serializer(PythonCase):
    def test_objects_of_a_module_and_of_a_script(self):
        self.write("model.py", MODULE)
        self.run_script("""
            import kinetic, model

            class Own(model.Model):
                pass

            found = model.train(model.Model("ab" * 50_000), steps=2)
            assert found == {"model": model.Model("ab" * 100_000), "steps": 2}

            @kinetic.run(serializer="pickle")
            def echo(*values):
                return values

            class Custom:
                pass

            custom = Custom()
            custom.itself, custom.call = custom, lambda x: x + 1
            own, back, data = echo(Own([1]), custom, {"a": (1, {2})})
            assert type(own) is Own and own == Own([1]) and data == {"a": (1, {2})}
            assert type(back) is Custom and back.itself is back and back.call(1) == 2
        """)

    def test_modules_are_searched_once_for_a_call(self):
        self.write("model.py", MODULE)
        done = self.run_python("-c", """if 1:
            import model, sys
            from kinetic import _passing, _submission

            class Part:
                pass

            searched = []
            search = _passing._is_passed_by_value
            _passing._is_passed_by_value = lambda module, place: searched.append(module) or search(module, place)
            call = _submission.Call(model.train.__wrapped__, {"serializer": "pickle"})
            for _ in range(20):
                call.encode(([Part()],), {})
            print(0 < len(searched) <= len(sys.modules))
        """)
        self.assertEqual(done.stdout, "True\n")

    def test_calls_of_a_batch(self):
        self.write("model.py", MODULE)
        self.run_python("-c", """if 1:
            import kinetic, model, pickle
            batch = model.train.map([model.Model("a"), model.Model("b" * 100_000)])
            assert [value["model"] for value in batch] == [model.Model("a"), model.Model("b" * 100_000)]
            assert batch[0].result()["model"] == model.Model("a")
            assert pickle.loads(pickle.dumps(batch[0])).result()["model"] == model.Model("a")
        """)

    def test_pickles_are_loaded_only_by_request(self):
        self.write("model.py", MODULE)
        self.run_python("-c", """if 1:
            import kinetic, model
            job = model.train.submit(model.Model("a"))
            assert job.result()["model"] == model.Model("a")
            try:
                kinetic.attach(job.id).result()
                assert False
            except kinetic.Error as error:
                assert "kinetic.attach(ID, serializer='pickle')" in str(error), error
            assert kinetic.attach(job.id, serializer="pickle").result()["model"] == model.Model("a")
            try:
                model.train.options(serializer=None)(model.Model("a"))
                assert False
            except kinetic.Error as error:
                assert "serializer='pickle'" in str(error), error
            assert kinetic._values.decode({"a": {"$dict": []}}) == {"a": {}}
        """)
        self.assertEqual(len(self.jobs()), 1)

    def test_parts_that_cannot_be_pickled_are_named(self):
        done = self.run_script("""
            import kinetic, threading

            @kinetic.run(serializer="pickle")
            def use(parts):
                return {"lock": threading.Lock()}

            for call in (lambda: use([1, {"lock": threading.Lock()}]), lambda: use([]),
                         lambda: kinetic.run(lambda: 1, serializer="json")):
                try:
                    call()
                except (kinetic.Error, ValueError) as error:
                    print(str(error).splitlines()[0])
        """)
        first, second, third = done.stdout.splitlines()
        self.assertIn("cannot send the argument parts[1].lock: _thread.lock cannot be pickled: ", first)
        self.assertIn("$.lock: _thread.lock cannot be pickled: ", second)
        self.assertEqual(third, "serializer is 'json', expected 'pickle' or None")

    def test_classes_of_this_program_keep_their_attributes(self):
        done = self.run_script("""
            import kinetic

            class Model:
                best = 1

                @kinetic.run(serializer="pickle")
                def fit(self):
                    Model.best = 5
                    self.fitted = Model.best
                    return self

            model = Model().fit()
            print(type(model) is Model, model.fitted, Model.best, type(Model.__dict__["fit"]).__name__)
        """)
        self.assertEqual(done.stdout, "True 5 1 RemoteFunction\n")


if __name__ == "__main__":
    unittest.main()
