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
            batch = kinetic.map(model.work, [0, (1, 5), {"x": 2, "y": 7}, 3], parallel=2, name="sweep")
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
            assert sorted(index for index, _ in again.as_completed(return_exceptions=True)) == [0, 1, 2, 3]
        """)
        job, = self.jobs()
        self.assertEqual(job["name"], "sweep")

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
