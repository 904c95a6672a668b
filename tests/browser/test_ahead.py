"""A board follows its slider in the browser; what the server then says is the same."""

from typing import Any

import pytest

from benchmarks.browser import MAP_PAGE, wait_until_ready, wait_until_settled
from tests.browser.conftest import DESKTOP, OpenLink
from tests.browser.hands import SLIDER, STAGE, canvases, expect

pytestmark = pytest.mark.browser
FILMS_THERE = """dials => {
    const {films} = globalThis[Symbol.for("caldp.films")] ?? {films: new Map()};
    return dials.every(dial => films.has(dial));
}"""
FRAME = """() => {
    const hub = globalThis[Symbol.for("caldp.pictures")];
    const css = ["headline", "matrix-off", "room-rehearsed"].map(key => `.st-key-${key} p`);
    const sentences = () => [...document.querySelectorAll(css.join())];
    window.readPage = key => {
        const {root, step, drawnContent: drawn} = hub.get(key);
        const fields = [...root.querySelectorAll("input[type=text]")].map(each => each.value);
        const board = root.innerHTML.replace(/ ?class="new"| new(?=")/g, "");
        const visible = sentences().filter(each => each.checkVisibility());
        const words = visible.map(each => [each.innerText, getComputedStyle(each).font]);
        const places = [root, ...visible].map(each => Math.round(each.getBoundingClientRect().y));
        return {ahead: step !== null, board, fields, words, drawn, places};
    };
}"""
PRESSED = """([dial, key]) => {
    const look = () => requestAnimationFrame(() => { window.first ??= window.readPage(key); });
    const input = document.querySelector(`.st-key-${dial}`), attribute = "aria-valuetext";
    new MutationObserver(look).observe(input, {subtree: true, attributeFilter: [attribute]});
    window.first = null;
    input.querySelector("input[type=range]").focus();
}"""
PAGES = (
    ("matrix?template=line&channel=bug", "matrix-board", "matrix-epsilon"),
    ("room?answers=<b>|*x*&sensitive=1", "room-rehearsal", "room-phones"),
)


def wait_for_films(page: Any, *dials: str) -> None:
    page.wait_for_function(FILMS_THERE, arg=list(dials))
    page.evaluate(FRAME)
    wait_until_settled(page)


def ahead(page: Any, key: str, dial: str, pressed: str) -> Any:
    """What is seen in the first frame after a press."""
    page.evaluate(PRESSED, [dial, key])
    page.keyboard.press(pressed)
    page.wait_for_function("window.first")
    return page.evaluate("window.first")


@pytest.mark.parametrize(("link", "key", "dial"), PAGES)
def test_what_is_seen_ahead_is_what_the_server_says(
    open_link: OpenLink, link: str, key: str, dial: str
) -> None:
    page = open_link(link, ".board", viewport=DESKTOP)
    wait_for_films(page, dial)
    before = page.evaluate("key => window.readPage(key)", key)
    frame = ahead(page, key, dial, "ArrowRight")
    assert frame.pop("ahead")
    assert frame["board"] != before["board"]
    assert frame["drawn"] != before["drawn"]
    assert frame["words"] != before["words"]
    page.wait_for_function("key => !window.readPage(key).ahead", arg=key)
    wait_until_settled(page)
    confirmed = page.evaluate("key => window.readPage(key)", key)
    assert not confirmed.pop("ahead")
    assert frame == confirmed


def test_a_film_of_another_channel_is_not_shown(open_link: OpenLink) -> None:
    """The first frame has the new channel, be it by its own film or by the server."""
    page = open_link("matrix?template=ldp", ".board", viewport=DESKTOP)
    wait_for_films(page, "matrix-epsilon")
    assert page.locator(".board [data-mark=broken]").count() == 0
    page.locator(".st-key-matrix-plant button").click()
    page.locator(".st-key-matrix-mend").wait_for()
    wait_until_settled(page)
    before = page.evaluate("window.readPage('matrix-board')")
    frame = ahead(page, "matrix-board", "matrix-epsilon", "ArrowRight")
    assert frame["board"].count('data-mark="broken"') == 20
    page.wait_for_function(
        "drawn => window.readPage('matrix-board').drawn !== drawn", arg=before["drawn"]
    )
    expect(page.locator(".board [data-mark=broken]")).to_have_count(20)


FIRST_STEP = """stage => {
    window.first = null;
    const look = () => requestAnimationFrame(() => {
        const canvases = [...stage.querySelectorAll(".pane canvas")];
        const maps = canvases.filter(e => e.checkVisibility()).map(each => each.toDataURL());
        window.first ??= {step: stage.dataset.step, maps};
    });
    new MutationObserver(look).observe(stage, {attributeFilter: ["data-step"]});
}"""
"""The step of a film that a stage shows first, and its maps in the frame after."""


def test_map_of_a_film_is_the_map_that_the_server_draws(open_link: OpenLink) -> None:
    page = open_link(
        MAP_PAGE, STAGE, f".st-key-{MAP_PAGE}-epsilon[data-followed]", viewport=DESKTOP
    )
    wait_until_ready(page)
    before = canvases(page)
    page.locator(STAGE).evaluate(FIRST_STEP)
    page.focus(SLIDER)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("window.first")
    frame = page.evaluate("window.first")
    assert frame["step"].startswith("epsilon ")
    page.wait_for_url("**epsilon=*")
    expect(page.locator(f"{STAGE}[data-step='']")).to_be_attached()
    wait_until_ready(page)
    assert frame["maps"] == canvases(page)
    assert frame["maps"] != before
