"""Privacy by distance: noise that hides near places best, beside blocks with as large errors."""

from functools import partial

from caldp_ui.app.errors import plain_errors
from caldp_ui.distances import below, best_noise, films, side, words
from caldp_ui.distances.page_state import STATE, load_data
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import Contents, fill_page, stacked_layout
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)
contents = Contents(
    films.maps,
    words.headline,
    partial(side.show, record),
    below.show,
    films.show,
)

with plain_errors():
    fill_page(stacked_layout(STATE), lambda: load_data(best_noise.design_noise(record)), contents)
    mathematics.drawer("distances")
