"""The audit of large domains held against the exact channel, wherever there is one."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from caldp_core.audit import blockwise
from caldp_core.audit.blockwise import (
    BOTH_SENSITIVE,
    EVERY_ENTRY,
    OTHER_NOT,
    THE_FORM,
    LargeAudit,
    PairClass,
    audit_context,
)
from caldp_core.audit.pairwise import audit_channel, finite_pairs
from caldp_core.mechanisms import ContextMechanism
from caldp_core.mechanisms.structures import HasSupportForm
from caldp_core.privacy.context import Context

Rows = list[list[int]]


def in_units(channel: Sequence[Sequence[Fraction]]) -> Rows:
    """The channel in whole multiples of one unit: the same ratios, read more quickly."""
    unit = math.lcm(*(q.denominator for row in channel for q in row))
    return [[int(q * unit) for q in row] for row in channel]


def largest(row: Sequence[int], other: Sequence[int]) -> Fraction | None:
    """The largest Q(y|x)/Q(y|x′), None for ∞."""
    pairs = {(a, b) for a, b in zip(row, other, strict=True) if a > 0}
    if any(b <= 0 for _, b in pairs):
        return None
    return max((Fraction(a, b) for a, b in pairs), default=Fraction(0))


def ratios(rows: Rows, policy: Context) -> dict[tuple[int, str], Fraction | None]:
    """The largest ratio of each block and kind, pair by pair from the exact channel."""
    hidden = policy.hidden()
    found: dict[tuple[int, str], Fraction | None] = {}
    for x, other, _ in finite_pairs(policy):
        key = int(policy.blocks[x]), BOTH_SENSITIVE if hidden[other] else OTHER_NOT
        here, so_far = largest(rows[x], rows[other]), found.get(key, Fraction(0))
        found[key] = None if here is None or so_far is None else max(so_far, here)
    return found


def is_witness(rows: Rows, policy: Context, found: PairClass) -> bool:
    """Whether the class's pair is of its kind, and its output has its ratio (or some output)."""
    x, other = found.x, found.x_other
    sensitive = bool(policy.hidden()[other])
    of_kind = policy.hidden()[x] and sensitive == (found.kind == BOTH_SENSITIVE) and x != other
    same_block = policy.blocks[x] == policy.blocks[other] == found.block
    row, row_other = rows[x], rows[other]
    if found.output is not None:
        row, row_other = [row[found.output]], [row_other[found.output]]
    return bool(of_kind and same_block and largest(row, row_other) == found.ratio)


def agree(mechanism: ContextMechanism) -> LargeAudit:
    """Both audits say the same, and so does every class; gives the large one's record."""
    channel, policy = mechanism.exact_channel(), mechanism.policy
    rows = in_units(channel)
    small, large = audit_channel(channel, policy), audit_context(mechanism)
    assert {(c.block, c.kind): c.ratio for c in large.classes} == ratios(rows, policy)
    assert sum(c.pairs for c in large.classes) == sum(1 for _ in finite_pairs(policy))
    assert (small.holds, small.faulty_row) == (large.holds, large.faulty_row)
    assert (small.worst is None) == (large.worst is None)
    if small.worst and large.worst:
        assert small.worst.privacy_loss == large.worst.privacy_loss
        assert small.worst.epsilon == large.worst.epsilon
    assert all(is_witness(rows, policy, each) for each in large.classes)
    return large


def agree_by_form(mechanism: ContextMechanism) -> LargeAudit:
    """By form, entry by entry and pair by pair: one verdict, one ratio for each class."""
    whole = audit_context(mechanism)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blockwise, "DENSE_MAX_ENTRIES", -1)
        patch.setattr(blockwise, "STREAM_FREELY_ENTRIES", -1)
        short = agree(mechanism)
    assert (whole.method, short.method) == (EVERY_ENTRY, THE_FORM)
    assert (whole.holds, whole.faulty_row) == (short.holds, short.faulty_row)
    for one, two in zip(whole.classes, short.classes, strict=True):
        assert replace(one, output=None, x=two.x, x_other=two.x_other) == two
    return short


def agree_every_way(mechanism: ContextMechanism) -> LargeAudit:
    """Pair by pair and in every way of the large audit that the family's oracles allow."""
    oracles = mechanism.oracles
    if isinstance(oracles, HasSupportForm):
        return agree_by_form(mechanism)
    audit = agree(mechanism)
    assert audit.method == EVERY_ENTRY
    return audit
