"""What the composite likelihood loses against the full one, exactly, in small domains."""

import numpy as np
import pytest

from caldp_core.basics.types import Floats, Ints
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.maximum_likelihood import maximum_likelihood
from caldp_core.mechanisms import Tally, catalogue
from caldp_core.privacy.context import Context
from tests.composites import Components
from tests.contract.checks import design_of

EVEN: Floats = np.full(6, 1 / 6)
HEAVY: Floats = np.array([0.75, 0.05, 0.05, 0.05, 0.05, 0.05])
LOSSES = {
    # Percent more variance than with the full likelihood: even shares, three quarters in one.
    ("rappor", 0.5): (0.7, 2.9),
    ("rappor", 1.0): (2.7, 11),
    ("rappor", 2.0): (9.0, 35),
    ("oue", 0.5): (0.7, 2.7),
    ("oue", 1.0): (2.5, 9.2),
    ("oue", 2.0): (6.1, 21),
    ("subset-selection", 0.5): (0, 1.9),
    ("subset-selection", 1.0): (0, 7.3),
    ("subset-selection", 2.0): (0, 0),
    ("local-hashing", 0.5): (0.6, 2.6),
    ("local-hashing", 1.0): (2.5, 10),
    ("local-hashing", 2.0): (4.3, 22),
    ("galois", 0.5): (0.3, 2.6),
    ("galois", 1.0): (0, 0),
    ("galois", 2.0): (0, 0),
}

NEXT_TO_NOTHING = ("subset-selection", "galois")
"""Families whose unprocessed estimate loses little in so small a domain."""


def losses(context: Context, family: str, p: Floats) -> tuple[float, float]:
    """Percent more total variance: of the composite, and of the unprocessed estimate."""
    mechanism = catalogue.in_context(context, family)
    full, ours = Components.of(mechanism).covariances(p)
    least = np.linalg.eigvalsh(ours - full).min()
    assert least >= -1e-9 * np.trace(full), "no estimate beats the full likelihood in the limit"
    unbiased = float(mechanism.variance(p, 1).sum())
    return 100 * (np.trace(ours) / np.trace(full) - 1), 100 * (unbiased / np.trace(full) - 1)


@pytest.mark.parametrize(("family", "epsilon"), LOSSES)
def test_the_loss_against_the_full_likelihood_is_what_is_said(family: str, epsilon: float) -> None:
    half = Context.high_low(np.arange(6) % 2 == 0, epsilon)
    for p, claim in zip((EVEN, HEAVY), LOSSES[family, epsilon], strict=True):
        loss, unprocessed = losses(Context.plain(6, epsilon), family, p)
        assert loss >= -1e-6
        assert loss == pytest.approx(claim, abs=0.06 if claim < 10 else 0.6)
        assert loss <= unprocessed + 1e-6
        if family not in NEXT_TO_NOTHING:
            assert 20 < unprocessed < 60
        most = 28 if family == "local-hashing" else claim
        assert losses(half, family, p)[0] <= most + 1e-6


@pytest.mark.parametrize("family", sorted({family for family, _ in LOSSES}))
def test_the_large_sample_formula_is_that_of_the_estimate(family: str) -> None:
    """The sandwich against the fit's own influence function, so that the losses are this code's."""
    mechanism = catalogue.in_context(Context.high_low(np.arange(6) % 2 == 0, 1.0), family)
    p = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    parts, design = Components.of(mechanism), design_of(mechanism)
    law, n, more = p @ parts.channel, 10**13, 10**7

    def fit_counts(counts: Ints, people: int) -> Floats:
        tally = Tally(counts, people, mechanism.fingerprint)
        return maximum_likelihood(Evidence.of(mechanism, tally))

    usual = np.rint(n * (law @ design)).astype(np.int64)
    at = fit_counts(usual, n)
    np.testing.assert_allclose(at, p, rtol=1e-9)
    moved = np.array([fit_counts(usual + more * row, n + more) - at for row in design]) * (n / more)
    _, ours = parts.covariances(p)
    np.testing.assert_allclose((moved.T * law) @ moved, ours, rtol=1e-3, atol=1e-4)
    if family not in NEXT_TO_NOTHING:
        assert mechanism.variance(p, 1).sum() > 1.2 * np.trace(ours)
