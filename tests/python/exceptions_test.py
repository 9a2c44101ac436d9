"""Exceptions of jobs keep their type, text, and attributes, whatever their constructors need."""

import unittest

from harness import PythonCase

MODULE = """
    import dataclasses, subprocess

    class ApiError(Exception):
        retries = 3

        def __init__(self, status, body="empty"):
            super().__init__(status)
            self.status, self.body = status, body

        def __str__(self):
            return f"HTTP {self.status}: {self.body}"

    class Named(Exception):
        def __str__(self):
            return f"<{self.args[0]}>"

    class Greedy(Exception):
        def __init__(self, *args):
            raise SystemExit("constructors never run here")

        def __repr__(self):
            return self.nothing

    @dataclasses.dataclass(frozen=True)
    class Frozen(Exception):
        field: int

    class Key(KeyError):
        pass

    class Two(ValueError, OSError):
        pass

    def fail(index):
        raise make()[index]

    def make():
        return [
            ValueError("plain"), KeyError(("a", 1)), Key("k"), ApiError(404), Named("x"),
            Exception.__new__(Greedy, "g"), Frozen(4), Two("two"), FileNotFoundError(2, "No such file", "data.csv"), OSError("text only"),
            UnicodeDecodeError("utf-8", b"\\\\xff", 0, 1, "bad byte"), subprocess.CalledProcessError(3, ["ls"]),
            StopIteration(5), ValueError(), ImportError("no module"), SyntaxError("bad syntax"), ValueError(1, 2),
        ]
"""


class Exceptions(PythonCase):
    def test_type_and_text_are_those_of_the_job(self):
        self.write("model.py", MODULE.replace("\\\\", "\\"))
        self.run_python("-c", """if 1:
            import copy, kinetic, model, pickle, traceback
            expected = model.make()
            got = kinetic.map(model.fail, range(len(expected)), tasks_per_process=20).results(return_exceptions=True)
            for own, error in zip(expected, got):
                text = own.msg if isinstance(own, SyntaxError) else str(own)
                for each in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
                    assert isinstance(each, type(own)) and type(each).__name__ == type(own).__name__, (own, each)
                    assert str(each) == text, (own, str(each))
                    shown = "".join(traceback.format_exception(each))
                    assert "in fail" in shown and text in shown and repr(each), shown
                hash(error)
            assert type(got[0]) is ValueError and got[1].args == (("a", 1),) and type(got[2]) is model.Key
            for own, error in zip(expected, got):
                for each in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
                    assert each.args == own.args, (own.args, each.args)
            api, missing, decoding, called, stopped, several = got[3], got[8], got[10], got[11], got[12], got[16]
            assert (api.retries, api.status, api.body) == (3, 404, "empty") and got[6].field == 4
            assert (missing.errno, missing.strerror, missing.filename) == (2, "No such file", "data.csv")
            assert type(missing) is FileNotFoundError and several.args == (1, 2)
            assert (decoding.object, decoding.end, decoding.reason) == (b"\\xff", 1, "bad byte")
            assert (called.returncode, called.cmd, stopped.value) == (3, ["ls"], 5)
            assert pickle.loads(pickle.dumps(api)).status == 404 == copy.copy(api).status
        """)

    def test_only_attributes_that_are_data_are_transferred(self):
        self.write("model.py", """
            import threading

            class Failure(Exception):
                __slots__ = ("slot",)

                def __init__(self, secret):
                    super().__init__("failed", threading.Lock())
                    self.bytes = b"x" * 100_000
                    self.slot, self.lock, self.long, self.pair = 1, threading.Lock(), "x" * 100_000, (1, {"a": 2.5})
                    self.secret, self.output = f"key {secret}", b"key " + secret.encode()

            def fail():
                import os
                raise Failure(os.environ["TOKEN"])
        """)
        self.run_python("-c", """if 1:
            import kinetic, model, os, pickle
            os.environ["TOKEN"] = "correct-horse"
            try:
                kinetic.run(model.fail, capture_env_vars=["TOKEN"])()
                assert False
            except model.Failure as error:
                assert (error.slot, error.pair, error.secret) == (1, (1, {"a": 2.5}), "key ***"), vars(error)
                assert error.output == b"key ***"
                for each in (error, pickle.loads(pickle.dumps(error))):
                    for name in ("bytes", "lock", "long"):
                        try:
                            getattr(each, name)
                            assert False, name
                        except AttributeError as problem:
                            assert "only attributes that are data are transferred" in str(problem)
        """)

    def test_group_and_remote_error_show_everything(self):
        self.write("model.py", "def fail():\n    raise ExceptionGroup('several', [ValueError('a'), KeyError('b')])\n")
        self.run_python("-c", """if 1:
            import kinetic, model
            try:
                kinetic.run(model.fail)()
                assert False
            except kinetic.RemoteError as error:
                assert "several (2 sub-exceptions)" in str(error), error
                assert "| ValueError: a" in error.__notes__[0], error.__notes__
        """)

    def test_remote_traceback_without_notes(self):
        self.write("model.py", "def fail():\n    raise ValueError('bad')\n")
        self.run_python("-c", """if 1:
            import kinetic, model, sys, traceback
            job = kinetic.run(model.fail).submit()
            job.wait()
            sys.version_info = (3, 10, 0, "final", 0)
            try:
                job.result()
                assert False
            except ValueError as error:
                assert "in fail" in "".join(traceback.format_exception(error))
                assert not hasattr(error, "__notes__")
        """)


if __name__ == "__main__":
    unittest.main()
