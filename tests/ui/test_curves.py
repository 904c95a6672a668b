"""The page of error curves: every point is the core's, ready comparisons and links lead to it."""

from concurrent.futures import wait
from dataclasses import replace
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import no_progress
from caldp_core.datasets import Gowalla, Uniform, Zipf
from caldp_core.experiments.forecast import forecast_soon
from caldp_core.experiments.run import prepare, run
from caldp_core.theory.bounds import block_tv_bound
from caldp_ui.controls.choices import DATA, NAMES, protections
from caldp_ui.curves import lines as work
from caldp_ui.curves.axes import AXES, power_at, value_at
from caldp_ui.curves.board import RUNS
from caldp_ui.curves.side import PRESETS
from caldp_ui.curves.slot import BEGIN, Curves, CurvesLink
from tests.ui.driver import APP, checked, container, query_of

SMALL = replace(
    Curves(replace(BEGIN, dataset=Uniform(60), n=10_000)),
    protections=("plain", "blocks"),
    methods=("hadamard",),
    estimates=("none",),
)


def open_curves(record: Curves = SMALL, **query: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in {**CurvesLink().write(record), **query}.items():
        at.query_params[name] = value
    return checked(at.switch_page("pages/curves.py").run())


def done(at: AppTest, which: str) -> AppTest:
    assert not wait([at.session_state[f"curves-{which}/job"].future], timeout=120).not_done
    return checked(at.run())


def headline(at: AppTest) -> str:
    (told,) = (item.value for item in container(at, "headline").markdown)
    return str(told)


def curves_of(at: AppTest) -> Curves:
    found: Curves = at.session_state["curves/slot"].record
    return found


@pytest.fixture(scope="module")
def page() -> AppTest:
    return done(open_curves(), "curves")


def test_points_are_those_of_the_core_and_the_sentence_reads_them_off(page: AppTest) -> None:
    lines = work.lines_of(SMALL)
    found = list(work.expected(lines, no_progress))
    assert len(found) == sum(len(line.places) for line in lines)
    for each in found[:4]:
        scenario = replace(lines[each.line].scenarios[each.place], seed=0)
        own = forecast_soon(prepare(scenario), budget=work.BUDGET)
        assert own is not None
        assert each.error is not None
        assert each.error.tv == pytest.approx(own.tv)
    told = headline(page)
    at_place = forecast_soon(prepare(replace(lines[1].scenarios[1], seed=0)), budget=work.BUDGET)
    assert at_place is not None
    assert f"{lines[1].title}: error {at_place.tv:.3f}" in told
    assert told.endswith("in the end, 4 times.")


def test_runs_are_those_of_the_scenarios(page: AppTest) -> None:
    at = checked(page.button(key="curves-runs-start").click().run())
    done(at, "runs")
    turns = at.session_state["curves-runs/job"].found
    lines = work.lines_of(SMALL)
    assert len(turns) == RUNS * sum(len(line.places) for line in lines)
    first = run(prepare(replace(lines[0].scenarios[0], trials=RUNS))).errors
    assert [turn.tv for turn in turns if turn.which == 0] == [errors.tv for errors in first]


def test_a_bound_is_the_papers_and_holds() -> None:
    lines = work.lines_of(SMALL)
    bounds = work.proved(lines)
    assert [bound.line for bound in bounds] == [0, 1]
    for bound in bounds:
        for scenario, proved in zip(lines[bound.line].scenarios, bound.tv, strict=True):
            ready = prepare(scenario)
            assert proved == block_tv_bound(ready.partition.sizes(), ready.n, 1.0) / 2
            found = forecast_soon(ready)
            assert found is not None
            assert found.tv <= proved
    assert not work.proved(work.lines_of(replace(SMALL, estimates=("simplex",))))


@pytest.mark.parametrize("title", PRESETS)
def test_every_ready_comparison_has_its_curves_and_its_link(title: str) -> None:
    record = PRESETS[title]
    lines = work.lines_of(record)
    assert 1 <= len(lines) <= work.LINES_MAX
    assert len({line.title for line in lines}) == len(lines)
    assert CurvesLink().read(CurvesLink().write(record)) == record
    for line in lines:
        assert line.places == tuple(sorted(line.places))
        assert len({*line.scenarios}) == len(line.places)


def test_curves_that_an_axis_makes_alike_are_one() -> None:
    record = replace(SMALL, against="blocks", protections=("plain", "blocks", "sensitive"))
    assert len(work.lines_of(record)) == 2
    assert len(work.lines_of(replace(record, against="sensitive"))) == 2


@pytest.mark.parametrize("against", AXES)
@pytest.mark.parametrize("dataset", [Gowalla(), Zipf(7)])
def test_every_axis_has_places_for_maps_and_lists(against: str, dataset: Gowalla | Zipf) -> None:
    domain = dataset.load().domain
    scenario = replace(BEGIN, dataset=dataset)
    axis = AXES[against]
    made = {axis.at(scenario, domain, x) for x in axis.places(domain)}
    assert len(made) == len(axis.places(domain)) >= 2
    known = protections(domain)
    assert tuple(known) == NAMES
    for choice in known.values():
        choice.policy.build(dataset.load())


def test_settings_and_a_link_back() -> None:
    at = open_curves()
    checked(at.multiselect(key="curves-methods").set_value(["hadamard", "rappor"]).run())
    assert query_of(at)["methods"] == "hadamard;rappor"
    assert len(work.lines_of(curves_of(at))) == 4
    checked(at.multiselect(key="curves-methods").set_value([]).run())
    assert len(at.warning) == 1  # no curve at all is not allowed
    assert curves_of(at).methods == ("hadamard", "rappor")
    checked(at.selectbox(key="curves-data").set_value("Geometric, 1,000 values").run())
    assert curves_of(at).scenario.dataset == DATA["Geometric, 1,000 values"]
    at.session_state["curves-curves/job"].cancel()


def test_reading_off() -> None:
    x = [1.0, 10.0, 100.0]
    tv = [1.0, 0.1, 0.1 / np.sqrt(10)]
    assert power_at(x, tv, 5.0) == pytest.approx(-1.0)
    assert power_at(x, tv, 50.0) == pytest.approx(-0.5)
    assert value_at(x, tv, np.sqrt(10)) == pytest.approx(np.sqrt(0.1))
    assert AXES["people"].power(-0.5) == "halving the error takes 4 times as many people"
    with pytest.raises(CaldpError):
        CurvesLink().check(replace(SMALL, methods=("best", "best")))


def test_the_file_has_every_point(page: AppTest) -> None:
    from caldp_ui.curves.board import csv_of
    from caldp_ui.curves.drawn import Drawn

    lines = work.lines_of(SMALL)
    blank = [Drawn(line, [None] * len(line.places), [None] * len(line.places)) for line in lines]
    table = pd.read_csv(BytesIO(csv_of(SMALL, blank)))
    assert len(table) == sum(len(line.places) for line in lines)
    assert list(table["curve"].unique()) == [line.title for line in lines]


def test_a_sentence_of_some_points_says_so() -> None:
    from caldp_ui.curves import words
    from caldp_ui.curves.drawn import drawn

    lines = work.lines_of(SMALL)
    found = list(work.expected(lines, no_progress))
    blank = [[None] * len(line.places) for line in lines]
    few = words.said(SMALL, drawn(lines, found[: 2 * len(lines)], blank))
    assert few.endswith("by the points that are there so far.")
    assert "so far" not in words.said(SMALL, drawn(lines, found, blank))
