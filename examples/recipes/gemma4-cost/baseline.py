"""The same training with TRL, PEFT, and FSDP on GPUs."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from settings import MODEL, hyperparameters, require_token

FOLDER = pathlib.Path(__file__).parent


def baseline(examples, trained=None, tiny=False):
    """Trains on `examples` with one process for each GPU, and saves the adapter as an output.

    With `tiny`, one process trains the tiny model in `trained`/base on CPUs.
    """
    require_token(tiny)
    work = pathlib.Path(tempfile.mkdtemp())
    task = {
        "model": os.path.join(trained, "base") if tiny else MODEL,
        "examples": examples,
        "output": os.environ["KINETIC_OUTPUT_DIR"],
        **hyperparameters(tiny),
    }
    (work / "task.json").write_text(json.dumps(task))
    processes = os.environ.get("KINETIC_CHIPS", "=1").rpartition("=")[2]
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", processes]
    threads = {"OMP_NUM_THREADS": "1"} if tiny else {}  # more of them slow a tiny model down
    subprocess.run([*launcher, str(FOLDER / "trl_train.py"), str(work)], env={**os.environ, **threads}, check=True)
    return json.loads((work / "result.json").read_text())
