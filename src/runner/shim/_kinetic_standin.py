"""Provides a module `kinetic` in a job whose environment has none, so that modules that decorate functions can be imported.

Decorators return the function. Everything else raises an error when it is used.
"""

import importlib.machinery
import sys

_UNAVAILABLE = ("attach", "attach_batch", "list_jobs", "map")


class Error(Exception):
    """Never raised in a job."""


class RemoteError(Error):
    """Never raised in a job."""


def run(function=None, **_options):
    """Returns the function, or a decorator that does: in a job, functions run where they are called."""
    return (lambda decorated: decorated) if function is None else function


class _Handle:
    def __init__(self, *_arguments, **_options):
        pass


class Data(_Handle):
    """A data source. In a job, the function receives a path instead."""


class Job(_Handle):
    """A handle of a job, for annotations."""


class Batch(_Handle):
    """A handle of several jobs, for annotations."""


JobHandle, BatchHandle = Job, Batch


def _refusal(name):
    def refuse(*_arguments, **_options):
        raise RuntimeError("kinetic.%s is not available in a job; add kinetic to the job's dependencies" % name)

    return refuse


class _Finder:
    """Finds the stand-in. It is last in sys.meta_path, so that an installed package has precedence."""

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        return importlib.machinery.ModuleSpec(name, _Finder) if name == "kinetic" else None

    @staticmethod
    def create_module(_spec):
        return None

    @staticmethod
    def exec_module(module):
        module.__doc__ = __doc__
        for one in (run, Error, RemoteError, Data, Job, Batch):
            setattr(module, one.__name__, one)
        module.JobHandle, module.BatchHandle = JobHandle, BatchHandle
        for name in _UNAVAILABLE:
            setattr(module, name, _refusal(name))


def install():
    sys.meta_path.append(_Finder)
