"""Noise, coarser, or nothing: the same people under each treatment, and attacks on all of them."""

from caldp_ui.coarser import page
from caldp_ui.coarser.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
