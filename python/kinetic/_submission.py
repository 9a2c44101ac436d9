"""Submits calls of functions."""

from __future__ import annotations

import inspect
import os
import re
import tempfile
from typing import Any

from . import _client, _default_packages, _folders, _kinetic, _options, _package_check, _passing, _requirements
from ._display import display, tell
from ._errors import Error
from ._interrupt import end_wait
from ._job import Job
from ._place import Place, find_place
from ._remote_function import RemoteFunction
from ._values import ArgumentEncoder

_SHARED = "/kinetic-data/call"  # the folder of a function that the tasks of an array share


class Call:
    """Prepares and submits the calls of one function.

    Parameters
    ----------
    function : callable
        The user's function.
    options : dict
        The keywords of `kinetic.run`.
    """

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        self._function = function
        self._options = options
        self._place: Place = find_place(function, options)
        self._serializer = options.get("serializer")
        self._name_in_job = None if self._serializer else _passing.name_in_job(function, self._place)
        self._pickler = _passing.Pickler(self._place)
        self._encoder = ArgumentEncoder(self._to_pickle if self._serializer else None)

    def encode(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[object], dict[str, object]]:
        """Returns the encoded arguments.

        Raises
        ------
        TypeError
            The function does not take them.
        """
        self._check_signature(args, kwargs)
        return _passing.encode_call(self._function, args, kwargs, self._encoder)

    def parameters(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Returns the arguments of a call by the parameters of the function."""
        try:
            return dict(inspect.signature(self._function).bind(*args, **kwargs).arguments)
        except (TypeError, ValueError):  # a builtin
            return {**{f"argument {i + 1}": value for i, value in enumerate(args)}, **kwargs}

    def submit(self, arguments: tuple[list[object], dict[str, object]]) -> Job[Any]:
        """Submits one call with these encoded arguments."""
        self._check_types()
        positional, named = self._in_one_form(*arguments)
        if self._name_in_job is None:
            return self._send({"positional": positional, "named": named, **self._pickled()})
        return self._send(positional or named)

    def submit_each(self, calls: list[tuple[list[object], dict[str, object]]], array: dict[str, Any]) -> Job[Any]:
        """Submits an array with one task for each of the encoded arguments."""
        self._check_types()
        sets = [self._in_one_form(*call) for call in calls]
        if self._name_in_job is None:
            over = [{"positional": positional, "named": named} for positional, named in sets]
            with tempfile.TemporaryDirectory(prefix="kinetic-call-") as folder:
                return self._send(self._pickled_files(folder), over, array, {_SHARED: folder})
        return self._send(None, [named or positional for positional, named in sets], array)

    def _to_pickle(self, value: object) -> bytes:
        return self._pickler.dumps(value)[0]

    def _check_signature(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            signature = inspect.signature(self._function)
        except (TypeError, ValueError):  # a builtin
            return
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{_name_of(self._function)}() {error}") from None

    def _check_types(self) -> None:
        """Passes the function by value if the job cannot import the class of an argument."""
        if any(_passing.name_in_job(kind, self._place) is None for kind in self._encoder.types.values()):
            self._name_in_job = None

    def _in_one_form(self, positional: list[object],
                     named: dict[str, object]) -> tuple[list[object], dict[str, object]]:
        """Returns the arguments by position or by name, as a job has one of the two.

        A call with arguments by position that have no name, and with others by name, passes the function by value.
        """
        if self._name_in_job is None or not (positional and named):
            return positional, named
        parameters = list(inspect.signature(self._function).parameters.values())[:len(positional)]
        if len(parameters) < len(positional) or any(p.kind != p.POSITIONAL_OR_KEYWORD for p in parameters):
            self._name_in_job = None
            return positional, named
        return [], {**{p.name: item for p, item in zip(parameters, positional)}, **named}

    def _pickled(self) -> dict[str, object]:
        requested = str(self._options.get("python") or _client.python_version())
        if requested != _client.python_version():
            raise Error(f"cannot send the function {_name_of(self._function)} by value to Python {requested}: this is "
                        f"Python {_client.python_version()}", "INVALID_ARGUMENT",
                        "remove the keyword `python`, or move the function into a module of the project")
        arguments = _passing.pickled_arguments(self._function, self._encoder.types, self._pickler)
        return {**arguments, "serializer": self._serializer} if self._serializer else arguments

    def _pickled_files(self, folder: str) -> dict[str, object]:
        """Writes the pickle to files, which all tasks share as data."""
        arguments = self._pickled()
        for name in ("function", "library"):
            content: Any = arguments[name]
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content["$bytes"])
            arguments[name] = {"$path": f"{_SHARED}/{name}"}
        return arguments

    def _send(self, arguments: Any, over: list[Any] | None = None, array: dict[str, Any] | None = None,
              shared: dict[str, str] | None = None) -> Job[Any]:
        target = _options.target_of(self._options)
        client = _client.client(target)
        options = self._options
        if not client.image:
            options = _default_packages.add(options, self._function, self._place, self._encoder.packages)
            _package_check.check(self._encoder.packages, self._function, options, self._place)
        data = {item.mount: item.path for item in self._encoder.data}
        with _requirements.with_file(options, self._place.root) as options:
            keys = _options.job_keys(options, _job_name(self._function), {**data, **(shared or {})})
            keys.append(("function", '"%s"' % (self._name_in_job or _passing.PICKLED)))
            if over is not None:
                keys += [(f"array.{key}", str(value)) for key, value in {**(array or {}), "count": len(over)}.items()]
            request = _kinetic.JobRequest(keys, _folders.current(), self._place.root, self._place.workdir)
            return self._submit(client, target, request, arguments, over)

    def _submit(self, client: _kinetic.Client, target: str, request: _kinetic.JobRequest, arguments: Any,
                over: list[Any] | None) -> Job[Any]:
        jobs: list[Job[Any]] = []

        def add(native: _kinetic.Job) -> None:
            jobs.append(Job(native, target, bool(self._options.get("cancel_on_interrupt")), self._serializer))

        def report(kind: str, name: str, text: bytes) -> None:
            is_intended = self._place.is_empty and text.startswith(b"the bundle is empty")
            if kind != "warning" or not is_intended:
                on_event(kind, name, text)

        try:
            with display() as on_event:
                add(client.submit(request, arguments, over, report, add))
        except KeyboardInterrupt:
            if jobs:
                end_wait(jobs[0])
            else:
                tell("interrupted; no job was submitted")
            raise
        return jobs[0]


def submit(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], options: dict[str, Any]) -> Job[Any]:
    """Submits a job that calls the function."""
    function, args = _bound(function, args)
    call = Call(function, options)
    return call.submit(call.encode(args, kwargs))


def _bound(function: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Binds a method that is called by its class or as a property to the instance, which may not be data."""
    if not args or hasattr(type(args[0]), "__dataclass_fields__"):
        return function, args
    for base in type(args[0]).__mro__:
        found = vars(base).get(getattr(function, "__name__", ""))
        found = found.fget if isinstance(found, property) else found
        if isinstance(found, RemoteFunction) and found.__wrapped__ is function:
            return function.__get__(args[0]), args[1:]
    return function, args


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", None) or type(function).__name__


def _job_name(function: Any) -> str:
    """Returns the function's name as that of a job."""
    return re.sub(r"[^a-z0-9_.]+", "-", _name_of(function).lower()).strip("-_.")[:63].strip("-_.") or "job"
