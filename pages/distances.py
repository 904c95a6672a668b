"""Privacy by distance: noise that hides near places best, beside blocks with as large errors."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.distances import page
from caldp_ui.distances.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
