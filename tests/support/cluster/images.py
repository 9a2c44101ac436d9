"""The images of the tests. Nodes of the cluster do not pull other images.

  pause     holds the namespaces of a pod
  python    Debian with Python 3.11 and the certificate authorities of this machine
  empty     no files: a program in it must be linked statically
  hostile   python with a missing preloaded library and wrong settings of name service and TLS; has uv, because pip
            cannot resolve the name of the package index
"""

import fcntl
import hashlib
import pathlib
import shutil
import tempfile

import archive
from layout import CACHE, HERE
from processes import tool

NAMES = {name: f"kinetic.test/{name}:1" for name in ("pause", "python", "empty", "hostile")}
# Determines the content of the Debian image.
_SUITE = "bookworm"
_PACKAGES = "python3-minimal,python3-venv,ca-certificates"
_AUTHORITIES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
_WITHOUT = ("var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale", "dev")

_HOSTILE_FILES = {
    "etc/nsswitch.conf": b"passwd: nothing\ngroup: nothing\nhosts: nothing\n",
    "etc/hostile/openssl.cnf": b"openssl_conf = missing\n.include /nonexistent/more.cnf\n",
}
_HOSTILE_CONFIG = {
    "Env": ["LD_PRELOAD=/nonexistent/library.so", "OPENSSL_CONF=/etc/hostile/openssl.cnf", "HOME=/nonexistent",
            "TMPDIR=/nonexistent", "LANG=xx_YY.nothing", "PYTHONPATH=/nonexistent"],
    "Entrypoint": ["/nonexistent/entrypoint"],
    "WorkingDir": "/nonexistent/work",
}


def bundle():
    """Returns the archive of all images. The first call takes a minute."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "images.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sources = [(HERE / source).read_bytes() for source in ("images.py", "archive.py", "pause.c")]
        path = CACHE / f"images@{_key(_debian_key(), *sources)}.tar"
        if not path.exists():
            fresh = path.with_suffix(".fresh")
            archive.write(fresh, _images())
            fresh.rename(path)
        return path


def _key(*parts):
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def _debian_key():
    authorities = _AUTHORITIES.read_bytes() if _AUTHORITIES.exists() else b""
    return _key(repr((_SUITE, _PACKAGES, _WITHOUT)).encode(), authorities).encode()


def _images():
    debian = _debian()
    return [
        archive.Image(NAMES["pause"], [archive.tar_of({"pause": (_pause(), 0o755)})], {"Entrypoint": ["/pause"]}),
        archive.Image(NAMES["python"], [debian], {"Entrypoint": ["/usr/bin/python3"]}),
        archive.Image(NAMES["empty"], [archive.tar_of({})]),
        archive.Image(NAMES["hostile"], [debian, archive.tar_of({**_HOSTILE_FILES, "usr/local/bin/uv": (_uv(), 0o755)})],
                      _HOSTILE_CONFIG),
    ]


def _uv():
    folder = tool(HERE.parent / "uv-folder").strip()
    return (pathlib.Path(folder) / "uv").read_bytes()


def _pause():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "pause"
        tool("cc", "-static", "-O2", "-s", "-o", program, HERE / "pause.c")
        return program.read_bytes()


def _debian():
    """Returns the Debian layer, which takes the minute."""
    kept = CACHE / f"debian@{_debian_key().decode()}.tar"
    if not kept.exists():
        with tempfile.TemporaryDirectory(prefix="debian-", dir=CACHE) as folder:
            root = pathlib.Path(folder) / "root"
            tool("debootstrap", "--variant=minbase", f"--include={_PACKAGES}", _SUITE, root)
            if _AUTHORITIES.exists():
                shutil.copyfile(_AUTHORITIES, root / _AUTHORITIES.relative_to("/"))
            layer = pathlib.Path(folder) / "layer.tar"
            skipped = [f"--exclude=./{path}/*" for path in _WITHOUT]
            tool("tar", "--numeric-owner", *skipped, "-C", root, "-cf", layer, ".")
            layer.rename(kept)
    return kept.read_bytes()
