"""Gives a job in a folder store a price and a time on nodes, as if it had run on a cluster in Google Cloud."""

import json
import pathlib
import re
import struct

_MARK = b"KNTCMETA"


def _with_metadata(path, more):
    """Adds to the metadata of an object of a folder store (docs/reference/store.md)."""
    data = path.read_bytes()
    length = struct.unpack("<I", data[-12:-8])[0]
    entries, content = data[-12 - length:-12], data[:-12 - length]
    metadata = {}
    while entries:
        words = []
        for _ in range(2):
            size = struct.unpack("<H", entries[:2])[0]
            words.append(entries[2:2 + size])
            entries = entries[2 + size:]
        metadata[words[0]] = words[1]
    metadata.update((key.encode(), value.encode()) for key, value in more.items())
    trailer = b"".join(struct.pack("<H", len(word)) + word for entry in sorted(metadata.items()) for word in entry)
    path.write_bytes(content + trailer + struct.pack("<I", len(trailer)) + _MARK)


def _with_fields(path, more):
    """Adds fields to a document. One without a checksum is valid."""
    document = json.loads(path.read_text())
    document.pop("check", None)
    path.write_text(json.dumps({**document, **more}))


def price(store, job, milliseconds, accelerator="v5litepod-4", **terms):
    """Changes all objects of an ended or running job.

    @param terms  of the price: region, nodes, and dollars_per_hour with date unless it is unknown
    """
    store = pathlib.Path(store)
    terms = {"region": "us-west4", "nodes": "on_demand", **terms}
    time = {"node_milliseconds": milliseconds} if milliseconds else {}
    _with_fields(store / "jobs" / job / "record.json", {"price": terms})
    result = store / "jobs" / job / "result.json"
    if result.exists():
        _with_fields(result, time)
    texts = {"price": json.dumps(terms), "accelerator": accelerator, **{key: str(value) for key, value in time.items()}}
    for entry in (store / "index").iterdir():
        if re.fullmatch(rf"\d+-{re.escape(job)}(\.ended)?", entry.name):
            _with_metadata(entry, texts)
