"""A phone in a poll: one small page, the poll's state, and one report. No visit is kept for it.

The page is the same for all phones and polls. What it asks for again and again is a few lines of
work here, without a run of a page; the true answer never comes here (`web/phone.js`).
"""

import asyncio
import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Final
from weakref import WeakKeyDictionary

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from caldp_core.basics.errors import CaldpError
from caldp_core.collect import js
from caldp_ui.app import gate
from caldp_ui.app.theme import settings
from caldp_ui.room import poll as polls
from caldp_ui.room import view
from caldp_ui.room.question import PollQuestion
from caldp_ui.stage import records
from caldp_ui.stage.records import join_modules

WEB: Final = Path(__file__).with_name("web")
COIN: Final = join_modules(Path(js.__file__).parent, ("client",)) + join_modules(WEB, ("coin",))
"""The JavaScript with which a phone draws its report."""
ANSWERED: Final = "caldp_answered"
"""The cookie with the mark of the question that this phone has answered, and nothing else."""
_REMEMBERED_S: Final = 86_400
_REPORT_BYTES_MAX: Final = 512
_PATIENCE_S: Final = 10.0
"""A report is a hundred bytes: who takes longer sends none."""
_FOR_EVER: Final = {"cache-control": "public, max-age=31536000, immutable"}
_NOT_KEPT: Final = {"cache-control": "no-store"}


@cache
def _script() -> str:
    table = json.dumps(json.loads(polls.WORDS.read_text("utf-8")), ensure_ascii=False)
    modules = join_modules(WEB, ("explain", "phone"))
    return f"const WORDS = {table};\n{records.partial_script('dom')}{COIN}{modules}"


def script_name() -> str:
    """The name of the phones' JavaScript, which changes with what is in it."""
    return f"phone-{hashlib.sha256(_script().encode()).hexdigest()[:16]}.js"


def routes(address: Callable[[str], str]) -> list[BaseRoute]:
    """The routes of phones. `address`: the path of a name on this server."""
    kind = "application/javascript"
    return [
        _PageRoute(address("room"), _send_page),
        Route(address("room/poll"), _Poll(address("room"))),
        Route(address(script_name()), lambda _: Response(_script(), 200, _FOR_EVER, kind)),
    ]


class _PageRoute(Route):
    """Takes the links of polls from the page of the same address, where a poll is opened."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        has_code = match is not Match.NONE and polls.CODE in Request(scope).query_params
        return (match, child) if has_code else (Match.NONE, {})


async def _send_page(request: Request) -> Response:
    """The page, the same for every phone; a code as it was typed leads to its worker."""
    if link := polls.typed_link(request.query_params[polls.CODE]):
        return RedirectResponse(link, 303, headers=_NOT_KEPT)
    headers = {"cache-control": "no-cache", "content-security-policy": _policy()}
    return Response(document(), headers=headers, media_type="text/html")


@cache
def document() -> str:
    """The phones' page; the question comes later."""
    page = Template((WEB / "phone.html").read_text("utf-8"))
    return page.substitute(style=_style(), script=script_name())


@cache
def _style() -> str:
    return (WEB / "phone.css").read_text("utf-8")


@cache
def _policy() -> str:
    """The page's Content-Security-Policy: its own style, and this server for the rest."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    ancestors = " ".join(("'self'", *settings().ancestors))
    return (
        f"default-src 'none'; script-src 'self'; style-src 'sha256-{digest}'; img-src data:; "
        f"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {ancestors}"
    )


class _Poll:
    """A poll as a phone may see it, and its report. `path`: below which the cookie goes."""

    def __init__(self, path: str) -> None:
        self._path = path
        # As long as the room holds the question, and no longer.
        self._messages: WeakKeyDictionary[PollQuestion, dict[str, Any]] = WeakKeyDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except polls.Busy:
            answer = _json({}, 429, {"retry-after": "2"})
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        """Answer a request; raises `Busy`."""
        code = polls.normalize_code(request.query_params.get(polls.CODE, ""))
        poll, refusal = _find(code)
        match request.method:
            case "GET" | "HEAD":
                if poll is None or poll.mark not in _known_tag(request):
                    polls.attempt_limiter().record_attempt(polls.LOOK, gate.address_of(request))
                take = self._state
            case "POST":
                polls.attempt_limiter().record_attempt(polls.REPORT, gate.address_of(request))
                take = self._take
            case _:
                return Response(status_code=405, headers={"allow": "GET, HEAD, POST"})
        if poll is None:
            own = settings().worker
            is_lost = request.query_params.get(gate.QUERY, own) != own
            key = "goneLost" if is_lost else refusal
            return _json({"gone": key, "code": polls.format_code(code)}, 404)
        return await take(request, poll)

    async def _state(self, request: Request, poll: polls.PollState) -> Response:
        tag = f'"{poll.mark}-{poll.is_open:d}{poll.is_shown:d}{poll.is_over:d}"'
        headers = {**_NOT_KEPT, "etag": tag}
        if _known_tag(request) == tag:
            return Response(status_code=304, headers=headers)
        if poll.question not in self._messages:
            self._messages[poll.question] = view.question_message(poll.question)
        return JSONResponse(
            self._messages[poll.question] | view.state_message(poll), headers=headers
        )

    async def _take(self, request: Request, poll: polls.PollState) -> Response:
        """Count the report of a request; the phone sends a report again that is not refused."""
        host = request.headers.get("host", "")
        if not gate.is_from_here(request.headers.get("origin"), host):
            return _json({}, 403)
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return _json({}, 415)
        body = await _body(request)
        if body is None:
            return _json({}, 413)
        message = _object(body)
        mark, token = str(message.get("mark")), str(message.get("token"))
        try:
            is_repeat = polls.rooms().has_answered(poll.code, mark, token)
            polls.refuse_unless(is_repeat or request.cookies.get(ANSWERED) != mark, "refusedAgain")
            address = gate.address_of(request)
            polls.rooms().report(poll.code, mark, token, message.get("report"), address)
        except polls.Busy:
            raise
        except CaldpError as error:
            key = error.key if isinstance(error, polls.Refusal) else "refusedForeign"
            return _json({"refused": key}, 409)
        answer = _json({"received": True})
        answer.set_cookie(
            ANSWERED, mark, _REMEMBERED_S, path=self._path, httponly=True, samesite="lax"
        )
        return answer


def _find(code: str) -> tuple[polls.PollState | None, str]:
    """The poll of that code, or the key of why it is missing."""
    try:
        return polls.rooms().get_poll(code), ""
    except polls.Refusal as refusal:
        return None, refusal.key


def _known_tag(request: Request) -> str:
    """The tag of the state that a phone has; "" for a newcomer."""
    return request.headers.get("if-none-match", "")[:64].removeprefix("W/")


def _json(content: Mapping[str, Any], status: int = 200, more: Mapping[str, str] = {}) -> Response:
    return JSONResponse(content, status, {**_NOT_KEPT, **more})


async def _body(request: Request) -> bytes | None:
    """The body of a request; None if it is too long for a report, or takes too long."""
    body = b""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            async for part in request.stream():
                body += part
                if len(body) > _REPORT_BYTES_MAX:
                    return None
    except (TimeoutError, ClientDisconnect):
        return None
    return body


def _object(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; {} for anything else, of which no report can be made.

    With a key twice it could be read in two ways, so it is none.
    """
    try:
        found = json.loads(body, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these keys and values; `ValueError` where a key comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found
