"""Garbage is collected now and then instead of after every run.

Room: app. Streamlit would collect all generations whenever a page has run, some 0.1 s on a heap
like ours, in which nobody else's page runs: more than most runs take (`postScriptGC` in
.streamlit/config.toml turns that off).
"""

import gc
from threading import Event, Thread
from typing import Final

import streamlit as st

_EVERY_S: Final = 20.0


@st.cache_resource(show_spinner=False)
def collected_now_and_then() -> Event:
    """Start to collect, once a server; the event ends it."""
    end = Event()

    def collect() -> None:
        while not end.wait(_EVERY_S):
            gc.collect()

    Thread(target=collect, name="caldp-memory", daemon=True).start()
    return end
