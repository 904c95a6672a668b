"""Compare methods: error curves of methods, estimates and protections along any axis."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.curves import board, side
from caldp_ui.curves.page_state import STATE
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import column_layout
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page = column_layout(STATE)
    with page.title:
        side.tabs()
    with page.side:
        side.settings(record)
    with page.main:
        board.view(record)
    mathematics.drawer("curves")
