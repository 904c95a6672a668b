"""Plotly's own code for the browser, from this server.

It comes with the Python package; its address names the version, so a browser may keep it for ever.
"""

from pathlib import Path
from typing import Final

import plotly
from starlette.responses import FileResponse
from starlette.routing import Route

_FILE: Final = Path(plotly.__file__).with_name("package_data") / "plotly.min.js"
ADDRESS: Final = f"plotly-{plotly.__version__}.min.js"
"""Where the code is, beside the page."""
_FOR_EVER: Final = {"cache-control": "public, max-age=31536000, immutable"}


def _code(_: object) -> FileResponse:
    return FileResponse(_FILE, headers=_FOR_EVER, media_type="application/javascript")


def library(address: str) -> Route:
    """The route of Plotly's code at this address; see `settings.join_path`."""
    return Route(address, _code)
