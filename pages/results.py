"""Results of a collection: what came in, what it says of the people, and what it shows of one."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.results import page
from caldp_ui.results.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
