"""What an attacker learns of each answer: before a report, and at most and at least after it."""

from html import escape
from typing import Final

import streamlit as st

from caldp_core.audit.beliefs import Beliefs
from caldp_ui.parts.comparison import Shown
from caldp_ui.values import figures
from caldp_ui.values.figures import Learned
from caldp_ui.words import formats

_HEAD: Final = (
    "<span>Answer</span><span>0 to 100 of 100 people</span><span>Before</span><span>After</span>"
)


def show(what: Shown) -> None:
    """One row a group or an answer: a strip from 0 to 100 people, and the same in numbers."""
    rows = figures.learned(what.setup.scenario)
    st.markdown(
        "Of 100 people who could have sent the same report, how many have this answer? Before: as "
        "many as among all people. After: from the least to the most telling report."
    )
    st.html(f'<div class="beliefs"><p class="head">{_HEAD}</p>{"".join(map(_row, rows))}</div>')
    k = what.setup.mechanism.k
    rest = f" {figures.LISTED} of {formats.exactly(k)} answers are listed." * (k > figures.LISTED)
    exact = any(row.reached for row in rows)
    st.caption(
        "Pale: what this protection allows any method (CALDP, Proposition 3). "
        + (
            "Dark: what this method's reports lead to, by its exact channel."
            if exact
            else "This method has too many different reports to go through all of them."
        )
        + f" Line: before. Several reports of one person add up.{rest}"
    )


def _row(row: Learned) -> str:
    words = _words(row.promised)
    shield = " hidden" if row.sensitive else ""
    dark = "" if row.reached is None else _span("reached", row.reached)
    tick = f'<u style="left:{100 * row.promised.before:.2f}%"></u>'
    return (
        f'<p class="belief{shield}"><span>{escape(row.name)}</span>'
        f'<span class="strip" role="img" aria-label="{escape(row.name)}: {words}">'
        f"{_span('promised', row.promised)}{dark}{tick}</span>"
        f"<span>{formats.out_of(row.promised.before)}</span><span>{words}</span></p>"
    )


def _span(name: str, beliefs: Beliefs) -> str:
    left, right = 100 * beliefs.least, 100 * (1 - beliefs.most)
    return f'<i class="{name}" style="left:{left:.2f}%;right:{right:.2f}%"></i>'


def _words(beliefs: Beliefs) -> str:
    if beliefs.least <= 0 and beliefs.most >= 1:
        return "can be read"
    if beliefs.least <= 0:
        return f"at most {formats.out_of(beliefs.most)}"
    if beliefs.most >= 1:
        return f"at least {formats.out_of(beliefs.least)}"
    least, most = formats.out_of(beliefs.least), formats.out_of(beliefs.most)
    return f"{least} to {most}"
