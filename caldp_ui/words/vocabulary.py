"""What a page's sentences speak of: places, values or persons.

Room: words. Sentences take a `Vocabulary`; none of them names a place by itself.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Vocabulary:
    """One page's nouns. `unit`, `units`: a symbol of the domain; `whole`: all of them together.

    `at`: how a person belongs to a symbol, as in "people *at* places that are not sensitive".
    `wrong`: where an estimate puts people by mistake.
    """

    unit: str
    units: str
    whole: str
    at: str
    wrong: str


PLACES: Final = Vocabulary("place", "places", "map", "at", "in the wrong place")
VALUES: Final = Vocabulary("value", "values", "list", "with", "counted at the wrong value")
ANSWERS: Final = Vocabulary("answer", "answers", "list", "with", "counted at the wrong answer")
