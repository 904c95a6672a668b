"""What a page's sentences speak of: places, values or persons.

Sentences take a `Vocabulary`; none of them names a place by itself.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Vocabulary:
    """One page's nouns. `unit`, `units`: a symbol of the domain; `whole`: all of them together.

    `at`: how a person belongs to a symbol, as in "people *at* places that are not sensitive".
    `wrong`: where an estimate puts people by mistake. `which`: what a block keeps open of a person,
    as in "both hide *where someone is* in a block".
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
    "value", "values", "list", "with", "under the wrong value", "which value is true"
)
ANSWERS: Final = Vocabulary(
    "answer", "answers", "list", "with", "under the wrong answer", "which answer is true"
)
