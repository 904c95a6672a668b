"""Charts in files without a server: Plotly's code, what a figure needs, and where the code is."""

import hashlib
import re
from typing import Any, Final

import pytest
from plotly.offline import get_plotlyjs_version

from caldp_core.basics.types import no_progress
from caldp_ui.charts.show import Figure, figure_json
from caldp_ui.offline import document
from caldp_ui.offline.document import Board, Part, plotly_code

VENDOR: Final = document._VENDOR
BARS: Final = {"type": "bar", "x": ["a", "b"], "y": [1.0, 2.0]}
MARGIN: Final = {"l": 40, "r": 10, "t": 10, "b": 40}
LAYOUT: Final = {"height": 200, "margin": MARGIN}


def part_of(name: str, pictures: dict[str, str]) -> Part:
    return Part(name, name, "a task", {"h1": "<p>a sentence</p>"}, Board(pictures))


def test_the_code_is_the_pages_version_unchanged_below_its_licence() -> None:
    """Pages draw with the library that the Python package brings: both are to draw the same."""
    licence, _, code = plotly_code().partition(" */\n")
    assert licence.startswith("/*! MIT License")
    assert "Plotly Technologies" in licence
    assert f"plotly.js (basic - minified) v{get_plotlyjs_version()}" in code
    readme = (VENDOR / "README.md").read_text("utf-8")
    assert f"`{hashlib.sha256(code.encode()).hexdigest()}`" in readme
    # Nothing in it ends the script element that it stands in.
    assert not re.search(r"</script|<!--", plotly_code(), re.IGNORECASE)


def test_a_file_carries_the_code_once_and_only_for_charts() -> None:
    chart, drawing = figure_json(Figure([BARS], LAYOUT), "two bars"), "<svg></svg>"
    charts = [part_of("one", {"a": chart, "b": drawing}), part_of("two", {"a": chart})]
    assert document.document("Charts", charts, no_progress).count(plotly_code()) == 1
    drawings = [part_of("one", {"b": drawing})]
    assert plotly_code() not in document.document("Drawings", drawings, no_progress)


@pytest.mark.parametrize(
    ("traces", "layout", "sentence"),
    [
        ([{**BARS, "type": "heatmap"}], LAYOUT, "trace 0 must have a type of scatter, bar, pie"),
        ([BARS, {"x": [1]}], LAYOUT, "trace 1 must have a type of"),
        ([{"type": "scatter", "x": [1], "y": [1]}], LAYOUT, "trace 0 must have a mode"),
        ([BARS], {"margin": MARGIN}, "layout must have a height in pixels above 0, got None"),
        ([BARS], {**LAYOUT, "height": 0}, "got 0"),
        ([BARS], {"height": 200}, "b, l, r, t is missing"),
        ([BARS], {**LAYOUT, "margin": {"l": 1, "r": 1, "t": 1}}, "b is missing"),
        ([BARS], {**LAYOUT, "meta": {"narrow": {}}}, "narrow form must have a margin"),
    ],
)
def test_a_figure_that_would_be_empty_in_the_browser_is_not_made(
    traces: list[dict[str, Any]], layout: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        Figure(traces, layout)
