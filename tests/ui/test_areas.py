"""The maps of a table of areas on the page: a click, and what is said below them."""

import numpy as np

from caldp_core.datasets import OwnTable
from caldp_core.datasets.areas import areas_on_map, named_areas
from caldp_core.experiments.run import prepare, run
from caldp_ui.compute import runs
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.values.areas import areas_of, remarks
from caldp_ui.values.page_state import BEGIN, switch_table, table_of
from caldp_ui.values.view import KEY
from tests.datasets.files import workbook
from tests.ui.driver import accepted, data_of, on_stage, scene_of
from tests.ui.test_checks import answer, bring
from tests.ui.values_page import scenario_of


def remark_on(*keys: str) -> str:
    """What is said of a table of areas, all of which are sensitive."""
    names = tuple(named_areas()[key].name for key in keys)
    table = OwnTable(names, tuple(range(100, 100 + len(keys))), areas=keys)
    own = table_of(table)
    assert own is not None
    scenario = switch_table(BEGIN, own)
    rival = runs.best_plain_ldp(scenario)
    ours, plain = (runs.uncached_result(each) for each in (scenario, rival))
    return " ".join(remarks(ComparisonData(ours.setup, plain.setup, ours, plain), keys))


def test_a_click_on_an_area_ends_its_protection_or_begins_it() -> None:
    form = bring("values", "Kanton;Einwohner\nZürich;9\nBern;8\nGenève;7\n", "a.csv")
    at = accepted(answer(form, "areas-Switzerland"), "values")
    _, labels = areas_on_map(areas_of(scenario_of(at).dataset))
    for area, flags in ((1, [1, 0, 1]), (3, [1, 0, 1]), (1, [1, 1, 1])):
        cell = int(np.flatnonzero(labels == area)[-1])
        click = {"tool": "look", "action": "protect", "cells": f"{cell}+1"}
        at = on_stage(at, click, "values-maps")
        assert runs.setup(scenario_of(at)).sensitive.tolist() == flags


def test_a_table_of_areas_brought_among_places_opens_on_the_page_of_answers() -> None:
    form = bring("places", "Kanton;Einwohner\nZürich;9\nBern;8\nGenève;7\n", "a.csv")
    at = accepted(answer(form, "areas-Switzerland"), "places")
    dataset = scenario_of(at).dataset
    assert areas_of(dataset) == tuple(f"{n}, Switzerland" for n in ("Zürich", "Bern", "Genève"))
    assert [each["id"] for each in scene_of(at, "values-maps")["pictures"]] == [
        "truth", "plain", "ours",
    ]  # fmt: skip


def test_a_workbook_with_cover_total_and_codes_leads_to_its_estimate() -> None:
    people = {"AZ": 120, "CA": 900, "NV": 80, "OH": 300, "TX": 700, "WA": 200}
    rows: list[list[object]] = [["State", "People"], *([*each] for each in people.items())]
    rows.append(["Total", sum(people.values())])
    data = workbook(("Cover", [["Survey of states"], ["Office of samples"]]), ("2026", rows))
    form = answer(bring("values", data, "states.xlsx"), "total-row-leave-out")
    at = accepted(answer(form, "areas-United States"), "values")
    scenario = scenario_of(at)
    assert isinstance(scenario.dataset, OwnTable)
    assert (scenario.dataset.counts, scenario.dataset.title) == (tuple(people.values()), "states")
    assert "“Total” left out, as a total of the other rows; " in scenario.dataset.reading
    ours, plain = (run(prepare(each)) for each in (scenario, runs.best_plain_ldp(scenario)))
    sent = data_of(at, KEY)
    np.testing.assert_allclose(sent["ours"][0], ours.first.estimate, rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(sent["plain"][0], plain.first.estimate, rtol=1e-4, atol=1e-12)


def test_areas_that_are_out_of_view_or_too_small_are_named() -> None:
    states = [key for key, area in named_areas().items() if area.country == "United States"]
    assert "Drag the map to see Alaska, Hawaii." in remark_on(*states)
    said = remark_on("Anguilla", "Saint Martin", "France", "Brazil", "Canada", "Japan")
    assert "Too small to be seen here, and only in the list below: Anguilla." in said
    assert "Drag" not in said


def test_two_methods_of_plain_ldp_are_named_beside_each_other() -> None:
    states = [key for key, area in named_areas().items() if area.country == "United States"]
    said = "is plain LDP by Subset selection; the map “Plain LDP” is by Galois response."
    assert said in remark_on(*states)
    assert "plain LDP" not in remark_on("France", "Brazil", "Canada")
