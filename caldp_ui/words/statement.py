"""A statement that a page rests on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """`says`: the statement with its source; `code`: name in caldp_core; `formula`: LaTeX or ""."""

    says: str
    code: str
    formula: str = ""
