"""Random small channels and promises, and what a channel promises."""

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from caldp_core.audit.pairwise import Channel, audit_channel
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.matrix import DenseMatrix

F = Fraction
EPSILON = st.floats(EPSILON_MIN, EPSILON_MAX)
LEVELS = st.one_of(st.just(math.inf), st.floats(0, 20))


@st.composite
def laws(draw: st.DrawFn, outputs: int) -> list[Fraction]:
    """A distribution with small whole weights, often with zeros."""
    weights = draw(st.lists(st.integers(0, 5), min_size=outputs, max_size=outputs))
    weights[draw(st.integers(0, outputs - 1))] += 1
    return [F(w, sum(weights)) for w in weights]


@st.composite
def channels(draw: st.DrawFn, k: int = 3) -> list[list[Fraction]]:
    outputs = draw(st.integers(1, 5))
    return [draw(laws(outputs)) for _ in range(k)]


@st.composite
def matrices(draw: st.DrawFn, k: int, levels: Any = LEVELS) -> DenseMatrix:
    rows = [[0.0 if x == z else draw(levels) for z in range(k)] for x in range(k)]
    return DenseMatrix.of(rows)


def holds(channel: Channel, policy: PrivacyMatrix) -> bool:
    return audit_channel(channel, policy).holds


def ratio(row: list[Fraction], other: list[Fraction]) -> Fraction | None:
    if any(a > 0 and b == 0 for a, b in zip(row, other, strict=True)):
        return None
    return max(a / b for a, b in zip(row, other, strict=True) if b > 0)


def least_promise(channel: list[list[Fraction]], slack: float = 1e-12) -> DenseMatrix:
    """The least E that the channel keeps, but for `slack`; below it if that is negative."""
    k = len(channel)
    levels = np.zeros((k, k))
    for x, z in permutations(range(k), 2):
        worst = ratio(channel[x], channel[z])
        levels[x, z] = math.inf if worst is None else max(0.0, math.log(worst) + slack)
    return DenseMatrix.of(levels)


@st.composite
def contexts(draw: st.DrawFn) -> Context:
    """Any small context, with one ε per block."""
    k = draw(st.integers(1, 12))
    raw = draw(st.lists(st.integers(0, 4), min_size=k, max_size=k))
    labels = np.unique(np.array(raw), return_inverse=True)[1]
    flags = np.array(draw(st.lists(st.booleans(), min_size=k, max_size=k)))
    m = int(labels.max()) + 1
    return Context.of(labels, flags, draw(st.lists(EPSILON, min_size=m, max_size=m)))
