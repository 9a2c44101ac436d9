"""The names of the module `kinetic.jobs` of the Python tool."""

from ._python_tool import JobHandle, JobStatus, attach, list_jobs

__all__ = ["JobHandle", "JobStatus", "attach", "list_jobs"]
