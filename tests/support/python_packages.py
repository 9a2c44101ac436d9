"""Tiny Python packages for an index."""

import base64
import hashlib
import io
import tarfile
import zipfile


def recorded(path, content):
    """Returns the line of a file in a wheel's RECORD."""
    content = content.encode() if isinstance(content, str) else content
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f'"{path}",sha256={digest},{len(content)}\n'


def wheel(name, files=(), requires=(), tag="py3-none-any", version="1.0"):
    """Returns file name and content of a wheel; `files` are (path, text) or (path, text, mode)."""
    base = f"{name.replace('-', '_')}-{version}"
    info = f"{base}.dist-info/"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {one}\n" for one in requires)
    entries = [*((path.replace("DATA", f"{base}.data"), *rest) for path, *rest in files),
               (info + "METADATA", metadata),
               (info + "WHEEL", f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n")]
    entries = [(path.replace("INFO/", info), *rest) for path, *rest in entries]
    record = "".join(recorded(path, content) for path, content, *_ in entries) + info + "RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text, *mode in [*entries, (info + "RECORD", record)]:
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100000 | (mode[0] if mode else 0o644)) << 16
            archive.writestr(entry, text)
    return f"{base}-{tag}.whl", buffer.getvalue()


def source_archive(name, files):
    """Returns file name and content of a source archive of version 1.0; `files` are texts by path, besides its
    metadata."""
    base = f"{name.replace('-', '_')}-1.0"
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for file, text in {**files, "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"}.items():
            entry = tarfile.TarInfo(f"{base}/{file}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return f"{base}.tar.gz", buffer.getvalue()


BACKEND = """
import os, zipfile

METADATA = {metadata!r}
INFO = "{name}-1.5.dist-info/"

def get_requires_for_build_wheel(settings=None):
    return []

def prepare_metadata_for_build_wheel(folder, settings=None):
    os.makedirs(os.path.join(folder, INFO))
    with open(os.path.join(folder, INFO, "METADATA"), "w") as file:
        file.write(METADATA)
    return INFO.rstrip("/")

def build_wheel(folder, settings=None, metadata=None):
    name = "{name}-1.5-py3-none-any.whl"
    texts = [("{name}.py", open("{name}.py").read()), (INFO + "METADATA", METADATA),
             (INFO + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")]
    texts.append((INFO + "RECORD", "".join(path + ",,\\n" for path, _ in texts) + INFO + "RECORD,,\\n"))
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        for path, text in texts:
            archive.writestr(zipfile.ZipInfo(path), text)
    return name

get_requires_for_build_editable = get_requires_for_build_wheel
prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel
build_editable = build_wheel
"""


def project(name, requires=()):
    """Returns the files of a project that builds version 1.5 without other packages, as texts by path."""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n"
    metadata += "".join(f"Requires-Dist: {one}\n" for one in requires)
    return {"backend.py": BACKEND.format(name=name, metadata=metadata), f"{name}.py": "",
            "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
                              f'[project]\nname = "{name}"\ndynamic = ["version"]\ndependencies = {list(requires)!r}\n'}
