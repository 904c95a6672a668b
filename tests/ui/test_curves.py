"""Error curves and the paper's results: every number is the core's, links lead back to it."""

import json
import re
from concurrent.futures import wait
from dataclasses import astuple, replace
from io import BytesIO
from threading import Event, current_thread
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import error_vertex
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets import Cities, Gowalla, Uniform, Zipf
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.evidence import default_estimator
from caldp_core.experiments.forecast import forecast_if_fast
from caldp_core.experiments.metrics import MEASURES
from caldp_core.experiments.reproduce import PAPER, TABLE_1, MeanError
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms import catalogue
from caldp_core.mechanisms.catalogue import Galois, Hadamard, SubsetSelection
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.bounds import block_tv_bound, least_loss, minimax, worst_case
from caldp_core.theory.expected_error import Budget, Forecast
from caldp_ui.app.delivery import THREAD_PREFIX
from caldp_ui.app.theme import LIGHT
from caldp_ui.charts.curves import space_out
from caldp_ui.controls.choices import DATA, NAMES, protections
from caldp_ui.curves import page_state as work
from caldp_ui.curves import view
from caldp_ui.curves.page import PRESETS, RUNS, curves_csv, pack
from caldp_ui.curves.page_state import (
    AXES,
    BEGIN,
    LINK,
    STATE,
    CurveData,
    Curves,
    place_of,
    value_at,
)
from caldp_ui.curves.page_state import make_curves as curves_of_lines
from caldp_ui.paper import view as words
from caldp_ui.paper.page_state import LINK as PAPER_LINK
from caldp_ui.paper.page_state import STATE as PAPER_STATE
from caldp_ui.paper.page_state import VIEWS, PaperRecord
from caldp_ui.words import formats
from caldp_ui.words.formats import VALUES
from tests.strategies import thinned
from tests.ui.driver import checked, headline_of, open_page, open_record, page_record, query_of
from tests.waiting import PATIENCE

SMALL = replace(
    Curves(replace(BEGIN, dataset=Uniform(60), n=10_000)),
    protections=("plain", "blocks"),
    methods=("hadamard",),
    estimates=("none",),
)


def done(at: AppTest, which: str) -> AppTest:
    assert not wait([at.session_state[f"curves-{which}/job"].future], timeout=120).not_done
    return checked(at.run())


@pytest.fixture(scope="module")
def page() -> AppTest:
    return done(open_record(STATE, SMALL), "curves")


def test_points_are_those_of_the_core_and_the_sentence_reads_them_off(page: AppTest) -> None:
    lines = work.record_lines(SMALL)
    found = list(work.expected_errors(lines, no_progress))
    assert len(found) == sum(len(line.places) for line in lines)
    for each in found[:4]:
        scenario = replace(lines[each.line].scenarios[each.place], seed=0)
        own = forecast_if_fast(prepare(scenario), budget=work.BUDGET)
        assert own is not None
        assert each.error is not None
        assert each.error.error == pytest.approx(own.error)
    sentence = headline_of(page)
    at_place = forecast_if_fast(prepare(replace(lines[1].scenarios[1], seed=0)), budget=work.BUDGET)
    assert at_place is not None
    assert f"“{lines[1].title}” has an expected error of {at_place.error:.3f}" in sentence
    factor = re.search(r"Half the error takes ([\d.]+) times as many people", sentence)
    assert factor is not None
    assert lines[1].places[1] == SMALL.scenario.n
    many = replace(lines[1].scenarios[1], n=round(float(factor[1]) * lines[1].places[1]), seed=0)
    half = forecast_if_fast(prepare(many), budget=Budget(32, 64, 0.01))
    assert half is not None
    assert half.error == pytest.approx(0.5 * at_place.error, rel=0.1)  # read off between points


def test_the_forecasts_that_ship_are_the_cores() -> None:
    """One point of each curve again: python -m scripts.estimator_figures forecasts makes them."""
    lines, shipped = work.record_lines(Curves()), work.shipped_forecasts()
    keys = [work.point_key(at, line.error) for line in lines for at in line.scenarios]
    assert keys == list(shipped)
    for line, place in zip(lines, (6, 5, 6, 0), strict=True):  # those with the fewest trials
        own = forecast_if_fast(prepare(replace(line.scenarios[place], seed=0)), budget=work.BUDGET)
        known = shipped[work.point_key(line.scenarios[place], line.error)]
        assert own is not None
        assert known.method == own.method
        assert astuple(known)[:3] == pytest.approx(astuple(own)[:3], rel=1e-6), line.title


def test_the_first_curves_are_whole_before_anything_is_computed() -> None:
    def first_drawn(record: Curves) -> list[CurveData]:
        lines = work.record_lines(record)
        return curves_of_lines(lines, [], [[None] * len(line.places) for line in lines])

    record = Curves()
    assert all(None not in each.expected for each in first_drawn(record))
    assert "computed" not in view.headline(record, first_drawn(record)).whole
    other = replace(record, scenario=record.scenario.with_context(epsilon=2.0))
    assert not any(each.known_points() for each in first_drawn(other))


def test_the_headline_compares_curves_that_protect_everybody_and_counts_who_is_left_out() -> None:
    """Hiding less is more accurate: that is no merit of a method, so it is never the winner."""
    record = replace(SMALL, protections=("plain", "blocks", "sensitive"), estimates=("simplex",))
    headline = view.headline(record, whole(record))
    assert headline.sentence.startswith("“10 blocks” puts ")
    assert not headline.unprotected
    assert "sensitive” protects only 10 of 100 people." in headline.second
    left = view.headline(alone := replace(record, protections=("sensitive",)), whole(alone))
    assert left.sentence == "Only 10 of 100 people are protected here."
    assert " puts " in left.second
    assert left.unprotected


def test_the_gap_leads_to_as_many_people_as_plain_ldp_needs() -> None:
    """The number on the arrow, held against the forecast with as many people."""
    record = replace(SMALL, estimates=("simplex",))
    drawn = whole(record)
    found = view.find_gap(record, drawn, 10_000.0)
    assert found is not None
    (here, error), (there, level) = found.ends
    assert here == 10_000
    assert error == level
    assert f"{formats.times(there / here)} as many people" == found.label
    scenario = replace(drawn[0].line.scenarios[0], n=round(there), seed=0)
    reached = forecast_if_fast(prepare(scenario), budget=Budget(32, 64, 0.01))
    assert reached is not None
    assert reached.error == pytest.approx(error, rel=0.1)  # read off between two points


def whole(record: Curves) -> list[CurveData]:
    """All curves of a record with every point."""
    lines = work.record_lines(record)
    blank = [[None] * len(line.places) for line in lines]
    return curves_of_lines(lines, list(work.expected_errors(lines, no_progress)), blank)


@pytest.mark.slow
def test_every_error_may_be_asked_of_a_map_and_says_what_it_counts() -> None:
    """Points of the page are the core's forecasts of that error; charts and sentences name it."""
    town = replace(BEGIN, dataset=Cities(together=14), n=10_000).with_context(epsilon=2.0)
    record = Curves(town, "epsilon", protections=("plain", "blocks"), methods=("hadamard",))
    texts = {}
    for name in MEASURES:
        variant = replace(record, error=name)
        ends = [
            replace(line, places=line.places[3:5], scenarios=line.scenarios[3:5])
            for line in work.record_lines(variant)
        ]
        found = list(work.expected_errors(ends, no_progress))
        first = replace(ends[0].scenarios[0], seed=0)
        own = forecast_if_fast(prepare(first), budget=work.BUDGET, error=name)
        assert found[0].error == own, name
        curves = curves_of_lines(ends, found, [[None] * 2 for _ in ends])
        axis = view.figure(variant, curves, LIGHT).layout.yaxis.title.text
        texts[name] = (axis, view.headline(variant, curves).sentence)
    assert "box of 4 × 4 cells" in texts["boxes"][1]
    assert re.search(r"misses [\d.]+ of the 50 largest places", texts["largest"][1])
    assert re.search(r"misplaces people by [\d.]+ km", texts["km"][1])
    assert len({axis for axis, _ in texts.values()}) == len(MEASURES)
    with pytest.raises(CaldpError, match="maps"):
        LINK.check(replace(SMALL, error="km"))
    with pytest.raises(CaldpError, match="made of shares"):
        LINK.check(replace(record, estimates=("none",), error="km"))


def test_runs_are_those_of_the_scenarios(page: AppTest) -> None:
    at = checked(page.button(key="curves-runs-start").click().run())
    done(at, "runs")
    turns = at.session_state["curves-runs/job"].partial_results
    lines = work.record_lines(SMALL)
    assert len(turns) == RUNS * sum(len(line.places) for line in lines)
    first = run(prepare(replace(lines[0].scenarios[0], trials=RUNS))).errors
    assert [turn.error for turn in turns if turn.scenario_index == 0] == [
        errors.tv for errors in first
    ]


def test_a_bound_is_the_papers_and_holds() -> None:
    lines = work.record_lines(SMALL)
    bounds = work.proved_bounds(lines)
    assert [bound.line for bound in bounds] == [0, 1]
    for bound in bounds:
        for scenario, proved in zip(lines[bound.line].scenarios, bound.tv, strict=True):
            ready = prepare(scenario)
            assert proved == block_tv_bound(ready.partition.sizes(), ready.n, 1.0) / 2
            found = forecast_if_fast(ready)
            assert found is not None
            assert found.error <= proved
    assert not work.proved_bounds(work.record_lines(replace(SMALL, estimates=("simplex",))))


@pytest.mark.parametrize("title", PRESETS)
def test_every_ready_comparison_has_its_curves_and_its_link(title: str) -> None:
    record = PRESETS[title]
    lines = work.record_lines(record)
    assert 1 <= len(lines) <= work.LINES_MAX
    assert len({line.title for line in lines}) == len(lines)
    assert LINK.read(LINK.write(record)) == record
    for line in lines:
        assert line.places == tuple(sorted(line.places))
        assert len({*line.scenarios}) == len(line.places)


@pytest.mark.parametrize(("against", "dataset"), thinned(AXES, [Gowalla(), Zipf(7)], one_in=2))
def test_every_axis_has_places_for_maps_and_lists(against: str, dataset: Gowalla | Zipf) -> None:
    domain = dataset.load().domain
    scenario = replace(BEGIN, dataset=dataset)
    axis = AXES[against]
    made = {axis.scenario_at(scenario, domain, x) for x in axis.places(domain)}
    assert len(made) == len(axis.places(domain)) >= 2
    known = protections(domain)
    assert tuple(known) == NAMES
    for choice in known.values():
        choice.policy.build(dataset.load())


def test_settings_and_a_link_back() -> None:
    at = open_record(STATE, SMALL)
    checked(at.multiselect(key="curves-methods").set_value(["hadamard", "rappor"]).run())
    assert query_of(at)["methods"] == "hadamard;rappor"
    assert len(work.record_lines(page_record(at, STATE))) == 4
    checked(at.multiselect(key="curves-methods").set_value([]).run())
    assert len(at.warning) == 1  # no curve at all is not allowed
    assert page_record(at, STATE).methods == ("hadamard", "rappor")
    checked(at.selectbox(key="curves-data").set_value("Geometric, 1,000 values").run())
    assert page_record(at, STATE).scenario.dataset == DATA["Geometric, 1,000 values"]
    at.session_state["curves-curves/job"].cancel()


def test_reading_off() -> None:
    x = [1.0, 10.0, 100.0]
    tv = [1.0, 0.1, 0.1 / np.sqrt(10)]
    assert place_of(x, tv, 1.0, 0.5) == pytest.approx(2.0)
    assert place_of(x, tv, 5.0, 0.1) == pytest.approx(10.0)
    assert place_of(x, tv, 50.0, 0.5 * value_at(x, tv, 50.0)) is None
    assert value_at(x, tv, np.sqrt(10)) == pytest.approx(np.sqrt(0.1))
    describe = {name: axis.describe_change for name, axis in AXES.items()}
    for axis, errors, place, text, figure in (
        ("people", tv, 1.0, "Half the error takes 2 times as many people.", 2.0),
        (
            "people",
            [0.5, 0.4, 0.3],
            10.0,
            "Half the error takes more than 10 times as many people.",
            10.0,
        ),
        ("epsilon", tv, 5.0, "Doubling ε divides the error by 2.", 2.0),
        ("blocks", tv, 1.0, "Ten times as many blocks divide the error by 10.", 10.0),
        (
            "sensitive",
            tv[::-1],
            10.0,
            "Ten times as many sensitive values multiply the error by 10.",
            10.0,
        ),
    ):
        said, number = describe[axis](x, errors, place)
        assert (said, round(number, 9)) == (text, figure)
    assert describe["people"](x, tv, 60.0)[0] == describe["epsilon"](x, tv, 60.0)[0] == ""
    with pytest.raises(CaldpError):
        LINK.check(replace(SMALL, methods=("best", "best")))


def test_the_file_has_every_point(page: AppTest) -> None:
    lines = work.record_lines(SMALL)
    blank = [
        CurveData(line, [None] * len(line.places), [None] * len(line.places)) for line in lines
    ]
    table = pd.read_csv(BytesIO(curves_csv(SMALL, blank)))
    assert len(table) == sum(len(line.places) for line in lines)
    assert list(table["curve"].unique()) == [line.title for line in lines]


def test_no_curve_is_computed_within_a_run_that_shares_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on, point, places = Event(), work._point, set[bool]()

    def slow(scenario: Scenario, error: str, progress: Progress) -> Forecast | None:
        is_beside = current_thread().name.startswith(THREAD_PREFIX)
        places.add(is_beside)
        assert not is_beside or go_on.wait(PATIENCE)
        return point(scenario, error, progress)

    monkeypatch.setattr(work, "_point", slow)
    at = open_record(STATE, SMALL, ("sharing",))
    assert places <= {True}
    assert "curves-home-start" not in [button.key for button in at.button]
    go_on.set()
    assert "curves-home-start" in [button.key for button in done(at, "curves").button]


def test_all_that_is_pinned_comes_as_one_file() -> None:
    other = replace(SMALL, against="epsilon")
    packed = ZipFile(BytesIO(pack(b"curve,x\n", {"now": SMALL, "pin-1": other})))
    assert packed.read("compare.csv") == b"curve,x\n"
    for folder, record in (("now", SMALL), ("pin-1", other)):
        lines = json.loads(packed.read(f"{folder}/curves.json"))
        wanted = [line.title for line in work.record_lines(record)]
        assert [line["curve"] for line in lines] == wanted, folder


def test_curves_without_what_the_axis_changes_are_named_by_their_protection() -> None:
    """Not by words of its title: on a map of Europe its title has none of them."""
    known = protections(GridDomain(41.0, -5.0, 0.5, 20, 30))
    titles = {name: each.title for name, each in known.items()}
    for axis, replaced in (("blocks", "All sensitive"), ("sensitive", "One block")):
        named = {name: work._without_axis(each, AXES[axis]) for name, each in known.items()}
        kept = ("sensitive", "both") if axis == "blocks" else ("blocks", "more-blocks", "both")
        assert named == {
            name: title if name in kept else replaced for name, title in titles.items()
        }


def test_figures_of_the_headline_are_the_errors_that_it_states() -> None:
    record = replace(SMALL, estimates=("simplex",))
    curves = whole(record)
    headline = view.headline(record, curves)
    at_place = [view.error_at(each, 10_000.0) for each in curves]
    assert sorted((headline.figures["error"], headline.figures["other"])) == sorted(at_place)
    assert f"puts {formats.of_hundred(headline.figures['error'])} people" in headline.sentence
    assert f"plain LDP {formats.per_hundred(headline.figures['other'])}." in headline.sentence
    assert headline.figures["protected"] == 1.0


def test_a_sentence_of_some_points_says_so() -> None:
    lines = work.record_lines(SMALL)
    found = list(work.expected_errors(lines, no_progress, float(SMALL.scenario.n or 0)))
    blank = [[None] * len(line.places) for line in lines]
    few = view.headline(SMALL, curves_of_lines(lines, found[: len(lines)], blank))
    assert few.sentence.endswith("are being computed.")  # nothing is read off far ends
    here = view.headline(SMALL, curves_of_lines(lines, found[: 2 * len(lines)], blank))
    assert here.second.startswith("This is with 10,000 people at ε = 1.")  # comes first
    more = view.headline(SMALL, curves_of_lines(lines, found[:-1], blank))
    assert more.second.endswith("still being computed.")
    assert "computed" not in view.headline(SMALL, curves_of_lines(lines, found, blank)).second


def test_the_picture_names_its_lines_and_counts_people_over_whole_decades() -> None:
    record = replace(SMALL, estimates=("simplex",))
    drawn = whole(record)
    figure = view.figure(record, drawn, LIGHT)
    written = [text for trace in figure.data if trace.mode == "text" for text in trace.text]
    assert {each.line.title for each in drawn} <= {text.strip() for text in written}
    assert "you: 10,000 people" in written
    axis = figure.layout.yaxis
    assert VALUES.wrong in axis.title.text
    assert dict(zip(axis.tickvals, axis.ticktext, strict=True))[0.1] == "10"
    low, high = axis.range
    assert 10**low <= min(axis.tickvals) <= 10 ** (low + 0.1)
    assert np.log10([min(axis.tickvals), max(axis.tickvals)]) == pytest.approx(
        np.round(np.log10([min(axis.tickvals), max(axis.tickvals)]))
    )
    assert high > np.log10(max(axis.tickvals))


@pytest.mark.parametrize("wanted", [[0.5], [0.5, 0.5, 0.5], [0.9, 0.1, 0.11], [0.2, 0.5, 0.21]])
def test_names_stand_apart_in_the_lines_order_and_near_them(wanted: list[float]) -> None:
    places = space_out(wanted, 0.1)
    ordered = np.array(places)[np.argsort(wanted, kind="stable")]
    assert (np.diff(ordered) >= 0.1 - 1e-9).all()
    assert np.mean(places) == pytest.approx(np.mean(wanted))
    assert np.abs(np.array(places) - wanted).max() <= 0.1 * (len(wanted) - 1)


def test_the_page_begins_with_the_default_estimate_and_older_links_open_as_they_were() -> None:
    assert Curves().estimates == (default_estimator(),)
    assert LINK.write(Curves()) == {}
    assert LINK.read({}) == Curves()
    # What links said before: nothing of an estimate that was then the one to begin with.
    older = {"against": "epsilon"}, {"protections": "plain,blocks"}, {"v": "2", "n": "5000"}
    for query in older:
        assert LINK.read(query).estimates == ("simplex",), query
    assert LINK.read({"estimates": "clip"}).estimates == ("clip",)
    for changes in (
        {"estimates": ("simplex",)},
        {"against": "epsilon"},
        {"estimates": ("simplex",), "against": "epsilon"},
        {"scenario": replace(BEGIN, n=5_000)},
        {"scenario": replace(BEGIN, n=5_000), "estimates": ("simplex",)},
    ):
        record = replace(Curves(), **changes)
        assert LINK.read(LINK.write(record)) == record, changes


def test_a_cascade_costs_trials_at_each_point() -> None:
    on_map = replace(BEGIN, dataset=Gowalla(), n=None)
    formula, trials = (
        work.cost(work.record_lines(Curves(on_map, estimates=(name,)))).seconds
        for name in ("simplex", "cascade")
    )
    assert trials > 5 * formula
    assert not work.cost(work.record_lines(Curves())).is_large


PAGE = "pages/paper.py"


def open_paper(**query: str) -> AppTest:
    return open_page(PAGE, query)


def finish(at: AppTest, key: str) -> AppTest:
    assert not wait([at.session_state[f"paper-{key}/job"].future], timeout=120).not_done
    return checked(at.run())


@pytest.fixture(scope="module")
def paper_page() -> AppTest:
    return finish(open_paper(runs="2"), "table")


def test_settings_change_what_is_run_and_lead_back(paper_page: AppTest) -> None:
    at = finish(open_paper(runs="1", view="table-1", v="2", epsilon="2", estimator="clip"), "table")
    assert page_record(at, PAPER_STATE).scenario.context.epsilon == 2.0
    assert "ε = 2" in headline_of(at)
    assert headline_of(at).startswith("One run differs by at most ")
    assert headline_of(at) != headline_of(paper_page)
    checked(at.button(key="paper-as-printed").click().run())
    assert page_record(at, PAPER_STATE).scenario == PAPER
    assert query_of(at) == {"runs": "1"}


@pytest.mark.thorough
def test_columns_that_take_long_are_left_out_and_told() -> None:
    at = finish(open_paper(runs="1", v="2", mechanism="subset-selection"), "table")
    assert page_record(at, PAPER_STATE).scenario.mechanism == SubsetSelection()
    assert "Plain LDP" in at.info[0].value
    assert list(at.table[0].value) == ["5 × 7 blocks", "25 × 35 blocks", "25 × 70 blocks"]


@pytest.mark.parametrize("view", [view for view in VIEWS if view not in ("table-1", "figure-2")])
def test_every_other_result_says_one_sentence(view: str) -> None:
    at = open_paper(view=view)
    assert headline_of(at)
    assert query_of(at) == {"view": view}


def test_figure_1_says_the_corner_of_theorem_2() -> None:
    at = open_paper(view="figure-1", levels="1;3")
    vertex = error_vertex(BinaryPolicy(1.0, 3.0))
    assert f"takes {100 * vertex.false_alarm:.0f} of 100 people with x′" in headline_of(at)
    checked(at.select_slider(key="paper-second").set_value(float("inf")).run())
    assert query_of(at)["levels"] == "1;inf"
    assert PAPER_LINK.read(query_of(at)) == page_record(at, PAPER_STATE)
    assert "They miss 0 of 100 people with x." in headline_of(at)


def test_sensitive_sets_are_held_against_the_best() -> None:
    at = open_paper(view="sensitive-sets", values="100", share="0.02", v="2", epsilon="2")
    (table,) = (item.value for item in at.table)
    context = Context.high_low(np.arange(100) < 10, 2.0)
    p = np.where(np.arange(100) < 10, 0.002, 0.98 / 90)
    least = least_loss(100, 10, 2.0, 0.02).loss
    for name, made in (
        ("Hadamard response (the paper's)", Hadamard()),
        ("subset selection (uBD)", SubsetSelection()),
        ("Galois response", Galois(share=0.02)),
    ):
        ratio = made.make(context).variance(p, 1).sum() / least
        assert table["10"][name] == f"{ratio:.2f}"
    sentence = "10 of 100 values are sensitive, which 2 of 100 people have, at ε = 2."
    assert sentence in headline_of(at)
    checked(at.select_slider(key="paper-share").set_value(-1.0).run())
    assert "share" not in query_of(at)
    for family, phrase in (
        ("hadamard", "needs at worst "),
        ("subset-selection", "selection needs "),
    ):
        assert f"{phrase}{_times(family, 100, 10, 2.0):.3g} times as many people" in headline_of(at)
    checked(at.select_slider(key="paper-epsilon").set_value(0.5).run())
    assert "Subset selection needs as many people," in headline_of(at)


def _times(family: str, values: int, size: int, epsilon: float) -> float:
    mechanism = catalogue.in_context(Context.high_low(np.arange(values) < size, epsilon), family)
    return worst_case(mechanism).loss / minimax(values, size, epsilon).loss


RECORDS = [
    PaperRecord(PAPER.with_context(epsilon=2.0), "figure-2", 100),
    *(PaperRecord(view=view) for view in VIEWS),
    PaperRecord(view="sensitive-sets", values=10_000, share=0.05),
]


@pytest.mark.parametrize("record", RECORDS)
def test_links_hold_the_record(record: PaperRecord) -> None:
    assert PAPER_LINK.read(PAPER_LINK.write(record)) == record


def test_differences_in_words() -> None:
    column = TABLE_1[0]
    below = MeanError(10, 0.9 * column.paper, 0.001)
    assert words.difference_text(column, below) == "10\N{NO-BREAK SPACE}% below, beyond chance"
    near = MeanError(10, 1.01 * column.paper, 0.01)
    assert words.difference_text(column, near).endswith("above, within chance")
