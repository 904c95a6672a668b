"""The page as one file: how often each answer was given, along the sensitive set and along ε."""

from collections.abc import Collection
from functools import partial

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import rivals, runs
from caldp_ui.offline.records import Component, Part
from caldp_ui.parts import headline, odds
from caldp_ui.parts.comparison import Shown
from caldp_ui.values import chart, films, words
from caldp_ui.words.vocabulary import ANSWERS


def part(scenario: Scenario, along: Collection[str] = films.TITLES) -> Part | None:
    """The page with its films `along` what changes; None where no film of it is made."""
    names = [name for name in films.names(scenario) if name in along]
    if not names:
        return None
    rival = rivals.rival(scenario)
    what = Shown(runs.setup(scenario), runs.setup(rival), runs.result(scenario), runs.result(rival))
    return Part(
        "answers",
        "Sensitive answers",
        "Bars are the truth, points are estimates from randomised answers with the range that "
        "holds the truth 95 times in 100. Choose what changes, then move the slider.",
        {
            headline.SENTENCE: headline.html(words.headline(what)),
            odds.PLACE: odds.html(ANSWERS, what.setup),
        },
        Component(chart.message(what), "chart", chart.script(), chart.style()),
        [partial(films.along(scenario, name).film, scenario) for name in names],
    )
