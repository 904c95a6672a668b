"""Films of the picture: the sensitive set grows, ε rises, more people take part.

The same random draws at every step. Made in the background, for all visits; sent once, and
played by the browser alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.experiments.run import Result, Setup
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import plain_ldp, runs
from caldp_ui.controls.common import EPSILONS, Slider
from caldp_ui.parts import headline, odds
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.film_jobs import FilmRequest
from caldp_ui.parts.films import SliderFilm
from caldp_ui.stage import Blob, Step, encode
from caldp_ui.values import answers, words
from caldp_ui.values.page_state import STATE, domain_of
from caldp_ui.words import formats, promise
from caldp_ui.words.vocabulary import ANSWERS

SENSITIVE: Final = "sensitive"
EPSILON: Final = "epsilon"
PEOPLE: Final = "people"
_SIZES_MAX: Final = 11
_PEOPLE_COUNTS: Final = tuple(10.0**power for power in range(2, 10))
_PER_SECOND: Final = 1.5
StepValues = Callable[[Scenario], Sequence[float]]


def film_requests(data: ComparisonData) -> list[FilmRequest]:
    """Requests for the films of the scenario shown; none where it is slow to compute."""
    if data.ours is None or data.plain is None:
        return []
    scenario = data.ours.setup.scenario  # a setup alone is the same for all seeds
    return [slider_film(scenario, name).request(scenario) for name in film_names(scenario)]


def film_names(scenario: Scenario) -> list[str]:
    """Names of the films of a scenario: none where it is slow to compute or has several ε."""
    in_context = isinstance(scenario.policy, ContextPolicy)
    if in_context and isinstance(scenario.context.epsilon, tuple):
        return []
    if runs.takes_long(scenario) or runs.takes_long(plain_ldp.best_plain_ldp(scenario)):
        return []
    return list(TITLES) if in_context else [EPSILON, PEOPLE]


def slider_film(scenario: Scenario, name: str) -> SliderFilm[Scenario]:
    """The film of that name; the sensitive set grows from the scenario's own answers."""
    levels, value_text, label = _STEPS[name]
    slider = Slider[Scenario](
        EPSILON if name == EPSILON else "",
        lambda at: film_values(runs.setup(at))[name],
        SCENARIO_AT_STEP[name],
        levels(scenario),
        value_text,
    )
    return SliderFilm(
        STATE,
        name,
        TITLES[name],
        slider,
        _render,
        lambda at: runs.key(scenario if name == SENSITIVE else at),
        label,
        place=list(TITLES).index(name),
        per_second=_PER_SECOND,
    )


def film_values(setup: Setup) -> dict[str, float]:
    """By film, the value of the step that the page shows."""
    return {
        SENSITIVE: float(setup.sensitive.sum()),
        EPSILON: promise.largest_epsilon(setup.scenario),
        PEOPLE: float(setup.n),
    }


def _render(scenario: Scenario) -> Step:
    """The film step of a scenario: answers and groups of both results, marks, and sentences."""
    ours, plain = (
        runs.uncached_result(scenario),
        runs.uncached_result(plain_ldp.best_plain_ldp(scenario)),
    )
    head = words.headline(ComparisonData(ours.setup, plain.setup, ours, plain))
    error = formats.of_hundred(min(ours.first.errors.tv, 1.0))
    codes = {"sensitive": encode(ours.setup.sensitive.astype(np.float64))}
    for name, result in (("plain", plain), ("ours", ours)):
        codes |= dict(_encoded_columns(name, result))
    replacements = {
        headline.SENTENCE: headline.html(head),
        odds.PLACE: odds.html(ANSWERS, ours.setup),
    }
    return Step(f" · {error} under the wrong answer", codes=codes, replacements=replacements)


def _encoded_columns(name: str, result: Result) -> Iterator[tuple[str, Blob]]:
    shares = answers.shares_of(result)
    groups = answers.groups_of(domain_of(result.setup.scenario))
    group_shares = [answers.group_share(result, flags) for _, flags in groups]
    for end, column, attribute in (
        ("", shares.estimate, "estimate"),
        ("-low", shares.low, "low"),
        ("-high", shares.high, "high"),
    ):
        yield f"{name}{end}", encode(_clip_shares(column))
        of_groups = np.array([getattr(group, attribute) for group in group_shares])
        yield f"{name}-groups{end}", encode(_clip_shares(of_groups))


def _clip_shares(shares: Floats) -> Floats:
    """Shares cut to [-1, 1], the range of the codes; ranges may reach further."""
    return np.clip(shares, -1.0, 1.0)


def with_sensitive_count(scenario: Scenario, size: float) -> Scenario:
    """The scenario with so many sensitive answers: its own first, then the table's others."""
    flags = runs.setup(scenario).sensitive
    chosen = np.zeros(flags.size, np.bool_)
    chosen[np.argsort(~flags, kind="stable")[: int(size)]] = True
    return scenario.with_context(sensitive=answers.spec_of(chosen))


def with_population(scenario: Scenario, n: float) -> Scenario:
    """The scenario with n people; the data's own where there are as many."""
    return replace(scenario, n=None if n == runs.dataset(scenario).n else int(n))


def _sensitive_counts(scenario: Scenario) -> list[float]:
    flags = runs.setup(scenario).sensitive
    evenly = np.linspace(0, flags.size, min(_SIZES_MAX, flags.size + 1)).astype(int).tolist()
    return [float(size) for size in sorted({*evenly, int(flags.sum())})]


def _people_counts(scenario: Scenario) -> list[float]:
    return sorted({*_PEOPLE_COUNTS, float(runs.setup(scenario).n)})


TITLES: Final = {
    SENSITIVE: "The sensitive set grows",
    EPSILON: "Privacy level ε",
    PEOPLE: "People",
}
SCENARIO_AT_STEP: Final[Mapping[str, Callable[[Scenario, float], Scenario]]] = {
    SENSITIVE: with_sensitive_count,
    EPSILON: lambda scenario, value: scenario.with_epsilon(value),
    PEOPLE: with_population,
}
"""By film, the scenario at a step's value."""
_STEPS: Final[Mapping[str, tuple[StepValues, Callable[[float], str], Callable[[str], str]]]] = {
    SENSITIVE: (_sensitive_counts, lambda size: formats.integer(int(size)), "{} sensitive".format),
    EPSILON: (lambda _: EPSILONS, "{:g}".format, SliderFilm.label),
    PEOPLE: (_people_counts, formats.people, "{} people".format),
}
"""By film: the values of its steps, a value as text, and the label of a step."""
