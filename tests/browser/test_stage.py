"""The stage on a bare page: one view for all pictures, and films without server.

One page is loaded for all tests that use a mouse or keys; each leaves it as it found it.
"""

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from benchmarks.browser import wait_until_settled
from caldp_core.domain.grid import US_GRID
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import GridBlocks
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.stage import codec
from caldp_ui.words import formats
from tests.browser.hands import expect
from tests.browser.stage_hand import Hand, Point

pytestmark = pytest.mark.browser
IDS = ("truth", "plain", "ours")


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    """By picture, from a run of the core."""
    scenario = Scenario(policy=ContextPolicy(GridBlocks(25, 35)), mechanism=Hadamard())
    return {"ours": run(prepare(scenario)), "plain": run(prepare(scenario.plain()))}


@pytest.fixture(scope="module")
def shares(results: dict[str, Result]) -> dict[str, Any]:
    """(k,) shares by picture."""
    truth = results["ours"].setup.dataset.distribution
    return {"truth": truth, **{name: each.first.estimate for name, each in results.items()}}


def test_wheel_and_drag_move_all_pictures_and_the_link(hand: Hand) -> None:
    before = hand.pictures()
    hand.page.mouse.move(*hand.at(Point(39.0, -95.0), pane=1))
    hand.page.mouse.wheel(0, -400)
    hand.page.wait_for_url("**view=*")
    zoomed = hand.pictures()
    assert all(one != other for one, other in zip(before, zoomed, strict=True))
    latitude, longitude, zoom = hand.view()
    assert zoom > 1.5
    x, y = hand.at(Point(39.0, -95.0))
    hand.drag((x, y), (x - 80, y + 40))
    hand.page.wait_for_function("old => !location.search.includes(old)", arg=f"{longitude:.2f}")
    assert hand.view()[0] > latitude
    assert hand.view()[1] > longitude
    hand.page.locator(".board").focus()
    hand.page.keyboard.press("0")
    hand.page.keyboard.press("+")
    hand.page.wait_for_url("**,1.50")
    hand.page.keyboard.press("0")
    hand.page.wait_for_function("!location.search.includes('view=')")
    hand.page.mouse.move(5, 5)
    assert hand.pictures() == before


def test_the_view_outlives_new_data_and_goes_to_a_box_when_told(hand: Hand) -> None:
    hand.page.mouse.move(*hand.at(Point(41.0, -80.0)))
    hand.page.mouse.wheel(0, -600)
    hand.page.wait_for_url("**view=*")
    hand.page.mouse.move(5, 5)
    view, before = hand.view(), hand.pictures()
    hand.page.get_by_role("button", name="Another", exact=True).click()
    expect(hand.page.locator(".stage")).not_to_have_attribute("data-turn", "1")
    wait_until_settled(hand.page)
    after = hand.pictures()
    assert hand.view() == view
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, False]
    hand.page.get_by_role("button", name="Zoom to my box").click()
    hand.page.wait_for_url("**view=41.00,-73.50,*")
    hand.page.get_by_role("button", name="First", exact=True).click()
    wait_until_settled(hand.page)


def people(number: float) -> str:
    """What the readout says: three digits, as the codes carry no more."""
    digits = float(f"{number:.3g}")
    if abs(digits) >= 1e6:
        return f"{digits / 1e6:g} million"
    return f"{round(number) if abs(number) < 999.5 else round(digits):,}"


def numbers(hand: Hand) -> list[str]:
    return [text.partition(" (")[0] for text in hand.page.locator(".readout dd").all_inner_texts()]


def test_the_readout_has_the_numbers_of_all_pictures(hand: Hand, shares: dict[str, Any]) -> None:
    for symbol in (int(np.argmax(shares["truth"])), int(np.argmax(shares["ours"])), 20_000):
        row, column = divmod(symbol, US_GRID.columns)
        place = Point(float(US_GRID.latitudes()[row]), float(US_GRID.longitudes()[column]))
        hand.page.mouse.move(*hand.at(place, pane=2))
        text = f"{place.latitude:.1f}° N, {abs(place.longitude):.1f}° W"
        expect(hand.page.locator(".place")).to_contain_text(text)
        values = {name: codec.values(codec.codes(shares[name][symbol])) for name in IDS}
        assert numbers(hand) == [people(3_671_812 * float(values[name])) for name in IDS]


def test_the_divider_moves_by_mouse_and_keys(hand: Hand) -> None:
    plain, ours = hand.pictures()[1:]
    assert plain != ours
    hand.press("Swipe")
    hand.page.wait_for_url("**look=swipe*")
    divider, middle = hand.page.get_by_role("slider", name="Divider"), hand.pictures()
    box = hand.frames().first.bounding_box()
    y = box["y"] + box["height"] / 2
    hand.drag((box["x"] + box["width"] / 2, y), (box["x"] + box["width"] / 4, y))
    assert abs(int(divider.get_attribute("aria-valuenow")) - 25) <= 1
    quarter = hand.pictures()
    divider.press("Home")
    for _ in range(2):
        divider.press("ArrowRight")
    assert divider.get_attribute("aria-valuenow") == "4"
    assert len({middle[0], quarter[0], hand.pictures()[0]}) == 3
    divider.press("End")
    divider.press("ArrowLeft")
    for _ in range(24):
        divider.press("ArrowLeft")
    assert divider.get_attribute("aria-valuenow") == "50"


def test_a_film_s_step_needs_no_server_until_the_hand_rests(hand: Hand) -> None:
    slider = hand.page.get_by_role("slider", name="Privacy level ε")
    box, mouse = slider.bounding_box(), hand.page.mouse
    y = box["y"] + box["height"] / 2
    hand.page.wait_for_timeout(300)
    before, sent, count = hand.pictures(), len(hand.sent), hand.count()
    start = int(slider.input_value()) / 2
    mouse.move(box["x"] + 8 + start * (box["width"] - 16), y)
    mouse.down()
    mouse.move(box["x"] + box["width"] - 8, y, steps=8)
    expect(hand.page.locator(".step")).to_have_text("ε = 4")
    after = hand.pictures()
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, False]
    hand.page.wait_for_timeout(200)
    assert len(hand.sent) == sent
    milliseconds = hand.page.locator(".stage").get_attribute("data-step-ms")
    sys.stdout.write(f"a step of the film: {milliseconds} ms\n")
    mouse.up()
    assert hand.await_event(count)["value"] == 4.0
    assert hand.pictures()[1:] == after[1:], "the film is not what Python shows"
    slider.press("Home")
    slider.press("ArrowRight")
    hand.await_event(count + 2)


def test_a_film_that_was_played_ends_where_it_began_and_tells_nobody(hand: Hand) -> None:
    before, count = hand.pictures(), hand.count()
    hand.page.clock.install()  # ten seconds go by at once
    hand.press("Play")
    turn = hand.page.locator(".stage").get_attribute("data-turn")
    hand.page.get_by_role("button", name="Zoom to my box").click()
    expect(hand.page.locator(".stage")).not_to_have_attribute("data-turn", turn)
    hand.press("Show the whole map")  # of the same pictures, which the film goes on with
    hand.page.clock.run_for(7_000)
    expect(hand.page.locator(".now")).to_have_text("ε = 4")
    hand.page.clock.resume()
    assert hand.pictures() != before
    expect(hand.page.locator(".now")).to_be_hidden()
    assert hand.pictures() == before
    assert hand.count() == count


def test_maps_are_light_by_choice_and_the_link_keeps_it(hand: Hand) -> None:
    before = hand.pictures()
    hand.press("Light maps")
    hand.page.wait_for_url("**map=light*")
    light = hand.pictures()
    assert all(one != other for one, other in zip(before, light, strict=True))
    hand.press("Dark maps")
    hand.page.wait_for_function("!location.search.includes('map=')")
    assert hand.pictures() == before


def test_presenting_leaves_maps_and_numbers_and_escape_ends_it(
    hand: Hand, results: dict[str, Result]
) -> None:
    hand.press("Present")
    wrong = formats.hundred(results["ours"].first.errors.tv)
    expect(hand.page.locator(".name:visible strong").last).to_have_text(wrong)
    expect(hand.page.locator(":root[data-presenting]")).to_have_count(1)
    expect(hand.page.get_by_role("button", name="Box", exact=True)).to_be_hidden()
    count = hand.count()
    hand.page.keyboard.press("PageDown")
    assert hand.await_event(count)["value"] == 4.0
    hand.page.keyboard.press("ArrowLeft")
    assert hand.await_event(count + 1)["value"] == 1.0
    hand.page.keyboard.press("Escape")
    expect(hand.page.locator(":root[data-presenting]")).to_have_count(0)
    expect(hand.page.get_by_role("button", name="Side by side")).to_be_focused()
    hand.page.get_by_label("What changes").select_option("epsilon")


def test_the_saved_picture_is_1600_pixels_wide(hand: Hand) -> None:
    with hand.page.expect_download() as found:
        hand.press("Picture")
    with Image.open(io.BytesIO(Path(found.value.path()).read_bytes())) as image:
        assert image.format == "PNG"
        assert image.width == 1600
        assert len(image.convert("RGB").getcolors(2**24) or []) > 100
    assert found.value.suggested_filename == "caldp-map.png"


def test_few_stops_of_the_tab_key(hand: Hand) -> None:
    stops = hand.page.locator(".stage").evaluate(
        """stage => [...stage.querySelectorAll("button, input, select, [tabindex]")]
            .filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).length"""
    )
    assert stops == 6, "views, maps, tools, play, films, slider"
