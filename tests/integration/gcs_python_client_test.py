#!/usr/bin/env python3
"""Google's Python client against the stand-in.   gcs_python_client_test.py GCS_SERVER VENV_DIR

The client is installed into VENV_DIR once. If that is not possible, the test is skipped with a message.
"""

import hashlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from gcs_program import GcsProgram

SKIPPED = 77
MIB = 1 << 20


def client_python(folder: pathlib.Path):
    """Returns the interpreter of a virtual environment with the client, or None."""
    python = folder / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        has_client = subprocess.run([python, "-c", "import google.cloud.storage"], capture_output=True)
        if has_client.returncode != 0:
            subprocess.run([python, "-m", "pip", "install", "-q", "google-cloud-storage"], check=True)
    except subprocess.CalledProcessError as error:
        print(f"skipped 1 of 1: google-cloud-storage cannot be installed: {error}")
        return None
    return python


class PythonClient(unittest.TestCase):
    program = None

    @classmethod
    def setUpClass(cls):
        from google.auth.credentials import AnonymousCredentials
        from google.cloud import storage

        cls.server = GcsProgram(cls.program)
        os.environ["STORAGE_EMULATOR_HOST"] = cls.server.url
        cls.client = storage.Client(project="p", credentials=AnonymousCredentials())
        cls.bucket = cls.client.create_bucket("python-bucket")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.server.delete("/_control/requests")
        self.server.delete("/_control/faults")

    def test_simple_upload_and_checked_download(self):
        blob = self.bucket.blob("dir/ü %?#.txt")
        blob.metadata = {"k": "v"}
        blob.upload_from_string(b"123456789", checksum="crc32c", if_generation_match=0)
        blob.reload()
        self.assertEqual((blob.crc32c, blob.size, blob.metadata), ("4waSgw==", 9, {"k": "v"}))
        self.assertEqual(blob.download_as_bytes(checksum="crc32c"), b"123456789")
        self.assertEqual(blob.download_as_bytes(checksum="md5"), b"123456789")
        self.assertEqual(blob.download_as_bytes(start=2, end=4), b"345")

    def test_create_only_upload_of_existing_object_fails(self):
        from google.api_core.exceptions import PreconditionFailed

        self.bucket.blob("once").upload_from_string(b"1", if_generation_match=0)
        with self.assertRaises(PreconditionFailed):
            self.bucket.blob("once").upload_from_string(b"2", if_generation_match=0)

    def test_resumable_upload_in_chunks(self):
        content = random.Random(1).randbytes(3 * MIB + 12345)
        blob = self.bucket.blob("chunked", chunk_size=MIB)
        with tempfile.TemporaryFile() as file:
            file.write(content)
            file.seek(0)
            blob.upload_from_file(file, rewind=True, checksum="crc32c")
        statuses = [r["status"] for r in self.server.requests() if r["method"] == "PUT"]
        self.assertEqual(statuses, [308, 308, 308, 200])
        self.assertEqual(blob.download_as_bytes(), content)

    def test_resumable_upload_of_unknown_size(self):
        content = random.Random(2).randbytes(MIB + 7)
        blob = self.bucket.blob("stream")
        with blob.open("wb", chunk_size=256 * 1024) as stream:
            for start in range(0, len(content), 100_000):
                stream.write(content[start:start + 100_000])
        self.assertEqual(blob.download_as_bytes(), content)

    def test_interrupted_upload_resumes(self):
        content = random.Random(3).randbytes(2 * MIB)
        self.server.post("/_control/faults", {"faults": [
            {"do": "answer", "status": 503, "method": "PUT", "skip": 1, "at_byte": 600_000}]})
        blob = self.bucket.blob("resumed", chunk_size=MIB)
        with tempfile.TemporaryFile() as file:
            file.write(content)
            blob.upload_from_file(file, rewind=True, checksum="crc32c", if_generation_match=0)
        self.assertEqual(blob.download_as_bytes(), content)
        self.assertIn("answer", [r["fault"] for r in self.server.requests()])

    def test_damaged_download_is_detected(self):
        from google.cloud.storage.exceptions import DataCorruption

        blob = self.bucket.blob("flip")
        blob.upload_from_string(b"x" * 100_000)
        self.server.post("/_control/faults", {"faults": [
            {"do": "flip-reply", "path": "*alt=media*", "at_byte": 777}]})
        with self.assertRaises(DataCorruption):
            blob.download_as_bytes(checksum="crc32c")

    def test_gzip_transcoding(self):
        import gzip

        plain = b"text " * 10_000
        blob = self.bucket.blob("packed")
        blob.content_encoding = "gzip"
        blob.upload_from_string(gzip.compress(plain), content_type="text/plain")
        self.assertEqual(blob.download_as_bytes(), plain)
        self.assertEqual(gzip.decompress(blob.download_as_bytes(raw_download=True)), plain)

    def test_listing(self):
        names = [f"list/{i:03}" for i in range(23)] + ["list/sub/1", "list/sub/2"]
        for name in names:
            self.bucket.blob(name).upload_from_string(b"")
        listed = self.client.list_blobs(self.bucket, prefix="list/", page_size=10)
        self.assertEqual([blob.name for blob in listed], names)
        folded = self.client.list_blobs(self.bucket, prefix="list/", delimiter="/", page_size=5,
                                        fields="items(name),prefixes,nextPageToken")
        self.assertEqual([blob.name for blob in folded], names[:-2])
        self.assertEqual(set(folded.prefixes), {"list/sub/"})

    def test_compose_and_rewrite(self):
        parts = []
        for number in range(3):
            parts.append(self.bucket.blob(f"part-{number}"))
            parts[-1].upload_from_string(bytes([number]) * MIB)
        whole = self.bucket.blob("whole")
        whole.compose(parts, if_generation_match=0)
        self.assertEqual(whole.component_count, 3)
        copy = self.bucket.blob("copy")
        token, done, total = copy.rewrite(whole, timeout=10)
        self.assertEqual((token, done, total), (None, 3 * MIB, 3 * MIB))
        self.assertEqual(copy.download_as_bytes(), whole.download_as_bytes())

    def test_patch_and_delete(self):
        from google.api_core.exceptions import NotFound

        blob = self.bucket.blob("patched")
        blob.upload_from_string(b"x")
        blob.cache_control = "no-store"
        blob.patch(if_metageneration_match=1)
        self.assertEqual(self.bucket.get_blob("patched").cache_control, "no-store")
        blob.delete(if_generation_match=blob.generation)
        with self.assertRaises(NotFound):
            blob.delete()

    def test_batch(self):
        for number in range(5):
            self.bucket.blob(f"batch/{number}").upload_from_string(b"")
        with self.client.batch():
            for number in range(5):
                self.bucket.blob(f"batch/{number}").delete()
        self.assertEqual(list(self.client.list_blobs(self.bucket, prefix="batch/")), [])

    def test_buckets(self):
        from google.api_core.exceptions import Conflict

        with self.assertRaises(Conflict):
            self.client.create_bucket("python-bucket")
        bucket = self.client.create_bucket("second-bucket", location="us-central1")
        bucket.add_lifecycle_delete_rule(age=30)
        bucket.patch()
        self.assertEqual(len(list(self.client.get_bucket("second-bucket").lifecycle_rules)), 1)
        self.assertEqual(bucket.test_iam_permissions(["storage.objects.get"]),
                         ["storage.objects.get"])
        bucket.blob("x").upload_from_string(b"")
        with self.assertRaises(Conflict):
            bucket.delete()
        bucket.delete(force=True)
        self.assertIsNone(self.client.lookup_bucket("second-bucket"))

    def test_transfer_manager_downloads_in_slices(self):
        from google.cloud.storage import transfer_manager

        content = random.Random(4).randbytes(8 * MIB + 3)
        blob = self.bucket.blob("sliced")
        blob.upload_from_string(content)
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "x"
            transfer_manager.download_chunks_concurrently(
                blob, str(target), chunk_size=MIB, worker_type=transfer_manager.THREAD)
            self.assertEqual(hashlib.sha256(target.read_bytes()).digest(),
                             hashlib.sha256(content).digest())


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    python = client_python(folder)
    if python is None:
        return SKIPPED
    if pathlib.Path(sys.prefix).resolve() != folder.resolve():
        return subprocess.run([python, *sys.argv]).returncode
    PythonClient.program = program
    return 0 if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
