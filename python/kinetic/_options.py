"""The keywords of `kinetic.run`, and the keys of a job file that they mean."""

from __future__ import annotations

import os
import sys
import warnings

from . import _checks
from ._client import python_version
from ._data import Data

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any

# Keywords that equal a key of job.yaml.
_KEYS = ("name", "tags", "accelerator", "bundle", "dependencies", "python", "image", "env", "secrets", "data",
         "resources", "spot", "flex_start", "reservation", "retry", "timeouts", "max_cost", "queue", "pod", "target")
# Keywords of the Python tool that have no effect, and why.
_WITHOUT_EFFECT = {
    "base_image_repo": "kinetic builds no base images; use image",
    "zone": "the target selects the cluster; use target, or `kinetic profile`",
    "project": "the target selects the cluster; use target, or `kinetic profile`",
    "cluster": "the target selects the cluster; use target, or `kinetic profile`",
    "namespace": "the target selects the namespace; use target, or `kinetic profile`",
    "backend": "the accelerator selects how a job runs",
    "output_dir": "kinetic stores what the function writes to KINETIC_OUTPUT_DIR; use job.download()",
}
# Keywords whose value is a dict, with examples.
_DICTS = {"retry": {"attempts": 3}, "timeouts": {"run": "2h"}, "resources": {"memory": "8Gi"},
          "env": {"NAME": "value"}, "tags": {"team": "vision"}, "data": {"/data": "gs://bucket/prefix"},
          "volumes": {"/data": "kinetic.Data(…)"}}
_OF_MAP = ("array", "parallel", "max_failed", "max_concurrent", "input_mode", "fail_fast", "tasks_per_process")
_OWN = ("profile", "container_image", "capture_env_vars", "volumes", "debug", "cancel_on_interrupt",
        "serializer")


def check_names(options: dict[str, Any], caller: str, more: tuple[str, ...] = ()) -> None:
    """Raises a TypeError for an unknown keyword, with the nearest one. `more` are keywords of the caller itself."""
    known = [*more, *_KEYS, *_OWN, *_WITHOUT_EFFECT]
    for name in options:
        if name not in known:
            if name in _OF_MAP:
                raise TypeError(f"{caller} has no keyword {name}; use kinetic.map(f, items), which calls a function "
                                "once for each item, as one array job")
            import difflib

            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"{caller} has no keyword {name}" + (f"; did you mean {near[0]}?" if near else ""))


def check(options: dict[str, Any]) -> None:
    """Checks the names of keywords, and warns about those without effect."""
    check_names(options, "kinetic.run")
    for name, value in options.items():
        if name in _WITHOUT_EFFECT:
            if value is not None:
                warnings.warn(f"kinetic.run: {name} has no effect: {_WITHOUT_EFFECT[name]}", stacklevel=_caller_level())
    _checks.serializer(options.get("serializer"))
    _check_dicts(options)
    if isinstance(options.get("dependencies"), (str, list, tuple, set, frozenset)):
        from . import _requirements

        _requirements.check(options["dependencies"])
    if options.get("debug"):
        raise ValueError("kinetic.run: debug is not supported; call the function itself to debug it here: "
                         "f.__wrapped__(…)")


def _caller_level() -> int:
    """Returns the stack level, for the caller, of the first function outside of this package."""
    frame: Any = sys._getframe(1)
    level = 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        frame = frame.f_back
        level += 1
    return level


def _check_dicts(options: dict[str, Any]) -> None:
    """Raises a TypeError for a value that must be a dict, with an example."""
    for name, example in _DICTS.items():
        value = options.get(name)
        if value is not None and not hasattr(value, "keys"):
            shown = repr(example).replace("'kinetic.Data(…)'", "kinetic.Data(…)")
            raise TypeError(f"kinetic.run: {name} is {value!r}, expected a dict such as {shown}")


def target_of(options: dict[str, Any]) -> str:
    """Returns the name of the job's target; empty: the configured one."""
    return options.get("target") or options.get("profile") or ""


def job_keys(options: dict[str, Any], name: str, data: dict[str, str]) -> list[tuple[str, str]]:
    """Returns the keys of the job file with their values as JSON.

    Parameters
    ----------
    options : dict
        The keywords.
    name : str
        The job's name, unless a keyword has another one.
    data : dict of str to str
        The sources of more data, by the path in the job.
    """
    import json

    keys = {key: options[key] for key in _KEYS if options.get(key) is not None and key != "target"}
    keys.setdefault("name", name)
    image = options.get("container_image")
    if image == "prebuilt":
        raise ValueError("kinetic.run: container_image='prebuilt' is not supported; leave it out, or name an image")
    if image not in (None, "bundled"):
        keys.setdefault("image", image)
    if "image" not in keys:
        keys.setdefault("python", python_version())
    accelerator = keys.get("accelerator")
    if isinstance(accelerator, str) and accelerator.endswith(":spot"):
        keys.update(accelerator=accelerator[:-len(":spot")], spot=True)
    if options.get("capture_env_vars"):
        keys["secrets"] = [*keys.get("secrets", []), *_captured(options["capture_env_vars"])]
    backend = os.environ.get("KERAS_BACKEND")  # Keras reads it on import, often that of the caller's module
    environment = keys.get("env", {})
    if backend and isinstance(environment, dict) and "KERAS_BACKEND" not in keys.get("secrets", []):
        keys["env"] = {"KERAS_BACKEND": backend, **environment}
    bundle = keys.get("bundle")
    if isinstance(bundle, (str, os.PathLike)):
        keys["bundle"] = {"root": os.fspath(bundle)}
    sources = {path: _source(source) for path, source in (options.get("volumes") or {}).items()}
    sources.update((path, _source(source)) for path, source in (keys.get("data") or {}).items())
    sources.update(data)
    if sources:
        keys["data"] = sources
    return [(key, _to_json(key, value)) for key, value in keys.items()]


def _to_json(key: str, value: Any) -> str:
    import json

    try:
        return json.dumps(value, default=os.fspath)
    except TypeError as error:
        raise TypeError(f"kinetic.run: {key}: {error}") from None


def _captured(names: str | list[str]) -> list[str]:
    """Returns the names that are set. Others are ignored, as in the Python tool."""
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if "*" in name[:-1]:
            raise ValueError(f"kinetic.run: capture_env_vars has {name!r}, but a * can only be at the end")
    return [name for name in names if name.endswith("*") or name in os.environ]


def _source(source: Any) -> Any:
    return source.path if isinstance(source, Data) else source
