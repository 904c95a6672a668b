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
    if layout.count is not None:
        columns = _topic_of_counts(reading)
    else:
        columns = _topic_of_rows(reading)
    if columns is None:
        return None
    topic, answer = columns

    # The first offer counts all questions, each for itself; the others one of them alone.
    all_names = list(dict.fromkeys(reading.file.cells(topic)))
    names = all_names[:OWN_QUESTIONS_MAX]
    listed = ", ".join(f"“{name[:40]}”" for name in names[:_LISTED])
    check = ask(
        "questions",
        partial(_by_question, topic, answer, names),
        several=f"{len(all_names):,}",
        column=reading.name(topic),
        answer=reading.name(answer),
        listed=listed,
    )
    offers = list(check.offers)
    for name in names[:_LISTED]:
        label = f"Only {name[:40]}"
        remark = f"the question “{name}” alone"
        offers.append(Offer(name, label, remark, partial(_only_question, topic, answer, name)))
    return replace(check, offers=tuple(offers))


def _topic_of_counts(reading: Reading) -> tuple[int, int] | None:
    """The columns of questions and answers in a table of counts; None for other tables."""
    file, layout = reading.file, reading.layout
    count = layout.count or 0
    named = []
    for column in (layout.answer, layout.group):
        if column is not None and column != count:
            named.append(column)
    found = find_columns(file.names, file.rows, count, tuple(named))
    columns = tuple(sorted((*found.labels, *found.beside)))
    if len(columns) < _TOPIC_AND_ANSWER:
        return None

    # 1. A title says which column is the question; the answer is called so, or the last one.
    called = [column for column in columns if title_says(file.names[column], "question")]
    if called and len(set(file.cells(called[0]))) > 1:
        others = [column for column in columns if column != called[0]]
        called_answer = [column for column in others if title_says(file.names[column], "answer")]
        return called[0], (called_answer or others)[-1]

    # 2. Else of two columns the one whose answers are its own, and as many people, is the question.
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
    # An answer that two topics share is counted twice here, and once among all.
    sizes = [len(of_topic) for of_topic in answers.values()]
    return min(sizes) > 1 and sum(sizes) == len(set().union(*answers.values()))


def _topic_of_rows(reading: Reading) -> tuple[int, int] | None:
    """The columns of questions and answers where each person has a row for each question."""
    file, layout = reading.file, reading.layout
    names = file.names
    # What may say whose a row is: a column that is called an id, or after those who answer.
    ids = []
    called_persons = []
    for column, name in enumerate(names):
        if column == layout.person or is_identifier(name):
            ids.append(column)
        elif has_word(name, _PERSONS):
            called_persons.append(column)
    ids += called_persons

    for person in ids:
        people = {row[person] for row in file.rows}
        if not 1 < len(people) < len(file.rows):
            continue
        for topic in range(len(names)):
            asked = {row[topic] for row in file.rows}
            if topic in ids or not 1 < len(asked) <= OWN_QUESTIONS_MAX:
                continue
            # A person has one row for a question, and hardly any question is left out.
            pairs = {(row[person], row[topic]) for row in file.rows}
            is_grid = len(pairs) == len(file.rows) >= _GRID_MIN * len(people) * len(asked)
            # By its cells alone it is one only if there is no doubt what the answer is.
            is_called = title_says(names[topic], "question")
            rest = [column for column in range(len(names)) if column not in {*ids, topic}]
            if is_grid and rest and (is_called or len(rest) == 1):
                if layout.answer in rest:
                    return topic, layout.answer
                return topic, rest[-1]
    return None


def _by_question(column: int, answer: int, names: Sequence[str], reading: Reading) -> Reading:
    """The reading with a question for each topic; a row answers that of its own topic alone."""
    topic = single_spaced_sql(f"coalesce(c{column}, '')")
    columns = [f"CASE {topic} WHEN {text_sql(name)} THEN c{answer} ELSE '' END" for name in names]
    return ask_questions(names, columns, reading)


def _only_question(column: int, answer: int, name: str, reading: Reading) -> Reading:
    """The reading of the rows of one topic."""
    topic = single_spaced_sql(f"coalesce(c{column}, '')")
    sql = f"CASE {topic} WHEN {text_sql(name)} THEN {text_sql(name)} ELSE 'other' END"
    read = reading.with_sql({column: sql})
    left_out = (*read.layout.left_out, (column, "other"))
    layout = replace(read.layout, answer=answer, group=None, left_out=left_out)
    return replace(read, layout=layout)
