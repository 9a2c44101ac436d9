"""Rows about metrics of jobs."""

import sys

from row import Row, cores
from measuring import interleaved

ROWS = 360_000  # 100 per second for an hour
PROGRAM = """import random, sys
random.seed(1)
for step in range(%d):
    row = '{"step": %%d, "loss": %%r, "accuracy": %%r, "rate": 0.0003}' %% (step, 9 / (step + 1) + random.random(), random.random())
    sys.stdout.write('{"%s": ' + row + '}\\n')
"""


def metrics(place):
    trees = {}
    for name in ("kinetic.metrics", "another.prefix"):
        trees[name] = place.folder / name
        trees[name].mkdir()
        (trees[name] / "p.py").write_text(PROGRAM % (ROWS, name))
        (trees[name] / "job.yaml").write_text(f"run: [{sys.executable}, p.py]\ndependencies: null\nbundle: {{root: .}}\n")
    ours, rival = interleaved(5, *(
        lambda tree=tree: place.run("run", "job.yaml", cwd=tree, to_file=place.folder / "followed.txt")
        for tree in trees.values()))
    place.remove(".local")
    place.run("run", "job.yaml", cwd=trees["kinetic.metrics"])
    rows = len(place.run("metrics", "--csv").output.splitlines()) - 1
    if rows != ROWS:
        raise RuntimeError(f"kinetic metrics shows {rows} rows of {ROWS}")
    stored = sum(path.stat().st_size for path in place.store.glob("jobs/*/attempts/1/0/log/*")) / 1e6
    yield Row("360,000 rows of metrics, followed", ">= 0.8x, <= 10 MB", ours, rival, "other lines", 0.8,
              limits=((stored, 10, "MB stored"),), bounds=f"{cores(ours)} by the client", by_clock=True)
