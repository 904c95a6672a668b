"""The address of what is shown, as others in the room can open it.

Room: app.
"""

import ipaddress
import socket
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st


def here(query: Mapping[str, str]) -> str:
    """The address of this page with this query, as the visitor's browser has it."""
    parts = urlsplit(st.context.url or "http://localhost:8501/")
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def for_others(address: str) -> str | None:
    """The same for other machines; None where the server only answers its own."""
    parts = urlsplit(address)
    if not _is_own(parts.hostname or ""):
        return address
    if _is_own(st.get_option("server.address") or ""):
        return None
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{_own_address()}{port}"))


def _is_own(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _own_address() -> str:
    """This machine's address in its network. Nothing is sent: a datagram's route is looked up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        address: str = probe.getsockname()[0]
        return address
