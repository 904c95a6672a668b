"""Sentences of the page and of phones. Each must be true of the question that it is shown with.

What a phone says of its report must be true of its reader, though the phone has forgotten the true
answer. Names come from anybody: what goes into Markdown has them escaped (`escape_markdown`);
headlines, pictures and phones, which read no Markdown, have them as they are.
"""

from collections.abc import Sequence
from typing import Any, Final

from caldp_ui.app.errors import escape_markdown
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import (
    IntegerChannel,
    Question,
    Shares,
    channel_of,
    is_sent_as_it_is,
    most_right,
    most_right_about,
    truthful_answers,
)
from caldp_ui.words import formats
from caldp_ui.words.formats import NONE, strength
from caldp_ui.words.headline import Headline

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
    phones, off = formats.count(people, "phone", "phones"), formats.hundred(half_width)
    if formats.is_almost_sure(half_width):
        sentence = f"With {phones}, nothing can be said of {first}: it may be anywhere."
    else:
        sentence = (
            f"With {phones}, the estimate of {first} is accurate to ± {off} percentage "
            f"{'point' if off == '1' else 'points'} (95 % range)."
        )
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
    if shares is None:
        return _with_unprotected(question, "No phone has reported yet: scan the code and answer.")
    if poll.is_shown and question.right is not None:
        return Headline(_guess_result(poll, question.right, shares), promise(question))
    if is_open_guess(question):
        arrived = formats.count(reports, "guess is", "guesses are")
        return Headline(f"The answer is not shown yet: {arrived} in.", promise(question))
    first = question.sensitive[0] if question.sensitive else 0
    low, high = 100 * float(shares.low[first]), 100 * float(shares.high[first])
    arrived = formats.count(reports, "report", "reports")
    return _with_unprotected(
        question,
        f"From {arrived} we estimate that {low:.0f} to {high:.0f} % of people like these would "
        f"truthfully say {quoted(question, first)}.",
    )


def _guess_result(poll: PollState, right: int, shares: Shares) -> str:
    """How many guessed right: counted, or estimated where phones threw coins."""
    name, many = quoted(poll.question, right), len(poll.reports)
    if not poll.question.sensitive:
        hits = poll.reports.count(right)
        verb = "is" if hits == 1 else "are"
        return f"Of {formats.count(many, 'guess', 'guesses')} {hits:,} {verb} right: {name}."
    low, high = 100 * float(shares.low[right]), 100 * float(shares.high[right])
    return f"We estimate that {low:.0f} to {high:.0f} % of people like these guess right: {name}."


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


def board_note(question: Question) -> str:
    """What the board's ranges are of, and what its colours mean."""
    return f"{RANGE_OF} Pink: protected answers." if question.sensitive else RANGE_OF


RANGE_OF: Final = (
    "Ranges are for all people of whom these are a random sample, and right 95 times in 100."
)
_COINS: Final = (
    "Coins are thrown on the phones, by their operating systems' randomness.",
    "A phone sends and stores its report, and nothing else of the true answer.",
)
_NO_COINS: Final = ("No coin is thrown: each phone sends its answer as it is, and stores it.",)
_PROMISES: Final = (
    "Each phone sends one report to a question; loaded again, it repeats that report.",
    "The server keeps the reports in the order in which they came, and no note of who sent which.",
    "So that none counts twice, it keeps a scrambled number of each phone until the next question.",
    "The server writes nothing to disk, and forgets all at the end; phones keep what they sent.",
)
NOT_PROMISED: Final = (
    "That nobody sees who takes part: the server knows the addresses of phones while they connect.",
    "That nobody sees who sends which: projector and server have each report as soon as it comes.",
    "That the page itself is honest: phones run what this server sends them.",
    "More than one report's worth: a similar question, or the same one again, tells more.",
    "That nobody cheats: people may lie, and a phone whose memory was cleared can answer again.",
)


def promises(question: Question) -> tuple[str, ...]:
    """What holds of phones and server when they ask this question."""
    return (*(_COINS if question.sensitive else _NO_COINS), *_PROMISES)


def ended_poll_sentence(code: str) -> str:
    """To a teacher whose poll is gone."""
    return (
        f"Poll {code} is gone with its reports: the server was started again, or the poll was "
        "ended. Open a new one."
    )


def lost_server_sentence(code: str) -> str:
    """To a phone whose poll was on a server that is gone."""
    return (
        f"The server that held poll {code} is gone, and its reports with it. Ask whoever leads the "
        "poll to open a new one."
    )


SENT_AS_IT_IS: Final = "Your guess was sent as it is: guesses are not secret."


def answer_sentence(poll: PollState) -> str:
    """What a phone says once the right answer is shown; "" before."""
    if not poll.is_shown or poll.question.right is None:
        return ""
    return f"The right answer: {poll.question.answers[poll.question.right]}"


def send_label(question: Question, answer: int) -> str:
    """What the button of a phone that chose this answer does."""
    if not is_sent_as_it_is(question, answer):
        return "Throw the coin and send"
    return f"Send my {'answer' if question.right is None else 'guess'} as it is"


def coin_sentence(question: Question, answer: int) -> str:
    """What is thrown on a phone that chose this answer."""
    if is_open_guess(question):
        return "Guesses are not secret: your phone sends yours as it is."
    if is_sent_as_it_is(question, answer):
        return "No coin is thrown for this answer: your phone always sends it."
    return "The coin is thrown on your phone, and only its report leaves the phone."


def coin_odds_sentence(question: Question, answer: int, chances: Sequence[float]) -> str:
    """To the owner of a phone that chose this answer, before it sends: the odds of its coin.

    `chances`: (k,) that the phone reports each answer, of the exact channel.
    """
    name, kept = quoted(question, answer), chances[answer]
    if is_open_guess(question):
        return f"Your phone will send {name}."
    if kept == 1:
        sends = f"Your phone will send {name}{_so_do_others(question, answer)}."
    else:
        sends = f"Your phone sends {name} {_of_times(kept)}, otherwise {_other(question, answer)}."
    return f"{sends} {_conclusion_sentence(question, answer)}"


def _so_do_others(question: Question, answer: int) -> str:
    """How many phones with another answer send the same."""
    channel = channel_of(question)
    others = [float(row[answer]) for x, row in enumerate(channel) if x != answer]
    if not max(others):
        return ""
    name = quoted(question, 1 - answer) if question.k == 2 else "any other answer"
    return f"; so do {formats.out_of(min(others))} phones with {name}"


def _of_times(chance: float) -> str:
    often = formats.ratio(chance)
    return f"{often.number} times in {often.whole}"


def _other(question: Question, answer: int) -> str:
    """What a phone sends instead of the truth."""
    others = [x for x in question.sensitive if x != answer]
    return quoted(question, others[0]) if len(others) == 1 else "another answer, by chance"


def _conclusion_sentence(question: Question, answer: int) -> str:
    """How well a teacher can guess this answer from whatever its phone reports."""
    if not question.sensitive:
        return "Nothing hides it."
    most = most_right_about(question, answer)
    right = times(most)
    is_bare = answer not in question.sensitive
    end = f" A report of {quoted(question, answer)} is always true." if is_bare else ""
    return (
        f"A teacher who must choose between it and another answer, equally likely, is right "
        f"{right}.{end}"
    )


def deniability_text(question: Question, report: int, chances: Sequence[float]) -> str:
    """Why the owner of a phone that sent this report can deny it; or that they can't.

    `chances`: that a phone with each true answer sends it, of the exact channel.
    """
    name = question.answers[report]
    others = [chance for x, chance in enumerate(chances) if x != report]
    if max(others) == 0:
        return (
            f"This report is true: only phones whose owner chose “{name}” send it. The question "
            f"does not protect “{name}”."
        )
    least, most = formats.out_of(min(others)), formats.out_of(max(others))
    sent = least if least == most else f"at least {least}"
    right = chances[report] / (chances[report] + min(others))
    can = "can hardly" if strength(right).word == NONE else "can"
    return (
        f"You {can} deny it: “{name}” is also sent by {sent} phones with any other answer. A "
        f"teacher who now chooses “{name}” over an equally likely answer is right {times(right)}."
    )


def remains_sentence(question: Question, report: int) -> str:
    """What remains of the true answer once this report was sent, by the coin of each answer.

    It is the same on all phones that sent the report: more would give the answer away.
    """
    name = quoted(question, report)
    if report in truthful_answers(question):
        return "Your report equals your answer, and nothing hides it. Your phone has kept it."
    if is_sent_as_it_is(question, report):
        other = quoted(question, 1 - report) if question.k == 2 else "another answer"
        decided = (
            f"If you chose {name}, your report equals your answer: no coin was thrown. If you "
            f"chose {other}, your coin has replaced it."
        )
    else:
        decided = "A coin decided whether your report equals your answer."
    return f"{decided} Your phone has kept the report, and not what you chose."


def question_message(question: Question) -> dict[str, Any]:
    """The question as phones need it, ready for JSON; the law's whole numbers are texts."""
    channel = channel_of(question)
    law, columns = IntegerChannel.of(channel), enumerate(zip(*channel, strict=True))
    return {
        "text": question.text,
        "answers": list(question.answers),
        "sensitive": list(question.sensitive),
        "law": {"whole": str(law.whole), "steps": [list(map(str, row)) for row in law.steps]},
        "choices": [
            {
                "odds": coin_odds_sentence(question, x, [float(q) for q in row]),
                "go": send_label(question, x),
                "coin": coin_sentence(question, x),
            }
            for x, row in enumerate(channel)
        ],
        "explanations": [
            _report_explanation(question, y, [float(q) for q in sent]) for y, sent in columns
        ],
        "words": _WORDS if question.right is None else {**_WORDS, **_guess(question)},
    }


def state_message(poll: PollState) -> dict[str, Any]:
    """What changes of a question while it is asked, ready for JSON."""
    return {"mark": poll.mark, "open": poll.is_open, "answer": answer_sentence(poll)}


def _report_explanation(question: Question, report: int, chances: list[float]) -> dict[str, Any]:
    if is_open_guess(question):
        return {"why": SENT_AS_IT_IS, "uncertainty": "", "chances": [], "widths": []}
    return {
        "why": deniability_text(question, report, chances),
        "uncertainty": remains_sentence(question, report),
        "chances": [formats.out_of(each) for each in chances],
        "widths": [round(each, 4) for each in chances],
    }


def _guess(question: Question) -> dict[str, str]:
    """The phone's words where a guess is asked for."""
    choose = {"choose": "Choose your guess"}
    return {**choose, "bare": ""} if is_open_guess(question) else choose


_WORDS: Final = {
    "choose": "Choose your true answer",
    "hidden": "protected",
    "bare": "not protected",
    "closed": "The question is closed.",
    "sent": "Your phone sent: ",
    "sending": "Sending …",
    "received": "✓ Counted, once.",
    "of": "How many of 100 phones send this, by their true answer:",
}
