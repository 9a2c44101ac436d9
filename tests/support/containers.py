"""Checks whether this machine can run containers, by running one."""

import json
import os
import pathlib
import secrets
import shutil
import subprocess
import tempfile

_FOLDERS = ("bin", "lib", "lib64", "usr")  # libraries and programs of this machine


def unavailable():
    """Returns the reason why this machine cannot run containers, or None."""
    if os.geteuid() != 0:
        return "containers need root"
    missing = [name for name in ("containerd", "ctr", "runc") if shutil.which(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    with tempfile.TemporaryDirectory(prefix="kinetic-container-") as folder:
        done = _run_true(pathlib.Path(folder))
    return None if done.returncode == 0 else f"runc cannot run a container: {done.stderr.strip().rpartition('msg=')[2]}"


def _run_true(bundle):
    subprocess.run(["runc", "spec"], cwd=bundle, check=True)
    config = json.loads((bundle / "config.json").read_text())
    config["process"] |= {"terminal": False, "args": ["/bin/true"]}
    config["mounts"] += [{"destination": f"/{name}", "source": f"/{name}", "type": "bind", "options": ["rbind", "ro"]}
                         for name in _FOLDERS if pathlib.Path("/", name).exists()]
    (bundle / "config.json").write_text(json.dumps(config))
    for name in ("rootfs", *(f"rootfs/{folder}" for folder in _FOLDERS)):
        (bundle / name).mkdir()
    return subprocess.run(["runc", "--root", bundle / "state", "run", f"kinetic-{secrets.token_hex(4)}"], cwd=bundle,
                          capture_output=True, text=True)
