"""Files of check-ins in SNAP's format."""

from pathlib import Path

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.datasets import Snap

AUSTIN = b"0\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t22847"


def write(path: Path, *rows: bytes, end: bytes = b"\n") -> Snap:
    path.write_bytes(b"\n".join(rows) + end)
    return Snap(str(path))


def random_rows(n: int, rng: np.random.Generator) -> tuple[list[bytes], Floats, Floats]:
    latitude, longitude = rng.uniform(20, 55, n), rng.uniform(-135, -55, n)
    rows = [
        f"{i}\t2010-10-19T23:55:27Z\t{a:.10f}\t{b:.10f}\t{i}".encode()
        for i, (a, b) in enumerate(zip(latitude, longitude, strict=True))
    ]
    return rows, latitude, longitude
