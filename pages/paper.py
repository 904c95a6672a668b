"""The paper's results: Table 1 and Figures 1 to 3, recomputed beside what is printed."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.paper import page
from caldp_ui.paper.page_state import STATE
from caldp_ui.parts import promises
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
    promises.drawer("paper")
