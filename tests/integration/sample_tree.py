"""A tree with unusual names and sizes."""

import pathlib
import random


def write_tree(root: pathlib.Path):
    draw = random.Random(5)
    sizes = {"empty": 0, "one": 1, "dir/ü name +%.bin": 300_000, "dir/deep/er/large": 20_000_000}
    sizes.update({f"many/{i:03}.txt": 10_000 for i in range(150)})
    for name, size in sizes.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(draw.randbytes(size))


def read_tree(root: pathlib.Path):
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
