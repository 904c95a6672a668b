"""Sets of questions: ready ones by subject, and those that a teacher keeps as a file or a link.

A set holds questions alone: what a class has reported is never in one. Files and links come from
anybody, so all of a set is checked before it is shown.
"""

import binascii
import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from caldp_core.basics.errors import CaldpError, excerpt, require
from caldp_core.collect.json_files import parse_json_object
from caldp_core.datasets.own import is_line
from caldp_ui.app.texts import read_toml
from caldp_ui.room.question import PollQuestion

FORMAT: Final = 1
"""Version of the file of a set."""
QUESTIONS_MAX: Final = 20
TITLE_MAX: Final = 60
"""Characters of the title of a set."""
CHARACTERS_MAX: Final = 6_000
"""Characters of a set's file, packed; a link that holds it then passes every proxy."""
FILE_BYTES_MAX: Final = 64 * 1024
_PACKED: Final = "z"
"""A link's text for a set that is not a ready one begins with it."""
FIRST_SET: Final = "First questions"
_OWN_TITLE: Final = "My questions"
_ADVICE: Final = "save a set on this page to see how its file looks"


@dataclass(frozen=True)
class QuestionSet:
    """A `title` and its 1 to 20 `questions`, whose texts differ.

    Raises `CaldpError` for anything else, and for a set that is too long for a link.
    """

    title: str
    questions: tuple[PollQuestion, ...]

    def __post_init__(self) -> None:
        require(
            bool(self.title.strip()) and len(self.title) <= TITLE_MAX and is_line(self.title),
            f"The title of a set needs 1 to {TITLE_MAX} characters on one line, got "
            f"{excerpt(self.title)}; shorten it.",
        )
        require(
            1 <= len(self.questions) <= QUESTIONS_MAX,
            f"A set holds 1 to {QUESTIONS_MAX} questions, got {len(self.questions)}; make two of "
            "it.",
        )
        known: set[str] = set()
        for question in self.questions:
            require(
                question.text not in known,
                f"The set has the question {excerpt(question.text)} twice; change one of them.",
            )
            known.add(question.text)
        require(
            len(_packed(self)) <= CHARACTERS_MAX,
            f"The set is too long for a link: packed it may have {CHARACTERS_MAX:,} characters; "
            "leave a question out.",
        )

    def find(self, text: str) -> PollQuestion | None:
        """The question of this text, if the set has one."""
        for question in self.questions:
            if question.text == text:
                return question
        return None

    def with_question(self, question: PollQuestion) -> "QuestionSet":
        """The set with this question: in the place of one with the same text, else at the end."""
        questions = list(self.questions)
        for place, known in enumerate(questions):
            if known.text == question.text:
                questions[place] = question
                return self._changed(questions)
        return self._changed([*questions, question])

    def without(self, text: str) -> "QuestionSet":
        """The set without the question of this text; `CaldpError` if it is the only one."""
        return self._changed([known for known in self.questions if known.text != text])

    def _changed(self, questions: list[PollQuestion]) -> "QuestionSet":
        # A ready set stays as it is: what is changed is the teacher's own.
        title = _OWN_TITLE if self == READY.get(self.title) else self.title
        return replace(self, title=title, questions=tuple(questions))


def to_json(questions: QuestionSet) -> str:
    """The file of a set."""
    return json.dumps(_content(questions), ensure_ascii=False, indent=2) + "\n"


def _content(questions: QuestionSet) -> dict[str, Any]:
    listed = []
    for question in questions.questions:
        entry: dict[str, Any] = {
            "question": question.text,
            "answers": list(question.answers),
            "sensitive": list(question.sensitive),
            "epsilon": question.epsilon,
        }
        # What most questions don't have is left out.
        if question.right is not None:
            entry["right"] = question.right
        if question.by_hands:
            entry["hands"] = True
        listed.append(entry)
    return {"caldp_questions": FORMAT, "title": questions.title, "questions": listed}


def from_json(text: str, name: str = "This file") -> QuestionSet:
    """The set of such a file; raises `CaldpError`, calling it `name`, for anything else."""
    data = parse_json_object(text, name)
    require(
        data.get("caldp_questions") == FORMAT,
        f"{name} is not a set of questions of caldp; {_ADVICE}.",
    )
    _refuse_others(data, ("caldp_questions", "title", "questions"), name)
    title, entries = data.get("title"), data.get("questions")
    require(isinstance(title, str), f"{name} has no title, which is a text; {_ADVICE}.")
    require(isinstance(entries, list), f"{name} has no list of questions; {_ADVICE}.")
    require(
        len(entries) <= QUESTIONS_MAX,  # type: ignore[arg-type]
        f"{name} has {len(entries):,} questions, a set at most {QUESTIONS_MAX}; make two of it.",  # type: ignore[arg-type]
    )
    questions = []
    for number, entry in enumerate(entries, 1):  # type: ignore[arg-type]
        questions.append(_question(entry, f"Question {number} of {name.lower()}"))
    return QuestionSet(title, tuple(questions))  # type: ignore[arg-type]


def _question(entry: object, name: str) -> PollQuestion:
    """The question of an entry; without `sensitive` all of its answers are protected."""
    require(isinstance(entry, dict), f"{name} must be an object with named fields; {_ADVICE}.")
    assert isinstance(entry, dict)
    _refuse_others(entry, ("question", "answers", "sensitive", "epsilon", "right", "hands"), name)
    text, answers = entry.get("question"), entry.get("answers")
    require(isinstance(text, str), f"{name} has no question, which is a text; {_ADVICE}.")
    require(
        isinstance(answers, list) and all(isinstance(answer, str) for answer in answers),
        f"{name} has no answers, which are a list of texts; {_ADVICE}.",
    )
    assert isinstance(text, str)
    assert isinstance(answers, list)
    sensitive = entry.get("sensitive", list(range(len(answers))))
    require(
        isinstance(sensitive, list) and all(_is_whole(number) for number in sensitive),
        f"{name}: sensitive must be numbers of answers, from 0; {_ADVICE}.",
    )
    epsilon = entry.get("epsilon")
    require(
        isinstance(epsilon, int | float) and not isinstance(epsilon, bool),
        f"{name} has no epsilon, which is a number; {_ADVICE}.",
    )
    assert isinstance(epsilon, int | float)
    right, hands = entry.get("right"), entry.get("hands", False)
    require(
        right is None or _is_whole(right),
        f"{name}: right must be the number of an answer, from 0; {_ADVICE}.",
    )
    require(isinstance(hands, bool), f"{name}: hands must be true or false; {_ADVICE}.")
    return PollQuestion(text, tuple(answers), tuple(sensitive), float(epsilon), right, hands)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse_others(entry: Mapping[str, Any], known: tuple[str, ...], name: str) -> None:
    """Raise `CaldpError` for a field that is not known: it may be a known one, misspelt."""
    for field in entry:
        require(
            field in known,
            f"{name} has the field {excerpt(field)}, which is not one of {', '.join(known)}; "
            "remove or rename it.",
        )


def to_link(questions: QuestionSet) -> str:
    """The text of a set in a link: a ready set's title, else its file, packed."""
    if READY.get(questions.title) == questions:
        return questions.title
    return _packed(questions)


def _packed(questions: QuestionSet) -> str:
    compact = json.dumps(_content(questions), ensure_ascii=False, separators=(",", ":"))
    return _PACKED + urlsafe_b64encode(zlib.compress(compact.encode(), 9)).decode().rstrip("=")


def from_link(text: str) -> QuestionSet:
    """The set of a link's text; raises `CaldpError` for anything else."""
    if text in READY:
        return READY[text]
    name = "The set in the link"
    require(
        text.startswith(_PACKED) and len(text) <= CHARACTERS_MAX,
        f"{name} is not known here; ask for the file of the set.",
    )
    coded = text[len(_PACKED) :]
    unpack = zlib.decompressobj()
    try:
        data = urlsafe_b64decode(coded + "=" * (-len(coded) % 4))
        # A few bytes may be packed gigabytes.
        content = unpack.decompress(data, FILE_BYTES_MAX).decode("utf-8")
    except (zlib.error, binascii.Error, ValueError):
        raise CaldpError(f"{name} is damaged; ask for the file of the set.") from None
    is_whole = unpack.eof and not unpack.unused_data
    require(is_whole, f"{name} is cut or too long; ask for the file of the set.")
    return from_json(content, name)


def _read_question(entry: Mapping[str, Any]) -> PollQuestion:
    """The question of a table of ours."""
    lists = {"answers": tuple(entry["answers"]), "sensitive": tuple(entry["sensitive"])}
    return PollQuestion(**{**entry, **lists})


EXAMPLES: Final = {
    name: _read_question(entry) for name, entry in read_toml(__file__, "examples.toml").items()
}
"""Example questions by their short names; the first is the page's first, and protects everybody."""


def _ready_sets() -> dict[str, QuestionSet]:
    """By title: the examples, and those of each subject."""
    first = QuestionSet(FIRST_SET, tuple(EXAMPLES.values()))
    found = {first.title: first}
    for title, entries in read_toml(__file__, "sets.toml").items():
        questions = [_read_question(entry) for entry in entries]
        found[title] = QuestionSet(title, tuple(questions))
    return found


READY: Final = _ready_sets()
"""Ready sets by their titles; the first is the page's first."""
