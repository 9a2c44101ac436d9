"""Encodes and decodes values: docs/reference/values.md. The encoder and the decoder have modules of their own."""

import json
import os

import _kinetic_encoder
from _kinetic_arrays import has_metadata, npy_header  # noqa: F401
from _kinetic_decoder import TYPED, Decoder, fits, import_type  # noqa: F401
from _kinetic_encoder import Encoder
from _kinetic_refusals import NotSerializable


def write_value(value, folder, to_pickle=None):
    """Writes value.json and the files that it refers to; returns its size in bytes."""
    text = json.dumps(Encoder(os.path.join(folder, "values"), to_pickle).encode(value), ensure_ascii=False,
                      allow_nan=False, separators=(",", ":")).encode("utf-8")
    if len(text) > _kinetic_encoder.MAX_BYTES:
        raise NotSerializable("$", value, _kinetic_encoder.TOO_LONG % (_kinetic_encoder.MAX_BYTES >> 20), False)
    with open(os.path.join(folder, "value.json"), "wb") as file:
        file.write(text)
    return len(text)


def decode(value, root, find_type=None):
    """Returns the Python value of an argument.

    `root` is the base of a relative `$path`. `find_type` returns the class of a name, for dataclasses, named
    tuples and enums; without it they remain maps.
    """
    return Decoder(root, find_type).decode(value)
