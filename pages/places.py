"""Places on a map: choose what is protected; see truth, plain LDP and this protection."""

from caldp_ui.places import page
from caldp_ui.places.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
