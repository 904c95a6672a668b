"""What a page says first, in two lines."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Headline:
    """One sentence, and a second, smaller line for what else there is to say; both plain text.

    `unprotected`: the sentence begins with people who are not protected, and is marked as such.
    """

    sentence: str
    second: str = ""
    unprotected: bool = False
