"""Shares with their 95 % intervals, of answers and of groups, for the picture of answers.

Sensitive values as flags, as runs of numbers and by whole groups.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.answers import Domain
from caldp_core.estimation.intervals import ranges
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Result
from caldp_core.scenarios.blocks import EverythingSensitive, SensitiveSpec, SensitiveSymbols


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


def spec_of(flags: Bools) -> SensitiveSpec:
    """The shortest spec of (k,) flags."""
    if flags.all():
        return EverythingSensitive()
    return SensitiveSymbols(runs_of(np.flatnonzero(flags)))


def runs_of(symbols: Ints) -> tuple[str, ...]:
    """Ascending symbols as runs: "3" or "10-19"."""
    first = symbols[np.diff(symbols, prepend=-2) != 1]
    last = symbols[np.diff(symbols, append=np.iinfo(np.int64).max) != 1]
    pairs = zip(first.tolist(), last.tolist(), strict=True)
    return tuple(str(first) if first == last else f"{first}-{last}" for first, last in pairs)


def groups_spec(domain: Domain, groups: Iterable[str]) -> SensitiveSpec:
    """The sensitive set of all values of these groups, and of values with these names."""
    wanted = set(groups)
    return spec_of(
        np.array(
            [
                group in wanted or name in wanted
                for group, name in zip(domain.groups, domain.names, strict=True)
            ],
            dtype=np.bool_,
        )
    )


def whole_groups(domain: Domain, flags: Bools) -> list[str]:
    """The groups all of whose values are marked, in order of appearance."""
    bare = {group for group, flag in zip(domain.groups, flags, strict=False) if not flag}
    return [group for group in dict.fromkeys(domain.groups) if group not in bare]


def with_groups(domain: Domain, flags: Bools, groups: Iterable[str]) -> SensitiveSpec:
    """The set with just these groups whole; marks in groups that were not whole stay."""
    wanted, before = set(groups), set(whole_groups(domain, flags))
    changed = [
        group in wanted or (bool(flag) and group not in before)
        for group, flag in zip(domain.groups, flags, strict=True)
    ]
    return spec_of(np.array(changed, dtype=np.bool_))
