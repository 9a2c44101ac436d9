"""The runner image, inspected with Python and started in an empty root file system.

  runner_image_test.py KINETIC RUNNER LIMIT of its compressed bytes
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

KINETIC, RUNNER = (os.path.abspath(word) for word in sys.argv[1:3])
LIMIT = int(sys.argv[3])
PROGRAM = "kinetic-runner/bin/kinetic-runner"
LIBRARIES = "kinetic-runner/lib/"


def decompressed(bytes_):
    if bytes_[:2] == b"\x1f\x8b":
        return gzip.decompress(bytes_)
    return subprocess.run(["zstd", "-dc"], input=bytes_, stdout=subprocess.PIPE, check=True).stdout


class Layout:
    """An OCI layout in a tar archive. Verifies every digest and size."""

    def __init__(self, path):
        with tarfile.open(path) as archive:
            self.members = archive.getmembers()
            self._files = {member.name: archive.extractfile(member).read() for member in self.members if member.isfile()}
        assert json.loads(self._files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
        self.index = json.loads(self._files["index.json"])
        [self.entry] = self.index["manifests"]
        self.manifest = json.loads(self._blob(self.entry))
        self.config = json.loads(self._blob(self.manifest["config"]))
        self.layers = [decompressed(self._blob(layer)) for layer in self.manifest["layers"]]
        assert [sha256(layer) for layer in self.layers] == self.config["rootfs"]["diff_ids"]
        self.compressed_bytes = sum(layer["size"] for layer in self.manifest["layers"])

    def _blob(self, descriptor):
        blob = self._files["blobs/" + descriptor["digest"].replace(":", "/")]
        assert (sha256(blob), len(blob)) == (descriptor["digest"], descriptor["size"])
        return blob

    def entries(self):
        for layer in self.layers:
            with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
                yield from archive

    def unpack(self, folder):
        for layer in self.layers:
            with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
                archive.extractall(folder)


def sha256(bytes_):
    return "sha256:" + hashlib.sha256(bytes_).hexdigest()


class RunnerImage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-image-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.zstd, cls.name = cls.make("zstd.tar")
        cls.gzip, cls.gzip_name = cls.make("gzip.tar", "--compression", "gzip")

    @classmethod
    def make(cls, file, *options):
        done = subprocess.run([KINETIC, "image", "runner", "--runner", RUNNER, "--output", cls.home / file, *options],
                              env={"HOME": str(cls.home), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return Layout(cls.home / file), done.stdout.strip()

    def test_image_is_reproducible(self):
        (self.home / "moved").mkdir()
        shutil.copy2(self.home / "zstd.tar", self.home / "moved/first.tar")
        self.make("zstd.tar")
        self.assertEqual((self.home / "moved/first.tar").read_bytes(), (self.home / "zstd.tar").read_bytes())

    def test_tag_identifies_content(self):
        version = subprocess.run([RUNNER, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        digits = self.zstd.manifest["config"]["digest"][len("sha256:"):][:12]
        self.assertEqual(self.name, f"docker.io/library/kinetic-runner:{version}-{digits}")
        self.assertEqual(self.gzip_name, self.name)
        self.assertEqual(self.zstd.entry["annotations"]["io.containerd.image.name"], self.name)
        self.assertEqual(self.zstd.entry["annotations"]["org.opencontainers.image.ref.name"], f"{version}-{digits}")
        self.assertEqual(self.zstd.config["config"]["Labels"]["org.opencontainers.image.version"], version)

    def test_both_compressions_have_same_content(self):
        self.assertEqual(self.zstd.config, self.gzip.config)
        self.assertEqual(self.zstd.layers, self.gzip.layers)
        sizes = {"zstd": self.zstd.compressed_bytes, "gzip": self.gzip.compressed_bytes}
        print(f"compressed: {sizes}; unpacked: {sum(map(len, self.zstd.layers))}", file=sys.stderr)
        self.assertLessEqual(sizes["zstd"], LIMIT)

    def test_image_has_no_builder_or_time(self):
        for member in [*self.zstd.members, *self.zstd.entries()]:
            self.assertEqual((member.uid, member.gid, member.uname, member.gname, member.mtime), (0, 0, "", "", 0), member)
        self.assertEqual(self.zstd.config["created"], "1970-01-01T00:00:00Z")

    def test_image_has_libraries_used_by_loader(self):
        listing = subprocess.run(["ldd", RUNNER], capture_output=True, text=True, check=True).stdout
        linked = {pathlib.Path(line.split()[0]).name for line in listing.splitlines() if "linux-vdso" not in line}
        held = {member.name.removeprefix(LIBRARIES) for member in self.zstd.entries() if member.name.startswith(LIBRARIES)}
        self.assertLessEqual(linked, held)
        self.assertIn("libcurl.so.4", held)

    def test_programs_are_stripped(self):
        for member in self.zstd.entries():
            self.assertFalse(member.name.startswith("kinetic-runner/bin/") and b".debug_info" in self.content(member.name))

    def content(self, name):
        for layer in self.zstd.layers:
            with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
                if name in archive.getnames():
                    return archive.extractfile(name).read()
        self.fail(f"not in the image: {name}")

    def in_empty_root(self, *command, **environment):
        if os.geteuid() != 0:
            self.skipTest("an empty root file system needs root")
        root = self.home / "root"
        if not root.exists():
            self.zstd.unpack(root)
        return subprocess.run(command, env=environment, capture_output=True, text=True, cwd="/",
                              preexec_fn=lambda: os.chroot(root))

    def test_runner_starts_in_empty_root(self):
        done = self.in_empty_root("/" + PROGRAM, "--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_launcher_needs_no_libraries(self):
        content = self.content("kinetic-runner/bin/kinetic-launcher")
        self.assertEqual(content[:4], b"\x7fELF")
        self.assertNotIn(b"ld-linux", content[:4096])

    def test_runner_reaches_network(self):
        done = self.in_empty_root("/" + PROGRAM, "--version", LD_PRELOAD="libcurl.so.4", LD_BIND_NOW="1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # Shows that the check above is effective: the loader reports missing libraries.
        self.assertIn("cannot be preloaded", self.in_empty_root("/" + PROGRAM, "--version", LD_PRELOAD="libno.so").stderr)

    def test_errors_are_reported(self):
        for options, message in ((["--ref", "Not A Name"], "image name 'Not A Name'"),
                                 (["--ca-certificates", "/dev/null"], "contains no certificate"),
                                 (["--runner", "/etc/passwd"], "/etc/passwd: not an ELF file"),
                                 (["--runner", "/nonexistent"], "/nonexistent")):
            words = [KINETIC, "image", "runner", "--runner", RUNNER, "--output", self.home / "bad.tar", *options]
            if "--runner" in options:
                words = [KINETIC, "image", "runner", "--output", self.home / "bad.tar", *options]
            done = subprocess.run(words, env={"HOME": str(self.home)}, capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.home / "bad.tar").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
