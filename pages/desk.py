"""Release a list: one table of a list that an office holds, drawn once and frozen."""

from caldp_ui.desk import page
from caldp_ui.desk.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
