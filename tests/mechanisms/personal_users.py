"""The personalised mechanism as one user sees it: its promise and its channel in rationals."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.types import Ints
from caldp_core.mechanisms.personalised import NO_PLACE, PersonalisedMechanism
from caldp_core.privacy.context import Context


class UserMechanism(PersonalisedMechanism):
    """`PersonalisedMechanism` with each user's policy and channel."""

    def histogram(self, x: ArrayLike, own: ArrayLike) -> Ints:
        """(k + κ,) people per symbol after pre-processing; the input of `sample_tally`."""
        return np.bincount(self.add_tags(x, own), minlength=self.k + self.tags)

    def user_policy(self, own: Sequence[int]) -> Context:
        """One user's privacy matrix: ε for X_S and for the user's (κ,) own symbols, or −1.

        Raises `CaldpError` for anything else.
        """
        places = self._places([list(own)], 1)[0]
        flags = self.sensitive.copy()
        flags[places[places != NO_PLACE]] = True
        return Context.high_low(flags, self.epsilon)

    def user_channel(self, own: Sequence[int]) -> list[list[Fraction]]:
        """k rows: one user's exact channel, pre-processor and common mechanism in one.

        Raises `CaldpError` where the domain is too large for a channel in rationals.
        """
        rows = self.common.exact_channel()
        every = np.arange(self.k)
        return [rows[s] for s in self.add_tags(every, np.tile(list(own), (self.k, 1)))]
