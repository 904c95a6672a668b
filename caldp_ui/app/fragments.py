"""Parts of pages that can be run alone."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from typing import ParamSpec

import streamlit as st

from caldp_core.basics.cache import current_work
from caldp_ui.app.texts import plain_errors
from caldp_ui.server.turns import PlacedRun, limit_part

P = ParamSpec("P")


def fragment(draw: Callable[P, None], run_every: float | None = None) -> Callable[P, None]:
    """A part of a page that can be run alone, as `st.fragment` makes it; such a run takes turns.

    An error of ours ends its run with a sentence, that of the page as well where it is drawn with
    the page: Streamlit would log it as a fault. `run_every`: seconds between two runs that the
    browser asks for by itself; None for none.
    """

    @wraps(draw)
    def limited(*args: P.args, **kwargs: P.kwargs) -> None:
        with ExitStack() as stack:
            # Within the run of its page it has the page's place.
            if not isinstance(current_work(), PlacedRun):
                stack.enter_context(limit_part())
            stack.enter_context(plain_errors())
            draw(*args, **kwargs)

    part: Callable[P, None] = st.fragment(limited, run_every=run_every)
    return part
