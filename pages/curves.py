"""Compare methods: error curves of methods, estimates and protections along any axis."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.curves import page
from caldp_ui.curves.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
