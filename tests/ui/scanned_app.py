"""The dashboard with one route more: which objects of the process hold what a visit has brought."""

import gc
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from streamlit.starlette import App

from app import app as dashboard

ROUTE = "/scan"


def has_text(found: object, texts: list[bytes]) -> bool:
    """Whether a text or bytes have one of the texts in them."""
    if isinstance(found, str):
        found = found.encode("utf-8", "replace")
    if not isinstance(found, bytes | bytearray | memoryview):
        return False
    whole = bytes(found)
    return any(text in whole for text in texts)


_MOST: Final = 10
ARRAY_MAX: Final = 1_000
"""Larger arrays may number the cells of a map, and so hold any numbers."""


def has_numbers(found: object, numbers: set[int]) -> bool:
    """Whether a container or an array holds all of the numbers, or their shares of all."""
    if isinstance(found, np.ndarray):
        if found.dtype.kind not in "iuf" or found.size > ARRAY_MAX:
            return False
        held = {*found.ravel().tolist()}
        shares = {number / sum(numbers) for number in numbers}
        return numbers <= held or shares <= held
    if not isinstance(found, tuple | list | set | frozenset):
        return False
    return numbers <= {part for part in found if type(part) is int}


def held(texts: list[bytes], numbers: set[int]) -> Iterator[str]:
    """Of each object that holds one of them directly: its type and a few of those that hold it."""
    gc.unfreeze()
    gc.collect()
    own = {id(texts), id(numbers)}
    for container in gc.get_objects():
        if id(container) in own or type(container).__name__ == "frame":
            continue
        parts = [part for part in gc.get_referents(container) if id(part) not in own]
        for found in parts:
            if has_text(found, texts) or has_numbers(found, numbers):
                above = [type(each).__name__ for each in gc.get_referrers(container)[:6]]
                yield f"{type(found).__name__} in {type(container).__name__} in {above}"
                break


async def scan(request: Request) -> JSONResponse:
    """Names of what holds the texts and numbers of the query, with how many there are of each."""
    query = request.query_params
    texts = [text[::-1].encode() for text in query.getlist("text")]
    numbers = {int(text) for text in query.getlist("number")}
    # To look for what holds each takes as long as the search.
    return JSONResponse(Counter(islice(held(texts, numbers), _MOST)))


# Streamlit looks for these words in the file that it is given.
app = App(
    dashboard.script_path,
    routes=[Route(ROUTE, scan), *dashboard._user_routes],
    middleware=dashboard._user_middleware,
    lifespan=dashboard._user_lifespan,
)
