"""The page of sensitive values in a browser: ticks, keys, search, folding, a phone, the dark."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from benchmarks.browser import wait_until_settled
from caldp_core.scenarios.blocks import EverythingSensitive, SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.values.page_state import AFFAIR, LINK, ValuesState
from tests.browser.conftest import DESKTOP, SCREENS, OpenLink, Profiles, visiting
from tests.browser.hands import expect
from tests.browser.test_axe import in_scheme
from tests.browser.test_contrast import contrast

pytestmark = pytest.mark.browser
WEB = "values?v=2&dataset=web-visits&blocks=one&sensitive=symbols&sensitive.runs=700-999&n=1000000"
BEGINNING = f"values?{urlencode(LINK.write(ValuesState(AFFAIR)))}"
ROWS = ".chart .row"
READY = ".chart .row .point.ours"
COLOURS = """row => {
    const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgb = colour => {
        probe.clearRect(0, 0, 1, 1); probe.fillStyle = colour; probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const ground = document.querySelector('[data-testid=stApp]');
    return [rgb(getComputedStyle(row).color), rgb(getComputedStyle(ground).backgroundColor)];
}"""


@pytest.fixture(scope="module")
def page(profiles: Profiles, address: str) -> Iterator[Any]:
    """One load for all tests that start from one group of answers; each leaves the page so."""
    with visiting(profiles(viewport=DESKTOP), f"{address}/{BEGINNING}", READY) as found:
        yield found


def expect_link(page: Any, scenario: Scenario) -> None:
    """The address bar holds this scenario."""
    wanted = scenario.to_query().get("sensitive.runs", "everything")
    page.wait_for_function(
        """wanted => {
            const query = new URLSearchParams(location.search);
            const has = query.get('sensitive.runs') ?? (query.get('v') ? 'everything' : '');
            return has === wanted;
        }""",
        arg=wanted,
    )
    wait_until_settled(page)


def expect_protected(page: Any, share: str) -> None:
    page.locator(".odds", has_text=f"{share}: protection").first.wait_for()


def undo(page: Any, scenario: Scenario = AFFAIR) -> None:
    page.get_by_role("button", name="Undo").click()
    expect_link(page, scenario)


def test_a_tick_makes_an_answer_sensitive(page: Any) -> None:
    expect_protected(page, "32 of 100")
    page.locator(ROWS, has_text="very good marriage").first.click()
    ticked = AFFAIR.with_context(sensitive=SensitiveSymbols(("4-9",)))
    expect_link(page, ticked)
    expect_protected(page, "67 of 100")
    expect(page.locator(f"{ROWS}[data-marked=all]")).to_have_count(7)  # six answers and one group
    undo(page)
    expect_protected(page, "32 of 100")


def test_quick_ticks_are_all_kept(page: Any) -> None:
    for place in (0, 1, 2, 3, 4):
        page.locator(f"{ROWS} input[data-id='{place}']").click(no_wait_after=True)
    expect_link(page, AFFAIR.with_context(sensitive=EverythingSensitive()))
    first = AFFAIR.to_query()["sensitive.runs"]
    while first not in parse_qs(urlsplit(before := page.url).query).get("sensitive.runs", []):
        page.get_by_role("button", name="Undo").click()
        page.wait_for_function("before => location.href !== before", arg=before)
        wait_until_settled(page)
    expect_link(page, AFFAIR)


def test_a_group_is_ticked_as_a_whole(page: Any) -> None:
    page.locator(f"{ROWS}.heading", has_text="had an affair").click()
    expect_link(page, AFFAIR.with_context(sensitive=SensitiveSymbols(())))
    expect(page.locator(f"{ROWS}[data-marked=none]")).to_have_count(12)
    undo(page)


def test_keys_go_from_answer_to_answer_and_tick(page: Any) -> None:
    stops = page.locator(f"{ROWS} input[tabindex='0']")
    expect(stops).to_have_count(1)
    stops.focus()
    for key in ("Home", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    words = re.compile("^very poor marriage; no affair: truth 0.4 %")
    expect(page.locator(".chart .readout")).to_have_text(words)
    page.keyboard.press("Space")
    expect_link(page, AFFAIR.with_context(sensitive=SensitiveSymbols(("0", "5-9"))))
    focused = "document.querySelector('.st-key-values-board')"
    inside = f"[...{focused}.querySelectorAll('*')].find(e => e.shadowRoot)?.shadowRoot"
    assert page.evaluate(f"{inside}.activeElement?.dataset.id") == "0"
    page.keyboard.press("Space")
    expect_link(page, AFFAIR)


def test_a_film_moves_in_the_browser_and_resting_makes_it_the_page(page: Any) -> None:
    slider = page.locator(".film input[type=range]")
    slider.wait_for()
    expect(page.locator(".film .step")).to_contain_text("5 sensitive")
    marked = page.locator(f"{ROWS}:not(.heading)[data-marked=all]")
    expect(marked).to_have_count(5)
    link = page.url
    slider.evaluate("e => { e.value = 9; e.dispatchEvent(new Event('input')); }")
    expect(page.locator(".film .step")).to_contain_text("9 sensitive")
    expect(marked).to_have_count(9)
    assert page.url == link  # the server has not been asked
    slider.evaluate("e => e.dispatchEvent(new Event('change'))")
    expect_link(page, AFFAIR.with_context(sensitive=SensitiveSymbols(("0-3", "5-9"))))
    undo(page)
    expect(marked).to_have_count(5)


def test_a_table_of_one_s_own_is_pasted_and_its_names_are_texts(page: Any) -> None:
    names = ["<img src=x onerror=alert(1)>", "**no** $x$ :material/home:"]
    page.get_by_role("button", name="Your data").click()
    pasted = "\n".join(f"{name}\t{100 + place}" for place, name in enumerate(names))
    page.locator(".st-key-values-own-text textarea").fill(pasted)
    page.get_by_role("button", name="Read the text").click()
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(f"{ROWS} .text")).to_have_text(names)
    expect(page.locator(".st-key-values-own-text")).to_have_count(0)
    page.wait_for_url("**own=*")
    wait_until_settled(page)
    undo(page)


def test_a_thousand_pages_are_folded_searched_and_marked(open_link: OpenLink) -> None:
    page = open_link(WEB, READY, viewport=DESKTOP)
    expect(page.locator(ROWS)).to_have_count(40)
    page.get_by_role("button", name="Unfold Cancer").click()
    expect(page.locator(f"{ROWS}.inner")).to_have_count(25)
    page.locator(".chart input[type=search]").fill("weather: f")
    expect(page.locator(ROWS)).to_have_count(1)
    page.get_by_role("button", name="Mark", exact=True).click()
    page.wait_for_function("location.search.includes('sensitive.runs=1%3B700-999')")
    page.locator(".chart input[type=search]").fill("")
    wait_until_settled(page)
    expect(page.locator(f"{ROWS}[data-marked=some]")).to_have_count(1)


def test_names_stand_out_and_nothing_sticks_out_on_a_phone(open_link: OpenLink) -> None:
    page = open_link(BEGINNING, READY, **SCREENS["phone"])
    wide = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0
    marked = (f"{ROWS}[data-marked={marks}] .text" for marks in ("all", "none"))
    for scheme, css in product(("light", "dark"), (*marked, ".readout")):
        in_scheme(page, scheme)
        text, ground = page.locator(css).first.evaluate(COLOURS)
        assert contrast(text, ground, 1.0) >= 4.5, scheme
