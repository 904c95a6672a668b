"""Under the board: what is promised and what is not, numbers, and what can be taken along."""

from collections.abc import Callable
from typing import Final, TypeAlias

import pandas as pd
import streamlit as st

from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import exports
from caldp_ui.offline import offer
from caldp_ui.parts import sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.room import files, rehearsal, take_home, words
from caldp_ui.room.figures import shares_of
from caldp_ui.room.page_state import STATE, Draft
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import channel_of
from caldp_ui.words import formats
from caldp_ui.words.glossary import terms

PollReader: TypeAlias = Callable[[], PollState]
"""Gives the room as it is when it is asked."""


def show(read_poll: PollReader) -> None:
    """The tabs, and the open one."""
    tabs(STATE.key("tabs"), _TABS, read_poll)


def _promise(read_poll: PollReader) -> None:
    seen = read_poll()
    told = [escape_markdown(words.promise(seen.question)), *words.PROMISES]
    st.markdown("\n".join(f"- {sentence}" for sentence in told))
    st.markdown("**What is *not* promised**")
    open_ends = [*words.unprotected_sentences(seen.question), *words.NOT_PROMISED]
    st.markdown("\n".join(f"- {sentence}" for sentence in open_ends))
    terms("ε", "local differential privacy", "sensitive set")


def _coin(read_poll: PollReader) -> None:
    seen = read_poll()
    question = seen.question
    st.markdown(
        "Of 100 phones with the true answer of a row, so many report the answer of a column. A "
        "phone draws one whole number and looks its report up in a row of thresholds, with exactly "
        "these chances. This is randomized response in the context of the sensitive answers."
    )
    rows = [[f"{100 * float(q):.1f}" if q else "·" for q in row] for row in channel_of(question)]
    names = list(map(escape_markdown, question.answers))
    st.table(pd.DataFrame(rows, index=names, columns=names).rename_axis("true answer"))


def _numbers(read_poll: PollReader) -> None:
    seen = read_poll()
    st.table(numbers(seen).map(str).rename(index=escape_markdown).rename_axis("answer"))
    st.caption("As of now; open the tab again for later reports.")


def numbers(poll: PollState) -> pd.DataFrame:
    """A row an answer: reports that name it, unbiased estimate and 95 % range, in percent."""
    question, reports = poll.question, poll.reports
    table = pd.DataFrame(
        {"reports": [reports.count(x) for x in range(question.k)]}, index=list(question.answers)
    )
    if reports:
        shares = shares_of(question, reports)
        table["estimate, %"] = (100 * shares.estimate).round(1)
        table["from, %"] = (100 * shares.low).round(1)
        table["to, %"] = (100 * shares.high).round(1)
    return table


def _sharing(read_poll: PollReader) -> None:
    seen = read_poll()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("The prepared question, for a class of your own:")
        sharing.show_query_link(STATE.codec.write(Draft(seen.question)))
    with right:
        came = formats.count(len(seen.reports), "report", "reports")
        st.markdown(f"**Files** · {came}; the server writes nothing of this to its disk")
        for name, made in (
            ("estimate.csv", exports.csv(numbers(seen).rename_axis("answer").reset_index())),
            ("reports.csv", listed(seen)),
        ):
            sharing.file_button(STATE.key(name.partition(".")[0]), name, made)
        sharing.python(files.snippet(seen.question))
        if seen.mark == rehearsal.MARK:
            offer.offer_page(STATE, take_home.part)


def listed(poll: PollState) -> bytes:
    """The reports in the order in which they came, as a table."""
    named = [poll.question.answers[y] for y in poll.reports]
    return exports.csv({"number": range(len(named)), "report": named})


_TABS: Final[dict[str, Callable[[PollReader], None]]] = {
    "What is promised": _promise,
    "The coin": _coin,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
