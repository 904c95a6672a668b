"""Policies that differ from person to person: places sensitive for everybody, or for few.

ULDP §5 (Murakami, Kawamoto 2019): besides the common sensitive set each person has places of their
own (home, work), which their device replaces by tags before it reports. Tags are the symbols k …
k+κ−1, sensitive as the common ones are.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_number, check_symbols, require
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Bools, Floats, read_only
from caldp_core.privacy.context import Context


@dataclass(frozen=True, eq=False)
class PersonalPolicy:
    """A common sensitive set X_S and κ tags, at one ε.

    `sensitive`: (k,) bool, X_S. `shares`: (κ,) of the people at a place outside of X_S the share
    for whom it is their own place of each tag; the model of who people are, no promise.
    `background`: (κ, k) rows π_j that sum to 1, where the collector takes the tags' places to
    be; 0 on X_S. `epsilon`: in [0.001, 20]. Build it with `PersonalPolicy.of`.
    """

    sensitive: Bools
    shares: Floats
    background: Floats
    epsilon: float

    @classmethod
    def of(
        cls, sensitive: Bools, shares: ArrayLike, background: Floats, epsilon: float
    ) -> "PersonalPolicy":
        """Check and freeze copies; raises `CaldpError`."""
        parts = np.array(shares, np.float64)
        # Summed in rationals, so that what is left for people at other places is never negative.
        require(
            parts.ndim == 1
            and parts.size > 0
            and bool((parts >= 0).all())
            and sum(map(Fraction, parts.tolist())) <= 1,
            "shares must be one number per tag, none negative, that sum to at most 1, "
            f"got {shares!r}.",
        )
        flags, rows = np.array(sensitive, np.bool_), np.array(background, np.float64)
        require(
            rows.shape == (parts.size, flags.size),
            f"The background must have shape {(parts.size, flags.size)}, got {rows.shape}.",
        )
        level = check_number("epsilon", epsilon, EPSILON_MIN, EPSILON_MAX)
        return cls(read_only(flags), read_only(parts), read_only(rows), level)

    @property
    def k(self) -> int:
        """Domain size without the tags."""
        return self.sensitive.size

    @property
    def tags(self) -> int:
        """κ, the number of tags."""
        return self.shares.size

    def with_tags(self) -> Context:
        """The context of the reports: X ∪ tags, of which X_S ∪ tags is sensitive."""
        flags = np.concatenate([self.sensitive, np.ones(self.tags, np.bool_)])
        return Context.high_low(flags, self.epsilon)

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] of what is sensitive for everybody: (n,) and (n,) symbols → (n,) nats.

        A person's own places are as secret: `with_tags` is the promise to one person.
        """
        left, right = check_symbols("x", x, self.k), check_symbols("x_other", x_other, self.k)
        level = np.where(self.sensitive[left], self.epsilon, np.inf)
        return np.where(left == right, 0.0, level)
