"""Files on their way in: never to the disk, and so many bytes of all visits at a time."""

import asyncio
from collections.abc import Sequence
from typing import Any

from starlette.formparsers import MultiPartParser
from starlette.types import Message, Receive, Scope, Send
from streamlit import config

from caldp_ui.app.delivery import TOTAL_BYTES_MAX, Uploads
from tests.contract.checks import naming

MB = 2**20


def put(size: bytes | None, path: str = "/_stcore/upload_file/visit/file") -> Scope:
    headers = [] if size is None else [(b"content-length", size)]
    return {"type": "http", "method": "PUT", "path": path, "headers": headers}


async def statuses(scopes: Sequence[Scope]) -> list[int]:
    """What is answered to each, all being under way at once."""
    come, go_on = asyncio.Event(), asyncio.Event()
    waiting = 0

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal waiting
        waiting += 1
        come.set()
        await go_on.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})

    uploads = Uploads(inner)
    found: list[int] = []

    async def receive() -> Message:
        raise AssertionError("nothing is read before there is room")

    async def ask(scope: Scope) -> None:
        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                found.append(message["status"])

        await uploads(scope, receive, send)

    tasks = [asyncio.create_task(ask(scope)) for scope in scopes]
    await come.wait()
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(*tasks)
    await ask(scopes[0])  # room is given back
    return found


def test_there_is_room_for_so_many_bytes_at_a_time() -> None:
    most = config.get_option("server.maxUploadSize") * MB
    fit = TOTAL_BYTES_MAX // most
    for name, scopes in {
        "as long as they say": [put(str(most).encode())] * (fit + 1),
        "without a length": [put(None)] * (fit + 1),
        "with a false one": [put(b"-1")] * (fit + 1),
    }.items():
        with naming(name):
            assert sorted(asyncio.run(statuses(scopes))) == [204] * (fit + 1) + [429]
    small = [put(b"1000")] * (fit + 1)
    assert asyncio.run(statuses(small)) == [204] * (fit + 2)
    other = [put(None, "/elsewhere")] * (fit + 1)
    assert asyncio.run(statuses(other)) == [204] * (fit + 2)


def test_what_comes_in_is_never_on_the_disk() -> None:
    Uploads(lambda *_: asyncio.sleep(0))
    assert MultiPartParser.spool_max_size > config.get_option("server.maxUploadSize") * MB
