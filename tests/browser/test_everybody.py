"""For everybody: by keyboard, by ear, in the dark, in small print and in forced colours."""

import re
from io import BytesIO
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from caldp_core.experiments.run import prepare
from caldp_ui.maps.scene import BEGIN
from caldp_ui.places.page import TOUR
from tests.browser.conftest import DESKTOP, SCREENS, OpenLink, Profiles, Visit, visiting
from tests.browser.hands import (
    HEADLINE,
    MAP_PAGE,
    PHONE,
    QUICKLY_FORECAST,
    SLIDER,
    STAGE,
    TABS,
    Watch,
    button,
    eventually,
    eventually_equal,
    expect,
    expect_shows,
    is_outside,
    link_of,
    tab,
    tab_key_until,
    wait_until_ready,
)
from tests.servers import wait_until_settled

pytestmark = pytest.mark.browser
HAS_FOCUS = "one => one.getRootNode().activeElement === one"
EVERYBODY_TABS = ("Error curves", "Numbers", "Share and export", "What is promised")
"""All but the relief, of which `test_map.py` asks the same: its drawing takes a processor."""


def luminance(colour: list[float]) -> float:
    linear = [
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255 for part in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_keyboard_alone_draws_a_box_takes_it_back_and_moves_epsilon(visit: Visit) -> None:
    page = visit()
    board = page.locator(f"{STAGE} .board")
    assert "arrow" in board.get_attribute("aria-description").lower()
    tab_key_until(page, ".st-key-places-maps *")
    page.keyboard.press("Tab")
    assert board.evaluate(HAS_FOCUS), "the maps come after the switch of views"
    page.keyboard.press("Tab")
    walk_to(page, "Box", "ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(f"{STAGE} .sentence")).to_be_visible()
    page.keyboard.press("Tab")
    walk_to(page, "Unprotect", "ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert board.evaluate(HAS_FOCUS)
    page.keyboard.press("Space")
    for key in ("Control+ArrowRight", "Control+ArrowDown"):
        page.keyboard.press(key)
    page.keyboard.press("Space")
    page.wait_for_url("**/places?*sensitive*")
    wait_until_settled(page)
    drawn = link_of(page).scenario
    assert int((~prepare(drawn).sensitive).sum()) == 11 * 11, "ten cells on from the first"
    assert board.evaluate(HAS_FOCUS), "what was drawn leaves the focus where it was"
    walk_to(page, "Box", "Tab")
    walk_to(page, "Undo", "ArrowRight")
    page.keyboard.press("Enter")
    expect_shows(page, BEGIN)
    tab_key_until(page, SLIDER)
    page.keyboard.press("ArrowRight")
    expect_shows(page, BEGIN.with_context(epsilon=1.5))


def walk_to(page: Any, name: str, key: str, most: int = 12) -> None:
    """Press a key until the focus is on the stage's button of that name."""
    wanted = page.locator(STAGE).get_by_role("button", name=name, exact=True)
    for _ in range(most):
        if wanted.evaluate(HAS_FOCUS):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{most} times {key} did not reach {name}")


def walk(page: Any) -> None:
    """Open every tab, popover and help text, and take the tour."""
    for name in EVERYBODY_TABS:
        tab(page, name)
    for key in ("places-protection", "places-more", "places-own"):
        expect(page.locator(f".st-key-{key} button:visible").first).to_be_visible()
    for popover in page.locator("[data-testid=stPopoverButton]:visible").all():
        popover.click()
        body = page.locator("[data-testid=stPopoverBody]:visible")
        expect(body).to_contain_text(re.compile(r"\w"))  # or what fills it opens it once more
        wait_until_settled(page)
        page.keyboard.press("Escape")
        expect(body).to_have_count(0)
    for spot in page.locator("[data-testid=stTooltipIcon]:visible").all():
        spot.hover()
        expect(page.locator("[data-testid=stTooltipContent]:visible").first).to_be_visible()
    button(page, "places-tour").click()
    for step in TOUR:
        expect(page.locator(".st-key-places-strip")).to_contain_text(step.title)
        expect(button(page, "places-next-step")).to_be_disabled()
        button(page, "places-show-me").click()
        button(page, "places-next-step").click()
    expect(page.locator(".st-key-places-strip")).to_have_count(0)


def test_a_walk_through_everything_asks_nobody_outside(visit: Visit, watch: Watch) -> None:
    page = visit(QUICKLY_FORECAST)
    walk(page)
    button(page, "places-pin").click()
    expect(page.locator(".st-key-places-pinned-maps .stage")).to_be_visible()
    tab(page, "Share and export")
    with page.expect_download() as saved:
        button(page, "places-csv").click()
    assert saved.value.suggested_filename == "estimate.csv"
    assert len(watch.urls) > 30
    assert watch.outside() == []


def test_on_a_phone_the_tour_begins_at_the_top_of_its_page_and_stays_on_screen(
    open_link: OpenLink,
) -> None:
    page = open_link(MAP_PAGE, TABS, **PHONE)
    wait_until_ready(page)
    strip, main = page.locator(".st-key-places-strip"), page.locator("[data-testid=stMain]")
    button(page, "places-tour").click()
    expect(strip).to_be_in_viewport(ratio=1)
    main.evaluate("e => e.scrollTo(0, 1500)")
    expect(main).not_to_have_js_property("scrollTop", 0)
    expect(strip).to_be_in_viewport(ratio=1)


def test_the_watch_knows_what_is_outside() -> None:
    outside = ("https://example.org/x.png", "wss://tiles.example/a", "http://192.0.2.1/")
    inside = ("http://127.0.0.1:8501/x", "ws://localhost:1/_stcore", "data:,x", "blob:http://x/1")
    assert all(map(is_outside, outside))
    assert not any(map(is_outside, inside))


YES = ".st-key-yesno-epsilon_10"


def middle(of: Any) -> float:
    """Where an element is from left to right, in pixels."""
    box = of.bounding_box()
    return float(box["x"] + box["width"] / 2)


@pytest.mark.thorough
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


def test_keys_and_a_screen_reader_go_through_a_page(open_link: OpenLink) -> None:
    """Each part begins where the one before left the page, at rest."""
    page = open_link("yesno", f"{YES} input", **SCREENS["projector"])
    skip_to_main_content(page)
    hear_the_headline(page)
    open_a_panel(page)
    take_away(page)
    draw_anew(page)


def skip_to_main_content(page: Any) -> None:
    """It skips the tabs."""
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1:focus")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(page.locator(".st-key-yesno-switch :focus")).to_be_visible()


def hear_the_headline(page: Any) -> None:
    """A new headline is spoken once, and that of a page that comes is not."""
    spoken = page.locator("body > [role=status]")
    expect(spoken).to_have_text("")
    page.locator(f"{YES} input").press("Home")
    expect(spoken).not_to_have_text("")
    words = page.locator(f"{HEADLINE} > *").all_inner_texts()
    expect(spoken).to_have_text(" ".join(words))
    wait_until_settled(page)


def open_a_panel(page: Any) -> None:
    """A panel that a key opens has the focus until Escape, and one that a click opens has not."""
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
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    wait_until_settled(page)


def take_away(page: Any) -> None:
    """What a run takes away leaves the focus on the headline, as another page does."""
    equal = button(page, "yesno-equal")
    equal.press("Enter")
    expect(equal).to_be_disabled()
    expect(page.locator("h1:focus")).to_have_count(1)
    page.locator(f"{TABS} .open a[href$='/distances']").press("Enter")
    expect(page).to_have_title("Privacy by distance · caldp")
    expect(page.locator("h1:focus")).to_have_count(1)


REPLACE = "button => button.replaceWith(button.cloneNode(true))"
PRESS = "document.body.dispatchEvent(new Event('pointerdown', {bubbles: true}))"
REST = "document.dispatchEvent(new Event('caldp:rest'))"


def draw_anew(page: Any) -> None:
    """What is drawn anew has the focus again, unless a hand let go."""
    pin = button(page, "distances-pin")
    pin.focus()
    pin.evaluate(REPLACE)
    page.evaluate(REST)
    expect(pin).to_be_focused()
    page.evaluate(PRESS)
    pin.evaluate(REPLACE)
    page.evaluate(REST)
    assert page.evaluate("document.activeElement === document.body")


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


@pytest.mark.thorough  # a panel by keys and by mouse: above
def test_late_answers_reopen_nothing_and_close_nothing(profiles: Profiles, address: str) -> None:
    socket = SlowSocket()
    profile = profiles(**SCREENS["projector"], extra_http_headers={"x-socket": "slow"})
    profile.route_web_socket(re.compile("/_stcore/stream"), socket.connect)
    with visiting(profile, f"{address}/yesno", f"{YES} input") as page:
        open_again_by_mouse_before_the_answer(page, socket)  # of a panel never opened before
        page.keyboard.press("Escape")
        wait_until_settled(page)
        for toggle in ("[data-testid=stExpander] summary", "[data-testid=stPopoverButton]"):
            open_and_close_before_the_answer(page, socket, toggle)


def open_and_close_before_the_answer(page: Any, socket: SlowSocket, toggle: str) -> None:
    """What was closed stays closed."""
    socket.is_slow = True
    page.locator(f"{toggle}:visible").first.press("Enter")
    opened = page.locator(
        "[data-testid=stPopoverBody], [data-testid=stExpanderDetails]:not([inert])"
    )
    expect(opened).to_have_count(1)
    eventually_equal(page, lambda: socket.whole_runs() > 0, True)
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


def open_again_by_mouse_before_the_answer(page: Any, socket: SlowSocket) -> None:
    """A panel that a mouse opened is not entered where a late answer closes it."""
    button = page.locator("[data-testid=stPopoverButton]:visible").first
    panel = page.locator("[data-testid=stPopoverBody]")
    socket.is_slow = True
    button.press("Enter")
    expect(panel).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    eventually_equal(page, lambda: socket.whole_runs() > 1, True)
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


UNREADABLE = "<p style='color: #888; background: #999'>Gray on gray</p>"
DRAWN = """ground => !document.querySelector('[data-testid=stSkeleton]') && ground
    === getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"""

GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(11, 15, 20)"}

AS_AT_REST = "[data-stale=true] { opacity: 1 !important; transition: none !important; }"
"""Streamlit fades what a run has not drawn yet; work beside a page may start one at any moment."""


_MORE_LOOKS = 5


def violations(page: Any) -> list[str]:
    """What axe finds: the rule, the first element that breaks it, and how."""
    # What holds axe writes down as well, element by element, unless it is told not to.
    options = {"resultTypes": ["violations"]}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html']} {v['nodes'][0]['failureSummary']}" for v in found]


def expect_no_violations(page: Any) -> None:
    """Wait until axe finds nothing: a run that has just ended may still fade what it draws."""
    eventually_equal(page, lambda: violations(page), [])


def in_scheme(page: Any, scheme: str) -> None:
    """The page in the light or in the dark, drawn and at rest."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(DRAWN, arg=GROUNDS[scheme])
    wait_until_settled(page)
    page.add_style_tag(content=AS_AT_REST)


def violations_in(page: Any, scheme: str) -> list[str]:
    """What axe finds once the page is drawn and at rest in that scheme.

    The code of some controls comes once they are first drawn, and their names a moment later.
    """
    in_scheme(page, scheme)
    found = violations(page)
    for _ in range(_MORE_LOOKS):
        if not found:
            break
        page.wait_for_timeout(1_000)
        found = violations(page)
    return found


def test_axe_knows_a_broken_rule(browser: Any) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content(f"<html lang='en'><title>One</title><main>{UNREADABLE}</main></html>")
        assert any(each.startswith("color-contrast") for each in violations(page))


LEAST = 4.5
SMALL_PRINT = {
    "captions": "[data-testid=stCaptionContainer] p",
    "odds": ".odds :is(b, strong, p, .grade)",
    "result": ".st-key-headline p",
    "axes": ".st-key-curve :is(.xtick, .ytick) text",
    "titles of axes": ".st-key-curve :is(.xtitle, .ytitle)",
    "names of lines": ".st-key-curve :is(.textpoint text, .legendtext)",
}
LAYERS = """all => {
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
    const words = e => [...e.childNodes].find(n => n.nodeType === 3 && n.data.trim());
    return all.filter(e => words(e) && !e.disabled && e.checkVisibility({visibilityProperty: true})
        && !e.closest('script, style, option, title, defs')).map(e => {
        const style = getComputedStyle(e), isDrawn = e instanceof SVGElement;
        const text = rgba(isDrawn ? style.fill : style.color);
        let seen = text[3] * (isDrawn ? Number(style.fillOpacity) : 1);
        for (let at = e; at; at = above(at)) seen *= Number(getComputedStyle(at).opacity);
        return [text.slice(0, 3), ground(e), seen, words(e).data.trim()];
    });
}"""
"""Of elements with words: the colour of these, that of their ground, how opaque they are, and they.
"""


def contrast(text: list[float], ground: list[float], opacity: float) -> float:
    """WCAG's ratio of a text that is blended with the ground."""
    blended = [opacity * t + (1 - opacity) * g for t, g in zip(text, ground, strict=True)]
    low, high = sorted((luminance(blended), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


def contrasts(page: Any, css: str) -> list[float]:
    """Of all words on show in such elements."""
    return [contrast(*layers) for *layers, _ in page.locator(css).evaluate_all(LAYERS)]


def faint(page: Any) -> dict[str, float]:
    """What does not stand out enough, or is not there, with its contrast."""
    least = {name: min(contrasts(page, css), default=0) for name, css in SMALL_PRINT.items()}
    return {name: round(each, 2) for name, each in least.items() if each < LEAST}


def test_small_print_stands_out_from_the_page(visit: Visit) -> None:
    page = visit(QUICKLY_FORECAST)
    tab(page, "Error curves")
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)

        def stands_out(scheme: str = scheme) -> None:
            assert faint(page) == {}, scheme

        eventually(page, stands_out)  # the server draws charts anew, in parts


def test_a_page_at_rest_is_drawn_anew_in_a_new_theme(open_link: OpenLink) -> None:
    """Streamlit asks for no run: charts of a page without work beside it stayed light at night."""
    page = open_link("paper", TABS)
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)
        expect(page.locator(TABS)).to_have_attribute("data-theme", scheme)


def test_the_measure_knows_black_on_white_and_a_veil() -> None:
    black, white = [0.0, 0.0, 0.0], [255.0, 255.0, 255.0]
    assert contrast(black, white, 1.0) == pytest.approx(21.0)
    assert contrast(black, white, 0.0) == pytest.approx(1.0)
    assert contrast([118.0] * 3, white, 1.0) == pytest.approx(4.54, abs=0.01)  # #767676


MARKS: dict[str, tuple[str, ...]] = {
    "": (".exhibit[data-ready] .all canvas", ".exhibit .legend .bar"),
    "values": (".row:not(.heading) .truth", ".row:not(.heading) .range.ours"),
    "matrix": (".leak td[data-x]:not(.own)",),
    "classroom": (
        ".trust .people",
        "[data-testid=stSlider] [role=group] > * > :first-child",
        ".st-key-classroom-broken label > :nth-child(2)",
    ),
    "coarser": (".bars em > i.open",),
    "room": (".row .bar", ".row .range"),
    "results": (".estimates .strip > .share",),
    "places": (),
}
"""What shows data on each page, or where a slider stands, without a word in it."""
CHOSEN: dict[str, tuple[str, ...]] = {
    "places": (".stage .looks button[aria-pressed=true]", "[role=tab][aria-selected=true]"),
    "classroom": (".st-key-classroom-station button[aria-checked=true]",),
}
FORCED_COLOURS_LEAST = 0.1
BORDER = """e => {
    const probe = document.body.appendChild(document.createElement('div'));
    probe.style.color = 'Highlight';
    const wanted = getComputedStyle(probe).color;
    probe.remove();
    return getComputedStyle(e).borderTopColor === wanted;
}"""


def painted_share(mark: Any) -> float:
    """The share of the element's pixels that are not the white ground's."""
    with Image.open(BytesIO(mark.screenshot())) as picture:
        pixels = picture.convert("L").histogram()
    return 1 - sum(pixels[250:]) / sum(pixels)


RARE = ("", "values", "matrix", "coarser", "room", "results")
"""Pages whose marks are held every night."""


@pytest.mark.parametrize(
    "link", [pytest.param(n, marks=pytest.mark.thorough if n in RARE else ()) for n in MARKS]
)
def test_marks_keep_their_colours_and_what_is_chosen_is_framed(
    open_link: OpenLink, link: str
) -> None:
    marks, chosen = MARKS[link], CHOSEN.get(link, ())
    page = open_link(link, *marks, *chosen, viewport=DESKTOP, forced_colors="active")
    shares = {css: painted_share(page.locator(css).first) for css in marks}
    for css in chosen:
        assert page.locator(css).first.evaluate(BORDER), css
    assert {mark: share for mark, share in shares.items() if share < FORCED_COLOURS_LEAST} == {}
