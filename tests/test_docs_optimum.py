"""The tables on the optimum with a sensitive set in docs/mathematics.md, by formula and reports."""

import numpy as np
import pytest

from caldp_core.basics.types import Floats
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.catalogue import (
    Galois,
    Hadamard,
    MechanismSpec,
    PublishedUrap,
    RandomizedResponse,
    SubsetSelection,
)
from caldp_core.privacy.context import Context
from caldp_core.theory.bounds import least_loss, minimax, worst_case
from tests.test_docs_mathematics import TEXT


def rows(title: str) -> list[list[str]]:
    """Cells of the table under this heading, its header left out."""
    body = TEXT.split(f"\n### {title}\n\n", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()[2:]]


def people(k: int, s: int, share: float) -> Floats:
    return np.where(np.arange(k) < s, share / s, (1 - share) / (k - s))


@pytest.mark.parametrize("row", rows("Worst case"), ids="-".join)
def test_the_worst_case(row: list[str]) -> None:
    k, s, epsilon = int(row[0]), int(row[1]), float(row[2])
    found = minimax(k, s, epsilon)
    figures = [f"{found.share:.3f}", " and ".join(map(str, found.sizes)), f"{found.loss:.5g}"]
    assert row[3:6] == figures
    context = Context.high_low(np.arange(k) < s, epsilon)
    specs: list[MechanismSpec] = [
        RandomizedResponse(), PublishedUrap(), Hadamard(), SubsetSelection(), Galois()
    ]  # fmt: skip
    losses = [worst_case(spec.make(context)).loss for spec in specs]
    assert row[6:] == [f"{loss / found.loss:.3f}" for loss in losses]


def few(k: int, s: int, epsilon: float, share: float) -> list[Mechanism]:
    """The mechanisms of the second table, in its order."""
    context = Context.high_low(np.arange(k) < s, epsilon)
    specs: list[MechanismSpec] = [
        RandomizedResponse(), PublishedUrap(), Hadamard(), SubsetSelection(),
        SubsetSelection(share=share), Galois(share=share),
    ]  # fmt: skip
    return [spec.make(context) for spec in specs]


@pytest.mark.parametrize("row", rows("Few people with a sensitive value"), ids="-".join)
def test_few_people_with_a_sensitive_value(row: list[str]) -> None:
    k, s, epsilon, share = int(row[0]), int(row[1]), float(row[2]), float(row[3])
    least, p = least_loss(k, s, epsilon, share).loss, people(k, s, share)
    assert row[4] == f"{least:.5g}"
    losses = [float(mechanism.variance(p, 1).sum()) for mechanism in few(k, s, epsilon, share)]
    assert row[5:] == [f"{loss / least:.3f}" for loss in losses]


def by_share(k: int, s: int, epsilon: float, share: float) -> float:
    """Subset selection's loss, made for the share, as a multiple of the optimum."""
    least, p = least_loss(k, s, epsilon, share).loss, people(k, s, share)
    made = SubsetSelection(share=share).make(Context.high_low(np.arange(k) < s, epsilon))
    return float(made.variance(p, 1).sum()) / least


@pytest.mark.parametrize("s", [2, 3, 4, 5, 8, 12, 20, 40, 60])
def test_sets_for_a_share_are_within_4_percent_where_most_values_are_open(s: int) -> None:
    for k in (5 * s, 8 * s):
        for epsilon in (0.25, 0.75, 1.25, 2.0, 4.0, 6.0):
            for share in (1e-4, 0.02, 0.3, 0.7):
                assert by_share(k, s, epsilon, share) < 1.04, (k, epsilon, share)


def test_sets_for_a_share_are_up_to_12_percent_off_where_few_values_are_open() -> None:
    assert 1.115 < by_share(4, 3, 5.0, 1e-4) < 1.125
    small = [(k, s) for s in range(2, 7) for k in range(s + 1, 3 * s)]
    assert all(by_share(k, s, float(e), 1e-4) < 1.125 for k, s in small for e in range(1, 9))


def test_the_first_row_of_few_by_real_reports() -> None:
    """300 runs of 60 people, each within five standard errors (significance 6·10⁻⁷)."""
    k, s, epsilon, share, n = 100, 10, 1.0, 0.02, 60
    p, rng = people(k, s, share), np.random.default_rng(11)
    least = least_loss(k, s, epsilon, share).loss
    ratios = map(float, rows("Few people with a sensitive value")[0][5:])
    for mechanism, ratio in zip(few(k, s, epsilon, share), ratios, strict=True):
        errors = [
            n
            * np.square(mechanism.estimate(mechanism.tally(mechanism.privatize(x, rng))) - p).sum()
            for x in rng.choice(k, (300, n), p=p)
        ]
        mean, unsure = np.mean(errors), np.std(errors) / 300**0.5
        assert abs(mean - ratio * least) < 5 * unsure
        # Must fail: a figure that is a fifth too high.
        assert abs(mean - 1.2 * ratio * least) > 5 * unsure


def test_what_is_said_of_galois_response() -> None:
    def above(s: int, epsilon: float) -> float:
        context = Context.high_low(np.arange(s + 200) < s, epsilon)
        return worst_case(Galois().make(context)).loss / minimax(s + 200, s, epsilon).loss - 1

    assert above(5, 0.5) == pytest.approx(0.27, abs=0.005)
    assert above(140, 4.0) == pytest.approx(0.2, abs=0.015)  # about a fifth
    assert max(above(s, e) for s in (1000, 3000, 20_000) for e in (0.5, 1.0, 2.0, 5.0)) < 0.08
