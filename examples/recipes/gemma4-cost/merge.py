"""Merges LoRA weights that Orbax saved into the weights of a model, without the model or an accelerator."""

import os
import pathlib
import shutil
import time

from settings import hyperparameters, require_token

ATTENTION = {"q_einsum": "q_proj", "k_einsum": "k_proj", "attn_vec_einsum": "o_proj"}


def merge(trained, tiny=False):
    """Merges `trained`/lora, and writes the merged model to the output folder, file by file.

    The memory holds the largest file of the model, not the model.
    """
    require_token(tiny)
    trained = pathlib.Path(trained)
    if tiny:
        os.environ["JAX_PLATFORMS"] = "cpu"
        base = trained / "base"
    else:
        from train import download

        base = download()
    chosen = hyperparameters(tiny)
    start = time.monotonic()
    left = dict(factors(read_lora(trained / "lora")))
    count = len(left)
    output = pathlib.Path(os.environ["KINETIC_OUTPUT_DIR"])
    for file in sorted(base.iterdir()):
        if file.suffix == ".safetensors":
            merge_file(file, output / file.name, left, chosen["alpha"] / chosen["rank"])
        elif file.is_file():
            shutil.copy(file, output / file.name)
    if left:
        raise RuntimeError(f"the model has no weights for these LoRA weights: {', '.join(sorted(left))}")
    print(f"merged {count} matrices")
    return {
        "merged": count,
        "merge_seconds": round(time.monotonic() - start, 1),
        "outputs": os.environ["KINETIC_OUTPUT_URI"],
    }


def read_lora(folder):
    """Returns the arrays that Orbax saved, in memory. They were spread over other devices than this machine has."""
    import jax
    import numpy as np
    import orbax.checkpoint as ocp

    reader = ocp.PyTreeCheckpointer()
    arrays = reader.metadata(folder).item_metadata.tree
    as_numpy = jax.tree.map(lambda _: ocp.RestoreArgs(restore_type=np.ndarray), arrays)
    return reader.restore(folder, restore_args=as_numpy)


def factors(lora):
    """Yields the name of each adapted weight with its two small matrices, (inputs, rank) and (rank, outputs)."""
    for number, layer in lora["layers"].items():
        for block, kind in (("attn", "self_attn"), ("mlp", "mlp")):
            for part, weights in layer.get(block, {}).items():
                key = "w" if block == "attn" else "kernel"
                a, b = weights[f"{key}_lora_a"], weights[f"{key}_lora_b"]
                if part == "kv_einsum":  # Tunix joins keys and values in one weight
                    outputs = {"k_proj": b[:, 0], "v_proj": b[:, 1]}
                else:
                    outputs = {ATTENTION.get(part, part): b}
                for name, matrix in outputs.items():
                    full = f"model.language_model.layers.{number}.{kind}.{name}.weight"
                    yield full, (a.reshape(-1, a.shape[-1]), matrix.reshape(matrix.shape[0], -1))


def merge_file(source, target, left, scale):
    """Copies a file of weights, and adds the LoRA weights that belong to it. Removes those from `left`."""
    import safetensors
    import safetensors.numpy

    with safetensors.safe_open(source, framework="numpy") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}
        metadata = file.metadata()
    for name in tensors.keys() & left.keys():
        a, b = (matrix.astype("float32") for matrix in left.pop(name))
        merged = tensors[name].astype("float32") + (a @ b).T * scale
        tensors[name] = merged.astype(tensors[name].dtype)
    safetensors.numpy.save_file(tensors, target, metadata=metadata)
