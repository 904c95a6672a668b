"""The paper's results: Table 1 and Figures 1 to 3, recomputed beside what is printed."""

from caldp_ui.paper import page
from caldp_ui.paper.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
