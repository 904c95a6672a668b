"""Work and parts of pages end with their visit; ticks and stale messages are dropped."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from google.protobuf.message import Message as Protobuf
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState, ContextInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunException, ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)
from streamlit.runtime.state import SafeSessionState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.testing.v1 import AppTest

from caldp_core.basics.cache import working_on
from caldp_core.basics.errors import Cancelled
from caldp_core.basics.types import Progress
from caldp_ui.app.delivery import middleware
from caldp_ui.server import turns as visit_turns
from caldp_ui.server.messages import VisitState, is_echo
from caldp_ui.server.parts import Parts, run_page_for_missing_parts, skip_parts_of_left_pages
from caldp_ui.server.sockets import Pace
from caldp_ui.server.stale import CurrentPage, StaleMessages
from caldp_ui.server.turns import RunLimiter
from caldp_ui.server.waiting import keep_request_that_waits
from caldp_ui.session import jobs
from caldp_ui.session.jobs import FairPool
from caldp_ui.session.visit import Visit
from tests.servers import PATIENCE, are_done, join, run, until
from tests.ui.driver import begin_run, jobs_done, message_of


class _Row:
    """Pieces of work that note their names and wait until they may go on."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.go = Event()

    def piece(self, name: str, held: bool = False) -> Any:
        def work() -> None:
            self.begun.append(name)
            if held:
                assert self.go.wait(PATIENCE)

        return work


def test_visits_take_turns_whoever_came_with_more() -> None:
    pool, row = FairPool(1, 1, "test"), _Row()
    futures = [pool.submit("first", row.piece("first 0", held=True))]
    futures += [pool.submit("greedy", row.piece(f"greedy {i}")) for i in range(3)]
    futures += [pool.submit("late", row.piece(f"late {i}")) for i in range(2)]
    row.go.set()
    assert are_done(futures)
    assert row.begun == ["first 0", "greedy 0", "late 0", "greedy 1", "late 1", "greedy 2"]


def test_a_visit_has_two_threads_at_most_and_a_newcomer_the_third() -> None:
    pool, row = FairPool(3, 2, "test"), _Row()
    futures = [pool.submit("greedy", row.piece("greedy", held=True)) for _ in range(4)]
    newcomer = pool.submit("newcomer", row.piece("newcomer"))
    assert are_done([newcomer])
    assert row.begun.count("greedy") <= 2
    row.go.set()
    assert are_done(futures)
    assert row.begun.count("greedy") == 4


def test_what_was_cancelled_before_its_turn_is_never_begun_and_errors_come_out() -> None:
    pool, row = FairPool(1, 1, "test"), _Row()
    first = pool.submit("a", row.piece("a", held=True))
    never = pool.submit("b", row.piece("b"))
    fails = pool.submit("b", lambda: 1 / 0)
    assert never.cancel()
    row.go.set()
    assert are_done([first, fails])
    assert row.begun == ["a"]
    assert isinstance(fails.exception(), ZeroDivisionError)


def test_a_visit_that_ends_stops_its_work_at_the_next_report_and_keeps_nothing() -> None:
    visit, begun, go, ended = Visit("one"), Event(), Event(), Event()
    job: jobs.Job[str] = jobs.Job("work")
    job.partial_results.append("something")

    def work(progress: Progress) -> str:
        begun.set()
        assert go.wait(PATIENCE)
        try:
            progress(0.5)
        except Cancelled:
            ended.set()
            raise
        return "whole"

    visit.add(job)
    jobs.submit(job, work)
    assert begun.wait(PATIENCE)
    visit.leave()
    assert job.is_abandoned
    assert job.done
    go.set()
    assert ended.wait(PATIENCE)
    assert job.result() is None
    assert job.partial_results == []


def _page() -> None:
    import streamlit as st

    from caldp_ui.session import jobs

    found = jobs.run_automatically("place", "name", lambda progress: "there", lambda job: "")
    st.text(found or "waiting")


def test_who_comes_back_after_the_socket_was_gone_has_the_work_begun_anew() -> None:
    at = jobs_done(AppTest.from_function(_page, default_timeout=PATIENCE).run())
    before = at.session_state["place/job"]
    assert [text.value for text in at.text] == ["there"]
    # What Streamlit's session does when its socket has gone.
    AppSession.clear_session_caches(SimpleNamespace(id="test session id"))  # type: ignore[arg-type]
    assert before.is_abandoned
    jobs_done(at.run())
    assert at.session_state["place/job"] is not before
    assert [text.value for text in at.text] == ["there"]


def _runs_of(turns: RunLimiter, begun: list[str], visits: list[str], go: Event) -> list[Thread]:
    """Runs that wait for their turns, in this order, and note when they have it."""
    threads: list[Thread] = []
    for number, visit in enumerate(visits, 1):
        has_begun = min(number, turns._places)

        def run(visit: str = visit) -> None:
            with turns.limit(visit):
                begun.append(visit)
                assert go.wait(PATIENCE)

        threads.append(Thread(target=run))
        threads[-1].start()
        _await_runs(turns, begun, has_begun, number - has_begun)
    return threads


def _await_runs(turns: RunLimiter, begun: list[str], at_work: int, waiting: int) -> None:
    until(lambda: (len(begun), len(turns._waiting)) == (at_work, waiting))


def test_the_next_run_is_that_of_the_visit_that_has_had_the_least() -> None:
    seconds = count(step=1.0)
    turns, go = RunLimiter(1, 1e9, lambda: next(seconds)), Event()
    begun: list[str] = []
    for _ in range(5):
        with turns.limit("greedy"):
            pass
    threads = _runs_of(turns, begun, ["holds", "greedy", "greedy", "modest", "new"], go)
    go.set()
    join(threads)
    assert begun == ["holds", "modest", "new", "greedy", "greedy"]


def test_what_a_visit_has_had_is_forgotten_by_and_by_and_an_error_gives_the_place_back() -> None:
    now = [0.0]
    turns, go = RunLimiter(1, 10.0, lambda: now[0]), Event()
    begun: list[str] = []
    for visit, seconds in (("long ago", 8.0), ("lately", 4.0)):
        try:
            with turns.limit(visit):
                now[0] += seconds
                raise ValueError
        except ValueError:
            now[0] += 50.0 if visit == "long ago" else 0.0
    threads = _runs_of(turns, begun, ["holds", "lately", "long ago"], go)
    go.set()
    join(threads)
    assert begun == ["holds", "long ago", "lately"]


def test_a_run_that_waits_a_moment_for_a_job_lets_others_run() -> None:
    turns, job = RunLimiter(1), jobs.Job[None]("work")

    def run() -> None:
        with turns.limit("other"):
            job.future.set_result(None)

    other = Thread(target=run)
    with turns.limit("waits") as placed, working_on(placed):
        other.start()
        jobs.wait_briefly(job, PATIENCE)
        assert (job.done, turns.is_busy) == (True, True)
    join([other])


def test_beside_others_a_visit_runs_its_page_as_often_as_people_press() -> None:
    now = [0.0]
    turns = RunLimiter(clock=lambda: now[0])

    def press(visit: str, seconds: float = 0.01) -> float:
        pause = turns.pause_s(visit)
        now[0] += pause
        with turns.limit(visit):
            now[0] += seconds
        return pause

    assert not any(press("fast") for _ in range(20))
    press("slow", 1.0)
    began = now[0]
    pauses = [press("fast") for _ in range(20)]
    assert not any(pauses[:4])
    assert 6.0 < now[0] - began < 7.0
    assert not any(press("slow", 1.0) for _ in range(20))


def test_the_end_of_a_run_wakes_only_the_one_whose_turn_it_is() -> None:
    turns, go = RunLimiter(1), Event()
    begun: list[str] = []
    threads = _runs_of(turns, begun, ["holds", *"abcdefgh"], go)
    looks = 0

    def choose(choice: Callable[[], int] = turns._next) -> int:
        nonlocal looks
        looks += 1
        return choice()

    turns._next = choose  # type: ignore[method-assign]
    go.set()
    join(threads)
    assert (len(begun), looks) == (9, 8)


def test_what_nobody_waits_for_goes_behind_all_runs_but_not_for_ever() -> None:
    turns, go = RunLimiter(2), Event()
    begun: list[str] = []
    threads = _runs_of(turns, begun, ["one", "two", "three"], go)
    turns.wait_until_idle(0.01)  # runs that go on and on stop nothing for long

    def make_film() -> None:
        turns.wait_until_idle(PATIENCE)
        begun.append("film")

    films = Thread(target=make_film)
    films.start()
    go.set()
    join([*threads, films])
    assert begun == ["one", "two", "three", "film"]


EVERY = 0.4


class PageRuns(Exception):
    """Stands for the run of the page that a tick asks for."""


class Clock:
    """A browser that ticks, and a clock that stands still until it is moved."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now, self.drawn, self.kept = 100.0, 0, dict[str, Any]()
        self.tick: Callable[[], None] = lambda: None
        patch.setattr(jobs, "monotonic", lambda: self.now)
        patch.setattr(jobs, "run_page", self.run_page)
        patch.setattr(st, "session_state", self.kept)
        patch.setattr(st, "fragment", self.fragment)

    def run_page(self) -> None:
        raise PageRuns

    def fragment(self, part: Callable[[], None], run_every: float) -> Callable[[], None]:
        assert run_every == EVERY
        self.tick = part
        return part

    def draw_page(self) -> None:
        jobs.redraw_every("bar", EVERY, self.draw)

    def draw(self) -> None:
        self.drawn += 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock(monkeypatch)
    made.draw_page()
    return made


def test_a_tick_of_this_drawing_draws_its_part(clock: Clock) -> None:
    for _ in range(3):
        clock.now += EVERY
        clock.tick()
    assert clock.drawn == 4


def test_a_tick_sent_before_the_page_was_drawn_has_it_run_once_more(clock: Clock) -> None:
    clock.now += EVERY / 2
    with pytest.raises(PageRuns):
        clock.tick()
    assert clock.drawn == 1


def test_a_page_that_takes_longer_than_a_tick_is_not_run_for_ever(clock: Clock) -> None:
    with pytest.raises(PageRuns):
        clock.tick()
    clock.now += 1.0  # so long did the page take, and the next tick is there already
    clock.draw_page()
    clock.tick()
    assert clock.drawn == 3
    clock.now += 1.0
    clock.draw_page()
    with pytest.raises(PageRuns):
        clock.tick()


def ask(page: str, part: str = "") -> bytes:
    """The browser asks for a page, or for a part of one."""
    message = BackMsg()
    message.rerun_script.page_script_hash = page
    message.rerun_script.fragment_id = part
    return message.SerializeToString()


def begin(page: str, *parts: str) -> bytes:
    """The server says that a page is run, or parts of one."""
    message = ForwardMsg()
    message.new_session.page_script_hash = page
    message.metadata.run.script_run_id = "run"
    message.metadata.run.fragment_ids.extend(parts)
    return message.SerializeToString()


def navigate(page: str) -> bytes:
    """The server says which page `st.navigation` has found."""
    message = ForwardMsg()
    message.navigation.page_script_hash = page
    message.metadata.run.script_run_id = "run"
    return message.SerializeToString()


def visit(*pages: str) -> CurrentPage:
    """A visit that has gone from page to page, each of which has come."""
    current = CurrentPage()
    for page in pages:
        assert current.accepts(ask(page))
        assert current.sends(begin(page))
        assert current.sends(navigate(page))
    return current


def test_parts_of_the_page_on_show_are_drawn_and_those_of_a_page_before_are_not() -> None:
    current = visit("values", "places")
    assert current.accepts(ask("places", "bar"))
    assert not current.accepts(ask("values", "bar"))
    assert current.sends(begin("values", "bar"))
    assert not current.accepts(ask("values", "bar"))
    assert current.accepts(ask("values"))
    assert current.accepts(ask("values", "bar"))


def test_a_run_of_the_page_before_that_had_begun_does_not_bring_it_back() -> None:
    current = visit("values")
    assert current.accepts(ask("places"))
    assert not current.sends(begin("values"))
    assert not current.sends(navigate("values"))
    assert not current.accepts(ask("values", "bar"))
    assert current.sends(begin("places"))
    assert current.accepts(ask("places", "bar"))


def test_what_is_used_on_a_page_that_was_left_does_not_bring_it_back() -> None:
    current, late = visit("values"), BackMsg.FromString(ask("values"))
    late.rerun_script.widget_states.widgets.add(id="noise", trigger_value=True)
    assert current.accepts(ask("places"))
    assert current.accepts(late.SerializeToString())
    assert not current.sends(begin("values"))
    assert current.sends(begin("places"))


def test_a_page_that_sends_on_to_another_takes_the_visit_along() -> None:
    current = visit("values", "home")
    assert current.sends(begin("values"))
    assert current.accepts(ask("values", "bar"))
    assert not current.accepts(ask("home", "bar"))


def test_a_page_opened_by_its_address_is_known_once_navigation_has_found_it() -> None:
    current = CurrentPage()
    assert current.accepts(ask(""))
    assert current.sends(begin("app.py"))
    assert current.sends(navigate("values"))
    assert current.accepts(ask("values", "bar"))
    assert not current.accepts(ask("home", "bar"))


def test_a_visit_that_names_no_page_is_where_the_server_says() -> None:
    current = CurrentPage()
    assert current.accepts(ask("", "bar"))
    assert current.accepts(ask(""))
    current.sends(begin("home"))
    assert current.accepts(ask("home", "bar"))
    assert not current.accepts(ask("values", "bar"))


def test_other_messages_pass_and_say_nothing() -> None:
    current = visit("values")
    other, large = BackMsg(stop_script=True), ForwardMsg()
    large.ParseFromString(begin("places"))
    large.new_session.name = "x" * 2**16
    assert current.accepts(other.SerializeToString())
    assert current.accepts(b"\xff none of Streamlit's")
    assert current.accepts(b"")
    for message in (large.SerializeToString(), b"\xff none of Streamlit's", b""):
        assert current.sends(message)
    assert current.accepts(ask("values", "bar"))


def pass_through(requests: Iterable[bytes], scope: Scope) -> list[bytes | None]:
    """What reaches an app that records each page asked for; at last its socket is closed."""
    coming = iter([{"type": "websocket.receive", "bytes": data} for data in requests])
    end: Message = {"type": "websocket.disconnect", "code": 1000}
    sent, received = list[Message](), list[bytes | None]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            received.append(message["bytes"])
            await send(message)

    async def receive() -> Message:
        return next(coming, end)

    async def send(message: Message) -> None:
        sent.append(message)

    run(StaleMessages(app)(scope, receive, send))
    assert [message["bytes"] for message in sent] == received
    return received


def test_only_the_socket_of_a_visit_is_read() -> None:
    requests = [ask("values"), ask("places"), ask("values", "bar"), ask("places", "bar")]
    visits: Scope = {"type": "websocket", "path": "/caldp/_stcore/stream"}
    other: Scope = {"type": "websocket", "path": "/other"}
    assert pass_through(requests, visits) == [requests[0], requests[1], requests[3]]
    assert pass_through(requests, other) == requests


def test_streamlit_speaks_of_pages_and_parts_where_they_are_looked_for() -> None:
    """Else each message would pass, and Back would lose pages again."""

    def names(message: Protobuf) -> set[str]:
        return {field.name for field in message.DESCRIPTOR.fields}

    assert {"fragment_id", "page_script_hash"} <= names(BackMsg().rerun_script)
    assert "page_script_hash" in names(ForwardMsg().new_session)
    assert "page_script_hash" in names(ForwardMsg().navigation)
    assert "fragment_ids" in names(ForwardMsg().metadata.run)


def test_the_server_has_both() -> None:
    assert {Pace, StaleMessages} <= {vars(each)["cls"] for each in middleware()}


@pytest.fixture
def streamlit(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """What the server changes in Streamlit is as it was after the test."""
    monkeypatch.setattr(app_session, "MemoryFragmentStorage", MemoryFragmentStorage)
    monkeypatch.setattr(AppSession, "request_rerun", AppSession.request_rerun)
    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)
    join = ScriptRequests._request_rerun_locked
    monkeypatch.setattr(ScriptRequests, "_request_rerun_locked", join)
    return monkeypatch


def test_only_a_user_s_request_for_a_part_that_is_gone_runs_the_page(
    streamlit: pytest.MonkeyPatch,
) -> None:
    passed = list[str]()
    streamlit.setattr(
        AppSession, "request_rerun", lambda _, asked: passed.append(asked.fragment_id)
    )
    run_page_for_missing_parts()
    parts = app_session.MemoryFragmentStorage()  # type: ignore[attr-defined]
    parts.register("here", lambda: None)
    session: Any = SimpleNamespace(_fragment_storage=parts, id="visit")

    def ask_all() -> list[str]:
        passed.clear()
        for part, is_timer in (("here", True), ("gone", True), ("here", False), ("gone", False)):
            AppSession.request_rerun(session, ClientState(fragment_id=part, is_auto_rerun=is_timer))
        return list(passed)

    turns = RunLimiter()
    streamlit.setattr(visit_turns, "_limiter", lambda: turns)
    assert ask_all() == ["here", "here", ""]
    with turns.limit_page("other"), turns.limit_page("visit"):
        assert ask_all() == ["here", ""]  # behind the page, a timer would draw it as it was
    assert ask_all() == ["here", "here", ""]


def waiting(*asked: RerunData) -> RerunData:
    """The request that waits for its run after these."""
    requests = ScriptRequests()
    assert all(requests.request_rerun(each) for each in asked)
    waits = requests.on_scriptrunner_ready()
    assert waits.type is ScriptRequestType.RERUN
    return waits.rerun_data


def values(number: int) -> WidgetStates:
    return WidgetStates(widgets=[WidgetState(id="people", int_value=number)])


@pytest.mark.usefixtures("streamlit")
def test_a_timer_s_request_joins_a_user_s() -> None:
    keep_request_that_waits()
    tick = RerunData(widget_states=values(3), fragment_id="part", is_auto_rerun=True)
    user = RerunData("at=1", values(9))
    for asked in ((user, tick), (tick, user), (user, tick, tick), (tick, tick, user)):
        waits = waiting(*asked)
        assert (waits.query_string, waits.fragment_id_queue) == ("at=1", [])
    in_part = replace(user, fragment_id="other")
    assert waiting(in_part, tick).fragment_id_queue == ["other", "part"]


@pytest.mark.usefixtures("streamlit")
@pytest.mark.parametrize("tick", [{}, {"is_auto_rerun": True, "fragment_id": "part"}])
def test_a_run_of_the_server_s_own_keeps_the_theme_and_the_address_that_wait(
    tick: dict[str, Any],
) -> None:
    """A page once stayed light in the dark, as a film had asked for its run at that moment."""
    keep_request_that_waits()
    dark, light = ContextInfo(color_scheme="dark"), ContextInfo(color_scheme="light")
    user = RerunData("at=1", values(3), context_info=dark)
    waits = waiting(user, RerunData("at=2", context_info=light, **tick))
    assert (waits.query_string, waits.context_info) == ("at=1", dark)
    left = RerunData("at=2", page_script_hash="next", context_info=light)
    assert waiting(user, left).query_string == "at=2"  # a step to another page


def test_a_part_that_waited_until_the_visit_was_on_another_page_is_not_run(
    streamlit: pytest.MonkeyPatch,
) -> None:
    """Its run dropped the values of widgets, and the next click met a missing key."""
    assert "_pages_manager" in ScriptRunner.__init__.__code__.co_names
    passed = list[RerunData]()
    streamlit.setattr(ScriptRunner, "_run_script", lambda _, asked: passed.append(asked))
    skip_parts_of_left_pages()
    pages = PagesManager(__file__)
    pages.set_current_page_script_hash("room")
    runner: Any = SimpleNamespace(_pages_manager=pages)
    part, left, page = (
        RerunData(page_script_hash="room", fragment_id_queue=["part"]),
        RerunData(page_script_hash="classroom", fragment_id_queue=["part"]),
        RerunData(page_script_hash="classroom"),
    )
    for asked in (part, left, page):
        ScriptRunner._run_script(runner, asked)
    assert passed == [part, page]


@pytest.mark.parametrize(
    ("messages", "is_an_echo"),
    [
        # A run has replaced 2 by 7. The user goes on, before the browser has drawn it or after.
        ([{"menu": 2}, {"menu": 2, "click": True}], True),
        ([{"menu": 2, "ε": 1}, {"menu": 2, "ε": 3}], True),
        ([{"menu": 2, "ε": 1}, {"menu": 2, "ε": 1}], False),  # chosen once more
        ([{"menu": 2, "ε": 1}, {"menu": 2, "ε": 8}], False),  # with what the run set beside it
        ([{"menu": 2}, {"menu": 3}], False),
        ([{"menu": 2, "click": True}, {"menu": 2, "click": True}], True),
        ([{"menu": 2}], False),
    ],
)
def test_old_value_of_a_widget_beside_another_that_the_user_changed_is_an_echo(
    monkeypatch: pytest.MonkeyPatch, messages: list[dict[str, int]], is_an_echo: bool
) -> None:
    state = VisitState()
    context = SimpleNamespace(session_state=SafeSessionState(state, lambda: None))
    monkeypatch.setattr("caldp_ui.server.messages.get_script_run_ctx", lambda: context)
    for name, of in (("menu", int), ("ε", int), ("click", bool)):
        state._new_widget_state.set_widget_metadata(
            WidgetMetadata(f"$$ID-{name}", of, of, "int_value")
        )
    for message in messages:
        for name, value in (("menu", 7), ("ε", 8)):
            state._new_widget_state.set_from_value(f"$$ID-{name}", value)
        state.on_script_will_rerun(message_of(message))
    assert is_echo("$$ID-menu") is is_an_echo


def test_a_change_is_made_in_full_although_the_next_message_asks_for_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next message has the new value already: nobody would make the change."""
    assert "_execing" in ScriptRunner._maybe_handle_execution_control_request.__code__.co_names
    safe = SafeSessionState(state := VisitState(), AskedAgain().end_run)
    context = SimpleNamespace(session_state=safe)
    monkeypatch.setattr("caldp_ui.server.whole.get_script_run_ctx", lambda **_: context)

    def change() -> None:
        safe["seen"] = True  # where Streamlit looks whether a message asks for another run

    state._new_widget_state.set_widget_metadata(
        WidgetMetadata("$$ID-text", int, int, "int_value", callback=change)
    )
    begin_run(state, message_of({"text": 2}))
    assert state["seen"]
    with pytest.raises(RerunException):  # the run itself is broken off, as before
        change()


class AskedAgain:
    """What runs the script, while a message waits that asks for another run."""

    _execing = True

    def end_run(self) -> None:
        if self._execing:
            raise RerunException(RerunData())


def test_a_used_part_that_goes_before_its_run_has_the_page_run_and_a_timer_s_nothing() -> None:
    parts = Parts()
    parts.register("used", test_the_server_has_both)
    parts.used.add("used")
    assert parts.lookup("used") is test_the_server_has_both
    parts.used.add("used")
    parts.clear()
    assert parts.lookup("used") is st.rerun
    assert parts.lookup("used")() is None


@pytest.mark.parametrize("begin", ["start", "start_gathering"])
def test_the_second_click_of_a_double_click_starts_nothing_anew(begin: str) -> None:
    def page(begin: str) -> None:
        import streamlit as st

        from caldp_ui.session import jobs

        go = st.session_state["go"]
        for _ in range(2):
            getattr(jobs, begin)("here", "wait", lambda _: iter([go.wait(120)]))
            st.session_state["begun"].append(st.session_state["here/job"])

    at = AppTest.from_function(page, kwargs={"begin": begin}, default_timeout=120)
    at.session_state["go"] = go = Event()
    at.session_state["begun"] = begun = list[Any]()
    assert not at.run().exception
    go.set()
    assert len(begun) == 2
    assert begun[0] is begun[1]
