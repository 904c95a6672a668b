"""Yes or no: one question, two ε's; the plane of errors, one person's coin, many people."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.parts import mathematics, pins
from caldp_ui.parts.layout import laid_out
from caldp_ui.session.opening import opened
from caldp_ui.yesno import below, board, reels, side, words
from caldp_ui.yesno.pinned import BESIDE
from caldp_ui.yesno.shown import shown
from caldp_ui.yesno.slot import SLOT

record = opened(SLOT)
page = laid_out(SLOT, "Yes or no")

with page.side:
    side.show()
with page.main, plain_errors():
    what = shown(record.scenario)
    page.say(words.headline(what))
    kept = pins.found(SLOT, BESIDE)
    board.pictures(what, kept)
    below.show(what)
    mathematics.drawer("yesno")
    reels.show(record, kept)
