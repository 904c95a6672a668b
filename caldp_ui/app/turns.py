"""Runs take turns: only so many pages are run at a time, the others wait for theirs.

Room: app. Runs of a page are Python, of which one process does one thing at a time. Fifty at once
all end late, and what is sent to the browsers waits behind them; one after another, most end soon.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

import streamlit as st


@st.cache_resource
def _places() -> BoundedSemaphore:
    """Two, as arrays are worked on beside Python."""
    return BoundedSemaphore(2)


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a place, and give it back at the end."""
    with _places():
        yield
