"""Reports have the odds that the form of their channel states."""

from typing import Any

import numpy as np
import pytest

from caldp_core.mechanisms import ContextMechanism
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import OueOracles, RapporOracles
from caldp_core.mechanisms.randomness import seeded_words
from caldp_core.mechanisms.structures import SupportForm
from caldp_core.privacy.context import Context
from tests.products import thinned
from tests.stats import SIGNIFICANCE, assert_fits

ORACLES = [RapporOracles, OueOracles, SubsetSelectionOracles, LocalHashingOracles]


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
