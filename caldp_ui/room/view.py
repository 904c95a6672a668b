"""What the projector shows, and the sentences of the page, for phones or for made-up ones.

The board is plain JavaScript and CSS in `web/`. Made-up phones answer before any real one: always
the same people and coins for one question, so that only choices change it.

Phones have their sentences in four languages (`web/phone_words.json`). Names come from anybody:
what goes into Markdown has them escaped (`escape_markdown`); headlines and pictures, which read no
Markdown, have them as they are.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.randomness import generator
from caldp_ui.app.texts import escape_markdown, read_texts, read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.app.user_text import UserText, user_texts
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
    channel_of,
    class_shares,
    columns_of,
    epsilon_for,
    half_width_of,
    history,
    level_of,
    mechanism_of,
    most_right,
    most_right_about,
    naming_chances,
    sample_shares,
    truthful_answers,
)
from caldp_ui.shell.page import View
from caldp_ui.stage import records
from caldp_ui.words import accuracy, formats

TEXTS: Final = read_texts(__file__)
WAITING: Final = "No phone has reported yet: join with the code and answer."
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
    return f"{who} not protected: {sent} people who choose {whom} send it as it is."


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
    """An answer in quotation marks, as plain text."""
    return f"“{UserText(question.answers[x]).plain}”"


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
    if poll.is_doubtful:
        return formats.Headline(DOUBTED, ASK_AGAIN)
    if poll.is_shown and question.right is not None:
        return formats.Headline(_guess_result(poll, question.right, shares), promise(question))
    first = question.sensitive[0] if question.sensitive else 0
    ends = {"low": float(shares.low[first]), "high": float(shares.high[first])}
    if poll.hands is not None:
        return _hands_headline(poll, poll.hands, shares)
    sentence = _estimate_sentence(poll, first, shares, "truthfully say")
    return _with_unprotected(question, sentence, reports=reports, **ends)


DOUBTED: Final = (
    "Honest phones would hardly ever send these reports: less than once in 1,000 polls."
)
ASK_AGAIN: Final = (
    "So no estimate is shown. Below the board stands how many reports came from one address; under "
    "“Reports” you can start the question again."
)


def _hands_headline(poll: PollState, hands: int, shares: PollShares) -> formats.Headline:
    """What hands show beside what the phones' reports gave, without anybody's own answer."""
    low, high = _people(shares.low[0], poll), _people(shares.high[0], poll)
    up = formats.count(hands, "hand is", "hands are")
    sentence = (
        f"{up} up for {quoted(poll.question, 0)}; from the phones we expected {low} to {high}."
    )
    if low <= hands <= high:
        second = "Some phones lied, and the total is right all the same."
    else:
        second = "The range misses the hands: that happens to 1 class in 20."
    figures = {"hands": float(hands), "low": float(low), "high": float(high)}
    return formats.Headline(sentence[0].upper() + sentence[1:], second, figures=figures)


def _people(share: float, poll: PollState) -> int:
    """A share of the class as people."""
    return round(float(share) * poll.people)


def _estimate_sentence(poll: PollState, answer: int, shares: PollShares, verb: str) -> str:
    """How many of the class have an answer, or what it takes to say anything of it."""
    low, high = _people(shares.low[answer], poll), _people(shares.high[answer], poll)
    people = formats.count(poll.people, "person", "people")
    phones = formats.count(poll.people, "phone has", "phones have")
    so_far = f"{len(poll.reports):,} of {phones} answered: "
    if len(poll.reports) == poll.people:
        so_far = ""
    if low == high:
        sentence = f"{low:,} of {people} {verb} {quoted(poll.question, answer)}."
    else:
        sentence = (
            f"{low:,} to {high:,} of {people} would {verb} {quoted(poll.question, answer)} "
            "(95 % range)."
        )
    return nothing_yet(poll, answer, shares) or f"{so_far}{sentence}"


def nothing_yet(poll: PollState, answer: int, shares: PollShares) -> str:
    """What it takes to say something of an answer, where its range is all of the class; else ""."""
    if not accuracy.is_all_shares(shares.low[answer], shares.high[answer]):
        return ""
    reports, missing = len(poll.reports), poll.people - len(poll.reports)
    said = formats.counted(reports, "report says", "reports say")
    name = quoted(poll.question, answer)
    if missing:
        phones = formats.count(missing, "phone is", "phones are")
        return f"{said} nothing yet about {name}: {phones} missing."
    needed = epsilon_for(poll.question, poll.people, GOALS[0])
    asked = formats.count(poll.people, "phone", "phones")
    way_out = (
        f"with ε = {needed:g}, {asked} are accurate to ± {100 * GOALS[0]:.0f} percentage points."
        if needed
        else "this class is too small for that."
    )
    return f"{said} nothing about {name}: {way_out}"


GOALS: Final = (0.20, 0.15, 0.10)
"""Half widths that a teacher chooses among, as shares of the class."""


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
    """What ranges are of, what they say of other people, and where reports came from.

    Nothing of the results while they are hidden.
    """
    parts = [range_note(poll)]
    if poll.reports and not poll.is_hidden and not poll.is_doubtful:
        parts.append(sample_note(poll))
    parts.append(address_note(poll))
    if poll.question.sensitive:
        parts.append("Pink: protected answers.")
    return " ".join(filter(None, parts))


def range_note(poll: PollState) -> str:
    """What ranges are of, and how often they are right."""
    if not poll.question.sensitive:
        return "No noise: these are the answers themselves."
    note = (
        f"Ranges are for this class of {formats.count(poll.people, 'person', 'people')} "
        "and together right in 95 of 100 classes, however often you look."
    )
    missing = poll.people - len(poll.reports)
    if missing and not poll.is_open:
        phones = formats.count(missing, "phone is", "phones are")
        note += f" {phones.capitalize()} missing: the ranges leave room for them."
    return note


def sample_note(poll: PollState) -> str:
    """The range for all people of whom the class may be a sample, and how it differs."""
    question = poll.question
    first = question.sensitive[0] if question.sensitive else 0
    shares = sample_shares(question, poll.reports)
    low, high = 100 * float(shares.low[first]), 100 * float(shares.high[first])
    return (
        "If this class were drawn by lot from many people, "
        f"{low:.0f} to {high:.0f} % of them all would say {quoted(question, first)}."
    )


def address_note(poll: PollState) -> str:
    """How many reports came from one address; "" before the first."""
    if not poll.from_one:
        return ""
    addresses = formats.count(poll.addresses, "address", "addresses")
    if poll.addresses == 1:
        reports = formats.count(poll.from_one, "report", "reports")
        return f"From one address, as a school's network has: {reports}, all of them."
    return f"Reports came from {addresses}, at most {poll.from_one:,} from one."


def in_words(table: pd.DataFrame) -> str:
    """The numbers of all questions, a row an answer, for those who do not see their picture."""
    rows = [
        f"{row['question']} {row['answer']}: {row['from, %']:.0f} to {row['to, %']:.0f} %"
        for _, row in table.iterrows()
    ]
    return f"Estimates by question and answer. {'; '.join(rows)}."


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
        "hands": question.by_hands,
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
_LEGEND_NO_NOISE: Final = (
    ("estimate", "answers as they were sent"),
    ("range95", "what missing phones may add"),
    ("past", "the range as reports came"),
)


def timer_html(left: float) -> str:
    """The time that is left for answers, as HTML; `left`: seconds above 0."""
    minutes, seconds = divmod(math.ceil(left), 60)
    name = 'class="room-timer" role="timer" aria-label="Time left"'
    return f"<p {name}>{minutes}:{seconds:02d} left</p>"


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

    `past`: `history` of the reports. `truth`: (k,) shares of made-up people, None for real.
    """
    reports = formats.count(len(poll.reports), "report", "reports")
    nothing, known, shown = NOTHING_YET, f"All that the server keeps of answers: {reports}", poll
    if poll.is_hidden:
        nothing = known = hidden_sentence(poll)
        past, shown = (), replace(poll, reports=())
    elif poll.is_doubtful:
        nothing, past = DOUBTED, ()
    question, last = poll.question, past[-1][1] if past else None
    legend = list(_LEGEND if question.sensitive else _LEGEND_NO_NOISE)
    if truth is not None:
        legend.append(("made", "made-up truth"))
    hands = _hands(poll)
    if hands is not None:
        legend.append(("made", "hands"))
        truth = hands
    message = {
        "mark": poll.mark,
        "n": len(poll.reports),
        "people": poll.people,
        "doubted": not poll.is_hidden and poll.is_doubtful,
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


def _hands(poll: PollState) -> Floats | None:
    """(k,) shares of the class that hands have shown, NaN where they show none; None before."""
    if poll.hands is None:
        return None
    shares = np.full(poll.question.k, np.nan)
    shares[0] = poll.hands / poll.people
    if poll.question.k == _TWO:
        shares[1] = 1 - shares[0]
    return shares


_TWO: Final = 2


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
        "truth": None if truth is None or np.isnan(truth[x]) else round(float(truth[x]), 4),
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
    people = _made_up_people(draft, rng)
    answer_of = np.argsort(columns_of(question))
    reports = tuple(answer_of[mechanism_of(question).privatize(people, rng)].tolist())
    state = PollState("", MARK, question, False, reports, draft.phones, is_over=True)
    return replace(state, doubted=False)


def _made_up_people(draft: Draft, rng: np.random.Generator) -> Ints:
    """(phones,) their true answers."""
    question = draft.question
    return np.asarray(rng.choice(question.k, draft.phones, p=truth_of(question)))


def rehearsal_json(draft: Draft) -> str:
    """The message from which the browser draws the rehearsal's board, as JSON."""
    poll = rehearse(draft)
    people = _made_up_people(draft, generator(_SEED))
    truth = np.bincount(people, minlength=draft.question.k) / draft.phones
    return board_json(poll, history(draft.question, poll.reports, poll.people), truth)


def half_width(draft: Draft) -> float:
    """Mean half width of the class's 95 % range of the first sensitive answer (else the first).

    As a share of people, for the widest true count.
    """
    return half_width_of(draft.question, draft.phones)


def view(draft: Draft, pinned: Draft | None, colours: Palette) -> View:
    """The rehearsal of a question; its board has its own colours in either theme."""
    del pinned, colours
    title = layout.as_html(rehearsal_title(draft.phones))
    return View(
        rehearsal(draft.question, draft.phones, half_width(draft)),
        {REHEARSAL: rehearsal_json(draft)},
        {f".st-key-{TITLE} p": title},
    )


def snippet(poll: PollState) -> str:
    """Python that reads reports.csv and prints the class's shares with their 95 % ranges."""
    question = poll.question
    text = Path(__file__).with_name("snippet.txt").read_text("utf-8")
    return text.format(
        answers=question.answers,
        sensitive=question.sensitive,
        epsilon=question.epsilon,
        columns=columns_of(question).tolist(),
        chances=[(each.own, each.other) for each in naming_chances(question)],
        people=poll.people,
        level=level_of(question),
    )


def numbers(poll: PollState) -> pd.DataFrame:
    """A row an answer: reports that name it, estimate and 95 % range, in percent."""
    question, reports = poll.question, poll.reports
    table = pd.DataFrame(
        {"reports": [reports.count(x) for x in range(question.k)]}, index=list(question.answers)
    )
    if reports:
        shares = class_shares(question, reports, poll.people)
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
    lines = [wrapped(poll.question.text, letters) for poll in polls]
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
        shares = class_shares(poll.question, poll.reports, poll.people)
        bars.append({**_bars(shares, colours), "xaxis": f"x{number}", "yaxis": f"y{number}"})
        layout[f"xaxis{number}"] = {"range": [0, 100], "ticksuffix": " %", "nticks": 3}
        layout[f"yaxis{number}"] = {"visible": False, "range": [most - 0.4, -0.7]}
        layout["annotations"] += _texts(poll, shares, "<br>".join(title), number, letters)
    return Figure(bars, layout)


def wrapped(text: str, letters: int) -> list[str]:
    """A text from a person in lines of at most so many letters, for a chart."""
    return [line.chart for line in user_texts(wrap(text, letters))]


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
    for y, answer in enumerate(user_texts(poll.question.answers)):
        mark = "✓ " if poll.is_shown and y == poll.question.right else ""
        ends = f"{100 * shares.low[y]:.0f} to {100 * shares.high[y]:.0f} %"
        name = f"{mark}{ends}  {answer.shortened(letters).chart}"
        at_row = {"xref": f"x{number}", "yref": f"y{number}", "x": 0, "y": y, "yshift": 10}
        texts.append({"text": name, "xanchor": "left", **at_row, **look})
    return texts


def listed(poll: PollState) -> bytes:
    """The reports as CSV: in the order in which they came, of earlier questions sorted."""
    named = [poll.question.answers[y] for y in poll.reports]
    return runs.csv({"number": range(len(named)), "report": named})
