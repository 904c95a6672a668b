"""A film that runs along a slider of the page: its pictures come before the server answers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import streamlit

from tests.browser.hands import Hand, expect
from tests.servers import wait_until_settled

pytestmark = pytest.mark.browser
LEVELS = (0.5, 1.0, 2.0, 4.0)
SLIDER = ".st-key-level input[type=range]"


def sentence(epsilon: float) -> str:
    return f"As computed for ε = {epsilon:g}."


def level(hand: Hand) -> float:
    texts = hand.page.locator(SLIDER).evaluate_all(
        "all => all.map(each => each.getAttribute('aria-valuetext'))"
    )
    cause = "stage/web/dial.js hears an input[type=range] that has the slider's words as"
    cause += f" aria-valuetext; Streamlit {streamlit.__version__} has {texts} instead."
    assert texts in [[f"{each:g}"] for each in LEVELS], cause
    return float(texts[0])


@contextmanager
def hold_at(hand: Hand, wanted: float) -> Iterator[None]:
    """The page's slider drawn to a level and not let go of before the end."""
    hand.page.locator(".st-key-level").scroll_into_view_if_needed()
    box, mouse = hand.page.locator(".st-key-level [role=group]").bounding_box(), hand.page.mouse
    across = min(LEVELS.index(wanted) / (len(LEVELS) - 1), 0.98)
    mouse.move(box["x"] + across * (box["width"] - 12) + 6, box["y"] + box["height"] / 2)
    mouse.down()
    hand.page.wait_for_function(
        f"text => document.querySelector('{SLIDER}')?.getAttribute('aria-valuetext') === text",
        arg=f"{wanted:g}",
    )
    yield
    mouse.up()


def rest_at(hand: Hand, wanted: float) -> list[str]:
    """The slider moved there by keys; the pictures that the server then shows."""
    while (at := level(hand)) != wanted:
        hand.page.locator(SLIDER).press("ArrowRight" if wanted > at else "ArrowLeft")
        # One after the other: the server's answer to the first takes a second one back.
        server_says(hand, LEVELS[LEVELS.index(at) + (1 if wanted > at else -1)])
    return server_says(hand, wanted)


def server_says(hand: Hand, wanted: float) -> list[str]:
    """The pictures once the page's own sentence, which the film covers, is that of the level."""
    hand.page.wait_for_function(
        """text => [...document.querySelectorAll(".st-key-sentence p")].length === 1
            && document.querySelector(".st-key-sentence p")?.textContent === text
            && !document.querySelector(".st-key-sentence p").style.display""",
        arg=sentence(wanted),
    )
    wait_until_settled(hand.page)
    return hand.pictures()


def expect_pictures(hand: Hand, as_wanted: Callable[[list[str]], bool]) -> list[str]:
    """The pictures once they are as wanted: they are painted a frame after they are known."""
    for _ in range(1200):
        if as_wanted(found := hand.pictures()):
            return found
        hand.page.wait_for_timeout(100)
    raise AssertionError("The pictures do not become what they should be.")


@pytest.fixture(autouse=True)
def begin_at_1(hand: Hand) -> Iterator[None]:
    yield
    rest_at(hand, 1.0)
    hand.page.locator(".st-key-sentence").scroll_into_view_if_needed()


def test_streamlits_slider_says_its_words_where_the_stage_listens(hand: Hand) -> None:
    assert level(hand) in LEVELS


def test_the_film_never_shows_a_level_under_the_name_of_another(hand: Hand) -> None:
    before = hand.pictures()
    with hold_at(hand, 2.0):
        assert hand.pictures() == before, "there is no such step in the film"
        expect(hand.page.locator(".st-key-sentence p:visible")).to_have_text(sentence(1.0))
    after = server_says(hand, 2.0)
    assert after[1:] != before[1:]
    # The film has no step for the scene's own level, so nothing says that it is of this scene.
    with hold_at(hand, 4.0):
        assert hand.pictures() == after
    server_says(hand, 4.0)


def test_back_where_it_began_the_hand_has_the_page_s_own(hand: Hand) -> None:
    before = hand.pictures()
    slider = hand.page.locator(SLIDER)
    slider.press("ArrowLeft")
    slider.press("ArrowRight")
    expect_pictures(hand, lambda now: now == before)
    rest_at(hand, 1.0)
    expect_pictures(hand, lambda now: now == before)


def test_a_film_of_other_coins_is_not_followed(hand: Hand) -> None:
    first = hand.pictures()
    hand.ask("Another")
    expect_pictures(hand, lambda now: all(a != b for a, b in zip(now[1:], first[1:], strict=True)))
    wait_until_settled(hand.page)
    before = hand.pictures()
    with hold_at(hand, 4.0):
        assert hand.pictures() == before
    server_says(hand, 4.0)
    rest_at(hand, 1.0)
    hand.ask("First")
    expect_pictures(hand, lambda now: now == first)


def test_play_stops_for_the_page_s_slider(hand: Hand) -> None:
    choice = hand.page.get_by_label("What changes")
    choice.select_option("levels")
    expect(hand.page.locator(".film input")).to_be_hidden()
    hand.press("Play")
    with hold_at(hand, 4.0):
        expect(hand.page.locator(".step")).to_have_text("ε = 4")
        expect(hand.page.locator(".stage").get_by_role("button", name="Play")).to_be_visible()
    server_says(hand, 4.0)
    choice.select_option("epsilon")
