"""Parts of a page that draw themselves anew every so often.

Room: session.
"""

from collections.abc import Callable
from uuid import uuid4

import streamlit as st


def ticking(seconds: float, draw: Callable[[], None]) -> None:
    """Draw now, and again every so many seconds until the page is drawn without it.

    Every drawing of the page gives it a new identity. If it kept the old one, a tick sent before
    the page was drawn could arrive just after: Streamlit would start a run for it and drop what the
    page's own run has not delivered yet. Ticks of an identity that is gone are ignored.
    """

    def drawn() -> None:
        draw()

    drawn.__qualname__ = f"ticking-{uuid4().hex}"
    st.fragment(drawn, run_every=seconds)()
