"""Makes a Gemma 3 checkpoint with random weights that trains in seconds on eight CPU devices."""

import io
import pathlib

import numpy as np
import safetensors.numpy
import sentencepiece
from tunix.models.gemma3 import model as gemma3

VOCABULARY_SIZE = 512


def config():
    """Returns the configuration of the tiny model."""
    return gemma3.ModelConfig(
        num_layers=2,
        num_embed=VOCABULARY_SIZE,
        embed_dim=64,
        hidden_dim=128,
        num_heads=4,
        num_kv_heads=1,
        head_dim=16,
        sliding_window_size=32,
        global_base_frequency=1_000_000,
    )


def save_checkpoint(folder, texts):
    """Writes weights and a tokenizer with the names that a download from Hugging Face has."""
    folder = pathlib.Path(folder)
    (folder / "tokenizer.model").write_bytes(train_tokenizer(texts))
    safetensors.numpy.save_file(random_weights(config()), folder / "model.safetensors")


def random_weights(size):
    """Returns the tensors of a model. Normalization weights are 0, because Gemma 3 adds 1 to them."""
    random = np.random.default_rng(0)

    def matrix(rows, columns):
        return random.normal(0, columns**-0.5, (rows, columns)).astype("float32")

    width, hidden, head = size.embed_dim, size.hidden_dim, size.head_dim
    matrices = {
        "self_attn.q_proj": (size.num_heads * head, width),
        "self_attn.k_proj": (size.num_kv_heads * head, width),
        "self_attn.v_proj": (size.num_kv_heads * head, width),
        "self_attn.o_proj": (width, size.num_heads * head),
        "mlp.gate_proj": (hidden, width),
        "mlp.up_proj": (hidden, width),
        "mlp.down_proj": (width, hidden),
    }
    norms = {"self_attn.q_norm": head, "self_attn.k_norm": head}
    for place in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
        norms[f"{place}_layernorm"] = width

    tensors = {"model.embed_tokens.weight": matrix(size.num_embed, width), "model.norm.weight": np.zeros(width, "f4")}
    for layer in range(size.num_layers):
        for name, shape in matrices.items():
            tensors[f"model.layers.{layer}.{name}.weight"] = matrix(*shape)
        for name, length in norms.items():
            tensors[f"model.layers.{layer}.{name}.weight"] = np.zeros(length, "f4")
    return tensors


def train_tokenizer(texts):
    """Returns a SentencePiece model with the IDs and the special tokens of Gemma's tokenizer."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=model,
        model_type="BPE",
        vocab_size=VOCABULARY_SIZE,
        hard_vocab_limit=False,
        pad_id=0,
        eos_id=1,
        bos_id=2,
        unk_id=3,
        pad_piece="<pad>",
        eos_piece="<eos>",
        bos_piece="<bos>",
        unk_piece="<unk>",
        user_defined_symbols=["<start_of_turn>", "<end_of_turn>", "\n"],
        byte_fallback=True,
        split_digits=True,
        normalization_rule_name="identity",  # detokenizing returns exactly the text
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        minloglevel=2,
    )
    return model.getvalue()
