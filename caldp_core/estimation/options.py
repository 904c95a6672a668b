"""What an estimator may be told beside the reports."""

from dataclasses import dataclass
from typing import Final

from caldp_core.basics.errors import check_number
from caldp_core.basics.limits import FALSE_SHARE_MAX, FALSE_SHARE_MIN
from caldp_core.basics.types import Floats
from caldp_core.estimation.cascade import FALSE_SHARE

KNOWING_MAP: Final = "cascade-map"
"""The estimator that is told a public map."""


@dataclass(frozen=True, eq=False)
class Options:
    """`prior`: (k,) shares of people by what is public, for "cascade-map"; None: there are none.

    `false_share`: q of the cascade, of what it keeps on a level the share that may be noise, in
    [0.001, 0.5]. Raises `CaldpError` for another.
    """

    prior: Floats | None = None
    false_share: float = FALSE_SHARE

    def __post_init__(self) -> None:
        check_false_share(self.false_share)


def check_false_share(q: float) -> float:
    """Return q of the cascade if it is one, or raise `CaldpError`."""
    return check_number("false_share (q of the cascade)", q, FALSE_SHARE_MIN, FALSE_SHARE_MAX)
