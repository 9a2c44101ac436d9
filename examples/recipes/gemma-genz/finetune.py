"""Teaches Gemma 3 a tone with 30 prompt/response pairs, and compares its answers before and after."""

import argparse
import itertools
import json
import os
import pathlib
import tempfile
import time

import kinetic

FOLDER = pathlib.Path(__file__).parent


# As in job.yaml. The packages are those of requirements.txt, which kinetic finds beside this file.
@kinetic.run(name="gemma-genz", env={"KERAS_BACKEND": "jax"}, timeouts={"run": "1h"})
def finetune(
    sft_data,
    test_prompts,
    preset="gemma3_1b",
    epochs=1,
    learning_rate=None,
    dtype="bfloat16",
    sequence_length=128,
    max_length=80,
    tiny=False,
):
    """Fine-tunes `preset` on `sft_data`, a list of maps with `prompt` and `response`.

    With `tiny`, a model with random weights takes the place of the preset, and is trained for three epochs at a higher
    rate, because it knows nothing. The value has the answers to `test_prompts` before and after, the loss of each
    epoch, and the device.
    """
    if not isinstance(tiny, bool):
        raise TypeError(f"tiny is {tiny!r}, expected true or false")
    for number, pair in enumerate(sft_data, 1):
        if not {"prompt", "response"} <= set(pair):
            raise ValueError(f"pair {number} of sft_data has no prompt or no response: {pair}")
    if not tiny and "/" not in preset and "KAGGLE_API_TOKEN" not in os.environ:
        raise RuntimeError(
            f"{preset} is downloaded from Kaggle: pass your token with --secret KAGGLE_API_TOKEN, "
            "or train a model that needs no download with --arg tiny=true"
        )

    # Imported here, so that a client without JAX can import this module.
    import jax
    import keras
    import keras_hub

    from pairs import PairPreprocessor

    if tiny:
        from tiny import save_tiny_preset

        preset = os.path.join(tempfile.mkdtemp(), "tiny")
        epochs, learning_rate, dtype = 3, 3e-3, "float32"
        save_tiny_preset(preset, [text for pair in sft_data for text in pair.values()] + test_prompts)

    devices = [device.device_kind for device in jax.devices()]
    print(f"fine-tuning {'a tiny model' if tiny else preset} on {', '.join(devices)}")
    gemma = keras_hub.models.Gemma3CausalLM(
        backbone=keras_hub.models.Gemma3Backbone.from_preset(preset, dtype=dtype),
        preprocessor=PairPreprocessor(
            keras_hub.models.Gemma3Tokenizer.from_preset(preset), sequence_length=sequence_length
        ),
    )
    if learning_rate:
        gemma.compile(optimizer=keras.optimizers.Adam(learning_rate), sampler="greedy")

    def answer(prompt):
        return gemma.generate(prompt, max_length=max_length).removeprefix(prompt)

    before = [answer(prompt) for prompt in test_prompts]
    start = time.monotonic()
    history = gemma.fit(
        x={
            "prompts": [pair["prompt"] for pair in sft_data],
            "responses": [pair["response"] for pair in sft_data],
        },
        batch_size=1,
        shuffle=False,
        epochs=epochs,
        verbose=2,
        callbacks=[log_steps(keras)],
    ).history
    train_seconds = time.monotonic() - start

    # Plain data. The History that `fit` returns would bring the whole model along.
    return {
        "model": "tiny" if tiny else preset,
        "parameters": gemma.count_params(),
        "devices": devices,
        "train_seconds": round(train_seconds, 1),
        "loss": history["loss"],
        "answers": [
            {"prompt": prompt, "before": old, "after": answer(prompt)} for prompt, old in zip(test_prompts, before)
        ],
    }


def log_steps(keras):
    """Returns a callback of `fit` that logs the loss of each step as a metric."""
    steps = itertools.count(1)
    return keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda _batch, logs: kinetic.log(step=next(steps), loss=logs["loss"])
    )


def read_pairs(path):
    """Returns the maps in a file of JSON Lines. Ends the program if a line is invalid."""
    pairs = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            pairs += [json.loads(line)] if line.strip() else []
        except json.JSONDecodeError as error:
            raise SystemExit(f"{path}:{number}: invalid JSON at column {error.colno}") from None
    return pairs


def main():
    """Runs the same job as job.yaml, at one of two sizes, and prints its value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="train a small model with random weights on CPUs")
    arguments = {
        "sft_data": read_pairs(FOLDER / "data.jsonl"),
        "test_prompts": json.loads((FOLDER / "prompts.json").read_text("utf-8")),
    }
    if parser.parse_args().tiny:
        value = finetune(**arguments, tiny=True)
    else:
        published = finetune.options(accelerator="v5litepod-1", secrets=["KAGGLE_API_TOKEN"])
        value = published(**arguments)
    print(json.dumps(value, indent=2))


if __name__ == "__main__":
    # The function of a module is sent by its name, as that of job.yaml. One of this script would be sent by value.
    from finetune import main

    main()
