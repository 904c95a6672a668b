"""The page by keyboard and by ear: where the keys lead, what has the focus, and what is spoken."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.browser import wait_until_settled
from tests.browser.conftest import SCREENS, OpenLink, Profiles, visiting
from tests.browser.hands import HEADLINE, TABS, button, expect

pytestmark = pytest.mark.browser
YES = ".st-key-yesno-epsilon_10"


def middle(of: Any) -> float:
    """Where an element is from left to right, in pixels."""
    box = of.bounding_box()
    return float(box["x"] + box["width"] / 2)


def open_yesno(open_link: OpenLink) -> Any:
    """The page at rest: at first elements come that have neither focus nor panel."""
    page = open_link("yesno", f"{YES} input", **SCREENS["projector"])
    wait_until_settled(page)
    return page


def test_in_an_arabic_browser_the_right_arrow_raises_epsilon(open_link: OpenLink) -> None:
    page = open_link("yesno", f"{YES} input", locale="ar-EG", **SCREENS["projector"])
    slider = page.locator(f"{YES} input")
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "∞")
    ends = page.locator(f"{YES} [data-testid=stSliderTickBar] > *")
    thumb = page.locator(f"{YES} [data-testid=stSliderThumbValue]")
    assert abs(middle(thumb) - middle(ends.last)) < abs(middle(thumb) - middle(ends.first))
    slider.press("Home")
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "0.2")


def test_skip_to_main_content_skips_the_tabs(open_link: OpenLink) -> None:
    page = open_yesno(open_link)
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1:focus")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(page.locator(".st-key-yesno-switch :focus")).to_be_visible()


def test_a_new_headline_is_spoken_once_and_that_of_a_page_that_comes_is_not(
    open_link: OpenLink,
) -> None:
    page = open_yesno(open_link)
    spoken = page.locator("body > [role=status]")
    expect(spoken).to_have_text("")
    page.locator(f"{YES} input").press("Home")
    expect(spoken).not_to_have_text("")
    words = page.locator(f"{HEADLINE} > *").all_inner_texts()
    expect(spoken).to_have_text(" ".join(words))


def test_a_panel_that_a_key_opens_has_the_focus_until_escape(open_link: OpenLink) -> None:
    page = open_yesno(open_link)
    button = page.locator("[data-testid=stPopoverButton]:visible").first
    panel = page.locator("[data-testid=stPopoverBody]")
    button.press("Enter")
    expect(panel).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(button).to_be_focused()
    button.click()
    expect(panel).to_be_visible()
    expect(panel).not_to_be_focused()


RELEASED = "released"


class SlowSocket:
    """A socket by which the server's answers reach the browser only when they are released."""

    def __init__(self) -> None:
        self.is_slow = False
        self._held: list[Any] = []

    def connect(self, route: Any) -> None:
        self._route = route
        route.connect_to_server().on_message(self._answer)

    def _answer(self, message: Any) -> None:
        if self.is_slow:
            self._held.append(message)
        else:
            self._route.send(message)

    def whole_runs(self) -> int:
        """How many ends of runs are among what is held."""
        kinds = [ForwardMsg.FromString(each).WhichOneof("type") for each in self._held]
        return kinds.count("script_finished")

    def release(self) -> None:
        """Send what is held, then a title; what comes later is held again, while it `is_slow`."""
        title = ForwardMsg()
        title.page_config_changed.title = RELEASED
        held, self._held = [*self._held, title.SerializeToString()], []
        for message in held:
            self._route.send(message)


@pytest.fixture
def slow(profiles: Profiles, address: str) -> Iterator[tuple[Any, SlowSocket]]:
    """A page at rest, and its socket."""
    socket = SlowSocket()
    profile = profiles(**SCREENS["projector"], extra_http_headers={"x-socket": "slow"})
    profile.route_web_socket(re.compile("/_stcore/stream"), socket.connect)
    with visiting(profile, f"{address}/yesno", f"{YES} input") as page:
        wait_until_settled(page)
        yield page, socket


@pytest.mark.parametrize(
    "toggle", ["[data-testid=stPopoverButton]", "[data-testid=stExpander] summary"]
)
def test_a_late_answer_reopens_nothing(slow: tuple[Any, SlowSocket], toggle: str) -> None:
    page, socket = slow
    socket.is_slow = True
    page.locator(f"{toggle}:visible").first.press("Enter")
    opened = page.locator(
        "[data-testid=stPopoverBody], [data-testid=stExpanderDetails]:not([inert])"
    )
    expect(opened).to_have_count(1)
    while not socket.whole_runs():
        page.wait_for_timeout(15)
    page.keyboard.press("Escape" if "Popover" in toggle else "Enter")
    expect(opened).to_have_count(0)
    socket.release()
    expect(page).to_have_title(RELEASED)
    page.wait_for_timeout(500)  # it is drawn some frames later
    expect(opened).to_have_count(0)
    socket.is_slow = False
    socket.release()
    wait_until_settled(page)
    expect(opened).to_have_count(0)


def test_panel_that_a_mouse_opened_is_not_entered_where_a_late_answer_closes_it(
    slow: tuple[Any, SlowSocket],
) -> None:
    page, socket = slow
    button = page.locator("[data-testid=stPopoverButton]:visible").first
    panel = page.locator("[data-testid=stPopoverBody]")
    socket.is_slow = True
    button.press("Enter")
    expect(panel).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    while socket.whole_runs() < 2:
        page.wait_for_timeout(15)
    button.click()
    expect(panel).to_be_visible()
    expect(panel).not_to_be_focused()
    for _ in range(3):  # each answer may be undone, which the server answers again
        socket.release()
        page.wait_for_timeout(300)
    socket.is_slow = False
    socket.release()
    wait_until_settled(page)
    expect(panel).to_be_visible()
    expect(panel).not_to_be_focused()


def test_what_a_run_takes_away_leaves_the_focus_on_the_headline(open_link: OpenLink) -> None:
    page = open_yesno(open_link)
    alike = button(page, "yesno-alike")
    alike.press("Enter")
    expect(alike).to_be_disabled()
    expect(page.locator("h1:focus")).to_have_count(1)
    page.locator(f"{TABS} .open a[href$='/distances']").press("Enter")
    expect(page).to_have_title("Privacy by distance · caldp")
    expect(page.locator("h1:focus")).to_have_count(1)


REPLACE = "button => button.replaceWith(button.cloneNode(true))"
PRESS = "document.body.dispatchEvent(new Event('pointerdown', {bubbles: true}))"
REST = "document.dispatchEvent(new Event('caldp:rest'))"


def test_what_is_drawn_anew_has_the_focus_again_unless_a_hand_let_go(open_link: OpenLink) -> None:
    page = open_yesno(open_link)
    another = button(page, "yesno-another")
    another.focus()
    another.evaluate(REPLACE)
    page.evaluate(REST)
    expect(another).to_be_focused()
    page.evaluate(PRESS)
    another.evaluate(REPLACE)
    page.evaluate(REST)
    assert page.evaluate("document.activeElement === document.body")
