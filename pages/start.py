"""Start here: how much a phone must hide, and what the map pays for it; three roads from there."""

from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.session.page_state import show_page
from caldp_ui.start import page
from caldp_ui.start.page_state import STATE, redirect_map_links

ensure_navigation()
redirect_map_links()
show_page(STATE, page.show)
