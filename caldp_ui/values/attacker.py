"""What an attacker learns of each answer: before a report, and at most and at least after it."""

from html import escape
from typing import Final

import streamlit as st

from caldp_core.audit.inference import Beliefs
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.values import chart
from caldp_ui.values.chart import BeliefRow
from caldp_ui.words import formats

_HEAD_HTML: Final = (
    "<span>Answer</span><span>0 to 100 of 100 people</span><span>Before</span><span>After</span>"
)


def show(data: ComparisonData) -> None:
    """One row per group or answer: a strip from 0 to 100 people, with its numbers."""
    rows = chart.belief_rows(data.setup.scenario)
    st.markdown(
        "Of 100 people who could have sent the same report, how many have this answer? Before: as "
        "many as among all people. After: from the least to the most telling report."
    )
    st.html(
        '<div class="beliefs"><p '
        f'class="head">{_HEAD_HTML}</p>{"".join(map(_row_html, rows))}</div>'
    )
    k = data.setup.mechanism.k
    rest = f" {chart.ROWS_MAX} of {formats.integer(k)} answers are listed." * (k > chart.ROWS_MAX)
    exact = any(row.channel_beliefs for row in rows)
    st.caption(
        "Pale: what this protection allows any method (CALDP, Proposition 3). "
        + (
            "Dark: what this method's reports lead to, by its exact channel."
            if exact
            else "This method has too many different reports to go through all of them."
        )
        + f" Line: before. Several reports of one person add up.{rest}"
    )


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
    if beliefs.least <= 0 and beliefs.most >= 1:
        return "can be read"
    if beliefs.least <= 0:
        return f"at most {formats.out_of(beliefs.most)}"
    if beliefs.most >= 1:
        return f"at least {formats.out_of(beliefs.least)}"
    least, most = formats.out_of(beliefs.least), formats.out_of(beliefs.most)
    return f"{least} to {most}"
