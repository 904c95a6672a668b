"""Sentences, charts and files of the recomputed numbers beside the printed ones.

Every sentence must be true of the runs that it is shown with. Colour is never alone: every line
has its own dash and mark. Of each result there are its link, its numbers and code that reproduces
them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import streamlit as st

from caldp_core.audit.adversary import ErrorVertex
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.reproduce import LINES, PAPER, SIZES, Column, MeanError
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.charts import curves
from caldp_ui.charts.curves import (
    FIXED,
    ChartLabel,
    Words,
    bare_layout,
    horizontal_line,
    line_trace,
    plane,
    vertical_line,
)
from caldp_ui.charts.show import Figure
from caldp_ui.compute import runs
from caldp_ui.controls.common import METHODS
from caldp_ui.paper.page_state import STATE, PaperRecord
from caldp_ui.parts import sharing
from caldp_ui.words import formats
from caldp_ui.words.formats import PLACES, VALUES, Headline

TEXTS: Final = read_texts(__file__)

_UNIT: Final = "\N{NO-BREAK SPACE}%"
Rows = Sequence[tuple[Column, MeanError]]


def column_title(column: Column) -> str:
    """A column of Table 1 as readers know it: "Plain LDP", "25 × 35 blocks"."""
    if column.title == "LDP":
        return "Plain LDP"
    return f"{column.title.strip('()').replace(', ', ' × ')} blocks"


def headline(scenario: Scenario, rows: Rows) -> Headline:
    """How far the recomputed columns are from the printed ones, and with what."""
    if not rows:
        return Headline("The paper's Table 1 is not computed yet.", "Each column draws new noise.")
    gaps = [relative_difference(column, mean) for column, mean in rows]
    low, high = min(gaps), max(gaps)
    figures = {"columns": len(rows), "low_end": abs(low), "high_end": abs(high)}
    if all(mean.standard_error is not None for _, mean in rows):
        figures["beyond"] = sum(is_beyond_chance(*row) for row in rows)
        verb = "differs" if figures["beyond"] == 1 else "differ"
        columns = formats.count(len(rows), "column", "columns")
        sentence = f"{figures['beyond'] or 'None'} of {columns} {verb} beyond chance"
    else:
        sentence = f"One run differs by at most {_percent(max(abs(low), abs(high)))}"
    return Headline(
        f"{sentence} from the paper's Table 1.",
        f"The range is {_range(low, high)} the printed numbers, {_settings_clause(scenario)}",
        figures=figures,
    )


def _settings_clause(scenario: Scenario) -> str:
    """The end of a sentence on what was computed."""
    if scenario.context == PAPER.context and (scenario.mechanism, scenario.estimator) == (
        PAPER.mechanism,
        PAPER.estimator,
    ):
        return "at ε = 1 with one projection."
    kind = scenario.kind("mechanism")
    method = METHODS["best"][0] if kind == "best" else MECHANISMS[kind].title
    estimate = ESTIMATORS[scenario.estimator].title
    return f"with ε = {scenario.context.epsilon:g}, “{method}” and “{estimate}”."


def relative_difference(column: Column, mean: MeanError) -> float:
    """The difference from the printed number, as a share of it."""
    return mean.error / column.paper - 1


def difference_text(column: Column, mean: MeanError) -> str:
    """The difference in words, and whether it is beyond three standard errors."""
    gap = relative_difference(column, mean)
    text = f"{_percent(abs(gap))} {'above' if gap >= 0 else 'below'}"
    if mean.standard_error is None:
        return text
    return f"{text}, {'beyond chance' if is_beyond_chance(column, mean) else 'within chance'}"


def is_beyond_chance(column: Column, mean: MeanError) -> bool:
    """Whether the mean differs by more than three standard errors; False after one run."""
    error = mean.standard_error
    return error is not None and abs(mean.error - column.paper) > 3 * error


def standard_error_text(mean: MeanError) -> str:
    """The standard error of the mean, where there are several runs."""
    return "" if mean.standard_error is None else formats.share(mean.standard_error)


def _range(low: float, high: float) -> str:
    if high < 0:
        return f"{_span_text(-high, -low)} below"
    if low > 0:
        return f"{_span_text(low, high)} above"
    return f"{_percent(-low)} below to {_percent(high)} above"


def _span_text(low: float, high: float) -> str:
    first, second = _percent(low), _percent(high)
    return first if first == second else f"{first.removesuffix(_UNIT)} to {second}"


def _percent(share: float) -> str:
    if 0.995 <= share < 1.0:  # all but nothing of a printed number is not all of it
        return f"{formats.digits(100 * math.floor(1e4 * share) / 1e4, 4)}{_UNIT}"
    return f"{100 * share:,.0f}{_UNIT}" if share >= 0.0995 else f"{100 * share:.1f}{_UNIT}"


UNCHECKED: Final = read_toml(__file__, "unchecked.toml")["unchecked"]
"""`title` and `why` of each: the printed numbers that could not be checked."""


TABLE_HEIGHT: Final = 430
PANEL_HEIGHT: Final = 272
REGION_HEIGHT: Final = 520
_ABOVE: Final = 30
_PEOPLE: Final = curves.logarithmic(
    "number of people (log scale)", [1000, 10_000, 100_000], formats.integer, range=[2.95, 5.76]
)
_LINE_COLOURS: Final = ("plain", "ours", "ours", "ours", "ours")
_DASHES: Final = ("dash", "solid", "solid", "solid", "solid")
_SYMBOLS: Final = ("diamond", "circle", "square", "triangle-up", "star")
_FADE: Final = (1.0, 0.7, 0.8, 0.9, 1.0)


def table_1(rows: Rows, columns: Sequence[Column], colours: Palette) -> Figure:
    """TV of each column: the printed mark, and the recomputed mean with its interval."""
    printed = {
        "x": [column.paper for column in columns],
        "y": [column_title(column) for column in columns],
        "marker": {
            "symbol": "diamond-open",
            "size": 15,
            "color": colours.plain,
            "line": {"width": 2.5},
        },
        "hovertemplate": "printed: %{x:.3f}<extra></extra>",
        **_named("printed", len(columns), "top left", colours.plain),
    }
    here = {
        "x": [mean.error for _, mean in rows],
        "y": [column_title(column) for column, _ in rows],
        "error_x": _interval([2 * (mean.standard_error or 0) for _, mean in rows], colours),
        "marker": {"symbol": "circle", "size": 9, "color": colours.ours},
        "hovertemplate": "computed here: %{x:.3f}<extra></extra>",
        **_named("computed here", len(rows), "bottom left", colours.ours),
    }
    traces = [{"type": "scatter", "mode": "markers+text", **each} for each in (printed, here)]
    top = max([0.62, *(mean.error for _, mean in rows)])
    return Figure(traces, _layout(curves.linear_axis(top, PLACES.wrong), columns, colours))


def _named(name: str, count: int, side: str, colour: str) -> dict[str, Any]:
    """A kind of mark, named beside the first of them."""
    return {
        "name": name,
        "text": [name, *[""] * (count - 1)] if count else [],
        "textposition": side,
        "textfont": {"size": curves.SIZE, "color": colour},
    }


def differences(rows: Rows, columns: Sequence[Column], colours: Palette) -> Figure:
    """Differences from Table 1 in per cent of the printed number, with their intervals."""
    gaps = [100 * relative_difference(column, mean) for column, mean in rows]
    widths = [200 * (mean.standard_error or 0) / column.paper for column, mean in rows]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": gaps,
        "y": [column_title(column) for column, _ in rows],
        "error_x": _interval(widths, colours),
        "marker": {"symbol": "circle", "size": 9, "color": colours.ours},
        "showlegend": False,
        "hovertemplate": "%{x:.1f} %",
    }
    reach = max([12.0, *(1.25 * abs(gap) + width for gap, width in zip(gaps, widths, strict=True))])
    axis = {
        "title": "difference, in % of the printed number",
        "range": [-min(reach, 110.0), reach],
        "zeroline": False,
    }
    layout = _layout(axis, columns, colours)
    style = {"color": colours.plain, "width": 2.5}
    layout["shapes"] = [
        {"type": "line", "x0": 0, "x1": 0, "y0": 0, "y1": 1, "yref": "y domain", "line": style}
    ]
    return Figure([trace], layout)


def _interval(widths: list[float], colours: Palette) -> dict[str, Any]:
    return {"type": "data", "array": widths, "color": colours.ours, "thickness": 2, "width": 6}


def _layout(axis: dict[str, Any], columns: Sequence[Column], colours: Palette) -> dict[str, Any]:
    names = {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": [column_title(column) for column in columns][::-1],
        "range": [-0.6, len(columns) - 0.4],
        "tickfont": {"color": colours.text, "size": 14},
        **FIXED,
    }
    return bare_layout(colours, {**axis, **FIXED}, names, TABLE_HEIGHT, (108, 10, 8, 50))


def panel(
    title: str, means: Sequence[Sequence[MeanError | None]], least: float, colours: Palette
) -> Figure:
    """One panel of Figure 2: TV against people, a line for plain LDP and one for each m.

    `means`: for each of `LINES`, one per size, None where none has been run yet. `least`: the least
    error of all panels, which share their scale.
    """
    traces, names = [], []
    for line, curve in enumerate(LINES):
        points = [(n, mean.error) for n, mean in zip(SIZES, means[line], strict=True) if mean]
        colour = getattr(colours, _LINE_COLOURS[line])
        name = "Plain LDP" if curve == "LDP" else f"{curve.removeprefix('m = ')} blocks"
        traces.append(_curve(name, points, line, colour))
        names += [ChartLabel(*points[-1], name, colour)] if points else []
    y = {
        **curves.log_axis(
            min(0.8 * least, 0.1), 1.0, curves.error_scale(VALUES.wrong), PANEL_HEIGHT
        ),
        "title": "",
    }
    heading = f"<b>{title}</b>: people {VALUES.wrong}, of 100"
    top = ChartLabel(SIZES[0], 10.0 ** y["range"][1], heading, colours.text, "top right", lift=4)
    words = Words(names, notes=[top])
    return plane(traces, _PEOPLE, y, (), colours, words=words, height=PANEL_HEIGHT, left=40)


def _curve(name: str, there: Sequence[tuple[int, float]], line: int, colour: str) -> dict[str, Any]:
    return line_trace(
        name,
        [n for n, _ in there],
        [tv for _, tv in there],
        (colour, _DASHES[line]),
        width=2,
        mode="lines+markers",
        opacity=_FADE[line],
        marker={"symbol": _SYMBOLS[line], "size": 7, "color": colour},
        text=[curves.error_scale(VALUES.wrong).describe(tv) for _, tv in there],
        hovertemplate="%{text}",
    )


def region(vertex: ErrorVertex, plain: ErrorVertex, colours: Palette) -> Figure:
    """The plane of errors: what no rule can get below, and the mechanism at the corner."""
    names = [
        ChartLabel(
            0.66, 0.86, "errors that an attacker's rules reach", colours.text, "middle center"
        ),
        ChartLabel(*_point(vertex), "believing the report", colours.ours, "bottom left", lift=-9),
    ]
    if _point(plain) != _point(vertex):
        label = "plain LDP at the smaller ε"
        names.append(ChartLabel(*_point(plain), label, colours.plain, "top right", lift=4))
    scale = curves.OrdinateScale((-0.02, 1.02), REGION_HEIGHT - _ABOVE - 50, is_log=False)
    traces = [
        line_trace(
            "all that any rule can do",
            [1, vertex.false_alarm, 0, 1, 1],
            [0, vertex.missed, 1, 1, 0],
            (colours.ours, "solid"),
            hoverinfo="skip",
            fill="toself",
            opacity=0.9,
        ),
        line_trace(
            "plain LDP at the smaller ε",
            [1, plain.false_alarm, 0],
            [0, plain.missed, 1],
            (colours.plain, "dash"),
            width=2,
            hoverinfo="skip",
        ),
        curves.dots_trace(
            "believing the report",
            [vertex.false_alarm],
            [vertex.missed],
            {"size": 13, "color": colours.ours, "line": {"color": colours.edge}},
            hovertemplate="false alarm %{x:.3f}<br>missed %{y:.3f}<extra></extra>",
        ),
        *curves.label_traces([curves.place_note(name, scale) for name in names]),
    ]
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    counts = {"tickvals": ticks, "ticktext": [f"{100 * tick:.0f}" for tick in ticks]}
    axis = {"range": [-0.02, 1.02], "constrain": "domain", **counts, **FIXED}
    x = {"title": "of 100 with x′, taken for x (false alarm)", **axis}
    y = {"title": "of 100 with x, missed", "scaleanchor": "x", **axis}
    layout = bare_layout(colours, x, y, REGION_HEIGHT, (60, 10, _ABOVE, 50))
    return Figure(traces, layout)


def _point(vertex: ErrorVertex) -> tuple[float, float]:
    return vertex.false_alarm, vertex.missed


HEIGHT: Final = 500
_PLACES: Final = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_MULTIPLES_DASHES: Final = ("dashdot", "longdash", "dash", "dot", "solid")
_MULTIPLES_SYMBOLS: Final = ("triangle-up", "star", "diamond", "square", "circle")


def multiples_figure(
    sizes: Sequence[int], ratios: Mapping[str, Sequence[float]], present: int, colours: Palette
) -> Figure:
    """People as multiples of the best's, a line a method, against the size of the sensitive set.

    `ratios`: for each of at most five methods one number per size. `present`: the headline's size.
    """
    inks = (colours.text, colours.text, colours.plain, colours.ours, colours.ours)
    traces = [
        line_trace(
            name,
            list(sizes),
            list(ratio),
            (ink, dash),
            mode="lines+markers",
            marker={"symbol": symbol, "size": 8, "color": ink},
            hovertemplate="%{y:.3g}",
        )
        for ink, dash, symbol, (name, ratio) in zip(
            inks, _MULTIPLES_DASHES, _MULTIPLES_SYMBOLS, ratios.items(), strict=False
        )
    ]
    # Randomized response soon leaves the picture: a scale for it would hide the others.
    top = max(3.0, *sorted(max(ratio) for ratio in ratios.values())[:-1])
    ticks = [1, 1.2, 1.5, 2, 3, 5, *(p * 10**d for d in range(1, 9) for p in (1, 3))]
    x = curves.logarithmic(
        "number of sensitive values (log scale)",
        _PLACES,
        formats.integer,
        range=[math.log10(0.9 * sizes[0]), math.log10(1.05 * sizes[-1])],
    )
    y = curves.logarithmic(
        "people, as a multiple of the best (log scale)",
        ticks,
        "{:,g}".format,
        range=[-0.05, math.log10(1.3 * top)],
    )
    names = [
        ChartLabel(sizes[0], min(ratio[0], 1.25 * top), name, ink)
        for ink, (name, ratio) in zip(inks, ratios.items(), strict=False)
    ]
    notes = [
        ChartLabel(present, 1.3 * top, f"{present:,} sensitive values", colours.text, "top center"),
        ChartLabel(sizes[-1], 1.0, "the best that can be", colours.text, "bottom left", lift=-3),
    ]
    shapes = [vertical_line(present, colours), horizontal_line(1.0, colours)]
    labels = Words(at_starts=names, notes=notes)
    return plane(traces, x, y, shapes, colours, words=labels, height=HEIGHT, left=80)


def show_exports(record: PaperRecord) -> None:
    """Show the code and the files that give a result's digits again, where there are any."""
    if record.view in _AGAIN:
        st.markdown("**The same digits elsewhere**")
        _AGAIN[record.view](record)


def _command(record: PaperRecord, result: str) -> None:
    st.code(
        f"python -m caldp_core reproduce {result} --seed {record.scenario.seed} "
        "--scenario scenario.json",
        language="bash",
    )
    sharing.file_button(STATE.key("json"), "scenario.json", record.scenario.to_json())


_AGAIN: Final[Mapping[str, Callable[[PaperRecord], None]]] = {
    "table-1": lambda record: _command(record, f"table1 --runs {record.runs}"),
    "figure-1": lambda record: sharing.python(figure_1_snippet(record)),
    "figure-2": lambda record: _command(record, "figure2"),
    "figure-3": lambda record: _command(record, "figure3"),
    "sensitive-sets": lambda record: sharing.python(sensitive_sets_snippet(record)),
}


def figure_1_snippet(record: PaperRecord) -> str:
    """Python that prints the corner of the region."""
    question = record.question
    return TEXTS["figure_1_code"].format(first=question.epsilon_01, second=question.epsilon_10)


def sensitive_sets_snippet(record: PaperRecord) -> str:
    """Python that prints the multiples of the sentence, before they are rounded."""
    code = TEXTS["worst_case_code"] if record.share is None else TEXTS["known_share_code"]
    return code.format(
        values=record.values, share=record.share, epsilon=record.scenario.context.plain_epsilon
    )


def table_1_csv(rows: Rows) -> bytes:
    """One row per column of Table 1."""
    return runs.csv(
        [{"column": column.title, "printed": column.paper, **mean.columns} for column, mean in rows]
    )
