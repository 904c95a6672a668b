"""Plan a survey: from the accuracy one needs to people and ε, and back."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import laid_out
from caldp_ui.plan import board, side
from caldp_ui.plan.slot import SLOT
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    page = laid_out(SLOT)
    with page.title:
        side.goals()
    with page.side:
        side.settings(record)
    with page.main.container(key=SLOT.key("board")):
        board.view(record)
    mathematics.drawer("plan")
