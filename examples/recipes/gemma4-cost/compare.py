"""Fine-tunes and serves Gemma 4 on TPUs, trains the same on GPUs, and compares time and cost."""

import argparse
import json
import pathlib

import kinetic

import baseline
import check
import costs
import merge
import serve
import train

FOLDER = pathlib.Path(__file__).parent
TOKEN = ["HF_TOKEN"]

QUIET = {"TQDM_DISABLE": "1"}


def job(function, name, packages, **options):
    """Returns the function as a job, as its job file does. Not all packages fit together, so jobs have their own."""
    return kinetic.run(function, name=name, dependencies=str(FOLDER / packages), timeouts={"run": "4h"}, **options)


train_job = job(train.train, "gemma4-train", "train.txt", env=QUIET)
merge_job = job(merge.merge, "gemma4-merge", "merge.txt")
check_job = job(check.check, "gemma4-check", "train.txt")
serve_job = job(serve.serve, "gemma4-serve", "serve.txt")
baseline_job = job(baseline.baseline, "gemma4-baseline", "baseline.txt", env=QUIET)


def record(submitted):
    """Waits for a job, and returns its value with the accelerator, the run time, and the cost from its record.

    The cost is None on this machine, and for a price that kinetic does not have.
    """
    value = submitted.result(stream_logs=True)
    summary = submitted.summary()
    return {
        "id": submitted.id,
        "accelerator": summary["accelerator"] or "cpu",
        "seconds": round(summary["finished"] - summary["started"], 1),
        "dollars": summary["cost"] and round(summary["cost"]["dollars"], 2),
        "value": value,
    }


def run_published(examples, prompts):
    """Runs the jobs on TPUs and GPUs, and returns their records. Both trainings run at the same time."""
    # 4 chips, as in the publication. Google calls the slice v5p-8, after its TensorCores.
    training = train_job.options(accelerator="v5p-2x2x1", secrets=TOKEN).submit(examples)
    on_gpu = baseline_job.options(accelerator="gpu-h100x2", secrets=TOKEN).submit(examples)
    trained = record(training)
    room = {"memory": "32Gi", "disk": "200Gi"}
    merging = merge_job.options(secrets=TOKEN, resources=room).submit(outputs(trained))
    merged = record(merging)
    on_v6e = serve_job.options(accelerator="v6e-8", python="3.12").submit(outputs(merged), prompts)
    # The same weights for both, so that only the hardware differs.
    on_h100 = serve_job.options(accelerator="gpu-h100x2", python="3.12", dependencies=str(FOLDER / "serve-gpu.txt"))
    serving = on_h100.submit(outputs(merged), prompts)
    tpu = {"train": trained, "merge": merged, "serve": record(on_v6e)}
    return tpu, {"train": record(on_gpu), "serve": record(serving)}


def run_tiny(examples, prompts, with_torch):
    """Runs the jobs on CPUs of this machine, and returns their records. Without torch, there is no baseline."""
    trained = record(train_job.submit(examples, tiny=True))
    merged = record(merge_job.submit(outputs(trained), tiny=True))
    checked = record(check_job.submit(outputs(trained), outputs(merged)))
    served = record(serve_job.options(dependencies=[]).submit(outputs(merged), prompts, tiny=True))
    tpu = {"train": trained, "merge": merged, "check": checked, "serve": served}
    if not with_torch:
        print("the baseline is skipped, because its packages are a download of 3 GB: pass --torch to run it")
        return tpu, None
    return tpu, {"train": record(baseline_job.submit(examples, outputs(trained), tiny=True))}


def outputs(of):
    """Returns the files of a finished job as an argument of the next one. They do not pass through this program."""
    return kinetic.Data(of["value"]["outputs"])


def main():
    """Runs the jobs at one of two sizes, and prints their values and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="use a small model with random weights, on CPUs")
    parser.add_argument("--torch", action="store_true", help="with --tiny, also train with TRL, a download of 3 GB")
    options = parser.parse_args()
    examples = [json.loads(line) for line in (FOLDER / "pairs.jsonl").read_text("utf-8").splitlines()]
    prompts = json.loads((FOLDER / "prompts.json").read_text("utf-8"))
    if options.tiny:
        tpu, gpu = run_tiny(examples, prompts, options.torch)
        names = ("CPU instead of TPU, stand-in instead of vLLM", "CPU instead of GPU")
    else:
        tpu, gpu = run_published(examples, prompts)
        names = ("v5p-8, v6e-8", "gpu-h100x2")
    print(json.dumps({"tpu": tpu, "gpu": gpu}, indent=2))
    print()
    print(costs.table(tpu, gpu, names))


if __name__ == "__main__":
    # The functions of a module are sent by their names, as those of the job files.
    from compare import main

    main()
