"""The page: Table 1 and Figures 2 and 3 recomputed, and what could not be checked.

Yoon et al. 2025 proved what the best possible error is; the paper's own method is among those that
are compared with it. Errors fall with 1/people, so a multiple of the error is one of the people.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit.adversary import error_vertex
from caldp_core.basics.cache import cached
from caldp_core.experiments import reproduce
from caldp_core.experiments.reproduce import SIZES, TABLE_1, TrialRun
from caldp_core.mechanisms import Mechanism, catalogue
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_core.scenarios.blocks import GridBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.bounds import least_loss, minimax, worst_case
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import show as charts
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.maps.scene import ground, scene
from caldp_ui.paper import page_state, view
from caldp_ui.paper.page_state import SHARES, STATE, VALUES, PaperRecord
from caldp_ui.paper.view import REGION_HEIGHT, multiples_figure, region
from caldp_ui.parts import comparison, layout, sharing
from caldp_ui.parts.comparison import ComparisonData, result_if_fast
from caldp_ui.session import jobs
from caldp_ui.shell.page import Page, View
from caldp_ui.stage.component import stage
from caldp_ui.words import accuracy, formats, policies
from caldp_ui.words.formats import Headline

TEXTS: Final = read_texts(__file__)

LEVELS: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, math.inf)
_REGION: Final = STATE.key("region")


_FIRST: Final = common.field_slider("question.epsilon_01", LEVELS, policies.level, "first")
_SECOND: Final = common.field_slider("question.epsilon_10", LEVELS, policies.level, "second")


def show_region(record: PaperRecord) -> None:
    """Draw the sentence, the region, and the two levels that it depends on."""
    shown = region_view(record, None, palette())
    layout.show_headline(shown.headline)
    left, right = st.columns([2, 1])
    with left:
        charts.show_json(shown.pictures[_REGION], _REGION, REGION_HEIGHT)
    with right:
        common.show(STATE, _FIRST, "ε(x, x′): how well x is hidden")
        common.show(STATE, _SECOND, "ε(x′, x): how well x′ is hidden")
        st.caption(TEXTS["region_notes"])
    REGION.follow(record)


def region_view(record: PaperRecord, _: object, colours: Palette) -> View:
    """The region and the headline."""
    question = record.question
    vertex = error_vertex(BinaryPolicy(question.epsilon_01, question.epsilon_10))
    least = min(question.epsilon_01, question.epsilon_10)
    plain = error_vertex(BinaryPolicy(least, least))
    alt = TEXTS["region_alt"].format(corner=vertex)
    chart = charts.figure_json(region(vertex, plain, colours), alt)
    headline = Headline(
        "An attacker who believes the report takes "
        f"{formats.out_of(vertex.false_alarm)} people with x′ for people with x.",
        f"They miss {formats.out_of(vertex.missed)} people with x. No rule gets below the line "
        "(Theorem 1), and no mechanism tells more (Theorem 2).",
        figures={"false_alarm": vertex.false_alarm, "missed": vertex.missed},
    )
    return View(headline, {_REGION: chart})


REGION: Final = Page(
    state=STATE,
    name="region",
    load=lambda record: record,
    view=region_view,
    sliders=lambda record: {"ε(x, x′)": _FIRST, "ε(x′, x)": _SECOND},  # noqa: ARG005
)


_PAPER: Final = "Hadamard response (the paper's)"
_OURS: Final = "Galois response"
_BEST: Final = "subset selection (uBD)"
_AS_MANY: Final = 1.005
_TWO_DECIMALS: Final = 9.995
_CHART: Final = STATE.key("sensitive-sets")
_WORST: Final = -1.0
"""Stands for the worst case among shares."""
_SIZES: Final = tuple(part * 10**power for power in range(5) for part in (1, 2, 3, 5))


@dataclass(frozen=True, eq=False)
class SensitiveSetData:
    """(sizes,) numbers of sensitive values, and by method the people it takes at each.

    `multiples`: of the best's people. `alt`: the chart in words. `size_index`: the index of the
    size that `headline` and `alt` are about.
    """

    sizes: list[int]
    multiples: Mapping[str, list[float]]
    headline: Headline
    alt: str
    size_index: int

    def chart(self, colours: Palette) -> charts.Figure:
        """The chart of the curves."""
        return multiples_figure(self.sizes, self.multiples, self.sizes[self.size_index], colours)


def load_data(record: PaperRecord) -> SensitiveSetData:
    """The curves and sentences of a record."""
    epsilon, sizes = record.scenario.context.plain_epsilon, sizes_of(record.values)
    multiples = ratios(record.values, epsilon, record.share)
    index = sizes.index(record.values // 10)
    numbers = "; ".join(f"{name} {ratio[index]:.3g}" for name, ratio in multiples.items())
    return SensitiveSetData(
        sizes,
        multiples,
        make_headline(record, epsilon, sizes[index], {n: r[index] for n, r in multiples.items()}),
        "People that each method takes, as a multiple of what the best would take, against "
        f"the number of sensitive values. With {sizes[index]:,}: {numbers}.",
        index,
    )


def show_sensitive_sets(record: PaperRecord) -> None:
    """Draw the headline, the curves and the numbers, with the controls beside them."""
    data = load_data(record)
    sizes, multiples = data.sizes, data.multiples
    layout.show_headline(data.headline)
    left, right = st.columns([3.1, 1], gap="medium")
    with right:
        common.epsilon(STATE)
        comparison.epsilon_button(STATE, record.scenario.policy.plain_epsilon)
        common.show(STATE, _VALUES_SLIDER, "Values in all")
        title, help_text = "People with a sensitive value", TEXTS["known_share_help"]
        common.show(STATE, _SHARE_SLIDER, title, help_text)
    with left:
        charts.show(data.chart(palette()), _CHART, data.alt)
    st.table(_exact_numbers(sizes, multiples))
    make = partial(runs.csv, {"sensitive values": sizes, **multiples})
    sharing.file_button(STATE.key("csv"), "sensitive-sets.csv", make)
    if record.share is not None:
        st.caption("Galois response is made for this share, subset selection for the worst case.")
    st.caption(TEXTS["method_notes"])
    SENSITIVE_SETS.follow(record)


def sizes_of(values: int) -> list[int]:
    """The numbers of sensitive values on the axis, among this many values in all."""
    return [size for size in _SIZES if 2 <= size < values]


@cached
def ratios(values: int, epsilon: float, share: float | None) -> dict[str, list[float]]:
    """People by method and size of the set, as multiples of the best.

    `share`: of people with a sensitive value; None is whichever is the worst for each.
    """
    sizes, multiples = sizes_of(values), {}
    best = [
        minimax(values, s, epsilon) if share is None else least_loss(values, s, epsilon, share)
        for s in sizes
    ]
    methods: dict[str, catalogue.MechanismSpec] = {
        "randomized response (uRR)": catalogue.RandomizedResponse(),
        "RAPPOR as published (uRAP)": catalogue.PublishedUrap(),
        _PAPER: catalogue.Hadamard(),
        _BEST: catalogue.SubsetSelection(),
        _OURS: catalogue.Galois(share=share),
    }
    for name, spec in methods.items():
        multiples[name] = [
            _loss(spec.make(Context.high_low(np.arange(values) < s, epsilon)), s, share)
            / least.loss
            for s, least in zip(sizes, best, strict=True)
        ]
    return multiples


def _loss(mechanism: Mechanism, s: int, share: float | None) -> float:
    if share is None:
        return worst_case(mechanism).loss
    p = np.where(np.arange(mechanism.k) < s, share / s, (1.0 - share) / (mechanism.k - s))
    return float(mechanism.variance(p, 1).sum())


def make_headline(
    record: PaperRecord, epsilon: float, size: int, multiples: Mapping[str, float]
) -> Headline:
    """The people that the methods take with `size` sensitive values, by method in `multiples`."""
    needs = "needs at worst" if record.share is None else "needs"
    share_clause = (
        "" if record.share is None else f", which {formats.out_of(record.share)} people have"
    )
    return Headline(
        f"The paper's Hadamard response {needs} {_people(multiples[_PAPER])} as the best "
        "mechanism.",
        f"Subset selection needs {_people(multiples[_BEST])}, Galois response "
        f"{_people(multiples[_OURS])}. "
        f"{size:,} of {record.values:,} values are sensitive{share_clause}, at ε = {epsilon:g}.",
        figures={**multiples, "sensitive": size},
    )


def _people(ratio: float) -> str:
    return "as many people" if ratio < _AS_MANY else f"{formats.times(ratio)} as many people"


_VALUES_SLIDER: Final = common.field_slider("values", VALUES, formats.integer)
_SHARE_SLIDER: Final[common.Slider[PaperRecord]] = common.Slider(
    "share",
    lambda record: _WORST if record.share is None else record.share,
    lambda record, share: replace(record, share=None if share == _WORST else share),
    (_WORST, *SHARES),
    lambda share: "the worst case" if share == _WORST else f"{100 * share:g} %",
)
SENSITIVE_SETS: Final = Page(
    state=STATE,
    name="sensitive-sets",
    load=load_data,
    view=lambda data, _, colours: View(
        data.headline, {_CHART: charts.figure_json(data.chart(colours), data.alt)}
    ),
    sliders=lambda record: {  # noqa: ARG005
        "Privacy level ε": common.epsilon_slider(),
        "People with a sensitive value": _SHARE_SLIDER,
        "Values in all": _VALUES_SLIDER,
    },
)


def _exact_numbers(sizes: list[int], multiples: Mapping[str, list[float]]) -> pd.DataFrame:
    """Multiples as texts, a row a method, a column a decade of sizes."""
    indices = [i for i, size in enumerate(sizes) if str(size)[0] in "15" or i == 0]
    return pd.DataFrame(
        {
            f"{sizes[i]:,}": {
                name: f"{r[i]:.2f}" if r[i] < _TWO_DECIMALS else f"{r[i]:,.0f}"
                for name, r in multiples.items()
            }
            for i in indices
        }
    ).rename_axis("times the best, by sensitive values")


def table_1(record: PaperRecord) -> None:
    """Draws the headline, both charts and the numbers, which sharpen as runs come in."""
    scenarios = reproduce.table_1_scenarios(record.runs, record.scenario)
    quick = [
        which
        for which, scenario in enumerate(scenarios)
        if not runs.takes_long(scenario) and runs.setup(scenario).n <= runs.max_people(scenario)
    ]
    chosen = [scenarios[which] for which in quick]
    # Made here, as a thread beside the page has no Streamlit.
    ready = {scenario: runs.setup(scenario) for scenario in chosen}
    jobs.gather_automatically(
        STATE.key("table"),
        json.dumps([runs.key(scenario) for scenario in chosen]),
        lambda progress: reproduce.run_interleaved(chosen, ready.__getitem__, progress),
        partial(_progress_text, len(chosen) * record.runs),
        partial(_show_table, record.scenario, quick),
    )
    if len(quick) < len(TABLE_1):
        skipped = ", ".join(
            view.column_title(c) for which, c in enumerate(TABLE_1) if which not in quick
        )
        st.info(f"With this method or estimate one run takes too long for: {skipped}.")


def _progress_text(total: int, job: jobs.Job[list[TrialRun]]) -> str:
    if job.is_waiting:
        return "Waiting for other runs on this server to end"
    return f"Run {len(job.partial_results)} of {total}"


def _show_table(scenario: Scenario, column_indices: list[int], turns: list[TrialRun]) -> None:
    mean_errors = reproduce.means(
        reproduce.complete_rounds(turns, len(column_indices)), len(column_indices)
    )
    rows = [(TABLE_1[w], mean) for w, mean in zip(column_indices, mean_errors, strict=True) if mean]
    columns = [TABLE_1[which] for which in column_indices]
    layout.show_headline(view.headline(scenario, rows))
    left, right = st.columns([3, 2])
    columns_text = "; ".join(
        f"{view.column_title(column)}: {formats.share(mean.error)}, printed {column.paper}"
        for column, mean in rows
    )
    with left:
        charts.show(
            view.table_1(rows, columns, palette()),
            STATE.key("dots"),
            f"Table 1, error as total variation. {columns_text}.",
        )
    with right:
        gaps = "; ".join(
            f"{view.column_title(c)} {view.difference_text(c, mean)}" for c, mean in rows
        )
        charts.show(
            view.differences(rows, columns, palette()),
            STATE.key("differences"),
            f"Differences from the printed numbers: {gaps}.",
        )
    if rows:
        numbers = {
            view.column_title(column): {
                "printed": f"{column.paper}",
                "recomputed, mean": formats.share(mean.error),
                "standard error": view.standard_error_text(mean),
                "difference": view.difference_text(column, mean),
                "runs": f"{mean.runs}",
            }
            for column, mean in rows
        }
        st.table(pd.DataFrame(numbers).rename_axis("total variation"))
        sharing.file_button(STATE.key("csv"), "table-1.csv", partial(view.table_1_csv, rows))
    st.caption(TEXTS["table_1_notes"])


def figure_2(record: PaperRecord) -> None:
    """Draws Figure 2: four distributions, five curves, ten sizes, ten runs, as they are run."""
    points = list(reproduce.figure_2_points(base=record.scenario))
    slow = next((p for p in points[:: len(SIZES)] if runs.takes_long(p.scenario)), None)
    if slow is not None:
        st.info("One run takes too long with this method or estimate: choose another one.")
        return

    scenarios, total = [point.scenario for point in points], len(points) * reproduce.FIGURE_RUNS
    jobs.gather_automatically(
        STATE.key("figure-2"),
        runs.key(record.scenario),
        lambda progress: reproduce.run_interleaved(scenarios, progress=progress),
        lambda job: f"Run {len(job.partial_results):,} of {total:,}",
        partial(_panels, points),
    )


def _panels(points: list[reproduce.Point], turns: list[TrialRun]) -> None:
    mean_errors = reproduce.means(reproduce.complete_rounds(turns, len(points)), len(points))
    by_point = {
        (p.panel, p.line, p.scenario.n): m for p, m in zip(points, mean_errors, strict=True)
    }
    layout.show_headline(_order(by_point))
    least = min((mean.error for mean in by_point.values() if mean), default=0.01)
    titles = list(reproduce.PANELS)
    for first in range(0, len(titles), 2):
        for column, panel in zip(st.columns(2), (first, first + 1), strict=True):
            curves = [[by_point[titles[panel], line, n] for n in SIZES] for line in reproduce.LINES]
            with column:
                charts.show(
                    view.panel(titles[panel], curves, least, palette()),
                    STATE.key(f"panel-{panel}"),
                    TEXTS["figure_2_alt"].format(panel=titles[panel]),
                )
    st.caption(TEXTS["figure_2_notes"])
    if any(mean_errors):
        make = partial(runs.csv, reproduce.figure_2_rows(points, mean_errors))
        sharing.file_button(STATE.key("csv"), "figure-2.csv", make)


def _order(mean_errors: dict[tuple[str, str, int | None], reproduce.MeanError | None]) -> Headline:
    """How many comparisons have the paper's order: more blocks, less error."""
    pairs = [
        (mean_errors[panel, fewer, n], mean_errors[panel, more, n])
        for panel in reproduce.PANELS
        for fewer, more in pairwise(reproduce.LINES)
        for n in SIZES
    ]
    compared = [(a.error, b.error) for a, b in pairs if a and b]
    in_order = sum(b < a for a, b in compared)
    if not compared:
        return Headline("Figure 2 is not computed yet.", "It has 200 points of ten runs each.")
    return Headline(
        f"More blocks give a smaller error in {in_order} of {len(compared)} comparisons.",
        "The paper: “The larger m we have, the better accuracy we get.”",
        figures={"in_order": in_order, "compared": len(compared)},
    )


def figure_3(record: PaperRecord) -> None:
    """Draws Figure 3: the truth, plain LDP and 25 × 35 blocks on one scale."""
    plain = record.scenario
    ours = plain.with_context(blocks=GridBlocks(25, 35))
    setup = runs.setup(ours)
    results = {
        name: result_if_fast(scenario) for name, scenario in (("ours", ours), ("plain", plain))
    }
    errors = {
        name: "too slow to compute"
        if result is None
        else formats.of_hundred(result.first.errors.tv)
        for name, result in results.items()
    }
    layout.show_headline(
        Headline(
            f"The paper's blocks put {accuracy.wrong_people(formats.PLACES, errors['ours'])}, "
            f"plain LDP {errors['plain']}.",
            "Figure 3's map, under 25 × 35 blocks.",
            figures={name: each.first.errors.tv for name, each in results.items() if each},
        )
    )
    data = ComparisonData(setup, runs.setup(plain), results["ours"], results["plain"])
    land = ground(setup, runs.map_of(setup.dataset), None)
    stage(scene(data, land, "25 × 35 blocks"), STATE.key("maps"))
    with st.expander("ε, method and estimate"):
        page_state.settings(record)


def unchecked(record: PaperRecord) -> None:
    """The printed numbers that could not be checked, and why."""
    del record
    layout.show_headline(
        Headline("Some printed numbers could not be checked.", TEXTS["unchecked_reason"])
    )
    for each in view.UNCHECKED:
        st.markdown(f"**{each['title']}** {each['why']}")


_VIEWS: Final[Mapping[str, Callable[[PaperRecord], None]]] = {
    "table-1": table_1,
    "figure-1": show_region,
    "figure-2": figure_2,
    "figure-3": figure_3,
    "sensitive-sets": show_sensitive_sets,
    "unchecked": unchecked,
}
_WITH_SLIDERS: Final[Mapping[str, Page[PaperRecord, Any]]] = {
    "figure-1": REGION,
    "sensitive-sets": SENSITIVE_SETS,
}
"""Results that can be taken home as a file."""


def show(record: PaperRecord) -> None:
    """Show the page at a record."""
    _, switch = layout.title_row(STATE)
    with switch:
        choices.view_switch(STATE, "view", "Result", page_state.VIEWS)
    with st.container(key=STATE.key("result")):
        if record.view in ("table-1", "figure-2"):
            main, beside = st.columns([3.1, 1], gap="medium")
            with beside.container(key=STATE.key("side")):
                page_state.settings(record)
            with main:
                _VIEWS[record.view](record)
        else:
            _VIEWS[record.view](record)
    sharing.drawer(STATE.key("sharing"), lambda: _sharing(record))
    comparison.drawer("paper")


def _sharing(record: PaperRecord) -> None:
    with sharing.link_columns(STATE):
        view.show_exports(record)
        if record.view in _WITH_SLIDERS:
            _WITH_SLIDERS[record.view].offer()
