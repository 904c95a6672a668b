"""The benchmarks run and report what they should; nothing here looks at the clock."""

import inspect
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import __main__ as front
from benchmarks import figures as asv_runs
from benchmarks import pages
from benchmarks.figures import CONFIG, Bar, Figure, figures_of
from benchmarks.suites import accuracy, core, files
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.reproduce import SIZES
from scripts import estimator_figures
from tests.contract.checks import naming
from tests.stats import SAME_DRAWS
from tests.strategies import thinned

SMALL: dict[str, Any] = {
    "people": 500,
    "table_runs": 2,
    "figure_runs": 1,
    "k": 50,
    "draws": 1,
    "n": 100,
    "rows": 1000,
    "sizes": SIZES[:1],
}
"""By attribute of a suite: so little work that a test can run it."""
SMALL_MAP = GridDomain(25.0, -130.0, 1.0, 25, 70)
KINDS = ("time_", "track_", "peakmem_")
ELSEWHERE = {"Kernels", "Week", "Spark"}
"""No small size, or cores of a process: tests of kernels, the example and Spark run them."""


def suites() -> Iterator[type]:
    for path in sorted((CONFIG.parent / "suites").glob("[a-z]*.py")):
        module = import_module(f"benchmarks.suites.{path.stem}")
        for _, each in inspect.getmembers(module, inspect.isclass):
            if each.__module__ == module.__name__ and methods(each):
                yield each


def methods(suite: type) -> list[str]:
    return [name for name in dir(suite) if name.startswith(KINDS)]


def cases(suite: Any) -> list[tuple[Any, ...]]:
    """A diagonal of the parameters."""
    params = getattr(suite, "params", ())
    axes = params if params and isinstance(params[0], list | tuple) else (params,)
    longest = max(map(len, axes)) or 1
    return [tuple(axis[i % len(axis)] for axis in axes if axis) for i in range(longest)]


def run_case(suite: type, case: tuple[Any, ...], cache: tuple[Any, ...]) -> dict[str, Any]:
    each: Any = suite()
    try:
        if hasattr(each, "setup"):
            each.setup(*case)
        return {name: getattr(each, name)(*cache, *case) for name in methods(suite)}
    except NotImplementedError:
        return {}  # asv skips it


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each suite has so little work that a test can run it."""
    monkeypatch.setattr(files.Places, "time_refuse", lambda _: None)  # a small bomb is a file
    monkeypatch.setattr(files.TalliedTutorials, "params", ("crashes",))
    monkeypatch.setattr(core.Designs, "params", (["plain LDP", "random levels"], [4, 5]))
    for module in (core, accuracy):
        monkeypatch.setattr(module, "US_GRID", SMALL_MAP)
        monkeypatch.setattr(module, "us_people", lambda: np.arange(SMALL_MAP.k) % 9)
    for suite in suites():
        for name, value in SMALL.items():
            if hasattr(suite, name):
                monkeypatch.setattr(suite, name, value)


@pytest.mark.package
@pytest.mark.usefixtures("small")
def test_every_suite_runs_at_a_small_size(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    ran = set()
    for suite in suites():
        if suite.__name__ in ELSEWHERE:
            continue
        cache = (suite().setup_cache(),) if hasattr(suite, "setup_cache") else ()
        for case in cases(suite):
            with naming(f"{suite.__name__} {case}"):
                values = run_case(suite, case, cache)
                ran |= {suite.__name__} if values else set()
                for name, value in values.items():
                    assert value is None if not name.startswith("track_") else not value < 0
    assert {suite.__name__ for suite in suites()} - ran <= ELSEWHERE


def test_bars_are_of_benchmarks_that_there_are() -> None:
    for suite in suites():
        bars = getattr(suite, "bars", {})
        assert set(bars) <= set(methods(suite))
        for case in cases(suite):
            for limit in bars.values():
                found = limit(*case) if callable(limit) else limit
                assert found is None or found > 0


def results(folder: Path, found: dict[str, tuple[list[Any], list[list[str]]]]) -> Path:
    """A file of asv's results: by name of a benchmark its values and parameters."""
    from asv.results import Results

    made: Any = Results({"machine": "m"}, {}, "f" * 40, 0, "3.11", "existing-py", {})
    made._stats = dict.fromkeys(found)
    made._results = {name: values for name, (values, _) in found.items()}
    made._benchmark_params = {name: params for name, (_, params) in found.items()}
    made.save(str(folder))
    return next(folder.glob("m/*.json"))


def test_results_of_asv_are_held_against_the_bars_of_their_suites(tmp_path: Path) -> None:
    path = results(
        tmp_path,
        {
            "core.Audits.time_audit": ([9.0, 11.0], [["'hadamard'", "'oue'"]]),
            "core.Paper.time_table_1": ([14.0], []),
            "core.Families.time_reports": ([float("nan")], [["'oue'"]]),
            "files.Week.time_week": ([3.0], []),
        },
    )
    figures = list(figures_of(path, r"^core\."))
    assert [(each.work, each.verdict) for each in figures] == [
        ("core.Audits.time_audit(hadamard)", "ok"),
        ("core.Audits.time_audit(oue)", "MISSED"),
        ("core.Families.time_reports(oue)", "skipped"),
        ("core.Paper.time_table_1()", "ok"),
    ]


def _one_figure(figure: Figure, _: int) -> list[Figure]:
    return [figure]


def test_a_missed_bar_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds, code in ((1.0, 0), (3.0, 1)):
        figure = Figure("moves", "s", [seconds], Bar("≤", 2))
        monkeypatch.setitem(front.PARTS, "crowd", partial(_one_figure, figure))
        done = CliRunner().invoke(front.main, ["--only", "crowd"])
        assert done.exit_code == code
        assert ("1 bar missed: moves" in done.output) == bool(code)


@pytest.mark.parametrize(
    ("bar", "values", "verdict"),
    [
        (Bar("≤", 2.0), [1.0, 2.0, 9.0], "ok"),
        (Bar("≤", 2.0), [1.0, 2.1, 2.2], "MISSED"),
        (Bar("≥", 200.0), [199.0], "MISSED"),
        (Bar("≥", 200.0), [200.0], "ok"),
        (None, [1.0], ""),
        (Bar("≤", 2.0), [], "skipped"),
    ],
)
def test_bars_are_judged_by_the_median(bar: Any, values: Any, verdict: Any) -> None:
    assert Figure("work", "ms", values, bar).verdict == verdict


def test_a_page_that_does_not_answer_says_so_in_its_line() -> None:
    moved = pages.PAGES[0]
    (silent, figure) = (
        pages.move_figure(moved, "a move", times, 0.05) for times in ([], [0.1, 0.2, 0.3])
    )
    assert (silent.verdict, moved.slider in silent.note) == ("skipped", True)
    assert figure.median == pytest.approx(4.0)
    assert figure.verdict == "MISSED"
    assert figure.note == ""


def test_each_work_in_turn_is_run_once_more_than_counted() -> None:
    calls: list[str] = []
    assert core.ratio(lambda: calls.append("a"), lambda: calls.append("b")) > 0
    assert calls == ["a", "b"] * 4
    assert asv_runs.CONFIG.exists()


def tables_of_estimators() -> dict[str, dict[str, list[str]]]:
    """By the table's head, with the line above it for tables of errors, cells by first column."""
    found: dict[str, dict[str, list[str]]] = {}
    before = ""
    for part in estimator_figures.DOCUMENT.read_text("utf-8").split("\n\n"):
        lines = part.splitlines()
        if len(lines) > 2 and lines[0].startswith("|"):
            cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
            assert {len(row) for row in cells} == {len(cells[0])}, lines[0]
            head = before if before.endswith(("block:", "blocks:")) else lines[0]
            found[head] = {lines[i]: row for i, row in enumerate(cells) if i > 1}
        before = part
    return found


@pytest.mark.parametrize(
    "case",
    thinned([("In one block:", 1, "lone cells"), ("In 64 blocks:", 8, "a gradient")], one_in=2),
)
@pytest.mark.slow
@SAME_DRAWS
def test_tables_of_errors_hold_what_is_computed_anew(case: tuple[str, int, str]) -> None:
    """A part that is fast: one map in one block, another in 64, all four ε, to the digit."""
    head, side, fast = case
    table = tables_of_estimators()[head]
    assert [row[0] for row in table.values()][:2] == ["the world", "US"]
    assert len(table) == 30
    for row in table.values():
        for cell in row[1:]:
            errors, _, ratio = cell.partition("; ")
            assert all(0 <= float(each) <= 100 for each in errors.split(", ")), cell
            assert 0.3 < float(ratio) < 10
    ((grid, people),) = [each[1:] for each in accuracy.maps() if each[0] == fast]
    line = estimator_figures.errors_row(fast, grid, people, side)
    assert line in table, line


@pytest.mark.slow
@SAME_DRAWS
def test_the_table_of_ranges_holds_what_is_computed_anew() -> None:
    """Its rows hold as often as the document says, at least 94 of 100 in every group."""
    table = tables_of_estimators()[f"| map | ε | {' | '.join(estimator_figures.GROUPS)} |"]
    assert {row[0] for row in table.values()} == {*estimator_figures.RANGED}
    for row in table.values():
        assert all(float(cell) >= 94 for cell in row[2:-1] if cell), row
    (found,) = [each for each in accuracy.maps() if each[0] == "lone cells"]
    assert estimator_figures.ranges_row(*found, 1.0, "cascade") in table
