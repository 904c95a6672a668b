"""Each station's mechanisms at a small size, and their naive versions, by the exact audit.

As on all pages: in rationals, every report, every pair.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.cache import cached
from caldp_core.lecture.counts import BitwiseResponse, CentralCount, NoisyMax, OneHotResponse
from caldp_core.lecture.daily import DailyMean, LastingRappor, OneBitMean
from caldp_core.lecture.sketches import CountMeanSketch, HadamardSketch, Hashes
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_ui.words import formats

_DAYS: Final = 3
_BLOOMS: Final = np.array([[True, False], [False, True]])
_TABLE: Final = Hashes(np.array([[0, 1, 3], [2, 2, 0]]), 4)


@dataclass(frozen=True)
class AuditVerdict:
    """`mechanism` was audited against a claimed ε; `loss`: the largest log-ratio found, in nats."""

    mechanism: str
    claimed: float
    holds: bool
    loss: float


def _judge(
    mechanism: str, epsilon: float, channel: Sequence[Sequence[Fraction]], policy: PrivacyMatrix
) -> AuditVerdict:
    audit = audit_channel(channel, policy)
    assert audit.worst is not None  # each of these policies bounds some pair
    return AuditVerdict(mechanism, epsilon, audit.holds, audit.worst.privacy_loss)


def _plain(mechanism: str, epsilon: float, channel: Sequence[Sequence[Fraction]]) -> AuditVerdict:
    return _judge(mechanism, epsilon, channel, Context.plain(len(channel), epsilon))


def _curator(e: float) -> AuditVerdict:
    count = CentralCount(6, e)
    return _judge("trusted server's count of 6 people", e, count.exact_channel(), count.policy)


def _trust(e: float) -> tuple[AuditVerdict, ...]:
    coin = BinaryMechanism(BinaryPolicy(e, e)).exact_channel()
    return _plain("random bit", e, coin), _curator(e)


def _selection(e: float) -> tuple[AuditVerdict, ...]:
    best = NoisyMax(3, e)
    return (
        _judge("noisy maximum, 3 items, 3 people", e, best.exact_channel(3), best.policy(3)),
        _plain("bit by bit, 4 items, ε/2 a bit", e, BitwiseResponse(4, e).exact_channel()),
        _plain("naive: bit by bit, all of ε a bit", e, BitwiseResponse(4, 2 * e).exact_channel()),
        _plain("one bit an item, 4 items, ε/2 a bit", e, _one_hot(e)),
        _plain("naive: one bit an item, all of ε a bit", e, _one_hot(2 * e)),
    )


def _one_hot(epsilon: float) -> list[list[Fraction]]:
    return OneHotResponse(4, epsilon).mechanism.exact_channel()


def _rappor(e: float) -> tuple[AuditVerdict, ...]:
    rappor = LastingRappor(2, 1, e)
    # A day keeps less than ε∞: as many days as naive phones need to exceed it.
    days = max(_DAYS, math.floor(e / rappor.epsilon_one_day) + 1)
    stored, redrawn = rappor.exact_channel(_BLOOMS, days), rappor.redrawn_channel(_BLOOMS, days)
    return (
        _plain(f"kept, {days} days, 2 bits", e, stored),
        _plain(f"naive: drawn anew, {days} days, 2 bits", e, redrawn),
    )


def _bits(e: float) -> tuple[AuditVerdict, ...]:
    return (
        _plain("sketch, 4 cells, 2 functions", e, CountMeanSketch(_TABLE, e).exact_channel()),
        _plain("naive: all of ε a cell", e, CountMeanSketch(_TABLE, 2 * e).exact_channel()),
        _plain("its Hadamard form", e, HadamardSketch(_TABLE, e).exact_channel()),
    )


def _means(e: float) -> tuple[AuditVerdict, ...]:
    daily = DailyMean(OneBitMean(4, e), 2)
    constant = [[x] * _DAYS for x in range(5)]
    stored, fresh = daily.exact_channel(constant), daily.forgetful_channel(constant)
    return (
        _plain(f"remembered, {_DAYS} days, a number that stays", e, stored),
        _plain(f"naive: a new coin on each of {_DAYS} days", e, fresh),
    )


_BY_STATION: Final[dict[str, Callable[[float], tuple[AuditVerdict, ...]]]] = {
    "trust": _trust,
    "sum": _trust,
    "selection": _selection,
    "rappor": _rappor,
    "bits": _bits,
    "means": _means,
    "shuffling": lambda e: _trust(e)[:1],
}


@cached
def audit_station(station: str, epsilon: float) -> tuple[AuditVerdict, ...]:
    """The verdicts of a station at this ε, those of naive versions among them."""
    return _BY_STATION[station](epsilon)


def table_columns(verdicts: Sequence[AuditVerdict]) -> dict[str, dict[str, str]]:
    """Columns of the table of verdicts: cells by mechanism."""
    return {
        "keeps it": {v.mechanism: "✓ yes" if v.holds else "✗ NO" for v in verdicts},
        "claimed ε": {v.mechanism: f"{v.claimed:g}" for v in verdicts},
        "largest found": {v.mechanism: formats.digits(v.loss, 4) for v in verdicts},
    }
