"""The page's style sheet, as it is sent to browsers.

Streamlit names a container's class after its key, which begins with the page's name. `style.css`
says what all pages have in common by the end of such a name, `[class*="-title"]`; where a selector
looks into class names, a browser styles the whole document anew for each element that changes (13
ms a move of a slider instead of 4). So names are written out here.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from caldp_ui.app.navigation import PAGES

SHEET: Final = Path(__file__).with_name("style.css")
_ENDING: Final = re.compile(r'\[class\*="(-[a-z-]+)"\]')


@cache
def style() -> str:
    """The text of the style sheet, without selectors that look into class names."""
    return expand_selectors(SHEET.read_text("utf-8"), [Path(page.path).stem for page in PAGES])


def expand_selectors(css: str, pages: Iterable[str]) -> str:
    """The sheet with each `[class*="-end"]` as the classes of such containers on these pages."""
    names = list(pages)

    def classes(ending: re.Match[str]) -> str:
        return f":is({','.join(f'.st-key-{name}{ending[1]}' for name in names)})"

    return _ENDING.sub(classes, css)
