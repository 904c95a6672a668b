"""Answers as bars with their intervals: HTML, so that it reads, prints and scales like text."""

from html import escape
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.collect.estimate import Results
from caldp_ui.results import words
from caldp_ui.words import formats

ROWS_MAX: Final = 60
"""Most bars; the table of numbers has more answers."""


def show(results: Results) -> None:
    """Show a row per answer: its estimated share, and the interval as a line over it."""
    st.html(bars_html(results))


def bars_html(results: Results) -> str:
    """HTML of the rows, with a heading that gives the full width, and a note on the marks."""
    k = results.shares.size
    values = np.arange(k)
    if k > ROWS_MAX:
        values = np.sort(np.argsort(-results.shares, kind="stable")[:ROWS_MAX])
    top = max(float(results.high[values].max()), float(results.shares[values].max()), 1e-9)
    full = min(100.0, 100 * top)
    head = (
        f"<span>Answer</span><span>0 to {full:.3g} % of all people</span>"
        f"<span>Estimate</span><span>{words.range_title(results.level)}</span>"
    )
    rows = "".join(_row_html(results, int(x), top) for x in values)
    more = f" The {ROWS_MAX} most common of {formats.integer(k)} answers." if k > ROWS_MAX else ""
    note = (
        "Bar: estimated share of all people. Line: the range that holds the true share "
        f"{100 * results.level:g} times in 100. Pink with a lock: protected answers.{more}"
    )
    return f'<div class="estimates"><p class="head">{head}</p>{rows}<small>{note}</small></div>'


def _row_html(results: Results, x: int, top: float) -> str:
    share, low, high = (float(each[x]) for each in (results.shares, results.low, results.high))
    name, range_text = escape(words.value_name(results, x)), words.percent_range(low, high)
    hidden = bool(results.hidden[x])
    label = f"{name}{', protected' if hidden else ''}: {100 * share:.1f} %, {range_text}"
    right = 100 * (1 - min(high / top, 1.0))
    return (
        f'<p class="estimate{" hidden" if hidden else ""}"><span>{name}</span>'
        f'<span class="strip" role="img" aria-label="{label}">'
        f'<i class="share" style="left:0;right:{100 * (1 - max(share, 0.0) / top):.2f}%"></i>'
        f'<i class="range" style="left:{100 * low / top:.2f}%;right:{right:.2f}%"></i></span>'
        f"<span>{100 * share:.1f} %</span><span>{range_text}</span></p>"
    )
