"""The picture at every ε and every share that is asked for, so that the browser follows a hand.

Only where each point has a formula: elsewhere a point takes a second of trials.
"""

from caldp_core.basics.types import no_progress
from caldp_ui.app.theme import Palette
from caldp_ui.charts.show import told
from caldp_ui.compute import runs
from caldp_ui.controls.common import along_epsilon, along_people
from caldp_ui.controls.slider import Slider
from caldp_ui.parts import films, odds
from caldp_ui.parts.films import Page
from caldp_ui.plan import charts, side, words, work
from caldp_ui.plan.slot import RELATIVE, SLOT, Plan
from caldp_ui.plan.work import Need
from caldp_ui.stage import Step


def show(record: Plan, pinned: Need | None) -> None:
    """Have the browser follow the sliders; what is `pinned` stays in the picture."""
    if record.goal in RELATIVE:
        films.follow(page(pinned), record, sliders(record))


def sliders(record: Plan) -> list[Slider[Plan]]:
    """Those that can be followed."""
    people = along_people(runs.dataset(record.scenario).n)
    return [along_epsilon(), people, side.WITHIN, side.FLOOR]


def page(pinned: Need | None) -> Page[Plan]:
    """The page as a function of its record."""

    def look(record: Plan, colours: Palette) -> Step:
        points = dict(work.by_protection(list(work.needs(record, no_progress))))
        drawn = charts.of(record, points, pinned, colours)
        setup = runs.setup(record.under(record.protection, record.epsilon))
        return films.seen(
            words.headline(record, points),
            {SLOT.key("chart"): told(drawn, words.alt(record, points))},
            {odds.PLACE: odds.html(words.nouns(record), setup)},
        )

    return Page(SLOT, look, rests_on=repr(pinned))
