"""State of the page: the question that a teacher prepares, and the phones that rehearse it.

A link holds a prepared question; rooms and reports are never in one. A link with a room's code is a
phone's (`phone.py`), and never comes here. Beside the question it holds the set from which others
are chosen, so that one link brings a whole lesson's questions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from caldp_core.basics.errors import check_whole, excerpt, require
from caldp_ui.app.gate import QUERY
from caldp_ui.room import sets
from caldp_ui.room.poll import REPORTS_MAX
from caldp_ui.room.question import PollQuestion
from caldp_ui.room.sets import EXAMPLES, FIRST_SET, READY, QuestionSet
from caldp_ui.session.links import DIVIDER, NUMBER, WHOLE, RecordLink, lines
from caldp_ui.session.page_state import PageState

NEXT: Final = "next"
"""The part of the page where the next question is written, for pages that hand one over."""
OPENING: Final = "opening"
"""The question with which the poll began, on show again."""
PHONES: Final = 25


@dataclass(frozen=True)
class Draft:
    """The page's record: a `question`, and the 1 to 500 `phones` of the class that it is for.

    `question_set`: from which questions can be chosen.
    """

    question: PollQuestion = EXAMPLES["Birthday"]
    phones: int = PHONES
    question_set: QuestionSet = READY[FIRST_SET]


class DraftLink(RecordLink[Draft]):
    """How the record is written into a link: with its question as a whole."""

    def write(self, record: Draft) -> dict[str, str]:
        """The draft as texts of a query; none where it is the page's first one."""
        now, begin = _texts(record), _texts(Draft())
        return {} if now == begin else now

    def read(self, query: Mapping[str, str]) -> Draft:
        """Read a query, without a key as at first; `CaldpError` for what is not a question.

        Without `sensitive` all answers are protected, whatever they are.
        """
        texts = {**_texts(Draft()), **query}
        answers = tuple(texts["answers"].split(DIVIDER))
        everything = ";".join(map(str, range(len(answers))))
        marked = [part for part in query.get("sensitive", everything).split(";") if part]
        question = PollQuestion(
            texts["question"],
            answers,
            tuple(WHOLE.read("sensitive", part) for part in marked),
            NUMBER.read("epsilon", texts["epsilon"]),
            WHOLE.read("right", texts["right"]) if texts["right"] else None,
            bool(WHOLE.read("hands", texts["hands"])) if texts["hands"] else False,
        )
        question_set = sets.from_link(texts["set"]) if texts["set"] else READY[FIRST_SET]
        return Draft(question, WHOLE.read("phones", texts["phones"]), question_set)

    def unknown_keys(self, query: Mapping[str, str]) -> list[str]:
        """Keys of the query that this page does not know."""
        return [key for key in query if key not in _texts(Draft())]


def _check(record: Draft) -> None:
    """Raise `CaldpError` for too many or too few phones, or a set that has a ready set's title.

    A question and a set check the rest.
    """
    check_whole("phones", record.phones, 1, REPORTS_MAX)
    title = record.question_set.title
    require(
        READY.get(title, record.question_set) == record.question_set,
        f"{excerpt(title)} is the title of a ready set; give your set another title.",
    )


def own_sets() -> dict[str, QuestionSet]:
    """The teacher's own sets of this visit by title, as each was last, the current one last.

    They follow from the last 50 records, which undo leads back to.
    """
    records = (*STATE.past_records(), STATE.current())
    found: dict[str, QuestionSet] = {}
    for before, after in pairwise(records):
        left, taken = before.question_set, after.question_set
        if left == taken or _is_ready(left):
            continue
        # What shares a question with the next own set is an earlier version of it.
        if _is_ready(taken) or not _shares_questions(left, taken):
            found[left.title] = left
    current = records[-1].question_set
    if not _is_ready(current):
        found[current.title] = current
    return found


def _is_ready(question_set: QuestionSet) -> bool:
    return READY.get(question_set.title) == question_set


def _shares_questions(first: QuestionSet, second: QuestionSet) -> bool:
    return any(second.find(question.text) is not None for question in first.questions)


def _texts(record: Draft) -> dict[str, str]:
    question = record.question
    return {
        "question": question.text,
        "answers": DIVIDER.join(question.answers),
        "sensitive": ";".join(map(str, question.sensitive)),
        "epsilon": f"{question.epsilon:.17g}",
        "right": "" if question.right is None else str(question.right),
        "hands": "1" if question.by_hands else "",
        "phones": str(record.phones),
        "set": "" if record.question_set == READY[FIRST_SET] else sets.to_link(record.question_set),
    }


def with_answers(question: PollQuestion, text: str) -> PollQuestion:
    """The question with other answers, one a line.

    Those that keep their text stay as marked; every new text is protected, and what is asked anew
    may be a secret, of which no hands are counted.
    """
    answers = lines(text)
    marks = {answer: x in question.sensitive for x, answer in enumerate(question.answers)}
    sensitive = tuple(x for x, answer in enumerate(answers) if marks.get(answer, True))
    written = replace(question, answers=answers, sensitive=sensitive, right=None, by_hands=False)
    if question.right is None:
        return written
    right = question.answers[question.right]
    if right in answers:
        return replace(written, right=answers.index(right))
    return protect_all(written)  # what was a guess is now asked as the truth


def with_right(question: PollQuestion, right: int | None) -> PollQuestion:
    """The question with another right answer; without one the truth is asked, and protected."""
    changed = replace(question, right=right, by_hands=question.by_hands and right is None)
    return protect_all(changed) if right is None else changed


def protect_all(question: PollQuestion) -> PollQuestion:
    """The question with every answer marked as sensitive."""
    return replace(question, sensitive=tuple(range(question.k)))


LINK: Final = DraftLink(Draft(), _check, (QUERY,))
STATE: Final = PageState("room", LINK)
