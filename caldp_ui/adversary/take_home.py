"""The page's two views as files: one person day by day, and fake phones."""

from functools import partial

from caldp_ui.adversary import (
    fakes,
    fakes_films,
    fakes_scene,
    films,
    scene,
)
from caldp_ui.adversary.beliefs import shown
from caldp_ui.adversary.slot import Suspect
from caldp_ui.compute import runs
from caldp_ui.offline import maps
from caldp_ui.offline.records import Part


def one_person(record: Suspect) -> Part:
    """What is believed of one person, day by day and along ε."""
    what = shown(record)
    domain = runs.map_of(what.ours.setup.dataset)
    return maps.part(
        "attacker",
        "What an attacker learns",
        "One person in one place reports every day. Bright is where an attacker who sees the "
        "reports expects the person, 95 times in 100. Play the days.",
        films.look(record).elsewhere,
        scene.scene(what, domain),
        films=[partial(each.film, record) for each in films.along(record)],
    )


def fake_phones(record: Suspect) -> Part:
    """What fake phones do to everybody's map, along their number and along ε."""
    what = fakes.poisoned(record)
    domain = runs.map_of(runs.dataset(record.scenario))
    return maps.part(
        "fakes",
        "What fake phones do",
        "Some phones are made up and report what pushes one place. Let there be more of them.",
        fakes_films.look(record).elsewhere,
        fakes_scene.scene(what, domain, record),
        films=[partial(each.film, record) for each in reversed(fakes_films.along(record))],
    )
