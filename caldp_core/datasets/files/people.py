"""People of a row: one, a count or a weight; sums are exact, and rounded to people at the end."""

from typing import Final

from caldp_core.basics.errors import require
from caldp_core.datasets.files.layout_detection import Layout

UNIT: Final = 1_000_000
"""Parts of a person in which weights are added up: whole numbers, so that no order matters."""
_SHARES: Final = {1.0: 0.02, 100.0: 0.5}
"""Sums of shares and percentages, and how far they may be off."""


def sum_sql(layout: Layout) -> str:
    """SQL of the sum of people `n`, in parts, of rows with nothing wrong (`code` 0)."""
    if layout.count is None:
        return f"count(*) * {UNIT}"
    return f"coalesce(sum(CASE WHEN code = 0 THEN CAST(round(n * {UNIT}) AS BIGINT) END), 0)"


def round_to_people(parts: int) -> int:
    """Whole people of a sum, rounded."""
    return (parts + UNIT // 2) // UNIT


def check_no_shares(parts: int, rounded: bool) -> None:
    """Raise `CaldpError` for decimals that add up to 1 or 100: shares are no people."""
    total = parts / UNIT
    shares = any(abs(total - whole) <= off for whole, off in _SHARES.items())
    require(
        not (rounded and shares),
        f"Counts must be people, and add up to {total:g}: these are shares; multiply them by how "
        "many people there are.",
    )
