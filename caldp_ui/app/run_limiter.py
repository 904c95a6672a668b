"""Runs take turns, and visits' sockets keep their pace; messages of what a visit has left.

Runs of a page are Python, of which one process does one thing at a time. Fifty at once all end
late, and what is sent to the browsers waits behind them; one after another, most end soon. Of those
who wait, the visit that has had the least lately goes first: who asks all the time waits longest.

A part of a page that is run alone is a run, too: Streamlit runs it past `app.py`, so each takes its
place itself (`fragment`). Within the run of its page it needs none. Callbacks of widgets go before
either and take no place.

A burst of messages is passed on at once; faster ones for longer wait, in order, for the visit's
pace, and a socket that is ahead by two hundred is closed. Requests to redraw a part of a page that
the visit has left end here; where a run of the same page left the part out, the whole page runs
(docs/what-we-learned.md says what Streamlit does with both). What a browser still has is not made
again for it.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, wraps
from itertools import count
from threading import Condition, Event
from time import monotonic, sleep
from typing import Any, Final, ParamSpec, TypeVar

import streamlit as st
from google.protobuf.message import DecodeError
from google.protobuf.message import Message as Protobuf
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.components.v2.bidi_component import main as bidi_component
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import Fragment, MemoryFragmentStorage
from streamlit.runtime.scriptrunner import ScriptRunner, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.runtime.state.common import WidgetValuePresenter
from streamlit.runtime.state.session_state import SessionState

from caldp_core.basics.cache import Making, current_work, shared_cache, working_on
from caldp_core.basics.types import Progress
from caldp_ui.app.echoes import is_step
from caldp_ui.app.texts import plain_errors

P = ParamSpec("P")
_PLACES: Final = 2
"""More than one, as NumPy works on arrays beside Python."""
_HALF_LIFE_S: Final = 10.0
_FORGET_BELOW_S: Final = 0.01
_AT_ONCE: Final = 4
_A_SECOND: Final = 2.5
"""After that, of whole pages of one visit beside others; what it asks meanwhile is one run."""
_WAIT_MAX_S: Final = 1.0
"""Longest wait at one report: films come even where pages are always run."""


class RunLimiter:
    """At most `places` runs at a time; the next is that of the visit that has had the least.

    Seconds that a visit has had count half as much after each `half` seconds. `clock`: seconds.
    """

    def __init__(
        self,
        places: int = _PLACES,
        half: float = _HALF_LIFE_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._places = self._free = places
        self._half, self._clock = half, clock
        self._changed = Condition()
        self._waiting: dict[int, tuple[str, Event]] = {}
        self._numbers = count()
        self._used_seconds: dict[str, tuple[float, float]] = {}
        self._buckets = defaultdict[str, Bucket](lambda: Bucket(_AT_ONCE, _A_SECOND, clock))
        self._pages = Counter[str]()

    @contextmanager
    def limit(self, visit: str) -> Iterator["PlacedRun"]:
        """Wait for a place, and give it back at the end."""
        run = PlacedRun(self, visit)
        try:
            yield run
        finally:
            run.leave()

    def enter(self, visit: str) -> float:
        """Wait for a place; returns when the visit had it."""
        turn = Event()
        with self._changed:
            self._waiting[next(self._numbers)] = visit, turn
            self._give_places()
        turn.wait()
        return self._clock()

    def leave(self, visit: str, began: float) -> None:
        """Give a place back that the visit has had since `began`."""
        with self._changed:
            self._free += 1
            now = self._clock()
            self._used_seconds[visit] = self._recent_seconds(visit, now) + now - began, now
            self._forget(now)
            self._give_places()
            self._changed.notify_all()

    def pause_s(self, visit: str) -> float:
        """Seconds until a visit's next whole page may run: 0 for one that is alone, or not fast."""
        with self._changed:
            return self._buckets[visit].take() if self._used_seconds.keys() - {visit} else 0.0

    @contextmanager
    def limit_page(self, visit: str) -> Iterator["PlacedRun"]:
        """As `limit` for a whole page: at its visit's pace, and no timer is heard until it ends."""
        with self._changed:
            self._pages[visit] += 1
        try:
            sleep(self.pause_s(visit))
            with self.limit(visit) as run:
                yield run
        finally:
            with self._changed:
                self._pages[visit] -= 1
                self._pages += Counter()  # forgets visits that have none

    def runs_page_of(self, visit: str) -> bool:
        """Whether a whole page of the visit is at work, or waits for its place."""
        return visit in self._pages

    def wait_until_idle(self, seconds: float) -> None:
        """Wait while any run is at work or waits for its turn, `seconds` at most."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_busy, timeout=seconds)

    @property
    def is_busy(self) -> bool:
        """Whether any run is at work or waits for its turn."""
        return self._free < self._places or bool(self._waiting)

    def _give_places(self) -> None:
        """Wake those whose turn it is, and nobody else: fifty that look cost more than a run."""
        while self._free and self._waiting:
            _, turn = self._waiting.pop(self._next())
            self._free -= 1
            turn.set()

    def _next(self) -> int:
        now = self._clock()  # one moment for all, so that the order is one
        return min(
            self._waiting,
            key=lambda number: (self._recent_seconds(self._waiting[number][0], now), number),
        )

    def _recent_seconds(self, visit: str, now: float) -> float:
        seconds, at = self._used_seconds.get(visit, (0.0, 0.0))
        return float(seconds * 0.5 ** ((now - at) / self._half))

    def _forget(self, now: float) -> None:
        for visit in list(self._used_seconds):
            if self._recent_seconds(visit, now) < _FORGET_BELOW_S:
                del self._used_seconds[visit]
                self._buckets.pop(visit, None)


class PlacedRun:
    """A run that has a place of a limiter; implements `Work` of the cache."""

    def __init__(self, limiter: RunLimiter, visit: str) -> None:
        self._limiter, self._visit = limiter, visit
        self._began: float | None = limiter.enter(visit)

    def leave(self) -> None:
        """Give the place back."""
        if self._began is not None:
            self._limiter.leave(self._visit, self._began)
            self._began = None

    def wait_for(self, making: Making) -> None:
        """Wait for what another work makes, on nobody's place."""
        with self.lend_place():
            making.finished.wait()

    @contextmanager
    def lend_place(self) -> Iterator[None]:
        """Let others run while this run waits; then wait for a free place."""
        self.leave()
        try:
            yield
        finally:
            self._began = self._limiter.enter(self._visit)


@st.cache_resource
def _limiter() -> RunLimiter:
    return RunLimiter()


def this_visit() -> str:
    """The name of the visit whose page is being run; empty outside of a run."""
    run = get_script_run_ctx()
    return "" if run is None else run.session_id


@contextmanager
def limit_run() -> Iterator[None]:
    """Wait for a place for this visit's run, and give it back at the end."""
    with _limiter().limit_page(this_visit()) as placed, working_on(placed):
        yield


def fragment(draw: Callable[P, None], run_every: float | None = None) -> Callable[P, None]:
    """A part of a page that can be run alone, as `st.fragment` makes it; such a run takes turns.

    An error of ours ends such a run with its sentence, as it ends a page.
    """

    @wraps(draw)
    def limited(*args: P.args, **kwargs: P.kwargs) -> None:
        if isinstance(current_work(), PlacedRun):  # within the run of its page
            draw(*args, **kwargs)
            return
        with _limiter().limit(this_visit()) as placed, working_on(placed), plain_errors():
            draw(*args, **kwargs)

    part: Callable[P, None] = st.fragment(limited, run_every=run_every)
    return part


def yield_to_runs(progress: Progress) -> Progress:
    """The progress of work that nobody waits for: each report lets runs of pages go first.

    Both are Python, and a page that shares the processor with a film in the making comes twice as
    late. A value that others wait for goes first, too.
    """

    def report(share: float) -> None:
        if not shared_cache().is_awaited(current_work()):
            _limiter().wait_until_idle(_WAIT_MAX_S)
        progress(share)

    return report


def share_with_runs(progress: Progress) -> Progress:
    """The progress of work that one visit waits for: at each report runs of pages go first.

    For as long as it has worked since the last report at most, so that it takes twice the time.
    """
    since = monotonic()

    def report(share: float) -> None:
        nonlocal since
        _limiter().wait_until_idle(monotonic() - since)
        since = monotonic()
        progress(share)

    return report


_STREAM: Final = "_stcore/stream"


class VisitSockets(ABC):
    """Passes on all connections; those of visits by its `serve`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one connection (ASGI)."""
        path = scope["path"].rstrip("/") if scope["type"] == "websocket" else ""
        if path.endswith(_STREAM):
            await self.serve(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    @abstractmethod
    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the socket of one visit."""


BURST: Final = 60
"""Messages that are passed on at once."""
PACE: Final = 20.0
"""Messages a second after that: twice what a page with several bars of progress sends alone."""
AHEAD_MAX: Final = 200
"""Messages that may wait; with one more, the socket is closed."""
AHEAD_MAX_BYTES: Final = 8 * 2**20
"""Bytes of messages that may wait, besides the one that came last."""
_DISCONNECT: Final = "websocket.disconnect"
_TOO_MANY: Final = 1008
"""Of RFC 6455, 7.4.1: the message breaks a policy."""


class Bucket:
    """Computes how long the next message must wait: `burst` at once, then `pace` a second.

    Both count messages, or bytes. `clock`: seconds.
    """

    def __init__(self, burst: int, pace: float, clock: Callable[[], float]) -> None:
        self._burst, self._pace, self._clock = burst, pace, clock
        self._left, self._at = float(burst), clock()

    def take(self, size: int = 1) -> float:
        """Take places for a message, of that size; returns the seconds until it may go."""
        now = self._clock()
        self._left = min(self._left + (now - self._at) * self._pace, self._burst) - size
        self._at = now
        return max(-self._left / self._pace, 0.0)


class PacedSocket:
    """One socket's messages, each passed on when its time has come. Read it by `receive`.

    `close`: called once too many wait; then `receive` returns that the socket was disconnected.
    """

    def __init__(
        self,
        receive: Receive,
        close: Callable[[], Awaitable[None]],
        *,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._receive, self._close, self._sleep = receive, close, sleep
        self._bucket = Bucket(BURST, PACE, clock)
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._came = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None

    async def receive(self) -> Message:
        """The next message, as ASGI has them; the end of the socket comes before all that waits."""
        if self._reader is None:
            self._reader = asyncio.create_task(self._read())
        await self._came.wait()
        if self._waiting[-1]["type"] == _DISCONNECT:
            return self._waiting[-1]
        message = self._waiting.popleft()
        self._bytes -= _size(message)
        if not self._waiting:
            self._came.clear()
        if message["type"] != "websocket.receive":
            return message
        pause = self._bucket.take()
        if pause:
            await self._sleep(pause)
        return message

    def end(self) -> None:
        """Stop reading."""
        if self._reader is not None:
            self._reader.cancel()

    async def _read(self) -> None:
        while True:
            message = await self._receive()
            if len(self._waiting) >= AHEAD_MAX or self._bytes >= AHEAD_MAX_BYTES:
                with suppress(Exception):  # it may have ended already
                    await self._close()
                message = {"type": _DISCONNECT, "code": _TOO_MANY}
            self._waiting.append(message)
            self._bytes += _size(message)
            self._came.set()
            if message["type"] == _DISCONNECT:
                return


def _size(message: Message) -> int:
    return len(message.get("bytes") or b"") + len(message.get("text") or "")


class Pace(VisitSockets):
    """Limits the pace of each visit's socket; other requests pass unchanged."""

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a visit's socket at its pace."""
        is_closed = False

        async def close() -> None:
            nonlocal is_closed
            is_closed = True
            await send({"type": "websocket.close", "code": _TOO_MANY})

        async def send_while_open(message: Message) -> None:
            if not is_closed:
                await send(message)

        paced = PacedSocket(receive, close)
        try:
            await self._app(scope, paced.receive, send_while_open)
        finally:
            paced.end()


_READ_MAX_BYTES: Final = 2**16
"""Messages that say which page is run are small; larger ones need not be read."""
Proto = TypeVar("Proto", bound=Protobuf)


class CurrentPage:
    """The page on which a visit is, by the messages of its browser and of the server.

    Pages are known by the hash that Streamlit gives their script.
    """

    def __init__(self) -> None:
        self._page = self._left = ""

    def accepts(self, data: bytes) -> bool:
        """Whether this message of the browser may reach the server: no part of another page."""
        run = _parsed(BackMsg(), data).rerun_script
        if run.fragment_id:
            return self._page in ("", run.page_script_hash)
        if is_step(run) and run.page_script_hash != self._page:
            self._page, self._left = run.page_script_hash, self._page
        return True

    def sends(self, data: bytes) -> bool:
        """Whether this message of the server may reach the browser: no run of the page just left.

        Such a run had begun before the server learned of the step, and the browser would write the
        address of its page. Any other page that is run is where the visit is from then on: pages
        send visits on to others, and one that is opened by its address has its hash only once
        `st.navigation` has found it.
        """
        if len(data) > _READ_MAX_BYTES:
            return True
        message = _parsed(ForwardMsg(), data)
        page = message.new_session.page_script_hash or message.navigation.page_script_hash
        if not page or message.metadata.run.fragment_ids:
            return True
        if page == self._left:
            return False
        self._page, self._left = page, ""
        return True


def _parsed(message: Proto, data: bytes) -> Proto:
    """The message in the data; an empty one if they hold none of Streamlit's."""
    try:
        message.ParseFromString(data)
    except DecodeError:
        message.Clear()
    return message


class StaleMessages(VisitSockets):
    """Drops messages of pages that a visit has left from its socket; all others pass unchanged."""

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a visit's socket without stale messages."""
        page = CurrentPage()

        async def receive_current() -> Message:
            while not page.accepts((message := await receive()).get("bytes") or b""):
                pass
            return message

        async def send_current(message: Message) -> None:
            if page.sends(message.get("bytes") or b""):
                await send(message)

        await self._app(scope, receive_current, send_current)


class Parts(MemoryFragmentStorage):
    """The parts of a visit's page; one that is gone, but that a user has used, runs the page.

    `used`: ids of parts whose controls were used, until they have run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.used = set[str]()

    def lookup(self, key: str) -> Fragment:
        """The part of that id, or what runs in its place: the page, or nothing for a timer."""
        is_used = key in self.used
        self.used.discard(key)
        if self.contains(key):
            return super().lookup(key)
        return st.rerun if is_used else lambda: None


def run_parts_of_open_pages() -> None:
    """Run parts of the page that is open, and the page where a user asks for a missing part."""
    _run_page_for_missing_parts()
    _skip_parts_of_left_pages()
    _keep_request_that_waits()
    _compute_themes_once()
    bidi_component.make_bidi_component_presenter = with_events  # type: ignore[attr-defined, assignment]
    bidi_component.BidiComponentMixin._build_bidi_identity_kwargs = _key_alone  # type: ignore[method-assign]  # noqa: SLF001


def _compute_themes_once() -> None:
    """Streamlit looks up 240 settings of the theme for each run, which never change."""
    populate = app_session._populate_theme_msg  # noqa: SLF001 — no public name

    @cache
    def theme(section: str) -> bytes:
        populate(made := CustomThemeConfig(), section)
        return bytes(made.SerializeToString())

    def copy_theme(message: CustomThemeConfig, section: str = "theme") -> None:
        if theme(section):  # merging nothing would still set the field
            message.MergeFromString(theme(section))

    app_session._populate_theme_msg = copy_theme  # type: ignore[assignment]  # noqa: SLF001


def _key_alone(*_of_mixin: object, **_of_component: object) -> dict[str, Any]:
    """What names a component beside its key: nothing, as ours have one; Streamlit hashes its data.

    A film is half a megabyte, and each run of its page would hash it twice.
    """
    return {}


def with_events(events_id: str, *_of_component: object) -> WidgetValuePresenter:
    """What a run reads as a component's state: its own values, and the events that came for it.

    Streamlit makes a new class for each, several a component and run, whose values can be set, too.
    """

    def present(own: Any, state: SessionState) -> Any:
        widgets = state._new_widget_state  # noqa: SLF001 — no public name
        if not isinstance(own, dict) or events_id not in widgets.states:
            return own
        came = [each for each in widgets[events_id] or [] if isinstance(each, dict)]
        events = {each.get("event"): each.get("value") for each in came}
        return {name: value for name, value in events.items() if isinstance(name, str)} | own

    return present


_SENT: Final = "sent"
"""The key of a visit's state for what its browser was sent: content, and name of its message."""


def send_once(
    key: str, content: object, component: Callable[..., object], make: Callable[[], object]
) -> None:
    """Draw a `component` without state; where the browser has its `content` still, only say so.

    `key`: names it on its page; `content`: of a film a weak reference, so that it is kept for no
    other visit; `make`: returns its data. Streamlit makes each message in full in each run, half a
    megabyte of a film, to find that the browser has it.
    """
    run = get_script_run_ctx(suppress_warning=True)
    if run is None or ThreadState.get().fragment_id:
        component(key=key, data=make())
        return
    sent = st.session_state.setdefault(_SENT, {})
    had, name = sent.get(key, (None, ""))
    if name in run.cached_message_hashes and had == content:
        place: Any = st._main._active_dg._cursor  # noqa: SLF001 — no public name
        message = ForwardMsg(ref_hash=name)
        message.metadata.delta_path[:] = place.delta_path
        run.enqueue(message)
        place.lock_element()
        return
    pass_on = run._enqueue  # noqa: SLF001

    def note_name(message: ForwardMsg) -> None:
        sent[key] = content, message.hash or message.ref_hash
        pass_on(message)

    run._enqueue = note_name  # noqa: SLF001
    try:
        component(key=key, data=make())
    finally:
        run._enqueue = pass_on  # noqa: SLF001


def _skip_parts_of_left_pages() -> None:
    """Skip a part's run on a page that the visit has left.

    It would be a step back to its page, at which Streamlit drops the values of widgets.
    """
    run = ScriptRunner._run_script  # noqa: SLF001 — no public name

    def run_if_open(runner: ScriptRunner, asked: RerunData) -> None:
        page = runner._pages_manager.current_page_script_hash  # noqa: SLF001
        if not asked.fragment_id_queue or asked.page_script_hash == page:
            run(runner, asked)

    ScriptRunner._run_script = run_if_open  # type: ignore[method-assign, assignment]  # noqa: SLF001


def _keep_request_that_waits() -> None:
    """Have a user's request that waits for its run keep its address and theme.

    Streamlit joins later ones to it and takes these from the last: a run that asks for another
    knows neither a new theme nor the address of a step back.
    """
    join = ScriptRequests._request_rerun_locked  # noqa: SLF001 — no public name

    def request(requests: ScriptRequests, asked: RerunData) -> bool:
        kept = requests._rerun_data  # noqa: SLF001
        is_server_s = asked.widget_states is None or asked.is_auto_rerun > kept.is_auto_rerun
        is_joined = requests._state is ScriptRequestType.RERUN  # noqa: SLF001
        if is_joined and is_server_s and asked.page_script_hash == kept.page_script_hash:
            asked = replace(
                asked,
                query_string=kept.query_string,
                context_info=kept.context_info,
                is_auto_rerun=kept.is_auto_rerun,
            )
        return join(requests, asked)

    ScriptRequests._request_rerun_locked = request  # type: ignore[method-assign, assignment]  # noqa: SLF001


def _run_page_for_missing_parts() -> None:
    """Have requests of users for parts that are gone run the page; those of timers end."""
    pass_on = AppSession.request_rerun

    def request(session: AppSession, asked: ClientState | None) -> None:
        parts = session._fragment_storage  # noqa: SLF001 — no public name
        if asked and asked.fragment_id and isinstance(parts, Parts):
            is_there, is_timer = parts.contains(asked.fragment_id), asked.is_auto_rerun
            if is_timer and not (is_there and not _limiter().runs_page_of(session.id)):
                return  # the browser's timers go on
            if not is_timer and is_there:
                parts.used.add(asked.fragment_id)
            elif not is_timer:
                asked.fragment_id = ""
        pass_on(session, asked)

    app_session.MemoryFragmentStorage = Parts  # type: ignore[attr-defined]
    AppSession.request_rerun = request  # type: ignore[method-assign, assignment]
