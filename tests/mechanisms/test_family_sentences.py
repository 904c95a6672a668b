"""What the families' sentences claim of each other holds, and holds only where they say it does."""

from typing import Final

import numpy as np
import pytest

from caldp_core.basics.types import Floats
from caldp_core.mechanisms import FAMILIES, mechanism
from caldp_core.privacy.context import Context

WHERE: Final = "where every value is sensitive"


def totals(context: Context, p: Floats) -> dict[str, float]:
    """Σ Var of each family's estimate for one person: what ranks them at any n."""
    return {name: float(mechanism(context, name).variance(p, 1).sum()) for name in FAMILIES}


@pytest.mark.parametrize("k", [2, 5, 30, 100])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 8.0])
def test_sets_are_the_most_accurate_where_every_value_is_sensitive(k: int, epsilon: float) -> None:
    rng = np.random.default_rng(1)
    for p in (np.eye(k)[0], np.full(k, 1 / k), rng.dirichlet(np.full(k, 0.2))):
        errors = totals(Context.plain(k, epsilon), p)
        assert errors["subset-selection"] <= min(errors.values()) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 8.0])
def test_oue_is_better_than_rappor_for_rare_values(epsilon: float) -> None:
    k = 30
    oue, rappor = (
        mechanism(Context.plain(k, epsilon), name).variance(np.eye(k)[0], 1)
        for name in ("oue", "rappor")
    )
    assert (oue[1:] < rappor[1:]).all()
    assert oue[0] > rappor[0]  # and not for the value that everybody has


def test_a_sensitive_set_turns_the_order_round() -> None:
    # 2 % of the people have one of the ten sensitive values: λ is least for RAPPOR.
    sensitive = np.arange(100) < 10
    p = np.where(sensitive, 0.02 / 10, 0.98 / 90)
    errors = totals(Context.high_low(sensitive, 3.0), p)
    assert min(errors, key=lambda name: errors[name]) == "rappor"
    assert 1.04 < errors["subset-selection"] / errors["rappor"] < 1.10
    assert errors["oue"] > errors["rappor"]


def test_the_sentences_say_where() -> None:
    for name in ("subset-selection", "oue"):
        assert WHERE in FAMILIES[name].sentence
    for entry in FAMILIES.values():
        assert "most accurate" not in entry.sentence or WHERE in entry.sentence
