"""Privacy by distance: noise that hides near places best, beside blocks with as large errors."""

from caldp_ui.distances import page
from caldp_ui.distances.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
