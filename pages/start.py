"""Start here: what privacy costs and what context saves; a way to every page."""

from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.app.texts import plain_errors
from caldp_ui.session.page_state import begin_page
from caldp_ui.start import page
from caldp_ui.start.page_state import STATE, redirect_map_links

ensure_navigation()
redirect_map_links()
begin_page(STATE)

with plain_errors():
    page.show()
