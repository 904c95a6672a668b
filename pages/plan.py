"""Plan a survey: from the accuracy one needs to people and ε, and back."""

from caldp_ui.plan import page
from caldp_ui.plan.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
