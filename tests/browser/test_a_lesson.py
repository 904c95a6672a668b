"""A lesson of 50 minutes as `docs/lesson.md` has it, in one browser and from the pages alone.

The teacher's tab goes by the buttons of "Plan of a lesson"; a phone joins the poll and reports.
What each page says is compared with what the core computes for the same settings.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import pytest

from benchmarks.browser import settled
from caldp_ui.adversary import words as onlooker_words
from caldp_ui.adversary.beliefs import shown
from caldp_ui.adversary.slot import DAYS_MAX, Suspect
from caldp_ui.classroom.slot import NAMES, Lesson
from caldp_ui.classroom.stations import STATIONS
from tests.browser.conftest import Profiles
from tests.browser.hands import expect
from tests.browser.test_phone import PHONE
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
SAID: Final = ".st-key-classroom-said p"
_BROKEN: Final[dict[str, Lesson]] = {
    "trust": Lesson("trust", broken=True),
    "sum": Lesson("sum", n=10**9, broken=True),
    "selection": Lesson("selection", items=1024, broken=True),
    "rappor": Lesson("rappor", days=60, broken=True),
    "bits": Lesson("bits", broken=True),
    "means": Lesson("means", width=240, broken=True),
    "shuffling": Lesson("shuffling", blocks=100, broken=True),
}
"""What each station shows at the end of its minutes."""
_ENDS: Final = {
    "sum": "n",
    "selection": "items",
    "rappor": "days",
    "means": "width",
}
"""Dials that the plan moves to their last step."""


@pytest.fixture(scope="module")
def teacher(profiles: Profiles, address: str) -> Iterator[Any]:
    watch = Watch()
    page = profiles(viewport={"width": 1280, "height": 720}).new_page()
    watch.follow(page)
    page.goto(f"{address}/classroom")
    page.locator(SAID).wait_for()
    settled(page)
    yield page
    page.close()
    watch.check()


def follow(page: Any, title: str) -> None:
    """By the plan, wherever the class is now."""
    if "/classroom" not in page.url:
        page.locator("header a", has_text="Classroom").first.click()
        page.wait_for_url("**/classroom**")
    settled(page)
    page.locator(".st-key-classroom-plan button").click()
    page.locator("[role=dialog] button", has_text=f"· {title}").click()
    page.locator("[role=dialog]").wait_for(state="hidden")
    settled(page)


def open_room(page: Any) -> str:
    follow(page, "Ask the room")
    page.locator(".st-key-room-open button").click()
    code = page.locator(".room-code").inner_text().split()[-1]
    return str(code)


def report(profiles: Profiles, address: str, code: str, watch: Watch) -> str:
    """A phone joins, answers and shows what it sent."""
    phone = profiles(**PHONE, extra_http_headers={"x-phone": "lesson"}).new_page()
    watch.follow(phone)
    phone.goto(f"{address}/room?code={code}")
    phone.locator(".phone .answer").first.click()
    phone.locator(".phone .go").click()
    phone.get_by_text("Counted, once").wait_for()
    sent = phone.locator(".phone .said strong").inner_text()
    expect(phone.locator(".phone .why")).to_contain_text("You can deny it")
    phone.close()
    return str(sent)


def expect_station(page: Any, lesson: Lesson) -> None:
    said = STATIONS[lesson.station].open(lesson).take_home.replace("**", "")
    page.locator(SAID, has_text=said).wait_for()
    settled(page)


def break_station(page: Any, name: str) -> None:
    """As the plan has it: the dial to its end, then "Try to break it"."""
    follow(page, f"{NAMES.index(name) + 1} {STATIONS[name].title}")
    lesson = _BROKEN[name]
    expect_station(page, Lesson(name))
    if name in _ENDS:
        page.locator(f".st-key-classroom-{_ENDS[name]} input[type=range]").press("End")
    if name == "shuffling":
        for _ in range(3):
            before = page.url
            page.locator(".st-key-classroom-blocks input[type=range]").press("ArrowRight")
            # One after the other: the server's answer to the first takes a second one back.
            page.wait_for_function("before => location.href !== before", arg=before)
            settled(page)
    expect_station(page, replace(lesson, broken=False))
    page.get_by_text(STATIONS[name].naive[0]).click()
    expect_station(page, lesson)
    if name == "rappor":
        page.get_by_text("All phones").click()
        expect_station(page, replace(lesson, broken=False, view="crowd"))


def ask_adversary(page: Any) -> None:
    follow(page, "What an adversary learns")
    stage = page.locator(".st-key-adversary-maps .stage")
    stage.locator(".pane:visible .frame").first.click(position={"x": 250, "y": 90})
    page.wait_for_function("location.search.includes('place=')")
    settled(page)
    place = int(page.evaluate("new URLSearchParams(location.search).get('place')"))
    stage.get_by_role("button", name="Play").click()
    said = onlooker_words.headline(shown(Suspect(place=place, days=DAYS_MAX))).replace("*", "")
    expect(page.locator(".st-key-headline")).to_have_text(said)


def name_the_bug(page: Any) -> None:
    follow(page, "The privacy matrix")
    headline = page.locator(".st-key-headline")
    expect(headline).to_contain_text("The channel breaks 20 of 20 promises")
    expect(headline).to_contain_text("1.05 instead of 1. Witness:")
    expect(page.get_by_text("The bug goes unseen in the test")).to_be_visible()


def test_the_whole_lesson(teacher: Any, profiles: Profiles, address: str, watch: Watch) -> None:
    code = open_room(teacher)
    sent = report(profiles, address, code, watch)
    expect(teacher.locator(".board .chips li")).to_have_text([sent])
    for name in NAMES:
        break_station(teacher, name)
    steps: tuple[Callable[[Any], None], ...] = (ask_adversary, name_the_bug)
    for step in steps:
        step(teacher)
    follow(teacher, "Places on a map")
    teacher.locator(".st-key-places-maps .stage[data-painted]").wait_for()
    follow(teacher, "Back to the room")
    expect(teacher.locator(".room-code")).to_contain_text(code)
    expect(teacher.locator(".st-key-headline")).to_contain_text("1 report says")
    teacher.get_by_text("End the room").click()
    teacher.locator(".st-key-room-end button").click()
    expect(teacher.locator(".st-key-room-open button")).to_be_visible()
    watch.check()
