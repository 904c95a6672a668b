"""The privacy matrix: E to be edited, and any channel checked against it, entry by entry."""

from caldp_ui.matrix import page
from caldp_ui.matrix.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
