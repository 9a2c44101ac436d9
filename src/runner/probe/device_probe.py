"""Says what a framework sees of a container's accelerators, before the job's program begins.

    python -I -c SOURCE FRAMEWORK KIND

FRAMEWORK is jax or torch, KIND is tpu or gpu. The answer is one line of JSON on standard output:
null where the framework is not installed. Whatever else is printed goes to standard error.
"""

import importlib.util
import json
import os
import pkgutil
import sys


def _is_installed(name):
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None  # a folder without a module is none


def _jax_drives(kind):
    if kind == "tpu":
        return _is_installed("libtpu") or "TPU_LIBRARY_PATH" in os.environ
    plugins = [module.name for module in pkgutil.iter_modules()]
    return any(name.startswith("jax_cuda") and name.endswith("_plugin") for name in plugins)


def _jax(kind):
    import jax

    told = {"version": jax.__version__, "devices": {}, "supported": _jax_drives(kind), "refusal": ""}
    try:
        devices = jax.local_devices()
    except (RuntimeError, AssertionError) as error:  # JAX's own, when JAX_PLATFORMS names none that works
        told["refusal"] = str(error)
        return told
    for device in devices:
        told["devices"][device.platform] = told["devices"].get(device.platform, 0) + 1
    return told


def _torch(kind):
    import torch

    # The count alone may come from the driver's tables, and no device be usable.
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return {"version": str(torch.__version__), "devices": {kind: count} if count else {},
            "supported": torch.version.cuda is not None, "refusal": ""}


def _main(framework, kind):
    answer = os.dup(1)
    os.dup2(2, 1)
    told = None
    if _is_installed(framework):
        told = {"jax": _jax, "torch": _torch}[framework](kind)
    os.write(answer, (json.dumps(told) + "\n").encode())


_main(*sys.argv[1:])
