"""Serves the merged model with vLLM, and measures it with a load generator in the same job."""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

import load

FOLDER = pathlib.Path(__file__).parent
NAME = "gemma4"
LOAD = {"requests": 512, "concurrency": 32, "max_tokens": 256}
TINY_LOAD = {"requests": 32, "concurrency": 4, "max_tokens": 16}


def serve(model, prompts, tiny=False):
    """Serves the folder `model`, sends prompts to it, and returns the throughput and the time to the first token.

    With `tiny`, a stand-in takes the place of vLLM.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    start = time.monotonic()
    with running(stand_in(port) if tiny else vllm(model, port)) as server:
        wait_until_ready(server, url, seconds=30 if tiny else 3600)
        ready = time.monotonic() - start
        size = TINY_LOAD if tiny else LOAD
        print(f"{size['requests']} requests, {size['concurrency']} at a time")
        measured = load.measure(url, NAME, prompts, **size)
    return {"server": "stand-in" if tiny else "vLLM", "ready_seconds": round(ready, 1), **measured}


def vllm(model, port):
    """Returns the command that serves a model on all chips of this machine."""
    return [
        "vllm", "serve", str(model), "--served-model-name", NAME, "--host", "127.0.0.1", "--port", str(port),
        "--tensor-parallel-size", str(chips()), "--max-model-len", "4096",
    ]  # fmt: skip


def stand_in(port):
    """Returns the command of the server without a model."""
    return [sys.executable, str(FOLDER / "standin.py"), str(port)]


def chips():
    """Returns the number of TPU chips or GPUs of this job, from a text such as google.com/tpu=8."""
    return int(os.environ.get("KINETIC_CHIPS", "=1").rpartition("=")[2])


def free_port():
    """Returns a port that no program uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command):
    """Runs a command until the block ends."""
    process = subprocess.Popen(command)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()


def wait_until_ready(server, url, seconds):
    """Returns when the server is healthy. Raises an error if it exits, or is not healthy in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"{server.args[0]} exited with code {server.returncode} before it was ready")
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"{url}/health", timeout=5):
                return
        time.sleep(0.2)
    raise RuntimeError(f"{server.args[0]} is not ready after {seconds} seconds")
