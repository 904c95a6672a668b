"""Runs take turns, visits keep their pace, and long work shows its progress and may be cancelled.

Tests wait for events, or for what they assert (`tests/servers.py`).
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Semaphore, Thread
from types import SimpleNamespace
from typing import Any
from weakref import ReferenceType, ref

import pytest
import streamlit as st
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import state as states
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.testing.v1 import AppTest, local_script_runner

from caldp_core.basics.cache import ByteCache, current_work, shared_cache, working_on
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_ui.app.fragments import fragment
from caldp_ui.server import messages, turns
from caldp_ui.server.messages import VisitState, keep_changes
from caldp_ui.server.pace import Bucket
from caldp_ui.server.sockets import AHEAD_MAX, AHEAD_MAX_BYTES, BURST, PACE, Pace, PacedSocket
from caldp_ui.server.turns import RunLimiter, limit_run
from caldp_ui.session import jobs
from caldp_ui.session import visit as visits
from caldp_ui.session.jobs import FairPool
from caldp_ui.session.visit import Visit
from tests import ROOT
from tests.servers import PATIENCE, are_done, join, run, until
from tests.ui.driver import begin_run, message_of


class Link:
    """A link that several visits open: work whose value is kept, and is made until `go`."""

    def __init__(self) -> None:
        self.cache, self.go = ByteCache(10**6), Event()
        self.begun, self.reported = Semaphore(0), Semaphore(0)
        self.made = 0

    def open(self, progress: Progress) -> str:
        return self.cache.get("link", lambda: self._make(progress))

    def _make(self, progress: Progress) -> str:
        self.made += 1
        progress(0.5)
        self.begun.release()
        while not self.go.wait(0.01):
            progress(0.5)
        return "there"


@pytest.fixture
def pool() -> FairPool:
    return FairPool(3, 2, "test")


@pytest.fixture
def launch(pool: FairPool, monkeypatch: pytest.MonkeyPatch) -> Callable[..., jobs.Job[Any]]:
    """Starts work of a visit on the threads of `pool`."""

    def start(visit: str, work: Callable[[Progress], Any]) -> jobs.Job[Any]:
        monkeypatch.setattr(visits, "this_visit", lambda: Visit(visit))
        return jobs.launch("link", work, lambda: pool)

    return start


def finished(*some: jobs.Job[Any]) -> bool:
    return are_done(job.future for job in some)


def places_of(pool: FairPool) -> tuple[int, int, int]:
    """Places that are free, lent, and wanted back; a thread frees its own after its result."""
    with pool._changed:
        return pool._free, pool._lent, pool._returning


class File:
    """What a refused file takes of memory."""


def test_an_error_that_a_job_keeps_holds_nothing_of_what_was_read(pool: FairPool) -> None:
    held: list[ReferenceType[File]] = []

    def work() -> None:
        file = File()
        held.append(ref(file))
        try:
            raise ValueError("not a table")
        except ValueError:
            raise CaldpError("The file is not a table.") from None

    error = pool.submit("visit", work).exception(PATIENCE)
    assert str(error) == "The file is not a table."
    assert held[0]() is None


def test_who_waits_for_another_s_work_holds_no_thread(
    launch: Callable[..., jobs.Job[Any]], pool: FairPool
) -> None:
    link = Link()
    pupils = [launch(f"pupil {number}", link.open) for number in range(30)]
    assert link.begun.acquire(timeout=PATIENCE)
    instant = launch("another", lambda _: "at once")
    assert finished(instant)
    assert instant.result() == "at once"
    assert not any(pupil.done for pupil in pupils)
    link.go.set()
    assert finished(*pupils)
    assert {pupil.result() for pupil in pupils} == {"there"}
    assert link.made == 1
    until(lambda: len(pool._threads) <= pool.workers and places_of(pool) == (pool.workers, 0, 0))


def test_no_more_pieces_are_at_work_than_there_are_places(
    launch: Callable[..., jobs.Job[Any]], pool: FairPool
) -> None:
    """Who comes back from waiting waits for a place, which is the next that is free."""
    link, hold, begun = Link(), Event(), Semaphore(0)
    pupils = [launch(f"pupil {number}", link.open) for number in range(2)]
    until(lambda: pool._lent == 1)

    def held(_: Progress) -> None:
        begun.release()
        assert hold.wait(PATIENCE)

    others = [launch(f"other {number}", held) for number in range(3)]
    assert begun.acquire(timeout=PATIENCE)
    assert begun.acquire(timeout=PATIENCE)
    assert not begun.acquire(timeout=0.2)
    link.go.set()
    assert begun.acquire(timeout=PATIENCE)  # the maker's place, or the waiter's after it
    hold.set()
    assert finished(*pupils, *others)


def test_a_waiter_sees_the_maker_s_progress_and_its_cancel_ends_it_alone(
    launch: Callable[..., jobs.Job[Any]],
) -> None:
    link = Link()
    maker = launch("maker", link.open)
    assert link.begun.acquire(timeout=PATIENCE)
    waiters = [launch(f"waiter {number}", link.open) for number in range(2)]
    until(lambda: all(waiter.share == 0.5 for waiter in waiters))
    waiters[0].cancel()
    assert finished(waiters[0])
    assert not maker.done
    link.go.set()
    assert finished(maker, waiters[1])
    assert (maker.result(), waiters[0].result(), waiters[1].result()) == ("there", None, "there")
    assert link.made == 1


def test_when_the_maker_is_cancelled_one_of_those_who_wait_goes_on(
    launch: Callable[..., jobs.Job[Any]],
) -> None:
    link = Link()
    maker = launch("maker", link.open)
    assert link.begun.acquire(timeout=PATIENCE)
    waiters = [launch(f"waiter {number}", link.open) for number in range(2)]
    until(lambda: all(waiter.share == 0.5 for waiter in waiters))
    maker.cancel()
    assert link.begun.acquire(timeout=PATIENCE)
    link.go.set()
    assert finished(maker, *waiters)
    assert [job.result() for job in (maker, *waiters)] == [None, "there", "there"]
    assert link.made == 2


def test_a_page_that_waits_for_another_s_work_lets_others_have_its_place() -> None:
    limiter, link = RunLimiter(2), Link()

    def page(visit: str) -> None:
        with limiter.limit(visit) as placed, working_on(placed):
            assert link.open(lambda _: None) == "there"

    pages = [Thread(target=page, args=(f"pupil {number}",)) for number in range(5)]
    for each in pages:
        each.start()
    assert link.begun.acquire(timeout=PATIENCE)
    until(lambda: not limiter._waiting)
    with limiter.limit("another"):
        pass
    link.go.set()
    join(pages)
    assert not limiter.is_busy
    assert link.made == 1


def test_work_that_yields_to_pages_does_not_once_somebody_waits_for_its_value(
    launch: Callable[..., jobs.Job[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that waits for a film's curve would wait for all other pages before each point."""
    begun, yields, key = Event(), list[float](), ("a curve",)
    monkeypatch.setattr(RunLimiter, "wait_until_idle", lambda _, seconds: yields.append(seconds))

    def make(progress: Progress) -> str:
        progress(0.0)
        begun.set()
        until(lambda: shared_cache().is_awaited(current_work()))
        progress(0.5)
        return "there"

    def film(progress: Progress) -> str:
        return shared_cache().get(key, lambda: make(turns.yield_to_runs(progress)))

    maker = launch("film", film)
    assert begun.wait(PATIENCE)
    reader = launch("reader", lambda _: shared_cache().get(key, lambda: "made twice"))
    assert finished(maker, reader)
    assert (maker.result(), reader.result()) == ("there", "there")
    assert len(yields) == 1


def test_two_parts_of_pages_are_run_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty parts that tick at once; before there was no limit."""
    monkeypatch.setattr(st, "fragment", lambda draw, run_every: draw)
    entered, leave = Semaphore(0), Event()

    def tick() -> None:
        entered.release()
        assert leave.wait(PATIENCE)

    ticks = [Thread(target=fragment(tick, 3.0)) for _ in range(30)]
    for each in ticks:
        each.start()
    assert all(entered.acquire(timeout=PATIENCE) for _ in range(2))
    assert not entered.acquire(timeout=0.2)
    assert turns._limiter().is_busy
    leave.set()
    assert all(entered.acquire(timeout=PATIENCE) for _ in range(28))
    join(ticks)
    assert not turns._limiter().is_busy


def _page() -> None:
    import streamlit as st

    from caldp_ui.app.fragments import fragment
    from caldp_ui.server import turns
    from caldp_ui.server.turns import limit_run

    def places() -> int:
        return int(turns._limiter()._free)

    @fragment
    def inner() -> None:
        st.text(f"inner {places()}")

    @fragment
    def outer() -> None:
        st.text(f"outer {places()}")
        inner()

    with limit_run():
        st.text(f"page {places()}")
        outer()


def test_a_part_takes_one_place_alone_and_none_within_its_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = AppTest.from_function(_page, default_timeout=PATIENCE).run()
    said = [text.value for text in at.text]
    assert said == ["page 1", "outer 1", "inner 1"]
    (part,) = (name for name, each in at._fragment_storage._parent_by_id.items() if each is None)
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, fragment_id=part))
    at.run()
    assert not at.exception
    said = [text.value for text in at.text]
    assert said == ["outer 1", "inner 1"]
    assert not turns._limiter().is_busy


def _faulty_page() -> None:
    import streamlit as st

    from caldp_core.basics.errors import CaldpError
    from caldp_ui.app.fragments import fragment
    from caldp_ui.server.turns import limit_run

    @fragment
    def part() -> None:
        if st.session_state.setdefault("runs", 0):
            raise CaldpError("There is *no* such tab.")
        st.session_state["runs"] += 1

    with limit_run():
        part()


def test_error_of_a_part_run_alone_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    at = AppTest.from_function(_faulty_page, default_timeout=PATIENCE).run()
    (part,) = at._fragment_storage._parent_by_id
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, fragment_id=part))
    at.run()
    assert not at.exception
    assert [each.value for each in at.error] == [r"There is \*no\* such tab."]
    assert not turns._limiter().is_busy


def test_every_part_of_a_page_takes_its_turn() -> None:
    files: list[Path] = [p for room in ("caldp_ui", "pages") for p in (ROOT / room).rglob("*.py")]
    past = {path.name for path in files if "st.fragment(" in path.read_text("utf-8")}
    assert past == {"fragments.py"}
    assert not [path for path in files if "@st.fragment" in path.read_text("utf-8")]


def test_work_outside_of_pages_and_jobs_waits_as_it_is() -> None:
    assert current_work() is None
    with limit_run():
        assert current_work() is not None
    assert current_work() is None


class _Time:
    """Seconds that pass only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def _message(number: int, size: int = 1) -> Message:
    return {"type": "websocket.receive", "bytes": bytes([number % 256]) * size}


def _from(messages: Iterator[Message]) -> Receive:
    """These messages, one a turn of the loop, and then nothing more."""

    async def receive() -> Message:
        await asyncio.sleep(0)
        for message in messages:
            return message
        await asyncio.Event().wait()
        raise AssertionError

    return receive


def test_a_burst_goes_at_once_and_the_rest_at_the_pace() -> None:
    time = _Time()
    bucket = Bucket(3, 2.0, time.clock)
    assert [bucket.take() for _ in range(5)] == [0.0, 0.0, 0.0, 0.5, 1.0]
    time.now = 1.0
    assert bucket.take() == 0.5
    time.now = 1e6
    assert [bucket.take() for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def _run(messages: Iterator[Message], read: int) -> tuple[list[Message], _Time, list[int]]:
    """What the app gets of these messages, after which time, and when the socket was closed."""
    time = _Time()
    closed: list[int] = []

    async def close() -> None:
        closed.append(1)

    async def all_of_it() -> list[Message]:
        paced = PacedSocket(_from(messages), close, clock=time.clock, sleep=time.sleep)
        found: list[Message] = []
        while len(found) < read:
            found.append(await paced.receive())
            if found[-1]["type"] == "websocket.disconnect":
                break
        paced.end()
        return found

    return run(all_of_it()), time, closed


def test_hands_that_are_quick_lose_nothing_and_wait_for_what_is_over_a_burst() -> None:
    sent = [_message(number) for number in range(BURST + 20)]
    found, time, closed = _run(iter(sent), len(sent))
    assert found == sent
    assert time.now >= 20 / PACE - 1e-9
    assert not closed


async def _never(seconds: float) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("size", [1, AHEAD_MAX_BYTES // 4])
def test_a_flood_is_cut_off_after_few_messages(size: int) -> None:
    taken, closed = [0], asyncio.Event()

    def flood() -> Iterator[Message]:
        for number in range(13_000):
            taken[0] += 1
            yield _message(number, size)

    async def all_of_it() -> Message:
        async def close() -> None:
            closed.set()

        # The app is slow: it takes the burst, and then waits.
        paced = PacedSocket(_from(flood()), close, clock=lambda: 0.0, sleep=_never)
        for _ in range(BURST):
            await paced.receive()
        slow = asyncio.create_task(paced.receive())
        await asyncio.wait_for(closed.wait(), 20)
        slow.cancel()
        return await paced.receive()

    assert run(all_of_it())["type"] == "websocket.disconnect"
    assert taken[0] <= BURST + (AHEAD_MAX if size == 1 else 5) + 2


def _through(app: Pace, scope: Scope) -> list[Any]:
    sent: list[Any] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def nothing() -> Message:
        return {"type": "websocket.disconnect", "code": 1000}

    run(app(scope, nothing, send))
    return sent


def test_the_end_of_a_socket_reaches_the_app_and_other_requests_pass() -> None:
    messages: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        messages.append((scope["path"], (await receive())["type"]))
        await send({"type": "any"})

    for scope in (
        {"type": "websocket", "path": "/caldp/_stcore/stream"},
        {"type": "http", "path": "/"},
    ):
        assert _through(Pace(app), scope) == [{"type": "any"}]
    assert [kind for _, kind in messages] == ["websocket.disconnect"] * 2


def test_a_cancelled_job_is_done_at_once_though_its_thread_is_not() -> None:
    held, begun = Event(), Event()

    def draw(progress: Progress) -> str:
        begun.set()
        held.wait(PATIENCE)  # a draw that reports nothing
        return "unseen"

    job = jobs.launch("draw", draw)
    assert begun.wait(PATIENCE)
    job.cancel()
    assert job.done
    assert not job.future.done()
    assert job.result() is None
    held.set()
    assert finished(job)
    assert job.result() is None


def test_a_job_waits_for_a_free_thread_and_counts_its_seconds_from_then_on() -> None:
    held = Event()
    workers = jobs._pool().workers
    blockers: list[jobs.Job[Any]] = [
        jobs.launch("block", lambda _: held.wait(PATIENCE)) for _ in range(workers)
    ]
    later = jobs.launch("later", lambda _: "there")
    waiting = [later.is_waiting]
    assert later.seconds == 0.0
    held.set()
    assert all(finished(job) for job in [*blockers, later])
    assert [*waiting, later.is_waiting] == [True, False]
    assert later.seconds > 0.0
    assert later.result() == "there"


def test_what_is_found_is_shown_and_stays_after_a_cancel() -> None:
    def page() -> None:
        from collections.abc import Iterator
        from typing import Any

        import streamlit as st

        from caldp_core.basics.types import Progress
        from caldp_ui.session import jobs as incremental_jobs

        def find(progress: Progress) -> Iterator[int]:
            for each in range(3):
                progress(each / 3)
                yield each

        def show(numbers: list[Any]) -> None:
            st.text(f"{numbers}")

        incremental_jobs.gather_automatically("here", "count", find, lambda job: "", show)

    at = AppTest.from_function(page, default_timeout=PATIENCE).run()
    job = at.session_state["here/job"]
    assert finished(job)
    assert at.run().text[0].value == "[0, 1, 2]"
    assert not at.button
    job.cancel()
    assert at.run().text[0].value == "[0, 1, 2]"
    at.button(key="here-start").click().run()
    again = at.session_state["here/job"]
    assert again is not job
    assert finished(again)
    assert at.run().text[0].value == "[0, 1, 2]"


def test_a_button_says_what_its_work_takes_where_that_is_much() -> None:
    assert jobs.Cost(1.0, 1.0).duration_suffix() == ""
    assert jobs.Cost(125.0, 1.0).duration_suffix() == ", about 2 minutes"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[ClientState]:
    """Messages whose runs are asked for, with what the server changes in Streamlit for the test."""
    passed = list[ClientState]()
    monkeypatch.setattr(AppSession, "request_rerun", lambda _, message: passed.append(message))
    monkeypatch.setattr(states, "SessionState", states.SessionState)
    monkeypatch.setattr(messages, "require_one_run", lambda: None)
    keep_changes()
    return passed


def visit_of(**changes: Callable[[], None]) -> VisitState:
    """A visit with these widgets, by what they do when they change."""
    state = VisitState()
    for name, act in changes.items():
        widget = WidgetMetadata(f"$$ID-{name}", int, int, "int_value", callback=act)
        state._new_widget_state.set_widget_metadata(widget)
    return state


PAGE, PART = ClientState(page_script_hash="page"), ClientState(fragment_id="part")
OTHER = ClientState(page_script_hash="other")
TIMER = ClientState(fragment_id="part", is_auto_rerun=True)


@pytest.mark.parametrize(
    ("sent", "made"),
    [
        ([(PAGE, {"text": 0, "click": 1}), (PAGE, {"text": 2})], ["click", "text 2"]),
        ([(PAGE, {"click": 1}), (PAGE, {"click": 1})], ["click", "click"]),  # of a double click
        (
            [(PAGE, {"text": 2}), (PAGE, {"text": 0}), (PAGE, {"text": 0, "click": 1})],
            ["text 2", "text 0", "click"],
        ),
        ([(PAGE, {"text": 2, "click": 1}), (OTHER, {})], ["text 2", "click"]),
        ([(PART, {"inner": 1, "text": 2}), (PAGE, {"text": 2, "inner": 1})], ["inner 1", "text 2"]),
        ([(PAGE, {"click": 1}), (PART, {"inner": 1, "text": 5})], ["click", "inner 1"]),
        ([(PART, {"inner": 1}), (TIMER, {"inner": 0})], ["inner 1"]),  # as the server had set it
    ],
)
def test_a_run_makes_the_changes_of_all_messages_whose_runs_never_began(
    asked: list[ClientState], sent: list[tuple[ClientState, dict[str, int]]], made: list[str]
) -> None:
    """Of two clicks one was lost, and one that was followed by a step to another page."""
    found = list[str]()
    state = visit_of(
        click=lambda: found.append("click"),
        text=lambda: found.append(f"text {state['$$ID-text']}"),
        inner=lambda: found.append(f"inner {state['$$ID-inner']}"),
    )
    known = state._new_widget_state.widget_metadata
    known["$$ID-inner"] = replace(known["$$ID-inner"], fragment_id="part")
    begin_run(state, message_of({"text": 0, "inner": 0}))
    found.clear()
    session: Any = SimpleNamespace(_session_state=state, _pages_manager=PagesManager(__file__))
    for about, values in sent:
        message = ClientState(widget_states=message_of(values))
        message.MergeFrom(about)
        AppSession.request_rerun(session, message)
    assert len(asked) == len(sent)
    state.on_script_finished(frozenset())  # as a step to another page begins
    for message in asked[-2:]:  # the second finds nothing left
        begin_run(state, message.widget_states)
    assert found == made


def test_messages_that_wait_fill_no_memory() -> None:
    clicks = list[int]()
    state = visit_of(click=lambda: clicks.append(1), text=lambda: None)
    for _ in range(5):
        message = ClientState(widget_states=message_of({"click": 1}), query_string="x" * 3_000_000)
        state.ask(message, "")
    begin_run(state, WidgetStates())
    assert len(clicks) == 3  # the last, and as many as 8 MB hold beside it
