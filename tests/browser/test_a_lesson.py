"""A lesson of 50 minutes as `docs/lesson.md` has it, in one browser and from the pages alone.

The teacher begins it in the lesson plan and goes by the bar, as with a clicker; eight phones join
the poll, report, and guess when asked again: two in browsers, the others by their requests.
The presenter's screen steers it from another browser, and brings it back once the first is gone.
What each page says is compared with what the core computes for the same settings. That each station
breaks is held in `ui/test_classroom.py`.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final
from urllib.request import Request, urlopen

import pytest

from benchmarks.browser import PATIENCE_MS, wait_until_settled
from caldp_ui.adversary import view as attacker_view
from caldp_ui.adversary.page_state import DAYS_MAX, AttackerState, load_data
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import NAMES, Lesson
from caldp_ui.classroom.plan import PARTS
from caldp_ui.handout.lesson import FILE, question
from tests.browser.conftest import SCREENS, Profiles, visiting
from tests.browser.hands import TAP_THE_COIN, expect, open_poll
from tests.browser.test_axe import violations
from tests.browser.test_phone import PHONE
from tests.browser.test_room import way_in
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
HEADLINE: Final = ".st-key-headline h1"
APPEARS: Final = """([sentence, patience]) => new Promise(done => {
    const end = performance.now() + patience;
    const look = () => {
        const there = [...document.querySelectorAll(".st-key-headline h1")].some(
            each => each.offsetParent && each.textContent === sentence);
        if (there || performance.now() > end) done(there); else requestAnimationFrame(look);
    };
    look();
})"""
"""Whether a headline comes on the screen: looked at in every frame, as films go on."""
FRAME: Final = """h1 => {
    h1.tabIndex = -1;
    h1.focus({focusVisible: true});
    return getComputedStyle(h1).outlineStyle;
}"""
"""The frame of a headline that the keyboard has come to."""
BAR: Final = ".st-key-lesson-bar .lesson"
_BROKEN: Final[dict[str, Lesson]] = {
    "sum": Lesson("sum", n=10**9, broken=True),
    "rappor": Lesson("rappor", days=60, broken=True),
    "shuffling": Lesson("shuffling", blocks=100, broken=True),
}
"""Stations that are broken here, each in its own way: what they show at the end of it."""
_ENDS: Final = {"sum": "n", "rappor": "days"}
"""Dials that the plan moves to their last step."""
PHONES: Final = 8
IN_BROWSERS: Final = 2
"""Of the phones, those that are looked at."""


@pytest.fixture(scope="module")
def teacher(profiles: Profiles, address: str) -> Iterator[Any]:
    own = {"extra_http_headers": {"x-teacher": "lesson"}}  # no other test recalls its poll
    profile = profiles(**SCREENS["projector"], **own)
    with visiting(profile, f"{address}/classroom", HEADLINE) as page:
        yield page


def expect_step(page: Any, number: int) -> None:
    """The bar is there, says the step of that number, and the page leaves room for it."""
    bar, part = page.locator(BAR), PARTS[number]
    expect(bar.locator(".step b")).to_have_text(part.title)
    expect(bar.locator(".home > span")).to_have_text(part.home)
    box = bar.bounding_box()
    assert (box["y"], box["height"]) == (720 - 56, 56)
    wait_until_settled(page)


def onward(page: Any, title: str) -> None:
    """To the next step, which has this title, by the bar."""
    page.locator(BAR).get_by_role("button", name=f"Next: {title}").click()
    expect_step(page, [part.title for part in PARTS].index(title))


def begin(page: Any) -> str:
    """Begin the lesson in its plan and open the poll; the poll's code."""
    page.locator(".st-key-classroom-plan button").click()
    page.locator(".st-key-classroom-begin button").click()
    page.wait_for_url("**/room")
    expect_step(page, 0)
    return open_poll(page)


def phone_of(profiles: Profiles, number: int, watch: Watch) -> Any:
    """The phone of that number, which keeps what it has stored."""
    phone = profiles(**PHONE, extra_http_headers={"x-phone": f"lesson {number}"}).new_page()
    watch.follow(phone)
    return phone


def report(profiles: Profiles, link: str, number: int, watch: Watch) -> str:
    """A phone joins, answers and shows what it sent; the odds of its coin before."""
    phone = phone_of(profiles, number, watch)
    phone.goto(link)
    phone.locator(".phone .answer").first.click()
    expect(phone.locator(".phone .odds")).to_contain_text("right at most 73 times in 100")
    phone.evaluate(TAP_THE_COIN)  # it goes on
    phone.locator(".phone .poll .go").click()
    phone.get_by_text("Counted, once").wait_for()
    sent = phone.locator(".phone .sent strong").inner_text()
    expect(phone.locator(".phone .why")).to_contain_text("You can deny it")
    phone.close()
    return str(sent)


def send(link: str, report: int, number: int) -> str:
    """The report of a phone without a browser; the name of its answer."""
    address = link.replace("/room?", "/room/poll?")
    with urlopen(address) as answer:
        state = json.load(answer)
    report = min(report, len(state["answers"]) - 1)
    body = {"mark": state["mark"], "token": f"{number:032x}", "report": report}
    headers = {"content-type": "application/json"}
    with urlopen(Request(address, json.dumps(body).encode(), headers)) as answer:
        assert json.load(answer) == {"received": True}
    return str(state["answers"][report])


def presenter_link(page: Any) -> str:
    """The link of the presenter's screen, of what this browser keeps (`ui/test_screens.py`)."""
    kept = json.loads(page.evaluate("localStorage.getItem('caldp.room.held')"))
    return f"{page.url.partition('?')[0]}#presenter={kept['code']}.{kept['key']}"


def steer(page: Any, profiles: Profiles, link: str, watch: Watch) -> None:
    """A phone with the presenter's link reads the notes, and goes one step on and back."""
    own = profiles(**SCREENS["phone"], extra_http_headers={"x-phone": "presenter"}).new_page()
    watch.follow(own)
    own.goto(link)
    for button, number in (("next", 1), ("back", 0)):
        own.locator(f".st-key-room-step-{button} button").click()
        expect_step(page, number)
        notes = own.locator(".st-key-room-side")
        expect(notes).to_contain_text(f"Step {number + 1} of {len(PARTS)}: {PARTS[number].title}")
    assert "#" not in own.url
    assert violations(own) == []
    own.close()


def regain(page: Any, profiles: Profiles, link: str, number: int, watch: Watch) -> Any:
    """The teacher's browser is gone: a fresh one has poll and lesson by the presenter's link."""
    page.context.close()
    own = {"extra_http_headers": {"x-teacher": "regained"}}
    fresh = profiles(**SCREENS["projector"], **own).new_page()
    watch.follow(fresh)
    fresh.goto(link)
    fresh.locator(".st-key-room-leave button").click()
    expect_step(fresh, number)
    assert "#" not in fresh.url
    fresh.locator(BAR).get_by_role("button", name=f"Return to: {PARTS[number].title}").click()
    fresh.wait_for_url("**/matrix*")
    expect_step(fresh, number)
    return fresh


def expect_station(page: Any, lesson: Lesson) -> None:
    sentence = STATIONS[lesson.station].open(lesson).headline.sentence
    page.locator(HEADLINE, has_text=sentence).first.wait_for()
    wait_until_settled(page)


def break_station(page: Any, name: str) -> None:
    """As the plan has it: the dial to its end, then "Try to break it"."""
    onward(page, f"{NAMES.index(name) + 1} {STATIONS[name].title}")
    predicted = page.locator(BAR).locator(".ask")
    expect(predicted.locator("h2")).to_have_text(question(name).text)
    expect(predicted.locator("li")).to_have_text(list(question(name).answers))
    page.locator("body").press("PageDown")  # shows the station that answers it
    expect(predicted).to_be_hidden()
    expect_station(page, Lesson(name))
    if name == "selection":
        page.locator(".st-key-classroom-items input[type=range]").press("End")
        expect_station(page, Lesson("selection", items=1024))
    if name not in _BROKEN:
        return
    lesson = _BROKEN[name]
    if name in _ENDS:
        page.locator(f".st-key-classroom-{_ENDS[name]} input[type=range]").press("End")
    if name == "shuffling":
        for _ in range(3):
            before = page.url
            page.locator(".st-key-classroom-blocks input[type=range]").press("ArrowRight")
            # One after the other: the server's answer to the first takes a second one back.
            page.wait_for_function("before => location.href !== before", arg=before)
            wait_until_settled(page)
    expect_station(page, replace(lesson, broken=False))
    page.locator(".st-key-classroom-broken").get_by_text(STATIONS[name].naive[0]).click()
    page.wait_for_url("**broken=1**")  # the sentence may be the same
    expect_station(page, lesson)
    if name == "rappor":
        page.locator(".st-key-classroom-view").get_by_text("All phones").click()
        expect_station(page, replace(lesson, broken=False, view="crowd"))


def ask_adversary(page: Any) -> None:
    onward(page, "What an attacker learns")
    stage = page.locator(".st-key-adversary-maps .stage")
    stage.locator(".pane:visible .frame").first.click(position={"x": 250, "y": 90})
    page.wait_for_function("location.search.includes('place=')")
    wait_until_settled(page)
    place = int(page.evaluate("new URLSearchParams(location.search).get('place')"))
    sentence = attacker_view.headline(load_data(AttackerState(place=place, days=DAYS_MAX))).sentence
    play = page.locator(".st-key-adversary-days .stage-play")
    box = play.bounding_box()
    assert box["y"] + box["height"] < 720 - 56  # the bar lies over no part of it
    play.click()
    assert page.evaluate(APPEARS, [sentence, PATIENCE_MS])


def name_the_bug(page: Any) -> None:
    onward(page, "The privacy matrix")
    headline = page.locator(".st-key-headline")
    expect(headline).to_contain_text(["The channel breaks 20 of 20 limits"])
    expect(headline).to_contain_text(["leaks 1.05 where 1 is allowed"])
    expect(page.get_by_text("The test misses the bug")).to_be_visible()


def guess(page: Any, profiles: Profiles, link: str, watch: Watch) -> None:
    """Asked from the station of the step: phones guess, and the right answer is shown to all.

    The bar stays at the step meanwhile, and leads back to it; so does the browser's Back.
    """
    asked, step = question("selection"), 3
    at = asked.right or 0
    right = asked.answers[at]
    page.get_by_role("button", name="Ask the class first").click()
    page.wait_for_url("**/room*")
    expect_step(page, step)
    page.locator(".st-key-room-ask button").click()
    page.locator(".st-key-room-unprotected button").click()  # guesses are sent as they are
    wait_until_settled(page)
    phones = []
    for number in range(IN_BROWSERS, PHONES):
        send(link, 1, number)
    for number in range(IN_BROWSERS):
        phone = phone_of(profiles, number, watch)
        phone.goto(link)
        phone.locator(".phone .answer").nth(min(number, 1)).click()
        phone.locator(".phone .poll .go").click()
        phone.get_by_text("Counted, once").wait_for()
        expect(phone.locator(".phone .right")).to_have_count(0)
        phones.append(phone)
    expect(page.locator(".st-key-headline")).to_contain_text([f"{PHONES} guesses are in"])
    expect(page.locator(".board .row.right")).to_have_count(0)
    expect(page.locator(".board .readout b")).to_have_text(["?"] * asked.k)  # who leads is hidden
    page.locator(".st-key-room-show button").click()
    hits = [min(number, 1) for number in range(PHONES)].count(at)
    told = f"Of {PHONES} guesses {hits} are right: “{right}”."
    expect(page.locator(HEADLINE)).to_have_text([told])
    expect(page.locator(".board .row.right .name")).to_have_text(right)
    for phone in phones:
        expect(phone.locator(".phone .right")).to_have_text(f"The right answer: {right}")
    assert violations(phones[0]) == []
    for phone in phones:
        phone.close()
    page.locator(BAR).get_by_role("button", name="Return to: 3 Selection").click()
    expect_station(page, Lesson("selection", items=1024))
    expect_step(page, step)
    page.go_back()
    expect(page).to_have_title(re.compile("^Live poll"))
    page.go_back()  # one entry a page, and the bar in step with it
    expect_station(page, Lesson("selection", items=1024))
    expect_step(page, step)
    page.go_back()
    expect_station(page, Lesson("selection"))


def end(page: Any, profiles: Profiles, link: str, watch: Watch) -> None:
    """Phones are thanked and can take the lesson home; the class's own results stay."""
    phone = phone_of(profiles, 0, watch)
    phone.goto(link)
    page.locator(".st-key-room-side").get_by_text("End the poll").click()
    page.locator(".st-key-room-end button").click()
    thanks = f"Thank you! Your phones sent {2 * PHONES} reports to 2 questions."
    expect(page.locator(HEADLINE)).to_have_text([thanks])
    expect(page.locator(".board .chips li")).to_have_count(PHONES)
    expect(phone.locator(".phone .thanks")).to_be_visible()
    with phone.expect_download(timeout=4 * PATIENCE_MS) as download:  # it is made for the first
        phone.locator(".phone a.go").click()
    assert download.value.suggested_filename == FILE
    phone.close()
    page.locator(".st-key-room-fresh button").click()
    expect(page.locator(".st-key-room-open button")).to_be_visible()


def go_back_and_on_by_clicker(page: Any, number: int) -> None:
    page.locator("body").press("PageUp")
    expect_step(page, number - 1)
    page.locator("body").press("PageDown")
    expect_step(page, number)
    headline = page.locator(HEADLINE).first
    assert headline.evaluate(FRAME) == "none"


def test_the_whole_lesson(teacher: Any, profiles: Profiles, address: str, watch: Watch) -> None:
    code = begin(teacher)
    wait_until_settled(teacher)
    link, qr = way_in(teacher)
    assert link == f"{address}/room?code={code}"
    own = presenter_link(teacher)
    sent = [report(profiles, link, number, watch) for number in range(IN_BROWSERS)]
    sent += [send(link, number % 2, number) for number in range(IN_BROWSERS, PHONES)]
    expect(teacher.locator(".board .chips li")).to_have_text(sent[::-1])
    steer(teacher, profiles, own, watch)
    for name in NAMES:
        break_station(teacher, name)
        if name == "selection":
            guess(teacher, profiles, link, watch)
    steps: tuple[Callable[[Any], None], ...] = (ask_adversary, name_the_bug)
    for step in steps:
        step(teacher)
    teacher = regain(teacher, profiles, own, len(PARTS) - 3, watch)
    onward(teacher, "Places on a map")
    teacher.locator(".st-key-places-maps .stage[data-painted]").wait_for()
    go_back_and_on_by_clicker(teacher, len(PARTS) - 2)
    teacher.reload()
    expect_step(teacher, len(PARTS) - 2)
    onward(teacher, "Back to the poll")
    expect(teacher.locator(".room-code")).to_contain_text(f"{code[:4]} {code[4:]}")
    # The range of eight reports may be all shares, and the headline says so.
    expect(teacher.locator(".st-key-headline")).to_contain_text([f"{PHONES} reports "])
    assert way_in(teacher) == (link, qr)
    assert violations(teacher) == []  # with the bar
    end(teacher, profiles, link, watch)
    teacher.set_viewport_size({"width": 320, "height": 256})  # 1280 at 400 %
    teacher.locator(BAR).get_by_role("button", name="Notes").click()
    teacher.locator(BAR).get_by_role("button", name="End the lesson").click()
    expect(teacher.locator(BAR)).to_have_count(0)
    watch.check()
