"""Live poll: each phone throws its own coin, the projector shows the estimate."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.room import hall, phone, setup, ways

code = ways.code_asked()

with plain_errors():
    if code is not None:
        phone.page(code)
    elif hall.held() is not None:
        hall.page()
    else:
        setup.page()
