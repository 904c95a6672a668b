"""Live poll: phones add noise to protected answers, the projector shows the estimate."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.room import projector, setup

with plain_errors():
    if projector.find_teacher_key() is not None:
        projector.page()
    else:
        setup.page()
