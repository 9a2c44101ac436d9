"""The names of the module `kinetic.job_status` of the Python tool."""

from ._python_tool import JobStatus

__all__ = ["JobStatus"]
