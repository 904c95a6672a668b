"""Answers with words: survey tables with a sensitive question, incomes, visits to web pages.

`data/README.md` says where each table comes from; `scripts/make_surveys.py` makes the file.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_choice, check_number, check_whole
from caldp_core.basics.limits import SEED_MAX, ZIPF_RATE_MAX, ZIPF_RATE_MIN
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.base import Dataset, from_counts, from_weights
from caldp_core.datasets.shipped import explain_file_errors, read_rows
from caldp_core.datasets.synthetic import zipf_shares
from caldp_core.domain.answers import Domain


@dataclass(frozen=True)
class SurveyTable:
    """One shipped table for readers.

    `question`: what people were asked. `sensitive`: the groups or values that most people would
    rather not have known, by name; where a reader starts from.
    """

    title: str
    question: str
    source: str
    sensitive: tuple[str, ...]


SURVEYS: Final = {
    "affairs": SurveyTable(
        "Marriage and affairs",
        "How do you rate your marriage, and have you had an affair?",
        "6,366 married women who answered a magazine's survey in 1974: R. C. Fair, A Theory of "
        "Extramarital Affairs, Journal of Political Economy 86, 1978; as packed in statsmodels.",
        ("had an affair",),
    ),
    "income": SurveyTable(
        "Household income",
        "What is your household's income in a year?",
        "117,183 thousand US households of 2008 in 44 brackets, a household here standing for a "
        "thousand: US Census Bureau, Current Population Survey, table HINC-06.",
        ("below $25k", "$150k or more"),
    ),
    "vote": SurveyTable(
        "Party and vote",
        "Which party are you closest to, and for whom will you vote?",
        "944 Americans asked before the election of 1996: American National Election Studies; as "
        "packed in statsmodels.",
        ("will vote for Clinton", "will vote for Dole"),
    ),
    "substances": SurveyTable(
        "Alcohol, cigarettes, marijuana",
        "Which of the three have you ever used?",
        "2,276 pupils in their last year of school near Dayton, Ohio, asked in 1992 by Wright "
        "State University; in A. Agresti, Categorical Data Analysis.",
        ("marijuana too",),
    ),
}
"""Every shipped table by name."""


@dataclass(frozen=True)
class Survey:
    """One of `SURVEYS`: real answers, so people may be taken as they are or drawn from them."""

    table: str = "affairs"

    def __post_init__(self) -> None:
        check_choice("table", self.table, SURVEYS)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """Read data/surveys.csv.gz; raises `CaldpError` if it is gone."""
        with explain_file_errors("surveys.csv.gz"):
            rows = [row[1:] for row in read_rows("surveys.csv.gz") if row[0] == self.table]
            groups, names, people = zip(*rows, strict=True)
            counts = np.array(people, dtype=np.int64)
        progress(1.0)
        survey = SURVEYS[self.table]
        return from_counts(survey.title, survey.source, Domain(len(names), names, groups), counts)


_HARMLESS_TOPICS: Final = (
    "Weather", "Football", "Basketball", "Recipes", "Restaurants", "Travel", "Hotels", "Trains",
    "Cars", "Bicycles", "Gardening", "Furniture", "Fashion", "Shoes", "Films", "Television",
    "Music", "Books", "Games", "Phones", "Computers", "Photography", "Science", "History",
    "Animals", "Schools", "Universities", "Museums",
)  # fmt: skip
_SENSITIVE_TOPICS: Final = (
    "Depression", "Cancer", "HIV", "Pregnancy", "Addiction", "Debt", "Gambling", "Job loss",
    "Dating", "Pornography", "Religion", "Political parties",
)  # fmt: skip
_PAGES: Final = (
    "news", "forum", "shop", "video", "advice", "wiki", "blog", "reviews", "prices", "map",
    "help line", "courses", "events", "statistics", "pictures", "podcast", "quiz", "magazine",
    "research", "charity", "experts", "experiences", "law", "jobs", "newsletter",
)  # fmt: skip


@dataclass(frozen=True)
class WebVisits:
    """Made-up visits to 1,000 kinds of web page: 40 topics, 12 of them delicate, 25 pages each.

    Popularity falls by Zipf's law with exponent `rate`, in [0, 10]; `seed`, in [0, 2^32), decides
    which page is how popular.
    """

    rate: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_number("rate", self.rate, ZIPF_RATE_MIN, ZIPF_RATE_MAX)
        check_whole("seed", self.seed, 0, SEED_MAX)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The distribution on the 1,000 named pages, topic after topic."""
        topics = (*_HARMLESS_TOPICS, *_SENSITIVE_TOPICS)
        groups = tuple(topic for topic in topics for _ in _PAGES)
        names = tuple(f"{topic}: {page}" for topic in topics for page in _PAGES)
        place = np.random.default_rng(self.seed).permutation(len(names))
        progress(1.0)
        return from_weights(
            "Visits to web pages (synthetic)",
            f"Made-up visits to {len(names):,} kinds of page, Zipf({self.rate:g}).",
            Domain(len(names), names, groups),
            zipf_shares(len(names), self.rate)[place],
        )

    @staticmethod
    def delicate_topics() -> tuple[str, ...]:
        """The groups that many would not want to be seen reading."""
        return _SENSITIVE_TOPICS
