"""The picture at every step of the sliders, sent ahead so that the browser follows them.

Only where each point has a formula: elsewhere a point takes a second of trials.
"""

from caldp_core.basics.types import no_progress
from caldp_ui.app.theme import Palette
from caldp_ui.charts.show import figure_json
from caldp_ui.compute import runs
from caldp_ui.controls.common import Slider, epsilon_slider, people_slider
from caldp_ui.parts import films, odds
from caldp_ui.parts.films import ChartPage
from caldp_ui.plan import charts, people_needed, side, words
from caldp_ui.plan.page_state import RELATIVE, STATE, Plan
from caldp_ui.plan.people_needed import Need
from caldp_ui.stage import Step


def show(record: Plan, pinned: Need | None) -> None:
    """Has the browser follow the sliders; the `pinned` need stays in the picture."""
    if record.goal in RELATIVE:
        films.follow_sliders(page(pinned), record, sliders(record))


def sliders(record: Plan) -> list[Slider[Plan]]:
    """The sliders that the browser follows."""
    people = people_slider(runs.dataset(record.scenario).n)
    return [epsilon_slider(), people, side.WITHIN_SLIDER, side.FLOOR_SLIDER]


def page(pinned: Need | None) -> ChartPage[Plan]:
    """The page as a function of its record."""

    def render(record: Plan, colours: Palette) -> Step:
        points = dict(
            people_needed.needs_by_protection(
                list(people_needed.compute_needs(record, no_progress))
            )
        )
        figure = charts.figure(record, points, pinned, colours)
        setup = runs.setup(record.protected_scenario(record.protection, record.epsilon))
        return films.render_step(
            words.headline(record, points),
            {STATE.key("chart"): figure_json(figure, words.alt(record, points))},
            {odds.PLACE: odds.html(words.nouns(record), setup)},
        )

    return ChartPage(STATE, render, depends_on=repr(pinned))
