"""The privacy matrix: E to be edited, and any channel held against it, entry by entry."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.matrix import below, board, films, side, words
from caldp_ui.matrix.slot import SLOT
from caldp_ui.matrix.verdict import Shown, judged
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import laid_out
from caldp_ui.session.opening import opened

record = opened(SLOT)
page = laid_out(SLOT)

with page.side, plain_errors():
    side.matrix(record)
    candidate = side.channel(record)
with page.main, plain_errors():
    what = judged(record.names, record.matrix, candidate)
    page.say(words.headline(what))
    board.editable(what)
    below.show(Shown(record, what))
    mathematics.drawer("matrix")
    films.show(record)
