"""The errors that a test of two symbols can have: what a policy allows, what a mechanism reaches.

A test looks at one report and says x or x′; its errors are P_FA = Pr(says x | x′) and P_MD =
Pr(says x′ | x). CALDP = Acharya, Bonawitz, Kairouz, Ramage, Sun 2020, Theorem 1 and (8).
"""

import numpy as np

from caldp_core.audit.adversary import error_vertex
from caldp_core.audit.pair_guess import pair_rows
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.base import Mechanism
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.matrix import BinaryPolicy

_ALIKE = 1e-9
"""Outputs whose likelihood ratios are this close are taken for one: thresholds are in 2^-48ths."""


def claimed_region(policy: PrivacyMatrix, x: int, other: int) -> Floats:
    """(3, 2) corners (P_FA, P_MD) of the least errors that E allows for x against x′.

    From (0, 1) over the vertex of Theorem 2's proof to (1, 0): below this line no test of any
    mechanism that keeps E can be. Any E, also 0 and ∞, and different ones both ways.
    """
    forward, backward = (float(policy.between([a], [b])[0]) for a, b in ((x, other), (other, x)))
    vertex = error_vertex(BinaryPolicy(forward, backward))
    return np.array([[0.0, 1.0], [vertex.false_alarm, vertex.missed], [1.0, 0.0]])


def reached_region(mechanism: Mechanism, x: int, other: int) -> Floats:
    """(v, 2) corners (P_FA, P_MD) of the least errors that tests of this mechanism's reports have.

    Neyman and Pearson: say x on the outputs with the largest Q(y|x)/Q(y|x′) first. Exact at any
    size for mechanisms that `pair_rows` has rows for; it touches the claimed line at the vertex
    only if no privacy is wasted there.
    """
    rows = pair_rows(mechanism, x, other)
    own, theirs = rows[:, rows.sum(axis=0) > 0]
    share = own / (own + theirs)
    order = np.argsort(-share, kind="stable")
    new = np.diff(share[order], prepend=2.0) < -_ALIKE
    group = np.cumsum(new) - 1
    says_x = np.stack([np.bincount(group, weights=part[order]) for part in (theirs, own)])
    done = np.cumsum(says_x, axis=1)
    false_alarm = np.concatenate([[0.0], done[0]])
    missed = np.concatenate([[1.0], 1.0 - done[1]])
    return np.asarray(np.clip(np.stack([false_alarm, missed], axis=1), 0.0, 1.0))
