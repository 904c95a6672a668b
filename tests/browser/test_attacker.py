"""Attackers in a browser: beliefs day by day, and attacks on coarser tables."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from caldp_core.datasets import InfantDeaths
from caldp_core.domain.domains import US_GRID
from caldp_ui.adversary import view
from caldp_ui.adversary.page_state import (
    BEGIN,
    DAYS_MAX,
    DENVER,
    STATE,
    AttackerState,
    load_data,
)
from caldp_ui.controls.common import EPSILONS
from caldp_ui.parts import pack
from tests.browser.conftest import SCREENS, OpenLink, Profiles, visiting
from tests.browser.hands import (
    HEADLINE,
    PHONE,
    eventually_equal,
    expect,
    hold,
)
from tests.browser.test_files import download
from tests.browser.test_packs import unpacked
from tests.servers import wait_until_settled
from tests.ui.driver import both_lines

pytestmark = pytest.mark.browser
STAGE = ".st-key-adversary-maps .stage"
DAYS = ".st-key-adversary-days"
EPSILON = ".st-key-adversary-epsilon"
SLIDER = f"{DAYS} input[type=range]"
TITLE = f"{STAGE} .pane:visible .name >> nth=0"


def expect_headline(page: Any, record: AttackerState) -> None:
    """The sentence is that of this record, and the page is at rest."""
    expect(page.locator(HEADLINE)).to_have_text([both_lines(view.headline(load_data(record)))])
    wait_until_settled(page)


LAST = AttackerState(BEGIN.with_context(epsilon=EPSILONS[-1]), days=2)


def record_of(page: Any) -> str:
    found: str = page.evaluate("new URLSearchParams(location.search).get('place')")
    return found


def epsilon_of(page: Any) -> str:
    """The ε of the link, which the server has confirmed."""
    found: str = page.evaluate("new URLSearchParams(location.search).get('epsilon')")
    return found


def test_a_film_days_and_clicks_lead_to_what_an_attacker_believes(
    profiles: Profiles, address: str
) -> None:
    """Each part begins where the one before left the page, at rest."""
    link = f"{address}/adversary?days=2"
    with visiting(profiles(**SCREENS["projector"]), link, f"{STAGE}[data-painted]") as page:
        expect_headline(page, AttackerState(days=2))
        follow_epsilon(page)
        go_through_days(page)
        choose_places(page)


def follow_epsilon(page: Any) -> None:
    """It moves at once with its film, which stays for the next move."""
    film = page.locator(f"{EPSILON} .stage-play")
    film.wait_for()  # made while nobody waits
    confirmed, before = epsilon_of(page), page.locator(TITLE).inner_text()
    with hold(page, STATE.key("epsilon"), 0.97):
        text = both_lines(view.headline(load_data(LAST)))
        expect(page.locator(f"{HEADLINE}:visible")).to_have_text([text])
        assert page.locator(TITLE).inner_text() != before
        assert epsilon_of(page) == confirmed, "the server was asked before the hand let go"
    expect_headline(page, LAST)
    assert film.count() == 1, "the film went with another that has to be made anew"


def go_through_days(page: Any) -> None:
    """By a film and by keys; the slider's thumb stands below the day's point, at both ends."""
    slider, play = page.locator(SLIDER), page.locator(f"{DAYS} .stage-play")
    passed = both_lines(view.headline(load_data(replace(LAST, days=0))))
    play.click()
    expect(page.locator(f"{HEADLINE}:visible")).to_have_text([passed])
    slider.press("End")  # it plays for 10 s
    expect_headline(page, replace(LAST, days=DAYS_MAX))
    expect(play).to_have_attribute("aria-label", "Play: Day")
    eventually_equal(page, lambda: is_below_its_point(page, DAYS_MAX), True)
    slider.press("Home")
    expect_headline(page, replace(LAST, days=0))
    eventually_equal(page, lambda: is_below_its_point(page, 0), True)


def is_below_its_point(page: Any, day: int) -> bool:
    """Whether the slider's thumb stands below this day's point of the chart, to four pixels."""
    curve = page.locator(".st-key-adversary-curve .trace")
    thumb = page.locator(f"{DAYS} [data-testid=stSliderThumbValue]").bounding_box()
    at = curve.last.locator(".point").nth(day).bounding_box()
    off = at["x"] + at["width"] / 2 - thumb["x"] - thumb["width"] / 2
    return bool(abs(off) < 4 and curve.locator(".point").first.is_visible())


def choose_places(page: Any) -> None:
    """A click is where the person is, and so is Enter."""
    page.locator(f"{STAGE} .pane:visible .frame").first.click(position={"x": 200, "y": 100})
    page.wait_for_function("location.search.includes('place=')")
    there = int(record_of(page))
    assert there != DENVER
    expect_headline(page, replace(LAST, place=there, days=0))
    page.locator(f"{STAGE} .board").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "there => new URLSearchParams(location.search).get('place') !== there", arg=str(there)
    )
    wait_until_settled(page)
    beside = int(record_of(page))
    assert 0 < abs(beside - there) < US_GRID.columns
    expect_headline(page, replace(LAST, place=beside, days=0))
    # Nothing else is to be had in hand here.
    assert page.locator(f"{STAGE} .tools:visible").count() == 0


LINES: Final = """all => all.map(e => [e.textContent, Math.round(
    e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight))])"""


def test_on_a_phone_a_number_stays_in_one_line_and_only_a_long_one_wraps(
    profiles: Profiles, address: str
) -> None:
    link = f"{address}/adversary?epsilon=20&blocks=states"
    with visiting(profiles(**PHONE), link, f"{STAGE}[data-painted]") as page:
        wait_until_settled(page)
        numbers = page.locator(f"{STAGE} .name > strong:visible").evaluate_all(LINES)
    assert sorted(numbers) == [["100 %", 1], ["100 %", 1], ["more than 99.99 %", 2]]


PROJECTOR = {"width": 1280, "height": 720}
LINK = "coarser?dataset=infant-deaths&blocks=groups&threshold=5&attack=parts&moves=0"
HIDE = "Hide small counts"
MOVE = ".st-key-coarser-move button"
CHART = "[role=figure][aria-label^='Answers right']"
COARSER_HEADLINE = ".st-key-headline h1"


def choose(page: Any, name: str, there: str = MOVE) -> None:
    """An attack by the keyboard: its name is typed into the menu, until something is there."""
    box = page.locator(".st-key-coarser-attack input")
    box.fill(name)
    page.get_by_role("option", name=name).wait_for()
    box.press("Enter")
    page.locator(there).wait_for()
    wait_until_settled(page)


def expect_bar(page: Any, name: str, share: str) -> None:
    """The bar of a treatment says that share, of 100."""
    label = page.locator(f".bars li[aria-label^='{name}:']")
    expect(label).to_have_attribute("aria-label", f"{name}: {share} of 100")


def percent(share: float) -> str:
    return f"{100 * share:.0f}"


def test_attacks_are_chosen_and_played_by_the_keyboard(open_link: OpenLink) -> None:
    """What each finds is held against all possible tables in `ui/test_coarser.py`."""
    page = open_link(LINK, ".bars", "figure svg")
    headline = page.locator(COARSER_HEADLINE)
    expect(headline).to_have_text([re.compile(r"\?$")])
    page.locator(MOVE).press("Enter")
    page.wait_for_url(re.compile(r"^((?!moves).)*$"))  # the first is what links begin with
    counts = InfantDeaths().load().counts
    assert counts is not None
    # By subtraction alone: of a county, the one hidden count.
    lone = [[0 < count < 5 for count in pair] for pair in counts.reshape(100, 2).tolist()]
    known = sum(pair.count(True) == 1 for pair in lone)
    expect(headline).to_have_text([re.compile(f"works out {known} of 72 ")])
    expect_bar(page, HIDE, percent(known / 72))
    expect_bar(page, "Noise in blocks", "0")
    choose(page, "Many tables", CHART)
    page.locator(".st-key-coarser-tables input[type=range]").press("End")
    expect(headline).to_have_text([re.compile("^400 exact tables reveal 100 of 100")])
    choose(page, "A census block")
    page.locator(MOVE).click()
    page.get_by_role("radio", name="Without 2A, 2B", exact=True).click()
    expect(page.locator(".seven .worlds ul")).to_have_count(8)


OWN = """answer,people,group
asthma north,31,north
flu north,4,north
HIV north,2,north
asthma south,142,south
flu south,3,south
HIV south,13,south"""


def test_a_table_of_ones_own_is_attacked_and_leaves_a_record(open_link: OpenLink) -> None:
    page = open_link(LINK, ".bars")
    page.get_by_role("button", name="Your data").click()
    page.get_by_role("tab", name="Choose a file").click()
    file = {"name": "ward.csv", "mimeType": "text/csv", "buffer": OWN.encode()}
    page.locator(".st-key-coarser-own-file input[type=file]").set_input_files(file)
    page.locator(".stFileUploader").get_by_text("ward.csv").wait_for()
    page.get_by_role("button", name="Read the file").click()
    page.get_by_text("are counted.").wait_for()
    page.get_by_role("button", name="Show it").click()
    page.get_by_role("button", name="Show it").wait_for(state="detached")
    page.locator(MOVE).click()
    # Of the south one count is hidden alone: 158 − 142 − 13; of the north two, and they stay so.
    expect(page.locator(COARSER_HEADLINE)).to_have_text([re.compile("works out 1 of 3 ")])
    expect_bar(page, HIDE, percent(1 / 3))
    row = page.get_by_role("tabpanel").locator("tr").filter(has_text=HIDE)
    expect(row.locator("td").nth(1)).to_have_text(percent(1 / 3))
    page.get_by_role("tab", name="Share and export").click()
    rows = list(csv.DictReader(io.StringIO(download(page, "treatments-internal.csv"))))
    # As offices publish it, 13 is hidden beside the 3: the smallest other count of the south.
    hidden = {float(row["Nothing"]): row["hidden"] == "True" for row in rows}
    assert hidden == {31: False, 4: True, 2: True, 142: False, 3: True, 13: True}
    page.get_by_role("button", name="Audit and make the record").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name=pack.file_name(pack.PACK_NAME)).click()
    files = unpacked(Path(saved.value.path()).read_bytes())
    assert "ward" in files["record.html"].decode()
