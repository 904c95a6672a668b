"""Home and work: everybody hides their own places behind tags; four protections side by side."""

from caldp_ui.personal import page
from caldp_ui.personal.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
