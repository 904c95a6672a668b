"""Sentences of the page. Each must be true of the question that it is shown with.

Room: room. Names come from anybody: what goes into Markdown has them escaped, what goes into the
pictures, which read no HTML, has them as they are.
"""

from collections.abc import Sequence
from typing import Final

from caldp_core.audit.adversary import guessed_right
from caldp_ui.app.errors import as_text
from caldp_ui.room.figures import Shares
from caldp_ui.room.question import Question
from caldp_ui.words import formats
from caldp_ui.words.strength import strength

NOTHING_YET: Final = "Nothing has come yet: the whole range is possible."


def promise(question: Question) -> str:
    """The most that a report may say for a sensitive answer (CALDP Prop. 3), in one sentence."""
    if not question.sensitive:
        return "No answer is sensitive, so phones send the truth."
    most = guessed_right(question.epsilon)
    best = formats.hundred(most)
    at_most = "" if best.startswith("over") else "at most "
    one = len(question.sensitive) == 1
    name = _quoted(question, question.sensitive[0]) if one else "a sensitive answer"
    return (
        f"Whatever a phone reports: of 100 that were 50:50 between {name} and another, "
        f"{at_most}{best} truly have {name if one else 'the sensitive one'} "
        f"({strength(most).word})."
    )


def _quoted(question: Question, x: int) -> str:
    return f"“{as_text(question.answers[x])}”"


def rehearsal(question: Question, people: int, half_width: float) -> str:
    """The headline before a room is opened."""
    first = _quoted(question, question.sensitive[0] if question.sensitive else 0)
    return (
        f"With {formats.count(people, 'phone', 'phones')}, **{first} comes out within "
        f"± {100 * half_width:.0f} of 100**. {promise(question)}"
    )


def rehearsed(people: int) -> str:
    """Above the rehearsal's picture."""
    return f"**A rehearsal: {formats.count(people, 'made-up phone', 'made-up phones')}**"


def live(question: Question, reports: int, shares: Shares | None) -> str:
    """The headline while reports arrive."""
    if shares is None:
        return f"**{NOTHING_YET}** {promise(question)}"
    first = question.sensitive[0] if question.sensitive else 0
    low, high = 100 * float(shares.low[first]), 100 * float(shares.high[first])
    came = formats.count(reports, "report says", "reports say")
    return (
        f"{came}: **between {low:.0f} and {high:.0f} of 100 have {_quoted(question, first)}** "
        f"(95 % range). {promise(question)}"
    )


def deniable(question: Question, report: int, chances: Sequence[float]) -> str:
    """Why the owner of a phone that sent this report can deny it; or that they can't.

    `chances`: that a phone with each true answer sends it, of the exact channel.
    """
    name = question.answers[report]
    others = [chance for x, chance in enumerate(chances) if x != report]
    if max(others) == 0:
        return (
            f"This report is true: only phones whose owner chose “{name}” send it. The question "
            f"does not hide “{name}”."
        )
    least, most = min(others), max(others)
    said = formats.hundred(least)
    if formats.hundred(most) != said:
        said = f"{said} to {formats.hundred(most)}"
    right = chances[report] / (chances[report] + least)
    return (
        f"You can deny it: of 100 phones with any other answer, {said} send “{name}”, too. For "
        f"somebody torn 50:50 whether “{name}” is true of you, it is right at most "
        f"{formats.hundred(right)} times of 100."
    )


def left_behind(report: int, chances: Sequence[float]) -> str:
    """What is left of the true answer on the phone and beyond it, once this report was sent."""
    if max((chance for x, chance in enumerate(chances) if x != report), default=0.0) == 0:
        return "Nothing but this report was sent or kept; here it is your true answer."
    return "Your true answer is nowhere any more: not sent, and not kept on this phone."


def bare(question: Question) -> list[str]:
    """What the reports of answers that are not sensitive give away."""
    if len(question.sensitive) == question.k:
        return []
    others = [x for x in range(question.k) if x not in question.sensitive]
    said = ", ".join(_quoted(question, x) for x in others)
    return [f"That somebody's answer is not sensitive: most reports of {said} are plain truth."]


def what_the_server_knows(reports: int) -> str:
    """Above the list of reports."""
    return f"All that the server knows: {formats.count(reports, 'report', 'reports')}"


PROMISES: Final = (
    "The coin is thrown on each phone, by its operating system's randomness.",
    "Beside its report a phone sends and stores nothing of the true answer.",
    "One report for each phone and question: the phone would only repeat what it sent.",
    "The server holds the reports, and a random number of each phone so that none counts twice.",
    "All is in memory, nothing is written to disk; the end of the room forgets it.",
)
NOT_PROMISED: Final = (
    "That somebody took part: any web server sees which addresses connect; this one keeps none.",
    "That the page itself is honest: phones run what this server sends them.",
    "More than one report's worth: a second question about the same thing tells more.",
    "That nobody cheats: people may lie, and a phone whose memory was cleared can answer again.",
)
