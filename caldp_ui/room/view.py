"""What the projector shows, and the sentences of the page, for phones or for made-up ones.

The board is plain JavaScript and CSS in `web/`. Made-up phones answer before any real one: always
the same people and coins for one question, so that only choices change it.

Phones have their sentences in four languages (`web/phone_words.json`). Names come from anybody:
what goes into Markdown has them escaped (`escape_markdown`); headlines and pictures, which read no
Markdown, have them as they are.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from html import escape
from pathlib import Path
from textwrap import shorten, wrap
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.basics.types import Floats
from caldp_core.mechanisms.randomness import generator
from caldp_ui.app.texts import escape_markdown, read_texts, read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.charts import show
from caldp_ui.charts.show import Figure
from caldp_ui.compute import runs
from caldp_ui.offline.document import Component
from caldp_ui.parts import layout
from caldp_ui.room.page_state import STATE, Draft
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import (
    IntegerChannel,
    PollQuestion,
    PollShares,
    anytime_shares,
    channel_of,
    columns_of,
    history,
    mechanism_of,
    most_right,
    most_right_about,
    shares_of,
    truthful_answers,
)
from caldp_ui.shell.page import View
from caldp_ui.stage import records
from caldp_ui.words import accuracy, formats

TEXTS: Final = read_texts(__file__)
WAITING: Final = "No phone has reported yet: scan the code and answer."
NO_REPORT: Final = "No phone reported while the question was open."
NOTHING_YET: Final = "No report yet: the whole range is possible."


def promise(question: PollQuestion) -> str:
    """Whom the reports protect, and an attacker's best odds between any two answers."""
    return f"{coverage(question)} {_guess_sentence(question)}".strip()


def coverage(question: PollQuestion) -> str:
    """Whom the reports protect, and first whom they don't."""
    if is_open_guess(question):
        return "Guesses are not secret: phones send them as they are."
    return unprotected_sentence(question) or "All answers are protected."


def _guess_sentence(question: PollQuestion) -> str:
    """The odds where something is protected, else ""."""
    if not question.sensitive:
        return ""
    most = most_right(question)
    return TEXTS["odds"].format(right=times(most), word=formats.strength(most).word)


def unprotected_sentence(question: PollQuestion) -> str:
    """Whose true answers are sent in clear, and how often; "" for guesses and where none are."""
    bare = [x for x in range(question.k) if x not in question.sensitive]
    if not bare or is_open_guess(question):
        return ""
    if not question.sensitive:
        return "No answer is protected: phones send the truth."
    sent = formats.out_of(float(channel_of(question)[bare[0]][bare[0]]))
    if len(bare) == 1:
        who, whom = f"The answer {quoted(question, bare[0])} is", "it"
    else:
        who, whom = f"Of {question.k} answers, {len(bare)} are", "one of them"
    return f"{who} not protected: the bare truth is sent by {sent} people who choose {whom}."


def unprotected_warning(question: PollQuestion) -> str:
    """What phones send in clear, to a teacher who is about to ask what protects nobody."""
    *others, last = (quoted(question, x) for x in range(question.k))
    kind = "true answer" if question.right is None else "guess"
    return TEXTS["all_in_clear"].format(kind=kind, others=", ".join(others), last=last)


def _with_unprotected(question: PollQuestion, sentence: str, **figures: float) -> formats.Headline:
    """A sentence as a headline, below the one on the unprotected where there are any.

    `figures`: of the sentence; those of the protection are added.
    """
    known = figures | _protection_figures(question)
    unprotected = unprotected_sentence(question)
    if unprotected:
        second = " ".join(filter(None, (sentence, _guess_sentence(question))))
        return formats.Headline(unprotected, second, True, known)
    return formats.Headline(sentence, promise(question), figures=known)


def _protection_figures(question: PollQuestion) -> dict[str, float]:
    """The bound on right guesses, and how often an unprotected answer is sent as it is."""
    if not question.sensitive:
        return {}
    bare = [x for x in range(question.k) if x not in question.sensitive]
    sent = {"sent_in_clear": float(channel_of(question)[bare[0]][bare[0]])} if bare else {}
    return {"right_guess": most_right(question), **sent}


def times(most: float) -> str:
    """How often a guess is right at most, in a hundred."""
    return "always" if most == 1 else f"{formats.upper_bound(most)} times in 100"


def quoted(question: PollQuestion, x: int) -> str:
    """An answer in quotation marks."""
    return f"“{question.answers[x]}”"


def rehearsal(question: PollQuestion, people: int, half_width: float) -> formats.Headline:
    """The headline before a poll is opened."""
    first = quoted(question, question.sensitive[0] if question.sensitive else 0)
    phones = formats.count(people, "phone", "phones")
    off = formats.count(formats.hundred(half_width), "percentage point", "percentage points")
    if formats.is_almost_sure(half_width):
        sentence = f"With {phones}, nothing can be said of {first}: it may be anywhere."
    else:
        sentence = f"With {phones}, the estimate of {first} is accurate to ± {off} (95 % range)."
    return _with_unprotected(question, sentence, phones=people, half_width=half_width)


def rehearsal_title(people: int) -> str:
    """The title of the rehearsal's board."""
    return f"**A rehearsal: {formats.count(people, 'made-up phone', 'made-up phones')}**"


def is_open_guess(question: PollQuestion) -> bool:
    """Whether a guess is asked for that no coin hides."""
    return not question.sensitive and question.right is not None


def live_headline(poll: PollState, shares: PollShares | None) -> formats.Headline:
    """The headline while reports arrive, and once the right answer is shown."""
    question, reports = poll.question, len(poll.reports)
    if not reports or shares is None:
        return _with_unprotected(question, WAITING if poll.is_open else NO_REPORT)
    if poll.is_hidden:
        return _with_unprotected(question, hidden_sentence(poll))
    if poll.is_shown and question.right is not None:
        return formats.Headline(_guess_result(poll, question.right, shares), promise(question))
    first = question.sensitive[0] if question.sensitive else 0
    ends = {"low": float(shares.low[first]), "high": float(shares.high[first])}
    sentence = _estimate_sentence(poll, first, shares, "truthfully say")
    return _with_unprotected(question, sentence, reports=reports, **ends)


def _estimate_sentence(poll: PollState, answer: int, shares: PollShares, verb: str) -> str:
    """The share of an answer, or how many reports it takes to say anything of it."""
    low, high = 100 * float(shares.low[answer]), 100 * float(shares.high[answer])
    return nothing_yet(poll, answer, shares) or (
        f"From {formats.count(len(poll.reports), 'report', 'reports')} we estimate that {low:.0f} "
        f"to {high:.0f} % of people like these would {verb} {quoted(poll.question, answer)}."
    )


def nothing_yet(poll: PollState, answer: int, shares: PollShares) -> str:
    """How many reports say something of an answer, where its range is all shares; else ""."""
    if not accuracy.is_all_shares(shares.low[answer], shares.high[answer]):
        return ""
    reports = len(poll.reports)
    variance = mechanism_of(poll.question).variance(shares.estimate, reports)[answer]
    about = f"about {quoted(poll.question, answer)}"
    return accuracy.nothing_yet(reports, float(np.sqrt(variance)), about)


def hidden_sentence(poll: PollState) -> str:
    """Until when the results are hidden, and how many reports are in."""
    many = len(poll.reports)
    if poll.question.right is None:
        return (
            f"Results are hidden until the question is closed: "
            f"{formats.count(many, 'report is', 'reports are')} in."
        )
    return f"The answer is not shown yet: {formats.count(many, 'guess is', 'guesses are')} in."


def end_headline(polls: Sequence[PollState], on_show: formats.Headline) -> formats.Headline:
    """The thanks once a poll has ended. `on_show`: the headline of the question on the board."""
    reports = formats.count(sum(len(poll.reports) for poll in polls), "report", "reports")
    questions = formats.count(len(polls), "question", "questions")
    sentence = f"Thank you! Your phones sent {reports} to {questions}."
    return formats.Headline(sentence, on_show.whole, on_show.unprotected)


def _guess_result(poll: PollState, right: int, shares: PollShares) -> str:
    """How many guessed right: counted, or estimated where phones threw coins."""
    name, many = quoted(poll.question, right), len(poll.reports)
    if not poll.question.sensitive:
        hits = poll.reports.count(right)
        verb = "is" if hits == 1 else "are"
        return f"Of {formats.count(many, 'guess', 'guesses')} {hits:,} {verb} right: {name}."
    return _estimate_sentence(poll, right, shares, "rightly guess")


def unprotected_sentences(question: PollQuestion) -> list[str]:
    """Which reports are always true, as their answers are not protected; [] where none."""
    truthful = truthful_answers(question)
    if not truthful:
        return []
    names = ", ".join(escape_markdown(quoted(question, x)) for x in truthful)
    return [f"Answers that are not marked as sensitive: every report of {names} is true."]


def board_note(poll: PollState) -> str:
    """What the board's ranges are of, and what its colours mean."""
    note = range_note(poll)
    return f"{note} Pink: protected answers." if poll.question.sensitive else note


def range_note(poll: PollState) -> str:
    """What ranges are of, and how often they are right: at one look, or at all."""
    return f"{_RANGE_OF}{', at all times together.' if poll.is_open else '.'}"


def in_words(table: pd.DataFrame) -> str:
    """The numbers of all questions, a row an answer, for those who do not see their picture."""
    rows = [
        f"{row['question']} {row['answer']}: {row['from, %']:.0f} to {row['to, %']:.0f} %"
        for _, row in table.iterrows()
    ]
    return f"Estimates by question and answer. {'; '.join(rows)}."


_RANGE_OF: Final = (
    "Ranges are for all people of whom these are a random sample, and right 95 times in 100"
)
_PROMISES: Final = read_toml(__file__, "promises.toml")
COIN: Final[str] = _PROMISES["coin"]
NOT_PROMISED: Final[Sequence[str]] = _PROMISES["not_promised"]


def promises(question: PollQuestion) -> tuple[str, ...]:
    """What holds of phones and server when they ask this question."""
    coins = _PROMISES["coins" if question.sensitive else "no_coins"]
    return (*coins, *_PROMISES["always"])


def question_message(question: PollQuestion) -> dict[str, Any]:
    """The question as phones need it, ready for JSON; the law's whole numbers are texts.

    `channel`: row by row; `about`: how often a guess at each answer is right at most. Phones make
    their sentences of both (`web/explain.js`).
    """
    channel = channel_of(question)
    law = IntegerChannel.of(channel)
    return {
        "text": question.text,
        "answers": list(question.answers),
        "sensitive": list(question.sensitive),
        "guess": question.right is not None,
        "law": {"whole": str(law.whole), "steps": [list(map(str, row)) for row in law.steps]},
        "channel": [list(map(float, row)) for row in channel],
        "about": [most_right_about(question, x) for x in range(question.k)],
    }


def state_message(poll: PollState) -> dict[str, Any]:
    """What changes of a question while it is asked, ready for JSON."""
    right = poll.question.right if poll.is_shown else None
    return {"mark": poll.mark, "open": poll.is_open, "right": right, "over": poll.is_over}


REHEARSAL: Final = STATE.key("rehearsal")
TITLE: Final = STATE.key("rehearsed")
WEB: Final = Path(__file__).with_name("web")
_DOM: Final = records.partial_script("dom")
_STYLE: Final = (WEB / "board.css").read_text("utf-8")
_SCRIPT: Final = _DOM + show.script() + records.join_modules(WEB, ("board",))
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
    poll: PollState, past: Sequence[tuple[int, PollShares]], truth: Floats | None = None
) -> str:
    """The message from which the browser draws the projector's board, as JSON.

    `past`: `figures.history` of the reports. `truth`: (k,) shares of made-up people, None for real.
    """
    reports = formats.count(len(poll.reports), "report", "reports")
    nothing, known, shown = NOTHING_YET, f"All that the server keeps of answers: {reports}", poll
    if poll.is_hidden:
        nothing = known = hidden_sentence(poll)
        past, shown = (), replace(poll, reports=())
    question, last = poll.question, past[-1][1] if past else None
    legend = [*_LEGEND, *([("made", "made-up truth")] if truth is not None else [])]
    message = {
        "mark": poll.mark,
        "n": len(poll.reports),
        "answers": [_answer(shown, last, truth, x) for x in range(question.k)],
        "reports": list(shown.reports),
        "steps": [
            {"n": n, "ranges": [[round(end, 3) for end in ends] for ends in ranges]}
            for n, at in past
            for ranges in [zip(at.low.tolist(), at.high.tolist(), strict=True)]
        ],
        "words": {"known": known, "note": board_note(poll), "nothing": nothing, "legend": legend},
    }
    return json.dumps(message)


def _answer(
    poll: PollState, last: PollShares | None, truth: Floats | None, x: int
) -> dict[str, Any]:
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


_SEED: Final = 7
MARK: Final = "rehearsal"
"""The mark of a rehearsal's poll, which nobody has opened."""


def truth_of(question: PollQuestion) -> Floats:
    """(k,) made-up shares: a sensitive answer, of all the first, is half as common as another."""
    weights = np.full(question.k, 2.0)
    weights[list(question.sensitive) if len(question.sensitive) < question.k else [0]] = 1.0
    return np.asarray(weights / weights.sum())


def rehearse(draft: Draft) -> PollState:
    """The state of a poll that the draft's made-up phones have answered."""
    question, rng = draft.question, generator(_SEED)
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
    return accuracy.Z95 * float(np.sqrt(variance[first]))


def view(draft: Draft, pinned: Draft | None, colours: Palette) -> View:
    """The rehearsal of a question; its board has its own colours in either theme."""
    del pinned, colours
    title = layout.as_html(rehearsal_title(draft.phones))
    return View(
        rehearsal(draft.question, draft.phones, half_width(draft)),
        {REHEARSAL: rehearsal_json(draft)},
        {f".st-key-{TITLE} p": title},
    )


def snippet(question: PollQuestion) -> str:
    """Python that reads reports.csv and prints shares with their 95 % ranges."""
    text = Path(__file__).with_name("snippet.txt").read_text("utf-8")
    return text.format(
        answers=question.answers,
        sensitive=question.sensitive,
        epsilon=question.epsilon,
        columns=columns_of(question).tolist(),
    )


def shares_by(poll: PollState) -> Callable[[PollQuestion, Sequence[int]], PollShares]:
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


def comparison(polls: Sequence[PollState], colours: Palette) -> Figure:
    """The results of all questions side by side: an estimate and its 95 % range an answer.

    `polls`: with reports.
    """
    across = min(_ACROSS, len(polls))
    down, most = -(-len(polls) // across), max(poll.question.k for poll in polls)
    letters = _LETTERS // across
    lines = [wrap(escape(poll.question.text), letters) for poll in polls]
    head = _LINE_HEIGHT * (1 + max(map(len, lines)))
    row = head + _ROW_HEIGHT * most
    layout: dict[str, Any] = {
        "grid": {"rows": down, "columns": across, "pattern": "independent", "xgap": 0.12},
        "annotations": [],
        "height": down * row + _FOOT,
        "showlegend": False,
        "dragmode": False,
        "margin": {"l": 16, "r": 16, "t": head, "b": _FOOT},
    }
    layout["grid"]["ygap"] = head / row  # of a row, which holds the question's text as well
    bars = []
    for place, (poll, title) in enumerate(zip(polls, lines, strict=True), 1):
        number = str(place) if place > 1 else ""
        shares = shares_by(poll)(poll.question, poll.reports)
        bars.append({**_bars(shares, colours), "xaxis": f"x{number}", "yaxis": f"y{number}"})
        layout[f"xaxis{number}"] = {"range": [0, 100], "ticksuffix": " %", "nticks": 3}
        layout[f"yaxis{number}"] = {"visible": False, "range": [most - 0.4, -0.7]}
        layout["annotations"] += _texts(poll, shares, "<br>".join(title), number, letters)
    return Figure(bars, layout)


def _bars(shares: PollShares, colours: Palette) -> dict[str, Any]:
    """A bar per answer, as long as its estimate, with its range."""
    middle, low, high = (100 * each for each in (shares.estimate, shares.low, shares.high))
    ends = {"array": high - middle, "arrayminus": middle - low, "color": colours.text}
    bars = {"type": "bar", "x": middle, "y": list(range(middle.size)), "orientation": "h"}
    look = {"color": colours.ours, "opacity": 0.6}
    return {**bars, "marker": look, "error_x": ends, "width": 0.35}


def _texts(
    poll: PollState, shares: PollShares, title: str, number: str, letters: int
) -> list[dict[str, Any]]:
    """The question above its chart, and each answer with its range above its bar."""
    look = {"showarrow": False, "yanchor": "bottom", "font": {"size": 15}}
    at_top = {"xref": f"x{number} domain", "yref": f"y{number} domain", "x": 0.5, "y": 1}
    texts = [{"text": title, **at_top, **look}]
    for y, answer in enumerate(poll.question.answers):
        mark = "✓ " if poll.is_shown and y == poll.question.right else ""
        ends = f"{100 * shares.low[y]:.0f} to {100 * shares.high[y]:.0f} %"
        name = escape(f"{mark}{ends}  {shorten(answer, letters, placeholder='…')}")
        at_row = {"xref": f"x{number}", "yref": f"y{number}", "x": 0, "y": y, "yshift": 10}
        texts.append({"text": name, "xanchor": "left", **at_row, **look})
    return texts


def listed(poll: PollState) -> bytes:
    """The reports as CSV: in the order in which they came, of earlier questions sorted."""
    named = [poll.question.answers[y] for y in poll.reports]
    return runs.csv({"number": range(len(named)), "report": named})
