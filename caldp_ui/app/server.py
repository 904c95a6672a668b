"""The middleware that this app puts around Streamlit's server."""

import streamlit as st
from starlette.middleware import Middleware

from caldp_ui.app.delivery import Delivery, Uploads
from caldp_ui.app.gate import Gate, Policy, Sticky
from caldp_ui.app.pace import Pace
from caldp_ui.app.stale_messages import StaleMessages
from caldp_ui.app.theme import join_path, settings


def address(name: str) -> str:
    """The path of `name` on this server."""
    return join_path(_base(), name)


def middleware() -> list[Middleware]:
    """The middleware that each request passes, outermost first."""
    own = settings()
    return [
        Middleware(Policy),
        Middleware(Gate),
        Middleware(Pace),
        Middleware(StaleMessages),
        Middleware(Uploads),
        Middleware(Sticky, base=_base(), settings=own),
        Middleware(Delivery, base=_base(), ancestors=own.ancestors),
    ]


def _base() -> str:
    return st.get_option("server.baseUrlPath") or ""
