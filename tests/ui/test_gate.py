"""Who is let in, and what browsers are told that they may do."""

import base64
import hashlib
import ipaddress
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from starlette.types import Message
from streamlit import config

from caldp_ui.app.gate import Gate, Policy, Sticky, document_policy, is_closed, is_known
from caldp_ui.app.theme import Settings
from tests import ROOT
from tests.loops import run
from tests.ui.test_delivery import request, silence


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


def test_as_it_comes_the_server_answers_this_machine_alone() -> None:
    server = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["server"]
    assert ipaddress.ip_address(server["address"]).is_loopback
    assert server["enableXsrfProtection"]
    assert server["enableCORS"]
    assert not server["allowedHosts"]  # so that `gate.py` has the first word, and not the socket
