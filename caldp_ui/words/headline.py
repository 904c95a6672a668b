"""The headline of a page, in two lines."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Headline:
    """One sentence, and a second, smaller line for the rest; both plain text.

    `unprotected`: whether the sentence is about people who are not protected; it is marked so.
    """

    sentence: str
    second: str = ""
    unprotected: bool = False
