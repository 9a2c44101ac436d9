"""The decorator `kinetic.run`."""

from __future__ import annotations

import operator
import os
import sys
import types

from . import _options
from ._display import tell

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any, Callable, Concatenate, Generic, Iterable, ParamSpec, TypeVar, overload

    from typing_extensions import Unpack

    from ._batch import Batch
    from ._job import Job
    from ._keywords import Run, RunOptions
    from ._python_tool import BatchHandle, JobHandle

    P = ParamSpec("P")
    Q = ParamSpec("Q")  # of a method, without self
    R = TypeVar("R")
else:
    P = R = None

    def overload(function):
        """Replaces typing.overload at run time."""
        return function

    class Generic:
        """Replaces typing.Generic at run time."""

        def __class_getitem__(cls, parameters):
            return types.GenericAlias(cls, parameters)


_is_nested_call_reported = False


class RemoteFunction(Generic[P, R]):
    """A function whose calls are jobs.

    Attributes
    ----------
    __wrapped__ : callable
        The function itself, to call it here.
    """

    def __init__(self, function: Callable[P, R], options: dict[str, Any]) -> None:
        _check_function(function)
        _options.check(options)
        self.__name__: str = getattr(function, "__name__", type(function).__name__)
        self.__qualname__: str = getattr(function, "__qualname__", self.__name__)
        self.__module__: str = getattr(function, "__module__", __name__)
        self.__doc__ = function.__doc__
        self.__annotations__ = getattr(function, "__annotations__", {})
        self.__wrapped__: Callable[P, R] = function
        self._options = options
        if _is_async(function):
            _mark_async(self)

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the function as a job, writes its log, and returns its value."""
        if "KINETIC_JOB_ID" in os.environ:
            return self._call_here(*args, **kwargs)
        if _is_async(self.__wrapped__):
            return self._call_in_loop(args, kwargs)  # type: ignore[return-value]
        return self.submit(*args, **kwargs).result(stream_logs=True)

    def submit(self, /, *args: P.args, **kwargs: P.kwargs) -> Job[R]:
        """Submits a job that calls the function, and returns its handle at once."""
        from ._submission import submit

        return submit(self.__wrapped__, args, kwargs, self._options)

    def run_async(self, /, *args: P.args, **kwargs: P.kwargs) -> JobHandle[R]:
        """Submits a job as `submit` does, and returns a handle of the Python tool."""
        from ._python_tool import handle_of

        return handle_of(self.submit(*args, **kwargs))

    def map(self, items: Iterable[Any], **options: Any) -> Batch[R]:
        """Calls the function once for each item: `kinetic.map`."""
        from ._batch import map as map_items

        return map_items(self, items, **options)

    def run_async_map(self, inputs: Iterable[Any], **options: Any) -> BatchHandle[R]:
        """Calls the function once for each input, as `map` does, and returns a handle of the Python tool."""
        from ._python_tool import map as map_inputs

        return map_inputs(self, inputs, **options)

    def options(self, **changes: Unpack[RunOptions]) -> RemoteFunction[P, R]:
        """Returns the function with other keywords of `kinetic.run`."""
        return RemoteFunction(self.__wrapped__, {**self._options, **changes})

    @overload
    def __get__(self, instance: None, owner: type) -> RemoteFunction[P, R]: ...

    @overload
    def __get__(self: RemoteFunction[Concatenate[Any, Q], R], instance: object,
                owner: type | None = None) -> RemoteFunction[Q, R]: ...

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return RemoteFunction(self.__wrapped__.__get__(instance, owner), self._options)

    def __copy__(self) -> RemoteFunction[P, R]:
        return self

    def __deepcopy__(self, _memo: object) -> RemoteFunction[P, R]:
        return self

    def __reduce__(self) -> str | tuple[Any, ...]:
        is_by_value = self.__module__ == "__main__" and _is_called_by_cloudpickle()
        if not is_by_value and _found(self.__module__, self.__qualname__) is self:
            return self.__qualname__  # by name, such as for another process
        return operator.itemgetter(0), ((self.__wrapped__,),)

    def _call_here(self, *args: P.args, **kwargs: P.kwargs) -> R:
        global _is_nested_call_reported
        if not _is_nested_call_reported:
            _is_nested_call_reported = True
            tell(f"{self.__name__} was called in a job and runs there")
        return self.__wrapped__(*args, **kwargs)

    async def _call_in_loop(self, args: Any, kwargs: Any) -> Any:
        import asyncio

        from ._interrupt import end_wait

        submission = asyncio.ensure_future(asyncio.to_thread(self.submit, *args, **kwargs))
        try:
            job = await asyncio.shield(submission)
        except asyncio.CancelledError:
            await asyncio.wait([submission])  # else the job would remain without its ID
            if not submission.cancelled() and submission.exception() is None:
                end_wait(submission.result())
            raise
        return await job

    def __repr__(self) -> str:
        return f"<kinetic.run function {self.__name__}>"


RemoteFunction.__module__ = "kinetic"  # for tracebacks and help


def _is_called_by_cloudpickle() -> bool:
    """Returns whether the caller of the caller passes functions of __main__ by value, as joblib does."""
    return "cloudpickle" in sys._getframe(2).f_globals.get("__name__", "")


def _found(module: str, path: str) -> object:
    found: object = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _typed(function: Any) -> Run:
    return function  # type: ignore[no-any-return]


@_typed
def run(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Turns calls of a function into jobs.

    Use it as ``@kinetic.run`` or with keywords, ``@kinetic.run(accelerator="v5litepod-4")``.

    Parameters
    ----------
    accelerator : str or list of str, optional
        Such as ``"gpu-l4"``, or a list in order of preference. ``":spot"`` may follow a single name. Default: CPUs.
    dependencies : path, dict, or list of str, optional
        The file with the packages, or a list such as ``["numpy==2.1"]``; default: the file of the project.
        ``"environment"``: the packages that are installed here, in their versions.
    bundle : path or dict, optional
        The folder that is sent; default: the project of the function's file.
    env, secrets, tags, data, resources, retry, timeouts : optional
        The keys of a job file with these names, such as ``retry={"attempts": 3}`` and ``timeouts={"run": "2h"}``.
    name, python, image, spot, flex_start, reservation, max_cost, queue, pod : optional
        The keys of a job file with these names. `python` is by default the minor version of this interpreter.
    target, profile : str, optional
        The target to run on, as in ``kinetic run --target``.
    cancel_on_interrupt : bool, optional
        Whether Ctrl-C cancels the job. Otherwise the job continues.
    serializer : {None, "pickle"}
        ``"pickle"`` pickles the parts of arguments and values that are not data. Otherwise they are an error.
    container_image, capture_env_vars, volumes : optional
        The names of the Python tool for `image`, `secrets`, and `data`.
    zone, project, cluster, namespace, backend, base_image_repo, output_dir : optional
        Accepted for programs of the Python tool, with a warning and without effect.
    debug : optional
        Accepted for programs of the Python tool. True is an error.

    Returns
    -------
    RemoteFunction
        A callable, which also has `submit` and `map`.
    """
    if function is None:
        return lambda decorated: RemoteFunction(decorated, options)
    return RemoteFunction(function, options)


run.__module__ = "kinetic"


def _is_async(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & 0x80)  # inspect.CO_COROUTINE


def _mark_async(remote: RemoteFunction[..., Any]) -> None:
    """Makes inspect.iscoroutinefunction and asyncio.iscoroutinefunction true."""
    import inspect

    mark = getattr(inspect, "markcoroutinefunction", None)
    if mark is not None:
        mark(remote)
    else:  # Python 3.10 and 3.11
        import asyncio.coroutines

        remote._is_coroutine = asyncio.coroutines._is_coroutine  # type: ignore[attr-defined]


def _check_function(function: Any) -> None:
    if isinstance(function, type):
        raise TypeError(f"kinetic.run cannot decorate the class {function.__name__}; decorate a function that "
                        "creates an instance")
    if isinstance(function, (classmethod, staticmethod)):
        raise TypeError(f"place @kinetic.run below @{type(function).__name__}")
    if isinstance(function, str):
        raise TypeError(f"kinetic.run decorates functions, not {function!r}; did you mean accelerator={function!r}?")
    if not callable(function):
        raise TypeError(f"kinetic.run decorates functions, not {type(function).__name__}")
    if hasattr(function, "cache_clear") and hasattr(function, "cache_info"):
        raise TypeError("place @kinetic.run below the cache, which cannot be sent")
    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & (0x20 | 0x200):  # inspect.CO_GENERATOR, CO_ASYNC_GENERATOR
        raise TypeError(f"kinetic.run cannot decorate the generator {function.__name__}; return a list instead")
