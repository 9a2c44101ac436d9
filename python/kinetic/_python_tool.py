"""Handles that behave as those of the Python tool, for its names `run_async`, `run_async_map`, and `attach_batch`."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator

from . import _batch, _checks, _job
from ._batch import Batch, BatchError
from ._display import tell
from ._job import Job, R

if TYPE_CHECKING:
    from ._remote_function import RemoteFunction

_STATUSES = {"queued": "PENDING", "pending": "PENDING", "running": "RUNNING", "succeeded": "SUCCEEDED",
             "cancelled": "NOT_FOUND"}
_RUNNING_PHASES = ("run", "collect")


class JobStatus(Enum):
    """The state of a job, as the Python tool names it: a cancelled job is `NOT_FOUND`."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    NOT_FOUND = "NOT_FOUND"

    def __eq__(self, other: object) -> bool:
        """Compares also with the states of `kinetic.attach`, so that loops which wait for a state end."""
        return self is (_status_of(other.value) if isinstance(other, _job.JobStatus) else other)

    __hash__ = Enum.__hash__


def _status_of(state: str) -> JobStatus:
    return JobStatus(_STATUSES.get(state, "FAILED"))


class JobHandle(Job[R]):
    """A job of `run_async`. Its `status` returns the states of the Python tool."""

    _on_status_change: Callable[[JobStatus], object] | None = None
    _last_status: JobStatus | None = None

    def status(self) -> JobStatus:  # type: ignore[override]
        """Returns the current state."""
        return _status_of(self.summary()["state"])

    def result(self, timeout: float | None = None, cleanup: bool | None = None, *, stream_logs: bool = False,
               on_status_change: Callable[[JobStatus], object] | None = None, **_unused: object) -> R:
        """Waits for the job, and returns its value: `Job.result`.

        Parameters
        ----------
        timeout : float, optional
            The longest time to wait, in seconds.
        stream_logs : bool, optional
            Write the log to stdout and stderr meanwhile.
        on_status_change : callable, optional
            Called with each new state. Its exceptions are reported, and do not end the wait.
        cleanup, **_unused : optional
            Without effect: a result can be read again.
        """
        self._on_status_change, self._last_status = on_status_change, None
        return super().result(timeout, stream_logs=stream_logs)

    def _observed(self, on_event: Callable[[str, str, bytes], object]) -> Callable[[str, str, bytes], object]:
        def report(kind: str, name: str, text: bytes) -> None:
            on_event(kind, name, text)
            if kind == "begin":
                self._report(JobStatus.RUNNING if name in _RUNNING_PHASES else JobStatus.PENDING)
            elif kind == "state":
                self._report(_status_of(text.decode()))

        return report

    def _report(self, status: JobStatus) -> None:
        if self._on_status_change is None or status is self._last_status:
            return
        self._last_status = status
        try:
            self._on_status_change(status)
        except Exception as error:
            tell(f"warning: on_status_change failed for job {self.id}: {type(error).__name__}: {error}")


class BatchHandle(Batch[R]):
    """A batch of `run_async_map`. Its methods return what those of the Python tool return."""

    submission_failures: dict[int, Exception] = {}  # a batch is submitted as a whole
    unavailable_children: dict[int, str] = {}

    @property
    def name(self) -> str:
        """The name of the batch."""
        return self.job.name

    @property
    def tags(self) -> dict[str, str]:
        """The tags of the batch."""
        return self.job.tags

    @property
    def jobs(self) -> list[JobHandle[R]]:
        """The job of each input."""
        return [self[index] for index in range(len(self))]

    def __getitem__(self, index: int) -> JobHandle[R]:
        return handle_of(super().__getitem__(index))

    def statuses(self) -> list[tuple[int, JobStatus]]:
        """Returns the index and the state of each job."""
        counts = self.status_counts()  # before the list: a job that ends meanwhile is listed
        ended = dict(self.job._native.ended_tasks())
        active = [JobStatus(name) for name in ("PENDING", "RUNNING") if name in counts]
        same = active[0] if len(active) == 1 else JobStatus.NOT_FOUND if not active else None
        return [(index, _status_of(ended[index]) if index in ended else same or self[index].status())
                for index in range(len(self))]

    def status_counts(self) -> dict[str, int]:
        """Returns the number of jobs in each state."""
        counts = super().status_counts()
        by_status = {"SUCCEEDED": counts["succeeded"], "FAILED": counts["failed"], "NOT_FOUND": counts["cancelled"],
                     "RUNNING": counts["running"]}
        by_status["PENDING"] = counts["tasks"] - sum(by_status.values())
        return {status: count for status, count in by_status.items() if count > 0}

    def as_completed(self, *, timeout: float | None = None, poll_interval: float | None = None,
                     return_exceptions: bool = True) -> Iterator[Any]:
        """Yields the job of each call as it ends."""
        for index, _value in self._ended(timeout, True):
            yield self[index]

    def failures(self) -> list[JobHandle[R]]:  # type: ignore[override]
        """Waits for all calls, and returns the jobs of those that failed."""
        return [self[index] for index in super().failures()]

    def _error(self) -> BatchError:
        error = super()._error()
        error.failures = [self[index] for index in error.failures]
        return error


def handle_of(job: Job[R]) -> JobHandle[R]:
    """Returns the same job with the methods of the Python tool."""
    return JobHandle(job._native, job.target, job.cancel_on_interrupt, job.serializer)


def _batch_of(batch: Batch[R]) -> BatchHandle[R]:
    return BatchHandle(batch.job, len(batch), batch._arguments)


def map(function: RemoteFunction[..., R] | Callable[..., R], inputs: Iterable[Any], *, retries: int = 0,
        cancel_running_on_fail: bool = False, **options: Any) -> BatchHandle[R]:
    """Calls a function once for each input: `kinetic.map`, with a handle of the Python tool.

    Parameters
    ----------
    retries : int, optional
        How often a call that failed is repeated.
    cancel_running_on_fail : bool, optional
        Accepted for programs of the Python tool, without effect: `fail_fast` cancels the running calls.
    """
    if _checks.whole_number("retries", retries, 0):
        options.setdefault("retry", {"attempts": retries + 1, "on": ["exit:1", "preempted", "infrastructure"]})
    return _batch_of(_batch.map(function, inputs, **options))


def attach_batch(group_id: str, project: str | None = None, cluster: str | None = None, *, target: str = "",
                 poll_interval: float | None = None, poll_timeout: float | None = None,
                 serializer: str | None = None) -> BatchHandle[Any]:
    """Returns the handle of a batch by the ID of its array job.

    `serializer` is that of `kinetic.attach`. The parameters `project`, `cluster`, `poll_interval`, and `poll_timeout` are accepted for programs of the Python
    tool, without effect.
    """
    return _batch_of(_batch.attach_batch(group_id, target=target, serializer=serializer))


def attach(job_id: str, project: str | None = None, cluster: str | None = None, *, target: str = "",
           serializer: str | None = None) -> JobHandle[Any]:
    """Returns the handle of a job: `kinetic.attach`, with a handle of the Python tool."""
    return handle_of(_job.attach(job_id, target=target, serializer=serializer))


def list_jobs(project: str | None = None, zone: str | None = None, cluster: str | None = None,
              namespace: str | None = None) -> list[JobHandle[Any]]:
    """Returns handles of the unfinished jobs, newest first."""
    found = (job.properties for job in _job.list_jobs())
    return [JobHandle._of_summary(job, "") for job in found if not _job.JobStatus(job["state"]).is_final()]


_PUBLIC: tuple[Any, ...] = (JobHandle, BatchHandle, attach_batch)
for _each in _PUBLIC:
    _each.__module__ = "kinetic"  # for tracebacks, help, and functions that a job gets by value
_OF_JOBS: tuple[Any, ...] = (JobStatus, attach, list_jobs)
for _each in _OF_JOBS:
    _each.__module__ = "kinetic.jobs"
map.__module__ = "kinetic.collections"
