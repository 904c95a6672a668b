"""Attackers in a browser: beliefs day by day, fake phones, and attacks on coarser tables."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest

from caldp_core.attacks.reconstruction import LINES, PublishedRow
from caldp_core.datasets import InfantDeaths
from caldp_core.domain.domains import US_GRID, Domain
from caldp_ui.adversary import fakes, view
from caldp_ui.adversary.page_state import (
    BEGIN,
    DAYS_MAX,
    DENVER,
    FAKES,
    KNOWS_SHARE,
    STATE,
    AttackerState,
    load_data,
)
from caldp_ui.compute import runs
from caldp_ui.controls.common import EPSILONS
from caldp_ui.session.links import CHECK
from tests.attacks.by_hand import (
    averaged_by_hand,
    known_by_hand,
    newcomers_by_hand,
    told_apart_by_hand,
)
from tests.browser.conftest import DESKTOP, SCREENS, Profiles, visiting
from tests.browser.hands import (
    HEADLINE,
    PHONE,
    Watch,
    eventually,
    eventually_equal,
    expect,
    hold,
)
from tests.servers import wait_until_settled
from tests.ui.driver import both_lines

pytestmark = pytest.mark.browser
STAGE = ".st-key-adversary-maps .stage"
DAYS = ".st-key-adversary-days"
EPSILON = ".st-key-adversary-epsilon"
SLIDER = f"{DAYS} input[type=range]"
TITLE = f"{STAGE} .pane:visible .name >> nth=0"


@pytest.fixture(scope="module")
def opened(profiles: Profiles, address: str) -> Iterator[Any]:
    link = f"{address}/adversary?days=2"
    with visiting(profiles(**SCREENS["projector"]), link, f"{STAGE}[data-painted]") as found:
        yield found


@pytest.fixture
def page(opened: Any, address: str) -> Any:
    """One load for all tests of one person; it is loaded anew after one that leaves another."""
    return reopened(opened, f"{address}/adversary?days=2", f"{STAGE}[data-painted]")


def reopened(page: Any, url: str, css: str) -> Any:
    """The page as it opens by this link, whatever the test before has left: they run in any order.

    The server adds to links a sum of them, which is none of their settings.
    """
    settings = urlencode([each for each in parse_qsl(urlsplit(page.url).query) if each[0] != CHECK])
    if settings != urlencode(parse_qsl(urlsplit(url).query)):
        page.goto(url)
        page.locator(css).first.wait_for()
        wait_until_settled(page)
    return page


def expect_headline(page: Any, record: AttackerState) -> None:
    """The sentence is that of this record, and the page is at rest."""
    expect(page.locator(HEADLINE)).to_have_text([both_lines(view.headline(load_data(record)))])
    wait_until_settled(page)


NOTE_TEXTS = """css => {
    window.noted = [];
    const note = () => document.querySelectorAll(css).forEach(each => {
        if (each.checkVisibility()) window.noted.push(each.innerText);
    });
    new MutationObserver(note).observe(document.body, {subtree: true, childList: true});
}"""
"""Texts that were seen, however soon the next took their place."""


def at_epsilon(epsilon: float, days: int = 2) -> AttackerState:
    return AttackerState(BEGIN.with_context(epsilon=epsilon), days=days)


def record_of(page: Any) -> str:
    found: str = page.evaluate("new URLSearchParams(location.search).get('place')")
    return found


def epsilon_of(page: Any) -> str:
    """The ε of the link, which the server has confirmed."""
    found: str = page.evaluate("new URLSearchParams(location.search).get('epsilon')")
    return found


def test_epsilon_moves_at_once_with_its_film_which_stays_for_the_next_move(page: Any) -> None:
    expect_headline(page, AttackerState(days=2))
    film = page.locator(f"{EPSILON} .stage-play")
    film.wait_for()  # made while nobody waits
    for across, epsilon in ((0.97, EPSILONS[-1]), (0.03, EPSILONS[0])):
        confirmed, before = epsilon_of(page), page.locator(TITLE).inner_text()
        with hold(page, STATE.key("epsilon"), across):
            text = both_lines(view.headline(load_data(at_epsilon(epsilon))))
            expect(page.locator(f"{HEADLINE}:visible")).to_have_text([text])
            assert page.locator(TITLE).inner_text() != before
            assert epsilon_of(page) == confirmed, "the server was asked before the hand let go"
        expect_headline(page, at_epsilon(epsilon))
        assert film.count() == 1, "the film went with another that has to be made anew"
    with hold(page, STATE.key("epsilon"), EPSILONS.index(1.0) / (len(EPSILONS) - 1)):
        pass
    expect_headline(page, AttackerState(days=2))


def test_days_go_by_and_keys_reach_every_day_on_the_axis_of_the_chart(page: Any) -> None:
    """The slider's thumb stands below the day's point, at both ends."""
    expect_headline(page, AttackerState(days=2))
    slider, play = page.locator(SLIDER), page.locator(f"{DAYS} .stage-play")
    page.evaluate(NOTE_TEXTS, HEADLINE)
    play.click()
    last, passed = (
        both_lines(view.headline(load_data(AttackerState(days=days)))) for days in (DAYS_MAX, 4)
    )
    expect(page.locator(f"{HEADLINE}:visible")).to_have_text([last])
    assert passed in [" ".join(text.split()) for text in page.evaluate("window.noted")]
    expect(play).to_have_attribute("aria-label", "Play: Day")
    wait_until_settled(page)
    slider.press("Home")
    expect_headline(page, AttackerState(days=0))
    eventually_equal(page, lambda: is_below_its_point(page, 0), True)
    slider.press("ArrowRight")
    expect_headline(page, AttackerState(days=1))
    slider.press("End")
    expect_headline(page, AttackerState(days=DAYS_MAX))
    eventually_equal(page, lambda: is_below_its_point(page, DAYS_MAX), True)


def is_below_its_point(page: Any, day: int) -> bool:
    """Whether the slider's thumb stands below this day's point of the chart, to four pixels."""
    curve = page.locator(".st-key-adversary-curve .trace")
    thumb = page.locator(f"{DAYS} [data-testid=stSliderThumbValue]").bounding_box()
    at = curve.last.locator(".point").nth(day).bounding_box()
    off = at["x"] + at["width"] / 2 - thumb["x"] - thumb["width"] / 2
    return bool(abs(off) < 4 and curve.locator(".point").first.is_visible())


def test_a_click_is_where_the_person_is_and_so_is_enter(page: Any) -> None:
    page.locator(SLIDER).press("End")
    expect_headline(page, AttackerState(days=DAYS_MAX))
    page.locator(f"{STAGE} .pane:visible .frame").first.click(position={"x": 200, "y": 100})
    page.wait_for_function("location.search.includes('place=')")
    there = int(record_of(page))
    assert there != DENVER
    expect_headline(page, AttackerState(place=there, days=DAYS_MAX))
    page.locator(f"{STAGE} .board").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "there => new URLSearchParams(location.search).get('place') !== there", arg=str(there)
    )
    wait_until_settled(page)
    beside = int(record_of(page))
    assert 0 < abs(beside - there) < US_GRID.columns
    expect_headline(page, replace(AttackerState(), place=beside, days=DAYS_MAX))
    # Nothing else is to be had in hand here.
    assert page.locator(f"{STAGE} .tools:visible").count() == 0


def test_a_tap_is_a_click_and_the_maps_come_first_on_a_phone(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    page = profiles(**PHONE).new_page()
    watch.follow(page)
    page.goto(f"{address}/adversary?days=1")
    page.wait_for_selector(f"{STAGE}[data-painted]")
    wait_until_settled(page)
    frame = page.locator(f"{STAGE} .pane:visible .frame").first
    box = frame.bounding_box()
    assert box["y"] + box["height"] < page.viewport_size["height"] * 0.75
    frame.tap(position={"x": 150, "y": 50})
    page.wait_for_function("location.search.includes('place=')")
    there = int(record_of(page))
    expect_headline(page, AttackerState(place=there, days=1))
    page.close()
    watch.check()


PROJECTOR = {"width": 1280, "height": 720}
RECORD = AttackerState(show=FAKES)


@pytest.fixture(scope="module")
def fakes_page(profiles: Profiles, address: str) -> Iterator[Any]:
    link = f"{address}/adversary?show={FAKES}"
    with visiting(profiles(viewport=PROJECTOR), link, f"{STAGE}[data-painted]") as found:
        fakes_expect_headline(found, RECORD)
        yield found


def fakes_expect_headline(page: Any, record: AttackerState) -> None:
    """The headline is that of this record, and the page is at rest."""
    domain = runs.map_of(runs.dataset(record.scenario))
    headline = fakes.headline(fakes.run_attack(record), domain, record)
    expect(page.locator(HEADLINE)).to_have_text([both_lines(headline)])
    wait_until_settled(page)


def pictures(page: Any) -> list[str]:
    """The three maps as drawn by now."""
    page.mouse.move(5, 5)
    return canvases(page)


def test_truth_fakes_and_repair_are_three_pictures_and_follow_keys_and_clicks(
    fakes_page: Any,
) -> None:
    before = pictures(fakes_page)
    assert len(set(before)) == 3
    fakes_page.get_by_text("only how many phones are fake").click()
    fakes_expect_headline(fakes_page, replace(RECORD, repair=KNOWS_SHARE))
    fakes_page.wait_for_function("location.search.includes('repair=share')")
    after = pictures(fakes_page)
    assert after[::2] == before[::2], "estimate and truth are the same"
    assert after[1] != before[1]
    fakes_page.locator(".st-key-adversary-tenths input[type=range]").press("ArrowRight")
    fakes_expect_headline(fakes_page, replace(RECORD, repair=KNOWS_SHARE, tenths=15))
    fakes_page.locator(".st-key-adversary-tenths input[type=range]").press("ArrowLeft")
    fakes_page.get_by_text("the target and how many phones are fake").click()
    fakes_expect_headline(fakes_page, RECORD)


@pytest.mark.thorough  # the other view's film runs always
def test_epsilon_moves_at_once_with_its_film_and_the_server_confirms_it(fakes_page: Any) -> None:
    film = fakes_page.locator(f".st-key-{STATE.key('epsilon')} .stage-play")
    expect(film).to_be_visible()  # made while nobody waits
    last = replace(RECORD, scenario=BEGIN.with_context(epsilon=EPSILONS[-1]))
    domain = runs.map_of(runs.dataset(last.scenario))
    estimate = fakes.run_attack(last)
    texts = {
        HEADLINE: both_lines(fakes.headline(estimate, domain, last)),
        fakes.POWER: fakes.one_phone(last, domain).replace("*", ""),
    }
    (_, _, fact, _), _ = fakes.counts_at_target(estimate, last)
    with hold(fakes_page, STATE.key("epsilon"), 0.97):
        for place, text in texts.items():
            expect(fakes_page.locator(f"{place}:visible")).to_have_text([text])
        alt = fakes_page.locator(f"{STAGE} .pane:visible canvas").nth(0).get_attribute("aria-label")
        assert f"estimate with fakes: {fact} of" in alt
        assert "epsilon=" not in fakes_page.url, "the server was asked before the hand let go"
        film_s = canvases(fakes_page)
    fakes_expect_headline(fakes_page, last)
    assert canvases(fakes_page) == film_s
    with hold(fakes_page, STATE.key("epsilon"), EPSILONS.index(1.0) / (len(EPSILONS) - 1)):
        pass
    fakes_expect_headline(fakes_page, RECORD)


def canvases(page: Any) -> list[str]:
    """The maps as drawn by now, wherever the hand is."""
    page.evaluate("() => new Promise(d => requestAnimationFrame(() => setTimeout(d, 50)))")
    elements = page.locator(f"{STAGE} .pane:visible canvas").all()
    return [canvas.evaluate("canvas => canvas.toDataURL()") for canvas in elements]


def test_on_a_phone_the_estimate_comes_first_and_nothing_sticks_out(fakes_page: Any) -> None:
    fakes_page.set_viewport_size({"width": 390, "height": 844})
    wait_until_settled(fakes_page)

    def is_first_and_within() -> None:
        frame = fakes_page.locator(f"{STAGE} .frame").first.bounding_box()
        assert frame["y"] + frame["height"] < 844 * 2 / 3
        main = fakes_page.locator("[data-testid=stMain]")
        assert main.evaluate("e => e.scrollWidth - e.clientWidth") <= 0

    try:
        eventually(fakes_page, is_first_and_within)
    finally:
        fakes_page.set_viewport_size(PROJECTOR)


LINK = "coarser?dataset=infant-deaths&blocks=groups&threshold=5&attack=parts&moves=0"
DATA = InfantDeaths().load()
HIDE, ROUNDING = "Hide small counts", "Random rounding"
PLAYED = ".st-key-coarser-restart"
MOVE = ".st-key-coarser-move button"
CHART = "[role=figure][aria-label^='Answers right']"
COARSER_HEADLINE = ".st-key-headline h1"


@pytest.fixture(scope="module")
def coarser_page(profiles: Profiles, address: str) -> Iterator[Any]:
    """One load for all attacks."""
    with visiting(profiles(viewport=DESKTOP), f"{address}/{LINK}", ".bars", "figure svg") as found:
        yield found


def counties() -> list[list[int]]:
    assert DATA.counts is not None
    table: list[list[int]] = DATA.counts.reshape(100, 2).tolist()
    return table


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


def test_a_total_and_its_parts(coarser_page: Any, address: str) -> None:
    reopened(coarser_page, f"{address}/{LINK}", ".bars")
    expect(coarser_page.locator(COARSER_HEADLINE)).to_have_text([re.compile(r"\?$")])
    moves = [
        (False, "nothing"),
        (True, "nothing"),
        (True, "nothing"),
        (True, "marks"),
        (True, "rule"),
    ]
    for number, (second, knows) in enumerate(moves, start=1):
        coarser_page.locator(MOVE).press("Enter")
        coarser_page.wait_for_url(
            f"**moves={number}*" if number != 1 else re.compile(r"^((?!moves).)*$")
        )
        if number == 1:
            # By subtraction alone: of a county, the one hidden count.
            lone = [[0 < count < 5 for count in pair] for pair in counties()]
            known = sum(pair.count(True) == 1 for pair in lone)
        else:
            known = sum(known_by_hand(pair, 5, second, knows) for pair in counties())
        pattern = re.compile(f"works out {known or 'none'} of 72 ")
        expect(coarser_page.locator(COARSER_HEADLINE)).to_have_text([pattern])
        wait_until_settled(coarser_page)
        expect_bar(coarser_page, HIDE, percent(known / 72))
        expect_bar(coarser_page, "Noise in blocks", "0")
    coarser_page.locator(PLAYED).wait_for()


def test_two_tables_a_day_apart(coarser_page: Any) -> None:
    choose(coarser_page, "Two tables, a day apart")
    coarser_page.locator(MOVE).click()
    coarser_page.locator(PLAYED).wait_for()
    flat = [count for pair in counties() for count in pair]
    labels = np.repeat(np.arange(100), 2).tolist()
    found = np.array(newcomers_by_hand(5, flat, labels))
    expect_bar(
        coarser_page,
        HIDE,
        percent(np.array(flat)[found].sum() / sum(flat)),
    )
    expect_bar(coarser_page, "Plain LDP", "0")


def test_overlapping_regions(coarser_page: Any) -> None:
    choose(coarser_page, "Overlapping regions")
    coarser_page.locator(MOVE).click()
    coarser_page.locator(PLAYED).wait_for()
    small = [count for pair in counties() for count in pair if 0 < count < 5]
    chances = {value: float(averaged_by_hand(value, 5, 20)) for value in set(small)}
    share = sum(chances[value] for value in small) / len(small)
    expect_bar(coarser_page, ROUNDING, percent(share))
    expect_bar(coarser_page, HIDE, "100")


def between_two(page: Any, attack: str) -> tuple[Any, list[int]]:
    """Play an attack that is about two cells: (k,) counts of all, and which two cells."""
    choose(page, attack)
    page.locator(MOVE).click()
    page.locator(PLAYED).wait_for()
    assert DATA.counts is not None
    assert isinstance(DATA.domain, Domain)
    names, cells = DATA.domain.names, page.locator(".st-key-coarser-knows strong")
    return DATA.counts.copy(), [names.index(each) for each in cells.all_inner_texts()]


def test_two_places(coarser_page: Any) -> None:
    counts, ends = between_two(coarser_page, "Two places")
    counts[ends[0]] -= 1
    labels, worlds = np.repeat(np.arange(100), 2), []
    for end in ends:
        world = counts + (np.arange(200) == end)
        worlds.append([*world[ends].tolist(), int(world[labels == labels[ends[0]]].sum())])
    expect_bar(
        coarser_page,
        ROUNDING,
        percent(float(told_apart_by_hand(worlds[0], worlds[1], 5))),
    )
    # Two answers of a block by randomized response: e/(1 + e); central noise is ε/2 for each.
    expect_bar(coarser_page, "Noise in blocks", percent(np.e / (1 + np.e)))
    z = np.arange(-200, 201)
    here, there = (np.exp(-0.5 * np.abs(z - c)) for c in (1, 0))
    best = np.maximum(np.outer(here, there), np.outer(there, here)).sum()
    expect_bar(
        coarser_page,
        "Central noise",
        percent(best / (2 * here.sum() * there.sum())),
    )


def test_one_person_who_moved(coarser_page: Any) -> None:
    counts, ends = between_two(coarser_page, "One person who moved")
    labels, days = np.repeat(np.arange(100), 2), []
    counts[ends[0]] -= 1
    for end in ends:
        there = counts + (np.arange(200) == end)
        days.append([*there[ends].tolist(), int(there[labels == labels[ends[0]]].sum())])
    both = [first + second for first, second in (days, days[::-1])]
    expect_bar(
        coarser_page,
        ROUNDING,
        percent(float(told_apart_by_hand(both[0], both[1], 5))),
    )
    # Two reports of one block: both say the same way, or they disagree and a coin decides.
    right = np.e / (1 + np.e)
    expect_bar(
        coarser_page,
        "Noise in blocks",
        percent(right**2 + right * (1 - right)),
    )


def test_many_tables(coarser_page: Any) -> None:
    choose(coarser_page, "Many tables", CHART)
    chart = coarser_page.locator(CHART)
    coarser_page.locator(".st-key-coarser-tables input[type=range]").press("End")
    told = re.compile("^400 exact tables reveal 100 of 100")
    expect(coarser_page.locator(COARSER_HEADLINE)).to_have_text([told])
    # 400 random halves of 100 people have full rank: the answers are the one solution.
    members = np.random.default_rng(0).random((400, 100)) < 0.5
    assert np.linalg.matrix_rank(members) == 100
    label = chart.get_attribute("aria-label")
    noisy = re.search(r"noise, one ε for all tables: (\d+)", label)
    assert noisy is not None
    assert 35 <= int(noisy[1]) <= 65  # three times 100 guesses: 5 standard errors


def test_seven_people(coarser_page: Any) -> None:
    choose(coarser_page, "A census block")
    coarser_page.locator(MOVE).click()
    for lines, left_out, many in (
        ("The whole table", (), 1),
        ("Without 4A", ("4A",), 2),
        ("Without 2A, 2B", ("2A", "2B"), 8),
    ):
        coarser_page.get_by_role("radio", name=lines, exact=True).click()
        blocks = coarser_page.locator(".seven .worlds ul")
        expect(blocks).to_have_count(many)
        for block in blocks.all():
            people = [each.split() for each in block.locator("li").all_inner_texts()]
            kept = [line for line in LINES if line.number not in left_out]
            assert all(_fits(line, people) for line in kept)


def _fits(line: PublishedRow, people: list[list[str]]) -> bool:
    wanted = set(line.who.removesuffix(" adults").split()) - {"everybody"}
    ages = [int(person[0]) for person in people if wanted <= set(person[1:])]
    mean = abs(np.mean(ages) - line.mean) < 0.051
    return len(ages) == line.count and bool(np.median(ages) == line.median and mean)


OWN = """answer,people,group
asthma north,31,north
flu north,4,north
HIV north,2,north
asthma south,142,south
flu south,3,south
HIV south,13,south"""


def test_a_table_of_ones_own_is_attacked_and_leaves_a_record(open_link: Any) -> None:
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
    assert "ward" in download(page, "record.html")


def download(page: Any, name: str) -> str:
    """What a button of the open tab saves."""
    with page.expect_download() as found:
        page.get_by_role("button", name=name, exact=True).click()
    return Path(found.value.path()).read_text("utf-8")
