"""The address of what is shown, as others in the class can open it."""

import ipaddress
import socket
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_UNKNOWN: Final = "http://localhost:8501/"
"""The address where no browser has reported its own."""


def current_address(query: Mapping[str, str]) -> str:
    """The address of this page with this query, as the visitor's browser has it.

    `st.context.url` does not do: after a change of page it cuts the new page's name off the old
    address, "room" off ".../classroom", and ".../class/room" is nowhere.
    """
    run = get_script_run_ctx()
    if run is None:
        return _with_query(_UNKNOWN, query)
    pages, now = run.pages_manager.get_pages(), run.pages_manager.current_page_script_hash
    names = {each.get("url_pathname", "") for each in pages.values()}
    name = pages[now].get("url_pathname", "") if now in pages else ""
    url = getattr(run.context_info, "url", "") or _UNKNOWN
    return _with_query(page_address(url, name, names), query)


def page_address(url: str, name: str, names: Collection[str]) -> str:
    """The address of the page `name` on the server of `url`, which may be any page's address.

    `names`: of all pages. A path that a proxy has put before them stays.
    """
    parts = urlsplit(url)
    *folder, last = parts.path.rstrip("/").split("/")
    if not last or last not in names:
        folder.append(last)
    return urlunsplit((parts.scheme, parts.netloc, "/".join([*folder, name]), "", ""))


def _with_query(url: str, query: Mapping[str, str]) -> str:
    return urlunsplit(urlsplit(url)._replace(query=urlencode(query)))


def visitor_address() -> str:
    """The network address that this visit comes from; "" for this machine's own.

    Behind a proxy it is the one that the proxy reports, if the server trusts it (docs/deploy.md).
    """
    address = st.context.ip_address
    return address if isinstance(address, str) else ""


def shared_address(address: str) -> str | None:
    """An address of this server as other machines reach it; None where it only answers its own."""
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
