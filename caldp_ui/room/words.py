"""Sentences of the page. Each must be true of the question that it is shown with.

Names come from anybody: what goes into Markdown has them escaped (`escape_markdown`); headlines and
pictures, which read no Markdown, have them as they are.
"""

from collections.abc import Sequence
from typing import Final

from caldp_ui.app.errors import escape_markdown
from caldp_ui.room import odds
from caldp_ui.room.figures import Shares
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import Question, channel_of
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline
from caldp_ui.words.strength import strength

SENT_AS_IT_IS: Final = "Your guess was sent as it is: guesses are not secret."
NOTHING_YET: Final = "No report yet: the whole range is possible."


def promise(question: Question) -> str:
    """Whom the reports protect, and an attacker's best odds between any two answers."""
    if is_open_guess(question):
        return "Guesses are not secret: phones send them as they are."
    if not question.sensitive:
        return "No answer is protected: phones send the truth."
    return f"{left_out_sentence(question)} {_guess_sentence(question)}".strip()


def _guess_sentence(question: Question) -> str:
    most = odds.most_right(question)
    return (
        "An attacker who must choose between two equally likely answers is "
        f"right {_times(most)} (protection: {strength(most).word})."
    )


def left_out_sentence(question: Question) -> str:
    """Whose answers are not protected, where some are; "" where all are or none."""
    few = len(question.sensitive)
    if few in (0, question.k):
        return ""
    who = f"Only {few} of {question.k} answers"
    if few == 1:
        who = f"Only people who answer {_quoted(question, question.sensitive[0])}"
    return f"{who} are protected; everybody else's answer can be read."


def _with_left_out(question: Question, sentence: str) -> Headline:
    """A sentence as a headline, below the one on the unprotected where there are any."""
    left_out = left_out_sentence(question)
    if left_out:
        return Headline(left_out, f"{sentence} {_guess_sentence(question)}", True)
    return Headline(sentence, promise(question), sends_truth(question))


def _times(most: float) -> str:
    """How often a guess is right at most, in a hundred."""
    return "always" if most == 1 else f"{formats.upper_bound(most)} times in 100"


def _quoted(question: Question, x: int) -> str:
    return f"“{question.answers[x]}”"


def rehearsal(question: Question, people: int, half_width: float) -> Headline:
    """The headline before a poll is opened."""
    first = _quoted(question, question.sensitive[0] if question.sensitive else 0)
    phones, off = formats.count(people, "phone", "phones"), formats.hundred(half_width)
    if off.startswith("more"):
        sentence = f"With {phones}, nothing can be said of {first}: it may be anywhere."
    else:
        sentence = (
            f"With {phones}, the estimate of {first} is accurate to ± {off} percentage "
            f"{'point' if off == '1' else 'points'}."
        )
    return _with_left_out(question, sentence)


def rehearsal_title(people: int) -> str:
    """The title of the rehearsal's board."""
    return f"**A rehearsal: {formats.count(people, 'made-up phone', 'made-up phones')}**"


def is_open_guess(question: Question) -> bool:
    """Whether a guess is asked for that no coin hides."""
    return not question.sensitive and question.right is not None


def sends_truth(question: Question) -> bool:
    """Whether true answers, not guesses, are sent as they are."""
    return not question.sensitive and question.right is None


def live_headline(poll: PollState, shares: Shares | None) -> Headline:
    """The headline while reports arrive, and once the right answer is shown."""
    question, reports = poll.question, len(poll.reports)
    if shares is None:
        sentence = "No phone has reported yet: scan the code and answer."
        return Headline(sentence, promise(question), sends_truth(question))
    if poll.is_shown and question.right is not None:
        return Headline(_guess_result(poll, question.right, shares), promise(question))
    if is_open_guess(question):
        arrived = formats.count(reports, "guess is", "guesses are")
        return Headline(f"The answer is not shown yet: {arrived} in.", promise(question))
    first = question.sensitive[0] if question.sensitive else 0
    low, high = 100 * float(shares.low[first]), 100 * float(shares.high[first])
    arrived = formats.count(reports, "report", "reports")
    return _with_left_out(
        question,
        f"From {arrived} we estimate that {low:.0f} to {high:.0f} % would truthfully say "
        f"{_quoted(question, first)}.",
    )


def _guess_result(poll: PollState, right: int, shares: Shares) -> str:
    """How many guessed right: counted, or estimated where phones threw coins."""
    name, many = _quoted(poll.question, right), len(poll.reports)
    if not poll.question.sensitive:
        hits = poll.reports.count(right)
        verb = "is" if hits == 1 else "are"
        return f"Of {formats.count(many, 'guess', 'guesses')} {hits:,} {verb} right: {name}."
    low, high = 100 * float(shares.low[right]), 100 * float(shares.high[right])
    return f"We estimate that {low:.0f} to {high:.0f} % guessed right: {name}."


def answer_sentence(poll: PollState) -> str:
    """What a phone says once the right answer is shown; "" before."""
    if not poll.is_shown or poll.question.right is None:
        return ""
    return f"The right answer: {poll.question.answers[poll.question.right]}"


def coin_odds_sentence(question: Question, answer: int, chances: Sequence[float]) -> str:
    """To the owner of a phone that chose this answer, before it sends: the odds of its coin.

    `chances`: (k,) that the phone reports each answer, of the exact channel.
    """
    name, kept = _quoted(question, answer), chances[answer]
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
    name = _quoted(question, 1 - answer) if question.k == 2 else "any other answer"
    return f"; so do {formats.out_of(min(others))} phones with {name}"


def _of_times(chance: float) -> str:
    many, _, whole = formats.out_of(chance).rpartition(" of ")
    return f"{many} times in {whole}"


def _other(question: Question, answer: int) -> str:
    """What a phone sends instead of the truth."""
    others = [x for x in question.sensitive if x != answer]
    return _quoted(question, others[0]) if len(others) == 1 else "another answer, by chance"


def _conclusion_sentence(question: Question, answer: int) -> str:
    """How well a teacher can guess this answer from whatever its phone reports."""
    if not question.sensitive:
        return "Nothing hides it."
    most = odds.most_right_about(question, answer)
    right = _times(most)
    hidden = answer in question.sensitive or question.k == len(question.sensitive)
    end = "" if hidden else f" A report of {_quoted(question, answer)} is always true."
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
    least, most = min(others), max(others)
    range_text = formats.hundred(least)
    if formats.hundred(most) != range_text:
        range_text = f"{range_text} to {formats.hundred(most)}"
    right = chances[report] / (chances[report] + least)
    return (
        f"You can deny it: of 100 phones with any other answer, {range_text} send “{name}”, too. A "
        f"teacher who now chooses “{name}” over an equally likely answer is right {_times(right)}."
    )


def remains_sentence(report: int, chances: Sequence[float]) -> str:
    """What is left of the true answer, on the phone and beyond, once this report was sent.

    `chances`: that a phone with each true answer sends it, of the exact channel.
    """
    if max((chance for x, chance in enumerate(chances) if x != report), default=0.0) == 0:
        return "Nothing but this report was sent or stored; here it is your true answer."
    return "Your true answer is nowhere any more: not sent, and not stored on this phone."


def unprotected_sentences(question: Question) -> list[str]:
    """Which reports are always true, as their answers are not protected; [] where none."""
    truthful = odds.truthful_answers(question)
    if not truthful:
        return []
    names = ", ".join(escape_markdown(_quoted(question, x)) for x in truthful)
    return [f"Answers that are not marked as sensitive: every report of {names} is true."]


def what_the_server_knows(reports: int) -> str:
    """The title of the list of reports."""
    return f"All that the server keeps of answers: {formats.count(reports, 'report', 'reports')}"


PROMISES: Final = (
    "Each phone throws its own coin, by its operating system's randomness.",
    "A phone sends and stores its report, and nothing else of the true answer.",
    "Each phone sends one report to a question: asked again, it repeats what it sent.",
    "The server keeps the reports in the order in which they came, and no note of who sent which.",
    "So that none counts twice, it keeps a scrambled number of each phone until the next question.",
    "All is in memory, nothing is written to disk; the end of the poll forgets it.",
)
NOT_PROMISED: Final = (
    "That nobody sees who takes part: the server knows the addresses of phones while they connect.",
    "That nobody watches: who reads the server's memory as reports arrive can see who sends which.",
    "That the page itself is honest: phones run what this server sends them.",
    "More than one report's worth: a second question about the same thing tells more.",
    "That nobody cheats: people may lie, and a phone whose memory was cleared can answer again.",
)


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
