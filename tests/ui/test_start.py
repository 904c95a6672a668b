"""The start page: its exhibit, the data that it draws, the roads from it, and old links."""

import base64
import io
import json
import math
import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import no_progress
from caldp_core.domain.domains import US_GRID
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import GridBlocks, OneBlock, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.maps.scene import BEGIN
from caldp_ui.offline.document import document
from caldp_ui.start import exhibit, page
from caldp_ui.start.page_state import LINK, StartState
from caldp_ui.words import formats
from tests.contract.checks import naming
from tests.ui.driver import (
    assert_shows,
    checked,
    data_of,
    headline_of,
    open_page,
    query_of,
    scenario_of,
    send_event,
)

BLOCKS = ((1, 1), (2, 4), (5, 7), (10, 14), (17, 24), (25, 35), (50, 70), (83, 117))
"""Rows and columns of the sizes, from the largest block to the smallest."""


def scenario_at(size: int, epsilon: float, seed: int = 0) -> Scenario:
    """The scenario of a point of the exhibit, written anew."""
    rows, columns = BLOCKS[size]
    blocks = OneBlock() if size == 0 else GridBlocks(rows, columns)
    found = Scenario(seed=seed) if seed else Scenario()
    return found.with_context(blocks=blocks).with_epsilon(epsilon)


@cache
def pixels(text: str) -> NDArray[np.uint8]:
    """The numbers of a PNG in base64, read by another reader than the browser's."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(text))))


def shares_between(codes: NDArray[np.uint8]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The least and the largest share that each level of the map stands for."""
    scale = exhibit.stored()["scale"]
    low, high, levels = scale["low"], scale["high"], scale["levels"]
    steps = math.log(high / low) / (levels - 1)
    middle = codes.astype(float) - 1.0
    least = np.where(codes <= 1, scale["nobody"], low * np.exp((middle - 0.5) * steps))
    most = np.where(codes >= levels, 1.0, low * np.exp((middle + 0.5) * steps))
    return np.where(codes == 0, 0.0, least), np.where(codes == 0, scale["nobody"], most)


def drawn_cells(values: NDArray[Any]) -> NDArray[Any]:
    """Values of the grid's cells as the exhibit draws them: north on top, without the seas."""
    grid = exhibit.stored()["grid"]
    columns = slice(grid["first"], grid["first"] + grid["columns"])
    return values.reshape(US_GRID.rows, US_GRID.columns)[::-1, columns]


def frame(size: int, epsilon: float) -> NDArray[np.uint8]:
    """The levels of a point's map."""
    source = exhibit.stored()
    sheet = pixels(source["sheets"][source["epsilons"].index(epsilon)])
    return sheet.reshape(len(BLOCKS), -1, sheet.shape[1])[size]


def assert_is_map_of(codes: NDArray[np.uint8], shares: NDArray[Any]) -> None:
    """Each level holds the share of its cell, up to rounding at a level's edge."""
    least, most = shares_between(codes)
    drawn = drawn_cells(shares)
    assert ((least * (1 - 1e-9) <= drawn) & (drawn <= most * (1 + 1e-9))).all()


POINTS = [(5, 1.0)] + [
    pytest.param(size, epsilon, marks=pytest.mark.thorough)
    for size in range(len(BLOCKS))
    for epsilon in (0.5, 1.0, 2.0, 4.0)
    if (size, epsilon) != (5, 1.0)
]


@pytest.mark.slow
@pytest.mark.parametrize(("size", "epsilon"), POINTS)
def test_a_stored_map_is_that_of_a_run(size: int, epsilon: float) -> None:
    result = run(prepare(scenario_at(size, epsilon)))
    assert_is_map_of(frame(size, epsilon), result.first.estimate)
    source = exhibit.stored()
    figures = source["errors"][source["epsilons"].index(epsilon)][size]
    assert figures["drawn"] == round(float(result.errors[0].tv), 5)
    other = 4.0 if epsilon != 4.0 else 2.0
    with pytest.raises(AssertionError):
        assert_is_map_of(frame(size, other), result.first.estimate)


def test_truth_and_reports_are_those_of_the_data() -> None:
    dataset = prepare(Scenario()).dataset
    source = exhibit.stored()
    assert_is_map_of(pixels(source["truth"]), dataset.distribution)
    red, green, blue = np.moveaxis(pixels(source["counts"]).astype(int), -1, 0)
    assert dataset.counts is not None
    assert (red * 65536 + green * 256 + blue == drawn_cells(dataset.counts)).all()
    assert source["people"] == dataset.counts.sum()


def test_edges_are_those_of_the_blocks() -> None:
    for size, (rows, columns) in zip(exhibit.stored()["sizes"], BLOCKS, strict=True):
        partition = prepare(scenario_at(BLOCKS.index((rows, columns)), 1.0)).partition
        labels = partition.labels.reshape(US_GRID.rows, US_GRID.columns)
        row, column = np.arange(US_GRID.rows), np.arange(US_GRID.columns)
        block_row = np.searchsorted(size["rows"], row, side="right") - 1
        block_column = np.searchsorted(size["columns"], column, side="right") - 1
        assert (labels == block_row[:, None] * columns + block_column).all()


REDRAWS = 12
Z = 5.0
"""Two-sided, less than one in a million by a normal."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "epsilon"), [(6, 2.0), pytest.param(5, 1.0, marks=pytest.mark.thorough)]
)
def test_expected_errors_are_those_of_new_collections(size: int, epsilon: float) -> None:
    """Power: the error at twice the ε lies more than 20 deviations of this mean away."""
    source = exhibit.stored()
    at = source["epsilons"].index(epsilon)
    expected = source["errors"][at][size]
    assert source["command"] == "python -m scripts.make_exhibit"
    assert expected["trials"] >= 16
    seeds = range(1000, 1000 + REDRAWS)
    errors = [run(prepare(scenario_at(size, epsilon, seed))).errors[0].tv for seed in seeds]
    spread = math.hypot(expected["deviation"] / math.sqrt(REDRAWS), expected["standard_error"])
    # Stored figures are rounded to 5 decimals.
    assert abs(np.mean(errors) - expected["expected"]) <= Z * spread + 1e-5
    wrong = source["errors"][at + 1][size]["expected"]
    assert abs(np.mean(errors) - wrong) > Z * spread + 1e-5


def test_less_hidden_and_less_noise_cost_less_and_every_point_is_on_the_axis() -> None:
    errors = exhibit.stored()["errors"]
    expected = np.array([[point["expected"] for point in row] for row in errors])
    deviation = np.array([[point["deviation"] for point in row] for row in errors])
    assert (np.diff(expected, axis=0) < 0).all()
    assert (np.diff(expected, axis=1) < 0).all()
    axis = re.search(r"const TOP = ([\d.]+);", exhibit._SCRIPT)
    assert axis is not None
    assert expected.max() <= float(axis[1])
    assert (expected - 1.645 * deviation).min() >= 0
    drawn = np.array([[point["drawn"] for point in row] for row in errors])
    assert (np.abs(drawn - expected) <= Z * deviation + 1e-5).all(), "not a lucky collection"


def test_texts_of_the_exhibit_are_its_numbers() -> None:
    content = exhibit.content()
    for row, texts, numbers in zip(
        content["errors"], content["wrong"], content["numbers"], strict=True
    ):
        expected = [point["expected"] for point in row]
        assert texts == [formats.of_hundred(error) for error in expected]
        assert [f"{number} of 100" for number in numbers] == texts
    odds = [max_guess_accuracy(epsilon) for epsilon in content["epsilons"]]
    assert content["odds"] == [formats.of_hundred(chance) for chance in odds]
    assert content["odds"][1] == "73 of 100"
    assert content["names"][0] == "the whole country"
    assert content["names"][1] == "1,400 × 1,600 km"


def test_sides_of_a_block_are_those_of_where_people_are() -> None:
    """A degree of longitude is as long as it is on average where people are."""
    dataset = prepare(Scenario()).dataset
    assert dataset.counts is not None
    rows = np.repeat(US_GRID.latitudes(), US_GRID.columns)
    narrow = np.average(np.cos(np.radians(rows)), weights=dataset.counts)
    kilometres = 2 * math.pi * 6371.0 / 360
    for size, (rows_of, columns_of) in zip(exhibit.stored()["sizes"], BLOCKS, strict=True):
        if not size["kilometres"]:
            continue
        high = 25.0 / rows_of * kilometres
        wide = 70.0 / columns_of * kilometres * narrow
        assert size["kilometres"] == pytest.approx([high, wide], rel=0.05)


def test_what_the_browser_loads_is_small() -> None:
    """At most 1.5 MB, the code with it."""
    size = len(json.dumps(exhibit.content(), ensure_ascii=False).encode())
    assert size + len(exhibit._SCRIPT) + len(exhibit._STYLE) <= 1_500_000


def exhibit_of(at: Any) -> dict[str, Any]:
    """What the page says to the exhibit."""
    shown: dict[str, Any] = json.loads(data_of(at, page.KEY)["content"])
    return shown


def test_a_newcomer_lands_on_the_exhibit() -> None:
    at = open_page("", {})
    assert navigation.PAGES[0].path == navigation.START
    assert headline_of(at).startswith(page.QUESTION)
    assert exhibit_of(at) == {"size": 5, "epsilon": 1, "glides": True}
    sent = data_of(at, page.KEY)
    assert sent["data"] is None, "what is large comes once, and is kept by the browser"
    assert sent["address"] == exhibit.address()


def test_what_is_chosen_is_in_the_link_and_comes_from_it() -> None:
    at = open_page("", {})
    choice = {"size": "33x53", "epsilon": 4.0}
    checked(send_event(at, data_of(at, page.KEY)["receipt"], choice, page.KEY, "choose"))
    assert exhibit_of(at) == {"size": 7, "epsilon": 3, "glides": False}
    assert {key: query_of(at)[key] for key in ("size", "eps")} == {"size": "33x53", "eps": "4"}
    assert exhibit_of(open_page("", query_of(at)))["size"] == 7
    assert exhibit_of(open_page("", {"size": "country", "eps": "0.5"}))["size"] == 0


@pytest.mark.parametrize("record", [{"size": "5x5", "epsilon": 1.0}, {"size": [], "epsilon": "x"}])
def test_what_the_exhibit_never_sends_changes_nothing(record: Any) -> None:
    at = open_page("", {})
    checked(send_event(at, data_of(at, page.KEY)["receipt"], record, page.KEY, "choose"))
    assert exhibit_of(at) == {"size": 5, "epsilon": 1, "glides": True}


def test_a_link_to_another_size_or_epsilon_is_refused_in_a_sentence() -> None:
    refused = {"110x180": StartState("9x9"), "0.5, 1, 2, 4": StartState(epsilon=3.0)}
    for named, record in refused.items():
        with pytest.raises(CaldpError, match=re.escape(named)):
            LINK.check(record)


def test_links_of_the_time_when_the_first_page_was_a_map_open_the_map() -> None:
    states = scenario_of(open_page("", {"blocks": "states", "v": "2"}))
    assert states.context.blocks == StateBlocks()
    assert_shows(open_page("", {"epsilon": "4", "v": "2"}), Scenario().with_epsilon(4.0))


THERE = {
    "teach-0": "classroom-begin",
    "decide-0": "desk-step-0",
    "decide-1": "plan-protection",
    "own-0": "places-own-text",
    "own-1": "values-own-text",
}
"""A control of the page that each way leads to."""


@pytest.mark.parametrize(("way", "there"), THERE.items())
def test_what_people_come_for_is_one_click_away(way: str, there: str) -> None:
    at = checked(open_page("", {}).button(key=f"start-go-{way}").click().run())
    assert there in {str(element.key) for element in (*at.button, *at.selectbox, *at.text_area)}


def test_the_roads_are_three_of_at_most_sixty_words() -> None:
    ways = [f"{name}-{i}" for name, road in page.ROADS.items() for i in range(len(road["ways"]))]
    assert ways == list(THERE)
    texts = [
        text
        for road in page.ROADS.values()
        for text in (road["title"], road["text"], *(way["label"] for way in road["ways"]))
    ]
    words = " ".join(texts).split()
    assert len(page.ROADS) == 3
    assert len(words) <= 60


def test_the_exhibit_is_a_part_of_a_file_with_all_its_data() -> None:
    file = document("A file", [page.part(StartState("33x53", 4.0))], no_progress)
    assert exhibit.content()["truth"] in file
    assert "fetch(" in file, "its code is there, which asks nobody where it has its data"
    with naming("the choice of the page"):
        assert '{\\"size\\": 7, \\"epsilon\\": 3, \\"glides\\": false}' in file


def test_the_map_that_the_page_began_with_is_one_of_its_points() -> None:
    assert BEGIN.context.blocks == GridBlocks(*BLOCKS[5])
