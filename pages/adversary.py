"""What an attacker learns from one person's reports."""

from caldp_ui.adversary import page
from caldp_ui.adversary.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
