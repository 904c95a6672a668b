"""Reports have the odds that the form of their channel states."""

from typing import Any

import numpy as np
import pytest

from caldp_core.mechanisms import ContextMechanism
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import OueOracles, RapporOracles
from caldp_core.mechanisms.randomness.coins import seeded_words
from caldp_core.mechanisms.support_form import HasSupportForm
from caldp_core.privacy.context import Context
from tests.products import thinned
from tests.stats import SIGNIFICANCE, assert_fits

BANKS = [RapporOracles, OueOracles, SubsetSelectionOracles, LocalHashingOracles]


def check_odds(mechanism: ContextMechanism, n: int) -> None:
    """n reports of each of three symbols, and n base ones, include as the form says: one χ².

    Their four inclusion counts settle `share` and both weights. With n = 200,000 and coins 5 %
    too bold (ε = 1) the noncentrality is 118 for RAPPOR (θ and d₁ off by 0.0059), 98 for OUE (d₁
    off by 0.0097), 104 for subset selection (ω off by 3) and 374 for local hashing; at 4 degrees
    of freedom the limit is 36.3, so that each is found with at least 99.997 %.
    """
    rng = np.random.default_rng(8)
    oracles = mechanism.oracles
    assert isinstance(oracles, HasSupportForm)
    form = oracles.support_form(0)
    observed, expected = [], []
    for x in (0, mechanism.k // 2, mechanism.k - 1):
        sent = mechanism.tally(mechanism.privatize(np.full(n, x), rng)).counts[x]
        observed.append([sent, n - sent])
        expected.append([form.share * form.included, (1 - form.share) * form.excluded])
    reports = oracles.privatize_base(np.zeros(n, np.int64), seeded_words(rng))
    sent = oracles.tally(reports, 0)[mechanism.k // 3]
    observed.append([sent, n - sent])
    expected.append([form.share, 1 - form.share])
    chances = np.array([[float(q) for q in row] for row in expected])
    assert_fits(np.array(observed), n * chances, SIGNIFICANCE / len(BANKS))


@pytest.mark.parametrize("oracles", thinned(BANKS, one_in=2))
def test_reports_have_the_odds_of_the_form(oracles: Any) -> None:
    policy = Context.plain(300, 1.0)
    check_odds(ContextMechanism(policy, "right", oracles), 200_000)
    bolder = ContextMechanism(policy, "bolder", oracles)
    bolder.oracles.support_form = oracles(bolder.sizes, policy.epsilon * 1.05).support_form  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match="χ²"):
        check_odds(bolder, 200_000)
