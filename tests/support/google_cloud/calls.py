"""Requests of known methods, and the table of their handlers."""

import dataclasses
import typing

HANDLERS = {}  # by method id: (function, permission)


def handles(method, permission=None):
    """Registers a handler. `permission`: of the caller on the resource; None: not checked here."""
    def register(function):
        HANDLERS[method] = (function, permission)
        return function
    return register


@dataclasses.dataclass
class Call:
    """@param fault  that the handler has to simulate: "quota", "stockout" or "operation_error" """

    service: str  # "container"
    method: str  # id
    params: dict  # of the path
    query: dict  # the last value of each parameter
    lists: dict  # all values of each parameter
    body: typing.Any
    raw: bytes
    headers: typing.Any
    target: str  # path and query below the service
    verb: str
    caller: str
    fault: typing.Optional[str] = None

    @property
    def name(self):
        """Returns the resource in the path."""
        for key in ("name", "parent", "resource", "bucket"):
            if key in self.params:
                return self.params[key]
        return "/".join(f"{key}s/{value}" for key, value in self.params.items())

    def part(self, key):
        """Returns "us-west4-a" of ".../locations/us-west4-a/..." for "locations"."""
        words = self.name.split("/")
        return words[words.index(key) + 1] if key in words else None


@dataclasses.dataclass
class Raw:
    """A response that is not a JSON document."""

    status: int
    headers: list
    content: bytes


@dataclasses.dataclass
class Later:
    """A response that is computed without the lock of the stand-in."""

    compute: typing.Callable


class Again(Exception):
    """Makes the server repeat a request.

    @param seconds  after which `answer` is the response
    """

    def __init__(self, seconds, answer):
        super().__init__()
        self.seconds, self.answer = seconds, answer
