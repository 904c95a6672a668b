"""Lessons of 50 and of 15 minutes in one browser, and the lesson to take home as a file.

The teacher begins it in the lesson plan and goes by the bar, as with a clicker; eight phones join
the poll, report, and guess when asked again: two in browsers, the others by their requests.
The presenter's screen steers it from another browser, and brings it back once the first is gone.
What each page says is compared with what the core computes for the same settings. That each station
breaks is held in `ui/test_classroom.py`.
"""

import json
import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

import pytest

from caldp_ui.adversary import view as attacker_view
from caldp_ui.adversary.page_state import DAYS_MAX, AttackerState, load_data
from caldp_ui.classroom.page import PARTS, STATIONS, TRACKS
from caldp_ui.classroom.page_state import LINK, NAMES, Lesson
from caldp_ui.handout.lesson import FILE, question
from caldp_ui.lesson import steps
from caldp_ui.lesson.steps import LessonStep
from tests.browser.conftest import DESKTOP, SCREENS, Profiles, visiting
from tests.browser.hands import (
    PHONE,
    TAP_THE_COIN,
    Watch,
    eventually_equal,
    expect,
    expect_script,
    open_poll,
)
from tests.browser.test_everybody import LEAST, contrast, expect_no_violations
from tests.browser.test_room import way_in
from tests.servers import PATIENCE_MS, wait_until_settled

pytestmark = pytest.mark.browser
HEADLINE: Final = ".st-key-headline h1"
APPEARS: Final = """([sentences, patience]) => new Promise(done => {
    const end = performance.now() + patience;
    const look = () => {
        const there = [...document.querySelectorAll(".st-key-headline h1")].some(
            each => each.offsetParent && sentences.includes(each.textContent));
        if (there || performance.now() > end) done(there); else requestAnimationFrame(look);
    };
    look();
})"""
"""Whether one of these headlines comes on the screen: looked at in every frame, as films go on."""
FRAME: Final = """h1 => {
    h1.tabIndex = -1;
    h1.focus({focusVisible: true});
    return getComputedStyle(h1).outlineStyle;
}"""
"""The frame of a headline that the keyboard has come to."""
BAR: Final = ".st-key-lesson-bar .lesson"
PLACE: Final = "e => (({y, height}) => [y, height])(e.getBoundingClientRect())"
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


def expect_step(page: Any, number: int, parts: tuple[LessonStep, ...] = PARTS) -> None:
    """The bar is there, says the step of that number, and the page leaves room for it."""
    bar, part = page.locator(BAR), parts[number]
    expect(bar.locator(".step b")).to_have_text(part.title)
    expect(bar.locator(".home > span")).to_have_text(part.home)
    expect_script(bar, PLACE, [720 - 56, 56])
    wait_until_settled(page)


def onward(page: Any, title: str, parts: tuple[LessonStep, ...] = PARTS) -> None:
    """To the next step, which has this title, by the bar."""
    page.locator(BAR).get_by_role("button", name=f"Next: {title}").click()
    expect_step(page, [part.title for part in parts].index(title), parts)


def begin(page: Any, minutes: int = steps.MINUTES) -> str:
    """Begin the lesson of that length in its plan and open the poll; the poll's code."""
    # With its films the page is at rest: what a cold browser still asks for could lose a click.
    page.locator(".st-key-classroom-epsilon[data-followed]").wait_for()
    wait_until_settled(page)
    page.locator(".st-key-classroom-plan button").click()
    if minutes != steps.MINUTES:
        page.locator(".st-key-classroom-track").get_by_text(f"{minutes} minutes").click()
        expect(page.locator(".st-key-classroom-begin ~ * button")).to_have_count(
            len(TRACKS[minutes])
        )
    page.locator(".st-key-classroom-begin button").click()
    page.wait_for_url("**/room")
    expect_step(page, 0, TRACKS[minutes])
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
        expect(notes).to_contain_text(f"Step {number + 1} of {len(PARTS)}: {PARTS[number].title}")
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
    predict(page, name)
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


def predict(page: Any, name: str) -> None:
    """The class guesses before the station is shown; the next press shows it."""
    predicted = page.locator(BAR).locator(".ask")
    expect(predicted.locator("h2")).to_have_text(question(name).text)
    expect(predicted.locator("li")).to_have_text(list(question(name).answers))
    page.locator("body").press("PageDown")
    expect(predicted).to_be_hidden()
    expect_station(page, Lesson(name))


def ask_adversary(page: Any) -> None:
    onward(page, "What an attacker learns")
    stage = page.locator(".st-key-adversary-maps .stage")
    stage.locator(".pane:visible .frame").first.click(position={"x": 250, "y": 90})
    page.wait_for_function("location.search.includes('place=')")
    wait_until_settled(page)
    place = int(page.evaluate("new URLSearchParams(location.search).get('place')"))
    days = [AttackerState(place=place, days=each) for each in range(DAYS_MAX + 1)]
    by_day = [attacker_view.headline(load_data(each)).sentence for each in days]
    now, last = by_day[AttackerState().days], by_day[-1]
    play = page.locator(".st-key-adversary-days .stage-play")
    box = play.bounding_box()
    assert box["y"] + box["height"] < 720 - 56  # the bar lies over no part of it
    assert box["height"] >= 48
    assert play.inner_text() == "Play"
    play.click()
    assert page.evaluate(APPEARS, [[by_day[0]], PATIENCE_MS])  # before any report
    assert page.evaluate(APPEARS, [[each for each in by_day if each != now], PATIENCE_MS])
    page.locator(".st-key-adversary-days input[type=range]").press("End")  # it plays for 10 s
    assert page.evaluate(APPEARS, [[last], PATIENCE_MS])


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
    expect(page.locator(".st-key-room-question h2")).to_have_text([asked.text])
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
    expect_no_violations(phones[0])
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


def lesson_file(address: str) -> bytes:
    """The lesson to take home, which the server makes for the first who asks, in some seconds."""
    with urlopen(f"{address}/lesson") as answer:
        return bytes(answer.read())


def end(page: Any, profiles: Profiles, link: str, file: Future[bytes], watch: Watch) -> None:
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
    assert download.value.path().read_bytes() == file.result()
    phone.close()
    page.locator(".st-key-room-fresh button").click()
    expect(page.locator(".st-key-room-open button")).to_be_visible()


def go_back_and_on_by_clicker(page: Any, number: int) -> None:
    page.locator("body").press("PageUp")
    expect_step(page, number - 1)
    page.locator("body").press("PageDown")
    expect_step(page, number)
    expect_script(page.locator(HEADLINE).first, FRAME, "none")


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
    with ThreadPoolExecutor(1) as beside:
        file = beside.submit(lesson_file, address)  # while the lesson goes on
        hold_the_rest(teacher, profiles, (link, own, qr), file, watch)
    watch.check()


def hold_the_rest(
    teacher: Any, profiles: Profiles, links: tuple[str, str, str], file: Future[bytes], watch: Watch
) -> None:
    """From the attacker to the poll's end; `links`: of phones, the presenter, and the QR code."""
    link, own, qr = links
    code = link.partition("code=")[2]
    ask_adversary(teacher)
    name_the_bug(teacher)
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
    eventually_equal(teacher, lambda: way_in(teacher), (link, qr))
    expect_no_violations(teacher)  # with the bar
    end(teacher, profiles, link, file, watch)
    teacher.set_viewport_size({"width": 320, "height": 256})  # 1280 at 400 %
    teacher.locator(BAR).get_by_role("button", name="Notes").click()
    teacher.locator(BAR).get_by_role("button", name="End the lesson").click()
    expect(teacher.locator(BAR)).to_have_count(0)


SHORT: Final = TRACKS[15]


CONFIRMED: Final = "([name, value]) => new URLSearchParams(location.search).get(name) === value"
"""The server has the value: its answer to one slider would take back what another sets before."""


def slide(page: Any, name: str, key: str, lesson: Lesson) -> None:
    page.locator(f".st-key-classroom-{name} input[type=range]").press(key)
    page.wait_for_function(CONFIRMED, arg=[name, LINK.write(lesson)[name]])
    expect_station(page, lesson)


@pytest.mark.thorough  # the bar, phones and stations of the whole lesson, on a shorter track
def test_the_lesson_of_15_minutes(profiles: Profiles, address: str, watch: Watch) -> None:
    """Coin, estimate, ε and people, repetition: held by its own bar, with four phones."""
    own = {"extra_http_headers": {"x-teacher": "short lesson"}}
    page = profiles(**SCREENS["projector"], **own).new_page()
    watch.follow(page)
    page.goto(f"{address}/classroom")
    page.locator(HEADLINE).wait_for()
    wait_until_settled(page)
    link = f"{address}/room?code={begin(page, 15)}"
    expect(page.locator(BAR).locator(".clock")).to_contain_text("of 15 min")
    sent = [report(profiles, link, 100, watch), *(send(link, i % 2, 100 + i) for i in (1, 2, 3))]
    expect(page.locator(".board .chips li")).to_have_text(sent[::-1])
    onward(page, "The estimate", SHORT)
    expect(page.locator(".st-key-headline")).to_contain_text(["4 reports "])
    onward(page, "How much noise", SHORT)
    predict(page, "sum")
    for key, epsilon in (("Home", 0.1), ("End", 10.0)):
        slide(page, "epsilon", key, Lesson("sum", epsilon))
    slide(page, "n", "End", Lesson("sum", 10.0, n=10**9))
    onward(page, "Asked again and again", SHORT)
    predict(page, "rappor")
    slide(page, "days", "End", Lesson("rappor", days=60))
    page.locator(".st-key-classroom-broken").get_by_text("Forget every night").click()
    page.wait_for_url("**broken=1**")
    expect_station(page, Lesson("rappor", days=60, broken=True))
    page.locator(BAR).locator(".back").click()
    expect_step(page, 2, SHORT)
    page.locator(BAR).get_by_role("button", name="Notes").click()
    page.locator(BAR).get_by_role("button", name="End the lesson").click()
    expect(page.locator(BAR)).to_have_count(0)
    watch.check()


DOCS = Path(__file__).parents[2] / "docs"
DRAWN = """() => [...document.querySelectorAll('.picture.maps')].every(host =>
    !host.checkVisibility() || host.shadowRoot.querySelector('.stage')?.dataset.painted)"""
"""All maps that are not folded away."""
WORDS = """() => {
    const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = colour => {
        probe.clearRect(0, 0, 1, 1); probe.fillStyle = colour; probe.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const above = e => e.parentElement ?? e.getRootNode().host;
    const ground = e => {
        for (let at = e; at; at = above(at)) {
            const colour = rgba(getComputedStyle(at).backgroundColor);
            if (colour[3] === 1) return colour.slice(0, 3);
        }
    };
    const found = [];
    const walk = root => {
        for (const e of root.querySelectorAll('*')) {
            if (e.shadowRoot) walk(e.shadowRoot);
            const words = [...e.childNodes].filter(n => n.nodeType === 3 && n.data.trim());
            if (!words.length || e.disabled) continue;
            if (!e.checkVisibility({visibilityProperty: true})) continue;
            if (e.closest('script, style, option, title, defs')) continue;
            const style = getComputedStyle(e), isDrawn = e instanceof SVGElement;
            const text = rgba(isDrawn ? style.fill : style.color);
            let seen = text[3] * (isDrawn ? Number(style.fillOpacity) : 1);
            for (let at = e; at; at = above(at)) seen *= Number(getComputedStyle(at).opacity);
            found.push([text.slice(0, 3), ground(e), seen, words[0].data.trim()]);
        }
    };
    walk(document.body);
    return found;
}"""
"""Every text on the page: its colour, that of its ground, how opaque it is, and its first words."""


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


def test_on_a_phone_in_the_dark(browser: Any, file: Path) -> None:
    with reading(browser, file, **OFFLINE_PHONE) as page:
        to_the_end(page, "places")
        parts = page.locator("section.part > details")
        opened = parts.evaluate_all("all => all.map(part => part.open)")
        assert opened == [True] + [False] * (2 + len(NAMES))
        page.locator("nav a").nth(2).click()
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


def assert_answers(page: Any) -> None:
    """To sliders, by the keyboard, and to what is chosen and written."""
    for part in ("places", "answers", "attacker"):
        to_the_end(page, part)
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
    titles = page.locator("section.part h2").all_inner_texts()
    assert page.locator("nav a").all_inner_texts() == titles
    assert "In my own words: Where the rest is harmless." in handed
    page.reload()
    page.wait_for_function(DRAWN)
    assert page.locator("#own-words").input_value() == "Where the rest is harmless."
    assert page.locator("fieldset input:checked").count() == 2
    assert page.locator("#owner").input_value() == "Ada"
    assert "1 right at first of 2" in page.locator("#score").inner_text()  # still the first


def assert_readable(page: Any) -> None:
    """No rule is broken, and nothing is wider than the screen."""
    expect_no_violations(page)
    words = page.evaluate(WORDS)
    assert {text for *layers, text in words if contrast(*layers) < LEAST} == set()
    assert "Station 7: Shuffling" in {text for *_, text in words}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
