"""Trains LoRA weights of Gemma 4 with Tunix and Qwix, on TPUs."""

import os
import pathlib
import time

from settings import MODEL, hyperparameters, require_token


def train(examples, tiny=False):
    """Trains on `examples`, a list of maps with `prompt` and `response`, and saves the LoRA weights as an output.

    With `tiny`, the model has random weights, which are an output, too, and four devices are simulated on CPUs.
    """
    require_token(tiny)
    if tiny:
        # Before JAX is imported.
        os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_force_host_platform_device_count=4")

    # Imported here, so that a client without JAX can import this module.
    import jax
    import orbax.checkpoint as ocp
    import tokenizers
    from flax import nnx

    import gemma4

    output = pathlib.Path(os.environ["KINETIC_OUTPUT_DIR"])
    chosen = hyperparameters(tiny)
    base = tiny_base(output / "base", examples) if tiny else download()
    tokenizer = tokenizers.Tokenizer.from_file(str(base / "tokenizer.json"))
    mesh = gemma4.make_mesh()
    print(f"training {'a tiny model' if tiny else MODEL} on {jax.device_count()} × {jax.devices()[0].device_kind}")

    model = gemma4.load(base, gemma4.configuration(tiny), mesh)
    model = gemma4.add_lora(model, mesh, chosen["rank"], chosen["alpha"])
    gemma4.checkpoint_gradients(model)
    start = time.monotonic()
    losses = fit(model, mesh, examples, tokenizer, chosen)
    seconds = time.monotonic() - start

    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(output / "lora", nnx.to_pure_dict(nnx.state(model, nnx.LoRAParam)))
    return {
        "devices": [device.device_kind for device in jax.devices()],
        "train_seconds": round(seconds, 1),
        "tokens_per_second": round(chosen["steps"] * chosen["batch"] * chosen["length"] / seconds, 1),
        "loss": losses,
        "outputs": os.environ["KINETIC_OUTPUT_URI"],
    }


def fit(model, mesh, examples, tokenizer, chosen):
    """Trains the LoRA weights of a model, and returns the loss of each step."""
    import optax
    from tunix.sft.peft_trainer import PeftTrainer, TrainingConfig

    from batches import batches, model_inputs
    from losses import LossLog

    optimizer = optax.adamw(chosen["learning_rate"], weight_decay=0)  # as in trl_train.py
    trainer = PeftTrainer(model, optimizer, TrainingConfig(max_steps=chosen["steps"], eval_every_n_steps=1000))
    trainer.with_gen_model_input_fn(model_inputs)
    log = LossLog(every=max(chosen["steps"] // 10, 1))
    trainer.with_training_hooks(log)
    with mesh:
        trainer.train(batches(examples, tokenizer, chosen["length"], chosen["batch"]))
    return log.losses


def download():
    """Returns the folder with the published weights."""
    import huggingface_hub

    return pathlib.Path(huggingface_hub.snapshot_download(MODEL, ignore_patterns=["*.bin", "*.gguf"]))


def tiny_base(folder, examples):
    """Returns a folder with random weights."""
    import tiny_gemma4

    tiny_gemma4.save_checkpoint(folder, [text for pair in examples for text in pair.values()])
    return folder
