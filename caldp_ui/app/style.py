"""The one place of CSS: `style.css` beside this file, sent once a run.

Room: app. Pages and parts name their containers by `key`; Streamlit makes `.st-key-…` of it.
"""

from pathlib import Path
from typing import Final

import streamlit as st

_SHEET: Final = Path(__file__).with_name("style.css")


def apply() -> None:
    """Send the style sheet; it takes no room on the page."""
    st.html(_SHEET)
