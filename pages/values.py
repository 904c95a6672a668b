"""Sensitive answers: mark answers as sensitive; see truth, plain LDP and this protection."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.session.opening import begin_page
from caldp_ui.values import page
from caldp_ui.values.page_state import STATE

record = begin_page(STATE)

with plain_errors():
    page.show(record)
