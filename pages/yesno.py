"""Yes or no: one question, two ε's; one person's report, an attacker, many people."""

from caldp_ui.session.page_state import show_page
from caldp_ui.yesno import page
from caldp_ui.yesno.page_state import STATE

show_page(STATE, page.show)
