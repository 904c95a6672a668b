"""Exports of a room: Python that computes the estimate again from reports.csv."""

from typing import Final

from caldp_ui.room.question import Question, columns_of

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
ranges = intervals(coin, tally, 0.95, shares)
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
