"""Long-running operations. They progress on the stand-in's clock."""

import dataclasses
import threading
import typing
import uuid

from .errors import OperationFailed

PENDING_PART = 0.2  # of the duration


@dataclasses.dataclass
class Operation:
    """@param finish  applies the result; raises OperationFailed
    @param hook    is called after `finish`, in its own thread; the operation waits for it
    @param about   what the service shows of it
    """

    name: str
    kind: str
    start: float
    end: float
    finish: typing.Callable
    hook: typing.Optional[typing.Callable] = None
    about: dict = dataclasses.field(default_factory=dict)
    error: typing.Optional[OperationFailed] = None
    finished: typing.Optional[float] = None
    hooked: bool = False

    def status(self, now):
        if self.finished is not None:
            return "DONE"
        begun = now >= self.start + PENDING_PART * (self.end - self.start)
        return "RUNNING" if begun else "PENDING"


class Operations:
    def __init__(self, cloud):
        self._cloud = cloud
        self.all = {}  # by name, in order of creation

    def start(self, kind, finish, name=None, hook=None, fault=None, **about):
        """Starts an operation of a type ("CREATE_CLUSTER").

        @param fault  "operation_error" makes it fail
        """
        now = self._cloud.clock.now()
        durations = self._cloud.options.durations
        seconds = durations.get(kind, durations.get("default", 0.0))
        if fault == "operation_error":
            finish = self._failing(about.get("fail"))
            hook = None
        operation = Operation(name or str(uuid.UUID(int=self._cloud.random_bits(), version=4)),
                              kind, now, now + seconds, finish, hook, about)
        self.all[operation.name] = operation
        return operation

    def running(self, **about):
        """Returns the running operations with the given values."""
        return [operation for operation in self.all.values() if operation.finished is None
                and all(operation.about.get(key) == value for key, value in about.items())]

    def settle(self):
        """Finishes all operations that are due. The caller holds the lock of the stand-in."""
        now = self._cloud.clock.now()
        for operation in sorted(self.running(), key=lambda one: one.end):
            if operation.end <= now and not operation.hooked:
                self._finish(operation)

    def _finish(self, operation):
        try:
            operation.finish()
        except OperationFailed as failed:
            operation.error = failed
        if operation.hook and not operation.error:
            operation.hooked = True
            threading.Thread(target=self._run_hook, args=(operation,), daemon=True).start()
        else:
            operation.finished = max(operation.end, self._cloud.clock.now())

    def _run_hook(self, operation):
        try:
            operation.hook()
        except Exception as error:  # a test has to see it
            self._cloud.violations.append({"method": "hook", "problems": [repr(error)]})
        with self._cloud.lock:
            operation.finished = max(operation.end, self._cloud.clock.now())

    @staticmethod
    def _failing(fail):
        def finish():
            if fail:
                fail()
            raise OperationFailed("INTERNAL", "An internal error has occurred.")
        return finish
