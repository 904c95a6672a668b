"""State of the page beside the files: level of the intervals, and reports of one person.

A link holds these two alone: a collection's files stay in the visit.

Beside the picture: the level of the ranges, tallies by day, and refused reports.
"""

from dataclasses import dataclass
from html import escape
from typing import Final

import streamlit as st

from caldp_core.basics.errors import check_choice
from caldp_core.collect.estimate import Delivery, Results
from caldp_ui.app.errors import escape_markdown
from caldp_ui.results import words
from caldp_ui.session.page_state import PageState
from caldp_ui.session.record_link import RecordLink
from caldp_ui.words import formats

LEVELS: Final = (0.8, 0.9, 0.95, 0.99, 0.999)
TIMES: Final = (1, 2, 3, 5, 7, 10, 30, 100, 365)


@dataclass(frozen=True)
class ResultsState:
    """The page's record. `level`: chance that an interval holds its share, one of `LEVELS`.

    `times`: reports of one person, one of `TIMES`.
    """

    level: float = 0.95
    times: int = 3


def _check(record: ResultsState) -> None:
    """Raise `CaldpError` for a level or a number of reports that the page does not offer."""
    check_choice("level", record.level, LEVELS)
    check_choice("times", record.times, TIMES)


LINK: Final = RecordLink(ResultsState(), _check)
STATE: Final = PageState("results", LINK)


_ROWS_MAX: Final = 31
"""Most tallies in the list: the last ones."""


def show(record: ResultsState, results: Results) -> None:
    """Show the slider of the level, the tallies, the refused reports and the check of counts."""
    _level_slider(record, results)
    _show_deliveries(results)
    _show_refused(results)
    text, is_alarm = words.law_text(results)
    if is_alarm:
        st.warning(escape_markdown(text), icon=":material/warning:")
    elif text:
        st.caption(text)


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
