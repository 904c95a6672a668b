"""Sensitive values as flags, as runs of numbers and by whole groups."""

from collections.abc import Iterable

import numpy as np

from caldp_core.basics.types import Bools, Ints
from caldp_core.domain.answers import Domain
from caldp_core.scenarios.blocks import EverythingSensitive, SensitiveSpec, SensitiveSymbols


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
