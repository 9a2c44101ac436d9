"""Turns prompt/response pairs into batches of one shape, with a grain pipeline."""

import grain
import numpy as np
from tunix.sft import utils
from tunix.sft.peft_trainer import TrainingInput

from chat import model_turn, pad_and_mask, user_turn

PAD = 0  # of Gemma's tokenizers
# The default is 500 batches, which the program would finish before it exits.
FEW_AHEAD = grain.ReadOptions(num_threads=1, prefetch_buffer_size=2)


class TokenizeAndMask(grain.transforms.Map):
    """Tokenizes a pair. `input_mask` is 0 on the prompt and the padding, and 1 on the response."""

    def __init__(self, tokenizer, length):
        self.tokenizer = tokenizer
        self.length = length

    def map(self, pair):
        prompt, response = (
            self.tokenizer.encode(text, add_special_tokens=False).ids
            for text in (user_turn(pair["prompt"]), model_turn(pair["response"]))
        )
        tokens, mask = pad_and_mask(prompt, response, self.length, PAD)
        return {"input_tokens": np.array(tokens, np.int32), "input_mask": np.array(mask, bool)}


def batches(examples, tokenizer, length, size):
    """Yields batches of `size` shuffled examples without end."""
    return (
        grain.MapDataset.source(examples)
        .seed(0)
        .shuffle()
        .repeat()
        .map(TokenizeAndMask(tokenizer, length))
        .batch(size, drop_remainder=True)
        .map(lambda batch: TrainingInput(**batch))
        .to_iter_dataset(FEW_AHEAD)
    )


def model_inputs(batch):
    """Prepares a batch for the model. The loss counts `input_mask`; attention needs the prompt, too."""
    is_text = batch.input_tokens != PAD
    return {
        "input_tokens": batch.input_tokens,
        "input_mask": batch.input_mask,
        "positions": utils.build_positions_from_mask(is_text),
        "attention_mask": utils.make_causal_attn_mask(is_text),
    }
