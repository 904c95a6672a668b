"""Every attack of “Noise, coarser, or nothing?” is played to its end, and held by brute force."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.browser import wait_until_settled
from caldp_core.attacks.reconstruction import LINES, PublishedRow
from caldp_core.datasets import InfantDeaths
from caldp_core.domain.answers import Domain
from tests.attacks.by_hand import (
    averaged_by_hand,
    known_by_hand,
    newcomers_by_hand,
    told_apart_by_hand,
)
from tests.browser.conftest import DESKTOP, Profiles, visiting
from tests.browser.hands import expect

pytestmark = pytest.mark.browser
LINK = "coarser?dataset=infant-deaths&blocks=groups&threshold=5&attack=parts&moves=0"
DATA = InfantDeaths().load()
HIDE, ROUNDING = "Hide small counts", "Random rounding"
PLAYED = ".st-key-coarser-restart"
MOVE = ".st-key-coarser-move button"
CHART = "[role=figure][aria-label^='Answers right']"
HEADLINE = ".st-key-headline h1"


@pytest.fixture(scope="module")
def page(profiles: Profiles, address: str) -> Iterator[Any]:
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


def bar(page: Any, name: str) -> str:
    """What the bar of a treatment says, of 100, once it is known."""
    label = page.locator(f".bars li[aria-label^='{name}:']")
    expect(label).to_have_attribute("aria-label", re.compile(r": .+ of 100$"))
    return str(re.fullmatch(r".*: (.+) of 100", label.get_attribute("aria-label"))[1])  # type: ignore[index]


def percent(share: float) -> str:
    return f"{100 * share:.0f}"


def test_a_total_and_its_parts(page: Any) -> None:
    expect(page.locator(HEADLINE)).to_have_text([re.compile(r"\?$")])
    moves = [
        (False, "nothing"),
        (True, "nothing"),
        (True, "nothing"),
        (True, "marks"),
        (True, "rule"),
    ]
    for number, (second, knows) in enumerate(moves, start=1):
        page.locator(MOVE).press("Enter")
        page.wait_for_url(f"**moves={number}*" if number != 1 else re.compile(r"^((?!moves).)*$"))
        if number == 1:
            # By subtraction alone: of a county, the one hidden count.
            lone = [[0 < count < 5 for count in pair] for pair in counties()]
            known = sum(pair.count(True) == 1 for pair in lone)
        else:
            known = sum(known_by_hand(pair, 5, second, knows) for pair in counties())
        pattern = re.compile(f"works out {known or 'none'} of 72 ")
        expect(page.locator(HEADLINE)).to_have_text([pattern])
        wait_until_settled(page)
        assert bar(page, HIDE) == percent(known / 72)
        assert bar(page, "Noise in blocks") == "0"
    page.locator(PLAYED).wait_for()


def test_two_tables_a_day_apart(page: Any) -> None:
    choose(page, "Two tables, a day apart")
    page.locator(MOVE).click()
    page.locator(PLAYED).wait_for()
    flat = [count for pair in counties() for count in pair]
    labels = np.repeat(np.arange(100), 2).tolist()
    found = np.array(newcomers_by_hand(5, flat, labels))
    assert bar(page, HIDE) == percent(np.array(flat)[found].sum() / sum(flat))
    assert bar(page, "Plain LDP") == "0"


def test_overlapping_regions(page: Any) -> None:
    choose(page, "Overlapping regions")
    page.locator(MOVE).click()
    page.locator(PLAYED).wait_for()
    small = [count for pair in counties() for count in pair if 0 < count < 5]
    chances = {value: float(averaged_by_hand(value, 5, 20)) for value in set(small)}
    share = sum(chances[value] for value in small) / len(small)
    assert bar(page, ROUNDING) == percent(share)
    assert bar(page, HIDE) == "100"


def between_two(page: Any, attack: str) -> tuple[Any, list[int]]:
    """Play an attack that is about two cells: (k,) counts of all, and which two cells."""
    choose(page, attack)
    page.locator(MOVE).click()
    page.locator(PLAYED).wait_for()
    assert DATA.counts is not None
    assert isinstance(DATA.domain, Domain)
    names, cells = DATA.domain.names, page.locator(".st-key-coarser-knows strong")
    return DATA.counts.copy(), [names.index(each) for each in cells.all_inner_texts()]


def test_two_places(page: Any) -> None:
    counts, ends = between_two(page, "Two places")
    counts[ends[0]] -= 1
    labels, worlds = np.repeat(np.arange(100), 2), []
    for end in ends:
        world = counts + (np.arange(200) == end)
        worlds.append([*world[ends].tolist(), int(world[labels == labels[ends[0]]].sum())])
    assert bar(page, ROUNDING) == percent(float(told_apart_by_hand(worlds[0], worlds[1], 5)))
    # Two answers of a block by randomized response: e/(1 + e); central noise is ε/2 for each.
    assert bar(page, "Noise in blocks") == percent(np.e / (1 + np.e))
    z = np.arange(-200, 201)
    here, there = (np.exp(-0.5 * np.abs(z - c)) for c in (1, 0))
    best = np.maximum(np.outer(here, there), np.outer(there, here)).sum()
    assert bar(page, "Central noise") == percent(best / (2 * here.sum() * there.sum()))


def test_one_person_who_moved(page: Any) -> None:
    counts, ends = between_two(page, "One person who moved")
    labels, days = np.repeat(np.arange(100), 2), []
    counts[ends[0]] -= 1
    for end in ends:
        there = counts + (np.arange(200) == end)
        days.append([*there[ends].tolist(), int(there[labels == labels[ends[0]]].sum())])
    both = [first + second for first, second in (days, days[::-1])]
    assert bar(page, ROUNDING) == percent(float(told_apart_by_hand(both[0], both[1], 5)))
    # Two reports of one block: both say the same way, or they disagree and a coin decides.
    right = np.e / (1 + np.e)
    assert bar(page, "Noise in blocks") == percent(right**2 + right * (1 - right))


def test_many_tables(page: Any) -> None:
    choose(page, "Many tables", CHART)
    chart = page.locator(CHART)
    page.locator(".st-key-coarser-tables input[type=range]").press("End")
    told = re.compile("^400 exact tables reveal 100 of 100")
    expect(page.locator(HEADLINE)).to_have_text([told])
    # 400 random halves of 100 people have full rank: the answers are the one solution.
    members = np.random.default_rng(0).random((400, 100)) < 0.5
    assert np.linalg.matrix_rank(members) == 100
    label = chart.get_attribute("aria-label")
    noisy = re.search(r"noise, one ε for all tables: (\d+)", label)
    assert noisy is not None
    assert 35 <= int(noisy[1]) <= 65  # three times 100 guesses: 5 standard errors


def test_seven_people(page: Any) -> None:
    choose(page, "A census block")
    page.locator(MOVE).click()
    for lines, left_out, many in (
        ("The whole table", (), 1),
        ("Without 4A", ("4A",), 2),
        ("Without 2A, 2B", ("2A", "2B"), 8),
    ):
        page.get_by_role("radio", name=lines, exact=True).click()
        blocks = page.locator(".seven .worlds ul")
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


def test_a_table_of_ones_own_is_attacked_and_leaves_a_memo_and_a_record(open_link: Any) -> None:
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
    expect(page.locator(HEADLINE)).to_have_text([re.compile("works out 1 of 3 ")])
    assert bar(page, HIDE) == percent(1 / 3)
    memo = page.get_by_role("tabpanel").locator("code").inner_text()
    assert "ward" in memo
    assert "195 people" in memo
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
