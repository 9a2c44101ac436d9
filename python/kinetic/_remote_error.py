"""Exceptions of jobs, raised here."""

from __future__ import annotations

import ast
import sys
from typing import Any

from . import _types
from ._errors import RemoteError


class _RemoteTraceback(Exception):
    """Shows the traceback of the job as the cause, where exceptions have no notes (Python 3.10)."""

    def __str__(self) -> str:
        return "\n" + str(self.args[0])


def exception_of(outcome: dict[str, Any]) -> Exception:
    """Returns the exception for a job that did not succeed.

    It has the type of the job's exception if this program has imported that type, otherwise it is a RemoteError.
    """
    described = outcome["exception"]
    error = _instance(described) if described else None
    if error is None:
        details = {"job": outcome["job"], "state": outcome["state"], "exit_code": str(outcome["exit_code"])}
        if described:
            details["exception"] = described["type"]
        error = RemoteError(outcome["message"], outcome["code"], details=details)
    if not described:
        return error
    text = f"The job {outcome['job']} raised this exception:\n{described['text'].rstrip()}"
    if sys.version_info >= (3, 11):
        error.add_note(text)
    else:
        error.__cause__ = _RemoteTraceback(text)
    return error


def _instance(described: dict[str, Any]) -> Exception | None:
    kind = _types.find_loaded(described["type"])
    if kind is None or not issubclass(kind, Exception):
        return None
    message = described["message"]
    if kind is KeyError:
        try:
            return KeyError(ast.literal_eval(message))  # the message is the repr() of the key
        except (SyntaxError, ValueError):
            return KeyError(message)
    try:
        return kind(message) if message else kind()
    except Exception:  # it requires other arguments
        pass
    try:
        error = kind.__new__(kind, message)
        error.args = (message,)
        return error
    except Exception:
        return None
