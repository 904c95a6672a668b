"""Galois response: its figures, its choice of q, the law of its reports, and slips that are found.

The contract tests what is registered; in its small contexts the best report often names a symbol,
so that here q is given.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats
from caldp_core.experiments.forecast import forecast
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms import ContextMechanism, catalogue
from caldp_core.mechanisms.catalogue import Galois, Hadamard
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import EverythingSensitive, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import variance_given_people
from tests.contract import checks
from tests.products import thinned

FOUR = Galois(4).family()
WIDE = Context.of(np.arange(22) % 9 // 6, np.arange(22) % 5 > 0, [1.0, 0.7])
"""Blocks of 13 and 5 hidden symbols and of 2 others each, in d = 2 digits for q = 4."""
PLAIN = Context.plain(7, 1.0)
EPSILONS = (0.01, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 20.0)


def mechanism_of(policy: Context, oracles: Any = GaloisOracles) -> ContextMechanism:
    return ContextMechanism(policy, "galois", oracles)


def total(policy: Context, oracles: Any, p: Floats) -> float:
    return float(mechanism_of(policy, oracles).variance(p, 1).sum())


# --- promises, for fields that are given ---------------------------------------------------

PROMISES = [
    checks.check_rows,
    checks.check_audit,
    checks.check_tight,
    checks.check_unbiased,
    checks.check_variance,
    checks.check_privatize,
    checks.check_sample_tally,
]


FIELDS = [(WIDE, 2), (WIDE, 4), (PLAIN, 4), (Context.plain(9, 3.0), 8)]


@pytest.mark.parametrize(("check", "field"), thinned(PROMISES, FIELDS, one_in=2))
def test_every_field_keeps_the_promises(check: Any, field: tuple[Context, int]) -> None:
    policy, q = field
    mechanism = mechanism_of(policy, Galois(q).family())
    assert mechanism.outputs > policy.k, "reports only name symbols"
    check(mechanism)


# --- figures -------------------------------------------------------------------------------


def simulate_error(mechanism: ContextMechanism, runs: int) -> float:
    """n·MSE a symbol from real reports of 2,000 people: 200 runs know it to 0.35 %."""
    rng = np.random.default_rng(4)
    x = np.arange(2000) * 7 % mechanism.k
    truth = np.bincount(x, minlength=mechanism.k) / x.size
    squares = [
        np.square(mechanism.estimate(mechanism.tally(mechanism.privatize(x, rng))) - truth).mean()
        for _ in range(runs)
    ]
    return x.size * float(np.mean(squares))


@pytest.mark.parametrize(("epsilon", "most"), [(1.0, 3.70), (2.0, 0.73), (4.0, 0.077)])
def test_the_known_figures(epsilon: float, most: float) -> None:
    """n·MSE at k = 1024, by formula and by simulation; one parity fewer is told apart."""
    mechanism = mechanism_of(Context.plain(1024, epsilon))
    exact = float(variance_given_people(mechanism, np.full(1024, 1 / 1024), 1).mean())
    assert exact <= most
    assert simulate_error(mechanism, 200) == pytest.approx(exact, rel=0.02)
    q = {1.0: 4, 2.0: 8, 4.0: 64}[epsilon]
    fewer = mechanism_of(Context.plain(1024, epsilon), Galois(q // 2).family())
    assert simulate_error(fewer, 200) > 1.02 * exact


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 3.0, 4.0, 5.0])
def test_it_is_near_the_optimum(epsilon: float) -> None:
    """Within 8 % of 4e^ε/(e^ε − 1)², what large sets reach at best, for k = 43,750."""
    k = 43_750
    mechanism = mechanism_of(Context.plain(k, epsilon))
    error = float(variance_given_people(mechanism, np.full(k, 1 / k), 1).mean())
    assert 1.0 <= error / (4 * np.exp(epsilon) / np.expm1(epsilon) ** 2) <= 1.08


@pytest.mark.parametrize(("epsilon", "most", "hadamard"), [(1.0, 0.545, 0.55), (4.0, 0.27, 0.41)])
def test_check_ins_on_the_map(epsilon: float, most: float, hadamard: float) -> None:
    """Plain LDP on Gowalla, TV after the projection: a run and its formula."""
    policy, tv = ContextPolicy(OneBlock(), EverythingSensitive(), epsilon), {}
    for spec in (Galois(), Hadamard()):
        setup = prepare(Scenario(policy=policy, mechanism=spec, estimator="simplex"))
        prediction = forecast(setup)
        tv[spec.name] = prediction.error
        assert run(setup).errors[0].tv == pytest.approx(prediction.error, rel=0.05)
    assert tv["galois"] <= most
    assert tv["hadamard"] >= hadamard


# --- the choice of q -----------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3, 5, 9, 17, 40, 300, 5000])
def test_it_is_never_worse_than_hadamard_or_direct_answers(k: int) -> None:
    for epsilon in EPSILONS:
        policy = Context.plain(k, epsilon)
        for p in (np.eye(1, k)[0], np.full(k, 1 / k)):
            ours = total(policy, GaloisOracles, p)
            for family in ("hadamard", "randomized-response"):
                theirs = float(catalogue.in_context(policy, family).variance(p, 1).sum())
                assert ours <= theirs + 1e-9 * (1 + theirs)


@pytest.mark.parametrize("k", [5, 40, 300, 5000])
def test_no_other_q_is_better(k: int) -> None:
    p = np.full(k, 1 / k)
    for epsilon in EPSILONS[:-1]:
        policy = Context.plain(k, epsilon)
        best = min(total(policy, Galois(1 << m).family(), p) for m in range(1, 9))
        assert total(policy, GaloisOracles, p) <= best * (1 + 1e-9)


@pytest.mark.parametrize(("q", "d", "epsilon"), [(2, 4, 0.05), (4, 2, 1.0), (8, 2, 2.0)])
def test_a_full_space_is_as_good_as_subset_selection(q: int, d: int, epsilon: float) -> None:
    policy = Context.plain(q**d, epsilon)
    sets = catalogue.in_context(policy, "subset-selection")
    assert sets.oracles._omega[0] == q ** (d - 1)  # type: ignore[attr-defined]
    for p in (np.eye(1, policy.k)[0], np.full(policy.k, 1 / policy.k)):
        assert total(policy, Galois(q).family(), p) == pytest.approx(
            sets.variance(p, 1).sum(), rel=1e-9
        )


def test_few_symbols_are_named_as_by_randomized_response() -> None:
    for size in (1, 2, 5):
        policy = Context.high_low(np.arange(9) < size, 1.3)
        direct = catalogue.in_context(policy, "randomized-response")
        assert mechanism_of(policy, FOUR if size < 5 else Galois(8).family()).exact_channel() == (
            direct.exact_channel()
        )


@pytest.mark.parametrize("size", [1, 3, 5, 9, 17, 40])
def test_the_company_is_hardly_more_than_the_rows_need(size: int) -> None:
    """λ against Σ_y max_x Q(y|x)/e^ε: the least where a report names a symbol, else to 11 %."""
    for epsilon in (1.0, 2.0, 4.0):
        for oracles in (GaloisOracles, FOUR, Galois(8).family()):
            mechanism = mechanism_of(Context.high_low(np.arange(size + 1) < size, epsilon), oracles)
            rows = mechanism.exact_channel()[:size]
            needed = float(sum(map(max, zip(*rows, strict=True)))) / np.exp(epsilon)
            waste = int(mechanism.oracles.cover_threshold[0]) / COIN_ONE / needed
            names_symbols = mechanism.oracles.outputs == size
            assert 1 - 1e-12 <= waste <= (1 + 1e-12 if names_symbols else 1.11)
            assert names_symbols or size > 4


def test_a_q_that_is_none_is_refused() -> None:
    for q, wrong in ((1, r"in \[2, 1,024\], got 1"), (2048, "got 2048"), (12, "of two, got 12")):
        with pytest.raises(CaldpError, match=wrong):
            Galois(q)
    with pytest.raises(CaldpError, match="q = 512 would take a space of 134,217,728 points"):
        mechanism_of(Context.plain(1 << 20, 1.0), Galois(512).family())


# --- size ----------------------------------------------------------------------------------


def test_the_paper_s_map() -> None:
    mechanism = mechanism_of(Context.plain(43_750, 1.0))
    assert (mechanism.outputs, mechanism.report_bits) == (4 * (4**8 - 1) // 3, 17)
    rng = np.random.default_rng(6)
    people = rng.multinomial(N_MAX, rng.dirichlet(np.full(mechanism.k, 0.1)))
    tally = mechanism.sample_tally(people, rng)
    deviation = np.sqrt(mechanism.variance(people / N_MAX, N_MAX))
    assert (np.abs(mechanism.estimate(tally) - people / N_MAX) <= 7.5 * deviation).all()


def test_many_blocks_are_worked_on_some_at_a_time() -> None:
    """160 blocks of 600 at ε = 5 have 16,512 reports each: more than are held at once."""
    mechanism = mechanism_of(Context.block_structured(np.arange(96_000) // 600, 5.0))
    assert len(mechanism.oracles._groups) > 1  # type: ignore[attr-defined]
    rng = np.random.default_rng(7)
    people = rng.integers(0, 5, mechanism.k)
    x = np.repeat(np.arange(mechanism.k), people)
    p, per_block = people / x.size, people.reshape(-1, 600).sum(axis=1)
    deviation = np.sqrt(mechanism.variance(p, x.size))
    for tally in (
        mechanism.sample_tally(people, rng),
        mechanism.tally(mechanism.privatize(x, rng)),
    ):
        np.testing.assert_array_equal(mechanism.block_counts(tally), per_block)
        assert (np.abs(mechanism.estimate(tally) - p) <= 7.5 * deviation).all()


def test_other_fields_have_other_fingerprints() -> None:
    prints = {mechanism_of(WIDE, Galois(q).family()).fingerprint for q in (2, 4, 8)}
    assert len(prints) == 3
    assert mechanism_of(WIDE, FOUR).fingerprint in prints


def test_the_form_is_that_of_the_coins() -> None:
    oracles = mechanism_of(WIDE, FOUR).oracles
    form, lie = oracles.support_form(1), Fraction(int(oracles.cover_threshold[1]), COIN_ONE)  # type: ignore[attr-defined]
    assert (form.share, form.excluded, form.included) == (Fraction(1, 4), lie, 4 - 3 * lie)
