"""Behaviours that the tests of the Python tool check, with the names of the Python tool."""

import unittest

from harness import PythonCase


class Jobs(PythonCase):
    def test_handles(self):
        self.run_script("""
            import pickle, re
            import kinetic
            from kinetic.jobs import JobHandle, JobStatus, attach, list_jobs

            @kinetic.run(accelerator="cpu")
            def work(seconds, fail=False):
                import time
                time.sleep(seconds)
                for i in range(20):
                    print("line", i)
                if fail:
                    raise ValueError("intended")
                return {"key": [1, 2], "nested": {"a": True, "b": None}, "tuple": (4, 5)}

            job = work.run_async(0)
            assert isinstance(job, kinetic.JobHandle) and job.func_name == "work" and job.accelerator == ""
            assert re.fullmatch(r"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", job.created_at)
            changes = []
            assert job.result(timeout=100, cleanup=True, on_status_change=changes.append)["tuple"] == (4, 5)
            assert changes[-1] is JobStatus.SUCCEEDED is job.status(), changes
            assert len(changes) == len(set(changes)) and job.status().value == "SUCCEEDED"
            assert job.result(on_status_change=lambda _: 1 / 0)["key"] == [1, 2]  # and again
            assert "line 0\\n" in job.logs() and len(job.tail(n=5).splitlines()) == 5
            again = attach(job.job_id)
            assert again == job == pickle.loads(pickle.dumps(job)) and again.status() is JobStatus.SUCCEEDED
            assert isinstance(pickle.loads(pickle.dumps(job)), JobHandle)
            job.cleanup(k8s=True, gcs=True)

            slow = work.run_async(600)
            assert slow.status() in (JobStatus.PENDING, JobStatus.RUNNING)
            assert [listed.job_id for listed in list_jobs()] == [slow.id]
            listed, ended = kinetic.list_jobs(limit=2)
            assert (listed.job_id, listed.func_name, listed.accelerator) == (slow.id, "work", "")
            assert listed.backend == kinetic.attach(slow.id).backend == "local"
            assert (listed.created_at, ended.properties["state"]) == (slow.created_at, "succeeded")
            assert ended.status() == JobStatus.SUCCEEDED != listed.status() and JobStatus.SUCCEEDED == ended.status()
            assert ended.result()["key"] == [1, 2] and list_jobs()[0].status() in (JobStatus.PENDING, JobStatus.RUNNING)
            try:
                slow.result(timeout=0.1)
                assert False
            except TimeoutError:
                pass
            slow.cancel()
            assert slow.status() is JobStatus.NOT_FOUND and list_jobs() == []

            failed = work.run_async(0, fail=True)
            try:
                failed.result()
                assert False
            except ValueError as error:
                assert str(error) == "intended"
            assert failed.status() is JobStatus.FAILED
        """)

    def test_methods_and_callables(self):
        done = self.run_script("""
            import dataclasses, functools
            import kinetic

            class Model:
                def __init__(self, factor):
                    self.factor = factor

                @kinetic.run()
                def scale(self, x):
                    return self.factor * x

                @staticmethod
                @kinetic.run()
                def plain(x):
                    return x

                @property
                @kinetic.run()
                def doubled(self):
                    return 2 * self.factor

            class Child(Model):
                def scale(self, x):
                    return Model.scale(self, x) + super().scale(x)

            class Adder:
                def __call__(self, a, b):
                    return a + b

            def add(a, b):
                return a + b

            print(Model(3).scale(2), Model(3).scale.run_async(4).result(), Model.plain(5),
                  kinetic.run()(functools.partial(add, 1))(2), kinetic.run()(Adder())(3, 4),
                  Model.scale(Model(3), 5), Model(3).doubled, Child(3).scale(1))
        """)
        self.assertEqual(done.stdout, "6 12 5 3 7 15 6 6\n")

    def test_environment_variables(self):
        done = self.run_script("""
            import os
            os.environ.update(EXACT="a", SWEEP_ONE="b", SWEEP_TWO="c", OTHER="d")
            import kinetic

            @kinetic.run(capture_env_vars=["EXACT", "SWEEP_*", "MISSING"])
            def names():
                return sorted(set(os.environ) & {"EXACT", "SWEEP_ONE", "SWEEP_TWO", "OTHER", "MISSING"})

            @kinetic.run(capture_env_vars=["*"])
            def home():
                return os.environ.get("OTHER"), os.environ["HOME"]

            print(names(), home()[0], home()[1] == os.environ["HOME"])
        """)
        self.assertEqual(done.stdout, "['EXACT', 'SWEEP_ONE', 'SWEEP_TWO'] d False\n")

    def test_arguments(self):
        self.run_script("""
            import collections
            import kinetic

            Point = collections.namedtuple("Point", "x y")

            @kinetic.run
            def same(*values):
                return values

            values = ((1, 2), Point(1, 2), {1, "a"}, frozenset([2]), b"bytes", 1.5, None, {"a": [1, {"b": 2}]}, 2**100)
            assert same(*values) == values
            assert all(type(a) is type(b) for a, b in zip(same(*values), values))
            shared = [1]
            assert same(shared, shared) == ([1], [1])
            kept = (collections.OrderedDict(a=1), collections.Counter("aab"), collections.defaultdict(list, {"a": [1]}),
                    collections.deque([1], 3))
            assert same(*kept) == kept and [type(value) for value in same(*kept)] == [type(value) for value in kept]

            class Rows(list):
                pass

            try:
                same(Rows([1]))
                assert False
            except kinetic.Error as error:
                assert "Rows is not exactly a list" in str(error)
            (rows,) = kinetic.run(same.__wrapped__, serializer="pickle")(Rows([1]))
            assert type(rows).__name__ == "Rows" and rows == [1]
            n = 3
            assert kinetic.run(lambda x: x + n)(4) == 7
        """)


class Data(PythonCase):
    def test_arguments_and_volumes(self):
        self.run_script("""
            import json, os, pathlib
            import kinetic
            from kinetic import Data

            for name, text in {"train/a.csv": "a", "val/b.csv": "b", "config.json": '{"lr": 1}'}.items():
                path = pathlib.Path("sets", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)

            @kinetic.run(accelerator="cpu")
            def listed(folder, others, named):
                with open(named["config"]) as file:
                    return [os.listdir(path) for path in (folder, *others)], json.load(file), type(folder).__name__

            train, val = Data("sets/train"), Data("sets/val/")
            found = listed(train, [val, train], {"config": Data("sets/config.json")})
            assert found == ([["a.csv"], ["b.csv"], ["a.csv"]], {"lr": 1}, "str"), found

            @kinetic.run
            def read(path):
                with open(path) as file:
                    return file.read()

            data = Data("sets/train/a.csv")
            assert (train.is_dir, data.is_dir, data.is_gcs, Data("gs://bucket/set/").is_gcs) == (True, False, False, True)
            assert read(data) == read(data) == "a"
            pathlib.Path("sets/train/a.csv").write_text("changed")
            assert read(data) == "changed"

            @kinetic.run(volumes={"/sets/train": train, "/sets/val": Data("sets/val", fuse=True)})
            def mounted(path, lr=0.1):
                return path != "/sets/train", os.listdir(path), sorted(os.listdir("/sets")), os.listdir("/sets/val"), lr

            pathlib.Path("sets/empty").mkdir()
            assert kinetic.run(os.listdir)(Data("sets/empty")) == []
            assert mounted(train, lr=0.5) == (True, ["a.csv"], ["train", "val"], ["b.csv"], 0.5)
            keys = kinetic.run(lambda paths: [os.path.isfile(path) for path in paths])
            assert keys({data}) == keys({data: 1}) == [True]
            for wrong in ("", "/nonexistent", "hf://squad"):
                try:
                    Data(wrong)
                    assert False
                except (ValueError, FileNotFoundError):
                    pass
        """)


class Batches(PythonCase):
    def test_batch(self):
        self.run_script("""
            import kinetic
            from kinetic.jobs import JobStatus

            @kinetic.run(accelerator="cpu")
            def positive(x, y=0):
                if x < 0:
                    raise ValueError("negative")
                return x + y

            batch = positive.run_async_map([1, (2, 3), {"x": 4, "y": 5}], max_concurrent=2, name="sweep", tags={"a": "b"})
            assert batch.results(timeout=100) == [1, 5, 9] == sorted(batch.results(ordered=False))
            assert (batch.name, batch.tags, batch.status_counts()) == ("sweep", {"a": "b"}, {"SUCCEEDED": 3})
            assert batch.statuses() == [(i, JobStatus.SUCCEEDED) for i in range(3)]
            assert sorted(job.result(cleanup=False) for job in batch.as_completed(timeout=100)) == [1, 5, 9]
            again = kinetic.attach_batch(batch.group_id)
            assert again.results(cleanup=False) == [1, 5, 9] and [job.id for job in again.jobs] == [
                job.job_id for job in batch.jobs]
            batch.cleanup(k8s=True, gcs=True)

            batch = kinetic.collections.map(positive, [1, -1, 2])
            results = batch.results(return_exceptions=True)
            assert results[::2] == [1, 2] and str(results[1]) == "negative"
            failed, = batch.failures()
            assert failed.status() is JobStatus.FAILED and failed == batch.jobs[1]
            assert batch.statuses() == [(i, job.status()) for i, job in enumerate(batch.jobs)]
            assert batch.status_counts() == {"SUCCEEDED": 2, "FAILED": 1}
            try:
                batch.results()
                assert False
            except kinetic.BatchError as error:
                assert error.partial_results == [1, None, 2] and error.group_id == batch.group_id
                assert [job.job_id for job in error.failures] == [failed.id] and error.submission_failures == {}
            assert [job.status().value for job in batch.as_completed()].count("FAILED") == 1
            assert batch.submission_failures == batch.unavailable_children == {}
            for wrong in ({"inputs": []}, {"inputs": [1], "input_mode": "x"}, {"inputs": [1], "max_concurrent": 0}):
                try:
                    positive.run_async_map(**wrong)
                    assert False, wrong
                except ValueError:
                    pass
        """)

    def test_cancel(self):
        self.run_script("""
            import time
            import kinetic

            batch = kinetic.run(time.sleep).run_async_map([600, 600])
            assert {status.value for _, status in batch.statuses()} <= {"PENDING", "RUNNING"}
            assert sum(batch.status_counts().values()) == 2
            batch.cancel()
            for handle in (batch, kinetic.attach_batch(batch.group_id)):
                assert handle.status_counts() == {"NOT_FOUND": 2}
            assert [job.status().value for job in batch.jobs] == ["NOT_FOUND"] * 2
            assert [(i, status.value) for i, status in batch.statuses()] == [(0, "NOT_FOUND"), (1, "NOT_FOUND")]
            assert batch.status_counts() == {"NOT_FOUND": 2}
        """)

    def test_failed_calls_are_repeated(self):
        done = self.run_script("""
            import os, kinetic

            @kinetic.run
            def flaky(x):
                if os.environ["KINETIC_ATTEMPT"] == "1":
                    raise ValueError(x)
                return x

            print(flaky.run_async_map([1, 2], retries=1, fail_fast=True, cancel_running_on_fail=True).results())
        """)
        self.assertEqual(done.stdout.splitlines()[-1], "[1, 2]")


if __name__ == "__main__":
    unittest.main()
