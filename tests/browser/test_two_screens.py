"""A lesson on two screens, the teacher's and the projector's, and a clicker that never stops."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from caldp_ui.classroom.page import TRACKS
from caldp_ui.handout.lesson import question
from tests.browser.conftest import DESKTOP, SCREENS, Profiles
from tests.browser.hands import Watch, expect, expect_script, open_poll
from tests.servers import wait_until_settled

pytestmark = pytest.mark.browser
BAR: Final = ".st-key-lesson-bar .lesson"
STEPS: Final = TRACKS[50]
TITLES: Final = [step.title for step in STEPS]
SLIDER: Final = ".st-key-classroom-{} input[type=range]"
HEARS: Final = """slider => {
    window.heardKeys = [];
    slider.addEventListener("keydown", ({key}) => window.heardKeys.push(key));
}"""
"""Notes the keys of which a slider hears."""
SCROLLED: Final = "() => document.querySelector('[data-testid=stMain]').scrollTop"


@pytest.fixture
def projector(profiles: Profiles, address: str, watch: Watch) -> Iterator[Any]:
    """The projector's window, at the first step of the lesson of 50 minutes, with its poll open."""
    profile = profiles(**SCREENS["projector"], extra_http_headers={"x-teacher": "two screens"})
    page = profile.new_page()
    watch.follow(page)
    page.goto(f"{address}/classroom")
    page.locator(".st-key-classroom-epsilon[data-followed]").wait_for()
    wait_until_settled(page)
    page.locator(".st-key-classroom-plan button").click()
    page.locator(".st-key-classroom-begin button").click()
    page.wait_for_url("**/room")
    expect_step(page, 0)
    open_poll(page)
    yield page
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    page.close()
    watch.check()


def expect_step(page: Any, number: int) -> None:
    expect(page.locator(f"{BAR} .step b")).to_have_text(TITLES[number])
    wait_until_settled(page)


def click(page: Any, name: str) -> None:
    """A press of the clicker, wherever the focus is."""
    page.keyboard.press(name)


def test_the_clicker_goes_on_while_a_slider_or_a_switch_has_the_focus(projector: Any) -> None:
    click(projector, "PageDown")
    expect_step(projector, 1)
    expect(projector.locator(f"{BAR} .ask")).to_be_visible()
    click(projector, "PageDown")
    expect(projector.locator(f"{BAR} .ask")).to_be_hidden()
    slider = projector.locator(SLIDER.format("epsilon"))
    slider.focus()
    slider.evaluate(HEARS)
    before = slider.get_attribute("aria-valuetext")
    click(projector, "ArrowRight")  # the slider's own key
    expect(slider).not_to_have_attribute("aria-valuetext", before)
    click(projector, "PageDown")
    expect_step(projector, 2)
    expect_script(projector, "() => window.heardKeys", ["ArrowRight"])
    click(projector, "PageUp")
    expect_step(projector, 1)
    projector.locator(".st-key-classroom-broken input").focus()
    click(projector, "PageDown")
    expect_step(projector, 2)


def test_a_step_is_seen_from_its_top(projector: Any) -> None:
    projector.set_viewport_size({"width": 1280, "height": 400})
    main = projector.locator("[data-testid=stMain]")
    main.evaluate("main => main.scrollTo(0, 300)")
    expect_script(projector, f"({SCROLLED})() > 0", True)
    click(projector, "PageDown")
    expect_step(projector, 1)
    expect_script(projector, SCROLLED, 0)


def own_screen(projector: Any, watch: Watch) -> Any:
    """The teacher's own screen: a second window of the same browser."""
    own = projector.context.new_page()
    own.set_viewport_size(DESKTOP)
    watch.follow(own)
    own.goto(f"{projector.url.partition('?')[0]}#presenter")
    expect_notes(own, 0)
    wait_until_settled(own)
    return own


def expect_notes(own: Any, number: int) -> None:
    """Wait until the own screen's notes are those of step `number`, counted from 0.

    They follow within a second; a click before that hands over the question that is still there.
    """
    own.locator(".st-key-room-side").get_by_text(f"Step {number + 1} of {len(STEPS)}").wait_for()


def ask_on(own: Any) -> None:
    """Ask the guess that is in the form of the teacher's screen."""
    own.locator(".st-key-room-ask button").click()
    own.locator(".st-key-room-unprotected button").click()


def test_what_is_pressed_on_either_screen_both_know(projector: Any, watch: Watch) -> None:
    projector.locator(".st-key-room-projector button:visible").click()
    own = own_screen(projector, watch)
    shown = projector.locator(".st-key-room-question")
    own.locator(".st-key-room-step-next button").click()
    expect_step(projector, 1)

    # The projector's "Ask the phones": the draft is on the own screen, which asks it.
    projector.locator(BAR).get_by_role("button", name="Ask the phones").click()
    projector.wait_for_url("**/room*")
    expect(projector.get_by_text("The next question is on your own screen")).to_be_visible()
    expect(own.locator(".st-key-room-text input")).to_have_value(question("trust").text)
    ask_on(own)
    expect(shown).to_have_text(question("trust").text)
    expect(own.locator(".st-key-room-question")).to_have_text(question("trust").text)
    expect(projector.get_by_text("The next question is on your own screen")).to_be_hidden()

    # The own screen leads back to the step, and from there to the poll.
    own.locator(".st-key-room-to-step button").click()
    projector.wait_for_url("**/classroom*")
    expect_step(projector, 1)
    own.locator(".st-key-room-to-poll button").click()
    projector.wait_for_url("**/room*")

    # The own screen's "Ask the phones", and the classroom's "Ask the class first".
    own.locator(".st-key-room-step-next button").click()
    expect_step(projector, 2)
    expect_notes(own, 2)
    own.locator(".st-key-room-step-ask button").click()
    projector.wait_for_url("**/room*")
    expect(own.locator(".st-key-room-text input")).to_have_value(question("sum").text)
    ask_on(own)
    expect(shown).to_have_text(question("sum").text)
    own.locator(".st-key-room-step-next button").click()
    expect_step(projector, 3)
    projector.locator(BAR).get_by_role("button", name=f"Show: {TITLES[3]}").click()
    projector.locator(".st-key-classroom-ask button:visible").click()
    projector.wait_for_url("**/room*")
    expect(own.locator(".st-key-room-text input")).to_have_value(question("selection").text)
    own.close()
