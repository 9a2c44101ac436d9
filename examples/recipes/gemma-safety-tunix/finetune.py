"""Teaches Gemma 3 to refuse unsafe requests with Tunix, and compares its refusals before and after."""

import argparse
import json
import os
import pathlib
import tempfile
import time

import kinetic

FOLDER = pathlib.Path(__file__).parent


# As in job.yaml. The packages are those of requirements.txt, which kinetic finds beside this file.
@kinetic.run(name="gemma-safety-tunix", env={"TQDM_DISABLE": "1"}, timeouts={"run": "2h"})
def finetune(
    examples,
    prompts,
    model="google/gemma-3-1b-it",
    steps=300,
    learning_rate=2e-5,
    rank=16,
    length=1024,
    micro_batch=2,
    accumulation=8,
    answer_tokens=64,
    dtype="bfloat16",
    tiny=False,
):
    """Fine-tunes `model` on `examples`, a list of maps with `prompt` and `response`.

    A step uses `micro_batch` examples on each device, `accumulation` times. The LoRA weights are saved once, to the
    output folder, and loaded into a fresh model, which answers the `unsafe` and `harmless` prompts.

    With `tiny`, the model has random weights, and eight devices are simulated on CPUs.
    """
    if not isinstance(tiny, bool):
        raise TypeError(f"tiny is {tiny!r}, expected true or false")
    if tiny:
        # Before JAX is imported.
        os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_force_host_platform_device_count=8")
        steps, learning_rate, length, accumulation, dtype = 40, 1e-2, 96, 2, "float32"
        answer_tokens = 24
    elif "HF_TOKEN" not in os.environ:
        raise RuntimeError(
            f"{model} is downloaded from Hugging Face: pass your token with --secret HF_TOKEN, "
            "or train a model that needs no download with --arg tiny=true"
        )

    # Imported here, so that a client without JAX can import this module.
    import jax
    import sentencepiece

    import lora

    folder, config = tiny_checkpoint(examples, prompts) if tiny else download(model)
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "tokenizer.model"))
    mesh = lora.make_mesh()
    devices = [device.device_kind for device in jax.devices()]
    batch = micro_batch * len(devices)
    print(f"fine-tuning {'a tiny model' if tiny else model} on {len(devices)} × {devices[0]}")
    print(f"{steps} steps of {accumulation} micro-batches of {batch}: global batch {accumulation * batch}")

    def load(**options):
        return lora.load_model(folder, config(), mesh, dtype, rank, **options)

    def answers(of_model):
        return {kind: lora.answer(of_model, tokenizer, texts, answer_tokens) for kind, texts in prompts.items()}

    before = answers(load())
    start = time.monotonic()
    trained = load(remat=lora.gemma3.RematConfig.BLOCK)
    losses = train(trained, mesh, examples, tokenizer, length, batch, accumulation, steps, learning_rate)
    train_seconds = time.monotonic() - start

    adapter = os.path.join(os.environ["KINETIC_OUTPUT_DIR"], "lora")
    lora.save_lora(trained, adapter)
    fresh = load()
    lora.restore_lora(fresh, adapter)
    return {
        "model": "tiny" if tiny else model,
        "devices": devices,
        "global_batch": accumulation * batch,
        "train_seconds": round(train_seconds, 1),
        "loss": losses,
        **compare(prompts, before, answers(fresh)),
    }


def train(model, mesh, examples, tokenizer, length, batch, accumulation, steps, learning_rate):
    """Trains the LoRA weights of a model, and returns the loss of each step.

    Tunix evaluates only with a second dataset, and saves only with a checkpoint folder. It gets neither.
    """
    import optax
    from tunix.sft.peft_trainer import PeftTrainer, TrainingConfig

    from batches import micro_batches, model_inputs
    from losses import LossLog

    settings = TrainingConfig(max_steps=steps, gradient_accumulation_steps=accumulation, eval_every_n_steps=1000)
    trainer = PeftTrainer(model, optax.adamw(learning_rate), settings)
    trainer.with_gen_model_input_fn(model_inputs(tokenizer.pad_id()))
    log = LossLog(every=max(steps // 10, 1))
    trainer.with_training_hooks(log)
    with mesh:
        trainer.train(micro_batches(examples, tokenizer, length, batch))
    return log.losses


def download(model):
    """Returns the folder with the weights of `model`, and its configuration."""
    import huggingface_hub
    from tunix.models.gemma3 import model as gemma3

    folder = huggingface_hub.snapshot_download(model, allow_patterns=["*.safetensors", "tokenizer.model"])
    return folder, gemma3.ModelConfig.gemma3_1b_it


def tiny_checkpoint(examples, prompts):
    """Returns a folder with random weights, and their configuration."""
    import tiny
    from masking import model_turn, user_turn

    folder = tempfile.mkdtemp()
    texts = [user_turn(pair["prompt"]) + model_turn(pair["response"]) for pair in examples]
    tiny.save_checkpoint(folder, texts + [user_turn(prompt) for texts in prompts.values() for prompt in texts])
    return folder, tiny.config


def compare(prompts, before, after):
    """Returns the refusal rates and the answers, as plain data."""
    from refusals import refusal_rate

    return {
        "refusal_rate": {
            kind: {"before": refusal_rate(before[kind]), "after": refusal_rate(after[kind])} for kind in prompts
        },
        "answers": [
            {"kind": kind, "prompt": prompt, "before": old, "after": new}
            for kind, texts in prompts.items()
            for prompt, old, new in zip(texts, before[kind], after[kind])
        ],
    }


def main():
    """Runs the same job as job.yaml, at one of two sizes, and prints its value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="train a small model with random weights on CPUs")
    arguments = {
        "examples": [json.loads(line) for line in (FOLDER / "examples.jsonl").read_text("utf-8").splitlines()],
        "prompts": json.loads((FOLDER / "prompts.json").read_text("utf-8")),
    }
    if parser.parse_args().tiny:
        value = finetune(**arguments, tiny=True)
    else:
        published = finetune.options(accelerator="v5litepod-8", secrets=["HF_TOKEN"])
        value = published(**arguments)
    print(json.dumps(value, indent=2))


if __name__ == "__main__":
    # The function of a module is sent by its name, as that of job.yaml. One of this script would be sent by value.
    from finetune import main

    main()
