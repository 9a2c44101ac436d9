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

    def test_groups_keep_their_exceptions(self):
        self.write("model.py", """
            class Own(Exception):
                pass

            class Custom(ExceptionGroup):
                def __new__(cls, errors, extra):
                    return super().__new__(cls, "custom", errors)

            def fail(kind):
                if kind == "base":
                    raise BaseExceptionGroup("base", [KeyboardInterrupt()])
                if kind == "custom":
                    raise Custom([ValueError("a")], 1)
                class Local(Exception):
                    pass
                inner = ExceptionGroup("inner", [OSError(28, "disk is full", "shard-2"), Local("c")])
                raise ExceptionGroup("several", [ValueError("a"), Own("b"), inner])
        """)
        self.run_python("-c", """if 1:
            import kinetic, model, pickle
            fail = kinetic.run(model.fail)
            try:
                fail("several")
                assert False
            except ExceptionGroup as error:
                group = error
            for each in (group, pickle.loads(pickle.dumps(group))):
                assert str(each) == "several (3 sub-exceptions)"
                value, own, inner = each.exceptions
                assert (type(value), value.args, type(own)) == (ValueError, ("a",), model.Own)
                full, local = inner.exceptions
                assert (full.errno, full.filename) == (28, "shard-2") and type(local) is kinetic.RemoteError
                assert str(local) == "model.fail.<locals>.Local: c", local
            assert "| ValueError: a" in group.__notes__[0], group.__notes__
            for kind in ("base", "custom"):
                try:
                    fail(kind)
                    assert False
                except kinetic.RemoteError as error:
                    assert kind + " (1 sub-exception)" in str(error), error
        """)

    def test_cause_and_context(self):
        self.write("model.py", """
            def fail(is_cause):
                class Local(Exception):
                    pass
                try:
                    try:
                        {}["x"]
                    except KeyError as error:
                        raise Local("first") from error
                except Local as error:
                    if is_cause:
                        raise Local("second") from error
                    raise ValueError("second")
        """)
        self.run_python("-c", """if 1:
            import kinetic, model, traceback
            fail = kinetic.run(model.fail)
            try:
                fail(True)
                assert False
            except kinetic.RemoteError as error:
                cause = error.__cause__
                assert str(cause) == "model.fail.<locals>.Local: first" and type(cause) is kinetic.RemoteError
                assert type(cause.__cause__) is KeyError and cause.__cause__.args == ("x",)
            try:
                fail(False)
                assert False
            except ValueError as error:
                assert error.__cause__ is None and type(error.__context__.__cause__) is KeyError
                assert "During handling" in "".join(traceback.format_exception(error))
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
