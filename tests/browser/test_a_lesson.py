"""A lesson of 15 minutes in one browser, and the lesson to take home as a file.

The teacher starts it in the lesson plan and moves on with the bar's buttons; four phones join
the poll, report, and guess when asked again: one in a browser, the others by their requests.
The presenter's screen steers it from another browser, and brings it back once the first is gone.
What each page says is compared with what the core computes for the same settings. Steps of the
longer lessons, and that each station breaks, are held in `ui/test_classroom.py`.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

import pytest

from caldp_ui.classroom.page import STATIONS, TRACKS
from caldp_ui.classroom.page_state import LINK, NAMES, Lesson
from caldp_ui.handout.lesson import FILE, maps, question
from caldp_ui.maps.scene import BEGIN as MAP
from caldp_ui.stage.records import Scene
from tests.browser.conftest import DESKTOP, SCREENS, Profiles, visiting
from tests.browser.hands import (
    PHONE,
    TAP_THE_COIN,
    Watch,
    eventually_equal,
    expect,
    expect_script,
    open_poll,
    to_page,
)
from tests.browser.test_everybody import LAYERS, LEAST, contrast, expect_no_violations
from tests.servers import PATIENCE_MS, wait_until_settled

pytestmark = pytest.mark.browser
HEADLINE: Final = ".st-key-headline h1"
FRAME: Final = """h1 => {
    h1.tabIndex = -1;
    h1.focus({focusVisible: true});
    return getComputedStyle(h1).outlineStyle;
}"""
"""The frame of a headline that the keyboard has come to."""
BAR: Final = ".st-key-lesson-bar .lesson"
PLACE: Final = "e => (({y, height}) => [y, height])(e.getBoundingClientRect())"
PHONES: Final = 4
SHORT: Final = TRACKS[15]
NOISE, AGAIN = 2, 3
"""Steps of this lesson: how much noise, and asked again and again."""


@pytest.fixture
def teacher(profiles: Profiles, address: str) -> Iterator[Any]:
    own = {"extra_http_headers": {"x-teacher": "lesson"}}  # no other test recalls its poll
    profile = profiles(**SCREENS["projector"], **own)
    with visiting(profile, f"{address}/classroom", HEADLINE) as page:
        yield page


def expect_step(page: Any, number: int) -> None:
    """The bar is there, says the step of that number, and the page leaves room for it."""
    bar, part = page.locator(BAR), SHORT[number]
    expect(bar.locator(".step b")).to_have_text(part.title)
    expect(bar.locator(".home > span")).to_have_text(part.home)
    expect_script(bar, PLACE, [720 - 56, 56])
    wait_until_settled(page)


def onward(page: Any, number: int) -> None:
    """To the next step, which has this number, by the bar."""
    page.locator(BAR).get_by_role("button", name=f"Next: {SHORT[number].title}").click()
    expect_step(page, number)


def begin(page: Any) -> str:
    """Begin the lesson in its plan and open the poll; the poll's code."""
    # With its films the page is at rest: what a cold browser still asks for could lose a click.
    page.locator(".st-key-classroom-epsilon[data-followed]").wait_for()
    wait_until_settled(page)
    page.locator(".st-key-classroom-plan button").click()
    page.locator(".st-key-classroom-track").get_by_text("15 minutes").click()
    expect(page.locator(".st-key-classroom-begin ~ * button")).to_have_count(len(SHORT))
    page.locator(".st-key-classroom-begin button").click()
    page.wait_for_url("**/room")
    expect_step(page, 0)
    expect(page.locator(BAR).locator(".clock")).to_contain_text("of 15 min")
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
    expect(phone.locator(".phone .odds")).to_contain_text("right at most 94 times in 100")
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


def way_in(page: Any) -> tuple[str, str]:
    """The address that phones are told, and the code to type.

    The server of this test answers this machine only, so there is no QR code.
    """
    address = page.locator(".st-key-room-side [data-testid=stCode] code").inner_text()
    return "".join(address.split()), page.locator(".room-code").inner_text()


def presenter_link(page: Any) -> str:
    """The link of the presenter's screen, of what this browser keeps (`ui/test_phones.py`)."""
    kept = json.loads(page.evaluate("localStorage.getItem('caldp.room.held')"))
    return f"{page.url.partition('?')[0]}#presenter={kept['code']}.{kept['key']}"


PRESENTER: Final = {**SCREENS["projector"], "extra_http_headers": {"x-teacher": "presenter"}}
"""The presenter's own browser, in which the lesson goes on when the teacher's is gone."""


def steer(page: Any, profiles: Profiles, link: str, watch: Watch) -> None:
    """A phone with the presenter's link reads the notes, and goes one step on and back."""
    own = profiles(**PRESENTER).new_page()
    own.set_viewport_size(SCREENS["phone"]["viewport"])
    watch.follow(own)
    own.goto(link)
    for button, number in (("next", 1), ("back", 0)):
        own.locator(f".st-key-room-step-{button} button").click()
        expect_step(page, number)
        notes = own.locator(".st-key-room-side")
        expect(notes).to_contain_text(f"Step {number + 1} of {len(SHORT)}: {SHORT[number].title}")
    assert "#" not in own.url
    expect_no_violations(own)
    own.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    own.close()


def regain(page: Any, profiles: Profiles, link: str, number: int, watch: Watch) -> Any:
    """The teacher's browser is gone: another goes on, which knows the presenter's link alone."""
    page.context.close()
    fresh = profiles(**PRESENTER).new_page()
    watch.follow(fresh)
    fresh.goto(link)
    fresh.locator(".st-key-room-leave button").click()
    expect_step(fresh, number)
    assert "#" not in fresh.url
    fresh.locator(BAR).get_by_role("button", name=f"Return to: {SHORT[number].title}").click()
    fresh.wait_for_url("**/classroom*")
    expect_step(fresh, number)
    predict(fresh, "sum")  # as who comes new has not seen what it shows
    return fresh


def expect_station(page: Any, lesson: Lesson) -> None:
    sentence = STATIONS[lesson.station].open(lesson).headline.sentence
    page.locator(HEADLINE, has_text=sentence).first.wait_for()
    wait_until_settled(page)


def predict(page: Any, name: str) -> None:
    """The class guesses before the station is shown; the next press shows it."""
    predicted = page.locator(BAR).locator(".ask")
    expect(predicted.locator("h2")).to_have_text(question(name).text)
    expect(predicted.locator("li")).to_have_text(list(question(name).answers))
    page.locator("body").press("PageDown")
    expect(predicted).to_be_hidden()
    expect_station(page, Lesson(name))


def guess(page: Any, profiles: Profiles, link: str, watch: Watch) -> None:
    """Asked from the station of the step: phones guess, and the right answer is shown to all.

    The bar stays at the step meanwhile, and leads back to it; so does the browser's Back.
    """
    asked = question("sum")
    at = asked.right or 0
    right = asked.answers[at]
    page.get_by_role("button", name="Ask the class first").click()
    page.wait_for_url("**/room*")
    expect_step(page, NOISE)
    page.locator(".st-key-room-ask button").click()
    page.locator(".st-key-room-unprotected button").click()  # guesses are sent as they are
    expect(page.locator(".st-key-room-question h2")).to_have_text([asked.text])
    for number in range(1, PHONES):
        send(link, at, number)
    phone = phone_of(profiles, 0, watch)
    phone.goto(link)
    phone.locator(".phone .answer").nth((at + 1) % asked.k).click()
    phone.locator(".phone .poll .go").click()
    phone.get_by_text("Counted, once").wait_for()
    expect(phone.locator(".phone .right")).to_have_count(0)
    expect(page.locator(".st-key-headline")).to_contain_text([f"{PHONES} guesses are in"])
    expect(page.locator(".board .row.right")).to_have_count(0)
    expect(page.locator(".board .readout b")).to_have_text(["?"] * asked.k)  # who leads is hidden
    page.locator(".st-key-room-show button").click()
    told = f"Of {PHONES} guesses {PHONES - 1} are right: “{right}”."
    expect(page.locator(HEADLINE)).to_have_text([told])
    expect(page.locator(".board .row.right .name")).to_have_text(right)
    expect(phone.locator(".phone .right")).to_have_text(f"The right answer: {right}")
    expect_no_violations(phone)
    phone.close()
    page.locator(BAR).get_by_role("button", name=f"Return to: {SHORT[NOISE].title}").click()
    expect_station(page, Lesson("sum", 10.0))
    expect_step(page, NOISE)
    page.go_back()
    expect(page).to_have_title(re.compile("^Live poll"))
    page.go_back()  # one entry a page, and the bar in step with it
    expect_station(page, Lesson("sum", 10.0))
    expect_step(page, NOISE)


def lesson_file(address: str) -> bytes:
    """The lesson to take home, which the server makes for the first who asks, in some seconds."""
    with urlopen(f"{address}/lesson") as answer:
        return bytes(answer.read())


def end(page: Any, profiles: Profiles, link: str, file: Path, watch: Watch) -> None:
    """Phones are thanked and can take the lesson home; the class's own results stay."""
    phone = phone_of(profiles, 0, watch)
    phone.goto(link)
    page.locator(".st-key-room-side").get_by_text("End the poll").click()
    page.locator(".st-key-room-end button").click()
    thanks = f"Thank you! Your phones sent {2 * PHONES} reports to 2 questions."
    expect(page.locator(HEADLINE)).to_have_text([thanks])
    expect(page.locator(".board .chips li")).to_have_count(PHONES)
    expect(phone.locator(".phone .thanks")).to_be_visible()
    with phone.expect_download(timeout=4 * PATIENCE_MS) as download:
        phone.locator(".phone a.go").click()
    assert download.value.suggested_filename == FILE
    assert download.value.path().read_bytes() == file.read_bytes()
    phone.close()
    page.locator(".st-key-room-fresh button").click()
    expect(page.locator(".st-key-room-open button")).to_be_visible()


def go_back_and_on_by_clicker(page: Any, number: int) -> None:
    page.locator("body").press("PageUp")
    expect_step(page, number - 1)
    page.locator("body").press("PageDown")
    expect_step(page, number)
    expect_script(page.locator(HEADLINE).first, FRAME, "none")


CONFIRMED: Final = "([name, value]) => new URLSearchParams(location.search).get(name) === value"
"""The server has the value: its answer to one slider would take back what another sets before."""


def slide(page: Any, name: str, key: str, lesson: Lesson) -> None:
    page.locator(f".st-key-classroom-{name} input[type=range]").press(key)
    page.wait_for_function(CONFIRMED, arg=[name, LINK.write(lesson)[name]])
    expect_station(page, lesson)


def test_a_lesson_is_held_from_its_plan_to_the_file_that_phones_take_home(
    teacher: Any, profiles: Profiles, address: str, file: Path, watch: Watch
) -> None:
    code = begin(teacher)
    wait_until_settled(teacher)
    link, shown_code = way_in(teacher)
    assert link == f"{address}/room?code={code}"
    own = presenter_link(teacher)
    sent = [report(profiles, link, 0, watch)]
    sent += [send(link, number % 2, number) for number in range(1, PHONES)]
    expect(teacher.locator(".board .chips li")).to_have_text(sent[::-1])
    steer(teacher, profiles, own, watch)
    onward(teacher, 1)
    # The range of a few reports may be all shares, and the headline says so.
    expect(teacher.locator(".st-key-headline")).to_contain_text([f"{PHONES} reports "])
    onward(teacher, NOISE)
    predict(teacher, "sum")
    slide(teacher, "epsilon", "End", Lesson("sum", 10.0))
    guess(teacher, profiles, link, watch)
    teacher = regain(teacher, profiles, own, NOISE, watch)
    onward(teacher, AGAIN)
    predict(teacher, "rappor")
    go_back_and_on_by_clicker(teacher, AGAIN)
    teacher.locator(".st-key-classroom-broken").get_by_text("Forget every night").click()
    teacher.wait_for_url("**broken=1**")
    expect_station(teacher, Lesson("rappor", broken=True))
    teacher.reload()
    expect_step(teacher, AGAIN)
    to_page(teacher, "room")
    expect(teacher.locator(".room-code")).to_contain_text(f"{code[:4]} {code[4:]}")
    eventually_equal(teacher, lambda: way_in(teacher), (link, shown_code))
    expect_no_violations(teacher)  # with the bar
    end(teacher, profiles, link, file, watch)
    teacher.set_viewport_size({"width": 320, "height": 256})  # 1280 at 400 %
    teacher.locator(BAR).get_by_role("button", name="Notes").click()
    teacher.locator(BAR).get_by_role("button", name="End the lesson").click()
    expect(teacher.locator(BAR)).to_have_count(0)
    watch.check()


DOCS = Path(__file__).parents[2] / "docs"
DRAWN = """() => [...document.querySelectorAll('.picture.maps')].every(host =>
    !host.checkVisibility() || host.shadowRoot.querySelector('.stage')?.dataset.painted)"""
"""All maps that are not folded away."""


@pytest.fixture(scope="module")
def file(address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stick") / FILE
    path.write_bytes(lesson_file(address))
    said = re.search(r"one file of ([\d.]+) MB", (DOCS / "lesson.md").read_text("utf-8"))
    assert said is not None
    assert path.stat().st_size / 1e6 == pytest.approx(float(said[1]), abs=0.1)
    return path


OFFLINE_PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "color_scheme": "dark",
}


@contextmanager
def reading(browser: Any, file: Path, **screen: Any) -> Iterator[Any]:
    """The file on a screen, without a network; it asks nobody, and nothing is an error."""
    context = browser.new_context(offline=True, **screen)
    page, watch = context.new_page(), Watch()
    watch.follow(page)
    urls: list[str] = []
    page.on("request", lambda made: urls.append(made.url))
    page.goto(file.as_uri())
    page.wait_for_function(DRAWN)
    yield page
    assert [url for url in urls if not url.startswith(("file:", "data:", "blob:"))] == []
    watch.check()
    context.close()


def to_the_end(page: Any, part: str) -> None:
    """Its slider by keyboard, until its sentence is another."""
    headline = page.locator(f"#{part} .headline h3 >> visible=true")
    before = headline.inner_text()
    slider = page.locator(f"#{part} input[type=range] >> visible=true").first
    slider.focus()
    slider.press("End")
    expect(headline).not_to_have_text(before)
    expect(headline).to_have_count(1)


def charts(page: Any, part: str) -> list[str]:
    """What is drawn in a part, and the alternative texts of it."""
    drawn: list[str] = page.locator(f"#{part} .board").evaluate_all(
        "all => all.map(e => e.innerHTML)"
    )
    return drawn


def test_sliders_move_what_is_said_and_questions_are_marked(browser: Any, file: Path) -> None:
    with reading(browser, file, viewport=DESKTOP) as page:
        assert_answers(page)
        assert_readable(page)


@pytest.mark.thorough  # the same file on another screen
def test_on_a_phone_in_the_dark(browser: Any, file: Path) -> None:
    with reading(browser, file, **OFFLINE_PHONE) as page:
        parts = page.locator("section.part > details")
        opened = parts.evaluate_all("all => all.map(part => part.open)")
        assert opened == [True] + [False] * (3 + len(NAMES))  # the exhibit is first
        page.locator("nav a").nth(1).click()
        page.wait_for_function(DRAWN)
        to_the_end(page, "places")
        page.locator("nav a").nth(3).click()
        expect(page.locator("#attacker h2")).to_be_in_viewport()
        page.wait_for_function(DRAWN)
        to_the_end(page, "attacker")
        assert page.locator("#answers > details").get_attribute("open") is None
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("section.part > details:not([open])").count() == 0
        page.wait_for_function(DRAWN)
        page.locator("input[name=places-0][value='1']").check()
        page.locator("input[name=places-1][value='1']").check()
        page.locator("input[name=places-1][value='0']").last.check()
        assert_readable(page)


WRITTEN: Final = """() => {
    const page = CanvasRenderingContext2D.prototype, write = page.fillText;
    globalThis.written = [];
    page.fillText = function(text, ...at) { written.push(text); write.call(this, text, ...at); };
}"""


def assert_saved(page: Any) -> None:
    """A saved picture has the words of the slider's step, and no address on the reader's disk."""
    page.evaluate(WRITTEN)
    with page.expect_download():
        page.locator("#places").get_by_role("button", name="Picture").click()
    step, written = maps(MAP.with_context(epsilon=20.0)), page.evaluate("written")
    assert isinstance(step.picture, Scene)
    assert set(step.picture.image_lines) <= set(written)
    assert not [text for text in written if "file:" in text]


def assert_answers(page: Any) -> None:
    """To sliders, by the keyboard, and to what is chosen and written."""
    for part in ("places", "answers", "attacker"):
        to_the_end(page, part)
    assert_saved(page)
    for name in NAMES:
        part, (before,) = f"station-{name}", charts(page, f"station-{name}")
        to_the_end(page, part)
        assert charts(page, part) != [before]
        page.locator(f"#{part} input[type=range]").nth(1).press("Home")  # the first goes back
        page.locator(f"#{part} input[type=range]").nth(0).press("ArrowRight")
        page.locator(f"#{part} input[type=range]").nth(0).press("ArrowLeft")
        assert charts(page, part) == [before]
    for name, right in (("places-0", "1"), ("places-1", "0")):
        page.locator(f"input[name={name}][value='{right}']").first.check()
    assert (
        page.locator("#score").inner_text()
        == "1 right at first of 2 answered; 30 questions in all."
    )
    assert (
        page.locator("#places fieldset[data-right=true] .because").inner_text().startswith("Right.")
    )
    page.locator("#own-words").fill("Where the rest is harmless.")
    handed = page.locator("#hand-in").input_value()
    assert "1 of 30 right at first" in handed
    page.locator("#owner").fill("Ada")
    again = page.locator("input[name=places-0][value='0']").first
    again.check()  # the first answer counts, and the last is handed in beside it
    wrong = again.locator("xpath=..").inner_text().strip()
    handed = page.locator("#hand-in").input_value()
    assert "1 of 30 right at first" in handed
    assert f"   last: {wrong} (not right)" in handed
    assert "Name: Ada" in handed
    # By the document itself: headings within a component's shadow are no parts of the page.
    titles = page.evaluate(
        "[...document.querySelectorAll('section.part h2')].map(title => title.innerText)"
    )
    assert page.locator("nav a").all_inner_texts() == titles
    assert "In my own words: Where the rest is harmless." in handed
    page.reload()
    page.wait_for_function(DRAWN)
    assert page.locator("#own-words").input_value() == "Where the rest is harmless."
    # The exhibit's ε is chosen in a fieldset of its own, within its shadow.
    assert page.evaluate("document.querySelectorAll('fieldset input:checked').length") == 2
    assert page.locator("#owner").input_value() == "Ada"
    assert "1 right at first of 2" in page.locator("#score").inner_text()  # still the first


def assert_readable(page: Any) -> None:
    """No rule is broken, and nothing is wider than the screen."""
    expect_no_violations(page)
    words = page.locator("body *").evaluate_all(LAYERS)
    assert {text for *layers, text in words if contrast(*layers) < LEAST} == set()
    assert "Station 7: Shuffling" in {text for *_, text in words}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
