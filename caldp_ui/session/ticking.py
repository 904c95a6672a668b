"""Parts of a page that draw themselves anew every so often.

A tick can cross what a hand does: the browser sends both, the page is run for the hand, and the
tick's own run comes right behind. Streamlit then loses some of what the page's run has drawn, and
the reader sees the page as it was before. Such a tick is known by coming sooner after the page was
drawn than a tick of that drawing can, and has the page run once more.
"""

from collections.abc import Callable
from time import monotonic
from typing import Final, NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from caldp_ui.app.run_limiter import fragment
from caldp_ui.session import notices

_REFRESH_KEY: Final = "ticking/mended"
_REST_S: Final = 2.0
"""A page is not mended more often: where its runs take longer than ticks, that would never end."""


def redraw_every(key: str, seconds: float, draw: Callable[[], None]) -> None:
    """Draw now, and again every so many seconds until the page is drawn without it.

    `key`: one place on one page.
    """
    started: list[float] = []

    def draw_part() -> None:
        if started and monotonic() - started[0] < seconds:
            _rerun_if_crossed()
        if not started:
            started.append(monotonic())
        draw()

    draw_part.__qualname__ = f"ticking-{key}"  # by which Streamlit tells parts apart
    fragment(draw_part, seconds)()


def _rerun_if_crossed() -> None:
    now = monotonic()
    if now - st.session_state.get(_REFRESH_KEY, -_REST_S) >= _REST_S:
        st.session_state[_REFRESH_KEY] = now
        run_page()


def current_fragment() -> str | None:
    """The part of the page that is being drawn; None for the page itself."""
    return None if get_script_run_ctx() is None else ThreadState.get().fragment_id


def is_asked_for(part: str | None) -> bool:
    """Whether a hand on a widget of that part may have caused this run.

    `part`: from `current_fragment`. In a run of another part, the values of this part's widgets are
    those that the browser received last, maybe from a run that the hand's own has overtaken.
    """
    context = get_script_run_ctx()
    parts = None if context is None else context.fragment_ids_this_run
    return not parts or part in parts


def run_page() -> NoReturn:
    """Run the page once more by itself; a notice that nobody has read yet stays."""
    notices.keep_for_next_run()
    st.rerun()
