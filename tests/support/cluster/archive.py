"""Images as one docker-archive that contains equal layers once."""

import dataclasses
import hashlib
import io
import json
import tarfile

_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclasses.dataclass
class Image:
    """`layers` are uncompressed tar files. `config` is the image configuration."""

    name: str
    layers: list
    config: dict = dataclasses.field(default_factory=dict)


def tar_of(files):
    """Returns a layer of small files: {path: content or (content, mode)}."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as layer:
        for path, content in files.items():
            content, mode = content if isinstance(content, tuple) else (content, 0o644)
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(content), mode
            layer.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def write(path, images):
    """Writes the archive in the format of `ctr images import`."""
    manifest, written = [], set()
    with tarfile.open(path, "w") as archive:
        def add(name, content):
            if name not in written:
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
                written.add(name)

        for image in images:
            digests = [hashlib.sha256(layer).hexdigest() for layer in image.layers]
            config = json.dumps({
                "architecture": "amd64", "os": "linux",
                "config": {**image.config, "Env": [_PATH, *image.config.get("Env", [])]},
                "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]},
            }).encode()
            config_name = hashlib.sha256(config).hexdigest() + ".json"
            add(config_name, config)
            for digest, layer in zip(digests, image.layers):
                add(f"{digest}.tar", layer)
            manifest.append({"Config": config_name, "RepoTags": [image.name],
                             "Layers": [f"{digest}.tar" for digest in digests]})
        add("manifest.json", json.dumps(manifest).encode())
