"""Makes a Gemma 3 model with random weights that trains in seconds on a CPU."""

import io

import keras
import keras_hub
import sentencepiece


def train_tokenizer(texts, vocabulary_size=512):
    """Returns a SentencePiece model with the IDs and the special tokens of Gemma's tokenizer."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=model,
        model_type="BPE",
        vocab_size=vocabulary_size,
        hard_vocab_limit=False,
        pad_id=0,
        eos_id=1,
        bos_id=2,
        unk_id=3,
        pad_piece="<pad>",
        eos_piece="<eos>",
        bos_piece="<bos>",
        unk_piece="<unk>",
        user_defined_symbols=[
            "<start_of_turn>", "<end_of_turn>", "<img>", "<start_of_image>", "<end_of_image>", "\n",
        ],
        byte_fallback=True,  # emoji
        split_digits=True,
        normalization_rule_name="identity",  # detokenizing returns exactly the text
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        minloglevel=2,
    )
    return model.getvalue()


def save_tiny_preset(folder, texts):
    """Writes a preset that `from_preset(folder)` loads like a published one."""
    keras.utils.set_random_seed(0)
    tokenizer = keras_hub.models.Gemma3Tokenizer(proto=train_tokenizer(texts))
    backbone = keras_hub.models.Gemma3Backbone(
        vocabulary_size=tokenizer.vocabulary_size(),
        image_size=16,  # required, also without images
        num_layers=4,
        num_query_heads=4,
        num_key_value_heads=1,
        hidden_dim=64,
        intermediate_dim=128,
        head_dim=16,
        use_post_ffw_norm=True,
        use_post_attention_norm=True,
        use_sliding_window_attention=True,
        sliding_window_size=32,
        dtype="float32",
    )
    backbone.save_to_preset(folder)
    tokenizer.save_to_preset(folder)
