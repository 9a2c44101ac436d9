"""Gemma 3 with LoRA weights, spread over all devices."""

import jax
import orbax.checkpoint as ocp
import qwix
from flax import nnx
from tunix.generate import sampler as sampling
from tunix.models.gemma3 import model as gemma3
from tunix.models.gemma3.params_safetensors import create_model_from_safe_tensors

from masking import END_OF_TURN, user_turn

ADAPTED = ".*q_einsum|.*kv_einsum|.*attn_vec_einsum|.*(gate|up|down)_proj"


def make_mesh():
    """Returns a mesh in which every device holds a part of the weights and of each batch."""
    axis = jax.sharding.AxisType.Auto  # Tunix does not support explicit axes, the default
    return jax.make_mesh((jax.device_count(), 1), ("fsdp", "tp"), axis_types=(axis, axis))


def load_model(folder, config, mesh, dtype, rank, remat=gemma3.RematConfig.NONE):
    """Loads the weights in `folder`, and adds LoRA weights that do not change the answers yet.

    `remat` saves memory in training. A model that uses it cannot generate text.
    """
    config.remat_config = remat
    model = create_model_from_safe_tensors(folder, config, mesh, dtype=dtype)
    lora = qwix.LoraProvider(module_path=ADAPTED, rank=rank, alpha=2.0 * rank)
    with mesh:
        model = qwix.apply_lora_to_model(model, lora, rngs=nnx.Rngs(0), **model.get_model_input())
        state = nnx.state(model)
        nnx.update(model, jax.lax.with_sharding_constraint(state, nnx.get_partition_spec(state)))
    return model


def save_lora(model, folder):
    """Saves the LoRA weights of a model to `folder` with Orbax."""
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(folder, nnx.to_pure_dict(nnx.state(model, nnx.LoRAParam)))


def restore_lora(model, folder):
    """Replaces the LoRA weights of a model by those in `folder`."""
    state = nnx.state(model, nnx.LoRAParam)
    with ocp.StandardCheckpointer() as checkpointer:
        nnx.replace_by_pure_dict(state, checkpointer.restore(folder, nnx.to_pure_dict(state)))
    nnx.update(model, state)


def answer(model, tokenizer, prompts, max_tokens):
    """Returns the most probable answers of a model to the prompts."""
    turns = [user_turn(prompt) for prompt in prompts]
    longest = 1 + max(len(tokenizer.encode(turn)) for turn in turns)
    config = model.config
    cache = sampling.CacheConfig(
        cache_size=longest + max_tokens,
        num_layers=config.num_layers,
        num_kv_heads=config.num_kv_heads,
        head_dim=config.head_dim,
    )
    stop = [tokenizer.eos_id(), tokenizer.piece_to_id(END_OF_TURN)]
    sampler = sampling.Sampler(model, tokenizer, cache)
    answers = sampler(turns, max_generation_steps=max_tokens, max_prompt_length=longest, eos_tokens=stop).text
    return [text.removesuffix(END_OF_TURN).strip() for text in answers]
