"""kinetic.map: one array job for many calls."""

import unittest

from harness import PythonCase


class Batches(PythonCase):
    def test_values_come_in_order_and_exceptions_in_place(self):
        self.write("model.py", """
            def work(x, y=1):
                if x == 3:
                    raise ValueError("three")
                return (x, y)
        """)
        self.run_python("-c", """if 1:
            import kinetic, model
            batch = kinetic.map(model.work, [0, (1, 5), {"x": 2, "y": 7}, 3], max_concurrent=2, name="sweep")
            assert len(batch) == 4
            values = batch.results(return_exceptions=True)
            assert values[:3] == [(0, 1), (1, 5), (2, 7)], values
            assert type(values[3]) is ValueError and list(batch.failures()) == [3]
            try:
                batch.results()
                assert False
            except kinetic.BatchError as error:
                assert "1 of 4 calls failed; the first is call 3: ValueError: three" in str(error)
            batch.wait()
            assert batch[1].result() == (1, 5) and batch.status_counts()["succeeded"] == 3
            again = kinetic.attach_batch(batch.group_id)
            assert len(list(again.as_completed())) == 4 and again.results(return_exceptions=True)[1] == (1, 5)
        """)
        job, = self.jobs()
        self.assertEqual(job["name"], "sweep")

    def test_calls_that_never_ran_are_failures(self):
        self.write("model.py", """
            import time

            def work(seconds):
                if seconds < 0:
                    raise ValueError("negative")
                time.sleep(seconds)
                return seconds
        """)
        self.run_python("-c", """if 1:
            import kinetic, model
            batch = kinetic.map(model.work, [0, 300, 300], parallel=1)
            next(batch.as_completed())
            batch.cancel()
            first, *others = batch.results(return_exceptions=True)
            assert first == 0 and [type(other) for other in others] == [kinetic.RemoteError] * 2, others
            assert "call 2 was not run: the batch was cancelled" in str(others[1])
            assert others[1].state == "cancelled" and others[1].job.endswith("/tasks/000002")
            counts = batch.status_counts()
            assert (counts["succeeded"], counts["failed"], counts["cancelled"]) == (1, 0, 2), counts

            batch = kinetic.map(model.work, [-1, 300, 300], parallel=1, fail_fast=True)
            try:
                batch.results()
                assert False
            except kinetic.BatchError as error:
                assert str(error).startswith("3 of 3 calls failed; the first is call 0: ValueError"), error
                assert list(error.failures) == [0, 1, 2] == list(batch.failures())
                assert "not run: the batch ended: 1 of 3 tasks failed" in str(error.failures[2]), error.failures
            assert batch.status_counts()["cancelled"] == 2
            order = [index for index, _ in batch.as_completed(return_exceptions=True)]
            assert order == [0, 1, 2], order
        """)

    def test_value_that_cannot_be_read_is_no_failure_of_the_call(self):
        self.write("model.py", "def work(x):\n    return b'b' * x\n")
        self.run_python("-c", """if 1:
            import kinetic, model, os, shutil
            batch = kinetic.map(model.work, [100_000])
            batch.wait()
            for folder, _, files in os.walk(os.path.expanduser("~")):
                for file in files:
                    path = os.path.join(folder, file)
                    if os.path.getsize(path) == 100_000:
                        os.chmod(folder, 0o755)
                        os.remove(path)
            for attempt in range(2):
                try:
                    batch.results(return_exceptions=True)
                    assert False
                except kinetic.Error as error:
                    assert not isinstance(error, (kinetic.BatchError, kinetic.RemoteError)), error
        """)

    def test_handles_have_the_options_of_their_batch(self):
        done = self.run_script("""
            import kinetic

            class Model:
                pass

            @kinetic.run(cancel_on_interrupt=True, serializer="pickle")
            def make(x):
                return Model()

            batch = make.map([1, 2])
            kinds = [type(model).__name__ for model in batch.results()]
            attached = kinetic.attach_batch(batch.group_id, serializer="pickle")
            print(kinds, batch[1].cancel_on_interrupt, [type(model).__name__ for model in attached.results()])
        """)
        self.assertEqual(done.stdout, "['Model', 'Model'] True ['Model', 'Model']\n")

    def test_batch_is_no_job_with_a_value(self):
        done = self.run_script("""
            import kinetic
            batch = kinetic.map(abs, [-1])
            try:
                kinetic.attach(batch.group_id).result()
            except kinetic.Error as error:
                print(error.hint)
        """)
        self.assertEqual(done.stdout, "use kinetic.attach_batch\n")

    def test_frame_without_pandas(self):
        done = self.run_script("""
            import kinetic, sys
            sys.modules["pandas"] = None

            try:
                kinetic.map(abs, [-1]).to_frame()
            except kinetic.Error as error:
                print(error.args[0])
        """)
        self.assertEqual(done.stdout, "Batch.to_frame() needs the package pandas, which is not installed\n")

    def test_function_by_value_with_arguments_of_any_size(self):
        done = self.run_script("""
            import kinetic

            @kinetic.run
            def length(data):
                return len(data), data[:1]

            print(list(length.map([b"a", b"b" * 100_000], tasks_per_process=2)))
        """)
        self.assertEqual(done.stdout, "[(1, b'a'), (100000, b'b')]\n")


if __name__ == "__main__":
    unittest.main()
