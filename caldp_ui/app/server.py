"""The middleware that this app puts around Streamlit's server."""

import os

import streamlit as st
import uvicorn.config
from starlette.middleware import Middleware
from starlette.types import ASGIApp

from caldp_ui.app.delivery import Delivery, Uploads
from caldp_ui.app.gate import Gate, Policy, Sticky
from caldp_ui.app.pace import Pace
from caldp_ui.app.stale_messages import StaleMessages
from caldp_ui.app.theme import join_path, settings


def address(name: str) -> str:
    """The path of `name` on this server."""
    return join_path(_base(), name)


def trust_named_proxies() -> None:
    """Take visitors' addresses from proxies that `FORWARDED_ALLOW_IPS` names, and from no others.

    Where it names none, uvicorn believes whatever comes from this machine, as from a tunnel that
    passes on what a visitor wrote. It puts its reader of headers around the app after loading it.
    """
    if not os.environ.get("FORWARDED_ALLOW_IPS"):
        uvicorn.config.ProxyHeadersMiddleware = _ignore_headers  # type: ignore[assignment, attr-defined]


def _ignore_headers(app: ASGIApp, trusted_hosts: object) -> ASGIApp:
    del trusted_hosts
    return app


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
