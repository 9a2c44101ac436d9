"""Runs Python functions as jobs on TPUs, GPUs, and CPUs, on this machine or on a cluster.

>>> import kinetic
>>> @kinetic.run(accelerator="cpu")
... def add(a, b):
...     return a + b
>>> add(1, 2)  # a job
3
"""

from __future__ import annotations

from ._errors import Error, RemoteError, WaitTimeoutError
from ._remote_function import RemoteFunction, run

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any

    from . import collections, job_status, jobs
    from ._batch import Batch, BatchError, map
    from ._data import Data
    from ._job import Job, JobStatus, attach, list_jobs
    from ._metrics import log
    from ._python_tool import BatchHandle, JobHandle, attach_batch

    __version__: str

__all__ = [
    "Batch", "BatchError", "BatchHandle", "Data", "Error", "Job", "JobHandle", "JobStatus", "RemoteError",
    "RemoteFunction", "WaitTimeoutError", "attach", "attach_batch", "list_jobs", "log", "map", "run",
]

# Names that are imported on first use, with their modules.
_LAZY = {
    "Batch": "_batch", "BatchError": "_batch", "map": "_batch", "Data": "_data",
    "Job": "_job", "JobStatus": "_job", "attach": "_job", "list_jobs": "_job", "__version__": "_kinetic",
    "log": "_metrics", "BatchHandle": "_python_tool", "JobHandle": "_python_tool", "attach_batch": "_python_tool",
}
_MODULES = ("collections", "job_status", "jobs")  # of the Python tool


def __getattr__(name: str) -> Any:
    import importlib

    if name == "_kinetic":
        from . import _platform

        return _platform.load_module()
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    if name not in _LAZY:
        raise AttributeError(f"module 'kinetic' has no attribute {name!r}")
    module = __getattr__("_kinetic") if _LAZY[name] == "_kinetic" else importlib.import_module("." + _LAZY[name], __name__)
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_LAZY})
