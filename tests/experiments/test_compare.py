"""Distances, the table of mechanisms, several questions a person, and means of numbers."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist, fmean, stdev
from typing import Any, cast

import numpy as np
import plotly.express as px
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core import CaldpError, Context, Scenario, compare, prepare, run
from caldp_core.audit.adversary import max_guess_accuracy, max_record_guess_accuracy
from caldp_core.audit.pairwise import release_both
from caldp_core.basics.types import Floats
from caldp_core.datasets import OwnTable
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.metrics import (
    box_error,
    box_sides,
    kl_divergence,
    l1,
    l2,
    largest,
    total_variation,
)
from caldp_core.experiments.questions import (
    Question,
    QuestionPlan,
    ask_questions,
    best_plan,
    mean_of,
    open_mechanism_maker,
    plain_mechanism_maker,
    squared_error,
    wrong_share,
)
from caldp_core.mechanisms.catalogue import Galois, Hadamard, RandomizedResponse
from caldp_core.mechanisms.randomness import seed_sequence
from caldp_core.privacy.distance import GridMetric
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.scenario import Best
from tests import ROOT
from tests.contract.checks import naming
from tests.mechanisms.test_written_out import HALF_LACKS, Half, by_hand
from tests.stats import SIGNIFICANCE, assert_mean

PEOPLE = (500, 300, 150, 50)
NAMES = ("a", "b", "c", "d")


def squared(truth: Floats, shares: Floats) -> float:
    return float(np.square(truth - shares).sum())


def test_a_row_holds_the_errors_of_a_run_with_the_same_seed() -> None:
    table = compare(["galois", "hadamard"], [0.5, 2], PEOPLE, 3, seed=7)
    assert list(table.columns) == [
        "mechanism",
        "epsilon",
        "n",
        "error",
        "mean",
        "standard_error",
        "trials",
    ]
    assert table.mechanism.tolist() == ["galois", "galois", "hadamard", "hadamard"]
    assert table.epsilon.tolist() == [0.5, 2.0, 0.5, 2.0]
    assert set(table.n) == {1000}
    assert set(table.trials) == {3}
    data = replace(Scenario(), dataset=OwnTable(NAMES, PEOPLE), trials=3, seed=7)
    cases = [(spec, epsilon) for spec in (Galois(), Hadamard()) for epsilon in (0.5, 2.0)]
    for row, (spec, epsilon) in enumerate(cases):
        plain = data.with_context(blocks=OneBlock(), epsilon=epsilon)
        tv = [each.tv for each in run(prepare(replace(plain, mechanism=spec))).errors]
        assert table["mean"][row] == pytest.approx(fmean(tv), rel=1e-12)
        assert table.standard_error[row] == pytest.approx(stdev(tv) / math.sqrt(3), rel=1e-12)


def test_the_users_mechanism_runs_in_a_scenario_as_in_the_table() -> None:
    data = replace(Scenario(), dataset=OwnTable(NAMES, PEOPLE), trials=3, seed=7)
    setup = prepare(data.plain())
    made = by_hand(cast("Context", setup.policy))
    result = run(replace(setup, mechanism=made, mechanism_name="mine"))
    table = compare({"mine": by_hand}, [1.0], PEOPLE, 3, seed=7)
    assert table["mean"][0] == pytest.approx(fmean(each.tv for each in result.errors), rel=1e-12)
    assert "mine" in repr(result)
    assert "mine" in result._repr_html_()
    assert len(result.to_pandas()) == len(PEOPLE)


def expected_square(epsilon: float) -> float:
    """E Σ(p̂_x − p_x)² of randomized response over its coins, from the law of each count."""
    total, n, k = 0.0, sum(PEOPLE), len(PEOPLE)
    own = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    other = (1 - own) / (k - 1)
    for people in PEOPLE:
        total += people * own * (1 - own) + (n - people) * other * (1 - other)
    return total / (n * (own - other)) ** 2


def test_means_are_those_of_the_closed_form_with_the_users_mechanism_too() -> None:
    """Two-sided z test for each row at 10⁻⁶; the error of an ε that is 10 % off is rejected."""
    made = {"catalogue": RandomizedResponse().make, "mine": by_hand}
    table = compare(made, [1.0], PEOPLE, 2000, estimator="none", errors={"squared": squared})
    limit = NormalDist().inv_cdf(1 - 0.5e-6)
    for row in table.itertuples():
        mean, error = cast("float", row.mean), cast("float", row.standard_error)
        assert abs(mean - expected_square(1.0)) < limit * error
        assert abs(mean - expected_square(0.9)) > limit * error
        assert abs(mean - expected_square(1.1)) > limit * error


def test_each_error_and_the_users_policy_have_their_rows() -> None:
    table = compare(
        {"few": Galois(q=2).make, "best": Galois().make},
        [1.0],
        np.array(PEOPLE),
        trials=1,
        policy=lambda epsilon: Context.high_low([True, True, False, False], epsilon),
        errors={"squared": squared, "first": lambda p, q: float(abs(p[0] - q[0]))},
    )
    assert table[["mechanism", "error"]].to_numpy().tolist() == [
        ["few", "squared"],
        ["few", "first"],
        ["best", "squared"],
        ["best", "first"],
    ]
    assert table.standard_error.isna().all()
    assert table.standard_error.dtype == np.float64
    assert compare([], [1.0], PEOPLE).empty


@pytest.mark.filterwarnings("ignore:.*scattermapbox.*:DeprecationWarning")  # of Plotly 6.0 itself
def test_the_line_of_the_documentation_draws_the_table() -> None:
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    (line,) = re.findall(r"^px\.line\(table.*$", page, re.MULTILINE)
    table = compare(["galois", "oue"], [0.5, 1.0], PEOPLE, 2)
    figure = eval(line, {"px": px, "table": table})
    assert [trace.name for trace in figure.data] == ["galois", "oue"]
    for trace in figure.data:
        rows = table[table.mechanism == trace.name]
        assert list(trace.y) == rows["mean"].tolist()
        assert list(trace.error_y.array) == rows.standard_error.tolist()


def test_what_does_not_fit_is_refused_in_a_sentence() -> None:
    anything: Any = None
    wrongs: dict[str, Callable[[], object]] = {
        f"'half' does not make one: {HALF_LACKS}": lambda: compare(
            {"half": cast("Any", lambda _: Half())}, [1.0], PEOPLE
        ),
        "mechanism must be one of .*, got 'galios'": lambda: compare(
            ["galios"],  # type: ignore[list-item]
            [1.0],
            PEOPLE,
        ),
        "mechanisms must be a list, got one text": lambda: compare(
            "galois",  # type: ignore[arg-type]
            [1.0],
            PEOPLE,
        ),
        "epsilons must be a list, got one of type float": lambda: compare(
            ["galois"], cast("Any", 1.0), PEOPLE
        ),
        "epsilon must be in": lambda: compare(["galois"], [0.0], PEOPLE),
        "trials must be a whole number": lambda: compare(["galois"], [1.0], PEOPLE, 0),
        "histogram must be an array of": lambda: compare(["galois"], [1.0], [0.5, 0.5]),
        "histogram must not be negative": lambda: compare(["galois"], [1.0], [2, -1]),
        "histogram must hold at least 1 person": lambda: compare(["galois"], [1.0], [0, 0]),
        "makes a mechanism for 4 values, but histogram has 3": lambda: compare(
            {"mine": lambda _: by_hand(Context.plain(4, 1.0))}, [1.0], [1, 2, 3]
        ),
        "estimator must be one of": lambda: compare(["oue"], [1.0], PEOPLE, estimator=anything),
    }
    for sentence, wrong in wrongs.items():
        with naming(sentence), pytest.raises(CaldpError, match=sentence):
            wrong()


WEIGHTS = st.lists(st.floats(0.001, 1), min_size=12, max_size=12).map(
    lambda values: np.array(values) / np.sum(values)
)
SMALL = GridDomain(south=40.0, west=-3.0, cell=1.0, rows=3, columns=4)


@given(WEIGHTS, WEIGHTS, WEIGHTS)
def test_distances_obey_their_laws(p: Floats, q: Floats, r: Floats) -> None:
    for distance in (total_variation, l1, l2):
        assert distance(p, p) == 0
        assert distance(p, q) == pytest.approx(distance(q, p))
        assert distance(p, r) <= distance(p, q) + distance(q, r) + 1e-12
    assert total_variation(p, q) == 0.5 * l1(p, q)
    assert 0 <= total_variation(p, q) <= 1
    # The largest error of any yes-no question.
    assert total_variation(p, q) == pytest.approx((q - p)[q > p].sum(), abs=1e-12)
    # Pinsker's inequality.
    assert kl_divergence(p, q) >= 2 * total_variation(p, q) ** 2 - 1e-12


def test_known_distances() -> None:
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])
    assert l1(p, q) == pytest.approx(1.0)
    assert total_variation(p, q) == pytest.approx(0.5)
    assert l2(p, q) == pytest.approx(np.sqrt(0.375))
    assert kl_divergence(p, q) == pytest.approx(np.log(2))
    assert kl_divergence(q, p) == np.inf
    assert kl_divergence(p, np.array([1.5, -0.5, 0.0])) == np.inf


@pytest.mark.parametrize("side", [1, 2, 3, 5, 9])
def test_box_error_is_the_mean_over_all_ways_to_lay_boxes(side: int) -> None:
    """Held against tilings laid one by one, also where boxes are larger than the map."""
    grid = GridDomain(0, 0, 1, 4, 7)
    truth, estimate = np.random.default_rng(side).dirichlet(np.ones(28), size=2)
    row, column = np.divmod(np.arange(28), 7)
    ways = []
    for down in range(side):
        for right in range(side):
            box = (row + down) // side * 100 + (column + right) // side
            ways.append(0.5 * np.abs(np.bincount(box, estimate - truth)).sum())
    assert box_error(truth, estimate, grid, side) == pytest.approx(np.mean(ways))
    assert ways[0] != pytest.approx(np.mean(ways)) or side == 1  # one way alone is another number


@given(WEIGHTS, WEIGHTS)
def test_larger_boxes_forgive_more_and_one_cell_is_total_variation(p: Floats, q: Floats) -> None:
    errors = [box_error(p, q, SMALL, side) for side in (1, 2, 4, 8, 64)]
    assert errors[0] == pytest.approx(total_variation(p, q))
    assert (np.diff(errors) <= 1e-12).all()
    assert box_sides(SMALL) == ()
    assert box_sides(GridDomain(0, 0, 0.1, 40, 30)) == (4,)


def test_the_largest_are_named_and_those_that_tie_in_part() -> None:
    truth = np.arange(1.0, 31.0)
    assert largest(truth, truth).number == 3
    assert (largest(truth, truth).f1, largest(truth, -truth).f1) == (1.0, 0.0)
    one_off = truth.copy()
    one_off[[26, 27]] = one_off[[27, 26]]  # the fourth and the third change places
    assert largest(truth, one_off).precision == pytest.approx(2 / 3)
    # Whoever names nobody in particular is right as often as chance: three of thirty.
    even = largest(truth, np.ones(30))
    assert (even.precision, even.recall) == pytest.approx((0.1, 0.1))
    # Of one that is named, one is right: precision 1, recall 1 of 3, whatever is 0 or below.
    few = np.where(truth == 30, 1.0, -truth)
    assert largest(truth, few).precision == 1.0
    assert largest(truth, few).recall == pytest.approx(1 / 3)
    assert largest(truth, few).f1 == pytest.approx(0.5)


SHARES = (np.array([0.5, 0.2, 0.2, 0.1]), np.full(9, 1 / 9), np.array([0.97, 0.03]))
QUESTIONS = tuple(Question(plain_mechanism_maker(p.size), p) for p in SHARES)
N, SURVEYS = 3000, 200
"""A mean of squares is known to 1/10 or better, so that one a third as large is found."""


@pytest.mark.slow
@pytest.mark.parametrize("questions", [1, 3])
def test_what_surveys_miss_by_is_what_the_formula_says(questions: int) -> None:
    asking = QuestionPlan(3, questions, 2.0)
    surveys = [
        ask_questions([asking] * 3, QUESTIONS, N, "none", seed_sequence(seed))
        for seed in range(SURVEYS)
    ]
    for at, question in enumerate(QUESTIONS):
        missed = np.array([survey[at].unbiased - question.p for survey in surveys])
        squares = np.square(missed).sum(axis=1, keepdims=True)
        formula = np.array([squared_error(asking, question, N)])
        spread = squares.std(axis=0)
        assert_mean(squares, formula, spread, SIGNIFICANCE / 6)
        # All people asked each question at all of ε: what two surveys would take, or three times ε.
        cheap = question.make(2.0).variance(question.p, N).sum(keepdims=True)
        with pytest.raises(AssertionError):
            assert_mean(squares, cheap, spread, SIGNIFICANCE)
        wrong = 0.5 * np.abs(missed).sum(axis=1, keepdims=True)
        forecast = np.array([wrong_share(asking, question, N, "none")])
        assert abs(wrong.mean() / forecast[0] - 1) < 0.25  # 3 % by trials, 6 standard errors


def test_a_guess_between_whole_records_is_that_of_the_composed_channel() -> None:
    keeps = Fraction(3, 4)  # ε = ln 3
    one = [[keeps, 1 - keeps], [1 - keeps, keeps]]
    several = one
    for reports in range(1, 6):
        apart = sum(abs(a - b) for a, b in zip(*several, strict=True)) / 2
        accuracy = max_record_guess_accuracy(np.log(3), reports)
        assert accuracy == pytest.approx(float((1 + apart) / 2), rel=1e-12)
        assert accuracy <= max_guess_accuracy(np.log(3), reports) + 1e-12
        several = release_both(several, one)


def test_few_questions_a_person_are_best_at_little_epsilon_and_many_at_much() -> None:
    assert [best_plan(QUESTIONS, epsilon, N).per_person for epsilon in (0.5, 1.0, 20.0)] == [
        1,
        1,
        3,
    ]
    openly = open_mechanism_maker(4)(1.0).variance(SHARES[0], N)
    np.testing.assert_allclose(openly, SHARES[0] * (1 - SHARES[0]) / N, rtol=1e-6)
    one, every = QuestionPlan(6, 1, 1.0), QuestionPlan(6, 6, 1.0)
    assert (one.people(N), every.people(N), one.answer_epsilon, every.answer_epsilon) == (
        500,
        N,
        1.0,
        1 / 6,
    )
    assert one.answer_guess_accuracy == pytest.approx((max_guess_accuracy(1.0) + 5 * 0.5) / 6)
    assert (
        every.record_guess_accuracy
        < one.record_guess_accuracy
        == pytest.approx(max_guess_accuracy(1.0))
    )


@pytest.mark.parametrize(
    "wrong", [{"questions": 0}, {"questions": 11}, {"per_person": 7}, {"epsilon": 0.005}]
)
def test_what_cannot_be_asked_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(CaldpError):
        QuestionPlan(**{"questions": 6, "per_person": 6, "epsilon": 1.0, **wrong})  # type: ignore[arg-type]


VALUES = np.linspace(20.0, 75.0, 12)
P = np.exp(-0.5 * np.square((np.arange(12) - 4) / 2.5))
P /= P.sum()
MEANS_N, MEANS_SURVEYS = 2000, 400


@pytest.mark.parametrize(
    "mechanism", [plain_mechanism_maker(12)(1.0), Best().make(GridMetric(1, 12, 0.5, 0.5))]
)
@pytest.mark.slow
def test_a_mean_is_right_and_off_by_what_its_interval_says(mechanism) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(7)
    found = []
    for _ in range(MEANS_SURVEYS):
        tally = mechanism.sample_tally(rng.multinomial(MEANS_N, P), rng)
        found.append(mean_of(mechanism, P, mechanism.estimate(tally), MEANS_N, VALUES))
    estimates = np.array([[each.estimate] for each in found])
    deviation = np.array([found[0].high - found[0].low]) / (2 * 1.959964)
    truth = np.array([P @ VALUES])
    assert found[0].truth == pytest.approx(truth[0])
    assert_mean(estimates, truth, deviation, SIGNIFICANCE / 4)
    squares = np.square(estimates - truth)
    spread = np.sqrt(2) * deviation**2  # of a normal law's square
    assert_mean(squares, deviation**2, spread, SIGNIFICANCE / 4)
    sampling = (P @ np.square(VALUES) - truth**2) / MEANS_N
    with pytest.raises(AssertionError):  # without the noise
        assert_mean(squares, sampling, np.sqrt(2) * sampling, SIGNIFICANCE)
