"""Plan a survey: from the accuracy one needs to people and ε, and back."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.parts import mathematics
from caldp_ui.parts.layout import column_layout
from caldp_ui.plan import board, side
from caldp_ui.plan.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page = column_layout(STATE)
    with page.title:
        side.goals()
    with page.side:
        side.settings(record)
    with page.main.container(key=STATE.key("board")):
        board.view(record)
    mathematics.drawer("plan")
