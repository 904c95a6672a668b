"""Live poll: phones add noise to protected answers, the projector shows the estimate."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.room import page

with plain_errors():
    if page.find_teacher_key() is not None:
        page.show_poll()
    else:
        page.show()
