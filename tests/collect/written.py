"""Files of reports, as devices' servers keep them."""

import base64
import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from caldp_core.collect.device import DrawnCoins, as_text
from caldp_core.collect.protocol import Protocol

FORMS: Final = ("parquet", "csv", "jsonl", "csv.gz", "jsonl.gz")


def payloads(protocol: Protocol, people: Sequence[int], seed: int) -> list[int | bytes]:
    """What devices of these people send, from numbers that can be repeated."""
    rng = np.random.default_rng(seed)
    coins = DrawnCoins(lambda: int(rng.integers(0, 1 << 48)))
    device, form = protocol.device, protocol.format
    return [form.encode(*device.draw(symbol, coins)) for symbol in people]


def write(path: Path, reports: Sequence[Any], **columns: Sequence[Any]) -> Path:
    """The reports in a file of the form that its name says, with more columns."""
    table = {"report": reports, **columns}
    if path.suffix == ".parquet":
        pq.write_table(pa.table(dict(table)), path)
        return path
    texts = {"report": [e if isinstance(e, str) else as_text(e) for e in reports], **columns}
    rows = [dict(zip(texts, row, strict=True)) for row in zip(*texts.values(), strict=True)]
    with _open_text(path) as file:
        if ".csv" in path.name:
            writer = csv.DictWriter(file, list(texts))
            writer.writeheader()
            writer.writerows(rows)
        else:
            file.writelines(f"{json.dumps(row)}\n" for row in rows)
    return path


def _open_text(path: Path) -> Any:
    if path.suffix == ".gz":
        import gzip

        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")


def in_base64(data: bytes) -> str:
    """Bytes as JSON and CSV have them."""
    return base64.b64encode(data).decode()
