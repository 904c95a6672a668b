"""Random small channels and promises, second routes of audits, and audits that must agree."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.optimize import linprog

from caldp_core.audit import blockwise
from caldp_core.audit.blockwise import (
    BOTH_SENSITIVE,
    EVERY_ENTRY,
    OTHER_NOT,
    THE_FORM,
    audit_context,
)
from caldp_core.audit.inference import BestGuess, check_prior
from caldp_core.audit.pairwise import (
    Channel,
    LargeAudit,
    PairClass,
    audit_channel,
    check_rows,
    finite_pairs,
)
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Bools, Floats
from caldp_core.mechanisms import ContextMechanism
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.capabilities import HasSupportForm
from caldp_core.mechanisms.designed.design import Design
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


def least_weighted_error(channel: Channel, x: int, other: int, weight: Fraction) -> Fraction:
    """min of P_FA + weight·P_MD over all decision rules, random ones too.

    Each output is decided alone: Σ_y min(Q(y|x′), weight·Q(y|x)).
    """
    pairs = zip(channel[other], channel[x], strict=True)
    return sum((min(q, weight * p) for q, p in pairs), Fraction(0))


def within_error_region(channel: Channel, policy: PrivacyMatrix) -> bool:
    """CALDP Theorem 1: P_FA + e^{E[x′,x]}·P_MD ≥ 1 for all x ≠ x′ and all decision rules.

    (8) is (7) with x and x′ swapped. For rows that are distributions this says the same as the
    audit, by another way.
    """
    check_rows(channel, policy)
    return all(
        least_weighted_error(channel, x, other, exp_below(level)) >= 1
        for other, x, level in finite_pairs(policy)
    )


def exact_audit(mechanism: Mechanism) -> LargeAudit:
    """Check a mechanism's exact channel against its policy (CALDP Definition 2).

    Raises `CaldpError` where the domain is too large for a channel in rationals. Takes about
    a microsecond for each pair of symbols and output.
    """
    return audit_channel(mechanism.exact_channel(), mechanism.policy)


def uldp(channel: Channel, sensitive: Bools, protected: Bools, epsilon: float) -> tuple[bool, bool]:
    """Whether a channel keeps (4) and (5) of (X_S, Y_P, ε)-ULDP (Murakami, Kawamoto 2019).

    (4): each output that is not protected comes from one input only, not a sensitive one. (5): on
    protected outputs all inputs, whichever x and x′, stay within e^ε. `sensitive`: (k,) X_S.
    `protected`: (outputs,) Y_P. Stricter than high-low LDP in two points: (5) also binds inputs
    that are not sensitive, and high-low LDP has no (4).
    """
    columns = list(zip(*channel, strict=True))
    power = exp_below(epsilon)
    clear = [column for column, hides in zip(columns, protected, strict=True) if not hides]
    hidden = [column for column, hides in zip(columns, protected, strict=True) if hides]
    senders = [[x for x, q in enumerate(column) if q > 0] for column in clear]
    reveals = all(len(xs) == 1 and not sensitive[xs[0]] for xs in senders)
    return reveals, all(max(column) <= power * min(column) for column in hidden)


def best_guess_of_channel(channel: Channel, prior: Floats, hidden: Bools) -> BestGuess:
    """By the whole channel, for small ones; `prior`: (k,) shares, `hidden`: (k,) flags."""
    joint = check_prior(prior, hidden.size)[:, None] * np.array(channel, dtype=np.float64)
    right = joint.max(axis=0)
    of_hidden = float(right[hidden[joint.argmax(axis=0)]].sum())
    of_all, of_others = float(prior[hidden].sum()), float(right.sum()) - of_hidden

    def part(of_group: float, whole: float) -> float:
        return of_group / whole if whole > 1e-12 else 0.0

    return BestGuess(
        before=float(prior.max()),
        after=of_hidden + of_others,
        hidden=part(of_hidden, of_all),
        others=part(of_others, 1.0 - of_all),
    )


Rows = list[list[int]]


def in_units(channel: Sequence[Sequence[Fraction]]) -> Rows:
    """The channel in whole multiples of one unit: the same ratios, read more quickly."""
    unit = math.lcm(*(q.denominator for row in channel for q in row))
    return [[int(q * unit) for q in row] for row in channel]


def largest(row: Sequence[int], other: Sequence[int]) -> Fraction | None:
    """The largest Q(y|x)/Q(y|x′), None for ∞."""
    pairs = {(a, b) for a, b in zip(row, other, strict=True) if a > 0}
    if any(b <= 0 for _, b in pairs):
        return None
    return max((Fraction(a, b) for a, b in pairs), default=Fraction(0))


def ratios(rows: Rows, policy: Context) -> dict[tuple[int, str], Fraction | None]:
    """The largest ratio of each block and kind, pair by pair from the exact channel."""
    hidden = policy.hidden()
    found: dict[tuple[int, str], Fraction | None] = {}
    for x, other, _ in finite_pairs(policy):
        key = int(policy.blocks[x]), BOTH_SENSITIVE if hidden[other] else OTHER_NOT
        here, so_far = largest(rows[x], rows[other]), found.get(key, Fraction(0))
        found[key] = None if here is None or so_far is None else max(so_far, here)
    return found


def is_witness(rows: Rows, policy: Context, found: PairClass) -> bool:
    """Whether the class's pair is of its kind, and its output has its ratio (or some output)."""
    x, other = found.x, found.x_other
    sensitive = bool(policy.hidden()[other])
    of_kind = policy.hidden()[x] and sensitive == (found.kind == BOTH_SENSITIVE) and x != other
    same_block = policy.blocks[x] == policy.blocks[other] == found.block
    row, row_other = rows[x], rows[other]
    if found.output is not None:
        row, row_other = [row[found.output]], [row_other[found.output]]
    return bool(of_kind and same_block and largest(row, row_other) == found.ratio)


def agree(mechanism: ContextMechanism) -> LargeAudit:
    """Both audits say the same, and so does every class; gives the large one's record."""
    channel, policy = mechanism.exact_channel(), mechanism.policy
    rows = in_units(channel)
    small, large = audit_channel(channel, policy), audit_context(mechanism)
    assert {(c.block, c.kind): c.ratio for c in large.classes} == ratios(rows, policy)
    assert sum(c.pairs for c in large.classes) == sum(1 for _ in finite_pairs(policy))
    assert (small.holds, small.faulty_row) == (large.holds, large.faulty_row)
    assert (small.worst is None) == (large.worst is None)
    if small.worst and large.worst:
        assert small.worst.privacy_loss == large.worst.privacy_loss
        assert small.worst.epsilon == large.worst.epsilon
    assert all(is_witness(rows, policy, each) for each in large.classes)
    return large


def agree_by_form(mechanism: ContextMechanism) -> LargeAudit:
    """By form, entry by entry and pair by pair: one verdict, one ratio for each class."""
    whole = audit_context(mechanism)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blockwise, "DENSE_MAX_ENTRIES", -1)
        patch.setattr(blockwise, "STREAM_FREELY_ENTRIES", -1)
        short = agree(mechanism)
    assert (whole.method, short.method) == (EVERY_ENTRY, THE_FORM)
    assert (whole.holds, whole.faulty_row) == (short.holds, short.faulty_row)
    for one, two in zip(whole.classes, short.classes, strict=True):
        assert replace(one, output=None, x=two.x, x_other=two.x_other) == two
    return short


def agree_every_way(mechanism: ContextMechanism) -> LargeAudit:
    """Pair by pair and in every way of the large audit that the family's oracles allow."""
    oracles = mechanism.oracles
    if isinstance(oracles, HasSupportForm):
        return agree_by_form(mechanism)
    audit = agree(mechanism)
    assert audit.method == EVERY_ENTRY
    return audit


INF: Final = math.inf


def line(k: int, epsilon: float) -> Floats:
    """E of k places on a line, epsilon nats a step."""
    return epsilon * np.abs(np.subtract.outer(np.arange(k), np.arange(k)))


def uneven(k: int, seed: int, low: float = 0.2, high: float = 2.0) -> Floats:
    """An asymmetric E without any pattern, closed or not."""
    levels = np.random.default_rng(seed).uniform(low, high, (k, k))
    np.fill_diagonal(levels, 0.0)
    return levels


def plane(k: int, seed: int) -> Floats:
    """Distances as the crow flies of k random places."""
    places = np.random.default_rng(seed).uniform(0, 2, (k, 2))
    return np.hypot(*(places[:, None] - places).transpose(2, 0, 1))


def all_rays(levels: Floats) -> Floats:
    """(rays, k) extreme rays of {v ≥ 0: v_x ≤ e^E[x, z]·v_z}: wherever k − 1 facets meet."""
    k = len(levels)
    facets = [*np.eye(k)] if np.isinf(levels).any() else []
    for x in range(k):
        for z in np.flatnonzero(np.isfinite(levels[x]) & (np.arange(k) != x)):
            facet = np.zeros(k)
            facet[x], facet[z] = -math.exp(-levels[x, z] / 2), math.exp(levels[x, z] / 2)
            facets.append(facet)
    table = np.array(facets)
    chosen = np.array(list(combinations(range(len(table)), k - 1)))
    _, sizes, spaces = np.linalg.svd(table[chosen])
    rays = spaces[sizes[:, -1] > 1e-9][:, -1]
    rays = rays * np.sign(rays.sum(axis=1, keepdims=True))
    rays = rays[((rays @ table.T > -1e-9) & (rays.sum(axis=1) > 1e-6)[:, None]).all(axis=1)]
    rays = np.maximum(rays / rays.max(axis=1, keepdims=True), 0.0)
    return rays[np.unique(np.round(rays, 7), axis=0, return_index=True)[1]]


def proved_by(design: Design, rays: Floats) -> float:
    """A lower bound on Σ ω_x·n·Var by linear programming over all extreme rays.

    With G of the design's own channel: the least λᵀ1 with λᵀv ≥ vᵀGv for every ray v with π·v = 1.
    """
    channel, prior, omega = design.channel.floats(), design.prior, design.weights
    inverse = np.linalg.inv(channel / (prior @ channel) @ channel.T)
    g = inverse @ np.diag(omega) @ inverse
    v = rays / (rays @ prior)[:, None]
    gains = np.einsum("ij,ij->i", v @ g, v)
    scale = gains.max()
    k = len(prior)
    least = linprog(np.ones(k), A_ub=-v, b_ub=-gains / scale, bounds=(None, None))
    loss = float(omega @ inverse.diagonal())
    return loss**2 / (least.fun * scale) - float(omega @ prior**2)
