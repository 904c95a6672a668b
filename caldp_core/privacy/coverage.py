"""Which symbols a policy protects, and which of those it was to protect it can't.

A symbol x is protected where E[x, x′] is finite for some other x′. Where that is so for no x′, no
mechanism needs to hide x, and no ε stands for it, whatever ε the policy names.
"""

from dataclasses import dataclass
from functools import singledispatch
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, read_only
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric, GridMetric

_NAMED: Final = 5
"""Most names in a sentence."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """(k,) flags of symbols, read-only.

    `protected`: E[x, x′] is finite for some x′ ≠ x. `in_clear`: no E[x, x′] and no E[x′, x] is, so
    x hides among nobody, nobody hides behind x, and every report of it may name it. `sensitive`:
    those that are marked to be protected; of policies without marks all but the symbols that others
    hide behind.
    """

    protected: Bools
    in_clear: Bools
    sensitive: Bools

    @property
    def exposed(self) -> Bools:
        """(k,) sensitive symbols that nothing protects, such as those alone in their block."""
        return read_only(self.sensitive & ~self.protected)


@singledispatch
def coverage(policy: PrivacyMatrix) -> Coverage:
    """The coverage of a policy: contexts and grids of any size, others row by row, k² entries."""
    others = np.arange(policy.k)
    protected, covers = np.zeros(policy.k, np.bool_), np.zeros(policy.k, np.bool_)
    for x in range(policy.k):
        finite = np.isfinite(policy.between(np.full(policy.k, x), others)) & (others != x)
        protected[x] = finite.any()
        covers |= finite
    in_clear = ~(protected | covers)
    return Coverage(*map(read_only, (protected, in_clear, protected | in_clear)))


@coverage.register
def _of_context(policy: Context) -> Coverage:
    in_clear = (policy.hidden_sizes == 0)[policy.blocks]
    return Coverage(policy.hidden(), read_only(in_clear), policy.sensitive)


@coverage.register
def _of_tags(policy: PersonalPolicy) -> Coverage:
    """Of places as such: somebody's own place is as protected as the tag that stands for it."""
    found = _of_context(policy.with_tags())
    return Coverage(
        found.protected[: policy.k], found.in_clear[: policy.k], found.sensitive[: policy.k]
    )


@coverage.register(GridMetric)
@coverage.register(EuclideanMetric)
def _of_grid(policy: GridMetric | EuclideanMetric) -> Coverage:
    everything = np.ones(policy.k, np.bool_)
    several = everything & (policy.k > 1)
    return Coverage(*map(read_only, (several, ~several, everything)))


def value_names(domain: Domain | GridDomain, flags: Bools) -> list[str]:
    """The names of the flagged values: an answer's text, or a cell's centre."""
    return [domain.name_of(x) for x in np.flatnonzero(flags).tolist()]


def names_text(names: list[str]) -> str:
    """Names for a sentence: “a”, “b” and “c”; of more than 5, some and how many others."""
    quoted = [f"“{name}”" for name in names[:_NAMED]]
    rest = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    *first, last = quoted + rest
    return f"{', '.join(first)} and {last}" if first else last


def exposed_clause(names: list[str], text: str = "") -> str:
    """That exposed values of these names are protected by nothing; "" without any.

    `text`: what to call them, if not by name.
    """
    if not names:
        return ""
    are = "is" if len(names) == 1 else "are"
    return f"{text or names_text(names)} {are} protected by nothing and sent in clear"
