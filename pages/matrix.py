"""The privacy matrix: E to be edited, and any channel checked against it, entry by entry."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.matrix import below, board, films, side, words
from caldp_ui.matrix.page_state import STATE
from caldp_ui.matrix.words import MatrixData, judge_channel
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import column_layout
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)
page = column_layout(STATE)

with page.side, plain_errors():
    side.matrix(record)
    candidate = side.channel(record)
with page.main, plain_errors():
    data = judge_channel(record.names, record.matrix, candidate)
    page.show_headline(words.headline(data))
    board.editable(data)
    below.show(MatrixData(record, data))
    mathematics.drawer("matrix")
    films.show(record)
