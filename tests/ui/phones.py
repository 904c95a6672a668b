"""Phones of a live poll without browsers: the requests that they send to the server's routes."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.types import ASGIApp, Message

from caldp_ui.app import delivery
from caldp_ui.app.theme import join_path
from caldp_ui.room import phone, view
from caldp_ui.room.phone import WEB
from caldp_ui.room.poll import attempt_limiter, rooms
from caldp_ui.room.question import PollQuestion
from tests.collect.test_client import NODE

JSON = "application/json"


@dataclass(frozen=True)
class Answer:
    """What the server answers; `cookies` of its headers by name."""

    status: int
    headers: dict[str, str]
    body: bytes
    cookies: dict[str, str]

    @property
    def content(self) -> Any:
        """Its JSON."""
        return json.loads(self.body)


def fresh_rooms() -> Iterator[None]:
    """A fixture: a server without polls, whose limits by the second don't depend on our pace."""
    rooms.clear()
    attempt_limiter.clear()
    rooms()._now = attempt_limiter()._now = lambda: 0.0
    yield
    rooms.clear()
    attempt_limiter.clear()


def phones_app(base: str = "") -> ASGIApp:
    """The routes of phones behind the server's middleware."""
    return Starlette(
        routes=phone.routes(lambda name: join_path(base, name)), middleware=delivery.middleware()
    )


async def ask(
    app: ASGIApp,
    path: str,
    query: str = "",
    method: str = "GET",
    *,
    body: Sequence[bytes] = (),
    address: str = "192.0.2.1",
    **headers: str,
) -> Answer:
    """One request; `body` in these parts, and header names with "_" for "-"."""
    given = {"host": "127.0.0.1", **headers}
    raw = [(k.replace("_", "-").encode(), v.encode("latin-1")) for k, v in given.items()]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": "",
        "query_string": query.encode(),
        "headers": raw,
        "client": (address, 50_000),
    }
    parts, got = list(body), list[Message]()

    async def receive() -> Message:
        part = parts.pop(0) if parts else b""
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: Message) -> None:
        got.append(message)

    await app(scope, receive, send)
    fields = [(name.decode().lower(), text.decode()) for name, text in got[0]["headers"]]
    jar = SimpleCookie("; ".join(text for name, text in fields if name == "set-cookie"))
    content = b"".join(each.get("body", b"") for each in got[1:])
    cookies = {name: morsel.value for name, morsel in jar.items()}
    return Answer(got[0]["status"], dict(fields), content, cookies)


@dataclass
class Phone:
    """A phone with its own cookies in the poll of a code."""

    code: str
    worker: str = ""
    app: ASGIApp = field(default_factory=phones_app)
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def query(self) -> str:
        return urlencode({"code": self.code} | ({"worker": self.worker} if self.worker else {}))

    async def state(self, **headers: Any) -> Answer:
        """Ask for the state of the poll."""
        return await ask(self.app, "/room/poll", self.query, **headers)

    async def send(self, mark: str, report: object, token: int = 1, **more: Any) -> Answer:
        """Send a report."""
        text = json.dumps({"mark": mark, "token": f"{token:032x}", "report": report})
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers: dict[str, Any] = {
            "content_type": JSON,
            **({"cookie": cookie} if cookie else {}),
            **more,
        }
        answer = await ask(
            self.app, "/room/poll", self.query, "POST", body=[text.encode()], **headers
        )
        self.cookies |= answer.cookies
        return answer


TABLE = json.loads((WEB / "phone_words.json").read_text("utf-8"))
EXPLAIN = (WEB / "explain.js").read_text("utf-8")


@cache
def says(question: PollQuestion, language: str = "en", script: str = EXPLAIN) -> dict[str, Any]:
    """The `choices` of a phone before it sends, and the `explanations` of its report."""
    made = "explain(...JSON.parse((await import('node:fs')).readFileSync(0)))"
    code = f"{script}\nprocess.stdout.write(JSON.stringify({made}));"
    data = json.dumps([view.question_message(question), TABLE[language]])
    command = [str(NODE), "--input-type=module", "-e", code]
    done = subprocess.run(
        command, input=data, capture_output=True, text=True, check=True, timeout=120
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found
