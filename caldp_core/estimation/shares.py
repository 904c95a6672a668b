"""Shares of people from a tally, with intervals; groups compared; medians and quartiles.

The short way for programs that have a mechanism and a tally; `Evidence` is the long one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.domain.orders import places_on_scale
from caldp_core.estimation import intervals as score
from caldp_core.estimation.estimators import estimator as named
from caldp_core.estimation.evidence import USUAL, EstimatorName, Evidence
from caldp_core.estimation.intervals import LEVEL, Intervals, Range, share_within
from caldp_core.mechanisms import Mechanism, Tally


def estimate(
    mechanism: Mechanism,
    tally: Tally,
    estimator: EstimatorName = USUAL,
    domain: Domain | GridDomain | None = None,
) -> Floats:
    """(k,) shares by the named estimator; "none" is the unbiased one, which may be negative.

    `domain`: says which values are neighbours, as a cascade needs to be as good as in a run.
    Raises `CaldpError` for an unknown name, and for a tally that another mechanism made.
    """
    return named(estimator).apply(Evidence.of(mechanism, tally, domain=domain))


def intervals(
    mechanism: Mechanism, tally: Tally, level: float = 0.95, shares: Floats | None = None
) -> Intervals:
    """(k,) ranges in [0, 1], each of which holds its true share with probability `level`.

    They belong to the unbiased estimate, see `caldp_core.estimation.intervals`. `shares`: (k,)
    estimates to stand beside them, which they then include; those of the highest shares hold on
    average as well. `level`: in [0.5, 1 − 10^-12]. Raises `CaldpError` otherwise, and for a tally
    that another mechanism made.
    """
    evidence = Evidence.of(mechanism, tally)
    if shares is None:
        return score.intervals(evidence, level)
    return score.ranges(evidence, shares, level)


COMPARED_MAX: Final = 300
"""Most values of a domain of which groups are compared or quantiles estimated."""


@dataclass(frozen=True)
class GroupShare:
    """An answer's `share` of a group, beside that of all people `elsewhere`, and the `difference`.

    `people`: of the group, known where reports show groups, else estimated. Each range holds with
    its level alone.
    """

    answer: str
    group: str
    people: float
    share: Range
    elsewhere: Range
    difference: Range

    @property
    def sentence(self) -> str:
        """The comparison in words, of 100 people, or that the group has too few people."""
        if self.share[1] < 0.005 and self.share[2] >= 0.995:
            few = f"has too few people ({self.people:,.0f}) to say anything"
            return f"“{self.answer}”: “{self.group}” {few}."
        here, there = _of_hundred(self.share), _of_hundred(self.elsewhere)
        shares = f"“{self.answer}”: in “{self.group}” {here}, elsewhere {there}"
        middle, low, high = self.difference
        if low > 0 or high < 0:
            least, most = sorted((abs(low), abs(high)))
            word = " more" if low > 0 else " fewer"
            return f"{shares}: {_of_hundred((abs(middle), least, most), word)}."
        ends = f"{100 * low:+.0f} to {100 * high:+.0f} of 100"
        return f"{shares}: no difference can be shown ({ends})."


def _of_hundred(found: Range, word: str = "") -> str:
    """An estimate and its range in words: "12 of 100 (9 to 15)"."""
    places = 0 if found[2] - found[1] >= 0.02 else 1
    middle, low, high = (f"{100 * each:.{places}f}" for each in found)
    return f"{middle}{word} of 100 ({low} to {high})"


def compare_groups(evidence: Evidence, level: float = LEVEL) -> list[GroupShare]:
    """Each answer's share in its group beside that in all other groups, by number of value.

    `evidence`: of a domain of up to 300 values in groups that have answers in common
    (`Domain.short_names`); of any other the list is empty. Shares and ranges by `share_within`,
    which raises `CaldpError` for another `level`.
    """
    domain = evidence.domain
    if not isinstance(domain, Domain) or not domain.groups or domain.k > COMPARED_MAX:
        return []
    answers, groups = np.array(domain.short_names()), np.array(domain.groups)
    if np.unique(answers).size == domain.k:
        return []
    found = []
    for answer, group in zip(answers.tolist(), domain.groups, strict=True):
        wholes = groups == group, groups != group
        here, there = (share_within(evidence, (answers == answer) & w, w, level) for w in wholes)
        ranges = here.range, there.range, here.minus(there, evidence)
        found.append(GroupShare(answer, group, here.people, *ranges))
    return found


@dataclass(frozen=True)
class Quantile:
    """The first answer up to which a `share` of people are, and the ends of its range.

    `group`: the group of these people; "" for everybody.
    """

    share: float
    estimate: str
    low: str
    high: str
    group: str = ""

    @property
    def sentence(self) -> str:
        """The quantile and its range in words; 0.5 is the median."""
        name = "Median" if self.share == 0.5 else f"{100 * self.share:g} of 100 people have at most"
        where = f" in “{self.group}”:" if self.group else ""
        return f"{name}{where} “{self.estimate}” (“{self.low}” to “{self.high}”)."


def quantiles(
    evidence: Evidence, shares: Iterable[float] = (0.25, 0.5, 0.75), level: float = LEVEL
) -> list[Quantile]:
    """Quantiles at `shares` in [0, 1] of up to 300 values on a scale; of others the list is empty.

    A scale: numbers or bands, or words that have an order, without answers beside it such as "don't
    know". Where answers are crossed with groups, the median of each group follows. A range has all
    answers that cannot be excluded (Woodruff 1952), each by the range of the share of people up to
    it (`share_within`, which raises `CaldpError` for another `level`).
    """
    domain = evidence.domain
    if not isinstance(domain, Domain) or domain.k > COMPARED_MAX:
        return []
    answers, groups, found = domain.short_names(), np.array(domain.groups), list[Quantile]()
    places = places_on_scale(list(dict.fromkeys(answers)))
    at, called = np.array([places.get(a, -1) for a in answers]), {p: a for a, p in places.items()}
    wholes = {"": at >= 0}
    if len(set(answers)) < domain.k:
        wholes |= {group: (groups == group) & (at >= 0) for group in dict.fromkeys(domain.groups)}
    for group, whole in wholes.items():
        steps = np.unique(at[whole])
        below = [share_within(evidence, whole & (at <= x), whole, level).range for x in steps[:-1]]
        middle, low, high = np.array([*below, (1.0, 1.0, 1.0)]).T
        for share in ((0.5,) if group else shares) if steps.size else ():
            first, estimate = int(np.argmax(high >= share)), int(np.argmax(middle >= share))
            last = int(np.flatnonzero(np.append(0.0, low[:-1]) <= share)[-1])
            ends = [called[int(steps[each])] for each in (estimate, first, last)]
            found.append(Quantile(share, ends[0], ends[1], ends[2], group))
    return found
