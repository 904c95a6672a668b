"""The page: its controls, the curves as they are computed, runs as points, and exports.

Curves of another ε take seconds, so the browser is sent only the two levels beside the reader's;
where the slider only moves the mark of where the reader is, all are.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final

import streamlit as st

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.metrics import MEASURES, TV, AnyDomain, Measure
from caldp_core.experiments.reproduce import MeanError, means, run_interleaved
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.app.theme import palette
from caldp_ui.charts import show as charts
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.controls.common import EPSILONS, METHODS, Slider
from caldp_ui.curves import page_state as work
from caldp_ui.curves import view
from caldp_ui.curves.page_state import (
    AXES,
    BEGIN,
    BUDGET,
    LINES_MAX,
    STATE,
    ComparedMethod,
    CurveData,
    Curves,
    PointForecast,
    make_curves,
    proved_bounds,
    reader_position,
    record_lines,
)
from caldp_ui.parts import comparison, layout, pins, sharing
from caldp_ui.parts import pack as internal
from caldp_ui.session import jobs
from caldp_ui.shell.page import Page

TEXTS: Final = read_texts(__file__)


def _preset(title: str, dataset: dict[str, Any] | None = None, **parts: Any) -> tuple[str, Curves]:
    """An example of `presets.toml`: its title, and the page's first record with these parts."""
    own: dict[str, Any] = {
        name: tuple(part) if isinstance(part, list) else part for name, part in parts.items()
    }
    if dataset is not None:
        own["scenario"] = replace(BEGIN, dataset=choices.from_file(dataset=dataset).dataset, n=None)
    return title, Curves(**own)


PRESETS: Final = dict(_preset(**row) for row in read_toml(__file__, "presets.toml")["curves"])


def _settings(record: Curves) -> None:
    """All controls."""
    fits = [title for title, preset in PRESETS.items() if preset == record]
    choices.by_title(
        STATE,
        "preset",
        "Example",
        PRESETS,
        lambda _, preset: preset,
        title=fits[0] if fits else None,
        placeholder="Your own choice",
    )
    titles = choices.data_sets(record.scenario.dataset)
    choices.by_title(
        STATE,
        "data",
        "Data",
        titles,
        lambda r, spec: _with_data(r, runs.with_dataset(replace(r.scenario, n=None), spec)),
        title=runs.title_of(record.scenario.dataset, titles),
    )
    domain = runs.dataset(record.scenario).domain
    errors = {each.name: view.error_title(each.name, domain) for each in _possible(domain)}
    choices.of_field(STATE, "error", "Error", errors)
    known = choices.protections(runs.dataset(record.scenario).domain)
    _several("protections", "Protections", {name: known[name].title for name in choices.NAMES})
    _several("methods", "Methods", {name: title for name, (title, _) in METHODS.items()})
    _several("estimates", "Estimates", {name: e.title for name, e in ESTIMATORS.items()})
    with st.container(key=STATE.key("dials")):
        if record.against != "epsilon":
            common.epsilon(STATE)
        common.people(STATE, runs.dataset(record.scenario).n)
    comparison.epsilon_button(STATE, record.scenario.policy.plain_epsilon)
    pins.pin_button(STATE, _title)


def _possible(domain: AnyDomain) -> list[Measure]:
    return [each for each in MEASURES.values() if each.is_possible(domain)]


def _with_data(record: Curves, scenario: Scenario) -> Curves:
    """The record with other data; total variation where its error does not apply to them."""
    possible = [each.name for each in _possible(runs.dataset(scenario).domain)]
    return replace(
        record, scenario=scenario, error=record.error if record.error in possible else TV
    )


def _title(record: Curves) -> str:
    """The title of a pinned record: its protections and axis."""
    axis = AXES[record.against].label
    known = choices.protections(runs.dataset(record.scenario).domain)
    named = ", ".join(known[name].title for name in record.protections)
    return f"{named}; against {axis}"


def _several(field: str, label: str, titles: dict[str, str]) -> None:
    def changed(record: Curves, picked: list[str]) -> Curves:
        now: Any = {field: tuple(picked)}
        return replace(record, **now)

    st.multiselect(
        label,
        list(titles),
        format_func=titles.__getitem__,
        **STATE.bind(field, list(getattr(STATE.current(), field)), changed),
    )


RUNS: Final = 5
_ERRORS: Final = read_toml(__file__, "errors.toml")


def _show_board(record: Curves) -> None:
    """Draws the curves as they are computed, the runs, and the exports."""
    all_lines = work.all_lines(record, STATE.pinned)
    lines = all_lines[:LINES_MAX]
    name = work.cache_key(lines)
    measured = _measured_so_far(name, lines)
    here = reader_position(record, lines[0])
    compute, cost = partial(work.expected_errors, lines, here=here), work.cost(lines)
    if jobs.needs_consent(STATE.key("curves"), name, cost):
        values = runs.dataset(record.scenario).domain.k
        layout.show_headline(cost.headline("These curves are a lot to compute.", values))
        jobs.consent_button(STATE.key("curves"), name, compute)
        return
    jobs.gather_automatically(
        STATE.key("curves"),
        name,
        compute,
        lambda job: f"Still computing: {job.share:.0%} of the curves",
        partial(_show_curves, record, lines, measured),
    )
    if len(all_lines) > LINES_MAX:
        st.info(
            f"More than {LINES_MAX} curves cannot be told apart, so {len(all_lines) - LINES_MAX} "
            f"of {len(all_lines)} are left out."
        )
    _runs(name, lines)
    sharing.drawer(STATE.key("sharing"), partial(_show_sharing, lines))
    PAGE.follow(record, STATE.pinned)


def _show_curves(
    record: Curves,
    lines: Sequence[ComparedMethod],
    measured: Sequence[Sequence[MeanError | None]],
    forecasts: list[PointForecast],
) -> None:
    curves = make_curves(lines, forecasts, measured)
    shown = view.view_of(record, curves, palette())
    layout.show_headline(shown.headline)
    charts.show_json(shown.pictures[view.CHART], view.CHART, view.HEIGHT)
    proved = TEXTS["proved"] if proved_bounds([each.line for each in curves]) else ""
    st.caption(f"{TEXTS['caption']} {_ERRORS[record.error]['meaning']}{proved}")
    make = partial(curves_csv, record, curves)
    sharing.true_file(STATE.key("csv"), "curves.csv", make, record.scenario)
    if STATE.pins:
        pinned = {f"pin-{at}": pin for at, pin in enumerate(STATE.pins, 1)}
        sharing.true_file(
            STATE.key("pins-zip"),
            "pins.zip",
            lambda: pack(curves_csv(record, curves), {"now": record, **pinned}),
            *(each.scenario for each in (record, *STATE.pins)),
        )


def _measured_so_far(name: str, lines: Sequence[ComparedMethod]) -> list[list[MeanError | None]]:
    job = jobs.current_job(STATE.key("runs"), name)
    turns = list(job.partial_results) if job is not None else []
    flat = iter(means(turns, sum(len(line.places) for line in lines)))
    return [list(islice(flat, len(line.places))) for line in lines]


def _runs(name: str, lines: Sequence[ComparedMethod]) -> None:
    """The button that measures every point, its progress, and then the points."""
    scenarios = [replace(s, trials=RUNS) for line in lines for s in line.scenarios]
    if any(runs.takes_long(line.scenarios[0]) for line in lines):
        return
    jobs.run_on_click(
        STATE.key("runs"),
        name,
        lambda progress: run_interleaved(scenarios, progress=progress, error=lines[0].error),
        jobs.StartButton(
            f"Run every point {RUNS} times", ":material/scatter_plot:", TEXTS["runs_help"]
        ),
        lambda job: f"Run {len(job.partial_results):,} of {len(scenarios) * RUNS:,}",
        begin=jobs.start_gathering,
    )


def curves_csv(record: Curves, curves: Sequence[CurveData]) -> bytes:
    """One row per point of a curve."""
    kind = _ERRORS[record.error]["unit"]
    rows = [
        {
            "curve": each.line.title,
            AXES[record.against].label: x,
            f"expected {kind}": error.error if error else None,
            "standard deviation": error.deviation if error else None,
            "way": error.method if error else None,
            f"mean {kind} of runs": mean.error if mean else None,
            "standard error": mean.standard_error if mean else None,
            "runs": mean.runs if mean else None,
        }
        for each in curves
        for x, error, mean in zip(each.line.places, each.expected, each.measured, strict=True)
    ]
    return runs.csv(rows)


_FILE: Final = "curves.json"
SNIPPET: Final = TEXTS["points_code"].format(budget=BUDGET)
"""Prints the expected errors that the page draws, with the file `curves.json` beside it."""


def _show_sharing(lines: Sequence[ComparedMethod]) -> None:
    """Link, file and code, in a part of the page that opens on demand."""
    with sharing.link_columns(STATE):
        st.markdown("**Reproduce it to the digit** · the scenario of every point, and Python")
        scenarios = [line.scenarios[0] for line in lines]
        sharing.true_file(STATE.key("json"), _FILE, curves_json(lines), *scenarios)
        own = any(runs.is_own(each.dataset) for each in scenarios)
        sharing.python(SNIPPET.replace(_FILE, internal.file_name(_FILE)) if own else SNIPPET)
        if jobs.has_result(STATE.key("curves"), work.cache_key(lines)):
            PAGE.offer()
        else:  # it would compute them within this run
            st.info("The page as a file comes once all curves are there.")


def pack(table: bytes, records: Mapping[str, Curves]) -> bytes:
    """A ZIP file: the drawn curves as compare.csv, and of each record the scenarios of its own."""
    curves = {
        f"{folder}/curves.json": curves_json(record_lines(record))
        for folder, record in records.items()
    }
    return internal.zip_of({"compare.csv": table, **curves})


def curves_json(lines: Sequence[ComparedMethod]) -> str:
    """Curve by curve, its error by name, each point's place on the axis and its scenario."""
    return json.dumps(
        [
            {
                "curve": line.title,
                "error": line.error,
                "points": [
                    {"x": x, "scenario": replace(scenario, seed=0).to_dict()}
                    for x, scenario in zip(line.places, line.scenarios, strict=True)
                ],
            }
            for line in lines
        ],
        indent=1,
        ensure_ascii=False,
    )


def _sliders(record: Curves) -> list[Slider[Curves]]:
    """The sliders that the browser follows: ε, and people where they are the abscissa."""
    epsilon = common.epsilon_slider()
    if record.against == "epsilon":
        return [epsilon]
    nearest = [replace(epsilon, steps=neighbours(EPSILONS, record.scenario.context.plain_epsilon))]
    if record.against != "people":
        return nearest
    return [common.people_slider(runs.dataset(record.scenario).n), *nearest]


def neighbours(levels: Sequence[float], value: float) -> list[float]:
    """The nearest level below and above."""
    below = [level for level in levels if level < value][-1:]
    return below + [level for level in levels if level > value][:1]


_TITLES: Final = {"epsilon": "Privacy level ε", "people": "People"}


PAGE: Final = Page(
    state=STATE,
    load=lambda record: record,
    view=view.view,
    sliders=lambda record: {_TITLES[slider.name]: slider for slider in _sliders(record)},
)


def show(record: Curves) -> None:
    """Show the page at a record."""
    page = layout.column_layout(STATE)
    with page.title:
        titles = {name: axis.title for name, axis in AXES.items()}
        choices.view_switch(STATE, "against", "Error against", titles)
    with page.side:
        _settings(record)
    with page.main:
        _show_board(record)
    comparison.drawer("curves")
