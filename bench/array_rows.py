"""Rows about arrays on this machine."""

from job_rows import make_job
from row import Row

TASKS = 1000
SAMPLE = 20  # jobs of the shell loop that are measured
MODULE = "import time\ndef f(x):\n    time.sleep(0.01)\n    return x\n"
JOB = "function: f:f\ndependencies: null\nbundle: {root: .}\n"


def tasks(place):
    tree = make_job(place, job_yaml=JOB + f"array: {{over: {{x: {{range: {TASKS}}}}}, tasks_per_pod: 50, parallel: 4}}\n",
                    one_yaml=JOB + "args: {x: 1}\n", f_py=MODULE)
    place.run("run", "one.yaml", cwd=tree)
    ours = place.run("run", "job.yaml", cwd=tree)
    loop = f"for i in $(seq {SAMPLE}); do HOME={place.home} {place.kinetic} run one.yaml; done >/dev/null 2>&1"
    rival = place.shell(loop, cwd=tree)
    rival.wall *= TASKS / SAMPLE
    rival.cpu *= TASKS / SAMPLE
    python = str(next(place.home.glob(".cache/kinetic/environments/*/bin/python")))
    limit = place.shell(f"seq {TASKS} | xargs -P 4 -n 50 {python} -c 'import f, sys; [print(f.f(x)) for x in sys.argv[1:]]'",
                        cwd=tree)
    yield Row("1,000 tasks of 10 ms, 50 in one process, 4 processes", ">= 20x", ours, rival,
              f"a shell loop of kinetic run, {SAMPLE} of them measured", 20,
              bounds=f"the store's objects of each task; xargs -P 4 without any: {limit.wall:.1f} s", by_clock=True)
