"""What every page does around its content.

Room: shell. Errors of ours become one sentence on screen; anything else stays in the log.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from caldp_core.errors import CaldpError

_STYLE = """<style>
[data-testid="stMainBlockContainer"] { padding-top: 4rem; padding-bottom: 3rem; }
</style>"""
"""Streamlit leaves a tenth of a screen empty above the title; pictures want that room."""


def heading(title: str, lead: str) -> None:
    """A page's title and its one-paragraph lead."""
    st.html(_STYLE)
    st.header(title, anchor=False)
    st.markdown(lead)


def as_text(text: str) -> str:
    """`text` with everything escaped that Markdown would act on: notes may quote raw data."""
    return re.sub(r"([\\`*_{}\[\]()#+|<>~$:!-])", r"\\\1", text)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Show a `CaldpError` as its sentence and end the page there."""
    try:
        yield
    except CaldpError as error:
        st.error(str(error), icon=":material/error:")
        st.stop()
