"""Sentences are true of the scenario they stand beside: numbers recomputed, claims on channels."""

import math
import re

import numpy as np
import pytest

from caldp_core.basics.types import Bools
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.scenarios.blocks import EverythingSensitive, OneBlock, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.words import accuracy, promise
from caldp_ui.words.formats import PLACES
from tests import ROOT
from tests.contract.checks import naming
from tests.ui.small import CONTEXTS, channel_of, setup_of

EPSILONS = (0.1, 1.0, 3.0)
PROTECTING = [name for name in CONTEXTS if name not in ("blocks of one cell", "nothing")]


def chance(epsilon: float) -> float:
    return math.exp(epsilon) / (1 + math.exp(epsilon))


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def pairs(setup: Setup) -> list[tuple[int, int]]:
    """Pairs of a hidden symbol and another of its block: those whose odds are bounded."""
    labels = setup.partition.labels
    hidden = symbol_partition_of(setup.mechanism).hidden.tolist()
    return [(x, o) for x in hidden for o in range(labels.size) if x != o and labels[x] == labels[o]]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", PROTECTING)
def test_odds_are_those_of_the_best_guess(name: str, epsilon: float) -> None:
    setup = setup_of(name, epsilon)
    channel = channel_of(setup)
    success = max(np.maximum(channel[x], channel[o]).sum() / 2 for x, o in pairs(setup))
    assert success <= promise.chance(setup) + 1e-9
    (percent, *_) = re.findall(r"most \*\*([\d.]+) times", promise.odds_text(PLACES, setup))
    assert float(percent) == pytest.approx(100 * promise.chance(setup), abs=0.5)


def test_examples_of_epsilon_are_the_odds_at_it() -> None:
    examples = re.findall(r"(\d+) at ε = ([\d.]+)", promise.epsilon_examples())
    assert len(examples) == 3
    for best, epsilon in examples:
        assert best == f"{100 * chance(float(epsilon)):.0f}"


@pytest.mark.parametrize("name", ["blocks of one cell", "nothing"])
def test_where_nothing_is_protected_it_is_said(name: str) -> None:
    setup = setup_of(name)
    assert (channel_of(setup).max(axis=1) == 1).all()  # every report names its place
    assert numbers(promise.odds_text(PLACES, setup)) == []
    assert promise.odds_text(PLACES, setup) != promise.odds_text(PLACES, setup_of("plain LDP"))
    assert promise.repeats_text(PLACES, setup) == ""


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 1.3])
def test_repeated_reports_add_up(epsilon: float) -> None:
    values = numbers(promise.repeats_text(PLACES, setup_of("blocks", epsilon)))
    best = chance(promise.REPEATS * epsilon)
    assert promise.REPEATS in values
    assert any(abs(number - 100 * best) <= 0.5 for number in values)


@pytest.mark.parametrize("epsilon", [1.5, 5.0, 20.0])
def test_many_reports_about_one_person_hide_practically_nothing(epsilon: float) -> None:
    assert chance(promise.REPEATS * epsilon) > 0.999
    assert numbers(promise.repeats_text(PLACES, setup_of("blocks", epsilon))) == [promise.REPEATS]


def test_weakest_of_several_promises_is_told() -> None:
    scenario = Scenario().with_context(
        blocks=StateBlocks(), epsilon=tuple(np.linspace(0.2, 1.7, 50))
    )
    assert promise.largest_epsilon(scenario) == pytest.approx(1.7)
    assert promise.largest_epsilon(Scenario().with_context(epsilon=0.4)) == 0.4


@pytest.mark.parametrize("name", CONTEXTS)
def test_what_is_not_promised_mentions_what_is_open(name: str) -> None:
    setup = setup_of(name)
    sentences = promise.not_promised(PLACES, setup)
    scenario = setup.scenario
    assert any("took part" in s for s in sentences)
    says_block = any("shows which block" in s for s in sentences)
    assert says_block == (not isinstance(scenario.context.blocks, OneBlock))
    lonely = int((setup.partition.sizes() == 1).sum())
    assert any("single place" in s for s in sentences) == (lonely > 0)
    if lonely:
        assert any(s.startswith(f"{lonely} ") for s in sentences)
    says_clear = any("openly" in s or "Every report names its" in s for s in sentences)
    assert says_clear >= (not isinstance(scenario.context.sensitive, EverythingSensitive))


def _disjoint(one: Bools, other: Bools) -> bool:
    return not (one & other).any()


@pytest.mark.parametrize("name", CONTEXTS)
def test_every_report_shows_its_block(name: str) -> None:
    setup = setup_of(name)
    possible, labels = channel_of(setup) > 0, setup.partition.labels
    reached = [possible[labels == block].any(axis=0) for block in range(setup.partition.m)]
    for i, one in enumerate(reached):
        assert all(_disjoint(one, other) for other in reached[:i])


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", ["sensitive corner", "blocks and corner"])
def test_clear_share_is_the_channel_s(name: str, epsilon: float) -> None:
    setup = setup_of(name, epsilon)
    channel, labels = channel_of(setup), setup.partition.labels
    hidden = symbol_partition_of(setup.mechanism).hidden
    blocks = set(labels[hidden].tolist())
    own = [
        channel[x, np.delete(channel, x, axis=0).max(axis=0) == 0].sum()
        for x in symbol_partition_of(setup.mechanism).clear
        if labels[x] in blocks
    ]
    sentence = next(s for s in promise.not_promised(PLACES, setup) if "openly" in s)
    assert any(abs(number - 100 * min(own)) <= 0.5 for number in numbers(sentence))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("name", ["sensitive corner", "blocks and corner"])
def test_how_far_a_report_can_speak_for_a_sensitive_place(name: str, epsilon: float) -> None:
    setup = setup_of(name, epsilon)
    channel, labels = channel_of(setup), setup.partition.labels
    best = max(
        (channel[x] / (channel[x] + channel[o] + 1e-300)).max()
        for x in symbol_partition_of(setup.mechanism).hidden
        for o in symbol_partition_of(setup.mechanism).clear
        if labels[x] == labels[o]
    )
    (sentence,) = (s for s in promise.not_promised(PLACES, setup) if "openly" in s)
    text = sentence.rpartition("chance becomes ")[2]
    if best >= 0.9995:
        assert "at most" not in text
        assert numbers(text)[0] == 99.9 < 100 * best
    else:
        assert text.startswith("at most ")
        assert abs(numbers(text)[0] - 100 * best) <= 0.5


@pytest.mark.parametrize("epsilon", [7.7, 10.0, 20.0])
def test_what_cannot_be_told_from_certainty_is_not_called_a_bound(epsilon: float) -> None:
    text = promise.odds_text(PLACES, setup_of("blocks", epsilon))
    assert "at most" not in text
    assert 100 * chance(epsilon) > 99.9
    assert 99.9 in numbers(text)
    assert "at most" in promise.odds_text(PLACES, setup_of("blocks", 7.5))


@pytest.mark.parametrize("tv", [0.0, 1e-9, 0.00041, 0.0007, 0.003, 0.0149, 0.118, 0.5, 0.999])
def test_a_total_variation_in_words(tv: float) -> None:
    text = accuracy.tv_in_words(PLACES, tv)
    share, of = numbers(text.replace(",", "").replace(" billion", "0" * 9))
    if text.startswith("all but"):
        share = of - share
    assert abs(share / of - tv) <= 0.5 / of + 1e-12
    assert (share == 0) == (tv == 0)


@pytest.mark.parametrize("tv", [1.001, 1.2, 19.7])
def test_what_is_no_share_is_not_told_as_one(tv: float) -> None:
    assert numbers(accuracy.tv_in_words(PLACES, tv)) == []
    assert "in the wrong place" not in accuracy.tv_in_words(PLACES, tv)


def test_need_of_plain_ldp_is_a_ratio_of_people() -> None:
    setup = setup_of("blocks")
    text, meaning = accuracy.plain_needs(setup, 12 * setup.n)
    assert text == f"{12 * setup.n:,}"
    assert numbers(meaning) == [12]
    assert numbers(accuracy.plain_needs(setup, setup.n)[1]) == []
    text, _ = accuracy.plain_needs(setup, None)
    assert text == "more than 1 trillion"


@pytest.mark.parametrize("times", [1.2, 3.75, 9.9, 12.0, 734.0])
def test_times_as_many(times: float) -> None:
    setup = setup_of("blocks")
    values = numbers(accuracy.plain_needs(setup, round(times * setup.n))[1].replace(",", ""))
    assert values[0] == pytest.approx(times, rel=0.05)


def test_plus_minus_is_a_95_percent_range_wherever_it_is_written() -> None:
    """A file that writes ± says there or in its own column what it is; `formats` only sets it."""
    for path in sorted((ROOT / "caldp_ui").rglob("*.py")):
        text = path.read_text("utf-8")
        if "±" in text and path.name not in {"formats.py", "page_state.py"}:
            with naming(str(path)):
                assert "95 %" in text or "95 of 100" in text
                assert "standard error ±" not in text
                assert "± standard error" not in text
