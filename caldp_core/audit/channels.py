"""Small channels written out in rationals, and the checks that all audits of them share."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from caldp_core.basics.errors import require
from caldp_core.basics.limits import EXACT_MAX_ENTRIES
from caldp_core.privacy.context import PrivacyMatrix

Channel: TypeAlias = Sequence[Sequence[Fraction]]
"""k rows of output probabilities."""


def outputs_of(channel: Channel) -> int:
    """Number of outputs; raises `CaldpError` unless all rows have one length."""
    lengths = {len(row) for row in channel}
    require(len(lengths) == 1, "A channel needs at least one row, and all of one length.")
    return lengths.pop()


def check_rows(channel: Channel, policy: PrivacyMatrix) -> None:
    """Raise `CaldpError` unless the channel has one row for each symbol of the policy."""
    require(
        len(channel) == policy.k,
        f"A channel for this policy needs {policy.k} rows, got {len(channel)}.",
    )


def check_size(entries: int) -> None:
    """Raise `CaldpError` if a channel in rationals may not have so many entries."""
    require(
        entries <= EXACT_MAX_ENTRIES,
        f"A channel in rationals may have at most {EXACT_MAX_ENTRIES:,} entries, this one would "
        f"have {entries:,}; use smaller channels.",
    )
