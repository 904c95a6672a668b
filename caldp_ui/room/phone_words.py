"""What a phone says of its own report: before it is sent, and of what remains afterwards.

Each sentence must be true of its reader, on a phone that has forgotten the true answer.
"""

from collections.abc import Sequence
from typing import Any, Final

from caldp_ui.room import attempts
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import IntegerChannel, Question, channel_of
from caldp_ui.room.words import is_open_guess, quoted, times
from caldp_ui.words import formats
from caldp_ui.words.formats import NONE, strength

SENT_AS_IT_IS: Final = "Your guess was sent as it is: guesses are not secret."


def answer_sentence(poll: PollState) -> str:
    """What a phone says once the right answer is shown; "" before."""
    if not poll.is_shown or poll.question.right is None:
        return ""
    return f"The right answer: {poll.question.answers[poll.question.right]}"


def send_label(question: Question, answer: int) -> str:
    """What the button of a phone that chose this answer does."""
    if not attempts.is_sent_as_it_is(question, answer):
        return "Throw the coin and send"
    return f"Send my {'answer' if question.right is None else 'guess'} as it is"


def coin_sentence(question: Question, answer: int) -> str:
    """What is thrown on a phone that chose this answer."""
    if is_open_guess(question):
        return "Guesses are not secret: your phone sends yours as it is."
    if attempts.is_sent_as_it_is(question, answer):
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
    most = attempts.most_right_about(question, answer)
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
    if report in attempts.truthful_answers(question):
        return "Your report equals your answer, and nothing hides it. Your phone has kept it."
    if attempts.is_sent_as_it_is(question, report):
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
