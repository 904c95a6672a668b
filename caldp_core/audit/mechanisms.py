"""One question for any mechanism: whether its channel keeps the policy.

The strongest way that the mechanism's size and statements allow is taken; the verdict says which
(`LargeAudit.method`). A statement counts only if it is about the very reports that the mechanism
makes (`blockwise.py`); where nothing can be read, nothing is certified.

On maps that report rows and columns independently the channel is the product of two small ones. For
places i rows and j columns apart no likelihood ratio is above ρ_i·κ_j, the largest ratios between
rows i apart and between columns j apart; and all such places have the same E. So a few thousand
comparisons in rationals decide all k² pairs.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.audit.blockwise import (
    MAKES_REPORTS,
    MaxRatio,
    audit_context,
    quotient,
    statement_mismatch,
)
from caldp_core.audit.pairwise import (
    LargeAudit,
    PairClass,
    as_fraction,
    audit_channel,
    ratio_sort_key,
)
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import PAIRWISE_MAX
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Progress, no_progress
from caldp_core.mechanisms import capabilities
from caldp_core.mechanisms.base import Mechanism, check_mechanism
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix, check_policy
from caldp_core.privacy.distance import EuclideanMetric, GridMetric

EVERY_AXIS: Final = "every entry of the channels of rows and columns"
PLACES: Final = "places apart"
_PARTS: Final = 1 << 256


class _Axis:
    """One axis' channel, and its largest ratios between cells by their distance.

    Entries are rationals of thousands of digits, but few are different objects: results for one,
    or for two, are cached by their identity.
    """

    def __init__(self, channel: Sequence[Sequence[Fraction]]) -> None:
        self.size = len(channel)
        entries = {id(entry): entry for row in channel for entry in row}
        fractions = {key: as_fraction(entry) for key, entry in entries.items()}
        self._rows = [[fractions[id(entry)] for entry in row] for row in channel]
        self._quotients: dict[tuple[int, int], Fraction | None] = {}
        self._same: dict[Fraction | None, Fraction | None] = {}
        self._known: dict[int, MaxRatio] = {0: MaxRatio(Fraction(1), None, 0, 0)}

    @cached_property
    def faulty_row(self) -> int | None:
        """The first cell whose row is not a distribution."""
        entries = {id(entry): entry for row in self._rows for entry in row}
        scale = math.lcm(*(entry.denominator for entry in entries.values()))
        whole = {key: int(entry * scale) for key, entry in entries.items()}
        sums = (sum(whole[id(entry)] for entry in row) for row in self._rows)
        below = {key for key, entry in whole.items() if entry < 0}
        wrong = (
            x
            for x, (row, total) in enumerate(zip(self._rows, sums, strict=True))
            if total != scale or any(id(entry) in below for entry in row)
        )
        return next(wrong, None)

    @cached_property
    def ratio_bounds(self) -> list[int | None]:
        """(size,) upper bounds by distance, in `_PARTS`: neighbours' ratio, as often as steps.

        None for ∞. Rounded up, as exact powers would have thousands of digits.
        """
        step = self.max_ratio(1).ratio if self.size > 1 else Fraction(1)
        bounds: list[int | None] = [_PARTS]
        for _ in range(self.size - 1):
            before = bounds[-1]
            known = before is not None and step is not None
            bounds.append(math.ceil(before * step) if known else None)  # type: ignore[operator]
        return bounds

    def max_ratio(self, steps: int) -> MaxRatio:
        """The largest ratio between cells exactly `steps` apart."""
        if steps not in self._known:
            pairs = ((x, x + steps) for x in range(self.size - steps))
            both = [pair for x, y in pairs for pair in ((x, y), (y, x))]
            ratios = [MaxRatio(self._widest(x, other), None, x, other) for x, other in both]
            self._known[steps] = max(ratios, key=lambda each: ratio_sort_key(each.ratio))
        return self._known[steps]

    def _widest(self, x: int, other: int) -> Fraction | None:
        ratios = map(self._quotient, self._rows[x], self._rows[other])
        return max({id(ratio): ratio for ratio in ratios}.values(), key=ratio_sort_key)

    def _quotient(self, a: Fraction, b: Fraction) -> Fraction | None:
        key = id(a), id(b)
        if key not in self._quotients:
            ratio = quotient(a, b)
            self._quotients[key] = self._same.setdefault(ratio, ratio)
        return self._quotients[key]


def audit_axes(
    mechanism: capabilities.HasAxisChannels,
    policy: GridMetric | EuclideanMetric,
    progress: Progress = no_progress,
) -> LargeAudit:
    """Check such a mechanism against a policy that falls off with distance, exactly, at any k.

    `classes`: places one row apart, one column apart, and the distance that comes nearest to its
    level or goes farthest beyond (by logarithms, which decide nothing). Raises `CaldpError` if the
    channels are of another map.
    """
    row, column = (_Axis(channel) for channel in mechanism.axis_channels())
    require(
        (row.size, column.size) == (policy.rows, policy.columns),
        f"The mechanism moves on {row.size} × {column.size} cells, the policy is for "
        f"{policy.rows} × {policy.columns}; make it anew for the policy.",
    )
    holds, nearest, margin = True, (0, 0), -math.inf
    for i in range(policy.rows):
        for j, epsilon in enumerate(_levels(policy, i)):
            if i or j:
                bound = _bound(row, column, i, j)
                if bound is None or not _within(bound, epsilon):
                    holds = holds and _class_of(row, column, policy, i, j).holds
                loss = math.inf if bound is None else math.log(bound) - 2 * math.log(_PARTS)
                excess = loss - epsilon
                if excess > margin:
                    margin, nearest = excess, (i, j)
        progress((i + 1) / policy.rows)
    classes = {
        (i, j): _class_of(row, column, policy, i, j)
        for i, j in dict.fromkeys([(1, 0), (0, 1), nearest])
        if i + j > 0 and i < policy.rows and j < policy.columns
    }
    faulty = column.faulty_row
    if faulty is None and row.faulty_row is not None:
        faulty = row.faulty_row * column.size
    return LargeAudit(
        holds and faulty is None, EVERY_AXIS, tuple(classes.values()), classes.get(nearest), faulty
    )


def _levels(policy: GridMetric | EuclideanMetric, i: int) -> list[float]:
    """(columns,) E of places i rows apart, by the columns that they are apart."""
    places = i * policy.columns + np.arange(policy.columns)
    levels: list[float] = policy.between(np.zeros_like(places), places).tolist()
    return levels


def _bound(row: _Axis, column: _Axis, i: int, j: int) -> int | None:
    """An upper bound on the ratio of places i rows and j columns apart, in `_PARTS`²."""
    a, b = row.ratio_bounds[i], column.ratio_bounds[j]
    return None if a is None or b is None else a * b


def _within(bound: int, epsilon: float) -> bool:
    allowed = exp_below(epsilon)
    return bound * allowed.denominator <= allowed.numerator * _PARTS**2


def _class_of(
    row: _Axis, column: _Axis, policy: GridMetric | EuclideanMetric, i: int, j: int
) -> PairClass:
    epsilon = _levels(policy, i)[j]
    bound, (a, b) = _bound(row, column, i, j), ((0, i), (0, j))
    ratio = None if bound is None else Fraction(bound, _PARTS**2)
    if bound is None or not _within(bound, epsilon):
        # The bound is too coarse, or something leaks: the distance itself decides.
        rows, columns = row.max_ratio(i), column.max_ratio(j)
        a, b = (rows.x, rows.x_other), (columns.x, columns.x_other)
        ratio = None
        if rows.ratio is not None and columns.ratio is not None:
            ratio = rows.ratio * columns.ratio
    return PairClass(
        block=0,
        kind=PLACES,
        pairs=(policy.rows - i) * (policy.columns - j) * 2 * (2 if i and j else 1),
        x=a[0] * policy.columns + b[0],
        x_other=a[1] * policy.columns + b[1],
        output=None,
        ratio=ratio,
        epsilon=epsilon,
    )


SMALL_TWIN: Final = (
    "every pair and every entry of the channel on a smaller map with the same steps; that the "
    "large map's channel is made in the same way is not checked"
)
TAGS: Final = ", of values and tags"


def audit_mechanism(
    mechanism: Mechanism, policy: PrivacyMatrix | None = None, progress: Progress = no_progress
) -> LargeAudit:
    """Check a mechanism's channel against a policy, its own if none is given.

    Named so because `audit` is this package. Raises `CaldpError` where the mechanism is too large
    to be written out and states nothing else that can be read, and where what it states is not
    about its own reports.
    """
    check_mechanism("An audit takes a mechanism", mechanism)
    claim = mechanism.policy if policy is None else policy
    check_policy("An audit takes", claim)
    require(
        claim.k == mechanism.k,
        f"A policy of {claim.k:,} values does not fit a mechanism for {mechanism.k:,}.",
    )
    reasons = []
    for method in (_tags, _blocks, _axes, _pairs, _twin):
        verdict = method(mechanism, claim, progress)
        if isinstance(verdict, LargeAudit):
            return verdict
        reasons.append(verdict)
    why = next((reason for reason in reasons if reason), "it states nothing that can be read")
    raise CaldpError(
        f"{type(mechanism).__name__} for {mechanism.k:,} values cannot be certified: {why}; use "
        "fewer values or a mechanism that states its channel."
    )


def _tags(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    """People's own places become tags: what the common mechanism promises holds for each."""
    if not (
        isinstance(mechanism, capabilities.HasPreProcessing) and isinstance(policy, PersonalPolicy)
    ):
        return ""
    why = statement_mismatch(mechanism, ["after_pre_processing"], MAKES_REPORTS)
    if why:
        return why
    audit = audit_mechanism(mechanism.after_pre_processing(), policy.with_tags(), progress)
    return replace(audit, method=audit.method + TAGS)


def _blocks(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    if not (isinstance(mechanism, capabilities.HasBlockStructure) and isinstance(policy, Context)):
        return ""
    own = mechanism.block_structure().policy
    require(
        policy is own or policy.fingerprint() == own.fingerprint(),
        "The mechanism was made for another context than is asked about; make it anew.",
    )
    why = statement_mismatch(mechanism, ["block_structure"], MAKES_REPORTS)
    return why or audit_context(mechanism, progress)


def _pairs(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    if mechanism.k**2 * mechanism.outputs > PAIRWISE_MAX:
        return ""
    why = statement_mismatch(mechanism, ["exact_channel", "_fill_block"], MAKES_REPORTS)
    if why:
        return why
    try:
        channel = mechanism.exact_channel()
    except CaldpError as error:
        return str(error)
    audit = audit_channel(channel, policy)
    progress(1.0)
    return audit


def _axes(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    if not isinstance(policy, GridMetric | EuclideanMetric) or not isinstance(
        mechanism, capabilities.HasAxisChannels
    ):
        return ""
    why = statement_mismatch(mechanism, ["axis_channels"], MAKES_REPORTS)
    return why or audit_axes(mechanism, policy, progress)


def _twin(mechanism: Mechanism, policy: PrivacyMatrix, progress: Progress) -> LargeAudit | str:
    if not isinstance(policy, GridMetric | EuclideanMetric) or not isinstance(
        mechanism, capabilities.HasSmallTwin
    ):
        return ""
    why = statement_mismatch(mechanism, ["small_twin"], MAKES_REPORTS)
    if why:
        return why
    twin = mechanism.small_twin()
    small = twin.policy
    require(
        isinstance(small, type(policy))
        and replace(policy, rows=small.rows, columns=small.columns) == small,
        "The small map has other steps than the large one; nothing follows from it.",
    )
    return replace(audit_mechanism(twin, small, progress), method=SMALL_TWIN)
