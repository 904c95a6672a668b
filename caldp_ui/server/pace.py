"""How long the next message, or the next run, must wait so that a visit keeps its pace."""

from collections.abc import Callable


class Bucket:
    """Computes how long the next message must wait: `burst` at once, then `pace` a second.

    Both count messages, or bytes. `clock`: seconds.
    """

    def __init__(self, burst: int, pace: float, clock: Callable[[], float]) -> None:
        self._burst, self._pace, self._clock = burst, pace, clock
        self._left, self._at = float(burst), clock()

    def take(self, size: int = 1) -> float:
        """Take places for a message, of that size; returns the seconds until it may go."""
        now = self._clock()
        self._left = min(self._left + (now - self._at) * self._pace, self._burst) - size
        self._at = now
        return max(-self._left / self._pace, 0.0)
