"""Plan a survey: from the accuracy one needs to people and ε, and back."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.plan import page
from caldp_ui.plan.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
