"""Live poll: phones add noise to protected answers, the projector shows the estimate."""

from caldp_ui.app.errors import plain_errors
from caldp_ui.room import phone, poll_links, projector, setup

code = poll_links.code_asked()

with plain_errors():
    if code is not None:
        phone.page(code)
    elif projector.find_teacher_key() is not None:
        projector.page()
    else:
        setup.page()
