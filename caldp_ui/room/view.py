"""What the projector shows: the board as the browser draws it, for phones or for made-up ones.

The board is plain JavaScript and CSS in `web/`. Made-up phones answer before any real one: always
the same people and coins for one question, so that only choices change it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from html import escape
from pathlib import Path
from textwrap import shorten, wrap
from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from caldp_core.basics.types import Floats
from caldp_ui.app.theme import Palette
from caldp_ui.charts import show
from caldp_ui.compute import exports
from caldp_ui.offline.records import Component
from caldp_ui.parts import markup
from caldp_ui.room import words
from caldp_ui.room.page_state import STATE, Draft
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import (
    Question,
    Shares,
    anytime_shares,
    columns_of,
    history,
    mechanism_of,
    shares_of,
)
from caldp_ui.shell.page import View
from caldp_ui.stage import bundle
from caldp_ui.stage.bundle import join_modules

REHEARSAL: Final = STATE.key("rehearsal")
TITLE: Final = STATE.key("rehearsed")
WEB: Final = Path(__file__).with_name("web")
_DOM: Final = bundle.partial_script("dom")
_STYLE: Final = (WEB / "board.css").read_text("utf-8")
_SCRIPT: Final = _DOM + show.hub_script() + join_modules(WEB, ("board",))
_board = st.components.v2.component(
    "caldp_room_board", html='<div class="board"></div>', css=_STYLE, js=_SCRIPT
)
_LEGEND: Final = (
    ("estimate", "estimate, noise removed"),
    ("range95", "95 % range"),
    ("raw", "raw reports"),
    ("past", "the range as reports came"),
)


def board(content: str, key: str) -> None:
    """Draw the projector's board. `content`: of `board_json`."""
    _board(key=key, data={"key": key, "content": content})


def as_component(content: str, key: str) -> Component:
    """The projector's board as a component of an offline file. `content`: of `board_json`."""
    return Component({"key": key, "content": content}, "board", _SCRIPT, _STYLE)


def board_json(
    poll: PollState, past: Sequence[tuple[int, Shares]], truth: Floats | None = None
) -> str:
    """The message from which the browser draws the projector's board, as JSON.

    `past`: `figures.history` of the reports. `truth`: (k,) shares of made-up people, None for real.
    """
    return json.dumps(_board_message(poll, past, truth))


def _board_message(
    poll: PollState, past: Sequence[tuple[int, Shares]], truth: Floats | None
) -> dict[str, Any]:
    nothing, known, shown = words.NOTHING_YET, words.what_the_server_knows(len(poll.reports)), poll
    if poll.is_hidden:
        nothing = known = words.hidden_sentence(poll)
        past, shown = (), replace(poll, reports=())
    question, last = poll.question, past[-1][1] if past else None
    legend = [*_LEGEND, *([("made", "made-up truth")] if truth is not None else [])]
    return {
        "mark": poll.mark,
        "n": len(poll.reports),
        "answers": [_answer(shown, last, truth, x) for x in range(question.k)],
        "reports": list(shown.reports),
        "steps": [{"n": n, "ranges": _ranges(shares)} for n, shares in past],
        "words": {
            "known": known,
            "note": words.board_note(poll),
            "nothing": nothing,
            "legend": legend,
        },
    }


def _answer(poll: PollState, last: Shares | None, truth: Floats | None, x: int) -> dict[str, Any]:
    question, reports = poll.question, poll.reports
    return {
        "name": question.answers[x],
        "sensitive": x in question.sensitive,
        "estimate": None if last is None else round(float(last.estimate[x]), 4),
        "low": 0.0 if last is None else round(float(last.low[x]), 4),
        "high": 1.0 if last is None else round(float(last.high[x]), 4),
        "sent": reports.count(x),
        "truth": None if truth is None else round(float(truth[x]), 4),
        "right": poll.is_shown and x == question.right,
    }


def _ranges(shares: Shares) -> list[list[float]]:
    pairs = zip(shares.low.tolist(), shares.high.tolist(), strict=True)
    return [[round(low, 3), round(high, 3)] for low, high in pairs]


_SEED: Final = 7
_Z: Final = 1.959964
MARK: Final = "rehearsal"
"""The mark of a rehearsal's poll, which nobody has opened."""


def truth_of(question: Question) -> Floats:
    """(k,) made-up shares: a sensitive answer, of all the first, is half as common as another."""
    weights = np.full(question.k, 2.0)
    weights[list(question.sensitive) if len(question.sensitive) < question.k else [0]] = 1.0
    return np.asarray(weights / weights.sum())


def rehearse(draft: Draft) -> PollState:
    """The state of a poll that the draft's made-up phones have answered."""
    question, rng = draft.question, np.random.default_rng(_SEED)
    people = rng.choice(question.k, draft.phones, p=truth_of(question))
    answer_of = np.argsort(columns_of(question))
    reports = answer_of[mechanism_of(question).privatize(people, rng)]
    return PollState("", MARK, question, False, tuple(reports.tolist()), is_over=True)


def rehearsal_json(draft: Draft) -> str:
    """The message from which the browser draws the rehearsal's board, as JSON."""
    poll = rehearse(draft)
    past = history(draft.question, poll.reports)
    return board_json(poll, past, truth_of(draft.question))


def half_width(draft: Draft) -> float:
    """Expected half width of the 95 % range of the first sensitive answer (else the first).

    As a share of people.
    """
    question = draft.question
    first = question.sensitive[0] if question.sensitive else 0
    variance = mechanism_of(question).variance(truth_of(question), draft.phones)
    return _Z * float(np.sqrt(variance[first]))


def view(draft: Draft, pinned: Draft | None, colours: Palette) -> View:
    """The rehearsal of a question; its board has its own colours in either theme."""
    del pinned, colours
    title = markup.as_html(words.rehearsal_title(draft.phones))
    return View(
        words.rehearsal(draft.question, draft.phones, half_width(draft)),
        {REHEARSAL: rehearsal_json(draft)},
        {f".st-key-{TITLE} p": title},
    )


def snippet(question: Question) -> str:
    """Python that reads reports.csv and prints shares with their 95 % ranges."""
    return (
        Path(__file__)
        .with_name("snippet.txt")
        .read_text("utf-8")
        .format(
            answers=question.answers,
            sensitive=question.sensitive,
            epsilon=question.epsilon,
            columns=columns_of(question).tolist(),
        )
    )


def shares_by(poll: PollState) -> Callable[[Question, Sequence[int]], Shares]:
    """The ranges of a poll: while it is open, those that hold however often one looks."""
    return anytime_shares if poll.is_open else shares_of


def numbers(poll: PollState) -> pd.DataFrame:
    """A row an answer: reports that name it, estimate and 95 % range, in percent."""
    question, reports = poll.question, poll.reports
    table = pd.DataFrame(
        {"reports": [reports.count(x) for x in range(question.k)]}, index=list(question.answers)
    )
    if reports:
        shares = shares_by(poll)(question, reports)
        table["estimate, %"] = (100 * shares.estimate).round(1)
        table["from, %"] = (100 * shares.low).round(1)
        table["to, %"] = (100 * shares.high).round(1)
    return table


def all_numbers(polls: Sequence[PollState]) -> pd.DataFrame:
    """As `numbers`, of all questions, with their texts and marks."""
    tables = []
    for poll in polls:
        question, table = poll.question, numbers(poll).rename_axis("answer").reset_index()
        table["protected"] = [x in question.sensitive for x in range(question.k)]
        table["right"] = [poll.is_shown and x == question.right for x in range(question.k)]
        tables.append(table.assign(question=question.text, epsilon=question.epsilon))
    return pd.concat(tables, keys=range(1, len(polls) + 1)).rename_axis(["number", None])


def record(polls: Sequence[PollState]) -> str:
    """All questions as they were asked, with the counts of their reports, as JSON."""
    whole = [
        {**asdict(poll.question), "counts": [poll.reports.count(x) for x in range(poll.question.k)]}
        for poll in polls
    ]
    return json.dumps(whole, ensure_ascii=False, indent=1)


_ACROSS: Final = 3
_ROW_HEIGHT, _LINE_HEIGHT, _FOOT = 58, 22, 30
_LETTERS: Final = 66
"""Of a line of text above the whole picture."""


def comparison(polls: Sequence[PollState], colours: Palette) -> go.Figure:
    """The results of all questions side by side: an estimate and its 95 % range an answer.

    `polls`: with reports.
    """
    across = min(_ACROSS, len(polls))
    down, most = -(-len(polls) // across), max(poll.question.k for poll in polls)
    lines = [wrap(escape(poll.question.text), _LETTERS // across) for poll in polls]
    head = _LINE_HEIGHT * (1 + max(map(len, lines)))
    height = down * (head + _ROW_HEIGHT * most) + _FOOT
    gaps = {"horizontal_spacing": 0.05, "vertical_spacing": head / (height - head - _FOOT)}
    figure = make_subplots(
        down, across, subplot_titles=["<br>".join(each) for each in lines], **gaps
    )
    figure.update_annotations(font_size=15)
    for place, poll in enumerate(polls):
        at = {"row": place // across + 1, "col": place % across + 1}
        _add_answers(figure, poll, colours, at, _LETTERS // across)
    figure.update_xaxes(range=[0, 100], ticksuffix=" %", nticks=3)
    figure.update_yaxes(visible=False, range=[most - 0.4, -0.7])
    margin = {"l": 16, "r": 16, "t": head, "b": _FOOT}
    return figure.update_layout(height=height, showlegend=False, dragmode=False, margin=margin)


def _add_answers(
    figure: go.Figure, poll: PollState, colours: Palette, at: Mapping[str, int], letters: int
) -> None:
    shares = shares_by(poll)(poll.question, poll.reports)
    middle, low, high = (100 * each for each in (shares.estimate, shares.low, shares.high))
    ends = {"array": high - middle, "arrayminus": middle - low, "color": colours.text}
    bars = {"marker": {"color": colours.ours, "opacity": 0.6}, "error_x": ends, "width": 0.35}
    figure.add_bar(x=middle, y=list(range(middle.size)), orientation="h", **bars, **at)
    look = {"showarrow": False, "xanchor": "left", "yanchor": "bottom", "yshift": 10}
    for y, answer in enumerate(poll.question.answers):
        mark = "✓ " if poll.is_shown and y == poll.question.right else ""
        short = shorten(answer, letters, placeholder="…")
        name = escape(f"{mark}{low[y]:.0f} to {high[y]:.0f} %  {short}")
        figure.add_annotation(x=0, y=y, text=name, font={"size": 15}, **look, **at)


def listed(poll: PollState) -> bytes:
    """The reports as CSV: in the order in which they came, of earlier questions sorted."""
    named = [poll.question.answers[y] for y in poll.reports]
    return exports.csv({"number": range(len(named)), "report": named})
