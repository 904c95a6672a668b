"""Places on a map: choose what is protected; see truth, plain LDP and this protection."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.compute import runs
from caldp_ui.parts import headline, mathematics
from caldp_ui.parts.comparison import shown
from caldp_ui.parts.layout import stacked
from caldp_ui.places import below, board, side, tour
from caldp_ui.places.slot import SLOT
from caldp_ui.session.opening import opened
from caldp_ui.words.vocabulary import PLACES

scenario = opened(SLOT).scenario

with plain_errors():
    setup = runs.setup(scenario)
    domain = runs.map_of(setup.dataset)
    tour.strip()
    page = stacked(SLOT)
    with page.main:
        what = shown(SLOT, scenario)
        stage = board.maps(what, domain)
    with page.said:
        headline.sentence(PLACES, setup, what.ours, what.plain)
    with page.side:
        side.show(what)
    with page.below:
        board.after(what, domain, stage)
        below.show(what)
        tour.button(runs.finest_map_of(setup.dataset))
    mathematics.drawer("places")
