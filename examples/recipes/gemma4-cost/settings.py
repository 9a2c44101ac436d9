"""The hyperparameters of the training, which are the same on TPUs and GPUs."""

MODEL = "google/gemma-4-31B-it"

PUBLISHED = {"steps": 100, "batch": 16, "length": 1024, "learning_rate": 2e-4, "rank": 16, "alpha": 32.0}
TINY = {"steps": 20, "batch": 8, "length": 64, "learning_rate": 1e-2, "rank": 8, "alpha": 16.0}


def hyperparameters(tiny):
    """Returns the hyperparameters for one of the two sizes."""
    return TINY if tiny else PUBLISHED


def require_token(tiny):
    """Raises an error if the weights cannot be downloaded."""
    import os

    if not tiny and "HF_TOKEN" not in os.environ:
        raise RuntimeError(
            f"{MODEL} is downloaded from Hugging Face: pass your token with --secret HF_TOKEN, "
            "or use a model that needs no download with --arg tiny=true"
        )
