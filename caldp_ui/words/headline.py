"""The headline of a page, in two lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Headline:
    """One sentence, and a second, smaller line for the rest; both plain text.

    `unprotected`: whether the sentence is about people who are not protected; it is marked so.
    `figures`: the numbers that both lines state beside the reader's own settings, unrounded.
    """

    sentence: str
    second: str = ""
    unprotected: bool = False
    figures: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def whole(self) -> str:
        """Both lines as one text."""
        return f"{self.sentence} {self.second}".strip()
