"""What the server does beside Streamlit: files, style, downloads, who is let in, and what
it reports to its operator: lines of its log, and figures for Prometheus."""

import asyncio
import base64
import gzip
import hashlib
import ipaddress
import json
import logging
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import plotly
import pytest
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Message, Receive, Scope, Send
from streamlit import config
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState

from caldp_ui.app import operation
from caldp_ui.app.delivery import (
    THREAD_PREFIX,
    DeliveryMiddleware,
    takes_gzip,
    upkeep,
)
from caldp_ui.app.gate import Gate, Policy, Sticky, document_policy, is_closed, is_known
from caldp_ui.app.navigation import PAGES
from caldp_ui.app.operation import Log, Operation
from caldp_ui.app.theme import SHEET, Settings, expand_selectors, join_path, scripts, style
from caldp_ui.charts.show import ADDRESS, library
from tests import ROOT
from tests.contract.checks import naming
from tests.servers import free_port, run, running_server
from tests.visits import Visitor

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


def answer(to: DeliveryMiddleware, path: str, **headers: str) -> tuple[dict[str, str], bytes, int]:
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
    headers, body, _ = answer(DeliveryMiddleware(app), "/places", **asks)
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
    delivery = DeliveryMiddleware(app)
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
    delivery = DeliveryMiddleware(app)
    for _ in range(2):
        headers, body, parts = answer(delivery, "/a", **asks)
        assert (body, parts) == (app.body, 3)
        assert "content-encoding" not in headers
    assert len(app.requests) == 2


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


def test_rules_of_all_pages_name_whole_keys_of_containers() -> None:
    """An ending is matched as a whole: a key that goes on behind it has no rule."""
    endings = set(re.findall(r'\[class\*="(-[a-z-]+)"\]', SHEET.read_text("utf-8")))
    assert "-own-checks" in endings
    assert [each for each in endings if each.endswith("-")] == []


@pytest.mark.parametrize("base", ["", "caldp", "/a/b/"])
def test_plotlys_code_comes_from_below_the_base_compressed_and_may_be_kept(base: str) -> None:
    address = join_path(base, ADDRESS)
    app = Starlette(routes=[library(address)])
    delivery = DeliveryMiddleware(
        GZipMiddleware(app), base
    )  # Streamlit's own, which compresses anew
    headers, body, _ = answer(delivery, address, accept_encoding="gzip")
    assert plotly.__version__ in ADDRESS
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"].startswith("application/javascript")
    assert b"plotly.js v" in gzip.decompress(body)[:200]
    assert set(delivery._kept) == {address}


def test_eight_who_ask_at_once_have_it_compressed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[bytes] = []

    def compress(body: bytes, *_: Any, **__: Any) -> bytes:
        done.append(body)
        return b"small"

    monkeypatch.setattr(gzip, "compress", compress)
    delivery = DeliveryMiddleware(App("text/javascript", LASTS, b"let a = 1;"))

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
    delivery = DeliveryMiddleware(App("text/javascript", LASTS, b"let a = 1;" * 500))
    for _ in range(2):  # as it is made, and as it is kept
        asks = {"accept_encoding": "gzip", "if_none_match": known}
        headers, body, _ = answer(delivery, "/static/a.js", **asks)
        assert (headers[":status"], body, headers["etag"]) == ("304", b"", 'W/"1"')
        assert "content-length" not in headers
    asks["if_none_match"] = '"2"'
    assert answer(delivery, "/static/a.js", **asks)[0][":status"] == "200"


def test_other_spellings_of_an_address_fill_no_memory() -> None:
    delivery = DeliveryMiddleware(App("text/javascript", LASTS, b"let a = 1;" * 500))
    for path in ("/static/a.js", "/static//a.js", "/static/./a.js", "/static/././a.js"):
        assert answer(delivery, path, accept_encoding="gzip")[0]["content-encoding"] == "gzip"
    assert set(delivery._kept) == {"/static/a.js"}


def test_what_belongs_to_a_visit_goes_by() -> None:
    app = App("text/html", "no-cache", DOCUMENT)
    delivery = DeliveryMiddleware(app, "caldp")
    _, body, parts = answer(delivery, "/caldp/media/a.html", accept_encoding="gzip")
    assert (body, parts) == (DOCUMENT, 3)
    assert answer(delivery, "/caldp/", accept_encoding="gzip")[2] == 2


def test_a_reader_without_gzip_gets_the_same_document() -> None:
    app = App("text/html", "no-cache", DOCUMENT)
    _, plain, _ = answer(DeliveryMiddleware(app), "/", accept_encoding="gzip;q=0")
    _, small, _ = answer(DeliveryMiddleware(app), "/", accept_encoding="gzip")
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


async def fine(scope: Any, receive: Any, send: Any) -> None:
    """An app that takes everybody in."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept", "headers": []})
        return
    kind = scope.get("kind", b"text/html; charset=utf-8")
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
    await send({"type": "http.response.body", "body": b"fine"})


def first(app: Any, scope: Mapping[str, Any]) -> Message:
    """The first message of the answer."""
    got: list[Message] = []

    async def send(message: Message) -> None:
        got.append(message)

    run(app(scope, silence, send))
    return got[0]


def status(path: str, **headers: str) -> int:
    found: int = first(Gate(fine), request(path, **headers))["status"]
    return found


def accepts(**headers: str) -> bool:
    scope = {**request("/_stcore/stream", **headers), "type": "websocket"}
    return bool(first(Gate(fine), scope)["type"] == "websocket.accept")


def named(message: Message, name: str) -> list[str]:
    return [text.decode() for key, text in message["headers"] if key.decode().lower() == name]


@pytest.fixture
def allowed() -> Any:
    """Sets `server.allowedHosts`."""

    def put(*names: str) -> None:
        config.set_option("server.allowedHosts", list(names))

    yield put
    put()


OURS = ["localhost", "localhost:8501", "LOCALHOST", "127.0.0.1:8501", "192.168.1.20", "[::1]:8501"]
FOREIGN = ["evil.example", "localhost.evil.example", "1.2.3.4.evil.example", "streamlit.app"]
BROKEN = ["", "a@localhost", "localhost/x", "localhost:x", "localhost:99999", "local host", "[::1"]


@pytest.mark.parametrize("path", ["/", "/static/a.js", "/media/a.png", "/_stcore/health"])
def test_names_that_are_not_ours_are_refused_at_every_route(path: str) -> None:
    assert {
        host for host in [*OURS, "mine.streamlit.app"] if status(path, host=host) != 200
    } == set()
    assert {host for host in [*FOREIGN, *BROKEN] if status(path, host=host) != 421} == set()


def test_listed_names_are_all_there_are(allowed: Callable[..., None]) -> None:
    allowed("caldp.example.org", "*.class.example")
    hosts = ["Caldp.Example.org.:443", "a.class.example", "127.0.0.1", "localhost", "class.example"]
    assert [status("/", host=host) for host in hosts] == [200, 200, 421, 421, 421]
    assert is_known("anything.example", ["*"])


def test_sockets_are_for_pages_from_here() -> None:
    here = {"host": "localhost:8501"}
    assert accepts(**here)
    assert accepts(**here, origin="http://localhost:8501")
    assert not accepts(**here, origin="http://localhost:9999")
    assert not accepts(**here, origin="https://evil.example")
    assert not accepts(**here, origin="null")
    assert not accepts(host="evil.example", origin="http://evil.example")


def test_no_route_tells_of_the_server() -> None:
    closed = ["_stcore/metrics", "_stcore/agent/mcp", "_stcore/agent", "_stcore/metrics/"]
    for base in ("/", "/caldp/"):
        assert {status(f"{base}{path}", host="localhost") for path in closed} == {404}
        assert not is_closed(f"{base}_stcore/health")
        assert not is_closed(f"{base}_stcore/stream")


def test_every_answer_says_what_a_browser_may_do() -> None:
    answer = first(Policy(fine), {**request("/media/a"), "kind": b"image/png"})
    assert named(answer, "x-content-type-options") == ["nosniff"]
    assert named(answer, "referrer-policy") == ["no-referrer"]
    assert "camera=()" in named(answer, "permissions-policy")[0]
    (policy,) = named(answer, "content-security-policy")
    assert policy.startswith("default-src 'none'; frame-ancestors 'none'")


def test_a_page_runs_the_scripts_that_it_was_sent_with_and_no_others() -> None:
    digest = base64.b64encode(hashlib.sha256(b" let a = 1\n").digest()).decode()
    html = "<head><script> let a = 1\n</script><script src=x.js></script></head>"
    rules = dict(each.split(" ", 1) for each in document_policy(html, ()).split("; "))
    assert rules["script-src"] == f"'self' blob: 'wasm-unsafe-eval' 'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert rules["frame-ancestors"] == "'self'"
    assert "frame-ancestors 'self' https://learn.example" in document_policy(
        html, ("https://learn.example",)
    )


def cookies(settings: Settings, **changed: Any) -> list[str]:
    scope = {**request("/caldp/places", cookie="a=1"), **changed}
    return named(first(Sticky(fine, "/caldp/", settings), scope), "set-cookie")


def test_a_worker_leaves_its_name_with_pages_and_sockets() -> None:
    mine = ["caldp_worker=w2; Path=/caldp/; HttpOnly; SameSite=Lax"]
    assert cookies(Settings("w2")) == mine
    assert cookies(Settings("w2"), type="websocket") == mine
    assert cookies(Settings("w2"), headers=[(b"cookie", b"caldp_worker=w1")]) == mine
    assert cookies(Settings("w2"), headers=[(b"cookie", b"b=2; caldp_worker=w2")]) == []
    assert cookies(Settings("w2"), kind=b"text/javascript") == []
    assert cookies(Settings()) == []
    in_a_frame = cookies(Settings("w2", ("https://learn.example",)))
    assert in_a_frame == [
        "caldp_worker=w2; Path=/caldp/; HttpOnly; SameSite=None; Secure; Partitioned"
    ]


def test_settings_come_from_the_environment() -> None:
    both = {"CALDP_WORKER": "w1", "CALDP_FRAME_ANCESTORS": "https://a.example  https://*.b.example"}
    assert Settings.of(both) == Settings("w1", ("https://a.example", "https://*.b.example"))
    assert Settings.of({}) == Settings()
    for wrong in ("https://a.example; script-src *", "a.example", "https://a.example/path", "*"):
        with pytest.raises(ValueError, match="CALDP_FRAME_ANCESTORS must be"):
            Settings.of({"CALDP_FRAME_ANCESTORS": wrong})
    with pytest.raises(ValueError, match="CALDP_WORKER must be"):
        Settings.of({"CALDP_WORKER": "w1; Domain=x"})
    assert Settings.of({"CALDP_POLL_KEY": "of our school"}).poll_key == "of our school"
    with pytest.raises(ValueError, match="CALDP_POLL_KEY must have 8"):
        Settings.of({"CALDP_POLL_KEY": "1234567"})
    assert Settings.of({"CALDP_LOG": "json"}).log == "json"
    with pytest.raises(ValueError, match="CALDP_LOG must be text or json"):
        Settings.of({"CALDP_LOG": "yes"})
    for port in ("9100", "10.0.0.5:9100"):
        assert Settings.of({"CALDP_METRICS": port}).metrics == port
    for wrong in ("0", "x:9100", "9100:", "1234567"):
        with pytest.raises(ValueError, match="CALDP_METRICS must be a port"):
            Settings.of({"CALDP_METRICS": wrong})


def test_as_it_comes_the_server_answers_this_machine_alone() -> None:
    server = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["server"]
    assert ipaddress.ip_address(server["address"]).is_loopback
    assert server["enableXsrfProtection"]
    assert server["enableCORS"]
    assert not server["allowedHosts"]  # so that `gate.py` has the first word, and not the socket


def lines_of(log_form: str, moments: list[float]) -> list[str]:
    """The lines of a log for an event at each of these moments, in seconds."""
    lines, now = list[str](), iter(moments)
    log = Log(Settings("w1", log=log_form), lines.append, lambda: next(now))
    for _ in moments:
        log.write("visit ends", seconds=1.25)
    return lines


def test_line_has_time_worker_event_and_figures_in_either_form() -> None:
    (plain,), (as_json,) = lines_of("text", [0.0]), lines_of("json", [0.0])
    assert re.fullmatch(
        r'time="20\d\d-\S+\+00:00" worker="w1" event="visit ends" seconds=1\.25\n', plain
    )
    record = json.loads(as_json)
    assert list(record) == ["time", "worker", "event", "seconds"]
    assert (record["worker"], record["event"], record["seconds"]) == ("w1", "visit ends", 1.25)
    assert lines_of("", [0.0]) == []


def test_flood_of_events_writes_ten_lines_a_second_and_counts_the_rest() -> None:
    lines = [json.loads(line) for line in lines_of("json", [*[0.0] * 500, 1.0, 1.01])]
    assert len(lines) == 12
    assert [line.get("left_out") for line in lines] == [*[None] * 10, 490, None]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "http.response.start", "status": 429}, "429"),
        ({"type": "http.response.start", "status": 503}, "503"),
        ({"type": "websocket.close", "code": 1008}, "1008"),
        ({"type": "http.response.start", "status": 404}, None),
        ({"type": "http.response.start", "status": 200}, None),
        ({"type": "websocket.close", "code": 1001}, None),
    ],
)
def test_refusals_are_counted_by_code_and_pass_unchanged(message: Message, code: str) -> None:
    passed = list[Message]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send(message)

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        passed.append(message)

    def refused() -> Counter[str]:
        samples = (sample for metric in operation._REFUSED.collect() for sample in metric.samples)
        return Counter(
            {s.labels["code"]: int(s.value) for s in samples if s.name == "caldp_refused_total"}
        )

    before = refused()
    run(Operation(app)({"type": "http"}, receive, send))
    assert passed == [message]
    assert refused() - before == Counter([code] if code else [])


@pytest.mark.thorough
def test_server_logs_visits_and_refusals_and_shows_figures_on_its_own_port(tmp_path: Path) -> None:
    with free_port() as port:
        variables = {"CALDP_LOG": "json", "CALDP_METRICS": str(port), "CALDP_WORKER": "w1"}
        with running_server(tmp_path, variables=variables) as server:
            figures = run(visited(server.address, f"http://127.0.0.1:{port}/metrics"))
        (log,) = tmp_path.glob("*.log")
        said = log.read_text("utf-8")
    lines = [json.loads(line) for line in said.splitlines() if line.startswith('{"time"')]
    events = [line["event"] for line in lines]
    assert "ScriptRunContext" not in said  # of which Streamlit warns where no page is run
    assert events[0] == "server starts"
    assert events[-1] == "server ends"
    assert sorted(events[1:-1]) == ["refused", "visit begins", "visit ends"]
    assert [line["code"] for line in lines if line["event"] == "refused"] == [421]
    assert "127.0.0.1" not in "".join(map(json.dumps, lines))
    assert "caldp_visits 1.0" in figures
    assert re.search(r"caldp_run_seconds_count [1-9]", figures)
    assert 'caldp_refused_total{code="421"} 1.0' in figures


async def visited(address: str, metrics: str) -> str:
    """The figures of a server while one visit is there, and after a request by a foreign name."""
    visitor = await Visitor.open(address, "room", "room-open")
    with pytest.raises(HTTPError):
        urlopen(Request(address, headers={"Host": "evil.example"}), timeout=10)
    await visitor.press("room-open", "room-keeper")  # the first run has ended then
    with urlopen(metrics, timeout=10) as answer:
        figures: str = answer.read().decode()
    await visitor.close()
    return figures


class Forgetful(Visitor):
    """A visit that tells the server of no message that it has."""

    def _state(self) -> ClientState:
        state = super()._state()
        del state.cached_message_hashes[:]
        return state


_MOVES = (
    ("epsilon", "2"),
    ("preset", "Plain LDP: all equally"),
    ("epsilon", "1"),
    ("preset", "US states"),
)


@pytest.mark.slow
def test_a_browser_is_not_sent_again_what_it_has_and_shows_the_same() -> None:
    with running_server() as server:
        keeps, forgets = run(moved(server.address, Visitor)), run(moved(server.address, Forgetful))
    for number, (kept, sent_again) in enumerate(zip(keeps, forgets, strict=True)):
        with naming(f"move {number}"):
            assert kept[0].keys() == sent_again[0].keys()
            assert len(kept[0]) == 6  # code, land, ground, three pictures
            assert all(sent_again[0][name] == each for name, each in kept[0].items())
    contents = [{name: each.bytes for name, each in shown.items()} for shown, _ in keeps]
    for name, changes in (("land", 1), ("ground", 2), ("picture-truth", 1), ("picture-ours", 5)):
        assert len({shown[f"places-maps-{name}"] for shown in contents}) == changes
    assert keeps[0][1] > 100_000  # all comes once
    assert max(size for _, size in keeps[1:]) < min(size for _, size in forgets[1:]) / 2


async def moved(address: str, kind: type[Visitor]) -> list[tuple[dict[str, Any], int]]:
    """What the maps of a visit are made of, and the bytes that came: at first, and by each move."""
    visitor = await kind.open(address, "places", "places-mathematics")
    seen = []
    for name, text in (("", ""), *_MOVES):
        key = f"places-{name}"
        if name == "epsilon":
            await visitor.run({key: text}, "places-mathematics")
        elif name:
            visitor.received = 0
            await visitor.use(key, WidgetState(id=visitor.elements[key].id, string_value=text))
        parts = {name: each for name, each in visitor.elements.items() if PART.match(name)}
        seen.append((parts, visitor.received))
    await visitor.close()
    return seen


PART = re.compile("places-maps-(code|land|ground|picture-.*)")
