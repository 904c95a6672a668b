"""The form of a channel: that it rebuilds the channel, what it finds, and what it never misses."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from caldp_core.audit import blockwise as audit_large
from caldp_core.audit.blockwise import EVERY_ENTRY, THE_FORM, audit_context, is_distribution
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms import FAMILIES, ContextMechanism, FrequencyOracles, catalogue
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import OueOracles, RapporOracles
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.mechanisms.structures import HasChannelRows, HasSupportForm, SupportForm
from caldp_core.privacy.context import Context
from tests import mutants
from tests.agreement import agree_by_form
from tests.contract.checks import naming
from tests.contract.contexts import CASES, context
from tests.products import thinned

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
