"""What an estimator may know beside the reports: a public prior, and q of the cascade."""

from dataclasses import dataclass
from typing import Final

from caldp_core.basics.errors import check_number
from caldp_core.basics.limits import FALSE_SHARE_MAX, FALSE_SHARE_MIN
from caldp_core.basics.types import Floats
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain

_USUAL: Final = "cascade"
KNOWING_MAP: Final = "cascade-map"
"""Name of the estimator that knows a public map."""
Q_ON_MAPS: Final = 0.2
"""q of the cascade on maps by default: a smaller one spreads the soft edges of towns around."""
Q_OF_VALUES: Final = 0.05
"""q of the cascade for other values; see "When to change q" in docs/estimators.md."""


@dataclass(frozen=True, eq=False)
class Options:
    """`prior`: (k,) shares of people by what is public, for "cascade-map", or None.

    `false_share`: q of the cascade, of what it keeps on a level the share that may be noise, in
    [0.001, 0.5]; None: 0.2 on maps, else 0.05. Raises `CaldpError` for any other.
    """

    prior: Floats | None = None
    false_share: float | None = None

    def __post_init__(self) -> None:
        check_false_share(self.false_share)

    def false_share_on(self, domain: Domain | GridDomain | None) -> float:
        """`false_share`, or the one that suits the domain."""
        return default_false_share(domain) if self.false_share is None else self.false_share


def default_estimator(prior: Floats | None = None) -> str:
    """Name of the estimator where none is chosen, for runs, collections, programs and pages alike.

    `prior`: (k,) shares by a public map that is taken for known, or None.
    """
    return _USUAL if prior is None else KNOWING_MAP


def default_false_share(domain: Domain | GridDomain | None) -> float:
    """q of the cascade by default."""
    return Q_ON_MAPS if isinstance(domain, GridDomain) else Q_OF_VALUES


def check_false_share(q: float | None) -> float | None:
    """Return q of the cascade if it is one or None, or raise `CaldpError`."""
    if q is None:
        return None
    return check_number("false_share (q of the cascade)", q, FALSE_SHARE_MIN, FALSE_SHARE_MAX)
