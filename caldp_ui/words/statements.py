"""The statements that the pages rest on: each with its source, its formula and its code.

The tables of docs/mathematics.md list them with their pages; tests compare these tables with this
one, and this one with what pages show. A formula may be empty where the page itself has it.
"""

from collections.abc import Mapping
from typing import Final

from caldp_ui.words import statements_of_maps as maps
from caldp_ui.words import statements_of_numbers as numbers
from caldp_ui.words.statement import Statement

STATEMENTS: Final[Mapping[str, tuple[Statement, ...]]] = {
    "places": maps.PLACES,
    "values": numbers.VALUES,
    "yesno": numbers.YESNO,
    "distances": maps.DISTANCES,
    "personal": maps.PERSONAL,
    "adversary": maps.ADVERSARY,
    "coarser": maps.COARSER,
    "matrix": numbers.MATRIX,
    "curves": numbers.CURVES,
    "plan": numbers.PLAN,
    "paper": numbers.PAPER,
}
"""By the page that shows them."""
