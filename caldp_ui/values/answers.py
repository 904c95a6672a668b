"""Shares with their 95 % intervals, of answers and of groups, for the picture of answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caldp_core.basics.types import Bools, Floats
from caldp_core.domain.answers import Domain
from caldp_core.estimation.intervals import ranges
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Result


@dataclass(frozen=True, eq=False)
class Shares:
    """(k,) estimated shares as shown, and the ends of their 95 % intervals."""

    estimate: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class GroupShare:
    """The share of a group as a whole: as shown, and the ends of its 95 % interval."""

    estimate: float
    low: float
    high: float


def shares_of(result: Result) -> Shares:
    """Every answer's share, and its 95 % range, which includes it."""
    ends = ranges(result.first.evidence, result.first.estimate)
    return Shares(result.first.estimate, ends.low, ends.high)


def groups_of(domain: Domain) -> list[tuple[str, Bools]]:
    """Name and (k,) flags of each group, in order of appearance; empty without groups."""
    groups = np.array(domain.groups)
    return [(name, groups == name) for name in dict.fromkeys(domain.groups)]


def group_share(result: Result, group: Bools) -> GroupShare:
    """A group's share, by the exact variance of the sum."""
    report = region_report(result.setup, result.first, group)
    n = result.setup.n
    return GroupShare(report.processed_estimate / n, report.low / n, report.high / n)


def labels_of(domain: Domain) -> list[str]:
    """Labels of all answers, without the part that repeats the name of their group."""
    names = [domain.name_of(x) for x in range(domain.k)]
    for _, flags in groups_of(domain):
        members = np.flatnonzero(flags).tolist()
        for x, short in zip(members, _short([names[x] for x in members]), strict=True):
            names[x] = short
    return names


def _short(names: Sequence[str]) -> list[str]:
    """The names without a last part (after "; ") or first part (before ": ") that all share."""
    lasts = {name.rpartition("; ")[2] for name in names}
    firsts = {name.partition(": ")[0] for name in names}
    if len(names) > 1 and len(lasts) == 1:
        return [name.rpartition("; ")[0] for name in names]
    if len(names) > 1 and len(firsts) == 1:
        return [name.partition(": ")[2] for name in names]
    return list(names)
