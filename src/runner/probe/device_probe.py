"""Prints which accelerators of the container a framework sees, before the job's program starts.

    python -I -c SOURCE FRAMEWORK KIND

FRAMEWORK is jax or torch, KIND is tpu or gpu. The output is one line of JSON, null if the framework is
not installed. Other output of the framework goes to standard error.
"""

import importlib.util
import json
import os
import pkgutil
import sys


def _is_installed(name):
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None  # a folder without a module does not count


def _jax_supports(kind):
    if kind == "tpu":
        return _is_installed("libtpu") or "TPU_LIBRARY_PATH" in os.environ
    plugins = [module.name for module in pkgutil.iter_modules()]
    return any(name.startswith("jax_cuda") and name.endswith("_plugin") for name in plugins)


def _jax(kind):
    import jax

    report = {"version": jax.__version__, "devices": {}, "supported": _jax_supports(kind), "refusal": ""}
    try:
        devices = jax.local_devices()
    except (RuntimeError, AssertionError) as error:  # raised if no platform in JAX_PLATFORMS works
        report["refusal"] = str(error)
        return report
    for device in devices:
        report["devices"][device.platform] = report["devices"].get(device.platform, 0) + 1
    return report


def _torch(kind):
    import torch

    # device_count() alone may count devices that are not usable.
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return {"version": str(torch.__version__), "devices": {kind: count} if count else {},
            "supported": torch.version.cuda is not None, "refusal": ""}


def _main(framework, kind):
    output = os.dup(1)
    os.dup2(2, 1)
    report = None
    if _is_installed(framework):
        report = {"jax": _jax, "torch": _torch}[framework](kind)
    os.write(output, (json.dumps(report) + "\n").encode())


_main(*sys.argv[1:])
