"""What runs in the document itself: on every page, before anything of Streamlit does."""

from functools import cache
from pathlib import Path
from typing import Final

_WEB: Final = Path(__file__).with_name("web")
_NAMES: Final = ("language", "rest", "focus", "popovers", "speech")


@cache
def scripts() -> str:
    """The elements of the scripts of `web`, in order."""
    return "".join(f"<script>{(_WEB / f'{n}.js').read_text('utf-8')}</script>" for n in _NAMES)
