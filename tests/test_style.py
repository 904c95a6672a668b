"""`scripts/measure_style.py` counts what it says; no modules of the project import each other."""

from pathlib import Path

import pytest

from scripts import measure_style
from scripts.measure_style import ImportGraph, Style

SOURCE = '''"""A docstring, which is no line of code."""

# A comment.
numbers = [1 if even else 2 for even in (True, False)]
pairs = [(a, b) for a in numbers for b in numbers]  # another


def _twice(value):
    return 2 * value


def _unused(value):
    return value


for each in numbers:
    print(_twice(each))
'''


def test_each_figure_is_counted_by_hand() -> None:
    style = measure_style.measure(SOURCE)
    assert style.code_lines == 8
    assert style.comments == 2
    assert style.comprehensions == 2
    assert style.nested_comprehensions == 1
    assert style.conditional_expressions == 1
    assert style.loops_over_each == 1
    assert style.short_helpers_used_once == 1


def test_a_circle_is_found_by_way_of_others() -> None:
    graph = ImportGraph({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    assert graph.circles() == [["a", "b", "c"]]


def _project_files() -> list[Path]:
    paths = []
    for folder in measure_style.FOLDERS:
        paths += sorted((measure_style.ROOT / folder).rglob("*.py"))
    return paths


def test_no_modules_import_each_other() -> None:
    graph = measure_style.import_graph(_project_files())
    assert len(graph.imports) > 400
    # The graph sees what a page takes from its folder, else nothing could be found.
    assert "caldp_ui.places.page" in graph.imports["pages.places"]
    assert graph.circles() == []


def test_nothing_is_kept_from_the_formatter() -> None:
    mark = "# fmt" + ": skip"
    kept = [path for path in _project_files() if mark in path.read_text("utf-8")]
    assert kept == []


CEILINGS = {
    "caldp_core": (47.4, 3.1, 14.7, 2.2),
    "caldp_core/cli": (29.0, 0.9, 6.0, 3.2),
    "caldp_core/attacks": (43.0, 0.0, 0.0, 6.0),
    "caldp_core/collect": (33.8, 0.3, 12.3, 2.7),
    "caldp_core/datasets": (71.0, 4.1, 11.7, 3.1),
    "caldp_core/datasets/files/checks": (67.6, 2.4, 2.0, 4.3),
    "caldp_core/lecture": (45.2, 1.8, 5.0, 3.7),
    "caldp_ui": (46.0, 4.7, 34.0, 1.0),
}
"""By folder the most comprehensions, nested ones and conditional expressions per 1,000 lines of
code, and the fewest comments per 100: a ratchet, tightened whenever files are unfolded."""


def _style_of(folder: str) -> Style:
    style = Style()
    for path in sorted((measure_style.ROOT / folder).rglob("*.py")):
        style.add(measure_style.measure(path.read_text("utf-8")))
    return style


@pytest.mark.parametrize("folder", CEILINGS)
def test_a_folder_stays_as_readable_as_it_has_become(folder: str) -> None:
    comprehensions, nested, conditionals, comments = CEILINGS[folder]
    style = _style_of(folder)
    assert style.code_lines > 100
    assert style.per_thousand(style.comprehensions) <= comprehensions
    assert style.per_thousand(style.nested_comprehensions) <= nested
    assert style.per_thousand(style.conditional_expressions) <= conditionals
    assert style.per_thousand(style.comments) / 10 >= comments
