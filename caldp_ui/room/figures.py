"""Estimates from reports, with their ranges, after all reports and after the first few.

Only what phones sent goes in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.evidence import Evidence, default_estimator
from caldp_core.estimation.intervals import intervals
from caldp_core.mechanisms.base import Tally
from caldp_ui.room.question import Question, columns_of, mechanism_of

LEVEL: Final = 0.95
_STEP: Final = 2**0.5
"""Between numbers of reports at which the past ranges are shown."""


@dataclass(frozen=True, eq=False)
class Shares:
    """(k,) estimated shares, and the 95 % range of each, in [0, 1]."""

    estimate: Floats
    low: Floats
    high: Floats


def shares_of(question: Question, reports: Sequence[int]) -> Shares:
    """Estimate the shares of true answers. `reports`: numbers of answers, at least one."""
    evidence = Evidence.of(mechanism_of(question), tally_of(question, reports))
    shares = estimator(default_estimator()).apply(evidence)
    ends = intervals(evidence, LEVEL).around(shares)  # of each answer, named before anybody looks
    return Shares(shares, ends.low, ends.high)


def tally_of(question: Question, reports: Sequence[int]) -> Tally:
    """The reports, numbers of answers, as the mechanism's tally."""
    return mechanism_of(question).tally(columns_of(question)[np.asarray(reports, np.int64)])


def history(
    question: Question, reports: Sequence[int], known: dict[int, Shares] | None = None
) -> list[tuple[int, Shares]]:
    """The shares after 1, 2, 3, 4, 6, 8, … reports, and after all of them.

    `known`: earlier results for the same reports, by their number; new ones are added to it.
    """
    by_number = {} if known is None else known
    stops, stop = [], 1.0
    while stop < len(reports):
        stops.append(round(stop))
        stop = max(stop * _STEP, stop + 1)
    for n in [*stops, len(reports)] if reports else []:
        if n not in by_number:
            by_number[n] = shares_of(question, reports[:n])
    return [(n, by_number[n]) for n in sorted({*stops, len(reports)} & by_number.keys())]
