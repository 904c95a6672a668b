"""What is reported in the clear stays as it is, and only hidden symbols share out what is left."""

from dataclasses import replace
from inspect import signature

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import beta

from caldp_core import Scenario, estimate, prepare, run
from caldp_core.basics.types import Ints
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import estimate_table
from caldp_core.collect.protocol import Protocol
from caldp_core.datasets import Zipf
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import KNOWING_MAP, Evidence, default_estimator
from caldp_core.estimation.intervals import intervals
from caldp_core.estimation.projection import simplex_projection
from caldp_core.mechanisms import FAMILIES, Tally, catalogue
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import OneBlock, SensitiveSymbols
from tests.slsqp import least_on_simplex

NAMES = sorted({*ESTIMATORS} - {"none", "smoothed", KNOWING_MAP})
"""Those that any mechanism of sets of symbols can take; "none" moves nothing anyway."""


def rare_sensitive(k: int, hidden: int, n: int) -> tuple[Ints, np.ndarray]:
    """(k,) people by Zipf's law in any order, and (k,) flags of sensitive symbols anywhere."""
    rng = np.random.default_rng(1)
    flags = np.zeros(k, np.bool_)
    flags[rng.permutation(k)[:hidden]] = True
    return rng.multinomial(n, rng.permutation(1 / np.arange(1, k + 1)) / k_harmonic(k)), flags


def k_harmonic(k: int) -> float:
    return float((1 / np.arange(1, k + 1)).sum())


def drawn_by_oue(people: Ints, flags: np.ndarray, epsilon: float, seed: int) -> Ints:
    """A tally of OUE reports in one block, drawn without the package.

    (s,) reports that include each sensitive symbol, reports without a name, then (k − s,) names.
    A symbol in the clear is sent as cover with the least chance that hides who is sensitive.
    """
    rng, other = np.random.default_rng(seed), 1 / (np.exp(epsilon) + 1)
    cover = oue_cover(epsilon)
    named = rng.binomial(people[~flags], 1 - cover)
    own = people[flags]
    unnamed = int(own.sum() + people[~flags].sum() - named.sum())
    included = rng.binomial(own, 0.5) + rng.binomial(unnamed - own, other)
    return np.concatenate([included, [unnamed], named])


def oue_cover(epsilon: float) -> float:
    """λ: all bits of the base are others' bits, so no report is e^ε times likelier from x."""
    return (np.exp(epsilon) + 1) / (2 * np.exp(epsilon))


@pytest.mark.parametrize("name", NAMES)
def test_openly_reported_values_stay_in_their_own_ranges(name: str) -> None:
    """5,000 addresses, 400 of them sensitive, a million people: as drawn without the package."""
    people, flags = rare_sensitive(5000, 400, 10**6)
    n, p = int(people.sum()), people / people.sum()
    mechanism = catalogue.in_context(Context.high_low(flags, 1.0), "oue")
    keep = float(mechanism.clear_share[0])
    counts = drawn_by_oue(people, flags, 1.0, 2)
    evidence = Evidence.of(mechanism, Tally(counts, n, mechanism.fingerprint))
    shares = ESTIMATORS[name].apply(evidence)
    named = counts[-(~flags).sum() :]
    low = np.nan_to_num(beta.ppf(0.025, named, n - named + 1)) / keep
    high = beta.isf(0.025, named + 1, n - named) / keep
    outside = (shares[~flags] < low) | (shares[~flags] > high)
    assert not outside.any(), f"{outside.sum()} of {outside.size}"
    # What is left is the sensitive ones' share, known to its binomial error: 27 % is not 7 %.
    error = np.sqrt(p[~flags].sum() * (1 / keep - 1) / n)
    assert abs(shares[flags].sum() - p[flags].sum()) < 6 * error
    # Must fail: one shift for all.
    shifted = simplex_projection(evidence.unbiased)
    assert ((shifted[~flags] < low) | (shifted[~flags] > high)).mean() > 0.5
    assert shifted[flags].sum() > 2 * p[flags].sum()
    assert np.abs(shares - p).sum() < 0.5 * np.abs(shifted - p).sum()


@pytest.mark.parametrize("family", FAMILIES)
def test_every_estimator_keeps_what_is_in_the_clear(family: str) -> None:
    labels, flags = np.arange(96) % 3, np.arange(96) % 4 > 0
    flags[labels == 2] = False  # a block where nobody hides is known exactly
    rng = np.random.default_rng(3)
    people = rng.multinomial(20_000, rng.dirichlet(np.full(96, 0.5)))
    mechanism = catalogue.in_context(Context.of(labels, flags, 0.5), family)
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
    clear, ends = mechanism.clear_symbols, intervals(evidence)
    for name in NAMES:
        shares = ESTIMATORS[name].apply(evidence)
        inside = (shares >= ends.low - 1e-9) & (shares <= ends.high + 1e-9)
        assert inside[clear].all(), name
        assert shares[labels == 2] == pytest.approx(people[labels == 2] / 20_000, abs=1e-9), name
        assert shares.sum() == pytest.approx(1), name
        assert (shares >= 0).all(), name


@pytest.mark.parametrize("seed", range(4))
def test_hidden_ones_are_what_an_optimiser_finds(seed: int) -> None:
    """The nearest shares of a block of which some are known, by sequential least squares."""
    rng = np.random.default_rng(seed)
    flags = np.arange(9) < 5
    people = rng.multinomial(3_000, rng.dirichlet(np.ones(9)))
    mechanism = catalogue.in_context(Context.high_low(flags, 0.5), "hadamard")
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
    noisy, left = evidence.unbiased[flags], 1 - evidence.unbiased[~flags].sum()
    found = least_on_simplex(
        lambda q: float(np.square(left * q - noisy).sum()),
        5,
        lambda q: 2 * left * (left * q - noisy),
    )
    assert found.success
    for name in ("simplex", "simplex-per-block"):
        shares = ESTIMATORS[name].apply(evidence)
        np.testing.assert_allclose(shares[flags], left * found.x, rtol=0, atol=1e-5)
        np.testing.assert_array_equal(shares[~flags], evidence.unbiased[~flags])


def test_one_default_everywhere() -> None:
    name = default_estimator()
    assert Scenario().estimator == name
    assert signature(estimate).parameters["estimator"].default == name
    assert default_estimator(np.ones(3)) == KNOWING_MAP
    help_text = CliRunner().invoke(main, ["estimate", "--help"]).output
    assert f"[default: {name}, with --prior {KNOWING_MAP}]" in " ".join(help_text.split())
    # A collection without a named estimator gives the shares of a run: from one tally.
    scenario = Scenario(Zipf(200), n=50_000).with_context(
        blocks=OneBlock(), sensitive=SensitiveSymbols(("100-179",)), epsilon=1.0
    )
    setup = prepare(scenario)
    result = run(setup)
    protocol = Protocol.of(setup)
    tally = result.first.evidence.tally
    table = estimate_table(protocol, CollectedTally(protocol.fingerprint, tally))
    np.testing.assert_array_equal(table["estimated share"], result.first.estimate)
    program = estimate(setup.mechanism, tally, domain=setup.dataset.domain)
    np.testing.assert_array_equal(program, result.first.estimate)
    other = run(prepare(replace(scenario, estimator="simplex-per-block")))
    assert (other.first.estimate != result.first.estimate).any()
