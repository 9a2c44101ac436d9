"""Handles of jobs."""

from __future__ import annotations

import os
import time
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Generator, Generic, TypeVar

from . import _checks, _client, _folders
from ._display import display
from ._errors import Error, WaitTimeoutError
from ._interrupt import Waiting, attach_command, effect_of_ctrl_c, end_wait, is_from_ctrl_c
from ._metrics import parse
from ._progress import Display

if TYPE_CHECKING:
    import asyncio

    from typing_extensions import Self

    from . import _kinetic


R = TypeVar("R")


class JobStatus(str, Enum):
    """The state of a job. Compares equal to its name, such as ``"running"``."""

    QUEUED = "queued"
    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    PREEMPTED = "preempted"
    LOST = "lost"

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, form: str) -> str:
        return format(str(self.value), form)

    def is_final(self) -> bool:
        """Returns whether the state is final."""
        return self.value not in ("queued", "pending", "running")


class Job(Generic[R]):
    """A handle of a submitted job. Deleting it does not affect the job.

    ``await job`` waits in an event loop, and returns or raises what `result` does.

    Ctrl-C during a wait ends only the wait, unless `cancel_on_interrupt` is set.

    Attributes
    ----------
    id : str
        The job's ID, for `kinetic.attach` and for the command.
    cancel_on_interrupt : bool
        Whether Ctrl-C during a wait cancels the job.
    serializer : {None, "pickle"}
        Whether parts of the value may be pickles, which execute code of the job when they are loaded.
    """

    def __init__(self, native: _kinetic.Job, target: str, cancel_on_interrupt: bool = False,
                 serializer: str | None = None) -> None:
        self.id: str = native.id
        self.cancel_on_interrupt = cancel_on_interrupt
        self.serializer = _checks.serializer(serializer)
        self._target = target
        self._handle: _kinetic.Job | None = native
        self._process = os.getpid()
        self._summary: dict[str, Any] | None = None

    @classmethod
    def _of_summary(cls, summary: dict[str, Any], target: str) -> Self:
        """Returns the handle of a listed job, without a request."""
        job = cls.__new__(cls)
        job.id, job._target, job._summary = summary["id"], target, summary
        job.cancel_on_interrupt, job.serializer = False, None
        job._handle, job._process = None, 0
        return job

    @property
    def _native(self) -> _kinetic.Job:
        """The native handle. A forked process opens its own."""
        if self._handle is None or self._process != os.getpid():
            self._handle = _client.client(self._target).find(self.id)
            self._process = os.getpid()
        return self._handle

    @property
    def target(self) -> str:
        """The target that the job runs on; empty: the configured one."""
        return self._target

    @property
    def job_id(self) -> str:
        """The ID, as the Python tool calls it."""
        return self.id

    @property
    def properties(self) -> dict[str, Any]:
        """What `summary` or `kinetic.list_jobs` returned last, such as the state at that time."""
        return self.summary() if self._summary is None else self._summary

    @property
    def name(self) -> str:
        """The job's name: that of the function, unless `name` is set."""
        return str(self.properties["name"])

    @property
    def func_name(self) -> str:
        """The name, as the Python tool calls it."""
        return self.name

    @property
    def backend(self) -> str:
        """The name of the target. In the Python tool, this is the kind of cluster."""
        return str(self.properties["target"])

    @property
    def tags(self) -> dict[str, str]:
        """The job's tags."""
        return dict(self.properties["tags"])

    @property
    def accelerator(self) -> str:
        """The requested accelerator; empty: CPUs."""
        return str(self.properties["accelerator"])

    @property
    def created_at(self) -> str:
        """The time of the submission: UTC, as in ISO 8601."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.properties["created"]))

    def status(self) -> JobStatus:
        """Returns the current state."""
        return JobStatus(self.summary()["state"])

    def summary(self) -> dict[str, Any]:
        """Returns the main properties: name, owner, state, reason, times in seconds since 1970, and others.

        ``"cost"`` is None if it is unknown, as for a local job, or a dict: ``"dollars"`` until now, ``"node_seconds"``
        on nodes, ``"price_per_hour"`` at list prices, and others.
        """
        self._summary = self._native.summary()
        return self._summary

    def wait(self, timeout: float | None = None) -> JobStatus:
        """Waits until the job has ended, and returns its final state.

        Raises
        ------
        TimeoutError
            The job did not end within `timeout` seconds. The job keeps running.
        """
        limit = _checks.timeout_seconds(timeout)
        with Waiting(self):
            return JobStatus(self._wait(limit, False, False)["state"])

    def result(self, timeout: float | None = None, *, stream_logs: bool = False, cleanup: bool | None = None,
               cleanup_timeout: float | None = None, cleanup_poll_interval: float | None = None) -> R:
        """Waits for the job, and returns its value.

        Parameters
        ----------
        timeout : float, optional
            The longest time to wait, in seconds.
        stream_logs : bool, optional
            Write the log to stdout and stderr meanwhile.
        cleanup, cleanup_timeout, cleanup_poll_interval : optional
            Accepted for programs of the Python tool, without effect: a result can be read again, and
            `kinetic gc` removes old jobs.

        Raises
        ------
        Exception
            The job's exception, with its own type if this program has imported that. Its traceback in the job is
            a note.
        RemoteError
            The job failed in another way, or was cancelled.
        TimeoutError
            The job did not end within `timeout` seconds. The job keeps running.
        """
        limit = _checks.timeout_seconds(timeout)
        with Waiting(self):
            outcome = self._wait(limit, True, stream_logs)
        value: R = value_of(outcome, self.serializer)
        return value

    def _wait(self, timeout: float | None, value: bool, log: bool) -> dict[str, Any]:
        started = time.monotonic()
        try:
            with display(self.id, effect_of_ctrl_c(self)) as show:
                on_event = self._observed(show)
                outcome = self._native.wait(timeout, value, log, on_event, None)
                on_event("state", "", outcome["state"].encode())
                return outcome
        except Error as error:
            if has_timed_out(error, timeout, started):
                raise timeout_error("job", self, timeout) from None
            raise

    def _observed(self, on_event: _kinetic.OnEvent) -> _kinetic.OnEvent:
        """Returns what receives the events of a wait."""
        return on_event

    def logs(self, follow: bool = False) -> str | None:
        """Returns the log. With `follow`, writes it to stdout and stderr until the job ends, and returns None."""
        if not follow:
            return self._text(None)
        with Display() as show:
            self._native.read_log(show, True, None)
        return None

    def tail(self, n: int = 100) -> str:
        """Returns the last lines of the log."""
        return self._text(_checks.whole_number("n", n, 0))

    def _text(self, tail: int | None) -> str:
        pieces: list[bytes] = []
        self._native.read_log(lambda _kind, _name, text: pieces.append(text), False, tail)
        return b"".join(pieces).decode("utf-8", "replace")

    def metrics(self) -> list[dict[str, float]]:
        """Returns the rows of metrics that the job has logged so far with `kinetic.log`, in their order."""
        rows: list[dict[str, float]] = []

        def add(_kind: str, name: str, text: bytes) -> None:
            row = parse(text.decode("utf-8", "replace")) if name == "stdout" else None
            if row is not None:
                rows.append(row)

        self._native.read_log(add, False, None)
        return rows

    def cancel(self) -> None:
        """Cancels the job, and returns when it has ended."""
        self._native.cancel()

    def _task(self, index: int) -> _kinetic.Job:
        """Returns the native handle of a task of an array."""
        return self._native.task(index)

    def _each_task(self, report: Any, timeout: float | None, stop: Any) -> None:
        """Calls ``report(state, index, json)`` for each task of an array as it ends."""
        self._native.each_task(report, timeout, stop)

    def outputs(self) -> list[str]:
        """Returns the paths of the stored outputs: the files that the job wrote to KINETIC_OUTPUT_DIR."""
        return [path for path, _size, _stored in self._native.outputs()]

    def download(self, folder: str | os.PathLike[str], *paths: str, replace: bool = False) -> int:
        """Copies outputs to a folder.

        Parameters
        ----------
        folder : path
            Created if it does not exist.
        *paths : str
            Files and folders among the outputs; none: all of them.
        replace : bool, optional
            Replace files that differ. Otherwise they are an error.

        Returns
        -------
        int
            The number of files that were copied.
        """
        return self._native.fetch(_folders.absolute(folder), list(paths), replace)[0]

    def cleanup(self, **_unused: object) -> None:
        """Has no effect. `kinetic rm` and `kinetic gc` remove jobs."""

    def __await__(self) -> Generator[Any, None, R]:
        return self._wait_in_loop().__await__()

    async def _wait_in_loop(self) -> Any:
        import asyncio
        import threading

        from . import _kinetic

        loop = asyncio.get_running_loop()
        ended: asyncio.Future[dict[str, Any]] = loop.create_future()
        stop = _kinetic.Stop()
        native = self._native

        def wait() -> None:
            try:
                report = _setter(ended, native.wait(None, True, False, None, stop), None)
            except BaseException as error:
                report = _setter(ended, None, error)
            try:
                loop.call_soon_threadsafe(report)
            except RuntimeError:  # the loop is closed, so the result is not needed
                pass

        # The loop's executor has few threads, which are meant for short calls.
        threading.Thread(target=wait, name=f"kinetic-await-{self.id}", daemon=True).start()
        try:
            outcome = await ended
        except asyncio.CancelledError as error:
            stop.request()
            if is_from_ctrl_c(error):
                end_wait(self)
            raise
        return value_of(outcome, self.serializer)

    def __reduce__(self) -> tuple[Any, ...]:
        return _attach_to, (type(self), self.id, self._target, self.cancel_on_interrupt, self.serializer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<kinetic.Job {self.id}>"


def _attach_to(kind: type[Job[Any]], job_id: str, target: str, cancel_on_interrupt: bool,
               serializer: str | None) -> Job[Any]:
    return kind(_client.client(target).find(job_id), target, cancel_on_interrupt, serializer)


def _setter(ended: asyncio.Future[dict[str, Any]], outcome: Any, error: BaseException | None) -> Callable[[], None]:
    """Returns a function that ends the wait of an event loop, unless the wait was cancelled."""
    def end() -> None:
        if ended.done():
            return
        if error is not None:
            ended.set_exception(error)
        else:
            ended.set_result(outcome)

    return end


def timeout_error(what: str, job: Job[Any], timeout: float | None) -> WaitTimeoutError:
    """Returns the error of a wait that has ended before the job or batch."""
    return WaitTimeoutError(f"{what} {job.id} did not end within {timeout:g} s and keeps running: {attach_command(job)}",
                            "DEADLINE_EXCEEDED", details={"job": job.id})


def has_timed_out(error: Error, timeout: float | None, started: float) -> bool:
    """Returns whether a wait since `started` ended because of its timeout, and not because of that of a request."""
    slack = 0.1  # the library checks several jobs at once, and may end a wait a moment early
    return error.code == "DEADLINE_EXCEEDED" and timeout is not None and time.monotonic() - started >= timeout - slack


def value_of(outcome: dict[str, Any], serializer: str | None) -> Any:
    """Returns the value of a successful job, or raises the exception of a failed one."""
    if outcome["is_array"]:
        raise Error(f"job {outcome['job']} is a batch, which has a value for each call", "INVALID_ARGUMENT",
                    "use kinetic.attach_batch")
    if outcome["state"] != "succeeded":
        from ._remote_error import exception_of

        raise exception_of(outcome)
    from . import _values

    return _values.decode(outcome["value"], serializer)


def attach(job_id: str, project: str | None = None, cluster: str | None = None, *, target: str = "",
           serializer: str | None = None) -> Job[Any]:
    """Returns the handle of a job.

    Parameters
    ----------
    job_id : str
        An ID, a unique prefix of one, a job's name (the newest job with it), or ``"latest"``.
    project, cluster : optional
        Accepted for programs of the Python tool, without effect.
    target : str, optional
        The target that the job runs on, unless it is the configured one.
    serializer : {None, "pickle"}
        ``"pickle"`` loads a value with pickled parts, which executes code of the job here.
    """
    return Job(_client.client(target).find(_checks.text("job_id", job_id)), target, serializer=serializer)


def list_jobs(project: str | None = None, zone: str | None = None, cluster: str | None = None,
              namespace: str | None = None, *, name: str = "", tags: dict[str, str] | None = None,
              limit: int | None = None, target: str = "") -> list[Job[Any]]:
    """Returns handles of jobs, newest first, also of jobs that have ended. `Job.properties` has the listed states.

    Parameters
    ----------
    project, zone, cluster, namespace : optional
        Accepted for programs of the Python tool, without effect.
    name : str, optional
        Only jobs with this name.
    tags : dict, optional
        Only jobs that have all of these tags.
    limit : int, optional
        At most so many.
    target : str, optional
        The target whose jobs are listed, unless it is the configured one.
    """
    most = None if limit is None else _checks.whole_number("limit", limit, 1)
    found = _client.client(target).list(most, _checks.text("name", name), tags or {})
    return [Job._of_summary(summary, target) for summary in found]


_PUBLIC: tuple[Any, ...] = (Job, JobStatus, attach, list_jobs)
for _each in _PUBLIC:
    _each.__module__ = "kinetic"  # for tracebacks, help, and functions that a job gets by value
