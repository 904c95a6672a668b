"""Classroom: the lecture as seven stations; only the open one is computed and drawn."""

from caldp_ui.classroom import page
from caldp_ui.classroom.page_state import STATE
from caldp_ui.handout import lesson
from caldp_ui.session.page_state import begin_page

page.show(begin_page(STATE), lesson.show)
