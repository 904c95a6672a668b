"""Sensitive answers: mark answers as sensitive; see truth, plain LDP and this protection."""

from caldp_ui.session.page_state import show_page
from caldp_ui.values import page
from caldp_ui.values.page_state import STATE

show_page(STATE, page.show)
