"""Errors of an estimate by name, each a number that falls as the estimate gets better."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from caldp_core.basics.errors import check_choice, require
from caldp_core.basics.types import Floats
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.metrics import (
    box_error,
    box_sides,
    largest,
    sliced_wasserstein,
    total_variation,
)

AnyDomain: TypeAlias = Domain | GridDomain
TV: Final = "tv"
BOXES: Final = "boxes"
LARGEST: Final = "largest"
KM: Final = "km"
_SIDE: Final = 16
"""Cells along a side of a box; smaller maps take the next smaller size of `box_sides`."""


@dataclass(frozen=True)
class Measure:
    """An error that a reader may ask for.

    `of`: (k,) true shares, (k,) estimate, domain → error ≥ 0. `is_possible`: whether a domain has
    it. `wants_shares`: it means nothing for estimates that may be negative.
    """

    name: str
    of: Callable[[Floats, Floats, AnyDomain], float]
    is_possible: Callable[[AnyDomain], bool]
    wants_shares: bool = False


def box_side(domain: AnyDomain) -> int | None:
    """Cells along a side of the boxes of the error `BOXES`; None where there are none."""
    if not isinstance(domain, GridDomain):
        return None
    return max((side for side in box_sides(domain) if side <= _SIDE), default=None)


def _of_boxes(truth: Floats, estimate: Floats, domain: AnyDomain) -> float:
    side = box_side(domain)
    assert side is not None
    assert isinstance(domain, GridDomain)
    return box_error(truth, estimate, domain, side)


def _missed(truth: Floats, estimate: Floats, _: AnyDomain) -> float:
    return 1.0 - largest(truth, estimate).f1


def _moved(truth: Floats, estimate: Floats, domain: AnyDomain) -> float:
    assert isinstance(domain, GridDomain)
    return sliced_wasserstein(truth, estimate, domain)


MEASURES: Final = {
    each.name: each
    for each in (
        Measure(TV, lambda truth, estimate, _: total_variation(truth, estimate), lambda _: True),
        Measure(BOXES, _of_boxes, lambda domain: box_side(domain) is not None),
        Measure(LARGEST, _missed, lambda _: True),
        Measure(KM, _moved, lambda domain: isinstance(domain, GridDomain), wants_shares=True),
    )
}
"""Total variation; that of boxes; one less F1 of the largest symbols; earth mover's distance in km.

For the last, see `sliced_wasserstein`: it is an approximation.
"""


def find_measure(name: str, domain: AnyDomain) -> Measure:
    """The named measure; raises `CaldpError` for an unknown name, and where the domain has none."""
    check_choice("error", name, MEASURES)
    require(
        MEASURES[name].is_possible(domain),
        f"The error {name!r} is one of maps, of eight or more cells along each side if of boxes; "
        f"choose {TV!r}.",
    )
    return MEASURES[name]
