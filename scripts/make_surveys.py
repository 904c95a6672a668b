"""Make data/surveys.csv.gz from tables that statsmodels packs and figures printed elsewhere.

Run from anywhere: `python scripts/make_surveys.py`. Needs statsmodels, for this script only (the
committed file was made with version 0.14); where each table comes from: data/README.md.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Final

import statsmodels.api as sm

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from write_table import write_table  # noqa: E402

Row = tuple[str, str, str, int]
"""Table, group, value, people."""

RATINGS: Final = ("very poor", "poor", "fair", "good", "very good")
PARTIES: Final = (
    "strong Democrat",
    "weak Democrat",
    "independent near Democrats",
    "independent",
    "independent near Republicans",
    "weak Republican",
    "strong Republican",
)
SUBSTANCES: Final = {
    # alcohol, cigarettes, marijuana → pupils
    (True, True, True): 911,
    (True, True, False): 538,
    (True, False, True): 44,
    (True, False, False): 456,
    (False, True, True): 3,
    (False, True, False): 43,
    (False, False, True): 2,
    (False, False, False): 279,
}
HOUSEHOLDS: Final = (
    2588, 971, 1677, 3141, 3684, 3163, 3600, 3116, 3967, 3117, 3620, 2808, 3736, 2569, 3517, 2483,
    3343, 2250, 2698, 2141, 3325, 1822, 2311, 1776, 2784, 1666, 2096, 1502, 2203, 1492, 2051, 1337,
    1870, 1207, 1555, 1220, 1575, 1010, 1290, 889, 14286, 5250, 2001, 2476,
)  # fmt: skip
"""Thousands of households per bracket of 2,500 dollars, then 100, 150, 200 and 250 thousand on."""


def affairs() -> Iterator[Row]:
    """How women rate their marriage, and whether they had an affair."""
    data: Any = sm.datasets.fair.load_pandas().data
    for had, (number, rating) in product((False, True), enumerate(RATINGS, start=1)):
        those = (data.rate_marriage == number) & ((data.affairs > 0) == had)
        group = "had an affair" if had else "no affair"
        yield "affairs", group, f"{rating} marriage; {group}", int(those.sum())


def income() -> Iterator[Row]:
    """Brackets of income, in three groups."""
    edges = [*range(0, 100_001, 2_500), 150_000, 200_000, 250_000]
    ends = [*pairwise(edges), (edges[-1], None)]
    for (low, high), households in zip(ends, HOUSEHOLDS, strict=True):
        group = "below $25k" if low < 25_000 else "$25k to $150k"
        group = "$150k or more" if low >= 150_000 else group
        name = f"{_dollars(low)} to {_dollars(high)}" if high else f"{_dollars(low)} or more"
        yield "income", group, name, households


def _dollars(amount: int) -> str:
    return f"${amount / 1000:g}k"


def vote() -> Iterator[Row]:
    """Party identification and expected vote."""
    data: Any = sm.datasets.anes96.load_pandas().data
    for choice, (number, party) in product((0, 1), enumerate(PARTIES)):
        those = (number == data.PID) & (data.vote == choice)
        candidate = ("Clinton", "Dole")[choice]
        yield "vote", f"will vote for {candidate}", f"{party}; {candidate}", int(those.sum())


def substances() -> Iterator[Row]:
    """Which of three substances pupils have used."""
    for used, pupils in SUBSTANCES.items():
        words = ("alcohol", "cigarettes", "marijuana")
        named = " and ".join(word for word, yes in zip(words, used, strict=True) if yes)
        group = "marijuana too" if used[2] else "no marijuana"
        yield "substances", group, named or "none of the three", pupils


def main() -> None:
    """Write the file."""
    rows = [*affairs(), *income(), *vote(), *substances()]
    header = ("table", "group", "value", "people")
    write_table(ROOT / "data" / "surveys.csv.gz", header, rows)


if __name__ == "__main__":
    main()
