"""Numbers written as texts, in links, areas and runs: one spelling for all of them.

Python's int and float also read 1_0, spaces and the digits of every script, which would make one
scenario out of many texts.
"""

import re
from typing import Final

_WHOLE: Final = re.compile(r"-?[0-9]{1,4000}")
"""Python refuses to read more than 4300 digits."""
_NUMBER: Final = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def parse_int(text: str) -> int | None:
    """The whole number that `text` spells, None if it spells none."""
    return int(text) if _WHOLE.fullmatch(text) else None


def parse_float(text: str) -> float | None:
    """The number that `text` spells, such as "-1", "0.5" or "1e-3"; None if it spells none."""
    return float(text) if _NUMBER.fullmatch(text) else None
