"""What the server does beside Streamlit: files compressed once, style first, runs in turns."""

import asyncio
import gzip
import logging
import re
import threading
from pathlib import Path
from typing import Any

import plotly
import pytest
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Message

from caldp_ui.app.delivery import Delivery, takes_gzip
from caldp_ui.app.navigation import PAGES
from caldp_ui.app.run_limiter import limit_run
from caldp_ui.app.theme import SHEET, expand_selectors, join_path, scripts, style
from caldp_ui.app.upkeep import THREAD_PREFIX, upkeep
from caldp_ui.charts.show import ADDRESS, library
from tests.loops import run

DOCUMENT = b'<html><head></head><body><div id="root"></div></body></html>'
LASTS = "public, immutable, max-age=31536000"


class App:
    """An app with one answer, in two parts; it counts how often it was asked, and for what."""

    def __init__(self, kind: str, cache: str, body: bytes, **more: str) -> None:
        self.requests: list[dict[str, Any]] = []
        given = {"content-type": kind, "cache-control": cache, "etag": '"1"', **more}
        self.headers = [(name.encode(), text.encode()) for name, text in given.items()]
        self.body = body

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.requests.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": self.headers})
        half = len(self.body) // 2
        first = {"type": "http.response.body", "body": self.body[:half], "more_body": True}
        await send(first)
        await send({"type": "http.response.body", "body": self.body[half:]})


async def silence() -> Message:
    """A browser that waits."""
    await asyncio.Event().wait()
    return {}


def request(path: str, **headers: str) -> dict[str, Any]:
    """A browser's request."""
    raw = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return {"type": "http", "method": "GET", "path": path, "headers": raw}


def answer(to: Delivery, path: str, **headers: str) -> tuple[dict[str, str], bytes, int]:
    """Headers and body that a browser gets, and in how many messages."""
    got: list[Any] = []

    async def send(message: Any) -> None:
        got.append(message)

    run(to(request(path, **headers), silence, send))
    fields = {name.decode(): text.decode() for name, text in got[0]["headers"]}
    fields[":status"] = str(got[0]["status"])
    return fields, b"".join(each["body"] for each in got[1:]), len(got)


def test_the_document_holds_what_is_there_before_the_code_comes() -> None:
    app = App("text/html; charset=utf-8", "no-cache", DOCUMENT)
    asks = {"accept": "text/html", "accept_encoding": "gzip"}
    headers, body, _ = answer(Delivery(app), "/places", **asks)
    text = gzip.decompress(body).decode()
    assert len(body) == int(headers["content-length"])
    assert re.search(r"<head><script>.*BACKEND_BASE_URL.*</script>", text)
    assert f"</script>{scripts()}</head>" in text
    assert re.search(r'<div id="root"><p [^<>]+>caldp is loading…</p></div>', text)
    assert text.endswith(f"<style>{style()}</style></body></html>")
    assert "etag" not in headers  # an older style would stay for ever
    assert all(name != b"accept-encoding" for name, _ in app.requests[0]["headers"])


def test_a_file_that_lasts_is_compressed_once() -> None:
    app = App("text/javascript", LASTS, b"let a = 1;" * 500)
    delivery = Delivery(app)
    for _ in range(3):
        headers, body, _ = answer(delivery, "/static/a.js", accept_encoding="gzip, br")
        assert gzip.decompress(body) == app.body
        assert (headers["content-encoding"], headers["etag"]) == ("gzip", 'W/"1"')
        assert "accept-encoding" in headers["vary"].lower()
    assert len(app.requests) == 1
    assert len(body) < len(app.body) / 10


@pytest.mark.parametrize(
    ("kind", "cache", "asks"),
    [
        ("text/javascript", LASTS, {}),
        ("text/javascript", LASTS, {"accept_encoding": "br"}),
        ("text/javascript", LASTS, {"accept_encoding": "gzip;q=0, *"}),
        ("text/javascript", LASTS, {"accept_encoding": "gzip", "range": "bytes=0-9"}),
        ("font/woff2", LASTS, {"accept_encoding": "gzip"}),
        ("application/json", "no-cache", {"accept_encoding": "gzip"}),
    ],
)
def test_all_else_goes_on_as_it_comes(kind: str, cache: str, asks: dict[str, str]) -> None:
    app = App(kind, cache, b"as it was" * 500)
    delivery = Delivery(app)
    for _ in range(2):
        headers, body, parts = answer(delivery, "/a", **asks)
        assert (body, parts) == (app.body, 3)
        assert "content-encoding" not in headers
    assert len(app.requests) == 2


def test_two_runs_at_a_time() -> None:
    entered, leave = threading.Semaphore(0), threading.Event()

    def page() -> None:
        with limit_run():
            entered.release()
            leave.wait(60)

    runs = [threading.Thread(target=page) for _ in range(3)]
    for each in runs:
        each.start()
    assert all(entered.acquire(timeout=60) for _ in range(2))
    assert not entered.acquire(timeout=0.2)
    leave.set()
    assert entered.acquire(timeout=60)
    for each in runs:
        each.join(60)


def test_work_beside_pages_is_not_warned_of() -> None:
    logger = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")

    def is_logged(thread: str) -> bool:
        record = logging.makeLogRecord({"threadName": thread})
        return bool(logger.filter(record))

    async def served() -> None:
        async with upkeep(None):
            assert not is_logged(f"{THREAD_PREFIX}quiet_0")
            assert is_logged("MainThread")

    run(served())
    assert is_logged(f"{THREAD_PREFIX}quiet_0")


def test_upkeep_ends_with_the_server() -> None:
    async def live() -> int:
        async with upkeep(None):
            at_work = len(asyncio.all_tasks())
        await asyncio.sleep(0)
        return at_work - len(asyncio.all_tasks())

    assert run(live()) == 1


def test_selectors_that_look_into_class_names_are_written_out() -> None:
    css = '[class*="-side"][class*="-side"] > p { top: 0; }'
    one = ":is(.st-key-a-side,.st-key-b-side)"
    assert expand_selectors(css, ["a", "b"]) == f"{one}{one} > p {{ top: 0; }}"


def test_no_selector_of_the_document_looks_into_class_names() -> None:
    """With one, a browser styles the whole document anew for each element that changes."""
    assert "[class*=" in SHEET.read_text("utf-8")
    assert not re.search(r"\[class(?!=)", style())
    assert all(f".st-key-{Path(page.path).stem}-title" in style() for page in PAGES)


@pytest.mark.parametrize("base", ["", "caldp", "/a/b/"])
def test_plotlys_code_comes_from_below_the_base_compressed_and_may_be_kept(base: str) -> None:
    address = join_path(base, ADDRESS)
    app = Starlette(routes=[library(address)])
    delivery = Delivery(GZipMiddleware(app), base)  # Streamlit's own, which compresses anew
    headers, body, _ = answer(delivery, address, accept_encoding="gzip")
    assert plotly.__version__ in ADDRESS
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"].startswith("application/javascript")
    assert b"plotly.js v" in gzip.decompress(body)[:200]
    assert delivery.kept_paths == {address}


def test_eight_who_ask_at_once_have_it_compressed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[bytes] = []

    def compress(body: bytes, *_: Any, **__: Any) -> bytes:
        done.append(body)
        return b"small"

    monkeypatch.setattr(gzip, "compress", compress)
    delivery = Delivery(App("text/javascript", LASTS, b"let a = 1;"))

    async def all_at_once() -> list[Any]:
        got: list[Any] = []

        async def send(message: Any) -> None:
            got.append(message)

        scope = request("/static/a.js", accept_encoding="gzip")
        await asyncio.gather(*(delivery(scope, silence, send) for _ in range(8)))
        return got

    got = run(all_at_once())
    assert [each["body"] for each in got if "body" in each] == [b"small"] * 8
    assert done == [b"let a = 1;"]


@pytest.mark.parametrize("known", ['"1"', 'W/"1"', '"0", W/"1"', "*"])
def test_who_has_the_file_is_told_so(known: str) -> None:
    delivery = Delivery(App("text/javascript", LASTS, b"let a = 1;" * 500))
    for _ in range(2):  # as it is made, and as it is kept
        asks = {"accept_encoding": "gzip", "if_none_match": known}
        headers, body, _ = answer(delivery, "/static/a.js", **asks)
        assert (headers[":status"], body, headers["etag"]) == ("304", b"", 'W/"1"')
        assert "content-length" not in headers
    asks["if_none_match"] = '"2"'
    assert answer(delivery, "/static/a.js", **asks)[0][":status"] == "200"


def test_other_spellings_of_an_address_fill_no_memory() -> None:
    delivery = Delivery(App("text/javascript", LASTS, b"let a = 1;" * 500))
    for path in ("/static/a.js", "/static//a.js", "/static/./a.js", "/static/././a.js"):
        assert answer(delivery, path, accept_encoding="gzip")[0]["content-encoding"] == "gzip"
    assert delivery.kept_paths == {"/static/a.js"}


def test_what_belongs_to_a_visit_goes_by() -> None:
    app = App("text/html", "no-cache", DOCUMENT)
    delivery = Delivery(app, "caldp")
    _, body, parts = answer(delivery, "/caldp/media/a.html", accept_encoding="gzip")
    assert (body, parts) == (DOCUMENT, 3)
    assert answer(delivery, "/caldp/", accept_encoding="gzip")[2] == 2


def test_a_reader_without_gzip_gets_the_same_document() -> None:
    app = App("text/html", "no-cache", DOCUMENT)
    _, plain, _ = answer(Delivery(app), "/", accept_encoding="gzip;q=0")
    _, small, _ = answer(Delivery(app), "/", accept_encoding="gzip")
    assert plain == gzip.decompress(small) != DOCUMENT


@pytest.mark.parametrize(
    ("accepted", "taken"),
    [
        ("gzip", True),
        ("GZIP, br", True),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("gzip;q=x", False),
        ("*;q=0", False),
        ("*, gzip;q=0", False),
        ("br, x-gzip", False),
        ("", False),
    ],
)
def test_what_may_be_compressed(accepted: str, taken: bool) -> None:
    assert takes_gzip(accepted) is taken
