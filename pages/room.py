"""Live poll: phones add noise to protected answers, the projector shows the estimate."""

from caldp_ui.app.texts import plain_errors
from caldp_ui.room import page, teacher

with plain_errors():
    teacher_key = page.find_teacher_key()
    if teacher_key is None:
        page.show()
    else:
        teacher.show_poll(teacher_key)
