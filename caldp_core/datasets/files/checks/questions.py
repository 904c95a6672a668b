"""Long tables: rows that are a person's answer to one question, or the people of one answer."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.datasets.files.checks.answers import ask_questions
from caldp_core.datasets.files.checks.record import Check, Offer, Reading, ask, text_sql
from caldp_core.datasets.files.layout_detection import has_word, is_identifier
from caldp_core.datasets.files.numbers import parse_number, single_spaced_sql
from caldp_core.datasets.tables.columns import find_columns
from caldp_core.datasets.tables.labels import title_says

_TOPIC_AND_ANSWER: Final = 2
"""Columns of labels of a table of questions, their answers and people."""
_GRID_MIN: Final = 0.8
"""Of all pairs of a person and a question, those that have a row."""
_PERSONS: Final = frozenset(
    ["person", "user", "respondent", "participant", "patient", "member", "subject"]
)
_LISTED: Final = 5


def questions(reading: Reading) -> Check | None:
    """Rows that are a question each: of a person, or with the people of one of its answers.

    A column says which question it is, by its title; of rows with ids also by its cells alone.
    """
    layout = reading.layout
    if layout.answer is None or layout.latitude is not None or layout.others or layout.areas:
        return None
    topic = _topic_of_counts(reading) if layout.count is not None else _topic_of_rows(reading)
    if topic is None:
        return None
    column, answer = topic
    names = list(dict.fromkeys(reading.file.cells(column)))[:OWN_QUESTIONS_MAX]
    listed = ", ".join(f"“{name[:40]}”" for name in names[:_LISTED])
    check = ask(
        "questions",
        partial(_by_question, column, answer, names),
        several=f"{len(set(reading.file.cells(column))):,}",
        column=reading.name(column),
        answer=reading.name(answer),
        listed=listed,
    )
    alone = [
        Offer(
            name,
            f"Only {name[:40]}",
            f"the question “{name}” alone",
            partial(_only_question, column, answer, name),
        )
        for name in names[:_LISTED]
    ]
    return replace(check, offers=(*check.offers, *alone))


def _topic_of_counts(reading: Reading) -> tuple[int, int] | None:
    """The columns of questions and answers in a table of counts; None for other tables."""
    file, layout = reading.file, reading.layout
    count = layout.count or 0
    named = tuple(at for at in (layout.answer, layout.group) if at is not None and at != count)
    found = find_columns(file.names, file.rows, count, named)
    columns = tuple(sorted((*found.labels, *found.beside)))
    if len(columns) < _TOPIC_AND_ANSWER:
        return None
    called = [at for at in columns if title_says(file.names[at], "question")]
    if called and len(set(file.cells(called[0]))) > 1:
        answers = [at for at in columns if at != called[0]]
        said = [at for at in answers if title_says(file.names[at], "answer")]
        return called[0], (said or answers)[-1]
    if len(columns) > _TOPIC_AND_ANSWER:
        return None
    for topic, answer in (columns, columns[::-1]):
        if _are_apart(reading, topic, answer) and not title_says(file.names[topic], "level"):
            return topic, answer
    return None


def _are_apart(reading: Reading, topic: int, answer: int) -> bool:
    """Whether each topic has answers of its own, two or more, and as many people as all others."""
    count = reading.layout.count or 0
    people = defaultdict[str, float](float)
    answers = defaultdict[str, set[str]](set)
    for row in reading.file.rows:
        number = parse_number(row[count], reading.layout.mark or ".")
        people[row[topic]] += number or 0
        answers[row[topic]].add(row[answer])
    if not 1 < len(people) <= OWN_QUESTIONS_MAX or len(set(people.values())) > 1:
        return False
    sizes = [len(found) for found in answers.values()]
    return min(sizes) > 1 and sum(sizes) == len(set().union(*answers.values()))


def _topic_of_rows(reading: Reading) -> tuple[int, int] | None:
    """The columns of questions and answers where each person has a row for each question."""
    file, layout = reading.file, reading.layout
    names = file.names
    ids = [at for at in range(len(names)) if at == layout.person or is_identifier(names[at])]
    ids += [at for at in range(len(names)) if at not in ids and has_word(names[at], _PERSONS)]
    for person in ids:
        people = {row[person] for row in file.rows}
        if not 1 < len(people) < len(file.rows):
            continue
        for topic in range(len(names)):
            asked = {row[topic] for row in file.rows}
            if topic in ids or not 1 < len(asked) <= OWN_QUESTIONS_MAX:
                continue
            pairs = {(row[person], row[topic]) for row in file.rows}
            is_grid = len(pairs) == len(file.rows) >= _GRID_MIN * len(people) * len(asked)
            called = title_says(names[topic], "question")
            rest = [at for at in range(len(names)) if at not in {*ids, topic}]
            if is_grid and rest and (called or len(rest) == 1):
                answer = layout.answer if layout.answer in rest else rest[-1]
                return topic, answer
    return None


def _by_question(column: int, answer: int, names: Sequence[str], reading: Reading) -> Reading:
    """The reading with a question for each topic; a row answers that of its own topic alone."""
    topic = single_spaced_sql(f"coalesce(c{column}, '')")
    asked = [f"CASE {topic} WHEN {text_sql(name)} THEN c{answer} ELSE '' END" for name in names]
    return ask_questions(names, asked, reading)


def _only_question(column: int, answer: int, name: str, reading: Reading) -> Reading:
    """The reading of the rows of one topic."""
    topic = single_spaced_sql(f"coalesce(c{column}, '')")
    sql = f"CASE {topic} WHEN {text_sql(name)} THEN {text_sql(name)} ELSE 'other' END"
    read = reading.with_sql({column: sql})
    left_out = (*read.layout.left_out, (column, "other"))
    layout = replace(read.layout, answer=answer, group=None, left_out=left_out)
    return replace(read, layout=layout)
