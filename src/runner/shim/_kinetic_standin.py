"""Provides a module `kinetic` in a job whose environment has none, so that modules that decorate functions can be imported.

Calls of decorated functions run in the job. What a job cannot do raises an error.
"""

import enum
import importlib
import importlib.machinery
import json
import operator
import os
import sys

_UNAVAILABLE = ("attach", "attach_batch", "list_jobs", "map")
_MOST_METRICS = 64
_MOST_NAME_BYTES = 128
_COROUTINE = 0x80  # inspect.CO_COROUTINE
_is_call_reported = False


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
    """A decorated function, whose calls run in this job."""

    def __init__(self, function):
        for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
            if hasattr(function, name):
                setattr(self, name, getattr(function, name))
        self.__wrapped__ = function
        if getattr(getattr(function, "__code__", None), "co_flags", 0) & _COROUTINE:
            _mark_async(self)

    def __call__(self, /, *args, **kwargs):
        global _is_call_reported
        if not _is_call_reported and sys.stderr is not None:
            _is_call_reported = True
            print("kinetic: %s was called in a job and runs there" % self._name(), file=sys.stderr, flush=True)
        return self.__wrapped__(*args, **kwargs)

    def options(self, **_changes):
        return self

    def submit(self, *_args, **_kwargs):
        raise self._refusal("submit")

    def map(self, *_args, **_kwargs):
        raise self._refusal("map")

    def run_async(self, *_args, **_kwargs):
        raise self._refusal("run_async")

    def run_async_map(self, *_args, **_kwargs):
        raise self._refusal("run_async_map")

    def _refusal(self, method):
        name = self._name()
        return RuntimeError("a job cannot submit jobs: %s.%s was called in a job; %s(…) runs in this job" % (
            name, method, name))

    def _name(self):
        return getattr(self, "__name__", type(self.__wrapped__).__name__)

    def __get__(self, instance, owner=None):
        return self if instance is None else RemoteFunction(self.__wrapped__.__get__(instance, owner))

    def __copy__(self):
        return self

    def __deepcopy__(self, _memo):
        return self

    def __reduce__(self):
        found = sys.modules.get(self.__module__)
        for part in getattr(self, "__qualname__", "?").split("."):
            found = getattr(found, part, None)
        return self.__qualname__ if found is self else (operator.itemgetter(0), ((self.__wrapped__,),))


def _mark_async(remote):
    """Makes inspect.iscoroutinefunction and asyncio.iscoroutinefunction true."""
    import inspect

    if hasattr(inspect, "markcoroutinefunction"):
        inspect.markcoroutinefunction(remote)
    else:  # Python 3.11 and older
        import asyncio.coroutines

        remote._is_coroutine = asyncio.coroutines._is_coroutine


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


class ToolStatus(enum.Enum):
    """The state of a job in `kinetic.jobs`."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    NOT_FOUND = "NOT_FOUND"


class Data:
    """A data source. A function whose argument it is receives a path instead."""

    def __init__(self, *_arguments, **_options):
        pass


_CLASSES = (Error, RemoteError, BatchError, WaitTimeoutError, RemoteFunction, Job, Batch, JobStatus, Data)


def run(function=None, **_options):
    """Returns the decorated function, or a decorator."""
    return run if function is None else RemoteFunction(function)


def _refusal(what):
    def refuse(*_arguments, **_options):
        raise RuntimeError("a job cannot use %s: jobs are submitted from outside" % what)

    return refuse


def log(**numbers):
    """Logs a row of metrics: numbers with their names, such as ``step=1, loss=2.07``."""
    if not numbers:
        raise TypeError("kinetic.log() needs at least one number, such as loss=2.07")
    if len(numbers) > _MOST_METRICS:
        raise ValueError("kinetic.log() takes at most %d numbers, not %d" % (_MOST_METRICS, len(numbers)))
    for name in numbers:
        if not _is_name(name):
            raise ValueError("kinetic.log() takes names of 1 to %d bytes of UTF-8, not %.200r" % (_MOST_NAME_BYTES, name))
    row = {name: _number(name, number) for name, number in numbers.items()}
    line = (json.dumps({"kinetic.metrics": row}) + "\n").encode("ascii")
    if sys.stdout is not None:
        sys.stdout.flush()
    while line:  # one write, so that lines of several threads and processes are not mixed
        try:
            line = line[os.write(1, line) :]
        except BlockingIOError:  # a full pipe that does not block
            import select

            select.select([], [1], [])


def _is_name(name):
    try:
        return 0 < len(name.encode()) <= _MOST_NAME_BYTES
    except UnicodeEncodeError:
        return False


def _number(name, number):
    if isinstance(number, int):
        if abs(number) <= sys.float_info.max:
            return int(number)
        return float("inf") if number > 0 else -float("inf")
    try:
        if isinstance(number, (str, bytes, bytearray)):
            raise TypeError("a text")
        return float(number)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(
            "kinetic.log(): %s is of type %s, but must be a number or an array with one item"
            % (name, type(number).__name__)
        ) from error


ToolStatus.__module__, ToolStatus.__qualname__ = "kinetic.jobs", "JobStatus"
_SUBMODULES = {
    "kinetic.jobs": {"JobHandle": Job, "JobStatus": ToolStatus, "attach": _refusal("kinetic.jobs.attach"),
                     "list_jobs": _refusal("kinetic.jobs.list_jobs")},
    "kinetic.job_status": {"JobStatus": ToolStatus},
    "kinetic.collections": {"BatchError": BatchError, "BatchHandle": Batch, "map": _refusal("kinetic.collections.map"),
                            "attach_batch": _refusal("kinetic.collections.attach_batch")},
}


def _submodule(name):
    """Returns a submodule as an attribute of the module, as the package does."""
    if "kinetic." + name not in _SUBMODULES:
        raise AttributeError("module 'kinetic' has no attribute %r" % name)
    return importlib.import_module("kinetic." + name)


class _Finder:
    """Finds the stand-in, unless there is a package. A folder without __init__.py is none."""

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        if name in _SUBMODULES and getattr(sys.modules.get("kinetic"), "__loader__", None) is _Finder:
            return importlib.machinery.ModuleSpec(name, _Finder)
        if name != "kinetic":
            return None
        found = importlib.machinery.PathFinder.find_spec(name)
        if found is not None and found.has_location:
            return None
        return importlib.machinery.ModuleSpec(name, _Finder, is_package=True)

    @staticmethod
    def create_module(_spec):
        return None

    @staticmethod
    def exec_module(module):
        if module.__name__ in _SUBMODULES:
            vars(module).update(_SUBMODULES[module.__name__])
            return
        module.__doc__ = __doc__
        module.__getattr__ = _submodule
        module.__version__ = "job"
        module.run = run
        module.log = log
        for one in _CLASSES:
            one.__module__ = "kinetic"
            setattr(module, one.__name__, one)
        module.JobHandle, module.BatchHandle = Job, Batch
        for name in _UNAVAILABLE:
            setattr(module, name, _refusal("kinetic." + name))


def install():
    sys.meta_path.insert(0, _Finder)
