"""Compares the merged tiny model with the model that was trained."""

import os
import pathlib

from settings import TINY


def check(trained, merged):
    """Returns the largest difference between the logits of both models, and that to the model before the training."""
    os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_force_host_platform_device_count=4")
    import jax.numpy as jnp
    import orbax.checkpoint as ocp
    from flax import nnx

    import gemma4

    trained = pathlib.Path(trained)
    mesh = gemma4.make_mesh()
    config = gemma4.configuration(tiny=True)

    def logits(model):
        tokens = jnp.arange(6, 38)[None].repeat(4, axis=0)
        positions = jnp.arange(32)[None].repeat(4, axis=0)
        causal = jnp.tril(jnp.ones((32, 32), bool))[None].repeat(4, axis=0)
        with mesh:
            return model(tokens, positions, None, causal)[0]

    base = logits(gemma4.load(trained / "base", config, mesh))
    adapted = gemma4.add_lora(gemma4.load(trained / "base", config, mesh), mesh, TINY["rank"], TINY["alpha"])
    state = nnx.state(adapted, nnx.LoRAParam)
    with ocp.StandardCheckpointer() as checkpointer:
        nnx.replace_by_pure_dict(state, checkpointer.restore(trained / "lora", nnx.to_pure_dict(state)))
    nnx.update(adapted, state)
    expected = logits(adapted)
    found = logits(gemma4.load(merged, config, mesh))
    return {
        "difference": float(jnp.abs(found - expected).max()),
        "difference_to_base": float(jnp.abs(found - base).max()),
    }
