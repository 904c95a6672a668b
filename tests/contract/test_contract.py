"""Every registered family keeps every promise in every kind of context; wrong twins fail.

Every row asks first that the check passes the right mechanism.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import pytest

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats
from caldp_core.mechanisms import FAMILIES, ContextMechanism, Mechanism, catalogue
from caldp_core.mechanisms.catalogue import (
    MECHANISMS,
    FamilySpec,
    Galois,
    Hadamard,
    LocalHashing,
    MechanismEntry,
    PublishedUrap,
    Rappor,
    SubsetSelection,
    mechanisms_for,
)
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import OueOracles, RapporOracles
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from tests import mutants
from tests.channels import agree_every_way
from tests.contract import checks
from tests.contract.checks import CONTEXTS, EPSILONS, context, many_symbols, naming
from tests.mutants import coin_for, only
from tests.strategies import thinned

FAMILY = pytest.mark.parametrize("family", FAMILIES)
KIND = pytest.mark.parametrize("kind", CONTEXTS)
SAMPLED = [(kind, 1.0) for kind in CONTEXTS] + [
    ("blocks and sensitive set", epsilon) for epsilon in EPSILONS if epsilon != 1.0
]
SOME_SAMPLED = pytest.mark.parametrize(
    ("family", "case"), thinned(FAMILIES, SAMPLED, one_in=6), ids=str
)
SOME = pytest.mark.parametrize(("family", "kind"), thinned(FAMILIES, CONTEXTS, one_in=3))
"""Each family meets each context and each ε, but not both in one."""


def is_again(request: pytest.FixtureRequest) -> bool:
    """Of a case off the diagonals, each of whose factors another case has met: fewer draws do."""
    return request.node.get_closest_marker("thorough") is not None


def mechanism_of(family: str, kind: str, epsilon: float = 1.0) -> ContextMechanism:
    return catalogue.in_context(context(kind, epsilon), family)


@SOME
@pytest.mark.slow
def test_the_channel_keeps_every_promise(
    family: str, kind: str, request: pytest.FixtureRequest
) -> None:
    """At every ε: rows, audits, no privacy wasted, estimates and variances, all exactly."""
    for epsilon in EPSILONS[::2] if is_again(request) else EPSILONS:
        mechanism = mechanism_of(family, kind, epsilon)
        with naming(f"ε = {epsilon}"):
            assert agree_every_way(mechanism).holds
            checks.check_tight(mechanism)
            checks.check_unbiased(mechanism)
            checks.check_variance(mechanism)


@SOME_SAMPLED
def test_reports_follow_the_channel(
    family: str, case: tuple[str, float], request: pytest.FixtureRequest
) -> None:
    each = checks.REPORTS_AGAIN if is_again(request) else checks.REPORTS_PER_SYMBOL
    checks.check_privatize(mechanism_of(family, *case), each)


@SOME_SAMPLED
def test_sampled_tallies_have_the_moments_of_reports(
    family: str, case: tuple[str, float], request: pytest.FixtureRequest
) -> None:
    repeats = checks.REPEATS_AGAIN if is_again(request) else checks.REPEATS
    checks.check_sample_tally(mechanism_of(family, *case), repeats)


@pytest.mark.thorough
@FAMILY
def test_many_sampled_tallies_have_the_moments_of_reports(family: str) -> None:
    checks.check_sample_tally(mechanism_of(family, "one ε per block"), checks.REPEATS_THOROUGH)


def large(family: str, epsilon: float) -> tuple[ContextMechanism, Floats]:
    """In blocks of dozens or hundreds of symbols; (k,) shares."""
    # Long reports make 400 × 20,000 people slow: those families get blocks of fewer symbols.
    symbols = 2000 if mechanism_of(family, "plain").oracles.dtype == np.int64 else 150
    policy, shares = many_symbols(epsilon, symbols)
    return catalogue.in_context(policy, family), shares


@pytest.mark.slow
@pytest.mark.parametrize("family", list(FAMILIES)[::3])
def test_sampled_tallies_have_the_law_of_reports(family: str) -> None:
    """Of some families; of every one, by more draws, in the thorough test below."""
    checks.check_one_law(*large(family, 1.0))


@pytest.mark.thorough
@FAMILY
def test_sampled_tallies_have_the_law_of_reports_at_a_large_epsilon(family: str) -> None:
    checks.check_one_law(*large(family, 5.0))


@pytest.mark.thorough
@FAMILY
def test_many_sampled_tallies_have_the_law_of_reports(family: str) -> None:
    mechanism, shares = large(family, 1.0)
    long = mechanism.oracles.dtype != np.int64  # what they draw is a set of bits a person
    draws = checks.LAW_DRAWS if long else checks.LAW_DRAWS_THOROUGH
    checks.check_one_law(mechanism, shares, draws)


@FAMILY
def test_tallies_add_up(family: str) -> None:
    for kind in CONTEXTS:
        mechanism = mechanism_of(family, kind)
        reports = mechanism.privatize(np.arange(1000) % mechanism.k, np.random.default_rng(1))
        whole = mechanism.tally(reports)
        parts = mechanism.tally(reports[:300]) + mechanism.tally(reports[300:])
        with naming(kind):
            np.testing.assert_array_equal(whole.counts, parts.counts)
            assert whole.n == parts.n == 1000
            np.testing.assert_array_equal(mechanism.estimate(whole), mechanism.estimate(parts))


@FAMILY
def test_tallies_of_other_mechanisms_are_refused(family: str) -> None:
    mechanism = mechanism_of(family, "blocks")
    tally = mechanism.tally(mechanism.every_report()[:1])
    others = [mechanism_of(other, "blocks") for other in FAMILIES if other != family]
    others += [
        mechanism_of(family, "blocks", 1.001),
        mechanism_of(family, "blocks and sensitive set"),
    ]
    for other in others:
        foreign = other.tally(other.every_report()[:1])
        with pytest.raises(CaldpError, match="different mechanisms"):
            tally + foreign
        with pytest.raises(CaldpError, match="another mechanism"):
            mechanism.estimate(foreign)
        with pytest.raises(CaldpError, match="another mechanism"):
            mechanism.block_counts(foreign)


@FAMILY
def test_equal_contexts_make_tallies_that_add_up(family: str) -> None:
    one, other = (mechanism_of(family, "one ε per block") for _ in range(2))
    assert one.fingerprint == other.fingerprint
    reports = one.every_report()
    assert (one.tally(reports[:1]) + other.tally(reports[1:2])).n == 2


@FAMILY
@KIND
def test_no_person_is_lost_at_any_number(family: str, kind: str) -> None:
    mechanism = mechanism_of(family, kind)
    rng = np.random.default_rng(2)
    for n in (0, 1, 1000, min(N_MAX, mechanism.oracles.n_max)):
        people = rng.multinomial(n, rng.dirichlet(np.ones(mechanism.k)))
        tally = mechanism.sample_tally(people, rng)
        assert tally.n == n
        assert tally.counts.dtype == np.int64
        assert tally.counts.min() >= 0
        if n:
            assert mechanism.block_counts(tally).sum() == n
            blocks = np.bincount(
                mechanism.policy.blocks, weights=people, minlength=mechanism.policy.m
            )
            np.testing.assert_array_equal(mechanism.block_counts(tally), blocks)


def check_many_people(mechanism: ContextMechanism, shares: Floats, n: int) -> None:
    rng = np.random.default_rng(8)
    people = rng.multinomial(n, shares)
    tally = mechanism.sample_tally(people, rng)
    assert mechanism.block_counts(tally).sum() == tally.n == n
    error = mechanism.estimate(tally) - people / n
    # 7.5 exact standard deviations for at most 2000 symbols: p < 2000·6.4e-14 < SIGNIFICANCE.
    assert (np.abs(error) <= 7.5 * np.sqrt(mechanism.variance(shares, n))).all()


@FAMILY
def test_many_people_in_large_blocks(family: str) -> None:
    policy, shares = many_symbols()
    mechanism = catalogue.in_context(policy, family)
    # Who draws people one by one in large blocks (local hashing) takes a while for all.
    check_many_people(mechanism, shares, N_MAX if mechanism.oracles.n_max == N_MAX else 10**5)


@pytest.mark.thorough
def test_a_million_people_drawn_one_by_one() -> None:
    policy, shares = many_symbols()
    mechanism = catalogue.in_context(policy, "local-hashing")
    assert 10**6 < mechanism.oracles.n_max < N_MAX
    check_many_people(mechanism, shares, 10**6)


@FAMILY
@KIND
def test_one_seed_gives_one_result(family: str, kind: str) -> None:
    mechanism = mechanism_of(family, kind)
    x = np.arange(5000) % mechanism.k
    people = np.bincount(x, minlength=mechanism.k)
    first, again, other = (np.random.default_rng(seed) for seed in (9, 9, 10))
    reports = mechanism.privatize(x, first)
    np.testing.assert_array_equal(reports, mechanism.privatize(x, again))
    sampled = mechanism.sample_tally(people, first)
    np.testing.assert_array_equal(sampled.counts, mechanism.sample_tally(people, again).counts)
    if mechanism.policy.hidden().any():
        assert (reports != mechanism.privatize(x, other)).any()


@SOME
def test_reports_are_one_per_person_and_possible(family: str, kind: str) -> None:
    mechanism = mechanism_of(family, kind)
    before = np.arange(mechanism.k)
    reports = mechanism.privatize(before, np.random.default_rng(1))
    assert reports.shape == (mechanism.k,)
    assert reports.dtype == mechanism.oracles.dtype
    assert (
        checks.columns_of(mechanism, reports).max() < mechanism.outputs <= 2**mechanism.report_bits
    )
    np.testing.assert_array_equal(before, np.arange(mechanism.k))
    assert mechanism.privatize(np.zeros(0, np.int64), np.random.default_rng(1)).shape == (0,)
    channel = mechanism.exact_channel()
    for x in range(mechanism.k):
        sent = np.concatenate([mechanism.client_report(x) for _ in range(20)])
        assert all(channel[x][y] > 0 for y in checks.columns_of(mechanism, sent)), "a real client"


@FAMILY
def test_a_real_client_is_random(family: str) -> None:
    # Twenty equal reports of a symbol under plain LDP with ε = 0.5: at most 0.4^19 < 3e-8.
    mechanism = mechanism_of(family, "plain", 0.5)
    assert len({mechanism.client_report(3).tobytes() for _ in range(20)}) > 1


@FAMILY
def test_too_large_a_channel_is_refused(family: str) -> None:
    with pytest.raises(CaldpError, match="200,000 entries"):
        catalogue.in_context(Context.plain(1000, 1.0), family).exact_channel()


def test_unknown_families_are_refused() -> None:
    with pytest.raises(CaldpError, match=r"hadamard, randomized-response.*, got 'no-such'"):
        catalogue.in_context(Context.plain(3, 1.0), "no-such")


_RING: Final = np.minimum((d := np.abs(np.subtract.outer(range(5), range(5)))), 5 - d)
POLICIES: Final[dict[str, PrivacyMatrix]] = {
    "context": context("blocks and sensitive set", 1.0),
    "binary": BinaryPolicy(0.5, 2.0),
    "steps": GridMetric(2, 3, 0.7, 0.4),
    "crow": EuclideanMetric(2, 3, 0.7, 0.4),
    "ring": DistanceMetric.of(_RING, 0.8),
    "matrix": DenseMatrix.of([[0.0, 1, 2, 9], [0.5, 0, 1, 1], [1.0, 1, 0, np.inf], [3.0, 1, 1, 0]]),
}
PAIRS: Final = [
    pytest.param(policy, entry, id=f"{kind}, {entry.name}")
    for kind, policy in POLICIES.items()
    for entry in mechanisms_for(policy)
]
EVERY: Final = pytest.mark.parametrize(("policy", "entry"), PAIRS)


@EVERY
def test_the_promise_that_was_asked_for_is_kept(
    policy: PrivacyMatrix, entry: MechanismEntry
) -> None:
    channel = entry.make(policy).exact_channel()
    assert audit_channel(channel, policy).holds
    # The audit can say no: something is sent that is not allowed at half of every level.
    assert not audit_channel(channel, Halved(policy)).holds


class Halved:
    """Half of every finite level."""

    def __init__(self, policy: PrivacyMatrix) -> None:
        self._policy = policy
        self.k = policy.k

    def between(self, x: Any, x_other: Any) -> Any:
        return self._policy.between(x, x_other) / 2


@EVERY
@pytest.mark.parametrize(
    "check", [checks.check_rows, checks.check_audit, checks.check_unbiased, checks.check_variance]
)
def test_what_every_mechanism_owes(
    policy: PrivacyMatrix, entry: MechanismEntry, check: Callable[[Mechanism], None]
) -> None:
    check(entry.make(policy))


@EVERY
def test_two_ways_to_a_tally_are_of_one_size(policy: PrivacyMatrix, entry: MechanismEntry) -> None:
    mechanism, rng = entry.make(policy), np.random.default_rng(3)
    people = np.arange(1, policy.k + 1)
    sampled = mechanism.sample_tally(people, rng)
    sent = mechanism.tally(mechanism.privatize(np.repeat(np.arange(policy.k), people), rng))
    assert (sampled + sent).n == 2 * people.sum()
    assert mechanism.tally(mechanism.client_report(0)).n == 1


@EVERY
def test_what_is_no_tally_of_a_mechanism_is_refused(
    policy: PrivacyMatrix, entry: MechanismEntry
) -> None:
    mechanism = entry.make(policy)
    tally, none = (mechanism.tally(mechanism.every_report()[:n]) for n in (1, 0))
    foreign = MECHANISMS["binary" if entry.name != "binary" else "designed"].make(
        POLICIES["binary" if entry.name != "binary" else "matrix"]
    )
    with pytest.raises(CaldpError, match="another mechanism"):
        foreign.estimate(tally)
    with pytest.raises(CaldpError, match="different mechanisms"):
        tally + foreign.tally(foreign.every_report()[:1])
    with pytest.raises(CaldpError, match="no reports"):
        mechanism.estimate(none)


def test_every_entry_is_tried_and_told_apart() -> None:
    assert {entry.name for policy in POLICIES.values() for entry in mechanisms_for(policy)} == set(
        MECHANISMS
    )
    assert all(entry.name == name for name, entry in MECHANISMS.items())
    for words in ("title", "sentence"):
        assert len({getattr(entry, words) for entry in MECHANISMS.values()}) == len(MECHANISMS)


def test_all_families_serve_contexts_and_nothing_else() -> None:
    able = [entry.name for entry in mechanisms_for(Context.plain(3, 1.0))]
    assert able[: len(FAMILIES)] == list(FAMILIES)
    assert set(able) - set(FAMILIES) == {"published-urap", "square-wave"}


def test_unknown_kinds_of_policies_have_no_mechanism() -> None:
    assert mechanisms_for(Halved(BinaryPolicy(1.0, 1.0))) == []


CONTEXT = Context.of([0, 0, 0, 1, 1, 1, 1], np.arange(7) < 6, [0.7, 2.0])
WIDE = Context.high_low(np.arange(40) < 30, 2.5)
"""Large enough that a share of people changes the best size of sets."""
SPECS = [
    Hadamard(2),
    Hadamard(None),
    Rappor(0.2),
    Rappor(0.9),
    SubsetSelection(2),
    SubsetSelection(share=0.0),
    LocalHashing(2),
    LocalHashing(3),
    Galois(share=0.1),
]

WITH_SETS = [
    Galois(2),
    Galois(4),
    Galois(share=0.05),
    SubsetSelection(share=0.05),
    Hadamard(2),
    Hadamard(None),
]


@pytest.mark.parametrize("spec", [*SPECS, PublishedUrap(0.7)])
@pytest.mark.parametrize(
    "check", [checks.check_rows, checks.check_audit, checks.check_unbiased, checks.check_variance]
)
def test_what_every_mechanism_with_parameters_owes(
    spec: Any, check: Callable[[Mechanism], None]
) -> None:
    check(spec.make(CONTEXT))


@pytest.mark.parametrize(("spec", "kind"), thinned(WITH_SETS, CONTEXTS, one_in=4))
def test_sets_and_parts_keep_every_promise_in_every_context(spec: FamilySpec, kind: str) -> None:
    """At every ε, where what is registered often names symbols in contexts so small."""
    for epsilon in EPSILONS:
        mechanism = ContextMechanism(context(kind, epsilon), spec.name, spec.family())
        with checks.naming(f"ε = {epsilon}"):
            assert agree_every_way(mechanism).holds
            checks.check_tight(mechanism)
            checks.check_unbiased(mechanism)
            checks.check_variance(mechanism)


@pytest.mark.parametrize("spec", SPECS)
def test_parameters_change_what_a_report_means(spec: FamilySpec) -> None:
    mechanism, standard = spec.make(CONTEXT), type(spec)().make(CONTEXT)
    same = np.array_equal(checks.channel_of(mechanism), checks.channel_of(standard))
    assert (mechanism.fingerprint == standard.fingerprint) == same
    assert audit_mechanism(mechanism, CONTEXT).holds


def test_the_choice_of_a_mechanism_itself_is_the_best_of_its_parameters() -> None:
    plain, even = Context.plain(12, 1.0), np.full(12, 1 / 12)

    def loss(spec: FamilySpec) -> float:
        return float(spec.make(plain).variance(even, 1).sum())

    assert loss(SubsetSelection()) == min(loss(SubsetSelection(omega)) for omega in range(1, 12))
    assert loss(LocalHashing()) == min(loss(LocalHashing(g)) for g in range(2, 13))


@pytest.mark.parametrize("kind", [SubsetSelection, Galois])
def test_a_share_chooses_the_best_for_people_of_whom_as_many_are_sensitive(kind: Any) -> None:
    """By the exact variances of all sizes of sets, and so that everybody is the standard choice."""

    def loss(spec: FamilySpec, share: float) -> float:
        p = np.where(np.arange(40) < 30, share / 30, (1 - share) / 10)
        return float(spec.make(WIDE).variance(p, 1).sum())

    given = [kind(g) for g in (range(1, 30) if kind is SubsetSelection else (2, 4, 8, 16, 32))]
    for share in (0.0, 0.05, 0.3, 1.0):
        assert loss(kind(share=share), share) == min(loss(spec, share) for spec in given)
    assert kind(share=1.0).make(WIDE).fingerprint == kind().make(WIDE).fingerprint
    # Must fail: the choice for everybody is not the best for few.
    assert loss(kind(), 0.05) > 1.005 * loss(kind(share=0.05), 0.05)


@pytest.mark.parametrize(
    "oracles", [SubsetSelection(share=0.05).family(), Galois(share=0.05).family()]
)
def test_slips_of_a_choice_by_share_are_found(oracles: Any) -> None:
    """An ε that is 5 % off, either way, and no cover."""
    policy = Context.high_low(np.arange(11) < 9, 2.5)
    right = ContextMechanism(policy, "right", oracles)
    checks.check_audit(right)
    checks.check_tight(right)
    for wrong, check in (
        (mutants.coin_for(1.05, oracles), checks.check_audit),
        (mutants.coin_for(0.95, oracles), checks.check_tight),
        (mutants.without_company(oracles), checks.check_audit),
    ):
        with pytest.raises(AssertionError):
            check(ContextMechanism(policy, "wrong", wrong))


def test_a_share_and_what_it_chooses_cannot_both_be_given() -> None:
    for kind, name in ((SubsetSelection, "omega"), (Galois, "q")):
        with pytest.raises(CaldpError, match=f"share chooses {name}, so only one of them"):
            kind(2, 0.5)
        with pytest.raises(CaldpError, match="share must be a number in"):
            kind(share=1.5)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (SubsetSelection(3), "omega must be below the number of sensitive values of every block"),
        (LocalHashing(4), "g must be at most the least prime"),
    ],
)
def test_parameters_too_large_for_a_block_are_refused(spec: FamilySpec, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        spec.make(CONTEXT)


Check = Callable[[ContextMechanism], None]
HR, RR, SS = HadamardOracles, RandomizedResponseOracles, SubsetSelectionOracles
OLH, GR = LocalHashingOracles, GaloisOracles
UNARY = (RapporOracles, OueOracles)
BOTH, PER_BLOCK = "blocks and sensitive set", "one ε per block"

WRONG_AS_A_WHOLE: list[tuple[str, Any, Any, str, Check]] = [
    *(
        (f"coin 5 % too bold, {b.__name__}", b, coin_for(1.05, b), "plain", check)
        for b in (HR, RR, SS, OLH, GR, *UNARY)
        for check in (checks.check_audit,)
    ),
    *(
        (f"coin 5 % too shy, {b.__name__}", b, coin_for(0.95, b), BOTH, checks.check_tight)
        for b in (HR, RR, SS, OLH, GR, *UNARY)
    ),
    *(
        (f"swapped ε, {b.__name__}", b, mutants.swapped_epsilons(b), PER_BLOCK, checks.check_audit)
        for b in (HR, RR, SS, OLH, GR, *UNARY)
    ),
    *(
        (f"no λ, {b.__name__}", b, mutants.without_company(b), "sensitive set", checks.check_audit)
        for b in (HR, RR, SS, OLH, GR, *UNARY)
    ),
    ("row 0 used: no distribution", HR, mutants.RowTooLow, "plain", checks.check_rows),
    ("row 0 used: audit", HR, mutants.RowTooLow, "plain", checks.check_audit),
    ("k-RR without its −1", RR, mutants.ForgottenOne, "plain", checks.check_audit),
    ("k-RR without its −1, both", RR, mutants.ForgottenOne, BOTH, checks.check_audit),
    ("complement with the truth", RR, mutants.TruthInComplement, "plain", checks.check_audit),
    ("complement with the truth, both", RR, mutants.TruthInComplement, BOTH, checks.check_audit),
]


def check_few_tallies(mechanism: ContextMechanism) -> None:
    checks.check_sample_tally(mechanism, checks.REPEATS_AGAIN)


def one_method_wrong(name: str, check: Check) -> list[tuple[str, Any, Any, str, Check]]:
    """Mutants of one method of each oracles, all caught by one check."""
    wrong = [
        ("coin 5 % too bold", HR, coin_for(1.05, HR), "plain"),
        ("coin 5 % too shy", HR, coin_for(0.95, HR), "plain"),
        ("coin 10 % too bold", SS, coin_for(1.1, SS), "plain"),
        ("coin 10 % too shy", SS, coin_for(0.9, SS), "plain"),
        ("swapped ε", SS, mutants.swapped_epsilons(SS), PER_BLOCK),
        ("coin 10 % too bold", RR, coin_for(1.1, RR), "plain"),
        ("coin 10 % too shy", RR, coin_for(0.9, RR), "plain"),
        ("swapped ε", HR, mutants.swapped_epsilons(HR), PER_BLOCK),
        ("swapped ε", RR, mutants.swapped_epsilons(RR), PER_BLOCK),
        ("next row", HR, mutants.NextRow, BOTH),
        ("row 0 used", HR, mutants.RowTooLow, "plain"),
        ("swapped blocks", HR, mutants.SwappedBlocks, BOTH),
        ("no −1", RR, mutants.ForgottenOne, "plain"),
        ("complement with the truth", RR, mutants.TruthInComplement, "plain"),
        *(
            (label, oracles, wrong, kind)
            for oracles in (*UNARY, OLH, GR)
            for label, wrong, kind in (
                ("coin 10 % too bold", coin_for(1.1, oracles), "plain"),
                ("coin 10 % too shy", coin_for(0.9, oracles), "plain"),
                ("swapped ε", mutants.swapped_epsilons(oracles), PER_BLOCK),
            )
        ),
    ]
    return [
        (f"{name}: {label}, {oracles.__name__}", oracles, only(name, mutant, oracles), kind, check)
        for label, oracles, mutant, kind in wrong
    ]


VARIANCE = [
    row
    for row in one_method_wrong("variance", checks.check_variance)
    # The variance does not depend on rows and places.
    if not any(label in row[0] for label in ("row", "swapped blocks"))
]
SINGLE = [
    *one_method_wrong("privatize", checks.check_privatize),
    *one_method_wrong("sample_tally", check_few_tallies),
    *one_method_wrong("estimate", checks.check_unbiased),
    *VARIANCE,
    *(
        (
            f"variance: no company, {oracles.__name__}",
            oracles,
            mutants.forgets_company_in_variance(oracles),
            BOTH,
            checks.check_variance,
        )
        for oracles in (HR, RR, SS, OLH, GR, *UNARY)
    ),
    ("tally drawn in pairs", HR, mutants.OneCoinForTwo, BOTH, checks.check_sample_tally),
    ("lies spread evenly", RR, mutants.EvenLies, BOTH, checks.check_sample_tally),
    ("lies never true", RR, mutants.HonestLies, "plain", checks.check_privatize),
    ("blind to the clear", RR, mutants.BlindToClear, BOTH, checks.check_unbiased),
]


@cache
def passes(oracles: Any, kind: str, check: Check) -> None:
    """The right mechanism passes; asked once for all mutants of it."""
    check(ContextMechanism(context(kind, 1.0), "right", oracles))


@pytest.mark.parametrize(
    ("name", "oracles", "mutant", "kind", "check"),
    [
        pytest.param(*row, id=row[0], marks=pytest.mark.thorough if number % 3 else ())
        for number, row in enumerate(WRONG_AS_A_WHOLE + SINGLE)
    ],
)
def test_the_check_catches_it(
    name: str, oracles: Any, mutant: Any, kind: str, check: Check
) -> None:
    passes(oracles, kind, check)
    policy = context(kind, 1.0)
    with pytest.raises(AssertionError):
        check(ContextMechanism(policy, "wrong", mutant))


FEW, MANY = checks.LAW_DRAWS, checks.LAW_DRAWS_THOROUGH


@pytest.mark.parametrize(
    ("epsilon", "wrong", "draws"),
    [
        (1.0, only("privatize", coin_for(1.05, HR), HR), FEW),
        (1.0, only("privatize", mutants.NextRow, HR), FEW),
        (1.0, only("sample_tally", mutants.SwappedBlocks, HR), FEW),
        # Twice the variance needs all draws; by few the moments above find it.
        pytest.param(1.0, mutants.OneCoinForTwo, MANY, marks=pytest.mark.thorough),
        (7.0, only("privatize", coin_for(0.95, RR), RR), FEW),
        (7.0, only("sample_tally", coin_for(1.05, RR), RR), FEW),
        (7.0, mutants.EvenLies, FEW),
    ],
)
def test_the_two_sample_check_catches_it(epsilon: float, wrong: Any, draws: int) -> None:
    policy, shares = many_symbols(epsilon)
    with pytest.raises(AssertionError):
        checks.check_one_law(ContextMechanism(policy, "wrong", wrong), shares, draws)


def test_every_registered_family_is_mutated() -> None:
    mutated = {row[1] for row in WRONG_AS_A_WHOLE + SINGLE}
    assert {entry.family for entry in FAMILIES.values()} <= mutated
