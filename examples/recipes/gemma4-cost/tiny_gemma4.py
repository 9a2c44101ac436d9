"""Makes a Gemma 4 checkpoint with random weights that trains in seconds on CPUs."""

import json

import numpy as np
import safetensors.numpy
import tokenizers
from tokenizers import decoders, models, normalizers, trainers

LAYERS, GLOBAL_LAYER = 6, 5
VOCABULARY_SIZE, WIDTH, HIDDEN = 512, 96, 192
HEADS, HEAD = 4, 32
LOCAL_HEADS = 2  # of keys and values
GLOBAL_HEADS, GLOBAL_HEAD = 1, 64
WINDOW = 32
SPECIAL = ["<pad>", "<eos>", "<bos>", "<unk>", "<|turn>", "<turn|>"]


def tunix_configuration():
    """Returns the configuration of the tiny model in Tunix."""
    import jax.numpy as jnp
    from tunix.models.gemma4 import model as gemma4

    return gemma4.ModelConfig(
        num_layers=LAYERS,
        num_embed=VOCABULARY_SIZE,
        embed_dim=WIDTH,
        hidden_dim=HIDDEN,
        num_heads=HEADS,
        head_dim=HEAD,
        num_kv_heads=LOCAL_HEADS,
        num_global_kv_heads=GLOBAL_HEADS,
        global_key_size=GLOBAL_HEAD,
        k_eq_v_global=True,
        sliding_window_size=WINDOW,
        attention_pattern=gemma4.GEMMA4_ATTENTION_PATTERN,
        dtype=jnp.float32,
        param_dtype=jnp.float32,
    )


def transformers_configuration():
    """Returns the configuration of the tiny model in Transformers, for the baseline."""
    text = {
        "model_type": "gemma4_text",
        "vocab_size": VOCABULARY_SIZE,
        "hidden_size": WIDTH,
        "intermediate_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": LOCAL_HEADS,
        "num_global_key_value_heads": GLOBAL_HEADS,
        "head_dim": HEAD,
        "global_head_dim": GLOBAL_HEAD,
        "attention_k_eq_v": True,
        "sliding_window": WINDOW,
        "final_logit_softcapping": 30.0,
        "hidden_size_per_layer_input": 0,
        "vocab_size_per_layer_input": VOCABULARY_SIZE,
    }
    return {
        "architectures": ["Gemma4ForConditionalGeneration"],
        "model_type": "gemma4",
        "dtype": "float32",
        "text_config": text,
    }


def save_checkpoint(folder, texts):
    """Writes weights in two files, their configuration, and a tokenizer, named as in a download from Hugging Face."""
    folder.mkdir(parents=True)
    train_tokenizer(texts).save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>", "eos_token": "<eos>"})
    )
    (folder / "config.json").write_text(json.dumps(transformers_configuration(), indent=2))
    tensors = random_weights()
    names = sorted(tensors)
    index = {}
    for number, part in enumerate((names[::2], names[1::2]), start=1):
        file = f"model-0000{number}-of-00002.safetensors"
        safetensors.numpy.save_file({name: tensors[name] for name in part}, folder / file, metadata={"format": "pt"})
        index.update(dict.fromkeys(part, file))
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))


def random_weights():
    """Returns the tensors of a model. Global layers have no values of their own: they use their keys."""
    random = np.random.default_rng(0)
    tensors = {}

    def matrix(name, rows, columns):
        tensors[f"model.language_model.{name}.weight"] = random.normal(0, columns**-0.5, (rows, columns)).astype("f4")

    def norm(name, length):
        tensors[f"model.language_model.{name}.weight"] = np.ones(length, "f4")

    matrix("embed_tokens", VOCABULARY_SIZE, WIDTH)
    norm("norm", WIDTH)
    for number in range(LAYERS):
        layer = f"layers.{number}"
        is_global = number == GLOBAL_LAYER
        head = GLOBAL_HEAD if is_global else HEAD
        keys = head * (GLOBAL_HEADS if is_global else LOCAL_HEADS)
        matrix(f"{layer}.self_attn.q_proj", HEADS * head, WIDTH)
        matrix(f"{layer}.self_attn.k_proj", keys, WIDTH)
        if not is_global:
            matrix(f"{layer}.self_attn.v_proj", keys, WIDTH)
        matrix(f"{layer}.self_attn.o_proj", WIDTH, HEADS * head)
        matrix(f"{layer}.mlp.gate_proj", HIDDEN, WIDTH)
        matrix(f"{layer}.mlp.up_proj", HIDDEN, WIDTH)
        matrix(f"{layer}.mlp.down_proj", WIDTH, HIDDEN)
        norm(f"{layer}.self_attn.q_norm", head)
        norm(f"{layer}.self_attn.k_norm", head)
        for place in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            norm(f"{layer}.{place}_layernorm", WIDTH)
        tensors[f"model.language_model.{layer}.layer_scalar"] = np.ones(1, "f4")
    return tensors


def train_tokenizer(texts):
    """Returns a tokenizer with the special tokens of Gemma 4."""
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    bytes_of_utf8 = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY_SIZE, special_tokens=SPECIAL + bytes_of_utf8, limit_alphabet=64, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
