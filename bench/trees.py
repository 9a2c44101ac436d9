"""Reproducible folders for measurements."""

import os
import random

JOB = "run: 'true'\ndependencies: null\nbundle: {root: .}\n"

ALPHABET = "etaoinshrdlucmfwypvbgkjqxz_"
PUNCTUATION = [" = ", "(", ")\n", ", ", ".", "\n    ", "\n        ", ":\n        ", " + ", "[", "]", " if ", " in "]


class Writer:
    """Writes text that compresses about as well as source code: few frequent words, many rare ones."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        rng = random.Random(1)
        self.words = ["".join(rng.choices(ALPHABET, range(27, 0, -1), k=2 + rng.randrange(11))) for _ in range(20_000)]
        self.weights = []
        total = 0.0
        for rank in range(len(self.words)):
            total += 1 / (rank + 10)
            self.weights.append(total)

    def text(self, size):
        parts = []
        length = 0
        while length < size:
            for word in self.rng.choices(self.words, cum_weights=self.weights, k=200):
                parts.append(word)
                parts.append(self.rng.choice(PUNCTUATION))
                length += len(word) + 2
        return "".join(parts)[:size].encode()


def make_files(root, files, size):
    """Creates `files` files of half to one and a half times `size` bytes, 25 in a folder, and a job."""
    writer = Writer(7)
    for number in range(files):
        folder = root / f"area{number // 2500}" / f"team{number // 250 % 10}" / f"project{number // 25 % 10}"
        if number % 25 == 0:
            folder.mkdir(parents=True)
        (folder / f"module_{number % 25}.py").write_bytes(writer.text(size // 2 + number * 7919 % size))
    (root / "job.yaml").write_text(JOB)
    os.sync()


def make_large(root, random_files, sparse_files):
    """Creates files of 1 GiB: some random, the others sparse with text at both ends."""
    root.mkdir()
    for number in range(random_files):
        with open(root / f"random{number}", "wb") as file:
            for _ in range(1024):
                file.write(os.urandom(2**20))
    for number in range(sparse_files):
        with open(root / f"sparse{number}", "wb") as file:
            file.write(b"begin")
            file.seek(2**30 - 3)
            file.write(b"end")
    (root / "job.yaml").write_text(JOB)
