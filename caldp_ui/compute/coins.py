"""Secret seeds of visits: no two lists, settings, visits or servers share coins of a rehearsal.

Noise on data that ship follows from the seed in the link, so that a link shows the same digits
everywhere. Noise on a visitor's own data must not: who brings a list of known counts, with the same
settings, would read the noise from it and subtract it from another visitor's table. It follows from
an HMAC (RFC 2104) of all that the draw depends on, the data included. The key is this process's;
the visit's own secret is part of the message. So the same visit sees the same picture again.
"""

import hmac
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, ParamSpec, TypeVar

import streamlit as st

from caldp_ui.server.current_run import is_in_run

P = ParamSpec("P")
T = TypeVar("T")
_PROCESS_KEY: Final = secrets.token_bytes(32)
"""Drawn at the start of each process and nowhere written, so that two servers share no coins."""
_BYTES: Final = 32
KEY: Final = "visit-secret"
"""Where the visit's state keeps its secret."""
_CURRENT: Final[ContextVar[bytes | None]] = ContextVar("secret of the visit", default=None)


def visit_secret() -> bytes:
    """The secret of the visit for which this thread works: 32 bytes, b"" where there is no visit.

    The visit's own runs read it from its state, which lasts as long as the visit; jobs and
    downloads have it from `working_for`.
    """
    given = _CURRENT.get()
    if given is not None:
        return given
    if not is_in_run():
        return b""
    if KEY not in st.session_state:
        st.session_state[KEY] = secrets.token_bytes(_BYTES)
    secret: bytes = st.session_state[KEY]
    return secret


@contextmanager
def working_for(secret: bytes) -> Iterator[None]:
    """Let this thread draw for the visit of that secret."""
    token = _CURRENT.set(secret)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def bound_to_visit(make: Callable[P, T]) -> Callable[P, T]:
    """The function, to be called from any thread: it draws for the visit that has bound it."""
    secret = visit_secret()

    def made_for_visit(*args: P.args, **options: P.kwargs) -> T:
        with working_for(secret):
            return make(*args, **options)

    return made_for_visit


def secret_number(purpose: str, *inputs: str | float) -> int:
    """A whole number below 2^256 that follows from the visit and all that a draw depends on.

    `purpose`: what is drawn. `inputs`: the data as a text or digest, and every setting of the draw.
    """
    message = json.dumps([visit_secret().hex(), purpose, *inputs])
    return int.from_bytes(hmac.digest(_PROCESS_KEY, message.encode(), "sha256"), "big")


def visit_name() -> str:
    """A name of the visit for keys of caches, from which its secret does not follow."""
    return hmac.digest(_PROCESS_KEY, b"name" + visit_secret(), "sha256").hex()[:_BYTES]
