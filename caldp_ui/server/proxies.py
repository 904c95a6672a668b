"""Whose word on a visitor's address counts."""

import os
from typing import Final

import uvicorn.config

from caldp_ui.server.guard import Patch


def trust_named_proxies() -> None:
    """Take visitors' addresses from proxies that `FORWARDED_ALLOW_IPS` names, and from no others.

    Where it names none, uvicorn believes whatever comes from this machine, as from a tunnel that
    passes on what a visitor wrote. It puts its reader of headers around the app after loading it.
    """
    if not os.environ.get("FORWARDED_ALLOW_IPS"):
        uvicorn.config.ProxyHeadersMiddleware = lambda app, **_: app  # type: ignore[assignment, attr-defined]


PATCH: Final = Patch(
    name="addresses from named proxies alone",
    reason="Without a name in FORWARDED_ALLOW_IPS, uvicorn believes every program of this machine.",
    without="a visitor may write any address, and pass the limits that go by it",
    rests_on={"uvicorn.config.ProxyHeadersMiddleware": ""},
    apply=trust_named_proxies,
    is_needed=True,
)
