"""Noise, coarser, or nothing: the same people under each treatment, and attacks on all of them."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.coarser import page
from caldp_ui.coarser.page_state import STATE
from caldp_ui.session.opening import begin_page

record = begin_page(STATE)

with plain_errors():
    page.show(record)
