"""Noise, coarser, or nothing: the same people under each treatment, and attacks on all of them."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.coarser import show
from caldp_ui.coarser.page_state import STATE
from caldp_ui.parts import mathematics
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    show.show_page(record)
    mathematics.drawer("coarser")
