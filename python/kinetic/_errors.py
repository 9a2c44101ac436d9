"""The exceptions of kinetic."""

from __future__ import annotations


class Error(Exception):
    """An operation failed.

    Attributes
    ----------
    code : str
        The kind of failure, such as ``"NOT_FOUND"``: the names of gRPC status codes.
    hint : str
        What to do next. May be empty.
    details : dict of str to str
        Machine-readable facts.
    """

    def __init__(self, message: str, code: str = "INTERNAL", hint: str = "",
                 details: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.details = details or {}

    def __str__(self) -> str:
        message = str(self.args[0])
        return f"{message}\nhint: {self.hint}" if self.hint else message

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.code, self.hint, self.details)


class WaitTimeoutError(Error, TimeoutError):
    """A wait reached its timeout. The job keeps running."""


class RemoteError(Error):
    """A job failed without an exception whose type exists here.

    Attributes
    ----------
    job : str
        The job's ID.
    state : str
        The job's final state, such as ``"failed"`` or ``"cancelled"``.
    exit_code : int
        What `kinetic run` would exit with.
    """

    def __init__(self, message: str, code: str = "ABORTED", hint: str = "",
                 details: dict[str, str] | None = None) -> None:
        super().__init__(message, code, hint, details)
        self.job = self.details.get("job", "")
        self.state = self.details.get("state", "")
        self.exit_code = int(self.details.get("exit_code", "1"))


for _kind in (Error, WaitTimeoutError, RemoteError):
    _kind.__module__ = "kinetic"  # for tracebacks


def from_native(code: str, message: str, hint: str, details: dict[str, str]) -> Error:
    """Returns the exception for an error of the library."""
    from . import _missing_module
    from ._wording import in_python

    return Error(in_python(message), code, _missing_module.advice(message) or in_python(hint), details)
