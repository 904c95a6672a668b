"""Fake phones in a browser: pictures, keys, what the repair knows, a phone; one load for all."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from caldp_ui.adversary import fakes
from caldp_ui.adversary.page_state import BEGIN, FAKES, KNOWS_SHARE, STATE, AttackerState
from caldp_ui.compute import runs
from caldp_ui.controls.common import EPSILONS
from tests.browser.conftest import Profiles, visiting
from tests.browser.hands import HEADLINE, expect, hold
from tests.ui.driver import both_lines

pytestmark = pytest.mark.browser
PROJECTOR = {"width": 1280, "height": 720}
STAGE = ".st-key-adversary-maps .stage"
RECORD = AttackerState(show=FAKES)


@pytest.fixture(scope="module")
def page(profiles: Profiles, address: str) -> Iterator[Any]:
    link = f"{address}/adversary?show={FAKES}"
    with visiting(profiles(viewport=PROJECTOR), link, f"{STAGE}[data-painted]") as found:
        expect_headline(found, RECORD)
        yield found


def expect_headline(page: Any, record: AttackerState) -> None:
    """The headline is that of this record, and the page is at rest."""
    domain = runs.map_of(runs.dataset(record.scenario))
    headline = fakes.headline(fakes.run_attack(record), domain, record)
    expect(page.locator(HEADLINE)).to_have_text([both_lines(headline)])
    wait_until_settled(page)


def pictures(page: Any) -> list[str]:
    """The three maps as drawn by now."""
    page.mouse.move(5, 5)
    return canvases(page)


def test_truth_fakes_and_repair_are_three_pictures_and_follow_keys_and_clicks(page: Any) -> None:
    before = pictures(page)
    assert len(set(before)) == 3
    page.get_by_text("only how many phones are fake").click()
    expect_headline(page, replace(RECORD, repair=KNOWS_SHARE))
    page.wait_for_function("location.search.includes('repair=share')")
    after = pictures(page)
    assert after[::2] == before[::2], "estimate and truth are the same"
    assert after[1] != before[1]
    page.locator(".st-key-adversary-tenths input[type=range]").press("ArrowRight")
    expect_headline(page, replace(RECORD, repair=KNOWS_SHARE, tenths=15))
    page.locator(".st-key-adversary-tenths input[type=range]").press("ArrowLeft")
    page.get_by_text("the target and how many phones are fake").click()
    expect_headline(page, RECORD)


def test_epsilon_moves_at_once_with_its_film_and_the_server_confirms_it(page: Any) -> None:
    film = page.locator(f".st-key-{STATE.key('epsilon')} .stage-play")
    expect(film).to_be_visible()  # made while nobody waits
    last = replace(RECORD, scenario=BEGIN.with_context(epsilon=EPSILONS[-1]))
    domain = runs.map_of(runs.dataset(last.scenario))
    estimate = fakes.run_attack(last)
    texts = {
        HEADLINE: both_lines(fakes.headline(estimate, domain, last)),
        fakes.POWER: fakes.one_phone(last, domain).replace("*", ""),
    }
    (_, _, fact, _), _ = fakes.counts_at_target(estimate, last)
    with hold(page, STATE.key("epsilon"), 0.97):
        for place, text in texts.items():
            expect(page.locator(f"{place}:visible")).to_have_text([text])
        alt = page.locator(f"{STAGE} .pane:visible canvas").nth(0).get_attribute("aria-label")
        assert f"estimate with fakes: {fact} of" in alt
        assert "epsilon=" not in page.url, "the server was asked before the hand let go"
        film_s = canvases(page)
    expect_headline(page, last)
    assert canvases(page) == film_s
    with hold(page, STATE.key("epsilon"), EPSILONS.index(1.0) / (len(EPSILONS) - 1)):
        pass
    expect_headline(page, RECORD)


def canvases(page: Any) -> list[str]:
    """The maps as drawn by now, wherever the hand is."""
    page.evaluate("() => new Promise(d => requestAnimationFrame(() => setTimeout(d, 50)))")
    elements = page.locator(f"{STAGE} .pane:visible canvas").all()
    return [canvas.evaluate("canvas => canvas.toDataURL()") for canvas in elements]


def test_on_a_phone_the_estimate_comes_first_and_nothing_sticks_out(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    wait_until_settled(page)
    frame = page.locator(f"{STAGE} .frame").first.bounding_box()
    assert frame["y"] + frame["height"] < 844 * 2 / 3
    wide = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    page.set_viewport_size(PROJECTOR)
    assert wide <= 0
