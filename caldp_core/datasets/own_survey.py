"""A survey of one's own with several questions, of which one is analysed by itself.

Only each question's counts are here, not who gave which answers together: a record of ten answers
is often one person's alone.
"""

from dataclasses import dataclass
from itertools import groupby

from caldp_core.basics.errors import check_whole, require
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.base import Dataset
from caldp_core.datasets.own import OwnTable, check_line, excerpt


@dataclass(frozen=True)
class OwnSurvey:
    """Counts of 2 to 10 questions that the same people answered.

    `questions`, `names`, `counts`: a row for each answer to each question, question by question:
    the question, the answer, and how many people gave it. `selected`: the number, from 0, of the
    question that `load` gives. `title`: what the survey is called. Raises `CaldpError` for
    questions that can't be an `OwnTable` each, and for rows of one that are apart.
    """

    questions: tuple[str, ...]
    names: tuple[str, ...]
    counts: tuple[int, ...]
    selected: int = 0
    title: str = "Own survey"

    def __post_init__(self) -> None:
        check_line("title", self.title)
        for field in ("names", "counts"):
            size = len(getattr(self, field))
            require(
                size == len(self.questions),
                f"{field} must be one for each of the {len(self.questions):,} rows of questions, "
                f"got {size:,}.",
            )
        titles = [question for question, _ in groupby(self.questions)]
        require(
            2 <= len(titles) <= OWN_QUESTIONS_MAX,
            f"questions must name 2 to {OWN_QUESTIONS_MAX} questions, got {len(titles):,}; a "
            "single question is a table.",
        )
        twice = next((title for title in titles if titles.count(title) > 1), None)
        require(
            twice is None,
            f"All rows of a question must follow each other, those of {excerpt(twice)} do not.",
        )
        check_whole("selected", self.selected, 0, len(titles) - 1)
        counts = tuple(count for table in self.tables() for count in table.counts)
        object.__setattr__(self, "counts", counts)  # whole numbers of Python's own

    @classmethod
    def of(cls, tables: tuple[OwnTable, ...], title: str) -> "OwnSurvey":
        """The survey whose questions are these tables, each called by its title."""
        return cls(
            tuple(table.title for table in tables for _ in table.names),
            tuple(name for table in tables for name in table.names),
            tuple(count for table in tables for count in table.counts),
            title=title,
        )

    def tables(self) -> tuple[OwnTable, ...]:
        """Each question by itself, in order."""
        rows = zip(self.questions, self.names, self.counts, strict=True)
        tables = []
        for question, part in groupby(rows, key=lambda row: row[0]):
            _, names, counts = zip(*part, strict=True)
            tables.append(OwnTable(names, counts, title=question))
        return tuple(tables)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The people of the selected question."""
        return self.tables()[self.selected].load(progress)
