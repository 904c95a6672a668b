"""A live poll in a browser: only reports leave a phone, boards draw them, strangers are limited."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from caldp_ui.charts import show
from caldp_ui.room.poll import OPEN, PollState
from caldp_ui.room.question import PollQuestion
from caldp_ui.room.sets import EXAMPLES
from caldp_ui.room.view import WEB, board_json
from caldp_ui.stage import records
from caldp_ui.stage.records import join_modules
from tests.browser.conftest import DESKTOP, SCREENS, Profiles, visiting
from tests.browser.hands import (
    Watch,
    expect,
    expect_script,
    open_poll,
    wait_to_open_a_poll,
)
from tests.browser.test_everybody import expect_no_violations
from tests.servers import run, server_address, wait_until_settled
from tests.strategies import thinned
from tests.visits import Visitor

pytestmark = pytest.mark.browser
QUESTION = PollQuestion("Which?", ("a", "b", "c", "d"), (0, 2, 3), 1.0)
SAME_COIN = """{
    const drawn = crypto.getRandomValues.bind(crypto);
    crypto.getRandomValues = array => array instanceof Uint16Array ? array.fill(0)
        : drawn(array);
}"""
"""The lowest numbers lead every answer to the first sensitive one."""


PICK_AND_ASK = """async option => {
    option.click();
    await new Promise(done => setTimeout(done, 60));
    for (const until = performance.now() + 700; performance.now() < until;);
    document.querySelector(".st-key-room-ask button").click();
}"""
"""A browser that is slower than the server: it tells of the click and of texts from before."""


@pytest.fixture(scope="module")
def engine(profiles: Profiles) -> Iterator[Any]:
    """A bare page."""
    page = profiles(**SCREENS["phone"]).new_page()
    yield page
    page.close()


def requests_of(profiles: Profiles, link: str, answer: int, watch: Watch) -> list[Any]:
    """All that a phone sends from the choice of its true answer on: methods, addresses, bodies."""
    own = {"extra_http_headers": {"x-phone": f"{answer}"}}  # so that no two share a profile
    context = profiles(**SCREENS["phone"], **own)
    page = context.new_page()
    page.add_init_script(SAME_COIN)
    watch.follow(page)
    page.goto(link)
    page.locator(".phone .answer").first.wait_for()
    sent: list[Any] = []

    def note(request: Any) -> None:
        sent.append((request.method, request.url, request.post_data))

    page.on("request", note)
    page.locator(".phone .answer").nth(answer).click()
    page.locator(".phone .poll .go").click()
    page.get_by_text("Counted, once").wait_for()
    page.remove_listener("request", note)
    expect(page.locator(".phone .sent strong")).to_have_text("Yes")
    if answer == 0:
        page.reload()
        page.get_by_text("Counted, once").wait_for()
    stored = page.evaluate("JSON.stringify(localStorage)")
    assert not page.evaluate("document.cookie")  # the page's code can't read what it holds
    page.close()
    assert "report" in stored
    return sent


def end_poll(teacher: Any) -> None:
    """The teacher ends the poll, prepares another one, and leaves."""
    teacher.get_by_text("End the poll").click()
    teacher.get_by_text("End it now").click()
    teacher.locator(".st-key-room-fresh button").click()
    teacher.locator(".st-key-room-open").wait_for()
    teacher.close()


def test_the_rehearsal_follows_its_answers_and_leaves_what_is_being_written(
    profiles: Profiles, address: str
) -> None:
    with visiting(profiles(viewport=DESKTOP), f"{address}/room", ".board .row") as page:
        answers = page.locator(".st-key-room-answers textarea")
        answers.fill("Yes\nNein")
        answers.press("Control+Enter")
        expect(page.locator(".board .row .name")).to_have_text(["Yes", "Nein"])
        expect(page.locator(".board .chips li")).to_have_count(25)
        expect(page.locator(".board .row.hidden .name")).to_have_text(["Yes", "Nein"])
        text = page.locator(".st-key-room-text input")
        text.fill("Tea, mi")
        yes = page.locator(".st-key-room-sensitive button", has_text="Yes")
        expect(yes).to_have_count(1)  # for a moment the marks of the answers before are there, too
        yes.evaluate("pill => pill.click()")  # the field keeps the focus
        expect(page.locator(".board .row.hidden .name")).to_have_text(["Nein"])
        wait_until_settled(page)
        expect(text).to_have_value("Tea, mi")
        text.press("Enter")
        page.wait_for_function("location.search.includes('Tea')")


def test_a_poll_asks_what_was_just_written(profiles: Profiles, address: str, watch: Watch) -> None:
    """The click that opens it is also what ends the writing: the page had no time to follow."""
    page = profiles(**SCREENS["projector"], extra_http_headers={"x-teacher": "quick"}).new_page()
    watch.follow(page)
    page.goto(f"{address}/room")
    page.locator(".board .row").first.wait_for()
    wait_until_settled(page)
    question = page.locator(".st-key-room-question")
    wait_to_open_a_poll()
    for button, text in (("open", "Tea, milk or both?"), ("ask", "Milk first?")):
        page.locator(".st-key-room-text input").fill(text)
        page.locator(f".st-key-room-{button} button").click()
        expect(question).to_have_text(text)
        page.locator(".st-key-room-next button").click()
        page.locator(".st-key-room-text input").wait_for()
        wait_until_settled(page)  # no hand writes before the form for the next question has come
    page.locator(".st-key-room-ready input").click()
    page.get_by_role("option", name=EXAMPLES["Guess"].text).evaluate(PICK_AND_ASK)
    page.locator(".st-key-room-unprotected button").click()  # guesses are sent as they are
    expect(question).to_have_text(EXAMPLES["Guess"].text)
    wait_until_settled(page)
    page.locator(".st-key-room-next button").click()
    expect(page.locator(".st-key-room-text input")).to_have_value(EXAMPLES["Guess"].text)
    answers = "\n".join(EXAMPLES["Guess"].answers)
    expect(page.locator(".st-key-room-answers textarea")).to_have_value(answers)
    expect(page.locator(".board .row .name")).to_have_text(list(EXAMPLES["Guess"].answers))
    page.locator(".st-key-room-back button").click()
    end_poll(page)
    watch.check()


def test_only_the_report_leaves_a_phone(profiles: Profiles, address: str, watch: Watch) -> None:
    own = {"extra_http_headers": {"x-teacher": "watched"}}  # no other test's poll is recalled
    teacher = profiles(**SCREENS["projector"], **own).new_page()
    watch.follow(teacher)
    teacher.goto(f"{address}/room")
    teacher.locator(".board .row").first.wait_for()
    wait_until_settled(teacher)
    code = open_poll(teacher)
    link = f"{address}/room?code={code}"
    yes, no = (requests_of(profiles, link, answer, watch) for answer in (0, 1))
    reports = [[each for each in sent if each[0] == "POST"] for sent in (yes, no)]
    assert reports[0] == reports[1]  # the token, too: these phones have the same coins
    ((_, _, body),) = reports[0]
    assert set(json.loads(body)) == {"mark", "token", "report"}
    assert json.loads(body)["report"] == 0
    others = {each for each in (*yes, *no) if each[0] != "POST"}
    assert others <= {("GET", f"{address}/room/poll?code={code}", None)}
    # Of these two, which have the same random number, one is counted: so no reload counts twice.
    teacher.get_by_role("heading", name="All that the server keeps of answers: 1 report").wait_for()
    end_poll(teacher)
    watch.check()


CUT = """() => [...document.querySelectorAll(".phone *")].filter(each => each.checkVisibility()
    && getComputedStyle(each).display !== "inline" && each.scrollWidth > each.clientWidth + 1)
    .map(each => each.outerHTML)"""


LONG_WORDS = {
    "question": "Donaudampfschifffahrtsgesellschaftskapitänspatent?",
    "answers": "Rindfleischetikettierungsüberwachungsgesetz|1. Yes",
}
"""Longer than the narrowest phone is wide."""


@pytest.mark.parametrize(
    "languages", [("de",), pytest.param(("en", "fr", "es"), marks=pytest.mark.thorough)]
)
def test_on_the_narrowest_phone_languages_are_whole_and_without_violations(
    profiles: Profiles, address: str, watch: Watch, languages: tuple[str, ...]
) -> None:
    teacher = profiles(**SCREENS["projector"], extra_http_headers={"x-teacher": "tongues"})
    board = teacher.new_page()
    watch.follow(board)
    board.goto(f"{address}/room?{urlencode(LONG_WORDS)}")
    code = open_poll(board)
    for language in languages:
        small = {"viewport": {"width": 320, "height": 568}, "locale": language}
        phone = profiles(**small).new_page()
        watch.follow(phone)
        phone.goto(f"{address}/room?code={code}")
        phone.locator(".phone .answer").first.click()
        expect(phone.locator("html")).to_have_attribute("lang", language)
        expect(phone.locator(".phone .poll .go")).to_be_enabled()
        expect_script(phone, CUT, [])
        phone.locator(".phone .poll .go").click()
        expect(phone.locator(".phone .sent strong")).to_be_visible()
        expect(phone.locator(".phone .chances")).to_be_visible()
        expect_script(phone, CUT, [])
        expect_no_violations(phone)
        phone.close()  # it would ask for a poll that has ended
    watch.check()
    end_poll(board)


SENT = """([text, content]) => {
    const found = new Function(`${text}; return Board`)();
    const board = new found(document.body.appendChild(document.createElement("div")));
    board.paint(content);
    return board.rowParts.map(({sent, bar}) => [sent.style.width, bar.style.width]);
}"""


def widths(engine: Any, text: str) -> Any:
    """The shares of reports and the estimates, as the board's bars have them, in percent."""
    data = json.loads(board_json(poll := PollState("", "", QUESTION, True, (0, 1, 1, 3)), []))
    assert data["n"] == len(poll.reports)
    drawn = engine.evaluate(SENT, [text, data])
    return np.array([[float(width.rstrip("%")) for width in row] for row in drawn])


def test_the_board_draws_the_share_of_reports_that_name_an_answer(engine: Any) -> None:
    text = records.partial_script("dom") + show.script() + join_modules(WEB, ("board",))
    text = text.replace("export default ", "")
    right = widths(engine, text)
    assert np.array_equal(right[:, 0], [25.0, 50.0, 0.0, 25.0])
    slipped = text.replace("sent / n", "sent / (n + 1)")
    assert slipped != text
    assert not np.array_equal(widths(engine, slipped), right)


LOCK = """isLocked => {
    Object.defineProperty(document, "hidden", {value: isLocked, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_phone_joins_by_a_code_and_is_told_of_a_lost_server_and_of_the_end(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    teacher = profiles(**SCREENS["projector"], extra_http_headers={"x-teacher": "code"}).new_page()
    watch.follow(teacher)
    teacher.goto(f"{address}/room")
    code = open_poll(teacher)
    # The narrowest phones, whose owners like it dark.
    small = {"viewport": {"width": 320, "height": 568}, "color_scheme": "dark", "has_touch": True}
    context = profiles(**small)
    phone, quiet = context.new_page(), Watch()
    quiet.follow(phone)
    phone.goto(f"{address}/room")
    phone.locator(".room-join").click()
    field, poll = phone.get_by_label("The code on the projector"), phone.locator(".phone .poll")
    for typed, text in (("NNNN NNNN", "There is no poll “NNNN NNNN”"), (code.lower(), "Were you")):
        field.fill(typed)
        field.press("Enter")
        expect(poll).to_contain_text(text)
    expect(field).to_be_hidden()
    expect(phone.get_by_role("button", name="Choose your true answer")).to_be_disabled()
    phone.get_by_role("button", name="Yes protected").press("Enter")
    expect(phone.get_by_role("button", name="Yes protected")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert phone.evaluate("document.documentElement.scrollWidth") == 320
    assert phone.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(11, 15, 20)"
    lock(phone)
    lose_the_server(phone)
    end_poll(teacher)
    phone.evaluate(LOCK, False)  # somebody looks at it: after a loss it asks in its own time
    expect(phone.get_by_role("status").filter(has_text="has ended")).to_be_visible()
    expect(field).to_be_visible()
    phone.close()
    assert not quiet.outside()
    # A browser reports every answer that is none: those of wrong and ended codes, and no other.
    told = ("404", "ERR_INTERNET_DISCONNECTED")
    assert all(any(each in error for each in told) for error in quiet.errors), quiet.errors
    watch.check()


def lose_the_server(phone: Any) -> None:
    """It says so, and goes on when the server is back."""
    lost, poll = phone.locator(".phone .lost"), phone.locator(".phone .poll")
    phone.context.set_offline(True)
    phone.locator(".phone .poll .go").click()
    expect(poll).to_contain_text("Sending …")
    expect(lost).to_contain_text("The server does not answer")
    phone.context.set_offline(False)
    expect(poll).to_contain_text("Counted, once")
    expect(lost).to_be_hidden()


def lock(phone: Any) -> None:
    """A locked phone asks for nothing, and catches up at once."""
    asked: list[str] = []
    phone.evaluate(LOCK, True)
    phone.wait_for_timeout(500)  # for the answer to what was asked before
    phone.on("request", lambda request: asked.append(request.url))
    phone.wait_for_timeout(4_000)
    assert not asked
    with phone.expect_request("**/room/poll?*"):
        phone.evaluate(LOCK, False)


TRIED = OPEN[0] + 2


async def open_polls_from(address: str, **connection: Any) -> Visitor | None:
    """A visit that has opened a poll; None where it was refused."""
    visit = await Visitor.open(address, "room", "room-open", **connection)
    state = visit._state()
    state.widget_states.widgets.add(id=visit.elements["room-open"].id, trigger_value=True)
    visit.elements.pop("room-keeper", None)
    await visit._send(state)
    await visit.wait_until(lambda: "room-keeper" in visit.elements)
    held = json.loads(visit.elements["room-keeper"].json).get("teacher")
    if held:
        return visit
    await visit.close()
    return None


async def attack(address: str, teachers: int) -> tuple[int, int]:
    """How many polls one script could open, and then how many teachers from addresses of theirs."""
    names = [f"198.51.100.{number}" for number in range(TRIED)]
    made_up = [{"X-Forwarded-For": name} for name in names]
    script = [await open_polls_from(address, additional_headers=headers) for headers in made_up]
    homes = [(f"127.0.1.{number}", 0) for number in range(teachers)]
    others = [await open_polls_from(address, local_addr=home) for home in homes]
    for visit in filter(None, (*script, *others)):
        await visit.close()
    return sum(map(bool, script)), sum(map(bool, others))


@pytest.mark.parametrize("named", thinned(["", "127.0.0.1"], one_in=2))
def test_addresses_count_as_a_proxy_says_them_only_if_the_settings_name_it(
    tmp_path: Path, named: str
) -> None:
    opened = TRIED if named else OPEN[0]
    with server_address(tmp_path, variables={"FORWARDED_ALLOW_IPS": named}) as address:
        assert run(attack(address, 1)) == (opened, 1)
