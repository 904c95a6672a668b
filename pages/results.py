"""Results of a collection: what came in, what it says of the people, and what it shows of one."""

from caldp_ui.results import page
from caldp_ui.results.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
