"""Beside the picture: the level of the ranges, tallies by day, and refused reports."""

from html import escape
from typing import Final

import streamlit as st

from caldp_core.collect.estimate import Delivery, Results
from caldp_ui.app.errors import escape_markdown
from caldp_ui.results import words
from caldp_ui.results.page_state import LEVELS, STATE, ResultsState
from caldp_ui.words import formats

_ROWS_MAX: Final = 31
"""Most tallies in the list: the last ones."""


def show(record: ResultsState, results: Results) -> None:
    """Show the slider of the level, the tallies and the refused reports."""
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
        unlisted = len(results.deliveries) - _ROWS_MAX
        if unlisted > 0:
            st.caption(f"{formats.integer(unlisted)} earlier tallies are not listed.")
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
    counts = {reason: count for reason, count in refused.items() if count}
    if not counts:
        st.markdown("**Nothing was refused.**")
        return
    st.markdown(f"**Refused, and not counted: {formats.integer(sum(counts.values()))}**")
    lines = []
    for reason, count in counts.items():
        short, long = words.REASONS[reason]
        lines.append(f"- {formats.integer(count)} {short}: {long}{_tally_text(results, reason)}")
    st.markdown("\n".join(lines))


def _tally_text(results: Results, reason: str) -> str:
    """The tally with most of the refused reports, if it has more than all others together."""
    counts = {each.name: each.refused[reason] for each in results.deliveries}
    if len(counts) < 2:
        return ""
    name = max(counts, key=lambda each: counts[each])
    return f" (mostly {escape_markdown(name)})" if 2 * counts[name] > sum(counts.values()) else ""
