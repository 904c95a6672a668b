"""Places on a map: choose what is protected; see truth, plain LDP and this protection."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.places import page
from caldp_ui.places.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
