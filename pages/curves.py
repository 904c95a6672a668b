"""Error curves: any methods, estimates and protections, against people, ε, blocks and more."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.curves import board, side
from caldp_ui.curves.slot import SLOT
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import laid_out
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    page = laid_out(SLOT)
    with page.title:
        side.tabs()
    with page.side:
        side.settings(record)
    with page.main:
        board.view(record)
    mathematics.drawer("curves")
