"""Tiny Python packages for an index."""

import io
import tarfile
import zipfile


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
    record = "".join(f'"{entry[0]}",,\n' for entry in entries) + info + "RECORD,,\n"
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
