"""A table of one's own: which answers there are, and how many people gave each.

The record holds the whole table, so that a scenario file needs no other file. What a person pastes
or uploads is read by `reading.py` and `files/`.
"""

import re
import unicodedata
from dataclasses import dataclass

import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import DIRECTION_MARKS, check_list, check_whole, require
from caldp_core.basics.limits import N_MAX, OWN_ANSWERS_MAX, OWN_NAME_MAX
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.base import Dataset, from_counts
from caldp_core.domain.answers import Domain

_NO_TEXT = ("Cc", "Cs", "Zl", "Zp")
"""Unicode's categories of what is no text on a line: controls, half characters, line ends."""
_UNSEEN = re.compile(rf"[\u200b\u2060-\u2064\ufeff{DIRECTION_MARKS}]")
"""Invisible characters that make different names look alike. The joiners U+200C and U+200D are part
of Persian and Indian words and of emoji, and stay."""


@dataclass(frozen=True)
class OwnTable:
    """A table of one's own: people may be taken as they are or drawn from it.

    `names`: 2 to 2,000 different answers, each one line of up to 120 characters; `counts`: people
    who gave each, whole numbers from 0; `groups`: the group that each answer is in, or none.
    `title`: what the table is called. Raises `CaldpError` for anything else.
    """

    names: tuple[str, ...]
    counts: tuple[int, ...]
    groups: tuple[str, ...] = ()
    title: str = "Own table"

    def __post_init__(self) -> None:
        check_line("title", self.title)
        for field in ("names", "counts", "groups"):
            # Records are keys of caches, which lists can't be.
            object.__setattr__(self, field, tuple(check_list(field, getattr(self, field))))
        require(
            2 <= len(self.names) <= OWN_ANSWERS_MAX,
            f"names must be 2 to {OWN_ANSWERS_MAX:,} answers, got {len(self.names):,}; "
            "where there are more, put rare ones together.",
        )
        for field in ("names", "groups"):
            for text in getattr(self, field):
                check_line(field, text)
        self._check_counts()

    def _check_counts(self) -> None:
        k = len(self.names)
        for field in ("counts", "groups"):
            size = len(getattr(self, field))
            require(
                size == k or (field == "groups" and size == 0),
                f"{field} must be one for each of the {k:,} answers, got {size:,}.",
            )
        counts = tuple(check_whole("each of counts", count, 0, N_MAX) for count in self.counts)
        require(
            1 <= sum(counts) <= N_MAX,
            f"counts must add up to 1 to {N_MAX:,} people, got {sum(counts):,}.",
        )
        object.__setattr__(self, "counts", counts)
        names_so_far: set[str] = set()
        for name in self.names:
            require(name not in names_so_far, f"names must differ, {excerpt(name)} is there twice.")
            names_so_far.add(name)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The people of the table."""
        progress(1.0)
        note = (
            f"A table of one's own, {count_text(sum(self.counts), 'person', 'people')} and "
            f"{len(self.names):,} answers: "
            "nobody has checked it."
        )
        domain = Domain(len(self.names), self.names, self.groups)
        return from_counts(self.title, note, domain, np.array(self.counts, dtype=np.int64))


def check_line(name: str, text: object) -> str:
    """Return a text of one line that is not empty and not too long, or raise `CaldpError`."""
    fits = isinstance(text, str) and 1 <= len(text) <= OWN_NAME_MAX and text == text.strip()
    require(
        not fits or _UNSEEN.search(str(text)) is None,
        f"{name} must not have unseen marks, such as those that turn the direction of writing, got "
        f"{excerpt(text)}; type the text anew.",
    )
    require(
        fits and not any(unicodedata.category(sign) in _NO_TEXT for sign in str(text)),
        f"{name} must be texts of one line, 1 to {OWN_NAME_MAX} characters without spaces around "
        f"them, got {excerpt(text)}.",
    )
    return str(text)


def excerpt(text: object) -> str:
    """The first 40 characters of a text, quoted for an error message."""
    full = str(text)
    return repr(full if len(full) <= 40 else f"{full[:40]}…")
