"""Nouns of a page's sentences: places, values or answers.

Sentences take a `Vocabulary`, so that they fit any kind of data.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Vocabulary:
    """Nouns of a page. `unit`, `units`: a symbol of the domain; `whole`: all of them together.

    `at`: preposition of a person and a symbol, as in "people *at* places that are not sensitive".
    `wrong`: where an estimate puts people by mistake. `which`: what is hidden within a block, as
    in "both hide *where someone is* in a block".
    """

    unit: str
    units: str
    whole: str
    at: str
    wrong: str
    which: str

    @property
    def belong(self) -> str:
        """The verb of people and their symbols: they "are at" places and "have" values."""
        return "have" if self.at == "with" else f"are {self.at}"


PLACES: Final = Vocabulary("place", "places", "map", "at", "in the wrong place", "where someone is")
VALUES: Final = Vocabulary(
    "value", "values", "list", "with", "under the wrong value", "which value someone has"
)
ANSWERS: Final = Vocabulary(
    "answer", "answers", "list", "with", "under the wrong answer", "which answer someone gave"
)
