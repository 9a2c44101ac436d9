"""The types of `kinetic.run` and its keywords, for type checkers."""

import os
from typing import Any, Callable, Literal, Mapping, ParamSpec, Protocol, Sequence, TypeAlias, TypeVar, overload

from typing_extensions import TypedDict, Unpack

from ._data import Data
from ._remote_function import RemoteFunction

P = ParamSpec("P")
R = TypeVar("R")
Path: TypeAlias = str | os.PathLike[str]

class MapOptions(TypedDict, total=False):
    """The keywords of `kinetic.run` that `kinetic.map` does not name itself."""

    accelerator: str | Sequence[str] | None
    bundle: Path | Mapping[str, Any] | None
    dependencies: Path | Sequence[str] | Mapping[str, Any] | None
    python: str | None
    image: str | None
    env: Mapping[str, Any] | None
    secrets: Sequence[Any] | None
    data: Mapping[str, Path | Data] | None
    resources: Mapping[str, Any] | None
    spot: bool | None
    flex_start: bool | None
    reservation: Any
    retry: Mapping[str, Any] | None
    timeouts: Mapping[str, Any] | None
    max_cost: str | None
    queue: str | None
    pod: Mapping[str, Any] | None
    target: str | None
    profile: str | None
    container_image: str | None
    capture_env_vars: str | Sequence[str] | None
    volumes: Mapping[str, Data] | None
    debug: bool | None
    cancel_on_interrupt: bool
    serializer: Literal["pickle"] | None
    base_image_repo: str | None
    zone: str | None
    project: str | None
    cluster: str | None
    namespace: str | None
    backend: str | None
    output_dir: str | None

class RunOptions(MapOptions, total=False):
    """The keywords of `kinetic.run`."""

    name: str | None
    tags: Mapping[str, str] | None

class Run(Protocol):
    """The type of `kinetic.run`."""

    @overload
    def __call__(self, function: Callable[P, R], **options: Unpack[RunOptions]) -> RemoteFunction[P, R]: ...
    @overload
    def __call__(self, function: None = None,
                 **options: Unpack[RunOptions]) -> Callable[[Callable[P, R]], RemoteFunction[P, R]]: ...
