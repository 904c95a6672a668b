"""Whether a channel keeps its privacy matrix, decided in rationals: no rounding hides a leak.

An audit sees a mechanism's channel and its policy, and trusts nothing else that the mechanism
states about itself. Channels are small: rows of output probabilities in rationals, as
`Mechanism.exact_channel` returns them. Composition is CALDP's Proposition 2.

Where the channel is unknown, samples of reports give a lower bound on ε, at a stated confidence. A
bound above the promised ε is evidence of a leak. A bound below it proves nothing: samples cannot
prove the absence of a leak.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from numbers import Rational
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError, check_n, count_text, require, require_exact
from caldp_core.basics.powers import clopper_pearson_lower, clopper_pearson_upper, exp_below
from caldp_core.basics.types import Bools, Floats, Ints, Reports, Seed
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.randomness import generator
from caldp_core.privacy.context import PrivacyMatrix

EVERY_PAIR: Final = "every pair and every entry of the channel"
ANY_PAIR: Final = "any pair"


@dataclass(frozen=True)
class PairClass:
    """The pairs of one block and kind, x sensitive and x′ any other: the worst of them.

    `kind`: `BOTH_SENSITIVE`, `OTHER_NOT`, `PLACES` or `ANY_PAIR`. `pairs`: ordered pairs in it.
    `x`, `x_other`: a pair that reaches `ratio` = max Q(output|x)/Q(output|x′), infinite where it is
    None. `output`: column of the channel, None where there are too many columns to be numbered.
    `epsilon`: E of the block.
    """

    block: int
    kind: str
    pairs: int
    x: int
    x_other: int
    output: int | None
    ratio: Fraction | None
    epsilon: float

    @property
    def holds(self) -> bool:
        """Whether ratio ≤ e^ε, decided exactly; E = ∞ allows everything."""
        if math.isinf(self.epsilon):
            return True
        return self.ratio is not None and self.ratio <= exp_below(self.epsilon)

    @property
    def report(self) -> int:
        """The `output` of a channel whose columns are numbered."""
        assert self.output is not None
        return self.output

    @property
    def privacy_loss(self) -> float:
        """log of `ratio` in nats, ∞ for None; rounded, so it decides nothing."""
        return log_of(self.ratio)

    @property
    def excess(self) -> float:
        """By how much the loss is above ε, in nats; below 0 where it is not. Rounded, too.

        Not the difference of the two floats, which is 0 for a coin that is one step off.
        """
        return log_of(self.relative_ratio)

    @property
    def relative_ratio(self) -> Fraction | None:
        """`ratio` over (just below) e^ε: at most 1 where it holds; None for ∞."""
        return None if self.ratio is None else self.ratio / exp_below(self.epsilon)


@dataclass(frozen=True, repr=False)
class LargeAudit:
    """Verdict on a mechanism: `holds` if all rows are distributions and all classes hold.

    Where `nothing_promised`, nothing could be broken. `method`: what was checked. `EVERY_ENTRY`
    trusts the family in one point: that its reports are drawn from the channel that it states.
    `THE_FORM`, for channels with too many entries to read,
    also trusts that the channel has the stated form, and checks its weights against ε. `classes`:
    block after block, without those that have no pairs. `worst`: the class that comes nearest to
    its ε or exceeds it most; None without classes. `faulty_row`: a symbol whose row is not a
    distribution, else None.
    """

    holds: bool
    method: str
    classes: tuple[PairClass, ...]
    worst: PairClass | None
    faulty_row: int | None

    @property
    def pairs(self) -> int:
        """Ordered pairs with a finite E."""
        return sum(each.pairs for each in self.classes)

    @property
    def nothing_promised(self) -> bool:
        """Whether no symbol is promised anything: then there is nothing to hold."""
        return not self.classes

    def __repr__(self) -> str:
        verdict = "holds" if self.holds else "does not hold"
        if not self.worst:
            verdict = "nothing is promised" if self.holds else f"{verdict}, nothing is promised"
            return f"<LargeAudit: {verdict}, by {self.method}>"
        worst = self.worst
        loss = f"largest loss {worst.privacy_loss:.6g} of ε = {worst.epsilon:g}"
        above = "" if worst.holds else f", {worst.excess:.3g} above it"
        return f"<LargeAudit: {verdict}, {loss}{above}, by {self.method}>"


def audit_channel(channel: Sequence[Sequence[Fraction]], policy: PrivacyMatrix) -> LargeAudit:
    """Check Q(y|x) ≤ e^{E[x, x′]}·Q(y|x′) for every y and every x ≠ x′ with a finite E.

    `channel`: k rows of output probabilities. An output that neither x nor x′ sends bounds nothing;
    one that only x sends has an infinite ratio; E = ∞ allows everything. Raises `CaldpError` if the
    channel's shape does not fit the policy, and for entries that are not rationals: floats don't
    sum to 1.
    """
    rows, scale = _whole_rows(channel, policy)
    faulty_row = None
    for x, row in enumerate(rows):
        is_distribution = sum(row) == scale and min(row) >= 0
        if faulty_row is None and not is_distribution:
            faulty_row = x
    pairs = [_pair(rows, x, other, epsilon) for x, other, epsilon in finite_pairs(policy)]
    holds = faulty_row is None and all(pair.holds for pair in pairs)

    # All pairs are one class, which its worst pair stands for.
    worst = worst_of(pairs)
    if worst is None:
        return LargeAudit(holds, EVERY_PAIR, (), None, faulty_row)
    worst = replace(worst, pairs=len(pairs))
    return LargeAudit(holds, EVERY_PAIR, (worst,), worst, faulty_row)


def audit_cells(channel: Sequence[Sequence[Fraction]], policy: PrivacyMatrix) -> list[PairClass]:
    """The verdict on each ordered pair x ≠ x′, row after row, also where E = ∞.

    Decided as in `audit_channel`, with the same errors; rows need to be distributions as well, of
    which this says nothing. For small channels: k²·outputs comparisons.
    """
    rows, _ = _whole_rows(channel, policy)
    levels = {(x, other): epsilon for x, other, epsilon in finite_pairs(policy)}
    cells = []
    for x, other in permutations(range(policy.k), 2):
        epsilon = levels.get((x, other), math.inf)
        cells.append(_pair(rows, x, other, epsilon))
    return cells


def _pair(rows: Sequence[Sequence[int]], x: int, other: int, epsilon: float) -> PairClass:
    """The verdict on one ordered pair; `rows` in whole numbers, as `_whole_rows` makes them."""
    output, ratio = _largest_ratio(rows[x], rows[other])
    return PairClass(0, ANY_PAIR, 1, x, other, output, ratio, epsilon)


def worst_of(classes: Sequence[PairClass]) -> PairClass | None:
    """The class that comes nearest to its ε or exceeds it most; None if there is none."""
    return max(classes, key=lambda found: ratio_sort_key(found.relative_ratio), default=None)


def ratio_sort_key(ratio: Fraction | None) -> tuple[bool, Fraction]:
    """Key that sorts ratios, with None (∞) last."""
    return ratio is None, ratio or Fraction(0)


def _whole_rows(
    channel: Sequence[Sequence[Fraction]], policy: PrivacyMatrix
) -> tuple[list[list[int]], int]:
    """The rows as whole numbers over one denominator, and that; errors as in `audit_channel`."""
    require(
        len(channel) == policy.k and len({len(row) for row in channel}) == 1,
        f"A channel for this policy needs {policy.k} rows of one length, got "
        f"{count_text(len(channel), 'row', 'rows')}.",
    )
    # Whole numbers of any size: comparing them is exact, and much quicker than fractions.
    exact = []
    scale = 1
    for row in channel:
        fractions = [_exact_entry(entry) for entry in row]
        scale = math.lcm(scale, *(entry.denominator for entry in fractions))
        exact.append(fractions)
    rows = []
    for fractions in exact:
        rows.append([int(entry * scale) for entry in fractions])
    return rows, scale


def _exact_entry(entry: object) -> Fraction:
    """An entry as a fraction; raises `CaldpError` for one that is not a rational."""
    if not isinstance(entry, Rational):
        raise CaldpError(
            "A channel is audited in rationals (fractions.Fraction), so that no rounding can hide "
            f"anything, got {entry!r}; pass exact_channel()."
        )
    return as_fraction(entry)


def as_fraction(entry: Rational) -> Fraction:
    """The entry in Python's own whole numbers, of any size: NumPy's would wrap at 64 bits."""
    above, below = entry.numerator, entry.denominator
    if type(entry) is Fraction and type(above) is type(below) is int:
        return entry
    return Fraction(int(above), int(below))


def finite_pairs(policy: PrivacyMatrix) -> Iterator[tuple[int, int, float]]:
    """Every ordered pair x ≠ x′ with its E[x, x′] where that is finite.

    Raises `CaldpError` where an entry of E is not a level: NaN is not ∞, and nothing is below 0.
    """
    others = np.arange(policy.k)
    for x in range(policy.k):
        row = np.asarray(policy.between(np.full(policy.k, x), others))
        wrong = np.flatnonzero(~(row >= 0))
        if wrong.size:
            raise CaldpError(
                f"E must be levels in [0, inf], got {float(row[wrong[0]])} from {x} to "
                f"{int(wrong[0])}; correct the policy."
            )
        for other in np.flatnonzero(np.isfinite(row) & (others != x)):
            yield x, int(other), float(row[other])


def _largest_ratio(row: Sequence[int], other: Sequence[int]) -> tuple[int, Fraction | None]:
    """Output with the largest row[y]/other[y], and that ratio; None stands for ∞."""
    best, top, bottom = 0, 0, 1
    for y, (a, b) in enumerate(zip(row, other, strict=True)):
        if a > 0 and b <= 0:
            return y, None
        # a/b > top/bottom, without dividing.
        if a * bottom > top * b:
            best, top, bottom = y, a, b
    return best, Fraction(top, bottom)


def log_of(ratio: Fraction | None) -> float:
    """log of a ratio in nats, ∞ for None; rounded, so nothing may be decided by it."""
    if ratio is None:
        return math.inf
    if ratio <= 0:
        return -math.inf
    near = ratio - 1
    if abs(near) < Fraction(1, 2):
        return math.log1p(float(near))
    return math.log(ratio.numerator) - math.log(ratio.denominator)


Channel: TypeAlias = Sequence[Sequence[Fraction]]
"""k rows of output probabilities."""


def outputs_of(channel: Channel) -> int:
    """Number of outputs; raises `CaldpError` unless all rows have one length."""
    lengths = {len(row) for row in channel}
    require(len(lengths) == 1, "A channel needs at least one row, and all of one length.")
    return lengths.pop()


def check_rows(channel: Channel, policy: PrivacyMatrix) -> None:
    """Raise `CaldpError` unless the channel has one row for each symbol of the policy."""
    require(
        len(channel) == policy.k,
        f"A channel for this policy needs {policy.k} rows, got {len(channel)}.",
    )


def release_both(first: Channel, second: Channel) -> list[list[Fraction]]:
    """The channel of two independent releases about one x; column y₁·outputs₂ + y₂."""
    return release_adaptively(first, [second] * outputs_of(first))


def release_adaptively(first: Channel, seconds: Sequence[Channel]) -> list[list[Fraction]]:
    """The channel of two releases of which the second, seconds[y₁], depends on the first's y₁.

    CALDP Proposition 2: within E₁ + E₂ if `first` is within E₁ and each of `seconds` within E₂.
    All seconds have one number of outputs; column y₁·outputs₂ + y₂. Raises `CaldpError`.
    """
    outputs = outputs_of(first)
    widths = {outputs_of(second) for second in seconds}
    have_all_rows = all(len(second) == len(first) for second in seconds)
    require(
        len(seconds) == outputs and len(widths) == 1 and have_all_rows,
        f"A second release needs a channel of {len(first)} rows, all of one length, for each of "
        f"the first's {outputs} outputs.",
    )
    require_exact(len(first) * outputs * widths.pop(), "use smaller channels")
    channel = []
    for x, first_row in enumerate(first):
        row: list[Fraction] = []
        for q, second in zip(first_row, seconds, strict=True):
            row += [q * r for r in second[x]]
        channel.append(row)
    return channel


Sampler: TypeAlias = Callable[[int, int, np.random.Generator], Reports]
"""(x, n, rng) → n independent reports of symbol x, as an array whose first axis is the reports."""

ALPHA: Final = 0.05


@dataclass(frozen=True)
class EpsilonBound:
    """log Pr(S|x)/Pr(S|x′) ≥ `epsilon` for an event S, so E[x, x′] is at least that.

    `epsilon`: lower bound at `confidence` 1 − α, in nats, in [0, ∞). `hits_x` of `n_x` reports of
    x and `hits_other` of `n_other` of x′ fell into S; S was chosen on other reports than these.
    """

    epsilon: float
    confidence: float
    hits_x: int
    n_x: int
    hits_other: int
    n_other: int

    def __str__(self) -> str:
        return f"ε ≥ {self.epsilon:.4f} (lower bound at confidence {self.confidence:.12g})"


def sampler_of(mechanism: Mechanism) -> Sampler:
    """A mechanism's `privatize`, as a `Sampler`."""
    return lambda x, n, rng: mechanism.privatize(np.full(n, x), rng)


def audit_sampler(
    sampler: Sampler, x: int, other: int, n: int, rng: Seed, *, alpha: float = ALPHA
) -> EpsilonBound:
    """Lower bound on E[x, x′] from n reports of each; raises `CaldpError` for an n below 2."""
    check_n(n)
    rng = generator(rng)  # one for both: from a seed each would have the same coins
    return epsilon_bound(sampler(x, n, rng), sampler(other, n, rng), alpha)


def epsilon_bound(reports_x: Reports, reports_other: Reports, alpha: float = ALPHA) -> EpsilonBound:
    """Lower bound on E[x, x′] at confidence 1 − α, from independent reports of x and of x′.

    The first half of each chooses the event, the second half tests it: Clopper–Pearson for both
    probabilities, each at α/2 (Ding et al. 2018 and Jagielski et al. 2020 audit this way). If
    one half did both, the event would be chosen for its luck and the bound would be too high.

    Raises `CaldpError` for α outside of (0, 1) and fewer than two reports of either.
    """
    require(0 < alpha < 1, f"alpha must be between 0 and 1, got {alpha!r}.")
    n_x, n_other = len(reports_x), len(reports_other)
    if min(n_x, n_other) < 2:
        raise CaldpError(f"Two reports of each symbol are needed, got {n_x} and {n_other}.")
    codes, kinds = _codes(reports_x, reports_other)
    choose_x, test_x = np.split(codes[:n_x], [n_x // 2])
    choose_other, test_other = np.split(codes[n_x:], [n_other // 2])
    event = best_event(
        np.bincount(choose_x, minlength=kinds), np.bincount(choose_other, minlength=kinds), alpha
    )
    hits_x, hits_other = int(event[test_x].sum()), int(event[test_other].sum())
    sizes = test_x.size, test_other.size
    bound = privacy_loss_bound(np.array(hits_x), sizes[0], np.array(hits_other), sizes[1], alpha)
    epsilon = max(0.0, float(bound))
    return EpsilonBound(epsilon, 1.0 - alpha, hits_x, sizes[0], hits_other, sizes[1])


def best_event(counts_x: Ints, counts_other: Ints, alpha: float) -> Bools:
    """(kinds,) which reports are in the event that would give the highest bound on these counts.

    Candidates are the kinds of largest likelihood ratio, 1, 2, … of them (Neyman–Pearson).
    `counts_x`, `counts_other`: (kinds,) reports of each kind.
    """
    # Adding one to each count keeps kinds that were seen only once from ranking first.
    n_x, n_other = int(counts_x.sum()), int(counts_other.sum())
    order = np.argsort(-(counts_x + 1) / (counts_other + 1), kind="stable")
    hits_x, hits_other = np.cumsum(counts_x[order]), np.cumsum(counts_other[order])
    bounds = privacy_loss_bound(hits_x, n_x, hits_other, n_other, alpha)
    event = np.zeros(counts_x.size, np.bool_)
    event[order[: int(np.argmax(bounds)) + 1]] = True
    return event


def privacy_loss_bound(
    hits_x: Ints, n_x: int, hits_other: Ints, n_other: int, alpha: float
) -> Floats:
    """Lower bounds on log p/q at confidence 1 − α; −∞ where nothing of x was hit.

    `hits_x` of `n_x` with probability p, `hits_other` of `n_other` with q: any one shape.
    """
    low = clopper_pearson_lower(hits_x, n_x, alpha / 2)
    high = clopper_pearson_upper(hits_other, n_other, alpha / 2)
    logs = np.full(low.shape, -math.inf)
    return np.log(low / high, out=logs, where=low > 0)


def _codes(reports_x: Reports, reports_other: Reports) -> tuple[NDArray[np.intp], int]:
    """(n_x + n_other,) a number for each different report, and how many there are."""
    both = np.concatenate([np.asarray(reports_x), np.asarray(reports_other)])
    flat: NDArray[Any] = both.reshape(len(both), -1)
    if flat.shape[1] == 1:
        kinds, codes = np.unique(flat[:, 0], return_inverse=True)
    else:
        kinds, codes = np.unique(flat, axis=0, return_inverse=True)
    return codes.ravel(), len(kinds)
