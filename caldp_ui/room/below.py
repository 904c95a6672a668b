"""Under the board: what is promised and what is not, the coin, numbers, and exports.

Exports of a room: Python that computes the estimate again from reports.csv.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import pandas as pd
import streamlit as st

from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import exports
from caldp_ui.offline import offer
from caldp_ui.parts import promises, sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.room import films, rehearsal, words
from caldp_ui.room.figures import shares_of
from caldp_ui.room.page_state import STATE, Draft
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import Question, channel_of, columns_of
from caldp_ui.session.link_check import seal
from caldp_ui.words import formats
from caldp_ui.words.glossary import terms

_SNIPPET: Final = """import csv

import numpy as np

from caldp_core import Context, estimate, intervals, mechanism

answers = {answers!r}
sensitive = {sensitive!r}
context = Context.high_low(np.isin(np.arange(len(answers)), sensitive), {epsilon!r})
coin = mechanism(context, "randomized-response")
columns = np.array({columns!r})
# A name that a spreadsheet would run as a formula has an apostrophe before it in the file.
known = {{mark + name: y for mark in ("'", "") for y, name in enumerate(answers)}}
with open("reports.csv", encoding="utf-8", newline="") as file:
    reports = [known[row["report"]] for row in csv.DictReader(file)]
tally = coin.tally(columns[reports])
shares = estimate(coin, tally)
ranges = intervals(coin, tally, 0.95).around(shares)
for row in zip(answers, shares, ranges.low, ranges.high):
    print(*row, sep="\\t")
"""


def snippet(question: Question) -> str:
    """Python that reads reports.csv and prints shares with their 95 % ranges."""
    return _SNIPPET.format(
        answers=question.answers,
        sensitive=question.sensitive,
        epsilon=question.epsilon,
        columns=columns_of(question).tolist(),
    )


_COIN: Final = (
    "Of 100 phones with the true answer of a row, this many report the answer of a column. A phone "
    "draws one whole number and looks its report up in a row of thresholds, with exactly these "
    "chances. This is randomized response in the context of the sensitive answers."
)
PollReader: TypeAlias = Callable[[], PollState]
"""Returns the poll's current state."""


def show(read_poll: PollReader) -> None:
    """Draw the tabs and the content of the open one."""
    tabs(STATE.key("tabs"), _TABS, read_poll)


def _promise(read_poll: PollReader) -> None:
    poll = read_poll()
    promises.bullets(
        [escape_markdown(words.promise(poll.question)), *words.promises(poll.question)]
    )
    st.markdown("**What is *not* promised**")
    promises.bullets([*words.unprotected_sentences(poll.question), *words.NOT_PROMISED])
    terms("ε", "local differential privacy", "sensitive set")


def _coin(read_poll: PollReader) -> None:
    poll = read_poll()
    question = poll.question
    st.markdown(_COIN if question.sensitive else "No coin is thrown: each phone sends its answer.")
    rows = [[f"{100 * float(q):.1f}" if q else "·" for q in row] for row in channel_of(question)]
    names = list(map(escape_markdown, question.answers))
    st.table(pd.DataFrame(rows, index=names, columns=names).rename_axis("true answer"))


def _numbers(read_poll: PollReader) -> None:
    poll = read_poll()
    st.table(numbers(poll).map(str).rename(index=escape_markdown).rename_axis("answer"))
    st.caption(f"{words.RANGE_OF} As of now; open the tab again for later reports.")


def numbers(poll: PollState) -> pd.DataFrame:
    """A row an answer: reports that name it, estimate and 95 % range, in percent."""
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
    poll = read_poll()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("The prepared question, for a class of your own:")
        sharing.show_query_link(seal(STATE.page, STATE.codec.write(Draft(poll.question))))
    with right:
        arrived = formats.count(len(poll.reports), "report", "reports")
        st.markdown(f"**Files** · {arrived}; the server writes nothing of this to its disk")
        for name, content in (
            ("estimate.csv", exports.csv(numbers(poll).rename_axis("answer").reset_index())),
            ("reports.csv", listed(poll)),
        ):
            sharing.file_button(STATE.key(name.partition(".")[0]), name, content)
        sharing.python(snippet(poll.question))
        if poll.mark == rehearsal.MARK:
            offer.offer_page(STATE, films.part)


def listed(poll: PollState) -> bytes:
    """The reports as CSV, in the order in which they came."""
    named = [poll.question.answers[y] for y in poll.reports]
    return exports.csv({"number": range(len(named)), "report": named})


_TABS: Final[dict[str, Callable[[PollReader], None]]] = {
    "What is promised": _promise,
    "The coin": _coin,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
