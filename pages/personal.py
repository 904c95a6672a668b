"""Home and work: everybody hides their own places behind tags; four protections side by side."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.personal import page
from caldp_ui.personal.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
