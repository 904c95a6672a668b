"""Many tables about everybody's secret answer: how many answers an attacker reconstructs.

Dinur and Nissim's attack; the slider is the number of tables, along the chart's own axis.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import plotly.graph_objects as go
import streamlit as st

from caldp_core.attacks.reconstruction import Noisy, Publisher, Rounded, publish_exact, reconstruct
from caldp_core.basics.cache import cached
from caldp_core.basics.types import Progress
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import curves
from caldp_ui.charts import show as charts
from caldp_ui.coarser.page_state import STATE, TABLE_COUNTS, Publication
from caldp_ui.controls import common
from caldp_ui.session import jobs
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

TEXTS: Final = read_texts(__file__)

PEOPLE: Final = 100
_RUNS: Final = 3
_EXACT: Final = "exact counts"
_ROUNDED: Final = "rounded at random"
_NOISY: Final = "noise, one ε for all tables"


Curves: TypeAlias = Mapping[str, Sequence[float]]
"""By treatment the shares of answers that are right, in [0, 1], at each of `TABLE_COUNTS`."""


def compute_curves(record: Publication, progress: Progress) -> Curves:
    """All lines at all numbers of tables; each point is the mean of a few runs."""
    treatments: dict[str, Publisher] = {
        _EXACT: publish_exact,
        _ROUNDED: Rounded(record.base),
        _NOISY: Noisy(record.scenario.policy.plain_epsilon),
    }
    right: dict[str, list[float]] = {name: [] for name in treatments}
    for step, many in enumerate(TABLE_COUNTS):
        progress(step / len(TABLE_COUNTS))
        for name, publish in treatments.items():
            right[name].append(_right_share(many, publish, record.scenario.seed))
    return right


@cached
def _right_share(tables: int, publish: Publisher, seed: int) -> float:
    runs = (reconstruct(PEOPLE, tables, publish, _RUNS * seed + run) for run in range(_RUNS))
    return sum(run.accuracy for run in runs) / _RUNS


def headline(record: Publication, lines: Curves | None) -> Headline:
    """How many answers the record's number of tables gives away."""
    if lines is None:
        return Headline("The attacker is solving the tables.", TEXTS["people_of_tables"])
    right = {name: value_at(line, record.tables) for name, line in lines.items()}
    exact, rounded, noisy = (f"{each:.0f}" for each in right.values())
    return Headline(
        f"{formats.integer(record.tables)} exact tables reveal {exact} of {PEOPLE} answers, "
        f"noisy ones {noisy}; a mere guess is right for 50.",
        f"Rounded to multiples of {record.base}: {rounded}. {TEXTS['people_of_tables']}",
        unprotected=float(exact) > 60,
        figures=right,
    )


def value_at(line: Sequence[float], tables: int) -> float:
    """A line's value, of 100, at the nearest number of tables that was tried."""
    nearest = min(range(len(TABLE_COUNTS)), key=lambda i: abs(TABLE_COUNTS[i] - tables))
    return 100 * line[nearest]


def show(record: Publication) -> Headline:
    """Draw the chart once its lines are there; returns the headline."""
    epsilon, seed = record.scenario.policy.plain_epsilon, record.scenario.seed
    lines = jobs.run_automatically(
        STATE.key("many"),
        f"{record.base} {epsilon} {seed}",
        lambda progress: compute_curves(record, progress),
        lambda job: (
            f"Solving {len(TABLE_COUNTS) * 3 * _RUNS} linear programs: {job.seconds:.0f} s so far"
        ),
    )
    if lines is not None:
        charts.show(figure(record, lines, palette()), STATE.key("curves"), alt(record, lines))
    return headline(record, lines)


def alt(record: Publication, lines: Curves) -> str:
    """The chart in words: each line's value at the record's number of tables."""
    right = {name: value_at(line, record.tables) for name, line in lines.items()}
    values = "; ".join(f"{name}: {value:.0f}" for name, value in right.items())
    return f"Answers right of 100, by number of tables. At {record.tables}: {values}."


def figure(record: Publication, lines: Curves, colours: Palette) -> go.Figure:
    """Answers right by number of tables, and where the reader is."""
    styles = {
        _EXACT: ("#C65A00", "solid", "square"),
        _ROUNDED: (colours.pinned, "dash", "diamond"),
        _NOISY: (colours.ours, "solid", "circle"),
    }
    traces = [_line(name, line, styles[name]) for name, line in lines.items()]
    names = [
        curves.ChartLabel(TABLE_COUNTS[-1], 100 * line[-1], name, styles[name][0])
        for name, line in lines.items()
    ]
    here = curves.ChartLabel(
        record.tables, 40, f"{record.tables} tables", colours.text, "top right"
    )
    guess = curves.ChartLabel(TABLE_COUNTS[-1], 50, "50: a guess", colours.text, "bottom left")
    return curves.plane(
        traces,
        {"title_text": "tables", "range": [0, TABLE_COUNTS[-1]]},
        {"title_text": "answers right, of 100", "range": [40, 102]},
        [curves.horizontal_line(50, colours), curves.vertical_line(record.tables, colours)],
        colours,
        words=curves.Words(names, (), (here, guess)),
    )


def _line(name: str, line: Sequence[float], style: tuple[str, str, str]) -> dict[str, Any]:
    return curves.line_trace(
        name,
        list(TABLE_COUNTS),
        [100 * right for right in line],
        style[:2],
        mode="lines+markers",
        marker={"symbol": style[2], "size": 8},
        cliponaxis=False,
        hovertemplate="%{y:.0f} of 100",
    )


def side(_: Publication) -> None:
    """The controls: the number of tables, with what the attacker does."""
    st.markdown(TEXTS["reconstruction"])
    common.show(STATE, common.field_slider("tables", TABLE_COUNTS), "Tables")
    st.markdown(TEXTS["reconstruction_noise"])
