"""The cost of work on the machine that all visits share, shown before it begins.

A page does not start by itself what is above a visit's share: it says so, and asks.
"""

from dataclasses import dataclass
from typing import Final

from caldp_ui.words import formats

_SHARE_S: Final = 30.0
"""Seconds of one core that a page may start by itself; others wait for their own meanwhile."""
_SHARE_MB: Final = 200.0
"""Two visits of that size at once are within what the server may have."""
MB_PER_VALUE: Final = 2.6e-4
"""Megabytes that one run holds at once for each value."""


@dataclass(frozen=True)
class Cost:
    """About how many `seconds` of one core, and `megabytes` of memory at once, work takes."""

    seconds: float
    megabytes: float

    @property
    def is_large(self) -> bool:
        """Whether it is above a visit's share."""
        return self.seconds > _SHARE_S or self.megabytes > _SHARE_MB

    def duration_suffix(self) -> str:
        """For a button that begins it: ", about 2 minutes"; empty within a visit's share."""
        return f", about {self._minutes()}" if self.is_large else ""

    def _minutes(self) -> str:
        return formats.count(max(round(self.seconds / 60), 1), "minute", "minutes")

    def describe(self, values: int) -> str:
        """A sentence on the time and memory of work on so many values."""
        megabytes = formats.integer(10 * round(self.megabytes / 10))
        return (
            f"With {formats.integer(values)} values it takes the server about "
            f"{self._minutes()} and {megabytes} MB of memory, while others use it, too."
        )
