"""Every chance that is stated holds on the exact channel of every mechanism that can run.

Policies are drawn: one sensitive value, a few, one area of a map, blocks of one, several ε, every
kind. What a sentence says is read back from its text, and held against all pairs that it is of.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats
from caldp_core.datasets import Dataset, YesOrNo, Zipf
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup, prepare
from caldp_core.mechanisms.catalogue import mechanisms_for
from caldp_core.mechanisms.personalised import TaggedMechanism
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.matrix import closure
from caldp_core.scenarios.blocks import SensitiveAreas, SensitiveSymbols, SymbolBlocks
from caldp_core.scenarios.policies import (
    BinaryQuestion,
    ContextPolicy,
    CrowFlies,
    Distances,
    Line,
    MatrixPolicy,
    PersonalTags,
    Streets,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.words import accuracy, policies, promise
from caldp_ui.words.formats import ANSWERS, PLACES
from caldp_ui.words.promise import PromiseText
from tests.strategies import on_a_line
from tests.ui.readings import read
from tests.ui.small import CONTEXTS, DATASET

_GUESS: Final = re.compile(r"(?:is right at most|may be right) \*\*(.+?) times in 100\*\*")
_EVEN: Final = re.compile(r"even chance (?:becomes|into) (at most )?\*{0,2}(more than )?([\d.]+)")
_NAMED: Final = re.compile(r"one report names the \w+ of (.+?) (?:people|of the others|of them)")
_READ: Final = re.compile(r"the true \w+ of (?:\*\*)?(.+?)(?:\*\*)? of them")
FEW = settings(max_examples=16, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LEVEL = st.sampled_from([0.1, 0.5, 1.0, 2.0, 4.0, 9.0])


@dataclass(frozen=True, eq=False)
class Truth:
    """What a mechanism does. `rows`: (k, outputs); `held`: (k, k) whom each hides behind."""

    rows: Floats
    held: Bools

    def guess(self, pairs: Bools, reports: int = 1) -> float:
        """Most that an even guess between two of these (k, k) pairs is right."""
        found = [_right(self.rows[[x, other]], reports) for x, other in np.argwhere(pairs)]
        return max(found, default=0.5)

    def believed(self, of: Bools) -> float:
        """Most that an even chance of one of these, against another, becomes by one report."""
        best = 0.5
        for x, other in np.argwhere(self.held & of[:, None]):
            sent = self.rows[x] > 0
            odds = self.rows[x, sent] / (self.rows[x, sent] + self.rows[other, sent])
            best = max(best, float(odds.max()))
        return best

    def names(self) -> Floats:
        """(k,) chance that a report of each symbol could be nobody else's."""
        alone = (self.rows > 0).sum(axis=0) == 1
        return np.asarray(self.rows[:, alone].sum(axis=1))


def _right(pair: Floats, reports: int) -> float:
    """(1 + TV)/2 of that many reports; outputs of one likelihood ratio are one outcome."""
    ratio = np.round(pair[0] / np.maximum(pair.sum(axis=0), 1e-300), 9)
    one = np.stack([[side[ratio == r].sum() for r in np.unique(ratio)] for side in pair])
    many = one
    for _ in range(reports - 1):
        many = (many[:, :, None] * one[:, None, :]).reshape(2, -1)
    return float(np.maximum(many[0], many[1]).sum() / 2)


def truth_of(setup: Setup) -> Truth:
    """By the channel of the mechanism; own places are symbols of their own there."""
    mechanism: Any = setup.mechanism
    policy: Any = setup.policy
    if isinstance(mechanism, TaggedMechanism):
        mechanism, policy = mechanism.common, policy.with_tags()
    rows = np.array([[float(entry) for entry in row] for row in mechanism.exact_channel()])
    held = np.isfinite(closure(policy).entries) & ~np.eye(policy.k, dtype=np.bool_)
    return Truth(rows, held & _near(setup, policy.k))


def _near(setup: Setup, k: int) -> Bools:
    """(k, k) the pairs that sentences on distances speak of; all where they are on all."""
    policy: Any = setup.scenario.policy
    if isinstance(policy, Line):
        return np.asarray(np.abs(np.subtract.outer(np.arange(k), np.arange(k))) == 1)
    if isinstance(policy, CrowFlies):
        grid: Any = setup.dataset.domain
        return np.stack([grid.km_from(x) for x in range(k)]) <= policy.km
    if isinstance(policy, Streets):
        return np.asarray(dense(setup.policy) <= policy.epsilon)
    return np.ones((k, k), np.bool_)


def under_each(scenario: Scenario, dataset: Any) -> Iterator[tuple[Setup, Truth]]:
    """The scenario under every mechanism of the catalogue that keeps its policy."""
    load = (lambda s, p: dataset) if dataset is not None else (lambda s, p: s.dataset.load(p))
    first = prepare(scenario, load=load)
    for entry in mechanisms_for(first.policy):
        try:
            setup = prepare(replace(scenario, mechanism=entry.spec()), load=load)
            yield setup, truth_of(setup)
        except CaldpError:
            continue  # too large to be written out


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\*{0,2} (?=[A-Z“])", text)


def hold(text: PromiseText, truth: Truth) -> None:
    """Each number of each sentence, against the pairs that the sentence is of."""
    both = truth.held & truth.held.T
    texts = [text.summary, text.odds, text.repeats, *text.not_promised]
    for sentence in {s for t in [*texts, *(g.odds for g in text.grades)] for s in sentences(t)}:
        reports = promise.REPEATS if sentence.startswith("Reports add up") else 1
        pairs = both if "two protected" in sentence or "Between two" in sentence else truth.held
        for number in _GUESS.findall(sentence):
            assert truth.guess(pairs, reports) <= read(number).high / 100 + 1e-9, sentence
        for most, _, number in _EVEN.findall(sentence):
            assert (
                not most or truth.believed(_of(sentence, truth)) <= read(number).high / 100 + 1e-9
            )


def _of(sentence: str, truth: Truth) -> Bools:
    """(k,) the values that a sentence speaks of: one of “no” and “yes”, else all."""
    every = np.ones(len(truth.held), np.bool_)
    named = re.findall("“(no|yes)”", sentence)
    return every if not named else np.array([name in named for name in ("no", "yes")])


def covers(text: PromiseText, setup: Setup, truth: Truth) -> None:
    """Who is protected, who is not, and how many of those one report names."""
    hidden: Bools = np.asarray(truth.held.any(axis=1))
    people = setup.dataset.distribution
    assert text.protected_share == pytest.approx(float(people[hidden].sum()), abs=1e-12)
    headline = accuracy.headline(ANSWERS, setup, 0.1, 0.5)
    assert headline.unprotected == (text.protected_share < 1.0)
    first = text.summary.partition(". ")[0]
    assert ("protected" in first and ("not" in first or "nly" in first or "obody" in first)) == (
        text.protected_share < 1.0
    )
    if text.protected_share < 1.0 and isinstance(setup.policy, Context):
        named = truth.names()
        assert (named[~hidden] > 0).all(), "can be read"
        share = float((people * named)[~hidden].sum() / people[~hidden].sum())
        (count,) = _READ.findall(text.grades[0].odds)
        assert read("100 of 100" if count == "each" else count).holds(share) or share >= 0.995


def reads(text: PromiseText, setup: Setup, truth: Truth) -> None:
    """Of how many of the unprotected one report names the value, as the first sentence says it."""
    k = setup.mechanism.k
    hidden: Bools = np.asarray(truth.held.any(axis=1))
    left = setup.dataset.distribution * ~hidden[:k]
    if left.sum() < 1e-12:
        return
    share = float(left @ truth.names()[:k] / left.sum())
    sentence = promise.unprotected_text(ANSWERS, text.protected_share, text.readable)
    numbers = _NAMED.findall(sentence)
    assert all(read(number).holds(share) for number in numbers), sentence
    assert ("can be read" in sentence) == (share >= 0.995), sentence
    assert ("no promise hides" in sentence) == (share < 1e-12), sentence
    assert len(numbers) == (1e-12 <= share < 0.995), sentence


def check(scenario: Scenario, dataset: Any = None) -> tuple[float, float]:
    """All mechanisms; what is promised of protected people, and the most that one reaches."""
    reached, text = 0.5, None
    nouns = ANSWERS if dataset is None else PLACES
    for setup, truth in under_each(scenario, dataset):
        text = policies.describe_promise(nouns, setup)
        hold(text, truth)
        reads(text, setup, truth)
        if not isinstance(scenario.policy, PersonalTags):
            covers(text, setup, truth)
        reached = max(reached, truth.guess(truth.held))
    assert text is not None
    return text.chance, reached


@st.composite
def contexts(draw: st.DrawFn) -> Scenario:
    """One block or several, some of one value; one sensitive value, a few or all."""
    k = draw(st.integers(2, 6))
    labels = draw(st.lists(st.integers(0, 2), min_size=k, max_size=k) | st.just([0] * k))
    blocks = [",".join(str(x) for x in range(k) if labels[x] == b) for b in (1, 2)]
    some = st.lists(st.integers(0, k - 1), max_size=k, unique=True)
    sensitive = draw(st.just([draw(st.integers(0, k - 1))]) | some)
    m = len(set(labels))
    level = draw(LEVEL | st.lists(LEVEL, min_size=m, max_size=m).map(tuple))
    policy = ContextPolicy(
        SymbolBlocks(tuple(filter(None, blocks))),
        SensitiveSymbols(tuple(map(str, sensitive))),
        level,
    )
    return Scenario(Zipf(k), policy, n=1000)


@FEW
@given(contexts())
def test_contexts(scenario: Scenario) -> None:
    check(scenario)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_one_sensitive_value_of_twelve_is_no_safer_than_is_said(epsilon: float) -> None:
    policy = ContextPolicy(SymbolBlocks(), SensitiveSymbols(("3",)), epsilon)
    chance, reached = check(Scenario(Zipf(12), policy, n=1000))
    assert chance == pytest.approx(1 - np.exp(-epsilon) / 2)
    assert reached == pytest.approx(chance, abs=1e-9)
    assert reached > np.exp(epsilon) / (1 + np.exp(epsilon)) + 0.02  # what was said of it before


@pytest.mark.parametrize("name", CONTEXTS)
def test_areas_of_a_map(name: str) -> None:
    blocks, sensitive = CONTEXTS[name]
    check(Scenario().with_context(blocks=blocks, sensitive=sensitive), DATASET)


@FEW
@given(LEVEL | st.just(np.inf), LEVEL | st.just(np.inf))
def test_yes_or_no(first: float, second: float) -> None:
    chance, reached = check(Scenario(YesOrNo(0.3), BinaryQuestion(first, second), n=1000))
    assert reached == pytest.approx(chance, abs=1e-9) or first == second == np.inf


@st.composite
def matrices(draw: st.DrawFn) -> MatrixPolicy:
    """Some limits missing, some rows without any."""
    k = draw(st.integers(2, 4))
    bare = draw(st.lists(st.booleans(), min_size=k, max_size=k))
    level = LEVEL | st.just(np.inf)
    return MatrixPolicy(
        tuple(
            tuple(0.0 if x == y else np.inf if bare[x] else draw(level) for y in range(k))
            for x in range(k)
        )
    )


@FEW
@given(matrices())
def test_any_small_matrix(policy: MatrixPolicy) -> None:
    check(Scenario(Zipf(len(policy.rows)), policy, n=1000))


@FEW
@given(st.lists(st.integers(0, 5), min_size=2, max_size=4, unique=True), LEVEL)
def test_tables_of_distances(places: list[int], epsilon: float) -> None:
    check(Scenario(Zipf(len(places)), Distances(on_a_line(places), epsilon), n=1000))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_scales(epsilon: float) -> None:
    chance, reached = check(Scenario(Zipf(6), Line(epsilon), n=1000))
    assert reached == pytest.approx(chance, abs=0.005)


@pytest.mark.parametrize("policy", [Streets(1.0, 150.0), CrowFlies(1.0, 150.0)], ids=repr)
def test_distances_on_a_map(policy: Streets | CrowFlies) -> None:
    grid, people = GridDomain(10.0, -20.0, 1.0, 3, 3), np.arange(1, 10)
    nine = Dataset("9 cells", "Made for tests.", grid, people / people.sum(), people)
    _, reached = check(Scenario(policy=policy), nine)
    assert reached > 0.6


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_own_places(epsilon: float) -> None:
    common = SensitiveAreas(("+10,11,-20,-18",))
    chance, reached = check(
        Scenario(policy=PersonalTags(common, (0.3, 0.2), "truth", epsilon)), DATASET
    )
    assert chance == pytest.approx(1 - np.exp(-epsilon) / 2)
    assert reached > 0.5 + (chance - 0.5) / 4
