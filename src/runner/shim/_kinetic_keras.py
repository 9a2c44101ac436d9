"""The framework that Keras uses."""

import importlib.util
import os

FRAMEWORKS = ("tensorflow", "jax", "torch")  # Keras's default comes first


def select_backend():
    """Makes Keras use a framework that is installed. Without a variable, it imports TensorFlow in any case."""
    if "KERAS_BACKEND" in os.environ or not _is_installed("keras"):
        return
    for name in FRAMEWORKS:
        if _is_installed(name):
            if name != FRAMEWORKS[0]:  # otherwise ~/.keras/keras.json may name another one
                os.environ["KERAS_BACKEND"] = name
            return


def _is_installed(module):
    return importlib.util.find_spec(module) is not None
