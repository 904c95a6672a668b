"""The browser's side of charts, drawings and films: one script each, from the files in `web/`.

They find each other in the page, whichever comes first.
"""

from pathlib import Path
from typing import Final

from caldp_ui.stage.bundle import join_modules

_WEB: Final = Path(__file__).with_name("web")


def hub_script() -> str:
    """The script with which pictures register to be shown ahead of the server; see `hub.js`."""
    return join_modules(_WEB, ("hub",))


def narrow_script() -> str:
    """The script that fits a figure to a narrow screen; see `narrow.js`."""
    return join_modules(_WEB, ("narrow",))


def script(*names: str) -> str:
    """The component of the last name, as one ES module, after what it needs."""
    return join_modules(_WEB, ("hub", *names))
