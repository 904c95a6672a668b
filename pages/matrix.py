"""The privacy matrix: E to be edited, and any channel checked against it, entry by entry."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.matrix import page
from caldp_ui.matrix.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
