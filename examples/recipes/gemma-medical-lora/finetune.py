"""Fine-tunes Gemma 3 with LoRA on medical chats, and compares it with itself before and with a larger model."""

import argparse
import json
import os
import pathlib
import tempfile

import choices
import data
import kinetic
import larger_model
import rouge


# As in job.yaml. The packages are those of requirements.txt, which kinetic finds beside this file.
@kinetic.run(name="gemma-medical-lora", env={"KERAS_BACKEND": "jax"}, retry={"attempts": 3}, timeouts={"run": "1h"})
def finetune(
    preset="hf://google/gemma-3-1b-it",
    api_url="https://openrouter.ai/api/v1",
    api_model="google/gemma-4-26b-a4b-it",
    rank=16,
    epochs=1,
    learning_rate=1e-4,
    dtype="bfloat16",
    sequence_length=256,
    seed=0,
    tiny=False,
):
    """Fine-tunes `preset`, and returns scores, losses, the speed, and answers. Saves the adapter as an output.

    With `tiny`, a model with random weights takes the place of the preset, and 20 chats and 8 questions that of the
    published data. Without a key, a server in this process takes the place of the larger model.
    """
    if not isinstance(tiny, bool):
        raise TypeError(f"tiny is {tiny!r}, expected true or false")
    if tiny:
        epochs, learning_rate, dtype, sequence_length = 3, 0.5, "float32", 160
    else:
        check_secrets(preset)
    training, validation, questions = data.tiny() if tiny else data.published(seed)
    asked = [choices.ask(question) for question in questions]

    # First, so that a key that the server refuses ends the job in seconds.
    key = os.environ.get("OPENROUTER_API_KEY")
    larger_answers = larger_model.answers(asked, api_url, api_model, key) if key else ask_standin(questions, asked)

    # Imported here, so that a client without JAX can import this module.
    import jax
    import lora

    if tiny:
        from tiny import save_tiny_preset

        preset = os.path.join(tempfile.mkdtemp(), "tiny")
        save_tiny_preset(preset, [text for chat in training + validation for text in chat.values()] + asked)

    devices = [device.device_kind for device in jax.devices()]
    chips = lora.use_chips(len(training), len(validation))
    print(f"fine-tuning {'a tiny model' if tiny else preset} on {chips} of {len(devices)} {devices[0]}")
    gemma = lora.load(preset, dtype, sequence_length)

    def ask(texts):
        return lora.answer(gemma, texts, batch_size=chips)

    samples = validation[:20]
    patients = [sample["question"] for sample in samples]
    doctors = [sample["answer"] for sample in samples]
    score_before, before = choices.score(questions, ask(asked)), ask(patients[:3])
    parameters = gemma.count_params()
    trainable_parameters = lora.add_adapter(gemma, rank, learning_rate)
    progress = lora.train(
        gemma, training, validation, chips, epochs, folder=pathlib.Path(os.environ["KINETIC_CHECKPOINT_DIR"])
    )
    gemma.backbone.save_lora_weights(os.path.join(os.environ["KINETIC_OUTPUT_DIR"], "adapter.lora.h5"))
    after = ask(patients)

    seconds = progress["seconds"]
    return {
        "model": "tiny" if tiny else preset,
        "larger_model": api_model if key else "stand-in",
        "devices": devices,
        "chips": chips,
        "parameters": parameters,
        "trainable_parameters": trainable_parameters,
        "loss": progress["loss"],
        "validation_loss": progress["validation_loss"],
        "train_seconds": round(seconds, 1),
        "tokens_per_second": {
            "with_padding": round(epochs * len(training) * sequence_length / seconds),
            "without_padding": round(epochs * lora.count_tokens(gemma, training) / seconds),
        },
        "questions": len(questions),
        "score": {
            "before": score_before,
            "after": choices.score(questions, ask(asked)),
            "larger_model": choices.score(questions, larger_answers),
        },
        "rouge_l": rouge.mean_rouge_l(doctors, after),
        "answers": [
            {"question": question, "doctor": doctor, "before": old, "after": new}
            for question, doctor, old, new in zip(patients, doctors, before, after)
        ],
    }


def check_secrets(preset):
    """Raises an error that names the secrets that this job lacks."""
    names = ["OPENROUTER_API_KEY"] + ["HF_TOKEN"] * preset.startswith("hf://")
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        options = " ".join(f"--secret {name}" for name in missing)
        raise RuntimeError(
            f"this size needs the secrets {' and '.join(missing)}: pass them with {options}, "
            "or run without an account with --arg tiny=true"
        )


def ask_standin(questions, asked):
    """Returns the answers of a server that answers all questions but the last two."""
    import standin

    replies = [question["answer"] for question in questions[:-2]] + ["I do not know.", ""]
    with standin.larger_model(dict(zip(asked, replies, strict=True))) as url:
        return larger_model.answers(asked, url, "tiny", standin.KEY)


def main():
    """Runs the same job as job.yaml, at one of two sizes, and prints its value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="train a small model with random weights on CPUs")
    if parser.parse_args().tiny:
        value = finetune(tiny=True)
    else:
        published = finetune.options(accelerator="v5litepod-8", secrets=["HF_TOKEN", "OPENROUTER_API_KEY"])
        value = published()
    print(json.dumps(value, indent=2))


if __name__ == "__main__":
    # The function of a module is sent by its name, as that of job.yaml. One of this script would be sent by value.
    from finetune import main

    main()
