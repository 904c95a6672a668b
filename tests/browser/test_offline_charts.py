"""A chart in a file without a server: bars as high as their numbers, at each step of a slider."""

import re
from pathlib import Path
from typing import Any

import pytest

from caldp_core.basics.types import no_progress
from caldp_ui.app.theme import BOTH, DARK, LIGHT
from caldp_ui.charts.curves import bare_layout
from caldp_ui.charts.show import KINDS, Figure, figure_json
from caldp_ui.offline.document import Board, Dial, Part, document
from caldp_ui.stage.records import Step
from tests.browser.conftest import DESKTOP
from tests.browser.hands import expect, expect_script
from tests.browser.test_a_lesson import OFFLINE_PHONE, reading

pytestmark = pytest.mark.browser
HEIGHTS = "bars => bars.map(bar => Math.round(bar.getBoundingClientRect().height))"


def bars(counts: list[int]) -> str:
    axis: dict[str, Any] = {"range": [0, 8], "automargin": False}
    trace = {"type": "bar", "x": ["a", "b", "c"], "y": counts, "marker": {"color": BOTH.ours}}
    # 240 pixels between the margins are 8 people: a person has 30.
    layout = bare_layout(BOTH, {}, {**axis, "title": "people"}, 300, (60, 10, 20, 40))
    return figure_json(Figure([trace], layout), f"Bars of {counts}")


def step(counts: list[int]) -> Step:
    sentence = {"h1": f"<p>{sum(counts)} people</p>"}
    return Step(reading=f"{counts[0]}", pictures={"bars": bars(counts)}, replacements=sentence)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    steps = (step([2, 4, 6]), step([5, 0, 1]))
    dial = Dial("First", 0, steps)
    sentence = {"h1": "<p>12 people</p>"}
    board = Board(steps[0].pictures)
    part = Part("part", "Bars", "Move it.", sentence, board, [lambda _: dial])
    path = tmp_path_factory.mktemp("stick") / "bars.html"
    path.write_text(document("Bars", [part], no_progress), "utf-8")
    return path


def heights(page: Any) -> Any:
    return page.locator(".bars .point path").evaluate_all(HEIGHTS)


@pytest.mark.parametrize(
    ("screen", "colours"), [({"viewport": DESKTOP}, LIGHT), (OFFLINE_PHONE, DARK)]
)
def test_bars_are_drawn_at_each_step_in_the_colours_of_the_theme(
    browser: Any, file: Path, screen: dict[str, Any], colours: Any
) -> None:
    with reading(browser, file, **screen) as page:
        chart = page.locator(".chart")
        expect(chart).to_have_attribute("aria-label", "Bars of [2, 4, 6]")
        assert heights(page) == [60, 120, 180]
        page.locator("input[type=range]").press("End")
        expect(chart).to_have_attribute("aria-label", "Bars of [5, 0, 1]")
        expect_script(page.locator(".bars"), "e => e.querySelectorAll('.point').length", 3)
        assert heights(page) == [150, 0, 30]
        red, green, blue = (int(colours.ours[at : at + 2], 16) for at in (1, 3, 5))
        style = page.locator(".bars .point path").first.get_attribute("style")
        assert re.search(rf"fill: rgb\({red}, {green}, {blue}\)", style)
        # What can be drawn is what figures are held to when they are made.
        drawable = page.evaluate("Object.keys(Plotly.PlotSchema.get().traces)")
        assert sorted(drawable) == sorted(KINDS)
