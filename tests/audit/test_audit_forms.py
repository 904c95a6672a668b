"""The audit by a channel's form and by classes of pairs: the exact audit's verdicts at any size."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from caldp_core.audit import blockwise as audit_large
from caldp_core.audit.blockwise import (
    BOTH_SENSITIVE,
    EVERY_ENTRY,
    OTHER_NOT,
    THE_FORM,
    audit_context,
    is_distribution,
)
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms import FAMILIES, ContextMechanism, FrequencyOracles, catalogue
from caldp_core.mechanisms.capabilities import (
    ChannelRows,
    HasChannelRows,
    HasSupportForm,
    SupportForm,
)
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import OueOracles, RapporOracles
from caldp_core.mechanisms.randomness import COIN_ONE, seeded_words
from caldp_core.privacy.context import Context
from tests import mutants
from tests.channels import agree, agree_by_form
from tests.contract.checks import CASES, context, naming
from tests.stats import SIGNIFICANCE, assert_fits
from tests.strategies import thinned

PAPER_K = 43_750
PLAIN, SENSITIVE, PER_BLOCK = "plain", "sensitive set", "one ε per block"
ORACLES = [RapporOracles, OueOracles, SubsetSelectionOracles, LocalHashingOracles]
FORMS = [
    name
    for name in FAMILIES
    if isinstance(catalogue.in_context(Context.plain(2, 1.0), name).oracles, HasSupportForm)
]


def test_every_family_can_be_audited_at_full_size() -> None:
    assert {"rappor", "oue", "subset-selection", "local-hashing"} <= set(FORMS)
    for family in FAMILIES:
        oracles = catalogue.in_context(Context.plain(2, 1.0), family).oracles
        assert isinstance(oracles, HasChannelRows) or family in FORMS
    assert {"hadamard", "randomized-response", "galois"} <= set(STREAMING)


# --- the form rebuilds the channel ---------------------------------------------------------


def inclusions(oracles: FrequencyOracles, columns: range, ranks: range) -> Bools:
    """(hidden symbols, columns) which of a block's reports include which of its symbols.

    From the tally of each report alone, which asks no coin.
    """
    reports = oracles.every_report(0)[columns.start : columns.stop]
    cells = np.stack([oracles.tally(reports[y : y + 1], 0) for y in range(reports.size)])
    return (cells[:, ranks.start : ranks.stop] == 1).T


def check_rebuilds(oracles: Any, sizes: Ints) -> None:
    """The form gives every entry of the channel, exactly; and it says who is told apart."""
    ends = np.cumsum(sizes)
    for block in np.flatnonzero(sizes).tolist():
        first, numerators, denominator = oracles.channel(block)
        base, form = numerators[-1], oracles.support_form(block)
        ranks = range(int(ends[block] - sizes[block]), int(ends[block]))
        includes = inclusions(oracles, range(first, first + base.size), ranks)
        for row, included in zip(numerators, includes, strict=False):
            assert Fraction(int(base[included].sum()), denominator) == form.share
            for weight, here in ((form.included, included), (form.excluded, ~included)):
                assert (row[here] * weight.denominator == base[here] * weight.numerator).all()
        assert int(base.sum()) == denominator
        assert is_distribution(form)
        possible = includes[:, base > 0]
        distinctions = {
            bool((one & ~two).any())
            for x, one in enumerate(possible)
            for other, two in enumerate(possible)
            if x != other
        }
        assert distinctions <= {0 < form.share < 1}


@pytest.mark.parametrize("family", thinned(FORMS, one_in=2))
def test_the_form_rebuilds_the_channel(family: str) -> None:
    for kind, epsilon in CASES[::2]:  # each kind at every second ε, in turn
        mechanism = catalogue.in_context(context(kind, epsilon), family)
        with naming(f"{kind}, ε = {epsilon}"):
            check_rebuilds(mechanism.oracles, mechanism.sizes)


def with_form(oracles: Any, change: Callable[[SupportForm], SupportForm]) -> Any:
    """The oracles with another form than its channel has."""

    class Changed(oracles):  # type: ignore[misc]
        def support_form(self, block: int) -> SupportForm:
            return change(super().support_form(block))

    return Changed


COIN = Fraction(1, COIN_ONE)


@pytest.mark.parametrize("oracles", ORACLES)
@pytest.mark.parametrize(
    "change",
    [
        lambda form: replace(form, included=form.excluded, excluded=form.included),
        lambda form: replace(form, included=form.included - COIN),
        lambda form: replace(form, excluded=form.excluded + COIN),
        lambda form: replace(form, share=form.share * (1 - COIN)),
        lambda form: SupportForm(Fraction(1), Fraction(1), form.share),
    ],
)
def test_another_form_rebuilds_nothing(oracles: Any, change: Any) -> None:
    mechanism = ContextMechanism(context(PER_BLOCK, 1.0), "right", oracles)
    check_rebuilds(mechanism.oracles, mechanism.sizes)
    wrong = ContextMechanism(context(PER_BLOCK, 1.0), "wrong", with_form(oracles, change))
    with pytest.raises(AssertionError):
        check_rebuilds(wrong.oracles, wrong.sizes)


# --- what it finds; that it finds nothing where nothing is, the contract says -------------------


def lower(name: str, oracles: Any) -> Any:
    """One of the oracles' thresholds one coin lower: rounded to the side that is not private."""

    def build(sizes: Ints, epsilon: Floats) -> Any:
        made = oracles(sizes, epsilon)
        whole = getattr(made, name)
        setattr(made, name, whole - np.minimum(whole, np.uint64(1)))
        return made

    return build


def forgotten_one(oracles: Any) -> Any:
    """λ = s/(s + ω·e^ε) or g/(g + e^ε): k-RR's forgotten −1."""

    def build(sizes: Ints, epsilon: Floats) -> Any:
        made = oracles(sizes, epsilon)
        odds = made._omega / sizes if oracles is SubsetSelectionOracles else 1 / made._g
        made.cover_threshold = np.ceil(COIN_ONE / (1 + odds * np.exp(epsilon))).astype(np.uint64)
        return made

    return build


WRONG: list[tuple[str, Any, str]] = [
    *((f"coin 5 % too bold, {b.__name__}", mutants.coin_for(1.05, b), PLAIN) for b in ORACLES),
    *((f"swapped ε, {b.__name__}", mutants.swapped_epsilons(b), PER_BLOCK) for b in ORACLES),
    *((f"no λ, {b.__name__}", mutants.without_company(b), SENSITIVE) for b in ORACLES),
    *((f"λ a coin lower, {b.__name__}", lower("cover_threshold", b), SENSITIVE) for b in ORACLES),
    *((f"d₁ a coin lower, {b.__name__}", lower("_stray", b), PLAIN) for b in ORACLES[:2]),
    *(
        (f"lies a coin lower, {b.__name__}", lower("cover_threshold", b), PLAIN)
        for b in ORACLES[2:]
    ),
    *((f"no −1, {b.__name__}", forgotten_one(b), PLAIN) for b in ORACLES[2:]),
]
NAMES = [row[0] for row in WRONG]


@pytest.mark.parametrize(("name", "wrong", "kind"), WRONG, ids=NAMES)
def test_the_form_shows_what_leaks(name: str, wrong: Any, kind: str) -> None:
    assert not agree_by_form(ContextMechanism(context(kind, 1.0), name, wrong)).holds


def test_more_company_than_there_are_people_is_no_distribution() -> None:
    mechanism = catalogue.in_context(context(SENSITIVE, 1.0), "oue")
    mechanism.oracles.cover_threshold = mechanism.oracles.cover_threshold * 0 + np.uint64(
        COIN_ONE + 1
    )
    assert agree_by_form(mechanism).faulty_row == int(mechanism.clear_symbols[0])


# --- full size -----------------------------------------------------------------------------


def paper_map(kind: str) -> Context:
    """43,750 places; every fourth is not sensitive, or all in 25 × 35 blocks of an ε each."""
    places = np.arange(PAPER_K)
    if kind == PLAIN:
        return Context.plain(PAPER_K, 1.0)
    if kind == SENSITIVE:
        return Context.high_low(places % 4 > 0, 1.0)
    return Context.of(places // 50, places % 4 > 0, np.linspace(0.5, 2.0, 875))


@pytest.mark.parametrize("kind", [PLAIN, SENSITIVE, PER_BLOCK])
@pytest.mark.parametrize("oracles", ORACLES)
def test_right_ones_hold_at_full_size(oracles: Any, kind: str) -> None:
    policy = paper_map(kind)
    mechanism = ContextMechanism(policy, "right", oracles)
    audit = audit_context(mechanism)
    assert (audit.holds, audit.method, audit.faulty_row) == (True, THE_FORM, None)
    assert len(audit.classes) == policy.m * (1 if kind == PLAIN else 2)
    for each in audit.classes:
        assert each.privacy_loss == pytest.approx(each.epsilon, abs=1e-9)
        assert policy.blocks[each.x] == policy.blocks[each.x_other] == each.block
        assert each.output is None


@pytest.mark.parametrize(("name", "wrong", "kind"), WRONG, ids=NAMES)
def test_each_slip_is_found_at_full_size(name: str, wrong: Any, kind: str) -> None:
    audit = audit_context(ContextMechanism(paper_map(kind), name, wrong))
    assert not audit.holds
    assert audit.method == THE_FORM
    assert audit.worst is not None
    assert not audit.worst.holds


# --- forms that are none -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "right"),
    [
        (SupportForm(Fraction(2), Fraction(1, 2), Fraction(1, 3)), True),
        (SupportForm(Fraction(2), Fraction(1, 2), Fraction(1, 3) + COIN), False),
        (SupportForm(Fraction(2), Fraction(1, 2), Fraction(1, 3) - COIN), False),
        (SupportForm(Fraction(4), Fraction(-1, 2), Fraction(1, 3)), False),
        (SupportForm(Fraction(-1), Fraction(2), Fraction(1, 3)), False),
        (SupportForm(Fraction(1), Fraction(1), Fraction(3, 2)), False),
        (SupportForm(Fraction(1), Fraction(1), Fraction(-1, 2)), False),
        # No report has the weight that would be negative.
        (SupportForm(Fraction(1), Fraction(-5), Fraction(1)), True),
        (SupportForm(Fraction(-5), Fraction(1), Fraction(0)), True),
    ],
)
def test_rows_have_to_be_distributions(form: SupportForm, right: bool) -> None:
    assert is_distribution(form) == right
    policy = paper_map(SENSITIVE)
    mechanism = ContextMechanism(policy, "stated", with_form(OueOracles, lambda _: form))
    first = None if right else int(np.flatnonzero(policy.hidden())[0])
    # Where the base itself is none, the first of all is faulty: symbol 0, who is not hidden.
    base = 0 <= form.share <= 1
    assert audit_context(mechanism).faulty_row == (first if base else 0)


def test_subsets_larger_than_their_block_are_no_distribution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def build(sizes: Ints, epsilon: Floats) -> Any:
        mechanism = SubsetSelectionOracles(sizes, epsilon)
        mechanism._omega = sizes + 1
        return mechanism

    mechanism = ContextMechanism(paper_map(PLAIN), "too large", build)
    with pytest.raises(CaldpError, match="no report for hidden values"):
        audit_context(mechanism)
    monkeypatch.setattr(audit_large, "DENSE_MAX_ENTRIES", -1)
    audit = audit_context(mechanism)
    assert not audit.holds
    assert audit.faulty_row == 0


@pytest.mark.parametrize(
    ("form", "privacy_loss"),
    [
        (SupportForm(Fraction(0), Fraction(2), Fraction(1, 2)), np.inf),
        (SupportForm(Fraction(4), Fraction(-1, 2), Fraction(1, 3)), np.inf),
        (SupportForm(Fraction(1), Fraction(9), Fraction(1)), 0.0),
        (SupportForm(Fraction(1, 2), Fraction(3, 2), Fraction(1, 2)), np.log(3)),
    ],
)
def test_the_larger_weight_may_be_either(form: SupportForm, privacy_loss: float) -> None:
    mechanism = ContextMechanism(paper_map(PLAIN), "stated", with_form(OueOracles, lambda _: form))
    audit = audit_context(mechanism)
    assert audit.worst is not None
    assert audit.worst.privacy_loss == pytest.approx(privacy_loss)


# --- which way is gone ---------------------------------------------------------------------


def test_a_channel_is_written_out_as_long_as_it_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = catalogue.in_context(context(PER_BLOCK, 1.0), "oue")
    entries = (int(mechanism.sizes.max()) + 1) * mechanism.oracles.outputs
    for limit, method in ((entries, EVERY_ENTRY), (entries - 1, THE_FORM)):
        monkeypatch.setattr(audit_large, "DENSE_MAX_ENTRIES", limit)
        assert audit_context(mechanism).method == method


def test_rows_are_streamed_before_a_form_is_believed() -> None:
    class Both(FAMILIES["hadamard"].family):  # type: ignore[misc]
        def support_form(self, block: int) -> SupportForm:
            raise AssertionError

    mechanism = ContextMechanism(Context.plain(3000, 1.0), "both", Both)
    assert isinstance(mechanism.oracles, HasSupportForm)
    assert audit_context(mechanism).method == EVERY_ENTRY


def inclusion_counts(mechanism: ContextMechanism, n: int) -> list[int]:
    """Of n reports of each of three symbols those that include it, and of n base ones."""
    rng = np.random.default_rng(8)
    symbols = (0, mechanism.k // 2, mechanism.k - 1)
    sent = [mechanism.tally(mechanism.privatize(np.full(n, x), rng)).counts[x] for x in symbols]
    oracles = mechanism.oracles
    reports = oracles.privatize_base(np.zeros(n, np.int64), seeded_words(rng))
    return [*sent, oracles.tally(reports, 0)[mechanism.k // 3]]


def check_odds(counts: list[int], form: SupportForm, n: int) -> None:
    """n reports of each of three symbols, and n base ones, include as the form says: one χ².

    Their four inclusion counts settle `share` and both weights. With n = 200,000 and coins 5 %
    too bold (ε = 1) the noncentrality is 118 for RAPPOR (θ and d₁ off by 0.0059), 98 for OUE (d₁
    off by 0.0097), 104 for subset selection (ω off by 3) and 374 for local hashing; at 4 degrees
    of freedom the limit is 36.3, so that each is found with at least 99.997 %.
    """
    own = [form.share * form.included, (1 - form.share) * form.excluded]
    expected = [own, own, own, [form.share, 1 - form.share]]
    chances = np.array([[float(q) for q in row] for row in expected])
    observed = np.array([[each, n - each] for each in counts])
    assert_fits(observed, n * chances, SIGNIFICANCE / len(ORACLES))


@pytest.mark.parametrize("oracles", thinned(ORACLES, one_in=2))
def test_reports_have_the_odds_of_the_form(oracles: Any) -> None:
    n, mechanism = 200_000, ContextMechanism(Context.plain(300, 1.0), "right", oracles)
    counts, sizes, epsilon = (
        inclusion_counts(mechanism, n),
        mechanism.sizes,
        mechanism.policy.epsilon,
    )
    check_odds(counts, oracles(sizes, epsilon).support_form(0), n)
    with pytest.raises(AssertionError, match="χ²"):
        check_odds(counts, oracles(sizes, 1.05 * epsilon).support_form(0), n)


HR, RR = HadamardOracles, RandomizedResponseOracles
STREAMED = (HR, RR, GaloisOracles)
BOTH, LARGE_PER_BLOCK = "blocks and sensitive set", "one ε per block"
LARGE = 5000
STREAMING = [
    name
    for name in FAMILIES
    if isinstance(catalogue.in_context(Context.plain(2, 1.0), name).oracles, HasChannelRows)
]


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


LARGE_WRONG: list[tuple[str, Any, str]] = [
    *((f"coin 5 % too bold, {b.__name__}", mutants.coin_for(1.05, b), "plain") for b in STREAMED),
    *((f"swapped ε, {b.__name__}", mutants.swapped_epsilons(b), LARGE_PER_BLOCK) for b in STREAMED),
    *((f"no λ, {b.__name__}", mutants.without_company(b), "sensitive set") for b in STREAMED),
    ("row 0 used", row_too_low, "plain"),
    ("k-RR without its −1", mutants.ForgottenOne, BOTH),
]


@pytest.mark.parametrize(
    ("name", "wrong", "kind"), LARGE_WRONG, ids=[row[0] for row in LARGE_WRONG]
)
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


@pytest.mark.parametrize("kinds", [1, 2, 3, 5, 8, 9, 30])
def test_extremes_and_faults_are_those_of_entries_one_by_one(
    kinds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of few codes in use and of many, with a wrong row long after all extremes were seen."""
    monkeypatch.setattr(audit_large, "_CHUNK", 4 * 24)
    rng, values = np.random.default_rng(kinds), tuple(range(3, 3 + 2 * kinds, 2))
    row = np.tile(np.arange(kinds, dtype=np.uint8), -(-24 // kinds))[:24]
    table = rng.permuted(np.tile(row, (60, 1)), axis=1)
    whole = sum(values[code] for code in row.tolist())

    def audited(codes: Any) -> audit_large.BlockExtremes:
        def read(_: int) -> Callable[[int, int], ChannelRows]:
            return lambda start, stop: ChannelRows(0, codes[start:stop], values, whole)

        return audit_large.extremes_from_rows(read, 24, 0, len(codes) - 1, lambda _: None)

    entries = [[values[code] for code in each] for each in table[:-1].tolist()]
    ratio = max(Fraction(max(column), min(column)) for column in zip(*entries, strict=True))
    right = audited(table)
    assert (right.hidden_ratio.ratio, right.faulty_row) == (ratio, None)
    assert right.base_is_distribution
    for at, code in ((7, kinds - 1), (33, 0), (58, kinds - 1), *[(50, kinds)] * (kinds < 4)):
        wrong = table.copy()
        wrong[at, np.argmax(wrong[at] != code)] = code
        is_wrong = kinds > 1 or code == kinds
        assert audited(wrong).faulty_row == (at if is_wrong else None), (at, code)


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
