"""How near estimates come: estimators on maps, several questions per person, numbers in steps."""

import os
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from typing import Any, ClassVar, Final

import numpy as np
from scipy.ndimage import gaussian_filter

from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Gowalla
from caldp_core.datasets.base_map import world_cities
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.estimation.cascade_estimator import cascade_with_prior, prior_effect
from caldp_core.estimation.estimators import ESTIMATORS, PostProcess
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.shares import estimate
from caldp_core.experiments.metrics import box_error
from caldp_core.experiments.questions import (
    Question,
    QuestionPlan,
    ask_questions,
    plain_mechanism_maker,
)
from caldp_core.mechanisms import registry
from caldp_core.mechanisms.specs import SquareWave
from caldp_core.privacy.context import Context

from .calibrate import calibrate
from .peers import library

US_BLOCKS: Final = {"US": (1, 1), "US, 5 × 7 blocks": (5, 7), "US, 25 × 35 blocks": (25, 35)}
WITH_INHABITANTS: Final = "cascade with inhabitants"
PURE_LDP: Final = "pure-ldp's projection"
FOR_ANY_DATA: Final = {
    entry.name: entry.apply
    for entry in ESTIMATORS.values()
    if not entry.on_maps and not entry.in_order and entry.name != "none"
} | {"Calibrate-like": calibrate}
_SIDE: Final = 16
_LARGEST: Final = 50


def inhabitants(rows: int, columns: int) -> Floats:
    """(rows × columns,) inhabitants of the Earth, spread as in `datasets/base_map.py`."""
    towns = world_cities()
    at = np.array([((t.latitude + 90) / 180, (t.longitude + 180) / 360) for t in towns])
    row, column = (at * (rows, columns)).astype(np.int64).T
    middles = np.zeros((rows, columns))
    np.add.at(middles, (row, column), [town.population for town in towns])
    return np.asarray((0.4 * middles + 0.6 * gaussian_filter(middles, 1, mode="constant")).ravel())


class Estimators:
    """All on the same reports of Galois response; people in 100 in the wrong cell.

    `CALDP_WORLD`: a map of the world, .npz with `counts`, rows × columns; skipped without it. The
    projection onto the simplex has 42 of 100 on the world at ε = 1.
    """

    params = (
        ["the world", *US_BLOCKS],
        [0.5, 1.0, 2.0],
        [*FOR_ANY_DATA, PURE_LDP, WITH_INHABITANTS],
    )
    param_names = ("map", "epsilon", "estimator")
    timeout, draws = 600, 3
    bars: ClassVar = {
        "track_wrong_cell": lambda *case: 27.0 if case == ("the world", 1.0, "cascade") else None,
        "time_estimate": lambda on, _, name: (
            0.03 if name == "cascade" and on != "the world" else None
        ),
    }

    def setup(self, on: str, epsilon: float, name: str) -> None:
        """Draw the reports; raises `NotImplementedError` without the map or the peer."""
        people = self._people(on)
        rng = np.random.default_rng(5)
        labels = grid_blocks(self.grid, *US_BLOCKS.get(on, (1, 1))).labels
        self.apply = self._estimator(on, name)
        mechanism = registry.in_context(Context.block_structured(labels, epsilon), "galois")
        tallies = [mechanism.sample_tally(people, rng) for _ in range(self.draws)]
        self.truth = people / people.sum()
        self.evidences = [Evidence.of(mechanism, tally, domain=self.grid) for tally in tallies]

    def _people(self, on: str) -> Ints:
        self.grid = US_GRID
        if on != "the world":
            counts = Gowalla().load().counts
            assert counts is not None
            return counts
        if "CALDP_WORLD" not in os.environ:
            raise NotImplementedError("CALDP_WORLD names no map of the world.")
        world: Ints = np.load(os.environ["CALDP_WORLD"])["counts"].astype(np.int64)
        rows, columns = world.shape  # only their neighbourhood matters
        self.grid = GridDomain(-90, -180, min(180 / rows, 360 / columns), rows, columns)
        return world.ravel()

    def _estimator(self, on: str, name: str) -> PostProcess:
        if name == PURE_LDP:
            project = library("pure_ldp.core.prob_simplex").project_probability_simplex
            return lambda evidence: np.asarray(project(evidence.unbiased.copy()), np.float64)
        if name != WITH_INHABITANTS:
            return FOR_ANY_DATA[name]
        if on != "the world":
            raise NotImplementedError("The reconstruction was made from where people live.")
        self.prior = inhabitants(self.grid.rows, self.grid.columns)
        return lambda evidence: cascade_with_prior(evidence, self.prior)

    def _estimate(self, evidence: Evidence) -> Floats:
        return self.apply(replace(evidence))  # without what an earlier estimator has worked out

    def _mean(self, error: Callable[[Floats], float]) -> float:
        return 100 * float(np.mean([error(self._estimate(each)) for each in self.evidences]))

    def time_estimate(self, *_: object) -> None:
        """One estimate."""
        self._estimate(self.evidences[0])

    def track_wrong_cell(self, *_: object) -> float:
        """People in 100 in the wrong cell."""
        return self._mean(lambda shares: 0.5 * float(np.abs(shares - self.truth).sum()))

    def track_wrong_box(self, *_: object) -> float:
        """People in 100 in the wrong box of 16 × 16 cells."""
        return self._mean(lambda shares: box_error(self.truth, shares, self.grid, _SIDE))

    def track_wrong_in_largest(self, *_: object) -> float:
        """The part of the 50 largest cells in the error."""
        largest = np.argsort(self.truth)[-_LARGEST:]
        return self._mean(lambda shares: 0.5 * float(np.abs(shares - self.truth)[largest].sum()))

    def track_moved_by_prior(self, _: str, __: float, name: str) -> float:
        """People in 100 whom the inhabitants have moved."""
        if name != WITH_INHABITANTS:
            return float("nan")
        pairs = ((each, self._estimate(each)) for each in self.evidences)
        return float(np.mean([50 * np.abs(prior_effect(*pair)).sum() for pair in pairs]))


ANSWERS: Final = (2, 3, 5, 17, 31)
"""Answers to each question: yes or no, a place, a grade, ages and incomes in steps."""
ONE_QUESTION: Final = "one question a person"
SHARED: Final = "ε shared by all"
PEERS_SURVEYS: Final = {
    "multi-freq-ldpy, one question a person (SMP)": "SMP",
    "multi-freq-ldpy, ε shared by all (SPL)": "SPL",
    "multi-freq-ldpy, one true answer among made-up ones (RS+FD)": "RSpFD",
}


class Questions:
    """Several questions per person: people in 100 under the wrong answer, question by question."""

    params = ([ONE_QUESTION, SHARED, *PEERS_SURVEYS], [1.0, 4.0])
    param_names = ("method", "epsilon")
    timeout, people, draws = 900, 5_000, 5

    def setup(self, method: str, _: float) -> None:
        """Raises `NotImplementedError` without the peer."""
        self.shares = [1.0 / np.arange(1.0, k + 1.0) for k in ANSWERS]
        self.shares = [p / p.sum() for p in self.shares]
        if method in PEERS_SURVEYS:
            name = f"{PEERS_SURVEYS[method]}_solution"
            self.module = library(f"multi_freq_ldpy.mdim_freq_est.{name}")

    def track_wrong_answer(self, method: str, epsilon: float) -> float:
        """Median of five draws."""
        draw = self._theirs if method in PEERS_SURVEYS else self._ours
        return median(self._error(draw(method, epsilon, seed)) for seed in range(self.draws))

    def _error(self, estimates: list[Floats]) -> float:
        pairs = zip(estimates, self.shares, strict=True)
        return 100 * float(np.mean([0.5 * np.abs(found - p).sum() for found, p in pairs]))

    def _ours(self, method: str, epsilon: float, seed: int) -> list[Floats]:
        plan = QuestionPlan(len(ANSWERS), 1 if method == ONE_QUESTION else len(ANSWERS), epsilon)
        questions = [Question(plain_mechanism_maker(p.size), p) for p in self.shares]
        plans = [plan] * len(questions)
        marginals = ask_questions(plans, questions, self.people, "simplex", seed)
        return [each.estimate for each in marginals]

    def _theirs(self, method: str, epsilon: float, seed: int) -> list[Floats]:
        """Shares clipped to distributions."""
        np.random.seed(seed)  # noqa: NPY002 — the only coins that they take
        rng, name = np.random.default_rng(seed), f"{PEERS_SURVEYS[method]}_ADP"
        answers = np.stack([rng.choice(p.size, self.people, p=p) for p in self.shares], axis=1)
        of: tuple[Any, ...] = (list(ANSWERS), len(ANSWERS), epsilon)
        client = getattr(self.module, f"{name}_Client")
        reports = [client(tuple(row), *of) for row in answers.tolist()]
        found = getattr(self.module, f"{name}_Aggregator_MI")(reports, *of)
        return [np.asarray(each, float) for each in found]


STEPS: Final = 32
_X: Final = (np.arange(STEPS) + 0.5) / STEPS
SHAPES: Final = {
    "ages": np.exp(-0.5 * np.square((_X - 0.4) / 0.2)),
    "incomes": _X**1.5 * np.exp(-10 * _X),
    "two peaks": np.exp(-np.square((_X - 0.25) / 0.03)) + np.exp(-np.square((_X - 0.8) / 0.02)),
}
METHODS: Final = {
    "the best of any values, projected": (None, "simplex"),
    "square wave, smoothed": (SquareWave(), "smoothed"),
    "square wave, likelihood": (SquareWave(), "maximum-likelihood"),
}


class Numbers:
    """Numbers in 32 steps in plain LDP, beside the square wave (Li et al. 2020)."""

    params = (list(SHAPES), [0.5, 1.0, 2.0], list(METHODS))
    param_names = ("shape", "epsilon", "method")
    people, draws = 5_000, 15

    def setup(self, shape: str, epsilon: float, method: str) -> None:
        """Draw the estimates."""
        self.p = SHAPES[shape] / SHAPES[shape].sum()
        spec, name = METHODS[method]
        mechanism = plain_mechanism_maker(STEPS, *([spec] if spec else []))(epsilon)
        rngs = map(np.random.default_rng, range(self.draws))
        tallies = [mechanism.sample_tally(r.multinomial(self.people, self.p), r) for r in rngs]
        self.off = [estimate(mechanism, tally, name) - self.p for tally in tallies]

    def track_distance(self, *_: object) -> float:
        """Wasserstein distance in percent of the scale."""
        return 100 * median(float(np.abs(np.cumsum(off)).sum()) / STEPS for off in self.off)

    def track_wrong(self, *_: object) -> float:
        """People in 100 under a wrong number."""
        return 50 * median(float(np.abs(off).sum()) for off in self.off)

    def track_mean(self, *_: object) -> float:
        """Error of the mean in percent of the scale."""
        return 100 * median(abs(float(off @ np.arange(STEPS))) / STEPS for off in self.off)
