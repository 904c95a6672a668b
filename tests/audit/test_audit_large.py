"""The audit by classes of pairs: the exact audit's verdict on small domains, leaks at any size."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.blockwise import BOTH_SENSITIVE, OTHER_NOT, audit_context
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.mechanisms.structures import ChannelRows, HasChannelRows
from caldp_core.privacy.context import Context
from tests import mutants
from tests.agreement import agree
from tests.contract.checks import naming
from tests.contract.contexts import CASES, context

HR, RR = HadamardOracles, RandomizedResponseOracles
STREAMED = (HR, RR, GaloisOracles)
BOTH, PER_BLOCK = "blocks and sensitive set", "one ε per block"
LARGE = 5000
STREAMING = [
    name
    for name in FAMILIES
    if isinstance(catalogue.in_context(Context.plain(2, 1.0), name).oracles, HasChannelRows)
]


def test_families_for_large_domains_stream_their_rows() -> None:
    assert {"hadamard", "randomized-response", "galois"} <= set(STREAMING)


@pytest.mark.parametrize("family", STREAMING)
def test_streamed_rows_are_those_of_the_channel(family: str) -> None:
    for kind, epsilon in CASES:
        mechanism = catalogue.in_context(context(kind, epsilon), family)
        with naming(f"{kind}, ε = {epsilon}"):
            check_streamed(mechanism)


def check_streamed(mechanism: ContextMechanism) -> None:
    oracles = mechanism.oracles
    assert isinstance(oracles, HasChannelRows)
    for block in np.flatnonzero(mechanism.sizes):
        first, numerators, denominator = oracles.channel(int(block))
        rows = numerators.shape[0]
        for start in range(rows):
            for stop in range(start + 1, rows + 1):
                part = oracles.channel_rows(int(block), start, stop)
                assert (part.first, part.denominator) == (first, denominator)
                read = [[part.values[code] for code in row] for row in part.codes.tolist()]
                assert read == numerators[start:stop].tolist()


class WrittenOut:
    """Oracles without `channel_rows`, as other families are."""

    def __init__(self, oracles: Any) -> None:
        self._oracles = oracles

    def __getattr__(self, name: str) -> Any:
        if name == "channel_rows":
            raise AttributeError(name)
        return getattr(self._oracles, name)


def without_rows(oracles: Any) -> Any:
    return lambda sizes, epsilon: WrittenOut(oracles(sizes, epsilon))


@pytest.mark.parametrize("oracles", STREAMED)
def test_both_ways_to_read_rows_give_one_record(oracles: Any) -> None:
    for kind, epsilon in CASES:
        policy = context(kind, epsilon)
        streamed = ContextMechanism(policy, "streamed", oracles)
        whole = ContextMechanism(policy, "written out", without_rows(oracles))
        assert isinstance(streamed.oracles, HasChannelRows)
        assert not isinstance(whole.oracles, HasChannelRows)
        assert audit_context(streamed) == audit_context(whole)


def row_too_low(sizes: Ints, epsilon: Floats) -> Any:
    return WrittenOut(mutants.RowTooLow(sizes, epsilon))


WRONG: list[tuple[str, Any, str]] = [
    *((f"coin 5 % too bold, {b.__name__}", mutants.coin_for(1.05, b), "plain") for b in STREAMED),
    *((f"swapped ε, {b.__name__}", mutants.swapped_epsilons(b), PER_BLOCK) for b in STREAMED),
    *((f"no λ, {b.__name__}", mutants.without_company(b), "sensitive set") for b in STREAMED),
    ("row 0 used", row_too_low, "plain"),
    ("k-RR without its −1", mutants.ForgottenOne, BOTH),
]


@pytest.mark.parametrize(("name", "wrong", "kind"), WRONG, ids=[row[0] for row in WRONG])
def test_it_agrees_on_what_leaks(name: str, wrong: Any, kind: str) -> None:
    assert not agree(ContextMechanism(context(kind, 1.0), name, wrong)).holds


@pytest.mark.parametrize("oracles", STREAMED)
@pytest.mark.parametrize("kind", ["plain", "sensitive set", BOTH])
def test_one_step_of_the_coin_decides_what_holds(oracles: Any, kind: str) -> None:
    """λ is the least that covers: one 2^-48 less of company, or a coin one step bolder, leaks."""

    def bolder(sizes: Ints, epsilon: Floats) -> Any:
        made = oracles(sizes, epsilon)
        made.cover_threshold = made.cover_threshold - (made.cover_threshold > 0).astype(np.uint64)
        if hasattr(made, "_truth"):
            made._truth = made._truth + np.uint64(1)
        return made

    assert not agree(ContextMechanism(context(kind, 1.0), "bolder", bolder)).holds


def with_wrong_row(oracles: Any, change: Callable[[ChannelRows], ChannelRows], at: int) -> Any:
    """The oracles with one streamed row of block 0 changed."""

    class Tampered(oracles):  # type: ignore[misc]
        def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
            rows = super().channel_rows(block, start, stop)
            if block or not start <= at < stop:
                return rows
            codes = rows.codes.copy()
            codes[at - start] = change(replace(rows, codes=rows.codes[[at - start]])).codes[0]
            return replace(rows, codes=codes)

    return Tampered


def all_ones(rows: ChannelRows) -> ChannelRows:
    return replace(rows, codes=np.full_like(rows.codes, len(rows.values) - 1))


@pytest.mark.parametrize("oracles", STREAMED)
@pytest.mark.parametrize("at", [0, 2500, LARGE - 1])
def test_one_wrong_row_of_thousands_is_found(oracles: Any, at: int) -> None:
    policy = Context.plain(LARGE, 1.0)
    right = audit_context(ContextMechanism(policy, "right", oracles))
    assert right.holds
    assert right.faulty_row is None
    wrong = audit_context(ContextMechanism(policy, "wrong", with_wrong_row(oracles, all_ones, at)))
    assert not wrong.holds
    assert wrong.faulty_row == at


def test_a_base_row_that_is_no_law_is_laid_to_those_who_use_it() -> None:
    flags = np.arange(8) < 5
    twice = with_wrong_row(HR, all_ones, at=5)
    audit = audit_context(ContextMechanism(Context.high_low(flags, 1.0), "wrong", twice))
    assert audit.faulty_row == 5
    # Nobody uses it where everything is sensitive.
    assert audit_context(ContextMechanism(Context.plain(5, 1.0), "unused", twice)).holds


@pytest.mark.parametrize("family", ["hadamard", "randomized-response", "galois"])
def test_a_bolder_coin_is_found_at_size(family: str) -> None:
    labels, flags = np.arange(LARGE) % 3, np.arange(LARGE) % 4 > 0
    mechanism = catalogue.in_context(Context.of(labels, flags, [1.0, 0.5, 2.0]), family)
    audit = audit_context(mechanism)
    assert audit.holds
    assert [(c.block, c.kind) for c in audit.classes] == [
        (block, kind) for block in range(3) for kind in (BOTH_SENSITIVE, OTHER_NOT)
    ]
    assert [c.privacy_loss for c in audit.classes] == pytest.approx(
        [1, 1, 0.5, 0.5, 2, 2], abs=1e-9
    )
    mechanism.policy = Context.of(labels, flags, [1.0, 0.499, 2.0])
    stricter = audit_context(mechanism)
    assert not stricter.holds
    assert [c.holds for c in stricter.classes] == [True, True, False, False, True, True]
    assert stricter.worst is not None
    assert stricter.worst.block == 1


def test_numerators_beyond_64_bits_are_exact() -> None:
    """s·(2^48 − N) + N passes 2^63 at ε = 20, where the whole matrix of int64 would overflow."""
    mechanism = catalogue.in_context(Context.plain(40_000, 20.0), "randomized-response")
    assert isinstance(mechanism.oracles, HasChannelRows)
    values = mechanism.oracles.channel_rows(0, 0, 1).values
    assert values[-1] > 2**63
    noise = int(mechanism.oracles.cover_threshold[0])
    audit = audit_context(mechanism)
    assert audit.holds
    assert audit.worst is not None
    assert audit.worst.ratio == Fraction(40_000 * (COIN_ONE - noise) + noise, noise)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("policy", [context(BOTH, 1.0), Context.plain(LARGE, 1.0)])
def test_progress_ends_at_one_and_never_falls(family: str, policy: Context) -> None:
    shares: list[float] = []
    audit_context(catalogue.in_context(policy, family), shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


class Stopped(Exception):
    """Somebody's wish to go on no longer."""


@pytest.mark.parametrize("oracles", STREAMED)
def test_one_large_block_is_told_piece_by_piece_and_can_be_stopped(oracles: Any) -> None:
    read: list[int] = []

    class Counting(oracles):  # type: ignore[misc]
        def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
            read.append(stop - start)
            return super().channel_rows(block, start, stop)

    def stop(share: float) -> None:
        assert share <= 0.1
        raise Stopped

    mechanism = ContextMechanism(Context.plain(LARGE, 1.0), "counting", Counting)
    with pytest.raises(Stopped):
        audit_context(mechanism, stop)
    assert sum(read) <= LARGE / 10


@pytest.mark.parametrize("oracles", STREAMED)
def test_the_pair_named_is_the_one_that_leaks(oracles: Any) -> None:
    """Only the last of thousands never sends output 7: the last piece of the second look."""

    class OneSilence(oracles):  # type: ignore[misc]
        def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
            rows = super().channel_rows(block, start, stop)
            codes = rows.codes + np.uint8(1)
            if start < LARGE <= stop:
                codes[LARGE - 1 - start, 7] = 0
            return replace(rows, codes=codes, values=(0, *rows.values))

    shares: list[float] = []
    audit = audit_context(
        ContextMechanism(Context.plain(LARGE, 1.0), "silent", OneSilence), shares.append
    )
    assert audit.worst is not None
    assert audit.worst.ratio is None
    assert (audit.worst.x_other, audit.worst.output) == (LARGE - 1, 7)
    assert audit.worst.x != LARGE - 1
    assert audit.faulty_row == LARGE - 1
    assert shares == sorted(shares)


def test_a_channel_written_out_has_a_stated_size() -> None:
    mechanism = ContextMechanism(Context.plain(3000, 1.0), "large", without_rows(HR))
    with pytest.raises(CaldpError, match=r"at most 4,000,000 entries and would have up to 1\.23e"):
        audit_context(mechanism)


def test_too_much_to_stream_is_refused() -> None:
    with pytest.raises(CaldpError, match="at most 100,000,000,000 entries"):
        audit_context(catalogue.in_context(Context.plain(400_000, 1.0), "hadamard"))


@pytest.mark.parametrize(
    "policy",
    [
        Context.high_low(np.arange(6) < 5, 1.0),
        Context.block_structured(np.arange(6) // 3, 1.0),
        Context.plain(7, 1.0),
    ],
)
def test_a_mechanism_made_for_something_else_is_not_judged(policy: Context) -> None:
    mechanism = catalogue.in_context(Context.plain(6, 1.0), "hadamard")
    mechanism.policy = policy
    with pytest.raises(CaldpError, match="other blocks or another sensitive set"):
        audit_context(mechanism)
