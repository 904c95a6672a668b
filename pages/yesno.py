"""Yes or no: one question, two ε's; one person's report, an attacker, many people."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.session.opening import begin_page
from caldp_ui.yesno import page
from caldp_ui.yesno.page_state import STATE

record = begin_page(STATE)

with plain_errors():
    page.show(record)
