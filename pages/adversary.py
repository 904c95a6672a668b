"""What an attacker learns from one person's reports, and what fake phones do to everybody's."""

from caldp_ui.adversary import page
from caldp_ui.adversary.page_state import STATE
from caldp_ui.app.errors import plain_errors
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
