"""The start page's exhibit in a browser: dragging, the truth, the pin, the card and the history."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image

from caldp_core.basics.types import no_progress
from caldp_ui.offline.document import document
from caldp_ui.start import exhibit, page
from caldp_ui.start.page_state import StartState
from tests.browser.conftest import SCREENS, OpenLink
from tests.browser.first_screen import SCREENS as SIZES
from tests.browser.first_screen import fullness
from tests.browser.hands import TABS, eventually, expect, is_outside
from tests.servers import wait_until_settled

pytestmark = pytest.mark.browser
READY = ".exhibit[data-ready]"
CALM = {"reduced_motion": "reduce"}
SLIDER = ".exhibit .curve input"
SENTENCE = ".exhibit .sentence"
MAP = ".exhibit .all canvas"
YOU = ".exhibit .you canvas"
PIXELS = "canvas => canvas.toDataURL()"
NAMES = exhibit.size_names()
WRONG = exhibit.content()["wrong"]
ODDS = exhibit.content()["odds"]


@pytest.fixture
def start(open_link: OpenLink) -> Iterator[Any]:
    """The start page on a projector, without motion."""
    return open_link("", READY, **SCREENS["projector"], **CALM)


def expect_at(page: Any, size: int, epsilon: int) -> None:
    """The sentence, the slider and the odds are those of a size and ε."""
    expect(page.locator(SENTENCE)).to_contain_text(NAMES[size])
    expect(page.locator(SENTENCE)).to_contain_text(f"{WRONG[epsilon][size]} people")
    expect(page.locator(SLIDER)).to_have_js_property("value", str(size))
    expect(page.locator(SLIDER)).to_have_attribute(
        "aria-valuetext", re.compile(re.escape(NAMES[size]))
    )


def expect_link(page: Any, size: str, eps: str) -> None:
    """The address has this size and ε; what the page begins with is not written."""

    def check() -> None:
        query = parse_qs(urlsplit(page.url).query)
        found = query.get("size", ["110x180"]), query.get("eps", ["1"])
        assert found == ([size], [eps])

    eventually(page, check)


def stop(page: Any, size: int) -> tuple[float, float]:
    """Where the dot of a size is on the screen."""
    box = page.locator(".exhibit .stop").nth(size).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drawn(page: Any, css: str) -> str:
    """A map once it has faded in."""
    page.wait_for_timeout(400)
    return str(page.locator(css).evaluate(PIXELS))


def test_one_drags_along_the_curve_and_the_history_has_one_entry(start: Any) -> None:
    expect_at(start, 5, 1)
    before, length = drawn(start, MAP), start.evaluate("history.length")
    x, y = stop(start, 5)
    start.mouse.move(x, y)
    start.mouse.down()
    for size in (4, 3, 2, 1, 2):
        start.mouse.move(stop(start, size)[0], y, steps=4)
        expect_at(start, size, 1)
        assert "size" not in start.url, "nothing is written while one drags"
    assert start.evaluate("history.length") == length
    start.mouse.up()
    expect_link(start, exhibit.size_keys()[2], "1")
    wait_until_settled(start)
    assert start.evaluate("history.length") == length + 1
    assert drawn(start, MAP) != before
    start.go_back()
    expect_at(start, 5, 1)
    start.go_forward()
    expect_at(start, 2, 1)


def test_keys_move_the_slider_and_epsilon_moves_the_whole_curve(start: Any) -> None:
    slider = start.locator(SLIDER)
    slider.press("End")
    expect_at(start, 7, 1)
    for _ in range(2):
        slider.press("ArrowLeft")
    expect_at(start, 5, 1)
    heights = [stop(start, size)[1] for size in range(8)]
    four = start.get_by_role("radio", name=re.compile("^ε = 4"))
    four.check(force=True)
    expect_at(start, 5, 3)
    assert all(stop(start, size)[1] > heights[size] for size in range(8)), "less error is lower"
    expect(start.locator(".exhibit .you figcaption")).to_contain_text(ODDS[3])
    expect_link(start, "110x180", "4")
    slider.press("Home")
    expect_at(start, 0, 3)
    expect(start.locator(".exhibit .curve .now")).to_contain_text("plain LDP")


def test_a_link_opens_where_it_says(open_link: OpenLink) -> None:
    page = open_link("?size=33x53&eps=0.5", READY, **SCREENS["projector"])
    expect_at(page, 7, 0)


def test_the_truth_is_seen_as_long_as_one_holds(start: Any) -> None:
    noisy, hold = drawn(start, MAP), start.locator(".exhibit .hold")
    box = hold.bounding_box()
    start.mouse.move(box["x"] + 5, box["y"] + 5)
    start.mouse.down()
    expect(hold).to_have_attribute("aria-pressed", "true")
    expect(start.locator(".exhibit .tag")).to_contain_text("this is a demonstration")
    truth = drawn(start, MAP)
    assert truth != noisy
    start.mouse.up()
    expect(hold).to_have_attribute("aria-pressed", "false")
    assert drawn(start, MAP) == noisy
    for key in ("Space", "Enter"):
        hold.focus()
        start.keyboard.down(key)
        expect(hold).to_have_attribute("aria-pressed", "true")
        assert drawn(start, MAP) == truth
        start.keyboard.up(key)
        expect(hold).to_have_attribute("aria-pressed", "false")
    hold.evaluate("button => button.click()")
    expect(hold).to_have_attribute("aria-pressed", "true")
    hold.evaluate("button => button.click()")
    expect(hold).to_have_attribute("aria-pressed", "false")


MARKED = "41.8781"
"""A latitude of Chicago, which is chosen: nothing that leaves may have it."""


def test_the_pin_never_leaves_the_browser(open_link: OpenLink) -> None:
    """Requests, messages to the server, the address, cookies, lasting stores and the card."""
    page = open_link("", TABS, **SCREENS["projector"], **CALM, extra_http_headers={"x-pin": "0"})
    sent: list[bytes] = []

    def note(frame: Any) -> None:
        sent.append(frame.encode() if isinstance(frame, str) else frame)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    page.on("request", lambda asked: sent.append(f"{asked.url} {asked.post_data or ''}".encode()))
    page.on("console", lambda message: sent.append(message.text.encode()))
    page.reload()
    page.locator(READY).wait_for()
    place = "{lat: 41.8781, lon: -87.6298}"
    page.evaluate(f"sessionStorage.setItem('caldp.exhibit.pin', JSON.stringify({place}))")
    page.reload()
    page.locator(READY).wait_for()
    wait_until_settled(page)
    label = page.locator(".exhibit .you .map")
    expect(label).to_have_attribute("aria-label", re.compile("your pin"))
    before = drawn(page, YOU)
    page.locator(SLIDER).press("End")
    expect_link(page, "33x53", "1")
    wait_until_settled(page)
    assert drawn(page, YOU) != before
    page.locator(".exhibit .you .map").press("ArrowLeft")
    page.locator(".exhibit .hold").press("Enter")
    page.locator(".exhibit .top .primary").click()
    expect(page.locator(".exhibit dialog canvas")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".exhibit .you .map").click(position={"x": 300, "y": 120})
    page.reload()
    page.locator(READY).wait_for()
    wait_until_settled(page)
    kept = page.evaluate("sessionStorage.getItem('caldp.exhibit.pin')")
    numbers = {MARKED, "87.6298", *re.findall(r"\d+\.\d{4,}", kept)}
    assert len(numbers) == 4, "the one that was marked, and the one that was clicked"
    everything = b"\n".join(sent) + page.url.encode()
    everything += str(page.context.cookies()).encode()
    everything += page.evaluate("JSON.stringify(localStorage)").encode()
    assert len(sent) > 10
    # The number as a text, and its bytes as a float of either size, in the order of the socket's.
    assert [number for number in numbers if number[:7].encode() in everything] == []


def test_a_card_has_the_sentence_and_the_maps_but_no_pin(start: Any) -> None:
    cards = []
    for city in ("Houston", "Seattle"):
        start.locator(".exhibit .you select").select_option(label=city)
        start.locator(SLIDER).press("End")
        expect_at(start, 7, 1)
        start.locator(".exhibit .top .primary").click()
        card = start.locator(".exhibit dialog canvas")
        expect(card).to_be_visible()
        assert NAMES[7] in card.get_attribute("aria-label")
        with start.expect_download() as saved:
            start.get_by_role("link", name="Save picture").click()
        cards.append(Path(saved.value.path()).read_bytes())
        start.get_by_role("button", name="Close").click()
    assert cards[0] == cards[1], "the reader's place changes nothing of it"
    assert Image.open(BytesIO(cards[0])).size == (1200, 600)


def test_the_opening_glide_ends_at_the_first_touch_for_good(open_link: OpenLink) -> None:
    page = open_link("", READY, **SCREENS["projector"])
    slider = page.locator(SLIDER)
    slider.press("Home")
    expect_at(page, 0, 1)
    page.wait_for_timeout(4500)  # as long as the opening would take
    expect_at(page, 0, 1)


def test_the_page_opens_with_plain_ldp_and_glides_to_blocks(open_link: OpenLink) -> None:
    page = open_link("", READY, **SCREENS["projector"])
    page.reload()
    page.locator(READY).wait_for()
    expect_at(page, 5, 1)
    wait_until_settled(page)
    assert "size" not in page.url, "nobody has chosen anything"


@pytest.mark.parametrize("screen", SIZES)
def test_the_first_screen_is_the_exhibit_and_is_not_crowded(
    open_link: OpenLink, screen: str
) -> None:
    page = open_link("", READY, viewport=SIZES[screen], **CALM)
    wait_until_settled(page)
    found = fullness(page)
    assert found.words <= 150
    assert found.numbers <= 30
    assert found.controls <= 20
    for part in (SENTENCE, MAP, ".exhibit .curve", ".exhibit .epsilons"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth"), "nothing is scrolled sideways"
    assert main.evaluate("e => e.scrollHeight") <= 2.2 * SIZES[screen]["height"]


def test_a_file_opens_with_the_exhibit_and_asks_nobody(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "exhibit.html"
    file.write_text(document("Exhibit", [page.part(StartState())], no_progress), "utf-8")
    with browser.new_context(**SCREENS["projector"], **CALM) as context:
        opened, asked, faults = context.new_page(), [], []
        opened.on("request", lambda request: asked.append(request.url))
        opened.on("pageerror", lambda fault: faults.append(str(fault)))
        opened.goto(file.as_uri())
        opened.locator(READY).wait_for()
        expect_at(opened, 5, 1)
        opened.locator(SLIDER).press("End")
        expect_at(opened, 7, 1)
        opened.locator(".exhibit .top .primary").click()
        expect(opened.get_by_role("link", name="Save picture")).to_be_visible()
        expect(opened.get_by_role("button", name="Copy link")).to_be_hidden()
        assert [url for url in asked if is_outside(url)] == []
        assert faults == []


def test_the_address_of_the_data_lasts_and_has_a_name_of_its_own(start: Any) -> None:
    with start.expect_response(re.compile(r"/exhibit-")) as received:
        start.reload()
    answer = received.value
    assert "immutable" in answer.headers["cache-control"]
    assert exhibit.address() in answer.url
