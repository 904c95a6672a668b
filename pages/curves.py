"""Compare methods: error curves of methods, estimates and protections along any axis."""

from caldp_ui.curves import page
from caldp_ui.curves.page_state import STATE
from caldp_ui.session.page_state import show_page

show_page(STATE, page.show)
