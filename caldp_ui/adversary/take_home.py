"""The page's two views as files: one person day by day, and fake phones."""

from functools import partial

from caldp_ui.adversary import (
    fakes,
    fakes_films,
    fakes_scene,
    fakes_words,
    films,
    scene,
    side,
    words,
)
from caldp_ui.adversary.beliefs import shown
from caldp_ui.adversary.slot import Suspect
from caldp_ui.compute import runs
from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.parts import headline, odds


def one_person(record: Suspect) -> Part:
    """What is believed of one person, day by day and along ε."""
    what = shown(record)
    domain = runs.map_of(what.ours.setup.dataset)
    makers = [films.over_days]
    if not isinstance(record.scenario.context.epsilon, tuple):
        makers.append(films.over_epsilon)
    return maps.part(
        "attacker",
        "What an attacker learns",
        "One person in one place reports every day. Bright is where an attacker who sees the "
        "reports expects the person, 95 times in 100. Play the days.",
        {
            headline.SENTENCE: headline.html(words.headline(what)),
            odds.PLACE: side.odds_html(what, domain),
        },
        scene.scene(what, domain),
        films=[partial(make, what, domain) for make in makers],
    )


def fake_phones(record: Suspect) -> Part:
    """What fake phones do to everybody's map, along their number and along ε."""
    what = fakes.poisoned(record)
    domain = runs.map_of(runs.dataset(record.scenario))
    makers = [fakes_films.over_tenths]
    if not isinstance(record.scenario.context.epsilon, tuple):
        makers.append(fakes_films.over_epsilon)
    return maps.part(
        "fakes",
        "What fake phones do",
        "Some phones are made up and report what pushes one place. Let there be more of them.",
        {
            headline.SENTENCE: headline.html(fakes_words.headline(what, domain, record)),
            fakes_words.POWER: headline.as_html(fakes_words.one_phone(record, domain)),
        },
        fakes_scene.scene(what, domain, record),
        films=[partial(make, record, domain) for make in makers],
    )
