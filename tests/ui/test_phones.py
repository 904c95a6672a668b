"""Phones' routes in a poll, a teacher's two screens, and several workers behind one address."""

import asyncio
import base64
import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from caldp_ui.app.navigation import ROOM
from caldp_ui.app.theme import WORKER
from caldp_ui.classroom.page import PARTS
from caldp_ui.lesson import steps
from caldp_ui.room import page, phone, view
from caldp_ui.room.page_state import LINK, STATE, Draft
from caldp_ui.room.poll import (
    LOOK,
    REPORT,
    STEER,
    Busy,
    PollState,
    TeacherKey,
    attempt_limiter,
    display_code,
    format_code,
    query_of,
    rooms,
)
from caldp_ui.room.question import PollQuestion
from caldp_ui.room.sets import EXAMPLES
from tests.contract.checks import naming
from tests.servers import run
from tests.ui.driver import checked, container, data_of, headline_of, open_page, trigger
from tests.ui.phones import JSON, Answer, Phone, ask, fresh_rooms, phones_app
from tests.ui.test_room import hall, open_room_page

QUESTION = EXAMPLES["Copying"]
POLL = "/room/poll"


no_rooms = pytest.fixture(autouse=True)(fresh_rooms)


def opened(question: PollQuestion = QUESTION) -> tuple[TeacherKey, PollState]:
    held = rooms().open(question)
    return held, rooms().get_poll(held.code)


def get(path: str, query: str = "", method: str = "GET", **more: Any) -> Answer:
    return run(ask(phones_app(), path, query, method, **more))


def post(poll: PollState, *body: bytes, **headers: str) -> Answer:
    given = {"content_type": JSON, **headers}
    return get(POLL, f"code={poll.code}", "POST", body=body, **given)


def report_of(poll: PollState, **changed: object) -> bytes:
    return json.dumps({"mark": poll.mark, "token": f"{1:032x}", "report": 0} | changed).encode()


def test_a_printed_link_opens_the_page_with_its_own_style_script_and_policy() -> None:
    answer = get("/room", "code=BCDFGHJK")
    text, policy = answer.body.decode(), answer.headers["content-security-policy"]
    assert answer.headers["content-type"].startswith("text/html")
    assert "BACKEND_BASE_URL" not in text, "nothing of a visit's page"
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    (script,) = re.findall(r'src="(.*?)"', text)
    code = get(f"/{script}")
    assert "immutable" in code.headers["cache-control"]
    assert code.headers["content-type"].startswith("application/javascript")
    assert not re.search(rb"^(import|export) ", code.body, re.MULTILINE)
    assert get("/room", "code=", "POST").status == 405


@pytest.mark.parametrize("base", ["", "caldp", "/a/b/"])
def test_phones_are_below_the_base_and_an_address_without_a_code_is_the_teachers(
    base: str,
) -> None:
    app, root = phones_app(base), f"/{base.strip('/')}".rstrip("/")
    assert run(ask(app, f"{root}/room", "code=")).status == 200
    assert run(ask(app, f"{root}/room", "worker=w1&codes=1")).status == 404
    assert run(ask(app, f"{root}/room/poll", "code=BCDFGHJK")).content["gone"]
    for path in ("/room/../room", "//room", "/room/poll/", "/ROOM", "/room/poll/../poll"):
        assert run(ask(app, f"{root}{path}", "code=BCDFGHJK")).status in (307, 400, 404)


def test_a_typed_code_leads_to_its_worker_and_writes_no_header_of_its_own() -> None:
    for typed, link in (
        ("w2 bcdf-ghjk", "?code=BCDFGHJK&worker=w2"),
        ("W2BCDFGHJK", "?code=BCDFGHJK&worker=w2"),
        ("w2\r\nset-cookie: a=b BCDFGHJK", "?code=BCDFGHJK&worker=w2setcookieab"),
        ("//evil.example/BCDFGHJK", "?code=BCDFGHJK&worker=evilexample"),
        ("é BCDFGHJK", "?code=BCDFGHJK&worker=%C3%A9"),
    ):
        answer = get("/room", urlencode({"code": typed}))
        assert (answer.status, answer.headers["location"]) == (303, link)
        assert "set-cookie" not in answer.headers
    for typed in ("", "bcdf ghjk", " BCDF-GHJK ", "x", "?" * 5_000):
        assert get("/room", urlencode({"code": typed})).status == 200


def test_a_poll_is_asked_for_again_and_sent_again_only_when_it_changed() -> None:
    held, poll = opened()
    asking = Phone(poll.code.lower())
    first = run(asking.state())
    assert first.headers["cache-control"] == "no-store"
    assert first.content == {
        **view.question_message(QUESTION),
        **view.state_message(poll),
    }
    known = first.headers["etag"]
    rooms().report(poll.code, poll.mark, f"{1:032x}", 0)  # others' reports are none of its business
    for tag in (known, f"W/{known}"):
        again = run(asking.state(if_none_match=tag))
        assert (again.status, again.body) == (304, b"")
    rooms().change(held, lambda state: state.with_open(False))
    closed = run(asking.state(if_none_match=known))
    assert (closed.status, closed.content["open"]) == (200, False)
    rooms().ask(held, EXAMPLES["Guess"])
    guess = run(asking.state(if_none_match=closed.headers["etag"]))
    assert guess.content["answers"] == [*EXAMPLES["Guess"].answers]
    assert (guess.content["guess"], guess.content["right"]) == (True, None)
    rooms().change(held, PollState.with_answer)
    shown = run(asking.state(if_none_match=guess.headers["etag"]))
    assert shown.content["right"] == 0
    rooms().forget(held)
    gone = run(asking.state(if_none_match=shown.headers["etag"]))
    assert (gone.status, gone.content["gone"]) == (404, "goneEnded")


def test_nothing_of_a_question_stays_with_the_route_when_its_room_has_ended() -> None:
    route = phone._Poll("/room")
    held, poll = opened(PollQuestion("Only here?", ("a", "b"), (0,), 1.0))
    run(ask(route, POLL, f"code={poll.code}"))
    assert len(route._messages) == 1
    rooms().forget(held)
    del poll
    assert len(route._messages) == 0


def test_a_report_is_counted_once_and_its_phone_remembers_that_it_has_answered() -> None:
    _, poll = opened()
    sender = Phone(poll.code)
    for _ in range(2):  # the same again: the first word of success was lost
        answer = run(sender.send(poll.mark, 1, token=7))
        assert (answer.status, answer.content) == (200, {"received": True})
    cookie = answer.headers["set-cookie"].lower()
    assert sender.cookies == {phone.ANSWERED: poll.mark}  # and nothing of the report
    assert all(part in cookie for part in ("httponly", "path=/room", "samesite=lax"))
    other = run(sender.send(poll.mark, 1, token=8))
    assert (other.status, other.content["refused"]) == (409, "refusedAgain")
    assert rooms().get_poll(poll.code).reports == (1,)


def test_each_phone_that_cannot_report_is_told_so_in_one_sentence() -> None:
    held, poll = opened()
    wrongs: tuple[object, ...] = (7, -1, True, "0", None, 0.5, [0], {})
    for wrong in wrongs:
        answer = run(Phone(poll.code).send(poll.mark, wrong))
        assert (answer.status, answer.content["refused"]) == (409, "refusedForeign")
    for changed, key in (
        ({"mark": "0" * 16}, "refusedOver"),
        ({"mark": None}, "refusedOver"),
        ({"token": "x" * 32}, "refusedForeign"),
        ({"token": {}}, "refusedForeign"),
    ):
        answer = post(poll, report_of(poll, **changed))
        assert (answer.status, answer.content["refused"]) == (409, key)
    rooms().change(held, lambda state: state.with_phones(1))
    run(Phone(poll.code).send(poll.mark, 0, token=1))
    full = run(Phone(poll.code).send(poll.mark, 0, token=2))
    assert full.content["refused"] == "refusedFull"
    rooms().change(held, lambda state: state.with_open(False))
    closed = run(Phone(poll.code).send(poll.mark, 0, token=3))
    assert closed.content["refused"] == "refusedClosed"
    rooms().forget(held)
    gone = run(Phone(poll.code).send(poll.mark, 0, token=4))
    assert (gone.status, gone.content["gone"]) == (404, "goneEnded")
    unknown = run(Phone("NNNNNNNN").state()).content
    assert unknown == {"gone": "goneUnknown", "code": "NNNN NNNN"}


def test_what_is_no_report_is_refused_before_anybody_reads_it() -> None:
    _, poll = opened()
    good = report_of(poll)
    twice = good.replace(b"}", b', "report": 1}')  # could be read in two ways
    assert twice != good
    wrongs = (b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 500, b'"a"', b"1e999", b"9" * 500)
    for body in (*wrongs, twice):
        with naming(f"{body[:9]!r}"):
            assert post(poll, body).status == 409
    assert post(poll, good + b" " * 512).status == 413
    assert post(poll, *[b" " * 100] * 6, good).status == 413
    assert post(poll, good, content_type="text/plain").status == 415
    assert post(poll, good, content_type="application/x-www-form-urlencoded").status == 415
    for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example"):
        assert post(poll, good, origin=origin).status == 403
    assert post(poll, good, host="evil.example").status == 421
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        answer = get(POLL, f"code={poll.code}", method, body=[good])
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, POST")
    assert rooms().get_poll(poll.code).reports == ()
    assert post(poll, *(bytes([each]) for each in good), origin="http://127.0.0.1").status == 200


def test_a_body_that_comes_too_slowly_is_no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone, "_PATIENCE_S", 0.01)
    _, poll = opened()
    scope = {
        "type": "http",
        "method": "POST",
        "path": POLL,
        "query_string": f"code={poll.code}".encode(),
        "headers": [(b"content-type", JSON.encode())],
    }
    got: list[Any] = []

    async def never() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        got.append(message)

    run(phone._Poll("/room")(scope, never, send))
    assert got[0]["status"] == 413


def test_one_address_is_bounded_and_others_are_not() -> None:
    _, poll = opened()
    address = {"address": "192.0.2.7", "content_type": JSON}
    app, query = phones_app(), f"code={poll.code}"

    async def flood() -> Answer:
        for _ in range(REPORT[0]):
            await ask(app, POLL, query, "POST", body=[b"{}"], **address)
        return await ask(app, POLL, query, "POST", body=[report_of(poll)], **address)

    late = run(flood())
    assert (late.status, late.headers["retry-after"]) == (429, "2")
    assert post(poll, report_of(poll)).status == 200


def test_right_and_wrong_codes_are_not_told_apart_by_guessing_fast() -> None:
    _, poll = opened()
    app, query = phones_app(), f"code={poll.code}"

    async def guess() -> tuple[Answer, ...]:
        first = await ask(app, POLL, query)
        for _ in range(LOOK[0] - 1):
            await ask(app, POLL, "code=NNNNNNNN")
        return (
            await ask(app, POLL, "code=NNNNNNNN"),
            await ask(app, POLL, query),
            await ask(app, POLL, query, if_none_match='"0-10"'),
            await ask(app, POLL, query, if_none_match=first.headers["etag"]),
            await ask(app, POLL, query, address="192.0.2.8"),
        )

    answers = run(guess())
    assert [each.status for each in answers] == [429, 429, 429, 304, 200]
    assert {each.body for each in answers[:3]} == {b"{}"}


def test_a_phone_whose_worker_is_gone_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WORKER, "w1")
    gone = {
        worker: run(Phone("BCDFGHJK", worker).state()).content["gone"] for worker in ("w1", "w2")
    }
    assert gone == {"w1": "goneUnknown", "w2": "goneLost"}


GUESS = LINK.write(Draft(EXAMPLES["Guess"]))


def open_screen(teacher_key: TeacherKey, screen: str, **wrong: str) -> AppTest:
    """A fresh browser with the presenter's link, or with a wrong one."""
    stored = {**vars(teacher_key), "screen": screen, **wrong}
    return trigger(open_page(ROOM), [{"event": "teacher", "value": stored}], STATE.key("keeper"))


def teacher(**query: str) -> tuple[AppTest, TeacherKey]:
    at = open_page(ROOM, query)
    checked(at.button(key="room-open").click().run())
    if query:
        checked(at.button(key="room-unprotected").click().run())
    return at, at.session_state["room/held"]


def buttons(at: AppTest) -> set[str]:
    return {str(each.key) for each in at.button}


def test_the_projector_shows_question_way_in_and_picture_alone() -> None:
    _, key = teacher()
    projector = open_screen(key, page.PROJECTOR)
    assert projector.header[0].value == EXAMPLES["Birthday"].text
    for there in ("qr", "room-question", "headline"):
        assert container(projector, there) is not None
    assert buttons(projector) == {"room-leave"}
    assert not projector.tabs
    assert key.key not in repr(projector.main)
    checked(projector.button(key="room-leave").click().run())
    assert {"room-close", "room-next", "room-end"} <= buttons(projector)


def test_what_the_presenter_does_the_projector_shows() -> None:
    _, key = teacher()
    presenter, projector = (open_screen(key, each) for each in (page.PRESENTER, page.PROJECTOR))
    assert container(presenter, "qr") is None
    first = rooms().get_poll(key.code)
    run(Phone(key.code).send(first.mark, 1))
    checked(presenter.button(key="room-next").click().run())
    checked(presenter.selectbox(key="room-ready").set_value(EXAMPLES["Vote"].text).run())
    checked(presenter.button(key="room-ask").click().run())
    checked(projector.run())
    assert projector.header[0].value == EXAMPLES["Vote"].text
    checked(presenter.selectbox(key="room-asked").set_value(first.mark).run())
    checked(projector.run())
    assert projector.header[0].value == EXAMPLES["Birthday"].text
    whole = open_screen(key, page.ALL)
    for each in (projector, whole):
        assert container(each, "qr") is not None
    checked(presenter.button(key="room-end").click().run())
    for each in (projector, whole):
        checked(each.run())
        assert headline_of(each).startswith("Thank you! Your phones sent 1 report to 2 questions.")
        assert container(each, "qr") is None
        assert json.loads(data_of(each, STATE.key("board"))["content"])["answers"]


def test_one_click_makes_the_projector_s_screen() -> None:
    at, _ = teacher()
    labels = {each.proto.popover.label for each in at.get("popover")}
    assert labels == {"Reports", "End the poll", "Timer"}  # it is in none that opens first
    checked(at.button(key="room-projector").click().run())
    assert buttons(at) == {"room-leave"}


def test_answers_are_on_the_presenter_s_screen_before_the_class_sees_them() -> None:
    _, key = teacher(**GUESS)
    poll = rooms().get_poll(key.code)
    run(Phone(key.code).send(poll.mark, 0))
    for screen, seen in ((page.PRESENTER, True), (page.PROJECTOR, False)):
        at = open_screen(key, screen)
        board: dict[str, Any] = json.loads(data_of(at, STATE.key("board"))["content"])
        assert any(each["right"] for each in board["answers"]) == seen
        assert (board["reports"] == [0]) == seen


def test_the_presenter_s_link_regains_poll_and_lesson_and_steers_its_steps() -> None:
    projector, key = teacher()
    link = page.presenter_link(key)
    assert link.endswith(f"#presenter={key.code}.{key.key}")
    steps_of_visit = projector.session_state["lesson/running"]
    steps_of_visit.lesson = steps.LessonState(PARTS, 2, 0.0)
    checked(projector.run())
    presenter = open_screen(key, page.PRESENTER)
    text = " ".join(each.value for each in presenter.markdown)
    assert f"Step 3 of {len(PARTS)}: {PARTS[2].title}" in text
    assert PARTS[2].do in text
    checked(presenter.button(key="room-step-show").click().run())
    assert steps_of_visit.lesson.is_shown
    checked(presenter.button(key="room-step-next").click().run())
    assert (steps_of_visit.lesson.at, steps_of_visit.wanted) == (2, 3)  # the projector opens it
    regained = open_screen(key, page.ALL)
    assert regained.session_state["lesson/running"].lesson.at == 2
    assert steps_of_visit.is_watched


def test_a_wrong_key_is_refused_in_a_sentence_and_tries_are_bounded() -> None:
    _, key = teacher()
    for wrong in ("guess", "", "\ud800", key.key[:-1], f"{key.key}x"):
        at = open_screen(key, page.PRESENTER, key=wrong)
        half = f"{key.code[:4]} {key.code[4:]}"
        sentence = f"This key does not steer poll {half}; open its presenter's link."
        assert [each.value for each in at.warning] == [sentence]
        assert "room/held" not in at.session_state
    at = open_screen(key, page.PRESENTER, code="BCDFGHJK")
    assert "Poll BCDF GHJK is gone" in at.warning[0].value
    with suppress(Busy):
        for _ in range(STEER[0]):  # the clock stands still
            attempt_limiter().record_attempt(STEER, "")
    at = open_screen(key, page.PRESENTER)
    assert "Too many keys of polls were tried from here" in at.warning[0].value
    assert "room/held" not in at.session_state


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Several workers stand behind one address, of which this is the first."""
    monkeypatch.setenv(WORKER, "w1")
    yield from fresh_rooms()


@pytest.mark.usefixtures("worker")
def test_link_and_code_name_the_worker_that_holds_the_poll() -> None:
    teacher, poll = hall()
    (link,) = [each.value for each in teacher.code]
    assert link.endswith(f"/room?code={poll.code}&worker=w1")
    (html,) = [each.proto.body for each in teacher.get("html") if "room-code" in each.proto.body]
    assert f"W1 {format_code(poll.code)}" in html
    assert run(Phone(poll.code, "w1").state()).status == 200


def test_alone_a_worker_has_no_name() -> None:
    assert query_of("BCDFGHJK") == {"code": "BCDFGHJK"}
    assert display_code("BCDFGHJK") == "BCDF GHJK"


@pytest.mark.usefixtures("worker")
def test_a_teacher_whose_server_was_started_again_is_told_so() -> None:
    teacher, poll = hall()
    held = teacher.session_state["room/held"]
    rooms.clear()  # as a new server is
    checked(teacher.run())
    assert teacher.warning[0].value.startswith(
        f"Poll {display_code(poll.code)} is gone with its reports"
    )
    anew = open_room_page()  # the page loaded again, in a browser that kept what steers the poll
    kept = [{"event": "teacher", "value": dataclasses.asdict(held)}]
    trigger(anew, kept, "room-keeper")
    assert anew.warning[0].value.startswith(
        f"Poll {display_code(poll.code)} is gone with its reports"
    )
    assert not checked(anew.button(key="room-open").click().run()).warning
