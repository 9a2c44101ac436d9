"""Provides a module `kinetic` in a job whose environment has none, so that modules that decorate functions can be imported.

Decorators return the function, with the attributes of a decorated one. What a job cannot do raises an error.
"""

import enum
import importlib.machinery
import sys
import types

_UNAVAILABLE = ("attach", "attach_batch", "list_jobs", "map")
_UNAVAILABLE_METHODS = ("submit", "map", "run_async", "run_async_map")


class Error(Exception):
    """Never raised in a job."""


class RemoteError(Error):
    """Never raised in a job."""


class BatchError(Error):
    """Never raised in a job."""


class WaitTimeoutError(Error, TimeoutError):
    """Never raised in a job."""


class _Generic:
    def __class_getitem__(cls, _parameters):
        return cls


class RemoteFunction(_Generic):
    """The class of decorated functions, for annotations."""


class Job(_Generic):
    """A handle of a job, for annotations."""


class Batch(_Generic):
    """A handle of several jobs, for annotations."""


class JobStatus(str, enum.Enum):
    """The state of a job."""

    QUEUED = "queued"
    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    PREEMPTED = "preempted"
    LOST = "lost"


class Data:
    """A data source. A function whose argument it is receives a path instead."""

    def __init__(self, *_arguments, **_options):
        pass


_CLASSES = (Error, RemoteError, BatchError, WaitTimeoutError, RemoteFunction, Job, Batch, JobStatus, Data)


def run(function=None, **_options):
    """Returns the function, or a decorator that does: in a job, functions run where they are called."""
    if function is None:
        return run
    try:
        if isinstance(function, types.FunctionType):
            function.__wrapped__ = _copy(function)  # not itself, which would be an endless chain
        function.options = lambda **_changes: function
        for name in _UNAVAILABLE_METHODS:
            setattr(function, name, _refusal("the method %s of a decorated function" % name))
    except AttributeError:  # a builtin or a method
        pass
    return function


def _copy(function):
    copy = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                              function.__closure__)
    copy.__kwdefaults__, copy.__annotations__ = function.__kwdefaults__, function.__annotations__
    return copy


def _refusal(what):
    def refuse(*_arguments, **_options):
        raise RuntimeError("a job cannot use %s: jobs are submitted from outside" % what)

    return refuse


class _Finder:
    """Finds the stand-in, unless there is a package. A folder without __init__.py is none."""

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        if name != "kinetic":
            return None
        found = importlib.machinery.PathFinder.find_spec(name)
        return None if found is not None and found.has_location else importlib.machinery.ModuleSpec(name, _Finder)

    @staticmethod
    def create_module(_spec):
        return None

    @staticmethod
    def exec_module(module):
        module.__doc__ = __doc__
        module.__version__ = "job"
        module.run = run
        for one in _CLASSES:
            one.__module__ = "kinetic"
            setattr(module, one.__name__, one)
        module.JobHandle, module.BatchHandle = Job, Batch
        for name in _UNAVAILABLE:
            setattr(module, name, _refusal("kinetic." + name))


def install():
    sys.meta_path.insert(0, _Finder)
