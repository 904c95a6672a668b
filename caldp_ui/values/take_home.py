"""The page as one file: how often each answer was given, along the sensitive set and along ε."""

from collections.abc import Collection
from functools import partial

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import plain_ldp, runs
from caldp_ui.offline.records import Component, Part
from caldp_ui.parts import headline, odds
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.values import chart, films, words
from caldp_ui.words.vocabulary import ANSWERS


def part(scenario: Scenario, film_names: Collection[str] = films.TITLES) -> Part | None:
    """The page as a part of an offline file, with these of its films; None without any."""
    names = [name for name in films.film_names(scenario) if name in film_names]
    if not names:
        return None
    plain = plain_ldp.best_plain_ldp(scenario)
    data = ComparisonData(
        runs.setup(scenario), runs.setup(plain), runs.result(scenario), runs.result(plain)
    )
    return Part(
        "answers",
        "Sensitive answers",
        "Bars are the truth, points are estimates from randomised answers with the range that "
        "holds the truth 95 times in 100. Choose what changes, then move the slider.",
        {
            headline.SENTENCE: headline.html(words.headline(data)),
            odds.PLACE: odds.html(ANSWERS, data.setup),
        },
        Component(chart.message(data), "chart", chart.script(), chart.style()),
        [partial(films.slider_film(scenario, name).film, scenario) for name in names],
    )
