"""What this app puts around Streamlit's server."""

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from caldp_ui.app.delivery import Delivery
from caldp_ui.app.gate import Gate
from caldp_ui.app.policy import Policy
from caldp_ui.app.settings import below, settings
from caldp_ui.app.sticky import Sticky
from caldp_ui.charts.library import ADDRESS, library


def routes() -> list[Route]:
    """Addresses that Streamlit does not have."""
    return [library(below(_base(), ADDRESS))]


def around() -> list[Middleware]:
    """What each request passes on its way in, the first first."""
    own = settings()
    return [
        Middleware(Policy),
        Middleware(Gate),
        Middleware(Sticky, base=_base(), settings=own),
        Middleware(Delivery, base=_base(), ancestors=own.ancestors),
    ]


def _base() -> str:
    return st.get_option("server.baseUrlPath") or ""
