"""Beside the picture: how sure the ranges are, what came when, and what was refused and why."""

from html import escape
from typing import Final

import streamlit as st

from caldp_core.collect.results import Delivery, Results
from caldp_ui.app.errors import escape_markdown
from caldp_ui.results import words
from caldp_ui.results.page_state import LEVELS, STATE, ResultsState
from caldp_ui.words import formats

_ROWS_MAX: Final = 31
"""Of more tallies the last ones are listed."""


def show(record: ResultsState, results: Results) -> None:
    """All of it."""
    _level_slider(record, results)
    _show_deliveries(results)
    _show_refused(results)


def _level_slider(record: ResultsState, results: Results) -> None:
    if not results.deliveries:
        st.caption(f"The ranges were made for {100 * results.level:g} times in 100.")
        return
    st.select_slider(
        "Ranges hold the true share",
        LEVELS,
        format_func=lambda level: f"{100 * level:g} times in 100",
        help="The surer, the wider. The estimate stays.",
        **STATE.bind(
            "level", record.level, lambda _, v: ResultsState(float(v), STATE.current().times)
        ),
    )


def _show_deliveries(results: Results) -> None:
    st.markdown(f"**Reports counted: {formats.integer(results.reports)}**")
    if len(results.deliveries) > 1:
        most = max(each.reports for each in results.deliveries)
        rows = "".join(_row_html(each, most) for each in results.deliveries[-_ROWS_MAX:])
        st.html(f'<div class="deliveries">{rows}</div>')
        left = len(results.deliveries) - _ROWS_MAX
        if left > 0:
            st.caption(f"{formats.integer(left)} earlier tallies are not listed.")
    else:
        st.caption("With one tally a day, this shows what came when.")


def _row_html(each: Delivery, most: int) -> str:
    name, reports = escape(each.name), formats.integer(each.reports)
    wide = 100 * each.reports / max(most, 1)
    return (
        f'<p><span>{name}</span><span class="strip" aria-hidden="true">'
        f'<i class="share" style="left:0;width:{wide:.2f}%"></i></span><span>{reports}</span></p>'
    )


def _show_refused(results: Results) -> None:
    refused = results.refused
    if refused is None:
        st.caption("What was refused is in record.json, which was not given.")
        return
    there = {why: count for why, count in refused.items() if count}
    if not there:
        st.markdown("**Nothing was refused.**")
        return
    st.markdown(f"**Refused, and not counted: {formats.integer(sum(there.values()))}**")
    lines = []
    for why, count in there.items():
        short, long = words.REASONS[why]
        lines.append(f"- {formats.integer(count)} {short}: {long}{_tally_text(results, why)}")
    st.markdown("\n".join(lines))


def _tally_text(results: Results, reason: str) -> str:
    """In which tally most of them are, where one has more than all others together."""
    counts = {each.name: each.refused[reason] for each in results.deliveries}
    if len(counts) < 2:
        return ""
    name = max(counts, key=lambda each: counts[each])
    return f" (mostly {escape_markdown(name)})" if 2 * counts[name] > sum(counts.values()) else ""
