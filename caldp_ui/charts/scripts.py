"""The browser's side of charts, drawings and films: one script each, from the files in `web/`.

They find each other in the page, whichever comes first.
"""

from pathlib import Path
from typing import Final

from caldp_ui.stage.bundle import joined

_WEB: Final = Path(__file__).with_name("web")


def hub() -> str:
    """What pictures of other rooms register in, to be shown ahead of the server; see `hub.js`."""
    return joined(_WEB, ("hub",))


def narrow() -> str:
    """How a figure fits a narrow screen; see `narrow.js`."""
    return joined(_WEB, ("narrow",))


def script(*names: str) -> str:
    """The component of the last name, as one ES module, after what it needs."""
    return joined(_WEB, ("hub", *names))
