"""The names of the module `kinetic.collections` of the Python tool."""

from ._batch import BatchError
from ._python_tool import BatchHandle, attach_batch, map

__all__ = ["BatchError", "BatchHandle", "attach_batch", "map"]
