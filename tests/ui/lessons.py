"""Lessons at the ends of all ranges of the classroom."""

import re

from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import Lesson

ENDS = [
    Lesson("trust", n=1),
    Lesson("trust", 0.1, 10**9, broken=True, seed=5),
    Lesson("sum", 10.0, 10),
    Lesson("selection", 0.1, 10, items=1024),
    Lesson("rappor", 10.0, days=60, values=5, broken=True),
    Lesson("rappor", 0.1, 1, view="crowd"),
    Lesson("bits", 10.0, 10**9, broken=True, items=4),
    Lesson("means", 0.1, 1, width=240),
    Lesson("shuffling", 10.0, 10, broken=True, blocks=10_000),
]


def read_headline(lesson: Lesson) -> str:
    """What the page's headline says of a lesson, both lines."""
    headline = STATIONS[lesson.station].open(lesson).headline
    return f"{headline.sentence} {headline.second}"


def number(text: str) -> float:
    """The first number of a text, such as 7.5 of "7.5 %"; 0 where there is none."""
    match = re.search(r"[0-9](?:[0-9,.]*[0-9])?", text)
    return float(match[0].replace(",", "")) if match else 0.0
