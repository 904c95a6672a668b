"""Make data/surveys.csv.gz from tables that statsmodels packs and figures printed elsewhere.

Run from anywhere: `python -m scripts.make_surveys`. Needs statsmodels, for this script only (the
committed file was made with version 0.14); where each table comes from: data/README.md.
"""

import tomllib
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Final

import statsmodels.api as sm

from scripts import DATA, write_table

Row = tuple[str, str, str, int]
"""Table, group, value, people."""

FIGURES: Final = tomllib.loads(Path(__file__).with_name("surveys.toml").read_text("utf-8"))


def affairs() -> Iterator[Row]:
    """How women rate their marriage, and whether they had an affair."""
    data: Any = sm.datasets.fair.load_pandas().data
    for had, (number, rating) in product((False, True), enumerate(FIGURES["ratings"], start=1)):
        those = (data.rate_marriage == number) & ((data.affairs > 0) == had)
        group = "had an affair" if had else "no affair"
        yield "affairs", group, f"{rating} marriage; {group}", int(those.sum())


def income() -> Iterator[Row]:
    """Brackets of income, in three groups."""
    edges = [*range(0, 100_001, 2_500), 150_000, 200_000, 250_000]
    ends = [*pairwise(edges), (edges[-1], None)]
    for (low, high), households in zip(ends, FIGURES["households"], strict=True):
        group = "below $25k" if low < 25_000 else "$25k to $150k"
        group = "$150k or more" if low >= 150_000 else group
        name = f"{_dollars(low)} to {_dollars(high)}" if high else f"{_dollars(low)} or more"
        yield "income", group, name, households


def _dollars(amount: int) -> str:
    return f"${amount / 1000:g}k"


def vote() -> Iterator[Row]:
    """Party identification and expected vote."""
    data: Any = sm.datasets.anes96.load_pandas().data
    for choice, (number, party) in product((0, 1), enumerate(FIGURES["parties"])):
        those = (number == data.PID) & (data.vote == choice)
        candidate = ("Clinton", "Dole")[choice]
        yield "vote", f"will vote for {candidate}", f"{party}; {candidate}", int(those.sum())


def substances() -> Iterator[Row]:
    """Which of three substances pupils have used."""
    for used, pupils in FIGURES["substances"].items():
        group = "marijuana too" if "marijuana" in used else "no marijuana"
        yield "substances", group, used, pupils


def main() -> None:
    """Write the file."""
    rows = [*affairs(), *income(), *vote(), *substances()]
    header = ("table", "group", "value", "people")
    write_table(DATA / "surveys.csv.gz", header, rows)


if __name__ == "__main__":
    main()
