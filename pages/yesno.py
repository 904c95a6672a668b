"""Yes or no: one question, two ε's; one person's report, an attacker, many people."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.parts import headline, mathematics, pins
from caldp_ui.parts.layout import title_row
from caldp_ui.session.opening import begin_page
from caldp_ui.yesno import below, board, films, side, words
from caldp_ui.yesno.page_state import STATE, load_data
from caldp_ui.yesno.pin_view import PIN_VIEW

record = begin_page(STATE)

with plain_errors():
    headline_area, switch = title_row(STATE)
    with switch:
        side.example_picker()
    data = load_data(record.scenario)
    with headline_area:
        headline.show(words.headline(data))
    pinned = pins.pinned_data(STATE, PIN_VIEW)
    board.panels(data, pinned)
    below.show(data)
    mathematics.drawer("yesno")
    films.show(record, pinned)
