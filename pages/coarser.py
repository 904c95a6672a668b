"""Noise, coarser, or nothing: the same people under each treatment, and attacks on all of them."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.coarser import show
from caldp_ui.coarser.slot import SLOT
from caldp_ui.parts import mathematics
from caldp_ui.session.opening import opened

record = opened(SLOT)

with plain_errors():
    show.page(record)
    mathematics.drawer("coarser")
