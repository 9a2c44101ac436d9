"""Turns prompt/response pairs into tensors, in NumPy. KerasHub's own preprocessor of Gemma 3 needs TensorFlow."""

import keras_hub
import numpy as np


class PairPreprocessor(keras_hub.models.CausalLMPreprocessor):
    """Replaces `Gemma3CausalLMPreprocessor` for text. The loss counts only the tokens of the responses."""

    backbone_cls = keras_hub.models.Gemma3Backbone
    tokenizer_cls = keras_hub.models.Gemma3Tokenizer

    def call(self, x, y=None, sample_weight=None, sequence_length=None):
        tokenizer, length = self.tokenizer, sequence_length or self.sequence_length
        prompts, responses = (tokenizer([str(text) for text in x[name]]) for name in ("prompts", "responses"))
        # One more than the length, because inputs and labels are shifted by one token.
        tokens = np.full((len(prompts), length + 1), tokenizer.pad_token_id, "int32")
        is_response = np.zeros(tokens.shape, bool)
        for row, (prompt, response) in enumerate(zip(prompts, responses)):
            start = [tokenizer.start_token_id, *prompt]
            ids = [*start, *response, tokenizer.end_token_id][: length + 1]
            tokens[row, : len(ids)] = ids
            is_response[row, len(start) : len(ids)] = True
        inputs = {"token_ids": tokens[:, :-1], "padding_mask": tokens[:, :-1] != tokenizer.pad_token_id}
        return inputs, tokens[:, 1:], is_response[:, 1:]
