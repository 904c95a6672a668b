"""Small protocols, the exact laws of what devices send, files of reports, other engines."""

import base64
import csv
import io
import json
import math
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from contextlib import redirect_stdout
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sqlglot
from click.testing import CliRunner

from caldp_core.cli.commands import main
from caldp_core.collect.device import HASH, NUMBER, NUMBER_RANGE, DrawnCoins, Payload, as_text
from caldp_core.collect.protocol import FamilyPlan, Protocol, TablePlan
from caldp_core.collect.servers import tally_query
from caldp_core.domain.domains import Domain
from caldp_core.mechanisms.catalogue import FAMILIES, FamilySpec, Hadamard, mechanism
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from tests import ROOT
from tests.contract.checks import context, naming

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SPECS: Final[dict[str, FamilySpec]] = {
    **{name: entry.spec() for name, entry in FAMILIES.items()},
    "hadamard in parts": Hadamard(parts=2),
}


def planned(policy: Context, spec: FamilySpec) -> FamilyPlan:
    """The family in this context."""
    made: Any = spec.make(policy)
    return FamilyPlan(spec, made)


def protocol_in(policy: Context, spec: FamilySpec) -> Protocol:
    """A protocol of numbers, block names counted up."""
    names = tuple(f"block {j}" for j in range(policy.m))
    return Protocol("", Domain(policy.k), names, planned(policy, spec))


def small(family: str, kind: str = "blocks and sensitive set", epsilon: float = 1.0) -> Protocol:
    """The family in the kind of context, see `tests.contract.checks`."""
    return protocol_in(context(kind, epsilon), SPECS[family])


def labelled(family: str, labels: tuple[str, ...], epsilon: float = 1.0) -> Protocol:
    """Plain LDP on answers with labels."""
    spec = SPECS[family]
    policy = Context.plain(len(labels), epsilon)
    return Protocol("Which?", Domain(len(labels), labels), ("all",), planned(policy, spec))


def many(family: str, k: int, epsilon: float = 1.0) -> Protocol:
    """Plain LDP on so many numbers."""
    return protocol_in(
        Context.of(np.zeros(k, np.int64), np.ones(k, np.bool_), epsilon), SPECS[family]
    )


def tables() -> dict[str, Protocol]:
    """Channels that are written out, each in a policy of another kind."""
    line = GridMetric(1, 4, 0.7, 0.7)
    levels = [[0.0, 1, 2], [0.5, 0, math.inf], [3.0, 1, 0]]
    made = {
        "binary": mechanism(BinaryPolicy(0.5, 2.0), "binary"),
        "grid-geometric": mechanism(line, "grid-geometric"),
        "designed": mechanism(DenseMatrix.of(levels), "designed"),
        "exponential": mechanism(line, "exponential"),
        "square-wave": mechanism(Context.high_low(np.arange(5) != 1, 1.0), "square-wave"),
    }
    return {
        name: Protocol("", Domain(each.k), ("everything",), TablePlan.of(name, each))
        for name, each in made.items()
    }


class Branching:
    """Coins that fall as `path` says, then the first way that can be; `weight`: its chance."""

    def __init__(self, path: list[int]) -> None:
        self.path, self.weight, self.depth = path, Fraction(1), 0
        self.ways: list[tuple[int, int]] = []

    def flip(self, threshold: int) -> bool:
        return bool(
            self._fall(
                [
                    Fraction(NUMBER_RANGE - threshold, NUMBER_RANGE),
                    Fraction(threshold, NUMBER_RANGE),
                ]
            )
        )

    def uniform_below(self, bound: int) -> int:
        return self._fall([Fraction(1, bound)] * bound)

    def draw_step(self, steps: Sequence[int], whole: int) -> int:
        return self._fall([Fraction(b - a, whole) for a, b in pairwise((0, *steps))])

    def _fall(self, chances: list[Fraction]) -> int:
        able = [way for way, chance in enumerate(chances) if chance]
        turn = self.path[self.depth] if self.depth < len(self.path) else 0
        self.depth += 1
        self.ways.append((turn, len(able)))
        self.weight *= chances[able[turn]]
        return able[turn]


def exact_law(draw: Callable[[Any], Hashable]) -> dict[Hashable, Fraction]:
    """Result → its probability, over all ways in which the coins that `draw` is given can fall."""
    law: dict[Hashable, Fraction] = defaultdict(Fraction)
    path: list[int] = []
    while True:
        coins = Branching(path)
        law[draw(coins)] += coins.weight
        ways = coins.ways
        while ways and ways[-1][0] + 1 == ways[-1][1]:
            ways.pop()
        if not ways:
            return law
        path = [turn for turn, _ in ways[:-1]] + [ways[-1][0] + 1]


def sent_by(protocol: Protocol, symbol: int) -> dict[Hashable, Fraction]:
    """Payload → the exact probability that a device with this answer sends it."""
    device, form = protocol.device, protocol.format
    return exact_law(lambda coins: form.encode(*device.draw(symbol, coins)))


def stated(protocol: Protocol) -> list[dict[Payload, Fraction]]:
    """The same for all answers, by the mechanism's exact channel and its own records."""
    form, mechanism = protocol.format, protocol.mechanism
    payloads: list[Payload] = []
    for report in mechanism.every_report():
        if form.kind == NUMBER:
            payloads.append(int(report))
            continue
        fields = [int(report["source"])]
        if form.kind == HASH:
            fields += [*report["hash"].tolist(), int(report["value"])]
        else:
            fields.append(sum(int(w) << 64 * i for i, w in enumerate(report["bits"])))
        written = (f.to_bytes(w, "little") for f, w in zip(fields, form.widths, strict=True))
        payloads.append(b"".join(written))
    assert len(set(payloads)) == len(payloads)
    return [
        {payload: chance for payload, chance in zip(payloads, row, strict=True) if chance}
        for row in mechanism.exact_channel()
    ]


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


MACROS: Final = (
    "toInt64OrNull(x) AS TRY_CAST(x AS BIGINT)",
    "toString(x) AS replace(CAST(x AS VARCHAR), if(typeof(x) = 'DOUBLE', '.0', '§'), '')",
    "PG_TYPEOF(x) AS replace(typeof(x), 'DOUBLE', 'double precision')",
    """"SYSTEM$TYPEOF"(x) AS replace(typeof(x), 'DOUBLE', 'FLOAT[DOUBLE]')""",
)
"""What sqlglot does not know of other engines, as their manuals say."""


def prepare_engine(connection: "DuckDBPyConnection") -> None:
    """Give DuckDB the functions of other engines."""
    for macro in MACROS:
        connection.execute(f"CREATE MACRO {macro}")


def in_duckdb(protocol: Protocol, dialect: str, batch_column: str = "") -> str:
    """The query of a dialect as DuckDB runs it."""
    query = tally_query(protocol, dialect, batch_column)
    # BigQuery writes a FLOAT64 with .0, as DuckDB's cast does; ClickHouse's type is Float64.
    query = query.replace("FORMAT('%t', report)", "CAST(report AS STRING)")
    (made,) = sqlglot.transpile(query, read=dialect, write="duckdb")
    return made.replace("'%Float%'", "'DOUBLE'")


STEP: Final = re.compile(r"^ {4}caldp ([^\n]*)$|^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text("utf-8")


def words_of(command: str) -> list[str]:
    """As a shell hands them over, with files in the place of patterns."""
    parts = [sorted(map(str, Path().glob(w))) if "*" in w else [w] for w in shlex.split(command)]
    return [word for part in parts for word in part]


def walk(page: str) -> int:
    """Run the commands and snippets of a page in their order; how many there are."""
    known: dict[str, Any] = {}
    steps = STEP.findall(re.sub(r"^( {4}.*)$", r"\1\n", text_of(page), flags=re.MULTILINE))
    for command, code in steps:
        with naming(command or code):
            if command:
                done = CliRunner().invoke(main, words_of(command))
                assert done.exit_code == 0, done.output
                continue
            with redirect_stdout(io.StringIO()) as printed:
                exec(code, known)
            assert printed.getvalue().splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)
    return len(steps)
