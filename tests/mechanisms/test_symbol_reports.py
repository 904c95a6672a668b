"""Mechanisms whose reports are symbols: their products with Q against the channel in rationals."""

import numpy as np
import pytest

from caldp_core.mechanisms.direct.few_values import BinaryMechanism, ExponentialMechanism
from caldp_core.mechanisms.direct.geometric_axis import GridGeometricMechanism
from caldp_core.mechanisms.direct.planar import PlanarGeometricMechanism
from caldp_core.mechanisms.written_out import SymbolReports
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy
from tests.contract import checks

LINE = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
MECHANISMS: dict[str, SymbolReports] = {
    "map": GridGeometricMechanism(GridMetric(3, 4, 0.3, 1.1)),
    "one row": GridGeometricMechanism(GridMetric(1, 4, 0.3, 1.1)),
    "one cell": GridGeometricMechanism(GridMetric(1, 1, 0.3, 1.1)),
    "line": ExponentialMechanism(DistanceMetric.of(LINE, 0.7)),
    "two symbols": BinaryMechanism(BinaryPolicy(0.4, 2.0)),
    "one way": BinaryMechanism(BinaryPolicy(np.inf, 2.0)),
    "plane": PlanarGeometricMechanism(EuclideanMetric(3, 4, 0.3, 1.1)),
}
EACH = pytest.mark.parametrize("name", list(MECHANISMS))


@EACH
def test_products_are_those_of_the_channel(name: str) -> None:
    # Neither product of a random vector is right with Q for Qᵀ: the ends of a map differ.
    mechanism = MECHANISMS[name]
    channel = checks.channel_of(mechanism)
    vectors = np.random.default_rng(1).normal(size=(3, mechanism.k))
    for vector in vectors:
        np.testing.assert_allclose(mechanism.products.apply(vector), vector @ channel, atol=1e-12)
        np.testing.assert_allclose(
            mechanism.products.apply_transpose(vector), channel @ vector, atol=1e-12
        )


@EACH
def test_the_products_of_the_inverse_are_those_of_the_inverted_channel(name: str) -> None:
    mechanism = MECHANISMS[name]
    inverse = np.linalg.inv(checks.channel_of(mechanism))
    products = mechanism.products
    vector = np.random.default_rng(2).normal(size=mechanism.k)
    np.testing.assert_allclose(products.inverse(vector), vector @ inverse, atol=1e-9)
    np.testing.assert_allclose(products.score(vector), inverse @ vector, atol=1e-9)
    np.testing.assert_allclose(products.inverse_squared(vector), vector @ inverse**2, atol=1e-8)
