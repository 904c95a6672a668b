"""A statement that a page rests on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """`says`: the statement with its source; `code`: its name in caldp_core; `formula`: LaTeX."""

    says: str
    code: str
    formula: str = ""
