"""Sentences of the page. Each must be true of the question that it is shown with.

Phones have theirs in four languages (`web/phone_words.json`). Names come from anybody: what goes
into Markdown has them escaped (`escape_markdown`); headlines and pictures, which read no Markdown,
have them as they are.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from caldp_ui.app.errors import escape_markdown
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import (
    IntegerChannel,
    Question,
    Shares,
    channel_of,
    mechanism_of,
    most_right,
    most_right_about,
    truthful_answers,
)
from caldp_ui.words import accuracy, formats
from caldp_ui.words.formats import Headline, strength

WAITING: Final = "No phone has reported yet: scan the code and answer."
NO_REPORT: Final = "No phone reported while the question was open."
NOTHING_YET: Final = "No report yet: the whole range is possible."


def promise(question: Question) -> str:
    """Whom the reports protect, and an attacker's best odds between any two answers."""
    return f"{coverage(question)} {_guess_sentence(question)}".strip()


def coverage(question: Question) -> str:
    """Whom the reports protect, and first whom they don't."""
    if is_open_guess(question):
        return "Guesses are not secret: phones send them as they are."
    return unprotected_sentence(question) or "All answers are protected."


def _guess_sentence(question: Question) -> str:
    """The odds where something is protected, else ""."""
    if not question.sensitive:
        return ""
    most = most_right(question)
    return (
        "An attacker who must choose between two equally likely answers is "
        f"right {times(most)} (protection: {strength(most).word})."
    )


def unprotected_sentence(question: Question) -> str:
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


def unprotected_warning(question: Question) -> str:
    """What phones send in clear, to a teacher who is about to ask what protects nobody."""
    *others, last = (quoted(question, x) for x in range(question.k))
    kind = "true answer" if question.right is None else "guess"
    return (
        f"Nobody is protected: each phone sends its {kind} in clear, be it {', '.join(others)} or "
        f"{last}."
    )


def _with_unprotected(question: Question, sentence: str) -> Headline:
    """A sentence as a headline, below the one on the unprotected where there are any."""
    unprotected = unprotected_sentence(question)
    if unprotected:
        second = " ".join(filter(None, (sentence, _guess_sentence(question))))
        return Headline(unprotected, second, True)
    return Headline(sentence, promise(question))


def times(most: float) -> str:
    """How often a guess is right at most, in a hundred."""
    return "always" if most == 1 else f"{formats.upper_bound(most)} times in 100"


def quoted(question: Question, x: int) -> str:
    """An answer in quotation marks."""
    return f"“{question.answers[x]}”"


def rehearsal(question: Question, people: int, half_width: float) -> Headline:
    """The headline before a poll is opened."""
    first = quoted(question, question.sensitive[0] if question.sensitive else 0)
    phones = formats.count(people, "phone", "phones")
    off = formats.count(formats.hundred(half_width), "percentage point", "percentage points")
    if formats.is_almost_sure(half_width):
        sentence = f"With {phones}, nothing can be said of {first}: it may be anywhere."
    else:
        sentence = f"With {phones}, the estimate of {first} is accurate to ± {off} (95 % range)."
    return _with_unprotected(question, sentence)


def rehearsal_title(people: int) -> str:
    """The title of the rehearsal's board."""
    return f"**A rehearsal: {formats.count(people, 'made-up phone', 'made-up phones')}**"


def is_open_guess(question: Question) -> bool:
    """Whether a guess is asked for that no coin hides."""
    return not question.sensitive and question.right is not None


def live_headline(poll: PollState, shares: Shares | None) -> Headline:
    """The headline while reports arrive, and once the right answer is shown."""
    question, reports = poll.question, len(poll.reports)
    if not reports or shares is None:
        return _with_unprotected(question, WAITING if poll.is_open else NO_REPORT)
    if poll.is_hidden:
        return _with_unprotected(question, hidden_sentence(poll))
    if poll.is_shown and question.right is not None:
        return Headline(_guess_result(poll, question.right, shares), promise(question))
    first = question.sensitive[0] if question.sensitive else 0
    return _with_unprotected(question, _estimate_sentence(poll, first, shares, "truthfully say"))


def _estimate_sentence(poll: PollState, answer: int, shares: Shares, verb: str) -> str:
    """The share of an answer, or how many reports it takes to say anything of it."""
    low, high = 100 * float(shares.low[answer]), 100 * float(shares.high[answer])
    return nothing_yet(poll, answer, shares) or (
        f"From {formats.count(len(poll.reports), 'report', 'reports')} we estimate that {low:.0f} "
        f"to {high:.0f} % of people like these would {verb} {quoted(poll.question, answer)}."
    )


def nothing_yet(poll: PollState, answer: int, shares: Shares) -> str:
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


def end_headline(polls: Sequence[PollState], on_show: Headline) -> Headline:
    """The thanks once a poll has ended. `on_show`: the headline of the question on the board."""
    reports = formats.count(sum(len(poll.reports) for poll in polls), "report", "reports")
    questions = formats.count(len(polls), "question", "questions")
    sentence = f"Thank you! Your phones sent {reports} to {questions}."
    return Headline(sentence, on_show.whole, on_show.unprotected)


def _guess_result(poll: PollState, right: int, shares: Shares) -> str:
    """How many guessed right: counted, or estimated where phones threw coins."""
    name, many = quoted(poll.question, right), len(poll.reports)
    if not poll.question.sensitive:
        hits = poll.reports.count(right)
        verb = "is" if hits == 1 else "are"
        return f"Of {formats.count(many, 'guess', 'guesses')} {hits:,} {verb} right: {name}."
    return _estimate_sentence(poll, right, shares, "rightly guess")


def unprotected_sentences(question: Question) -> list[str]:
    """Which reports are always true, as their answers are not protected; [] where none."""
    truthful = truthful_answers(question)
    if not truthful:
        return []
    names = ", ".join(escape_markdown(quoted(question, x)) for x in truthful)
    return [f"Answers that are not marked as sensitive: every report of {names} is true."]


def what_the_server_knows(reports: int) -> str:
    """The title of the list of reports."""
    return f"All that the server keeps of answers: {formats.count(reports, 'report', 'reports')}"


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
_PROMISES: Final = tomllib.loads(Path(__file__).with_name("promises.toml").read_text("utf-8"))
COIN: Final[str] = _PROMISES["coin"]
NOT_PROMISED: Final[Sequence[str]] = _PROMISES["not_promised"]


def promises(question: Question) -> tuple[str, ...]:
    """What holds of phones and server when they ask this question."""
    coins = _PROMISES["coins" if question.sensitive else "no_coins"]
    return (*coins, *_PROMISES["always"])


def ended_poll_sentence(code: str) -> str:
    """To a teacher whose poll is gone."""
    return (
        f"Poll {code} is gone with its reports: the server was started again, or the poll was "
        "ended. Open a new one."
    )


def question_message(question: Question) -> dict[str, Any]:
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
