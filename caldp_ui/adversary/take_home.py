"""The page's two views as files: one person day by day, and fake phones."""

from caldp_ui.adversary import (
    fakes,
    fakes_films,
    fakes_scene,
    films,
    scene,
)
from caldp_ui.adversary.beliefs import load_data
from caldp_ui.adversary.page_state import AttackerState
from caldp_ui.compute import runs
from caldp_ui.offline import maps
from caldp_ui.offline.records import Part


def one_person(record: AttackerState) -> Part:
    """What an attacker believes of one person, by day and by ε."""
    data = load_data(record)
    domain = runs.map_of(data.ours.setup.dataset)
    return maps.part(
        "attacker",
        "What an attacker learns",
        "One person in one place reports every day. Bright is where an attacker who sees the "
        "reports expects the person, 95 times in 100. Play the days.",
        scene.scene(data, domain),
        record=record,
        films=films.slider_films(record),
    )


def fake_phones(record: AttackerState) -> Part:
    """What fake phones do to everybody's map, by their number and by ε."""
    data = fakes.run_attack(record)
    domain = runs.map_of(runs.dataset(record.scenario))
    return maps.part(
        "fakes",
        "What fake phones do",
        "Some phones are made up and report what pushes one place. Let there be more of them.",
        fakes_scene.scene(data, domain, record),
        record=record,
        films=fakes_films.slider_films(record)[::-1],
    )
