"""Several columns of a file as questions of one survey, each counted by itself."""

from dataclasses import dataclass, replace

from caldp_core.basics.errors import require
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.bins import Steps, default_width
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.refused_rows import RefusedRows
from caldp_core.datasets.own_survey import OwnSurvey


@dataclass(frozen=True)
class CountedQuestions:
    """A survey counted; `refused`: rows that are not counted for the question that has most.

    `rounded`: whether weights were rounded.
    """

    survey: OwnSurvey
    refused: RefusedRows
    rounded: bool


def count_questions(
    file: DetectedFile,
    layout: Layout,
    title: str,
    progress: Progress = no_progress,
) -> CountedQuestions:
    """Count the people of a file by their answer in each of 2 to 10 columns, column by column.

    The columns are the layout's `answer` and `others`; one of more than 30 different numbers is put
    together in steps. Raises `CaldpError` as `count_answers` does.
    """
    layout.check_complete(file, "answer")
    columns = (layout.answer or 0, *layout.others)
    twice = ", one of them twice" if len(set(columns)) < len(columns) else ""
    require(
        2 <= len(columns) <= OWN_QUESTIONS_MAX and not twice,
        f"A survey has 2 to {OWN_QUESTIONS_MAX} different questions, got {len(columns)}{twice}; "
        "choose other columns.",
    )
    counted: list[CountedAnswers] = []
    for number, column in enumerate(columns):

        def within(share: float, number: int = number) -> None:
            progress((number + share) / len(columns))

        width = step_width(file, layout, column)
        steps = None if width is None else Steps(width)
        own = replace(layout, answer=column, group=None, others=(), steps=steps)
        counted.append(count_answers(file, own, file.names[column], within))
    worst = max(counted, key=lambda each: each.refused.count)
    return CountedQuestions(
        OwnSurvey.of(tuple(each.table for each in counted), title),
        _refused_of_question(worst),
        any(each.rounded for each in counted),
    )


def step_width(file: DetectedFile, layout: Layout, column: int) -> float | None:
    """The width of the steps in which numbers of a column are put together; None for none."""
    if not file.is_numeric(column):
        return None
    return default_width(file.cells(column), layout.mark or ".")


def _refused_of_question(worst: CountedAnswers) -> RefusedRows:
    suffix = f"in “{worst.table.title}”"
    reasons = tuple((f"{reason} {suffix}", times) for reason, times in worst.refused.reasons)
    return replace(worst.refused, reasons=reasons)
