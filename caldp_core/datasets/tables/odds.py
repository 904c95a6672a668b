"""Whether numbers add up, and how likely it is that they do by chance."""

from dataclasses import dataclass

from caldp_core.datasets.tables.facts import FactTable, Sum

_HIDDEN_LEAST = 20
_HIDDEN_SHARE = 0.1
"""People that a mark without an upper end may hide: 20, or a tenth of the whole if that is more."""


@dataclass(frozen=True)
class Fit:
    """Whether a sum holds, None where it can't be known; `odds`: of that by chance, in [0, 1]."""

    holds: bool | None
    odds: float


def fit_of(table: FactTable, proposal: Sum) -> Fit:
    """How a proposal fits the numbers.

    Hidden parts may be anything that their marks allow. Numbers that are rounded may be off by half
    a unit each. The odds are about grain / value, as a sum by chance may be any of value / grain.
    """
    facts = table.facts
    hidden = [facts[part].mark for part in proposal.parts if facts[part].value is None]
    if len(hidden) == len(proposal.parts):
        return Fit(None, 1.0)
    value = 0.0
    for whole in proposal.wholes:
        number = facts[whole].value
        if number is None:
            return Fit(None, 1.0)
        value += number
    missing = value - table.people(proposal.parts)
    unit = table.unit
    slack = unit / 2
    if unit > 1:
        slack = unit * (len(proposal.parts) + len(proposal.wholes)) / 2
    slack = max(slack, proposal.slack)
    if hidden:
        most = 0.0
        for mark in hidden:
            named = mark.high if mark is not None else None
            most += max(_HIDDEN_LEAST, _HIDDEN_SHARE * value) if named is None else named
        return Fit(-slack <= missing <= most + slack, min(1.0, (most + unit) / max(value, 1)))
    is_exact = abs(missing) < 1e-6 * max(1, value)
    ways = 1 if is_exact else 2 * slack / unit + 1
    grain = max(table.grain, unit)
    return Fit(abs(missing) <= slack, min(1.0, ways * grain / max(value, 1)))
