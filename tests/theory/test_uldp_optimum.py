"""The optimum for a sensitive set, against dense channels, the designer's proof and families."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.catalogue import Galois, PublishedUrap, SubsetSelection
from caldp_core.mechanisms.designed.design import design
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix
from caldp_core.theory.bounds import least_loss, minimax, worst_case

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
    levels = np.array([[0.0 if x == z else epsilon if x < s else np.inf for z in range(k)]
                       for x in range(k)])  # fmt: skip
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


def test_how_far_single_sizes_are_from_the_optimum() -> None:
    """Subset selection's own choice: within 10 %; the better of it, m = 1 and m = 2: 8.2 %."""
    worst, better = 1.0, 1.0
    for k, s, epsilon in ((12, 2, 2.0), (30, 3, 1.0), (1000, 4, 0.836), (1000, 5, 0.913),
                          (1000, 5, 1.19), (1000, 8, 2.0), (43_750, 50, 4.0)):  # fmt: skip
        context, least = first(k, s, epsilon), minimax(k, s, epsilon).loss
        ratio = worst_case(catalogue.in_context(context, "subset-selection")).loss / least
        sizes = [1, 2] if s > 2 else [1]
        made = [ContextMechanism(context, "sets", SubsetSelection(m).family()) for m in sizes]
        worst = max(worst, ratio)
        better = max(better, min(ratio, *(worst_case(one).loss / least for one in made)))
        assert ratio >= 1 - 1e-9
    assert 1.09 < worst < 1.10
    assert 1.07 < better < 1.08


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 1.0])
def test_who_knows_the_share_is_next_to_the_optimum(share: float) -> None:
    """Subset selection within 4 % at every size; Galois response within 8 % with many values."""
    for k, s, epsilon in (
        (20, 3, 1.2),
        (20, 5, 0.7),
        (100, 8, 2.0),
        (400, 60, 1.0),
        (400, 60, 4.0),
    ):
        least = least_loss(k, s, epsilon, share).loss
        mechanism = SubsetSelection(share=share).make(first(k, s, epsilon))
        assert 1 - 1e-9 <= mechanism.variance(prior(k, s, share), 1).sum() / least <= 1.04
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        k, s = 43_750, 3_000
        mechanism = Galois(share=share).make(first(k, s, epsilon))
        ratio = (
            mechanism.variance(prior(k, s, share), 1).sum() / least_loss(k, s, epsilon, share).loss
        )
        assert 1 - 1e-9 <= ratio <= 1.08


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_what_a_wrong_share_costs(epsilon: float) -> None:
    """Both ends, as docs/mathematics.md has them, at 20,000 sensitive values."""
    k, s = 20_010, 20_000
    losses = {
        (made, met): float(
            SubsetSelection(share=made)
            .make(first(k, s, epsilon))
            .variance(prior(k, s, met), 1)
            .sum()
        )
        for made in (0.0, 1.0)
        for met in (0.0, 1.0)
    }
    few, e = np.cosh(epsilon / 4) ** 2, np.exp(epsilon)
    assert losses[0.0, 1.0] / losses[1.0, 1.0] == pytest.approx(few, rel=2e-3)
    many = 2 * (e + 1) / (np.sqrt(e) + 1) ** 2
    assert losses[1.0, 0.0] / losses[0.0, 0.0] == pytest.approx(many, rel=5e-3)
    table = {1.0: 1.06, 4.0: 2.38}
    assert round(few, 2) == table[epsilon]


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


def test_rappor_as_published_has_a_worst_case_too() -> None:
    mechanism = PublishedUrap().make(first(9, 4, 1.3))
    assert (
        worst_case(mechanism).loss
        > worst_case(catalogue.in_context(first(9, 4, 1.3), "rappor")).loss
    )


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_many_sensitive_values(epsilon: float, share: float) -> None:
    s = 20_000
    found = least_loss(s + 10, s, epsilon, share)
    e, b = np.exp(epsilon), 1 + share * np.expm1(epsilon)
    assert found.sizes[0] / s == pytest.approx(1 / (1 + np.sqrt(e * b)), abs=1e-3)
    # A rare value has the variance with the estimates' sum left free; the rest is α²/s and less.
    each = (found.loss - (1 - share) * 1.1 / (1 - np.exp(-epsilon))) / s
    assert each == pytest.approx(((np.sqrt(e) + np.sqrt(b)) / (e - 1)) ** 2, rel=5e-3)


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
