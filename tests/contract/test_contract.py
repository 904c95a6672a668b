"""Every registered family keeps every promise in every kind of context."""

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.privacy.context import Context
from tests.agreement import agree_every_way
from tests.contract import checks
from tests.contract.checks import naming
from tests.contract.contexts import CONTEXTS, EPSILONS, context, many_symbols
from tests.products import thinned

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
def test_an_empty_tally_is_refused(family: str) -> None:
    mechanism = mechanism_of(family, "blocks")
    with pytest.raises(CaldpError, match="no reports"):
        mechanism.estimate(mechanism.tally(mechanism.every_report()[:0]))


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
