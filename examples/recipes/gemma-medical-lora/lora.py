"""Trains a LoRA adapter of Gemma 3 with KerasHub on all chips, and answers questions."""

import json
import math
import time

import keras
import keras_hub

import chats
from pairs import PairPreprocessor


def use_chips(*sizes):
    """Splits batches among as many chips as divide all `sizes`, and returns their number. Call it before `load`.

    KerasHub uses one chip otherwise. A chip gets one example of each batch, so the last batch must be complete.
    """
    devices = keras.distribution.list_devices()
    count = math.gcd(len(devices), *sizes)
    if count > 1:
        keras.distribution.set_distribution(keras.distribution.DataParallel(devices=devices[:count]))
    return count


def load(preset, dtype, sequence_length):
    """Returns the model without an adapter."""
    gemma = keras_hub.models.Gemma3CausalLM(
        backbone=keras_hub.models.Gemma3Backbone.from_preset(preset, dtype=dtype),
        preprocessor=PairPreprocessor(
            keras_hub.models.Gemma3Tokenizer.from_preset(preset), sequence_length=sequence_length
        ),
    )
    gemma.compile(sampler="greedy")
    return gemma


def answer(gemma, questions, batch_size):
    """Returns the model's answers to questions of any number."""
    prompts = [chats.prompt(question) for question in questions]
    answers = []
    for start in range(0, len(prompts), batch_size):
        group = prompts[start : start + batch_size]
        complete = group + group[-1:] * (batch_size - len(group))
        answers += gemma.generate(complete, strip_prompt=True)[: len(group)]
    return [chats.text(generated) for generated in answers]


def count_tokens(gemma, examples):
    """Returns the number of tokens in chats, without padding."""
    inputs, _, _ = gemma.preprocessor(chats.pairs(examples))
    return int(inputs["padding_mask"].sum())


def add_adapter(gemma, rank, learning_rate):
    """Freezes the model and adds an adapter to its attention layers. Returns the number of trainable parameters."""
    gemma.backbone.enable_lora(rank)
    gemma.compile(
        optimizer=keras.optimizers.SGD(learning_rate),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        weighted_metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
        sampler="greedy",
    )
    return sum(math.prod(weights.shape) for weights in gemma.trainable_weights)


def train(gemma, training, validation, batch_size, epochs, folder):
    """Trains the adapter, and returns the loss of each epoch and the seconds. `folder` has the checkpoint."""
    checkpoint = Checkpoint(gemma.backbone, folder)
    gemma.fit(
        chats.pairs(training),
        validation_data=(chats.pairs(validation),),
        batch_size=batch_size,
        shuffle=False,
        initial_epoch=len(checkpoint.progress["loss"]),
        epochs=epochs,
        callbacks=[checkpoint],
        verbose=2,
    )
    return checkpoint.progress


class Checkpoint(keras.callbacks.Callback):
    """Saves the adapter and the losses after each epoch, for the next attempt of a job that is interrupted."""

    def __init__(self, backbone, folder):
        super().__init__()
        self.backbone, self.folder = backbone, folder
        self.progress = {"loss": [], "validation_loss": [], "seconds": 0.0}
        if (folder / "progress.json").exists():
            self.progress = json.loads((folder / "progress.json").read_text())
            backbone.load_lora_weights(folder / "adapter.lora.h5")
            print(f"resuming after epoch {len(self.progress['loss'])}")

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.monotonic()

    def on_epoch_end(self, epoch, logs=None):
        self.progress["loss"].append(logs["loss"])
        self.progress["validation_loss"].append(logs["val_loss"])
        self.progress["seconds"] += time.monotonic() - self.start
        # The two files belong together. kinetic does not save the folder while it contains this file.
        incomplete = self.folder / ".incomplete"
        incomplete.touch()
        self.backbone.save_lora_weights(self.folder / "adapter.lora.h5")
        (self.folder / "progress.json").write_text(json.dumps(self.progress))
        incomplete.unlink()
