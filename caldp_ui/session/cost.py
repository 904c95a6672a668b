"""What a piece of work takes of the machine that all visits share, said before it begins.

A page does not start by itself what is above a visit's share: it says so, and asks.
"""

from dataclasses import dataclass
from typing import Final

from caldp_ui.words import formats

_SHARE_S: Final = 30.0
"""Seconds of one core that a page may start by itself; others wait for their own meanwhile."""
_SHARE_MB: Final = 200.0
"""Two visits of that size at once are within what the server may have."""


@dataclass(frozen=True)
class Cost:
    """About how many `seconds` of one core, and `megabytes` of memory at once, work takes."""

    seconds: float
    megabytes: float

    @property
    def is_large(self) -> bool:
        """Whether it is above a visit's share."""
        return self.seconds > _SHARE_S or self.megabytes > _SHARE_MB

    def told(self, values: int) -> str:
        """What it is and why, for so many values."""
        minutes = max(round(self.seconds / 60), 1)
        megabytes = formats.exactly(10 * round(self.megabytes / 10))
        return (
            f"With {formats.exactly(values)} values it takes the server about "
            f"{formats.count(minutes, 'minute', 'minutes')} and "
            f"{megabytes} MB of memory, while others use it, too."
        )
