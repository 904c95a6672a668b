"""Every registered family keeps every promise in every kind of context."""

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats
from caldp_core.mechanisms import FAMILIES, ContextMechanism, mechanism
from caldp_core.privacy.context import Context
from tests.agreement import agree_every_way
from tests.contract import checks
from tests.contract.checks import naming
from tests.contract.contexts import CASES, CONTEXTS, EPSILONS, context, many_symbols
from tests.products import thinned

FAMILY = pytest.mark.parametrize("family", FAMILIES)
KIND = pytest.mark.parametrize("kind", CONTEXTS)
SAMPLED = [(kind, 1.0) for kind in CONTEXTS] + [
    ("blocks and sensitive set", epsilon) for epsilon in EPSILONS if epsilon != 1.0
]
SOME_SAMPLED = pytest.mark.parametrize(
    ("family", "case"), thinned(FAMILIES, SAMPLED, one_in=3), ids=str
)
SOME = pytest.mark.parametrize(("family", "kind"), thinned(FAMILIES, CONTEXTS, one_in=2))
OTHER_CASES = [
    (family, *case)
    for i, family in enumerate(FAMILIES)
    for j, case in enumerate(case for case in CASES if case not in SAMPLED)
    if (i + j) % 3 == 0
]
"""Each family meets each context and each ε, and each context each ε, but not all three in one."""


def made(family: str, kind: str, epsilon: float = 1.0) -> ContextMechanism:
    return mechanism(context(kind, epsilon), family)


@SOME
def test_the_channel_keeps_every_promise(family: str, kind: str) -> None:
    """At every ε: rows, audits, no privacy wasted, estimates and variances, all exactly."""
    for epsilon in EPSILONS:
        built = made(family, kind, epsilon)
        with naming(f"ε = {epsilon}"):
            assert agree_every_way(built).holds
            checks.check_tight(built)
            checks.check_unbiased(built)
            checks.check_variance(built)


@SOME_SAMPLED
def test_reports_follow_the_channel(family: str, case: tuple[str, float]) -> None:
    checks.check_privatize(made(family, *case))


@pytest.mark.thorough
@pytest.mark.parametrize(("family", "kind", "epsilon"), OTHER_CASES)
def test_reports_follow_the_channel_in_other_cases(family: str, kind: str, epsilon: float) -> None:
    checks.check_privatize(made(family, kind, epsilon))


@SOME_SAMPLED
def test_sampled_tallies_have_the_moments_of_reports(family: str, case: tuple[str, float]) -> None:
    checks.check_sample_tally(made(family, *case))


@pytest.mark.thorough
@FAMILY
@pytest.mark.parametrize("kind", ["blocks and sensitive set", "one ε per block"])
def test_many_sampled_tallies_have_the_moments_of_reports(family: str, kind: str) -> None:
    checks.check_sample_tally(made(family, kind), checks.REPEATS_THOROUGH)


def large(family: str, epsilon: float) -> tuple[ContextMechanism, Floats]:
    """In blocks of dozens or hundreds of symbols; (k,) shares."""
    # Long reports make 400 × 20,000 people slow: those families get blocks of fewer symbols.
    symbols = 2000 if made(family, "plain").oracles.dtype == np.int64 else 150
    policy, shares = many_symbols(epsilon, symbols)
    return mechanism(policy, family), shares


@pytest.mark.parametrize("family", list(FAMILIES)[::2])
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
    checks.check_one_law(*large(family, 1.0), checks.LAW_DRAWS_THOROUGH)


@FAMILY
def test_tallies_add_up(family: str) -> None:
    for kind in CONTEXTS:
        built = made(family, kind)
        reports = built.privatize(np.arange(1000) % built.k, np.random.default_rng(1))
        whole = built.tally(reports)
        parts = built.tally(reports[:300]) + built.tally(reports[300:])
        with naming(kind):
            np.testing.assert_array_equal(whole.counts, parts.counts)
            assert whole.n == parts.n == 1000
            np.testing.assert_array_equal(built.estimate(whole), built.estimate(parts))


@FAMILY
def test_tallies_of_other_mechanisms_are_refused(family: str) -> None:
    built = made(family, "blocks")
    tally = built.tally(built.every_report()[:1])
    others = [made(other, "blocks") for other in FAMILIES if other != family]
    others += [made(family, "blocks", 1.001), made(family, "blocks and sensitive set")]
    for other in others:
        foreign = other.tally(other.every_report()[:1])
        with pytest.raises(CaldpError, match="different mechanisms"):
            tally + foreign
        with pytest.raises(CaldpError, match="another mechanism"):
            built.estimate(foreign)
        with pytest.raises(CaldpError, match="another mechanism"):
            built.block_counts(foreign)


@FAMILY
def test_an_empty_tally_is_refused(family: str) -> None:
    built = made(family, "blocks")
    with pytest.raises(CaldpError, match="no reports"):
        built.estimate(built.tally(built.every_report()[:0]))


@FAMILY
def test_equal_contexts_make_tallies_that_add_up(family: str) -> None:
    one, other = (made(family, "one ε per block") for _ in range(2))
    assert one.fingerprint == other.fingerprint
    reports = one.every_report()
    assert (one.tally(reports[:1]) + other.tally(reports[1:2])).n == 2


@FAMILY
@KIND
def test_no_person_is_lost_at_any_number(family: str, kind: str) -> None:
    built = made(family, kind)
    rng = np.random.default_rng(2)
    for n in (0, 1, 1000, min(N_MAX, built.oracles.n_max)):
        people = rng.multinomial(n, rng.dirichlet(np.ones(built.k)))
        tally = built.sample_tally(people, rng)
        assert tally.n == n
        assert tally.counts.dtype == np.int64
        assert tally.counts.min() >= 0
        if n:
            assert built.block_counts(tally).sum() == n
            blocks = np.bincount(built.policy.blocks, weights=people, minlength=built.policy.m)
            np.testing.assert_array_equal(built.block_counts(tally), blocks)


def check_many_people(built: ContextMechanism, shares: Floats, n: int) -> None:
    rng = np.random.default_rng(8)
    people = rng.multinomial(n, shares)
    tally = built.sample_tally(people, rng)
    assert built.block_counts(tally).sum() == tally.n == n
    error = built.estimate(tally) - people / n
    # 7.5 exact standard deviations for at most 2000 symbols: p < 2000·6.4e-14 < SIGNIFICANCE.
    assert (np.abs(error) <= 7.5 * np.sqrt(built.variance(shares, n))).all()


@FAMILY
def test_many_people_in_large_blocks(family: str) -> None:
    policy, shares = many_symbols()
    built = mechanism(policy, family)
    # Who draws people one by one in large blocks (local hashing) takes a while for all.
    check_many_people(built, shares, N_MAX if built.oracles.n_max == N_MAX else 10**5)


@pytest.mark.thorough
def test_a_million_people_drawn_one_by_one() -> None:
    policy, shares = many_symbols()
    built = mechanism(policy, "local-hashing")
    assert 10**6 < built.oracles.n_max < N_MAX
    check_many_people(built, shares, 10**6)


@FAMILY
@KIND
def test_one_seed_gives_one_result(family: str, kind: str) -> None:
    built = made(family, kind)
    x = np.arange(5000) % built.k
    people = np.bincount(x, minlength=built.k)
    first, again, other = (np.random.default_rng(seed) for seed in (9, 9, 10))
    reports = built.privatize(x, first)
    np.testing.assert_array_equal(reports, built.privatize(x, again))
    sampled = built.sample_tally(people, first)
    np.testing.assert_array_equal(sampled.counts, built.sample_tally(people, again).counts)
    if built.policy.hidden().any():
        assert (reports != built.privatize(x, other)).any()


@SOME
def test_reports_are_one_per_person_and_possible(family: str, kind: str) -> None:
    built = made(family, kind)
    before = np.arange(built.k)
    reports = built.privatize(before, np.random.default_rng(1))
    assert reports.shape == (built.k,)
    assert reports.dtype == built.oracles.dtype
    assert checks.columns_of(built, reports).max() < built.outputs <= 2**built.report_bits
    np.testing.assert_array_equal(before, np.arange(built.k))
    assert built.privatize(np.zeros(0, np.int64), np.random.default_rng(1)).shape == (0,)
    channel = built.exact_channel()
    for x in range(built.k):
        sent = np.concatenate([built.client_report(x) for _ in range(20)])
        assert all(channel[x][y] > 0 for y in checks.columns_of(built, sent)), "a real client"


@FAMILY
def test_a_real_client_is_random(family: str) -> None:
    # Twenty equal reports of a symbol under plain LDP with ε = 0.5: at most 0.4^19 < 3e-8.
    built = made(family, "plain", 0.5)
    assert len({built.client_report(3).tobytes() for _ in range(20)}) > 1


@FAMILY
def test_too_large_a_channel_is_refused(family: str) -> None:
    with pytest.raises(CaldpError, match="200,000 entries"):
        mechanism(Context.plain(1000, 1.0), family).exact_channel()


def test_unknown_families_are_refused() -> None:
    with pytest.raises(CaldpError, match=r"hadamard, randomized-response.*, got 'no-such'"):
        mechanism(Context.plain(3, 1.0), "no-such")
