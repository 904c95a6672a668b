"""Under the picture: what an attacker learns, methods and estimators, and every answer's numbers.

What takes longer than a second reports to a `Progress`.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit.inference import (
    Beliefs,
    channel_beliefs,
    policy_beliefs,
    policy_beliefs_of_value,
)
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Progress
from caldp_core.datasets import DatasetSpec
from caldp_core.domain.domains import is_scale, scale_of
from caldp_core.estimation.estimators import (
    ESTIMATORS,
    compare_groups,
    menu_of_estimators,
    quantiles,
)
from caldp_core.estimation.intervals import ranges, simultaneous
from caldp_core.experiments.forecast import forecast_if_fast
from caldp_core.experiments.questions import EstimatedMean, mean_in
from caldp_core.experiments.run import Result, Setup
from caldp_core.experiments.table import as_cell
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.capabilities import people_max, report_bits, symbol_partition_of
from caldp_core.mechanisms.catalogue import MECHANISMS, MechanismEntry, mechanisms_for
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.matrix import coverage
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Budget
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.app.theme import palette
from caldp_ui.charts.curves import bare_layout, logarithmic
from caldp_ui.charts.show import Figure
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.parts import pack, pins
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import jobs
from caldp_ui.values.page_state import STATE, domain_of, groups_of
from caldp_ui.words import formats

TEXTS: Final = read_texts(__file__)

ROWS_MAX: Final = 60


@dataclass(frozen=True)
class BeliefRow:
    """An attacker's beliefs in a group or an answer.

    `promise_beliefs`: the bounds by the policy. `channel_beliefs`: those that this method's reports
    lead to, None where they are too many to go through.
    """

    name: str
    protected: bool
    promise_beliefs: Beliefs
    channel_beliefs: Beliefs | None


@cached_by(runs.law_key)
def belief_rows(scenario: Scenario) -> list[BeliefRow]:
    """A row for every group and for up to `ROWS_MAX` answers, sensitive ones first."""
    setup, domain = runs.setup(scenario), domain_of(scenario)
    hidden = coverage(setup.policy).protected
    prior, policy = setup.dataset.distribution, setup.policy
    rows = groups_of(domain) if isinstance(policy, Context) else []
    rows += [(domain.name_of(x), np.arange(domain.k) == x) for x in _listed_answers(setup)]
    flags = np.array([group for _, group in rows])
    by_channel: Sequence[Beliefs | None] = [None] * len(flags)
    with suppress(CaldpError):  # where reports are too many to be written out
        by_channel = channel_beliefs(setup.mechanism.exact_channel(), prior, flags)
    return [
        BeliefRow(name, bool(hidden[group].all()), _promise_beliefs(policy, prior, group), reach)
        for (name, group), reach in zip(rows, by_channel, strict=True)
    ]


def _promise_beliefs(policy: PrivacyMatrix, prior: Floats, group: Bools) -> Beliefs:
    """The policy's bounds: for a group in a context, for one answer under any other policy."""
    if isinstance(policy, Context):
        return policy_beliefs(policy, prior, group)
    return policy_beliefs_of_value(policy, prior, int(group.argmax()))


def _listed_answers(setup: Setup) -> list[int]:
    """Answers to list, sensitive ones first: in the table's order, or by share where it is long."""
    truth = setup.dataset.distribution
    if truth.size <= ROWS_MAX:
        order = np.argsort(~setup.sensitive, kind="stable")
    else:
        order = np.lexsort((-truth, ~setup.sensitive))[:ROWS_MAX]
    return [int(x) for x in order]


def show_beliefs(data: ComparisonData) -> None:
    """One row per group or answer: a strip from 0 to 100 people, with its numbers."""
    rows = belief_rows(data.setup.scenario)
    st.markdown(TEXTS["belief_notes"])
    st.html(f'<div class="beliefs">{TEXTS["belief_head"]}{"".join(map(_row_html, rows))}</div>')
    k = data.setup.mechanism.k
    rest = f" {ROWS_MAX} of {formats.integer(k)} answers are listed." * (k > ROWS_MAX)
    exact = any(row.channel_beliefs for row in rows)
    legend = TEXTS["belief_legend_exact"] if exact else TEXTS["belief_legend_promised"]
    st.caption(f"{legend}{rest}")


def _row_html(row: BeliefRow) -> str:
    words = _beliefs_text(row.promise_beliefs)
    shield = " hidden" if row.protected else ""
    dark = "" if row.channel_beliefs is None else _span_html("reached", row.channel_beliefs)
    tick = f'<u style="left:{100 * row.promise_beliefs.before:.2f}%"></u>'
    return (
        f'<p class="belief{shield}"><span>{escape(row.name)}</span>'
        f'<span class="strip" role="img" aria-label="{escape(row.name)}: {words}">'
        f"{_span_html('promised', row.promise_beliefs)}{dark}{tick}</span>"
        f"<span>{formats.out_of(row.promise_beliefs.before)}</span><span>{words}</span></p>"
    )


def _span_html(name: str, beliefs: Beliefs) -> str:
    left, right = 100 * beliefs.least, 100 * (1 - beliefs.most)
    return f'<i class="{name}" style="left:{left:.2f}%;right:{right:.2f}%"></i>'


def _beliefs_text(beliefs: Beliefs) -> str:
    least, most = beliefs.least, beliefs.most
    if most >= 1:
        return "can be read" if least < 1e-4 else f"at least {formats.out_of(least)}"
    if most >= 0.995:  # `out_of` would count the others
        return f"{formats.per_hundred(max(least, 0.0))} to {formats.hundred(most)} of 100"
    if least <= 0:
        return f"at most {formats.out_of(most)}"
    (low, high), number = formats.out_of_one(least, most)
    return formats.out_of(most) if low == high else f"{low} to {high} of {number}"


@dataclass(frozen=True)
class Method:
    """A mechanism under this protection.

    `l2`: expected l2 distance of the unbiased estimate, exact. `bits`: of the longest report.
    `is_chosen`: whether the scenario runs it.
    """

    title: str
    l2: float
    bits: int
    is_chosen: bool


@cached_by(runs.law_key)
def methods(scenario: Scenario) -> list[Method]:
    """Every mechanism of the catalogue that satisfies the policy and has an exact variance."""
    setup = runs.setup(scenario)
    p, n = setup.dataset.distribution, setup.n
    return [
        Method(
            entry.title,
            float(np.sqrt(max(float(mechanism.variance(p, n).sum()), 0.0))),
            report_bits(mechanism),
            entry.name == setup.mechanism_name,
        )
        for entry, mechanism in _compatible_methods(setup)
    ]


def _compatible_methods(setup: Setup) -> Iterator[tuple[MechanismEntry, Mechanism]]:
    ordered = is_scale(setup.dataset.domain)
    for entry in mechanisms_for(setup.policy):
        if entry.in_order and not ordered:
            continue
        try:
            mechanism = entry.make(setup.policy)
            mechanism.variance(setup.dataset.distribution, setup.n)
        except CaldpError:  # sizes do not fit
            continue
        yield entry, mechanism


def compare_methods(scenario: Scenario, progress: Progress) -> pd.DataFrame:
    """Expected TV of all methods, a row each, with all estimators, under the scenario's own policy.

    NaN where it takes too long or can't be combined.
    """
    setup = runs.setup(scenario)
    compatible = list(_compatible_methods(setup))
    estimators = menu_of_estimators(scenario.estimator, in_order=is_scale(setup.dataset.domain))
    titles = [ESTIMATORS[name].title for name in estimators]
    tv = pd.DataFrame(np.nan, [entry.title for entry, _ in compatible], titles)
    for row, (entry, mechanism) in enumerate(compatible):
        for column, name in enumerate(estimators):
            progress((row + column / len(estimators)) / len(compatible))
            tv.iloc[row, column] = _expected_error(setup, entry, mechanism, name)
    progress(1.0)
    return tv


def _expected_error(
    setup: Setup, entry: MechanismEntry, mechanism: Mechanism, estimator: str
) -> float:
    largest = int(symbol_partition_of(mechanism).sizes.max(initial=0))
    slow = min(entry.slow_from, ESTIMATORS[estimator].slow_from)
    if largest >= slow or setup.n > people_max(mechanism):
        return math.nan
    scenario = replace(setup.scenario, estimator=estimator, mechanism=entry.spec())
    other = replace(setup, scenario=scenario, mechanism=mechanism, mechanism_name=entry.name)
    try:
        forecast = forecast_if_fast(other, budget=Budget.quick(mechanism.k))
    except CaldpError:  # an estimator that does not go with the mechanism
        return math.nan
    return math.nan if forecast is None else forecast.error


_BITS: Final = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
_ERRORS: Final = [part * 10.0**power for power in range(-7, 2) for part in (1, 2, 3, 5, 7)]
_POINT_TOLERANCE: Final = 0.01
"""Methods with as many bits whose errors are within 1 % share a point."""


def show_methods(data: ComparisonData) -> None:
    """The plane and table of methods at once; the table of estimators by a job on demand."""
    scenario = data.setup.scenario
    compatible = methods(scenario)
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        best = min(compatible, key=lambda method: method.l2)
        alt = TEXTS["plane_alt"].format(best=best.title)
        show_chart(_plane(compatible), STATE.key("plane"), alt)
    with right:
        st.table(
            pd.DataFrame(
                {
                    "expected error (l2)": [formats.share(m.l2) for m in compatible],
                    "bits per report": [formats.integer(m.bits) for m in compatible],
                },
                index=pd.Index(_names(compatible), name="method"),
            )
        )
        st.caption(TEXTS["l2_notes"])
    button = jobs.StartButton(
        "Compare all estimators",
        ":material/table_view:",
        "Forecasts every method with every estimator; takes about half a minute, beside the page.",
    )
    comparison = jobs.run_on_click(
        STATE.key("compared"),
        runs.key(scenario),
        lambda progress: compare_methods(scenario, progress),
        button,
        lambda job: f"Methods and estimators: {job.share:.0%}",
    )
    if comparison is not None:
        least = float(np.nanmin(comparison.to_numpy(), initial=math.inf))
        st.table(comparison.map(partial(_error_text, best=least)).rename_axis("method"))
        st.caption(TEXTS["methods_notes"])


def _names(methods: list[Method]) -> list[str]:
    """The methods' names, each after its letter on the plane."""
    chosen = {True: " (chosen)", False: ""}
    return [f"{chr(65 + i)} · {m.title}{chosen[m.is_chosen]}" for i, m in enumerate(methods)]


def _plane(methods: list[Method]) -> Figure:
    """The plane of error against bits; methods on one point share it, with all their letters."""
    colours = palette()
    points = _group_points(methods)
    ours = [any(methods[i].is_chosen for i in point) for point in points]
    trace = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [methods[point[0]].bits for point in points],
        "y": [methods[point[0]].l2 for point in points],
        "text": ["".join(chr(65 + i) for i in point) for point in points],
        "customdata": [", ".join(methods[i].title for i in point) for point in points],
        "textposition": "top center",
        "textfont": {"color": colours.text, "size": 14},
        "marker": {
            "color": [colours.ours if our else colours.plain for our in ours],
            "symbol": ["circle" if our else "diamond-open" for our in ours],
            "size": 13,
        },
        "cliponaxis": False,
        "hovertemplate": "%{customdata}<br>%{x:,} bits, error %{y:.3g}<extra></extra>",
    }
    x = logarithmic("bits per report", _BITS)
    y = logarithmic("expected error (l2)", _ERRORS)
    layout = bare_layout(colours, x, y, 360, (0, 20, 24, 0))
    return Figure([trace], layout)


def _group_points(methods: list[Method]) -> list[list[int]]:
    """Indices of the methods on each point."""
    points: list[list[int]] = []
    for i, method in enumerate(methods):
        for point in points:
            first = methods[point[0]]
            near = abs(method.l2 - first.l2) <= _POINT_TOLERANCE * first.l2
            if near and method.bits == first.bits:
                point.append(i)
                break
        else:
            points.append([i])
    return points


def _error_text(tv: float, best: float) -> str:
    if math.isnan(tv):
        return "–"
    return f"{formats.share(tv)}{' ★' if tv <= 1.03 * best else ''}"


_SQUARE_WAVE: Final = "square-wave"
_FACTOR_MIN: Final = 1.2
"""The least factor by which a range must narrow to be worth another method."""


def show_numbers(data: ComparisonData) -> None:
    """The means, the table with its legend, and the errors of this draw."""
    if data.ours is None or data.plain is None:
        st.info("The numbers come once both pictures are there.")
        return
    st.markdown(means_text(data.ours, data.plain))
    found = compare_groups(data.ours.first.evidence)
    lines = [each.sentence for each in quantiles(data.ours.first.evidence)]
    if found:
        answers = list(dict.fromkeys(each.answer for each in found))
        answer = st.selectbox("Compare groups by answer", answers, key=STATE.key("group-answer"))
        lines += [each.sentence for each in found if each.answer == answer]
    st.markdown("".join(f"- {escape_markdown(line)}\n" for line in lines))
    st.dataframe(
        answer_frame(data.ours, data.plain),
        hide_index=True,
        column_config={
            title: st.column_config.NumberColumn(title, format="%.2f %%")
            for title in _column_titles("this")
            + _column_titles("plain")
            + [truth_title(data.setup.scenario.dataset)]
        },
        key=STATE.key("table"),
    )
    st.caption(TEXTS["numbers_notes"])
    pins.section(STATE, data)


def means_text(ours: Result, plain: Result) -> str:
    """The mean under both protections, with ranges; empty if answers are not numbers."""
    means = mean_in(ours), mean_in(plain)
    parts = [
        f"{who}: {mean_text(mean)}"
        for who, mean in zip(("This protection", "plain LDP"), means, strict=True)
        if mean is not None
    ]
    if not parts:
        return ""
    return TEXTS["means"].format(means="; ".join(parts), wave=_square_wave_sentence(ours))


def _square_wave_sentence(ours: Result) -> str:
    """How much the square wave would narrow the range of the mean; empty where by little."""
    setup = ours.setup
    values, p = scale_of(domain_of(setup.scenario).names), setup.dataset.distribution
    wave = MECHANISMS[_SQUARE_WAVE]
    if values is None or not isinstance(setup.policy, wave.policies):
        return ""
    centred = values - 0.5 * (values[0] + values[-1])
    try:
        wave_variance = wave.make(setup.policy).sum_variance(p, centred, setup.n)
    except CaldpError:  # too many steps for it
        return ""
    variance = setup.mechanism.sum_variance(p, centred, setup.n)
    if wave_variance <= 0 or variance < _FACTOR_MIN**2 * wave_variance:
        return ""
    times = formats.digits(float(np.sqrt(variance / wave_variance)))
    return f" The method “{wave.title}” would make the range of the mean {times} times as narrow."


def mean_text(mean: EstimatedMean) -> str:
    """A mean, its range and the truth, to three digits."""
    estimate, low, high, truth = (
        formats.digits(value, 3) for value in (mean.estimate, mean.low, mean.high, mean.truth)
    )
    return f"mean about {estimate}, between {low} and {high} (truth {truth})"


def _column_titles(who: str) -> list[str]:
    return [who, *(f"{who} {end}" for end in ("low", "high", "all low", "all high"))]


def truth_title(spec: DatasetSpec) -> str:
    """The title of the column of true shares, as the browser saves it as CSV."""
    return pack.COLUMN if runs.is_own(spec) else "truth"


def answer_frame(ours: Result, plain: Result) -> pd.DataFrame:
    """One row per answer, shares in percent; names are escaped, as the browser saves it as CSV."""
    setup = ours.setup
    domain = domain_of(setup.scenario)
    columns: dict[str, object] = {"answer": [as_cell(domain.name_of(x)) for x in range(domain.k)]}
    if domain.groups:
        columns["group"] = [as_cell(group) for group in domain.groups]
    columns["protected"] = coverage(setup.policy).protected
    columns[truth_title(setup.scenario.dataset)] = 100 * setup.dataset.distribution
    for who, result in (("this", ours), ("plain", plain)):
        evidence, shares = result.first.evidence, result.first.estimate
        one, every = ranges(evidence, shares), simultaneous(evidence).around(shares)
        ends = (shares, one.low, one.high, every.low, every.high)
        columns |= {t: 100 * part for t, part in zip(_column_titles(who), ends, strict=True)}
    return pd.DataFrame(columns)
