"""Counts of reports against their law: what no true answers of any people explain.

Whatever people's answers are, a count of honest reports is a sum of independent coins, each of a
chance between the least and the greatest that the channel has over all answers. By Hoeffding (1956)
no such sum has heavier tails, beyond a person off its mean, than the binomial of that mean; so a
count above the greatest mean, or below the least, has a chance that can be stated. It is multiplied
by the number of counts that are looked at (Bonferroni), in both directions.

Where the tally counts reports, each report is a count. Where it counts symbols, each symbol's
reports are one, and repeated reports are seen by buckets (`records.py`), if the collector that made
the tally counted them. A false answer that is drawn by the coins has an honest report's law, and no
test tells it; nor one of few reports, of which honest people send each a large share.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.records import SPREAD_FAILS, bucket_chances
from caldp_core.mechanisms.capabilities import SupportTally, support_tally
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.written_out import WrittenOut

FALSE_ALARMS: Final = 1e-6
"""Most chance that any count of a collection without fakes is called unlike honest reports."""


@dataclass(frozen=True, eq=False)
class CountLaw:
    """Counts of honest reports: `counts[i]` sums `trials[i]` coins, of mean `low[i]` to `high[i]`.

    `of`: what is counted, "report", "value" or "bucket"; `numbers`: of the report as it is sent,
    the value or the bucket; all (counts,).
    """

    of: str
    numbers: Ints
    counts: Ints
    trials: Ints
    low: Floats
    high: Floats

    def chances(self) -> Floats:
        """(counts,) the most chance that honest reports give such a count or one further out."""
        n, count = self.trials.astype(np.float64), self.counts.astype(np.float64)
        share = np.maximum(n, 1.0)
        above = scipy.special.betainc(count, n - count + 1.0, np.minimum(self.high / share, 1.0))
        below = scipy.special.betaincc(count + 1.0, np.maximum(n - count, 1.0), self.low / share)
        chances = np.where(count >= self.high + 1.0, above, 1.0)
        return np.where(count <= self.low - 1.0, below, chances)


@dataclass(frozen=True)
class LawCheck:
    """The count of one kind that is furthest from its law.

    `of`: "report", "value" or "bucket"; `counts`: how many were looked at, of `reports`; `number`:
    which; `count`: reports; `low`, `high`: what honest ones are on average, whatever people answer;
    `chance`: the most chance that honest reports give any count of all that is as far out.
    """

    of: str
    counts: int
    reports: int
    number: int
    count: int
    low: float
    high: float
    chance: float

    @property
    def is_alarm(self) -> bool:
        """Whether honest reports are as far out at most once in a million collections."""
        return self.chance <= FALSE_ALARMS

    def to_dict(self) -> dict[str, Any]:
        """The check, JSON-ready."""
        expected = [float(f"{end:.6g}") for end in (self.low, self.high)]
        return {"of": self.of, "counts": self.counts, "reports": self.reports,
                "number": self.number, "count": self.count, "honest_mean": expected,
                "chance": float(f"{self.chance:.3g}"), "unlike_honest": self.is_alarm}  # fmt: skip


def check_counts_of_reports(protocol: Protocol, collected: CollectedTally) -> list[LawCheck]:
    """The furthest count of each kind that the tally has."""
    laws = [law for law in _laws(protocol, collected) if law.counts.size]
    looked_at = 2 * sum(law.counts.size for law in laws)
    return [_furthest(law, looked_at) for law in laws]


def report_counts(protocol: Protocol, collected: CollectedTally) -> dict[str, Any]:
    """The checks of a tally for a record, JSON-ready."""
    checks = check_counts_of_reports(protocol, collected)
    return {
        "false_alarm_level": FALSE_ALARMS,
        "unlike_honest": any(check.is_alarm for check in checks),
        "furthest": [check.to_dict() for check in checks],
    }


def _furthest(law: CountLaw, looked_at: int) -> LawCheck:
    chances = law.chances()
    # Where none is out: the most repeated one, by what it may be.
    ratio = law.counts / np.maximum(law.high, 1.0)
    at = int(np.lexsort((-ratio, chances))[0])
    chance = min(1.0, float(chances[at]) * looked_at + (SPREAD_FAILS if law.of == "bucket" else 0))
    trials, count = int(law.trials[at]), int(law.counts[at])
    low, high = float(law.low[at]), float(law.high[at])
    number = int(law.numbers[at])
    return LawCheck(law.of, law.counts.size, trials, number, count, low, high, chance)


def _laws(protocol: Protocol, collected: CollectedTally) -> list[CountLaw]:
    mechanism, tally = protocol.mechanism, collected.tally
    if not tally.n:
        return []
    if isinstance(mechanism, WrittenOut):
        channel, trials = mechanism.channel, np.full(tally.counts.size, tally.n)
        low, high = channel.min(axis=0) * tally.n, channel.max(axis=0) * tally.n
        return [CountLaw("report", np.arange(trials.size), tally.counts, trials, low, high)]
    assert isinstance(mechanism, ContextMechanism)
    supports = support_tally(mechanism, tally)
    if supports is None:
        return [_law_of_reports(mechanism, tally.counts[: mechanism.oracles.outputs])]
    buckets = [_law_of_buckets(protocol, supports, collected.buckets)]
    return [_law_of_values(mechanism, supports), *(buckets if collected.buckets.any() else [])]


def _law_of_reports(mechanism: ContextMechanism, counts: Ints) -> CountLaw:
    """Of each number that oracles send, given how many reports are its block's."""
    trials, low, high = np.zeros_like(counts), np.zeros(counts.size), np.zeros(counts.size)
    for block in np.flatnonzero(mechanism.sizes).tolist():
        rows = mechanism.oracles.channel_rows(block, 0, 1)  # type: ignore[attr-defined]
        at = slice(rows.first, rows.first + rows.codes.shape[1])
        trials[at] = sent = int(counts[at].sum())
        low[at], high[at] = (sent * (rows.values[i] / rows.denominator) for i in (0, -1))
    return CountLaw("report", np.arange(counts.size), counts, trials, low, high)


def _law_of_values(mechanism: ContextMechanism, supports: SupportTally) -> CountLaw:
    """Of the reports that include each hidden value, given how many are its block's."""
    made = supports.probabilities
    chances = np.stack([made.own, made.other, made.base])
    trials = np.repeat(supports.sent, mechanism.sizes)
    low, high = (
        np.repeat(ends * supports.sent, mechanism.sizes)
        for ends in (chances.min(axis=0), chances.max(axis=0))
    )
    return CountLaw("value", mechanism.hidden_symbols, supports.included, trials, low, high)


def _law_of_buckets(protocol: Protocol, supports: SupportTally, counts: Ints) -> CountLaw:
    """Of the reports in each bucket, given how many are of each block, where all were counted."""
    chances, total = bucket_chances(protocol), int(counts.sum())
    is_whole = total == int(supports.sent.sum())
    mean = float(supports.sent @ chances) if is_whole else total * float(chances.max())
    trials, none = np.full(counts.size, total), np.zeros(counts.size)
    high = np.full(counts.size, min(mean, total))
    return CountLaw("bucket", np.arange(counts.size), counts, trials, none, high)
