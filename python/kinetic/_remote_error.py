"""Exceptions of jobs, raised here."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

from . import _missing_module, _types
from ._errors import RemoteError


_OF_IMPORTS = ("ModuleNotFoundError", "ImportError")


class _RemoteTraceback(Exception):
    """Shows the traceback of the job as the cause, where exceptions have no notes (Python 3.10)."""

    def __str__(self) -> str:
        return "\n" + str(self.args[0])


def exception_of(outcome: dict[str, Any]) -> Exception:
    """Returns the exception for a job that did not succeed.

    It has the type of the job's exception if this program has imported that type, otherwise it is a RemoteError. Its
    text is that of the job's exception, and it has the attributes that are data. No constructor of the user's runs: its
    arguments are not known.
    """
    described = outcome["exception"]
    error = _instance(described) if described else None
    if error is None:
        details = {"job": outcome["job"], "state": outcome["state"], "exit_code": str(outcome["exit_code"])}
        if described:
            details["exception"] = described["type"]
        error = RemoteError(outcome["message"], outcome["code"], _hint(outcome["message"]), details)
    if not described:
        return error
    text = f"The job {outcome['job']} raised this exception:\n{described['text'].rstrip()}"
    hint = _missing_module.advice(described["message"]) if described["type"] in _OF_IMPORTS else ""
    if hint:
        text += f"\nhint: {hint}"
    _set_cause(error, described)
    if sys.version_info >= (3, 11):
        error.add_note(text)
    else:
        error.__cause__ = _RemoteTraceback(text)
    return error


def _set_cause(error: BaseException, described: dict[str, Any]) -> None:
    """Sets the cause or the context of an exception as in the job."""
    cause = described["cause"]
    if cause is None:
        return
    of_type = _instance(cause) or _without_type(cause)
    _set_cause(of_type, cause)
    if described["relation"] == "cause":
        error.__cause__ = of_type
    else:
        error.__context__ = of_type


def _without_type(described: dict[str, Any]) -> RemoteError:
    message = described["message"]
    return RemoteError(described["type"] + (f": {message}" if message else ""),
                       details={"exception": described["type"]})


def _hint(message: str) -> str:
    if "cannot store the return value" in message and "KINETIC_OUTPUT_DIR" not in message:
        return ("return numbers, texts, lists, dicts, dataclasses, arrays, or frames, or write files to "
                "KINETIC_OUTPUT_DIR; kinetic.run(serializer='pickle') pickles other objects")
    return _missing_module.advice(message)


def _instance(described: dict[str, Any]) -> Exception | None:
    kind = _types.find_loaded(described["type"])
    if kind is None or not issubclass(kind, Exception):
        return None
    message = described["message"]
    if _is_group(kind):
        return _group(kind, described)
    attributes = _attributes(described)
    try:
        return _construct(kind, message, attributes) or without_constructor(kind, message, attributes)
    except Exception:  # a class that cannot be derived from, or needs its constructor
        return None


def _is_group(kind: type[Exception]) -> bool:
    return any(base.__module__ == "builtins" and base.__name__ == "ExceptionGroup" for base in kind.__mro__)


def _group(kind: Any, described: dict[str, Any]) -> Exception | None:
    """Returns an ExceptionGroup with its exceptions, or None if they or the arguments of its class are not known."""
    attributes = described["attributes"] or {}
    members = attributes.get("exceptions")
    if not members or not isinstance(attributes.get("message"), str) or not _has_builtin_constructor(kind):
        return None
    group: Exception = kind(attributes["message"], [_instance(member) or _without_type(member) for member in members])
    return group


def _attributes(described: dict[str, Any]) -> dict[str, Any]:
    """Returns the attributes that can be decoded here, by name."""
    from . import _values

    found = {}
    for name, value in (described["attributes"] or {}).items():
        try:
            found[name] = _values.decode(value)
        except Exception:  # a value that needs a package which is missing here
            pass
    return found


def _construct(kind: type[Exception], message: str, attributes: dict[str, Any]) -> Exception | None:
    """Returns an instance if the constructor of the class is that of a builtin, otherwise None."""
    if not _has_builtin_constructor(kind):
        return None
    return _with_arguments(kind, message, attributes) or _with_message(kind, message)


def _has_builtin_constructor(kind: type[Exception]) -> bool:
    owners = [next(base for base in kind.__mro__ if name in vars(base)) for name in ("__init__", "__new__")]
    return all(owner.__module__ == "builtins" for owner in owners) and type(kind).__call__ is type.__call__


def _with_arguments(kind: type[Exception], message: str, attributes: dict[str, Any]) -> Exception | None:
    """Returns an instance with the arguments and attributes of the job's exception, if they are known."""
    if "args" not in attributes:
        return None
    try:
        error = kind(*attributes["args"])
        for name, value in attributes.items():
            is_unset = value is None and getattr(error, name, "") is None  # filename2 of an OSError has two kinds of None
            if name != "args" and not is_unset:
                _set_attribute(error, name, value)
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        return error if text == message else None
    except Exception:  # a constructor of a builtin that needs other arguments, or __str__ needs other attributes
        return None


def _set_attribute(error: Exception, name: str, value: Any) -> None:
    try:
        BaseException.__setattr__(error, name, value)
    except (AttributeError, TypeError):  # read-only, or set by the constructor
        pass


def _with_message(kind: type[Exception], message: str) -> Exception | None:
    """Returns an instance whose only argument is the message, if it has the same text."""
    if issubclass(kind, (OSError, UnicodeError, StopIteration)):  # these parse their arguments
        return None
    try:  # the message of a KeyError is the repr() of the key
        arguments = (ast.literal_eval(message) if issubclass(kind, KeyError) else message,) if message else ()
        error = kind(*arguments)
        return error if str(error) == message else None
    except Exception:  # the key is not a literal, or __str__ needs attributes
        return None


def without_constructor(kind: type[Exception], message: str, attributes: dict[str, Any]) -> Exception:
    """Returns an instance of a subclass that has the name of the class, the text `message`, and these attributes."""
    base: Any = kind
    metaclass: Any = type(kind)
    while base.__module__ != "builtins":
        base = base.__base__  # the class that determines the memory layout of instances
    members = {**_hidden(kind), **{name: vars(_Remote)[name] for name in _REPLACED},
               "__module__": kind.__module__, "__qualname__": kind.__qualname__, "_kinetic_type": kind,
               "_kinetic_message": message}
    error: Exception = base.__new__(metaclass(kind.__name__, (kind,), members), message)
    error.args = attributes.get("args", (message,))
    for name, value in attributes.items():
        if name != "args" and not isinstance(members.get(name), property):
            _set_attribute(error, name, value)
    vars(error)["_kinetic_attributes"] = dict(attributes)
    return error


def _hidden(kind: type[Exception]) -> dict[str, Any]:
    """Returns properties in place of attributes of builtin classes, such as errno, which their constructors set."""
    descriptors = (types.MemberDescriptorType, types.GetSetDescriptorType)
    bases = [base for base in kind.__mro__ if base.__module__ == "builtins"]
    return {name: _absent(name)
            for base in bases if base not in (SyntaxError, Exception, BaseException, object)  # printing reads these
            for name, member in vars(base).items() if isinstance(member, descriptors) and not name.startswith("__")}


def _absent(name: str) -> property:
    def get(self: Any) -> Any:
        known = vars(self)["_kinetic_attributes"]
        return known[name] if name in known else self.__getattr__(name)

    return property(get)


class _Remote:
    """Members that replace those of the class if its constructor was not called."""

    _kinetic_type: type[Exception]
    _kinetic_message: str

    def __str__(self) -> str:
        return self._kinetic_message

    def __repr__(self) -> str:
        return f"{self._kinetic_type.__name__}({self._kinetic_message!r})"

    def __getattr__(self, name: str) -> Any:
        kind = self._kinetic_type.__qualname__
        raise AttributeError(f"the exception {kind} of a job has no attribute {name!r} here: "
                             "only attributes that are data are transferred")

    def __reduce_ex__(self, _protocol: Any) -> tuple[Any, ...]:
        own = dict(vars(self))
        attributes = own.pop("_kinetic_attributes")
        return without_constructor, (self._kinetic_type, self._kinetic_message, attributes), own or None

    __setattr__ = BaseException.__setattr__
    __eq__ = object.__eq__
    __hash__ = object.__hash__


_REPLACED = ("__str__", "__repr__", "__getattr__", "__reduce_ex__", "__setattr__", "__eq__", "__hash__")
