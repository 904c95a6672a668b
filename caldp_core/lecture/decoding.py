"""The server's side of RAPPOR: counts of candidate values out of sums of bits.

Source: Erlingsson, Pihur, Korolova 2014, §4.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_counts, check_whole, require
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.lecture.rappor import Rappor


class Collector:
    """Counts of candidate values from one report of each of n phones.

    `candidates`: values to look for. `cohorts`: groups of phones with hash functions of their own.
    Bits are told apart by least squares on the candidates' Bloom filters (the paper's Lasso is for
    more candidates than bits); unbiased where only candidates occur.
    """

    def __init__(self, mechanism: Rappor, candidates: Sequence[str], cohorts: int) -> None:
        self.mechanism = mechanism
        self.cohorts = check_whole("cohorts", cohorts, 1, 1024)
        blooms = [[mechanism.bloom(v, c) for v in candidates] for c in range(cohorts)]
        self.blooms: Bools = np.array(blooms)
        design = self.blooms.transpose(0, 2, 1).reshape(-1, len(candidates)) / cohorts
        require(
            np.linalg.matrix_rank(design) == len(candidates),
            f"{cohorts} cohorts of {mechanism.bits} bits cannot tell {len(candidates)} candidates "
            "apart; use more cohorts or bits.",
        )
        self._solve: Floats = np.linalg.pinv(design).astype(np.float64)

    def sample_tally(self, people: ArrayLike, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """(cohorts, k) sums of bits and (cohorts,) people; `people`: (candidates,). At any n.

        Given the values and the cohorts, bits are independent: each sum is two binomials.
        """
        counts = check_counts("people", people, self.blooms.shape[1])
        spread = rng.multinomial(counts, np.full(self.cohorts, 1 / self.cohorts)).T
        members = spread.sum(axis=1)
        have = (spread[:, :, None] * self.blooms).sum(axis=1)
        set_, not_ = float(self.mechanism.sent_if_set), float(self.mechanism.sent_if_not)
        return rng.binomial(have, set_) + rng.binomial(members[:, None] - have, not_), members

    def tally(self, reports: Bools, cohort: Ints) -> tuple[Ints, Ints]:
        """(cohorts, k) sums of bits and (cohorts,) people; (n, k) reports of (n,) cohorts."""
        sums = np.zeros((self.cohorts, self.mechanism.bits), np.int64)
        np.add.at(sums, cohort, reports)
        return sums, np.bincount(cohort, minlength=self.cohorts)

    def estimate(self, tally: tuple[Ints, Ints]) -> Floats:
        """(candidates,) unbiased numbers of people; may be negative."""
        sums, members = tally
        set_, not_ = float(self.mechanism.sent_if_set), float(self.mechanism.sent_if_not)
        have = (sums - not_ * members[:, None]) / (set_ - not_)
        return np.asarray(self._solve @ have.ravel())

    def variance(self, people: ArrayLike) -> Floats:
        """(candidates,) exact variances of `estimate`; `people`: (candidates,) held fixed.

        A person in cohort c adds w_c·(S − p*)/(q* − p*) to n·estimate, w_c the cohort's weights.
        """
        counts = check_counts("people", people, self.blooms.shape[1])
        set_, not_ = float(self.mechanism.sent_if_set), float(self.mechanism.sent_if_not)
        noise = np.where(self.blooms, set_ * (1 - set_), not_ * (1 - not_)) / (set_ - not_) ** 2
        weights = self._solve.reshape(-1, self.cohorts, self.mechanism.bits)
        from_coins = np.einsum("vcb,cxb->vx", weights**2, noise)
        signal = np.einsum("vcb,cxb->vcx", weights, self.blooms.astype(np.float64))
        square = (from_coins + (signal**2).sum(axis=1)) / self.cohorts
        return np.asarray((square - np.eye(counts.size)) @ counts)
