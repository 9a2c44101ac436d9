"""Gemma 4 in Tunix, spread over all devices, with LoRA weights."""

import jax
import jax.numpy as jnp
import qwix
from flax import nnx
from tunix.models.gemma4 import model as gemma4
from tunix.models.gemma4.params_safetensors import create_model_from_safe_tensors

# The global layers have no values of their own, so their keys are adapted as `k_einsum`.
ADAPTED = ".*q_einsum|.*kv_einsum|.*k_einsum|.*attn_vec_einsum|.*(gate|up|down)_proj"


def make_mesh():
    """Returns a mesh in which every device holds a part of the weights and of each batch."""
    axis = jax.sharding.AxisType.Auto  # Tunix does not support explicit axes, the default
    return jax.make_mesh((jax.device_count(), 1), ("fsdp", "tp"), axis_types=(axis, axis))


def configuration(tiny):
    """Returns the shape of the model. Tunix computes in float32 unless the configuration names another type."""
    if tiny:
        import tiny_gemma4

        return tiny_gemma4.tunix_configuration()
    config = gemma4.ModelConfig.gemma4_31b()
    config.dtype = config.param_dtype = jnp.bfloat16
    return config


def load(folder, config, mesh):
    """Loads the weights in `folder`, which have the names that Hugging Face uses."""
    return create_model_from_safe_tensors(str(folder), config, mesh, dtype=config.param_dtype)


def add_lora(model, mesh, rank, alpha):
    """Returns the model with LoRA weights that do not change its answers yet, each split as the weight it adapts."""
    lora = qwix.LoraProvider(module_path=ADAPTED, rank=rank, alpha=alpha)
    with mesh:
        model = qwix.apply_lora_to_model(model, lora, rngs=nnx.Rngs(0), **model.get_model_input())
        state = nnx.state(model)
        nnx.update(model, jax.lax.with_sharding_constraint(state, nnx.get_partition_spec(state)))
    return model


def checkpoint_gradients(model):
    """Computes activations again for the gradient, which saves memory. Possible only after `add_lora`."""
    model.config.remat_config = gemma4.RematConfig.DECODER
