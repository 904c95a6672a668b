"""Answers as bars with their intervals: HTML, so that it reads, prints and scales like text."""

from html import escape
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.collect.results import Results
from caldp_ui.results import words
from caldp_ui.words import formats

ROWS_MAX: Final = 60
"""More answers are in the table of numbers."""


def show(results: Results) -> None:
    """One row an answer: its estimated share, and the interval as a line over it."""
    st.html(bars_html(results))


def bars_html(results: Results) -> str:
    """The rows, below a heading that says what the full width is, and what the marks are."""
    k = results.shares.size
    shown = np.arange(k)
    if k > ROWS_MAX:
        shown = np.sort(np.argsort(-results.shares, kind="stable")[:ROWS_MAX])
    top = max(float(results.high[shown].max()), float(results.shares[shown].max()), 1e-9)
    full = min(100.0, 100 * top)
    head = (
        f"<span>Answer</span><span>0 to {full:.3g} % of all people</span>"
        f"<span>Estimate</span><span>{words.range_title(results.level)}</span>"
    )
    rows = "".join(_row_html(results, int(x), top) for x in shown)
    more = f" The {ROWS_MAX} most common of {formats.integer(k)} answers." if k > ROWS_MAX else ""
    note = (
        "Bar: estimated share of all people. Line: the range that holds the true share "
        f"{100 * results.level:g} times in 100. Pink with a lock: protected answers.{more}"
    )
    return f'<div class="estimates"><p class="head">{head}</p>{rows}<small>{note}</small></div>'


def _row_html(results: Results, x: int, top: float) -> str:
    share, low, high = (float(each[x]) for each in (results.shares, results.low, results.high))
    name, told = escape(words.value_name(results, x)), words.percent_range(low, high)
    hidden = bool(results.hidden[x])
    says = f"{name}{', protected' if hidden else ''}: {100 * share:.1f} %, {told}"
    right = 100 * (1 - min(high / top, 1.0))
    return (
        f'<p class="estimate{" hidden" if hidden else ""}"><span>{name}</span>'
        f'<span class="strip" role="img" aria-label="{says}">'
        f'<i class="share" style="left:0;right:{100 * (1 - max(share, 0.0) / top):.2f}%"></i>'
        f'<i class="range" style="left:{100 * low / top:.2f}%;right:{right:.2f}%"></i></span>'
        f"<span>{100 * share:.1f} %</span><span>{told}</span></p>"
    )
