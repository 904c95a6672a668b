"""Yes or no: one question, two ε's; one person's report, an attacker, many people."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.parts import headline, mathematics, pins
from caldp_ui.parts.layout import title_row
from caldp_ui.session.opening import opened
from caldp_ui.yesno import below, board, films, side, words
from caldp_ui.yesno.pinned import BESIDE
from caldp_ui.yesno.shown import shown
from caldp_ui.yesno.slot import SLOT

record = opened(SLOT)

with plain_errors():
    said, switch = title_row(SLOT)
    with switch:
        side.example()
    what = shown(record.scenario)
    with said:
        headline.show(words.headline(what))
    kept = pins.found(SLOT, BESIDE)
    board.panels(what, kept)
    below.show(what)
    mathematics.drawer("yesno")
    films.show(record, kept)
