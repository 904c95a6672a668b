"""Bounds and optima of the papers, and displacement, against exact channels and optimisers.

Theory against the exact channel, and people for an error against their closed form.
"""

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats
from caldp_core.domain.domains import KM_PER_DEGREE, US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.catalogue import PublishedUrap, SubsetSelection
from caldp_core.mechanisms.designed.design import design
from caldp_core.mechanisms.direct.few_values import ExponentialMechanism
from caldp_core.mechanisms.direct.planar import (
    GridGeometricMechanism,
    PlanarGeometricMechanism,
    product_displacement,
)
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.distance import (
    DistanceMetric,
    EuclideanMetric,
    GridMetric,
    symbols_within_level,
)
from caldp_core.privacy.matrix import DenseMatrix
from caldp_core.theory import bounds
from caldp_core.theory.bounds import (
    block_report_distribution,
    blocks_with_displacement,
    cell_km,
    displacement_in_blocks,
    least_loss,
    minimax,
    report_distribution,
    worst_case,
)
from caldp_core.theory.expected_error import variance_given_people
from caldp_core.theory.planner import people_needed
from tests.contract.checks import CONTEXTS, EXACT, channel_of, context, naming, single_estimates
from tests.mechanisms.test_kernels import planar_displacement

EPSILONS = (0.1, 0.5, 1.0, 3.0, 8.0)
FLAGS = np.array([True, False, True, False, False, True])


def shares(k: int, seed: int) -> list[Floats]:
    """Corners, even, and random distributions from sparse to flat."""
    rng = np.random.default_rng(seed)
    random = [rng.dirichlet(np.full(k, a)) for a in (0.01, 0.1, 1.0, 10.0) for _ in range(5)]
    return [*np.eye(k)[[0, k - 1]], np.full(k, 1 / k), *random]


def variance_tv(mechanism: ContextMechanism, p: Floats, n: int) -> float:
    """½·Σσ: by Jensen's inequality above the exact expected TV."""
    return 0.5 * float(np.sqrt(mechanism.variance(p, n)).sum())


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("k", "s"), [(3, 1), (9, 4), (40, 5), (300, 140)])
def test_proposition_4_is_above_the_error(k: int, s: int, epsilon: float) -> None:
    mechanism = catalogue.in_context(Context.high_low(np.arange(k) < s, epsilon), "hadamard")
    # ½Σσ is above the exact expected TV (Jensen), so a bound above it is above that.
    for p, n in product(shares(k, k), (10, 10**4, 10**8)):
        assert 2 * variance_tv(mechanism, p, n) <= bounds.high_low_tv_bound(k, s, n, epsilon)


def test_the_second_term_of_17_as_printed_is_not_a_bound() -> None:
    # A million people, one sensitive value: the error of 299 values in the clear is above.
    k, s, n, epsilon = 300, 1, 10**6, 3.0
    mechanism = catalogue.in_context(Context.high_low(np.arange(k) < s, epsilon), "hadamard")
    p = np.where(np.arange(k) < s, 0.0, 1 / (k - s))
    c = 1 / np.tanh(epsilon / 2)
    # A normal's E|p̂−p| = √(2/π)·σ, good here: about 3,000 reports a value.
    error = np.sqrt(2 / np.pi) * variance_tv(mechanism, p, n)
    printed = np.sqrt(3 * s**2 * c**2 / n) + np.sqrt(c) * k / n
    assert printed < error < bounds.high_low_tv_bound(k, s, n, epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sizes", [[2], [5, 3, 1], [16] * 4, [2, 60, 7]])
def test_proposition_5_is_above_the_error(sizes: list[int], epsilon: float) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    mechanism = catalogue.in_context(Context.block_structured(labels, epsilon), "hadamard")
    for p, n in product(shares(labels.size, 7), (10, 10**4, 10**8)):
        assert 2 * variance_tv(mechanism, p, n) <= bounds.block_tv_bound(sizes, n, epsilon)


def test_proposition_5_is_not_far_off() -> None:
    # Must fail: a twentieth of the bounds is no bound, where all people are in the largest block.
    mechanism = catalogue.in_context(Context.plain(60, 0.5), "hadamard")
    p = np.full(60, 1 / 60)
    assert variance_tv(mechanism, p, 100) > bounds.block_tv_bound([60], 100, 0.5) / 20


@pytest.mark.parametrize("sizes", [[64], [64] * 4, [200, 30, 5]])
def test_people_needed_for_a_bound_grow_like_the_rate(sizes: list[int]) -> None:
    # n at which (20) equals α, over Theorem 4's rate: a constant but for ε's own order.
    for alpha, epsilon in ((0.3, 0.01), (0.1, 0.01), (0.1, 0.02)):
        n = float(np.square(sizes).sum()) / (alpha * epsilon) ** 2
        assert bounds.block_tv_bound(sizes, 1, epsilon) / np.sqrt(n) == pytest.approx(
            alpha * 4 * np.sqrt(3), rel=1e-3
        )


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_proposition_4_of_uldp_is_of_the_exact_variance(epsilon: float) -> None:
    mechanism = catalogue.in_context(Context.high_low(FLAGS, epsilon), "randomized-response")
    for p in shares(FLAGS.size, 3):
        variance = mechanism.variance(p, 1000)
        normal = np.sqrt(2 / np.pi) * np.sqrt(np.maximum(variance, 0)).sum()
        loss = bounds.urr_l1_loss(p, FLAGS, 1000, epsilon)
        assert loss == pytest.approx(normal, rel=1e-6, abs=1e-7)
        # Must fail: another ε by 1 %, where there is noise at all.
        off = bounds.urr_l1_loss(p, FLAGS, 1000, 1.01 * epsilon)
        assert off != pytest.approx(normal, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 1.3, 1.5, 3.0, 8.0])
def test_propositions_5_and_6_of_uldp_are_the_worst_case(epsilon: float) -> None:
    """|X_N| = 3: up to ε = ln 4 nobody has a sensitive value, beyond all q_x are equal."""
    mechanism = catalogue.in_context(Context.high_low(FLAGS, epsilon), "randomized-response")
    share = max(0.0, (1 - 3 / np.expm1(epsilon)) / 2)
    assert worst_case(mechanism).share == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 1.8, 2.2])
def test_propositions_7_and_8_of_uldp_are_of_its_mechanism(epsilon: float) -> None:
    """|X_N| = 3: up to ε = 2·ln 2.5 = 1.833 the worst people have no sensitive value."""
    mechanism = PublishedUrap().make(Context.high_low(FLAGS, epsilon))
    a = 1 / np.expm1(epsilon / 2)
    for p in shares(FLAGS.size, 4):
        variance = (p + a * FLAGS) * (1 + a - p) / 1000
        np.testing.assert_allclose(mechanism.variance(p, 1000), variance, rtol=1e-9, atol=1e-12)
    assert (worst_case(mechanism).share == 0) == (epsilon < 1.833)


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: bounds.high_low_tv_bound(3, 1, 0, 1.0), "n must be"),
    (lambda: bounds.high_low_tv_bound(3, 4, 10, 1.0), "s must be"),
    (lambda: bounds.high_low_tv_bound(3, 1, 10, 0.0), "epsilon must be"),
    (lambda: bounds.block_tv_bound([2], 0, 1.0), "n must be"),
    (lambda: bounds.block_tv_bound([], 10, 1.0), "sizes must be"),
    (lambda: bounds.urr_l1_loss(np.full(6, 1 / 6), FLAGS, 0, 1.0), "n must be"),
    (lambda: bounds.urr_l1_loss(np.full(6, 1 / 6), FLAGS, 10, 1000.0), "epsilon must be"),
    (lambda: bounds.urr_l1_loss(np.full(5, 1 / 5), FLAGS, 10, 1.0), "one flag for each"),
]


@pytest.mark.parametrize(("use", "words"), WRONG)
def test_what_is_not_positive_is_refused_in_words(use: Callable[[], object], words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        use()


BOUNDS_FAMILIES = ("hadamard", "randomized-response", "oue")
"""One of each form of tally: variances of all families are held to the channel elsewhere."""


@pytest.mark.parametrize("kind", CONTEXTS)
@pytest.mark.parametrize("family", BOUNDS_FAMILIES)
def test_variance_given_people_is_that_of_the_channel(family: str, kind: str) -> None:
    mechanism = catalogue.in_context(context(kind, 1.0), family)
    channel, single = channel_of(mechanism), single_estimates(mechanism)
    n = 1000
    people = np.random.default_rng(1).multinomial(n, np.full(mechanism.k, 1 / mechanism.k))
    of_one = channel @ single**2 - np.eye(mechanism.k)
    exact = people @ of_one / n**2
    ours = variance_given_people(mechanism, people / n, n)
    np.testing.assert_allclose(ours, exact, rtol=0, atol=EXACT * (of_one.max() + 1) / n)


@pytest.mark.parametrize("target", [1.0, 0.5, 0.01, 1e-4, 2e-6])
def test_people_needed_is_the_least_number(target: float) -> None:
    needed = people_needed(lambda n: n**-0.5, target)
    assert needed is not None
    assert needed == pytest.approx(target**-2, rel=0.002)
    assert needed >= 1


def test_people_needed_knows_too_little_and_too_much() -> None:
    assert people_needed(lambda n: 0.3, 0.2) is None
    assert people_needed(lambda n: 0.0, 0.2) == 1
    assert people_needed(lambda n: 1.0 if n < N_MAX else 0.0, 0.5) == pytest.approx(
        N_MAX, rel=0.002
    )


SHARES = (0.0, 0.03, 0.2, 0.6, 1.0)


def first(k: int, s: int, epsilon: float) -> Context:
    """The first s of k values sensitive."""
    return Context.high_low(np.arange(k) < s, epsilon)


def prior(k: int, s: int, share: float) -> Floats:
    others = (1.0 - share) / (k - s) if k > s else 0.0
    return np.where(np.arange(k) < s, share / s, others)


def channel_loss(k: int, s: int, epsilon: float, share: float) -> Callable[[Floats], float]:
    """Weights of the sizes 1 … s → Σ n·Var of the best unbiased estimate, by the whole channel."""
    pi, e = prior(k, s, share), np.exp(epsilon)

    def loss(weights: Floats) -> float:
        columns = []
        for m, weight in enumerate(weights, start=1):
            sets = list(combinations(range(s), m))
            for members in sets:
                v = np.ones(k)
                v[list(members)] = e
                columns.append(v * weight * s / (m * e + s - m) / len(sets))
        channel = np.array(columns).T
        clear = 1.0 - channel[s:].sum(axis=1)
        channel = np.hstack([channel, np.vstack([np.zeros((s, k - s)), np.diag(clear)])])
        sent = pi @ channel
        used = sent > 1e-14
        moments = channel[:, used] / sent[used] @ channel[:, used].T
        return float(np.trace(np.linalg.inv(moments)) - pi @ pi)

    return loss


@pytest.mark.parametrize(("k", "s"), [(5, 2), (7, 3), (8, 5), (6, 5)])
@pytest.mark.parametrize("epsilon", [0.4, 1.0, 2.2])
def test_it_is_the_best_mixture_of_sets(k: int, s: int, epsilon: float) -> None:
    """The loss is convex: its minimum is where a step towards no size makes it smaller."""
    step = 1e-4

    def least_after_a_step(loss: Callable[[Floats], float], weights: Floats) -> float:
        return min(loss((1 - step) * weights + step * size) for size in np.eye(s))

    for share in (0.03, 0.2, 0.6):
        found, loss = least_loss(k, s, epsilon, share), channel_loss(k, s, epsilon, share)
        weights = np.zeros(s)
        weights[np.array(found.sizes) - 1] = found.weights
        assert loss(weights) == pytest.approx(found.loss, rel=1e-9)
        assert least_after_a_step(loss, weights) >= found.loss * (1 - 1e-9)
        # Must fail: a twentieth of the weight elsewhere, and some step helps.
        off = 0.95 * weights + 0.05 / s
        assert least_after_a_step(loss, off) < loss(off) * (1 - 1e-7)


@pytest.mark.parametrize(
    ("k", "s", "epsilon", "share"), [(5, 2, 1.0, 0.3), (6, 3, 0.7, 0.1), (7, 4, 2.0, 0.5)]
)
def test_no_channel_at_all_is_better(k: int, s: int, epsilon: float, share: float) -> None:
    """The designer knows nothing of sets or classes, and proves a bound for every channel."""
    levels = np.array(
        [[0.0 if x == z else epsilon if x < s else np.inf for z in range(k)] for x in range(k)]
    )
    pi = prior(k, s, share)
    found = design(DenseMatrix(levels), pi, np.ones(k))
    ours = least_loss(k, s, epsilon, share).loss + float(pi @ pi)
    assert found.loss + float(pi @ pi) >= ours * (1 - 1e-7)
    assert found.loss == pytest.approx(ours - float(pi @ pi), rel=1e-4)
    # Must fail: with an ε that is 5 % off it is another number.
    off = least_loss(k, s, 1.05 * epsilon, share).loss
    assert abs(off / found.loss - 1) > 0.01


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1.0), (12, 0.5), (40, 3.0), (300, 1.0)])
def test_without_other_values_it_is_subset_selection(k: int, epsilon: float) -> None:
    mechanism = catalogue.in_context(Context.plain(k, epsilon), "subset-selection")
    found = minimax(k, k, epsilon)
    assert (found.share, len(found.sizes)) == (1.0, 1)
    assert worst_case(mechanism).loss == pytest.approx(found.loss, rel=1e-9)


@pytest.mark.parametrize("s", [3, 4, 5, 9, 40, 300])
def test_where_the_worst_people_all_have_sensitive_values(s: int) -> None:
    """Below ε₀ subset selection in this context is the optimum, above ε₀ the worst α is below 1."""
    start = 0.5 * np.log((s - 1) * (s - 2) / 2)
    if start > 0.02:
        for epsilon in (start / 3, 0.99 * start):
            found = minimax(500, s, epsilon)
            assert found.share == 1.0
            assert found.loss == pytest.approx(minimax(s, s, epsilon).loss)
            made = worst_case(catalogue.in_context(first(500, s, epsilon), "subset-selection"))
            assert made.share == 1.0
            assert made.loss == pytest.approx(found.loss, rel=1e-9)
    assert minimax(500, s, start + 0.02).share < 1.0


def test_randomized_response_is_the_optimum_at_large_epsilon() -> None:
    """Yoon et al.: from e^ε = k − s + √((k−1)(k−2)/2)."""
    k, s = 30, 6
    start = np.log(k - s + np.sqrt((k - 1) * (k - 2) / 2))
    for epsilon, alone in ((start + 0.01, True), (start - 0.1, False)):
        found = minimax(k, s, epsilon)
        assert (found.sizes == (1,)) == alone
        made = worst_case(catalogue.in_context(first(k, s, epsilon), "randomized-response")).loss
        assert (made == pytest.approx(found.loss, rel=1e-8)) == alone


@pytest.mark.parametrize(("k", "s", "epsilon"), [(9, 4, 1.0), (60, 6, 2.0), (43_750, 12, 1.0)])
def test_it_is_a_saddle(k: int, s: int, epsilon: float) -> None:
    """No share is worse for the best, and no size alone does better against its worst people."""
    found = minimax(k, s, epsilon)
    shares = np.linspace(0, 1, 101)
    assert max(least_loss(k, s, epsilon, float(a)).loss for a in shares) <= found.loss + 1e-9
    for m in range(1, s):
        made = worst_case(
            ContextMechanism(first(k, s, epsilon), "sets", SubsetSelection(m).family())
        )
        assert made.loss >= found.loss * (1 - 1e-9)


@pytest.mark.parametrize("name", FAMILIES)
def test_nobody_is_below_the_optimum_and_nothing_is_worse_than_the_worst(name: str) -> None:
    k, s, epsilon = 9, 4, 1.3
    mechanism, rng = catalogue.in_context(first(k, s, epsilon), name), np.random.default_rng(5)
    worst = worst_case(mechanism)
    assert worst.loss >= minimax(k, s, epsilon).loss * (1 - 1e-9)
    assert mechanism.variance(prior(k, s, worst.share), 1).sum() == pytest.approx(worst.loss)
    for share in SHARES:
        total = float(mechanism.variance(prior(k, s, share), 1).sum())
        assert least_loss(k, s, epsilon, share).loss <= total * (1 + 1e-9)
    for spread in (0.1, 1.0, 30.0):
        for p in rng.dirichlet(np.full(k, spread), 50):
            assert mechanism.variance(p, 1).sum() <= worst.loss * (1 + 1e-9)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: least_loss(5, 0, 1.0, 0.5), "s must be a whole number in .1, 5., got 0"),
        (lambda: minimax(5, 6, 1.0), "s must be a whole number in .1, 5., got 6"),
        (lambda: least_loss(5, 2, 1.0, 1.5), "share must be "),
        (lambda: least_loss(5, 2, 0.0, 0.5), "epsilon must be "),
        (
            lambda: worst_case(
                catalogue.in_context(Context.block_structured([0, 0, 1, 1], 1.0), "hadamard")
            ),
            "The worst case is known for a sensitive set in one block",
        ),
    ],
)
def test_bad_input_is_told(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(CaldpError, match=sentence):
        call()


SMALL = GridDomain(40.0, -75.0, 0.5, 6, 7)


def noises() -> list[Mechanism]:
    euclid = EuclideanMetric.per_km(SMALL, 0.02)
    return [
        PlanarGeometricMechanism(euclid),
        GridGeometricMechanism(GridMetric.per_km(SMALL, 0.02)),
        GridGeometricMechanism(euclid.stricter_grid_metric()),
        ExponentialMechanism(DistanceMetric.from_policy(euclid)),
    ]


def test_reports_are_the_channels_rows() -> None:
    for mechanism in noises():
        with naming(type(mechanism).__name__):
            rows = np.array(mechanism.exact_channel(), dtype=float)
            for x in (0, 17, SMALL.k - 1):
                np.testing.assert_allclose(report_distribution(mechanism, x), rows[x], atol=1e-12)


def test_drawn_reports_lie_as_far_off() -> None:
    # |mean − expected| ≤ 5.1 standard errors: two-sided 3.4e-7 a mechanism. 40,000 reports tell
    # an ε that is 5 % off: the mean moves by about 4 %, eight standard errors.
    rng = np.random.default_rng(3)
    km = SMALL.km_from(17)
    for mechanism in noises():
        with naming(type(mechanism).__name__):
            off = km[mechanism.privatize(np.full(40_000, 17), rng)]
            expected = report_distribution(mechanism, 17) @ km
            assert abs(off.mean() - expected) < 5.1 * off.std() / 200
    weaker = PlanarGeometricMechanism(EuclideanMetric.per_km(SMALL, 0.021))
    off = km[weaker.privatize(np.full(40_000, 17), rng)]
    expected = report_distribution(noises()[0], 17) @ km
    assert abs(off.mean() - expected) > 5.1 * off.std() / 200


def test_far_from_borders_it_is_the_planes() -> None:
    # A map near the equator, so that a cell is as wide as it is high; distances are far from it.
    domain = GridDomain(-1.0, 10.0, 0.02, 100, 100)
    middle, rate = 50 * 100 + 50, 0.2
    euclid = EuclideanMetric.per_km(domain, rate)
    steps = (euclid.epsilon_row, euclid.epsilon_column)
    km = domain.km_from(middle)
    planar = report_distribution(PlanarGeometricMechanism(euclid), middle) @ km
    assert planar == pytest.approx(planar_displacement(*steps) / rate, rel=2e-3)
    both_axes = GridGeometricMechanism(euclid.stricter_grid_metric())
    product = report_distribution(both_axes, middle) @ km
    assert product == pytest.approx(product_displacement(*steps) / rate, rel=2e-3)
    assert product > 1.1 * planar


def test_reports_in_blocks_are_randomized_response() -> None:
    labels = grid_blocks(SMALL, 2, 3).labels
    mechanism = catalogue.in_context(Context.block_structured(labels, 1.3), "randomized-response")
    rows = np.array(mechanism.exact_channel(), dtype=float)
    # The channel's columns are hidden symbols block after block.
    order = np.argsort(labels, kind="stable")
    for x in range(SMALL.k):
        law = block_report_distribution(labels, x, 1.3)
        np.testing.assert_allclose(law[order], rows[x], atol=1e-12)
    assert abs(block_report_distribution(labels, 0, 1.4)[0] - rows[0].max()) > 1e-3


def test_blocks_by_offsets_are_the_mean_over_all_cells() -> None:
    height, width = cell_km(SMALL)
    row, column = np.divmod(np.arange(SMALL.k), SMALL.columns)
    flat = np.hypot(height * (row[:, None] - row), width * (column[:, None] - column))
    for cut in ((1, 1), (2, 3), (4, 5), (6, 7)):
        with naming(f"{cut}"):
            labels = grid_blocks(SMALL, *cut).labels
            each = [block_report_distribution(labels, x, 0.7) @ flat[x] for x in range(SMALL.k)]
            found = displacement_in_blocks(SMALL, *cut, 0.7)
            assert found == pytest.approx(np.mean(each), rel=1e-12, abs=1e-12)


def test_blocks_as_far_are_the_nearest_there_are() -> None:
    for km in (15.0, 40.0, 120.0, 700.0):
        with naming(f"{km}"):
            rows, columns = blocks_with_displacement(US_GRID, km, 1.0)
            own = displacement_in_blocks(US_GRID, rows, columns, 1.0)
            assert own == pytest.approx(km, rel=0.35)
            height, width = cell_km(US_GRID)
            aspect = (US_GRID.rows / rows * height) / (US_GRID.columns / columns * width)
            assert 0.6 < aspect < 1.7
            for other in (rows - 1, rows + 1):
                if 1 <= other <= US_GRID.rows:
                    square = round(columns * other / rows)
                    far = displacement_in_blocks(US_GRID, other, max(square, 1), 1.0)
                    assert abs(far - km) >= abs(own - km) - 0.02 * km
    assert blocks_with_displacement(SMALL, 0.0, 1.0) == (SMALL.rows, SMALL.columns)
    assert blocks_with_displacement(SMALL, 20_000.0, 1.0) == (1, 1)


def test_great_circles_agree_with_vectors_on_the_sphere() -> None:
    latitude, longitude = np.radians(US_GRID.latitudes()), np.radians(US_GRID.longitudes())
    north, east = (each.ravel() for each in np.meshgrid(latitude, longitude, indexing="ij"))
    points = np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])
    for x in (0, 25_675, US_GRID.k - 1):
        chord = np.linalg.norm(points - points[:, [x]], axis=0)
        km = np.degrees(2 * np.arcsin(chord / 2)) * KM_PER_DEGREE
        np.testing.assert_allclose(US_GRID.km_from(x), km, rtol=1e-9, atol=1e-9)


def test_the_ring_is_what_the_policy_says() -> None:
    for policy in (EuclideanMetric.per_km(SMALL, 0.01), GridMetric.per_km(SMALL, 0.01)):
        levels = dense(policy)
        for level in (0.3, 1.0, float(levels[17, 19])):
            ring = symbols_within_level(policy, 17, level)
            np.testing.assert_array_equal(ring, levels[17] <= level * (1 + 1e-12))
            assert ring[17]
    # As the crow flies more places are within 1 nat than along streets.
    euclid, streets = EuclideanMetric.per_km(SMALL, 0.01), GridMetric.per_km(SMALL, 0.01)
    assert (
        symbols_within_level(euclid, 17, 1.0).sum() > symbols_within_level(streets, 17, 1.0).sum()
    )


def test_reports_that_are_no_places_are_refused() -> None:
    with pytest.raises(CaldpError, match="not places"):
        report_distribution(catalogue.in_context(Context.plain(5, 1.0), "hadamard"), 0)
    with pytest.raises(CaldpError, match="x must"):
        report_distribution(noises()[0], SMALL.k)
