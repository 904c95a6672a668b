"""Films for the stage, made in the background while nobody is waiting for anything.

Room: parts. A film is made once for all visits.
"""

from collections.abc import Callable

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_ui.session import jobs
from caldp_ui.stage import Film


def film(key: str, name: str, make: Callable[[Progress], Film]) -> Film | None:
    """The film of that name, if it has been made for any visit; else it is made by and by.

    `key`: the place on its page of the job that makes it.
    """
    made = _made(name)

    def work(progress: Progress) -> Film:
        if not made:
            made.append(make(progress))
        return made[0]

    return made[0] if made else jobs.quietly(key, name, work)


@st.cache_resource(max_entries=32, show_spinner=False)
def _made(name: str) -> list[Film]:
    """Where the film of that name is kept, for all visits; empty until it has been made."""
    del name
    return []
