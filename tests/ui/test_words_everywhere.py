"""Sentences are true of every kind of scenario, at both ends of ε and for a single person."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Bools
from caldp_core.datasets import Cities
from caldp_core.domain.grid import US_GRID, Area
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Setup, prepare, run
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import SensitiveAreas
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute.runs import context_of
from caldp_ui.maps import presets
from caldp_ui.places import view as places_words
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import PLACES
from tests.products import thinned
from tests.ui.scenarios import BASE, VARIED
from tests.ui.small import CONTEXTS, setup_of

ALL: dict[str, Scenario] = {
    **VARIED,
    **{preset.title: preset.apply(Scenario()) for preset in presets.PRESETS},
    "least epsilon": BASE.with_context(epsilon=EPSILON_MIN),
    "most epsilon": BASE.with_context(epsilon=EPSILON_MAX),
    "most epsilon, areas": VARIED["areas"].with_context(epsilon=EPSILON_MAX),
    "one person": replace(BASE, n=1),
}
_SHARE = re.compile(r"(all but )?(\d+) of (1?[\d,]+|1 [a-z]+)(?= people)")
_UNITS = {"1 million": 1e6, "1 billion": 1e9, "1 trillion": 1e12}


@cache
def ready(name: str) -> Setup:
    return prepare(ALL[name])


def shares(text: str) -> list[tuple[float, float]]:
    """Each "x of y people" of the text: the share, and how far rounding may take it."""
    found = []
    for rest, number, of in _SHARE.findall(text):
        size = _UNITS.get(of) or float(of.replace(",", ""))
        share = float(number) / size
        found.append((1 - share if rest else share, 0.5 / size + 1e-11))
    return found


def says(text: str, share: float) -> bool:
    return any(abs(number - share) <= slip for number, slip in shares(text))


def kinds(setup: Setup) -> tuple[Bools, Bools, Bools]:
    """Places that hide, sensitive ones alone in their block, and others, by the context alone."""
    context = context_of(setup)
    alone = (np.bincount(context.blocks) == 1)[context.blocks]
    return context.sensitive & ~alone, context.sensitive & alone, ~context.sensitive


@pytest.mark.parametrize("name", thinned(ALL, one_in=4))
def test_who_is_protected_and_who_is_not_are_everybody(name: str) -> None:
    setup = ready(name)
    truth, text = setup.dataset.distribution, promise.protected_text(PLACES, setup)
    hides, single, other = kinds(setup)
    first = text.partition(".**")[0]
    covered = float(truth[hides].sum())
    amounts = shares(re.sub(r" are$", " people are", first))
    some = [covered] if covered > 1 - 1e-12 else [1 - covered, covered]
    expected = some if hides.any() else []
    for (share, slip), wanted in zip(amounts, expected, strict=True):
        assert abs(share - wanted) <= slip
    assert amounts or first == "**Nobody is protected"
    rest = text.partition(".**")[2]
    for flags, mark in ((single, "of one place"), (other, "not sensitive")):
        assert (mark in rest) == flags.any()
        assert not flags.any() or says(rest, truth[flags].sum())
    assert len(shares(rest)) == single.any() + other.any()


@pytest.mark.parametrize("name", CONTEXTS)
def test_protected_means_that_the_policy_bounds_a_pair(name: str) -> None:
    setup = setup_of(name)
    x, other = np.divmod(np.arange(setup.dataset.domain.k**2), setup.dataset.domain.k)
    bounded = np.isfinite(setup.policy.between(x, other)) & (x != other)
    hides = np.bincount(x[bounded], minlength=setup.dataset.domain.k) > 0
    share = setup.dataset.distribution[hides].sum()
    assert promise.protected_share(setup) == pytest.approx(share, abs=1e-12)


def test_equal_cities_protect_everybody() -> None:
    text = promise.protected_text(PLACES, ready("Every city equally"))
    assert [share for share, _ in shares(text)] == [1.0]


@pytest.mark.parametrize("name", ALL)
def test_how_many_name_their_place_openly(name: str) -> None:
    setup = ready(name)
    hides, _, other = kinds(setup)
    sentences = [
        s for s in promise.not_promised(PLACES, setup) if s.startswith("At places that are not")
    ]
    assert bool(sentences) == (other.any() and hides.any())
    for sentence in sentences:
        labels = setup.partition.labels
        with_hidden, with_other = set(labels[hides].tolist()), set(labels[other].tolist())
        bare, mixed = with_other - with_hidden, with_other & with_hidden
        if not mixed:
            assert "everybody names their place" in sentence
            continue
        assert (f"In {len(bare)} of {setup.partition.m:,} " in sentence) == bool(bare)
        least = symbol_partition_of(setup.mechanism).clear_share[sorted(mixed)].min()
        assert says(sentence, least) or ("nearly all" in sentence and least >= 0.995)


def test_blocks_without_anything_to_hide_are_open() -> None:
    scenario = BASE.with_context(sensitive=SensitiveAreas(("+b40,41,-75,-73",)))
    (sentence,) = (s for s in promise.not_promised(PLACES, prepare(scenario)) if "openly" in s)
    assert "everybody names their place" in sentence


@pytest.mark.parametrize("box", ["40.2,40.4,-74.2,-74", "40,41.4,-76,-73", "25,25.4,-119,-118"])
@pytest.mark.parametrize("name", ["base", "areas", "estimator", "one block", "one person"])
def test_what_is_said_of_a_region(name: str, box: str) -> None:
    setup = ready(name)
    first = run(setup).first
    inside = US_GRID.area_mask(Area.parse(box))
    report = region_report(setup, first, inside)
    text = " ".join(places_words.region_sentences(report, setup.scenario))
    assert ("below 0" in text) == (formats.people(report.estimate)[0] == "-")
    assert f"add up to {formats.people(first.estimate[inside].sum() * setup.n)} here" in text
    assert ESTIMATORS[setup.scenario.estimator].title in text
    assert ("as a whole. No block" in text) == (report.exact_blocks > 0)


def test_an_estimate_below_nobody_is_explained() -> None:
    setup = prepare(replace(BASE, mechanism=Hadamard(), seed=1))
    first, box = run(setup).first, US_GRID.area_mask(Area.parse("40.2,40.4,-74.2,-74"))
    assert region_report(setup, first, box).estimate < -0.5


@pytest.mark.parametrize("name", ALL)
def test_check_ins_are_not_passed_off_as_people(name: str) -> None:
    scenario = ALL[name]
    are_check_ins = "check-ins" in ready(name).dataset.note
    assert are_check_ins == (not isinstance(scenario.dataset, Cities))
    assert ("check-in" in promise.counted_as_people(scenario)) == are_check_ins
    many = promise.population(ready(name))
    assert ("check-in" in many) == (are_check_ins and scenario.n is None)
    assert any("check-ins" in s for s in promise.not_promised(PLACES, ready(name))) == are_check_ins
