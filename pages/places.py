"""Places on a map: choose what is protected; see truth, plain LDP and this protection."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.parts import headline, mathematics
from caldp_ui.parts.comparison import load_results
from caldp_ui.parts.layout import stacked_layout
from caldp_ui.places import below, board, polygons, side, tour
from caldp_ui.places.page_state import STATE
from caldp_ui.session.opening import begin_page
from caldp_ui.words.vocabulary import PLACES

scenario = begin_page(STATE).scenario

with plain_errors():
    setup = runs.setup(scenario)
    domain = runs.map_of(setup.dataset)
    polygons.warn(setup)
    tour.show_strip()
    page = stacked_layout(STATE)
    with page.main:
        data = load_results(STATE, scenario)
        stage = board.maps(data, domain)
    with page.headline_area:
        headline.show_result(PLACES, setup, data.ours, data.plain)
    with page.side:
        side.show(data)
    with page.below:
        board.show_details(data, domain, stage)
        below.show(data)
        tour.tour_button(runs.finest_map_of(setup.dataset))
    mathematics.drawer("places")
