"""Data sources of jobs."""

from __future__ import annotations

import os

from . import _folders


class Data:
    """A file or folder that a job receives: as an argument, or in `data` of `kinetic.run`.

    Parameters
    ----------
    path : str
        A local file or folder, ``gs://bucket/prefix``, or ``data://name`` of `kinetic data put`.
    fuse : bool, optional
        Accepted for programs of the Python tool. Data is always copied.

    Notes
    -----
    As an argument, the function receives the path of the copy, a str. The same content is uploaded once.
    """

    def __init__(self, path: str | os.PathLike[str], fuse: bool = False, **_unused: object) -> None:
        text = os.fspath(path)
        if not text:
            raise ValueError("the path of the data is empty")
        if text.startswith("hf://"):
            raise ValueError(f"{text}: Hugging Face datasets are not supported; load the dataset in the function")
        self.path = text if "://" in text else _folders.absolute(os.path.expanduser(text))
        if "://" not in text and not os.path.exists(self.path):
            raise FileNotFoundError(f"the data {text} does not exist")
        self.fuse = fuse

    @property
    def is_gcs(self) -> bool:
        """Whether the path is in Cloud Storage."""
        return self.path.startswith("gs://")

    @property
    def is_dir(self) -> bool:
        """Whether this is a local folder, or its path ends with a slash."""
        return os.path.isdir(self.path) or self.path.endswith("/")

    @property
    def mount(self) -> str:
        """The path in the job when this is an argument."""
        import hashlib

        digest = hashlib.sha256(self.path.encode()).hexdigest()[:12]
        return f"/kinetic-data/{digest}/{os.path.basename(self.path.rstrip('/')) or 'data'}"

    def __repr__(self) -> str:
        return f"kinetic.Data({self.path!r})"


Data.__module__ = "kinetic"  # for tracebacks and help
