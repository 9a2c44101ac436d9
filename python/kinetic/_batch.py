"""Calls of one function with many arguments: the tasks of one array job."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterable, Iterator, Literal, overload

from . import _checks
from ._display import display
from ._errors import Error, RemoteError
from ._interrupt import Waiting, effect_of_ctrl_c
from ._job import Job, JobStatus, R, attach, has_timed_out, timeout_error, value_of
from ._remote_error import exception_of

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._keywords import MapOptions
    from ._remote_function import RemoteFunction
    from ._submission import Call


class BatchError(Error):
    """Some calls of a batch failed.

    Attributes
    ----------
    failures : dict of int to Exception
        The exceptions by the index of the item. In a batch of `run_async_map`, a list of the jobs that failed.
    group_id : str
        The ID of the array job.
    partial_results : list
        The values in the order of the items, with None for calls that failed.
    submission_failures : dict
        Empty: a batch is submitted as a whole.
    """

    submission_failures: dict[int, Exception] = {}

    def __init__(self, message: str, failures: Any, group_id: str = "", partial_results: list[Any] | None = None) -> None:
        super().__init__(message, "ABORTED")
        self.failures = failures
        self.group_id = group_id
        self.partial_results = partial_results or []

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.failures, self.group_id, self.partial_results)


class Batch(Generic[R]):
    """A handle of an array job. Iterating over it yields the values in the order of the items.

    ``len(batch)`` is the number of calls, and ``batch[i]`` the `Job` of one of them.

    Attributes
    ----------
    job : Job
        The array as a whole.
    """

    def __init__(self, job: Job[Any], count: int, arguments: list[dict[str, Any]] | None = None) -> None:
        self.job = job
        self._count = count
        self._arguments = arguments  # by parameter; None: unknown
        self._values: dict[int, Any] = {}
        self._failures: dict[int, Exception] = {}
        self._states: dict[int, str] = {}  # of the calls that have ended

    @property
    def group_id(self) -> str:
        """The ID of the array job."""
        return self.job.id

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Job[R]:
        """Returns the handle of the job that calls the function with one item."""
        if not -self._count <= index < self._count:
            raise IndexError(f"the batch has {self._count} items")
        return Job(self.job._task(index % self._count), self.job.target, self.job.cancel_on_interrupt, self.job.serializer)

    def __iter__(self) -> Iterator[R]:
        return iter(self.results())

    @overload
    def results(self, timeout: float | None = None, *, ordered: bool = True, return_exceptions: Literal[False] = False,
                cleanup: bool | None = None) -> list[R]: ...

    @overload
    def results(self, timeout: float | None = None, *, ordered: bool = True, return_exceptions: bool,
                cleanup: bool | None = None) -> list[Any]: ...

    def results(self, timeout: float | None = None, *, ordered: bool = True, return_exceptions: bool = False,
                cleanup: bool | None = None) -> list[Any]:
        """Waits for all calls, and returns their values: one entry for each item.

        A call that never ran, as the batch was cancelled or had too many failures, failed with a RemoteError.

        Parameters
        ----------
        timeout : float, optional
            The longest time to wait, in seconds.
        ordered : bool, optional
            In the order of the items; otherwise in the order of their ends.
        return_exceptions : bool, optional
            Return the exception of a failed call in the place of its value.
        cleanup : optional
            Accepted for programs of the Python tool, without effect.

        Raises
        ------
        BatchError
            Some calls failed, and `return_exceptions` is not set.
        TimeoutError
            Some calls did not end within `timeout` seconds. They keep running.
        Error
            A value cannot be read.
        """
        ended = [index for index, _value in self._ended(timeout, True)]
        if self._failures and not return_exceptions:
            raise self._error() from self._failures[min(self._failures)]
        return [self._known(index) for index in (sorted(ended) if ordered else ended)]

    def as_completed(self, *, timeout: float | None = None, poll_interval: float | None = None,
                     return_exceptions: bool = False) -> Iterator[tuple[int, Any]]:
        """Yields the index and the value of each call as it ends, and then those of calls that never ran.

        Raises
        ------
        Exception
            The exception of a failed call, unless `return_exceptions` is set.
        TimeoutError
            Some calls did not end within `timeout` seconds. They keep running.
        """
        return self._ended(timeout, return_exceptions)

    def _ended(self, timeout: float | None, return_exceptions: bool) -> Iterator[tuple[int, Any]]:
        ended: set[int] = set()
        for index in self._take_each(_checks.timeout_seconds(timeout)):
            ended.add(index)
            yield index, self._checked(index, return_exceptions)
        for index in sorted(set(range(self._count)) - ended):
            yield index, self._checked(index, return_exceptions)

    def to_frame(self, *, return_exceptions: bool = False) -> pandas.DataFrame:
        """Waits for all calls, and returns a DataFrame with a row for each: its arguments, and its value.

        The columns are the parameters that were passed, and ``"value"``, or ``"result"`` if there is a parameter
        of that name. A batch of `kinetic.attach_batch` has no columns for arguments.

        Parameters
        ----------
        return_exceptions : bool, optional
            Return the exception of a failed call in the place of its value.

        Raises
        ------
        BatchError
            Some calls failed, and `return_exceptions` is not set.
        Error
            pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise Error("Batch.to_frame() needs the package pandas, which is not installed", "FAILED_PRECONDITION",
                        "install pandas, or use Batch.results()") from None
        rows = self._arguments or [{} for _ in range(self._count)]
        names = list(dict.fromkeys(name for row in rows for name in row))
        index = pandas.RangeIndex(self._count)
        columns = {name: _column(pandas, [row.get(name) for row in rows], index) for name in names}
        values = self.results(return_exceptions=return_exceptions)
        columns["result" if "value" in columns else "value"] = _column(pandas, values, index)
        return pandas.DataFrame(columns, index=index)

    def failures(self) -> dict[int, Exception]:
        """Waits for all calls, and returns the exceptions of those that failed, by index."""
        self.results(return_exceptions=True)
        return dict(sorted(self._failures.items()))

    def wait(self, timeout: float | None = None) -> JobStatus:
        """Waits until all calls have ended, and returns the state of the array."""
        return self.job.wait(timeout)

    def status_counts(self) -> dict[str, int]:
        """Returns the number of calls in each state. Calls that never ran count as cancelled."""
        if len(self._states) < self._count:
            summary = self.job.summary()
            counts = dict(summary["tasks"] or {})
            if JobStatus(summary["state"]).is_final():
                counts["cancelled"] = counts["tasks"] - counts["succeeded"] - counts["failed"]
            return counts
        states = list(self._states.values())
        succeeded, cancelled = states.count("succeeded"), states.count("cancelled")
        return {"tasks": self._count, "running": 0, "succeeded": succeeded,
                "failed": self._count - succeeded - cancelled, "cancelled": cancelled}

    def cancel(self) -> None:
        """Cancels all calls that have not ended."""
        self.job.cancel()

    def cleanup(self, **_unused: object) -> None:
        """Has no effect. `kinetic rm` and `kinetic gc` remove jobs."""

    def _take_each(self, timeout: float | None) -> Iterator[int]:
        started = time.monotonic()
        on_event = display(self.job.id, effect_of_ctrl_c(self.job))

        def tick() -> None:
            on_event("status", "", self._progress().encode())

        ends = iter(_Ends(self.job, timeout, tick, on_event if on_event.shows_phases else None))
        while True:
            with Waiting(self.job), on_event:  # not while the caller uses a value
                try:
                    index, state, text = next(ends)
                except StopIteration:
                    self._take_those_not_run()
                    tick()
                    on_event("state", "", self._final_state().encode())
                    return
                except Error as error:
                    if has_timed_out(error, timeout, started):
                        raise timeout_error("batch", self.job, timeout) from None
                    raise
                self._take(index, state, text)
            yield index

    def _final_state(self) -> str:
        others = set(self._states.values()) - {"succeeded"}
        return "succeeded" if not others else "cancelled" if others == {"cancelled"} else "failed"

    def _progress(self) -> str:
        failed = f", {len(self._failures)} failed" if self._failures else ""
        return f"{len(self._states)} of {self._count} calls ended{failed}"

    def _take(self, index: int, state: str, text: str) -> None:
        """Adds the value or the exception of a call that has ended."""
        if index in self._states:
            return
        if state == "succeeded" and text and '"$ref"' not in text:  # without separate arrays
            from . import _values

            self._values[index] = _values.decode_json(text, self.job.serializer)
        else:
            outcome = self.job._task(index).wait(None, True, False, None, None)
            state = outcome["state"]
            if state == "succeeded":
                self._values[index] = value_of(outcome, self.job.serializer)
            else:
                self._failures[index] = exception_of(outcome)
        self._states[index] = state

    def _take_those_not_run(self) -> None:
        """Adds an exception for each call that never ran, once the others have ended."""
        missing = [index for index in range(self._count) if index not in self._states]
        if not missing:
            return
        array = self.job.summary()
        why = "was cancelled" if array["state"] == "cancelled" else f"ended: {array['reason'] or array['state']}"
        for index in missing:
            details = {"job": f"{self.job.id}/tasks/{index:06}", "state": "cancelled", "exit_code": "126"}
            self._failures[index] = RemoteError(f"call {index} was not run: the batch {why}", "CANCELLED",
                                                details=details)
            self._states[index] = "cancelled"

    def _checked(self, index: int, return_exceptions: bool) -> Any:
        if index in self._failures and not return_exceptions:
            raise self._failures[index]
        return self._known(index)

    def _error(self) -> BatchError:
        index, first = min(self._failures.items())
        return BatchError(f"{len(self._failures)} of {self._count} calls failed; the first is call {index}: "
                          f"{type(first).__name__}: {first}", dict(sorted(self._failures.items())), self.group_id,
                          [self._values.get(index) for index in range(self._count)])

    def _known(self, index: int) -> Any:
        return self._failures[index] if index in self._failures else self._values[index]

    def __repr__(self) -> str:
        return f"<kinetic.Batch {self.job.id} of {self._count} calls>"


class _Event(tuple[str, str, bytes]):
    """An event of the array, for its display."""


class _Ends:
    """Iterates over the ends of tasks: index, state, and the JSON of a small value.

    A thread waits for them. Meanwhile, `tick` is called several times per second, and `on_event` with the events of
    the array, such as why it has not started.
    """

    def __init__(self, job: Job[Any], timeout: float | None, tick: Callable[[], None],
                 on_event: Callable[[str, str, bytes], object] | None) -> None:
        self._job = job
        self._timeout = timeout
        self._tick = tick
        self._on_event = on_event
        self._ends: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def __iter__(self) -> Iterator[tuple[int, str, str]]:
        from . import _kinetic

        stop = _kinetic.Stop()
        calls = [self._wait] if self._on_event is None else [self._wait, self._watch]
        threads = [threading.Thread(target=call, args=(stop,), name="kinetic-batch", daemon=True) for call in calls]
        for thread in threads:
            thread.start()
        try:
            while True:
                end = self._next()
                if end is None:
                    return
                if isinstance(end, BaseException):
                    raise end
                yield end
        finally:
            stop.request()
            for thread in threads:
                thread.join()

    def _next(self) -> Any:
        while True:  # in slices, so that Ctrl-C is noticed
            try:
                end = self._ends.get(timeout=0.1)
            except queue.Empty:
                self._tick()
                continue
            if not isinstance(end, _Event):
                return end
            if self._on_event is not None:
                self._on_event(*end)

    def _watch(self, stop: Any) -> None:
        def report(kind: str, name: str, text: bytes) -> None:
            if kind != "tick":
                self._ends.put(_Event((kind, name, text)))

        try:
            self._job._native.wait(None, False, False, report, stop)
        except Error:  # the other thread reports it, too
            pass

    def _wait(self, stop: Any) -> None:
        def report(state: str, index: str, text: bytes) -> None:
            self._ends.put((int(index), state, text.decode()))

        try:
            self._job._each_task(report, self._timeout, stop)
        except Exception as error:
            self._ends.put(error)
        else:
            self._ends.put(None)


def map(function: RemoteFunction[..., R] | Callable[..., R], items: Iterable[Any], *, parallel: int | None = None,
        max_concurrent: int | None = None, input_mode: str = "auto", max_failed: int | None = None,
        fail_fast: bool = False, tasks_per_process: int | None = None, name: str | None = None,
        tags: dict[str, str] | None = None, **options: Unpack[MapOptions]) -> Batch[R]:
    """Calls a function once for each item, as the tasks of one array job.

    Parameters
    ----------
    function : callable
        A function that `kinetic.run` decorates, or another one.
    items : iterable
        The arguments of each call.
    parallel : int, optional
        The largest number of calls at the same time; default: as many as fit.
    max_concurrent : int, optional
        The name of the Python tool for `parallel`.
    input_mode : {"auto", "single", "args", "kwargs"}
        How an item becomes arguments. ``"auto"``: a dict whose keys are names passes keyword arguments, a list or
        tuple passes positional arguments, and another item is the only argument.
    max_failed : int, optional
        The number of failed calls to tolerate; one more ends the array. Default: any.
    fail_fast : bool, optional
        The same as ``max_failed=0``.
    tasks_per_process : int, optional
        The number of calls that one process, or one pod, runs one after the other. They share the state of modules.
        Default: 1 for few items, and up to 50 for many.
    name, tags : optional
        Of the job.
    **options
        Other keywords of `kinetic.run`.

    Raises
    ------
    ValueError
        There are no items, or `input_mode` is unknown.
    TypeError
        A keyword is unknown, or the function does not take an item.
    """
    from . import _options
    from ._remote_function import RemoteFunction
    from ._submission import Call

    keywords: dict[str, Any] = {**options}
    _options.check_names(keywords, "kinetic.map", _KEYWORDS)
    remote = function if isinstance(function, RemoteFunction) else RemoteFunction(function, {})
    keywords.update((key, value) for key, value in {"name": name, "tags": tags}.items() if value is not None)
    remote = remote.options(**keywords) if keywords else remote
    calls = [_arguments_of(item, input_mode) for item in items]
    if not calls:
        raise ValueError("kinetic.map: there are no items")
    name_of_limit, limit = ("max_concurrent", max_concurrent) if parallel is None else ("parallel", parallel)
    if limit is not None:
        _checks.whole_number(name_of_limit, limit, 1)
    array = {"parallel": limit, "max_failed": 0 if fail_fast else max_failed,
             "tasks_per_pod": tasks_per_process or _tasks_per_process(len(calls), limit)}
    call = Call(remote.__wrapped__, remote._options)
    encoded = [_encoded(call, index, *arguments) for index, arguments in enumerate(calls)]
    parameters = [call.parameters(*arguments) for arguments in calls]
    job = call.submit_each(encoded, {key: value for key, value in array.items() if value is not None})
    return Batch(job, len(calls), parameters)


_KEYWORDS = ("parallel", "max_concurrent", "input_mode", "max_failed", "fail_fast", "tasks_per_process", "name",
             "tags")


def _tasks_per_process(calls: int, parallel: int | None) -> int:
    """Returns a number that gives each process several shares, so that all end at about the same time."""
    processes = parallel if parallel else 16
    return min(50, max(1, calls // (4 * processes)))


def _column(pandas: Any, values: list[Any], index: Any) -> Any:
    """Returns a Series with a value for each row. Numbers and texts get their own types."""
    column = pandas.Series(index=index, dtype=object)
    for row, value in enumerate(values):
        column.iat[row] = value
    return column.infer_objects()


def _encoded(call: Call, index: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns the encoded arguments of an item. Errors contain its index."""
    try:
        return call.encode(args, kwargs)
    except TypeError as error:
        raise TypeError(f"item {index}: {error}") from None
    except Error as error:
        raise Error(f"item {index}: {error.args[0]}", error.code, error.hint, error.details) from None


def _arguments_of(item: Any, mode: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if mode not in ("auto", "single", "args", "kwargs"):
        raise ValueError(f"kinetic.map: input_mode is {mode!r}, expected auto, single, args, or kwargs")
    names = isinstance(item, dict) and item and all(isinstance(key, str) and key.isidentifier() for key in item)
    if mode == "kwargs" or (mode == "auto" and names):
        return (), dict(item)
    if mode == "args" or (mode == "auto" and type(item) in (list, tuple)):
        return tuple(item), {}
    return (item,), {}


def attach_batch(group_id: str, project: str | None = None, cluster: str | None = None, *, target: str = "",
                 poll_interval: float | None = None, poll_timeout: float | None = None,
                 serializer: str | None = None) -> Batch[Any]:
    """Returns the handle of a batch by the ID of its array job.

    `serializer` is that of `kinetic.attach`. The parameters `project`, `cluster`, `poll_interval`, and `poll_timeout`
    are accepted for programs of the Python tool, without effect.
    """
    job = attach(group_id, target=target, serializer=serializer)
    counts = job.summary()["tasks"]
    if counts is None:
        raise Error(f"job {job.id} is not a batch", "INVALID_ARGUMENT", "use kinetic.attach")
    return Batch(job, counts["tasks"])


_PUBLIC: tuple[Any, ...] = (Batch, BatchError, map)
for _each in _PUBLIC:
    _each.__module__ = "kinetic"  # for tracebacks, help, and functions that a job gets by value
