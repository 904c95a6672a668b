"""Is a mechanism within its context, for domains of any size? By classes of pairs, in rationals.

Room: audits. In a context all pairs of one block that E binds are of two kinds: both symbols
sensitive, or the other one not. For a kind the largest ratio separates output by output: the
greatest Q(y|x) over the least Q(y|x′). So rows are streamed and only extremes are kept, never a
k × k or k × outputs array. Entries are compared by their place among the few values that a block
has, and ratios are taken between whole numbers of any size: nothing is rounded.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.audit import log_of, power_below
from caldp_core.coins import COIN_ONE
from caldp_core.errors import require
from caldp_core.limits import DENSE_MAX_ENTRIES
from caldp_core.mechanisms.base import ChannelRows, OracleBank, StreamsRows
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.types import Progress, no_progress

BOTH_SENSITIVE: Final = "sensitive-sensitive"
OTHER_NOT: Final = "sensitive-other"
STREAM_MAX_ENTRIES: Final = 10**11
"""Most entries of a channel that are ever gone through: about two minutes."""
_CHUNK: Final = 1 << 21
_FEW: Final = 8
_Codes = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True)
class PairClass:
    """The pairs of one block and kind, x sensitive and x′ any other: the worst of them.

    `kind`: `BOTH_SENSITIVE` or `OTHER_NOT`. `pairs`: ordered pairs in it. `output`: column of the
    channel where `ratio` = max Q(output|x)/Q(output|x′) is reached; a ratio of None is infinite.
    `epsilon`: E of the block. `holds`: ratio ≤ e^ε, decided exactly.
    """

    block: int
    kind: str
    pairs: int
    output: int
    ratio: Fraction | None
    epsilon: float
    holds: bool

    @property
    def log_ratio(self) -> float:
        """log of `ratio` in nats, ∞ for None; rounded, so it decides nothing."""
        return log_of(self.ratio)

    @property
    def against(self) -> Fraction | None:
        """`ratio` over (just below) e^ε: at most 1 where it holds; None for ∞."""
        return None if self.ratio is None else self.ratio / power_below(self.epsilon)


@dataclass(frozen=True)
class LargeAudit:
    """Verdict on a mechanism: `holds` if all rows are distributions and all classes hold.

    `classes`: block after block, those without pairs left out. `worst`: the class that comes
    nearest to its ε or goes farthest beyond; None without classes. `faulty_row`: a symbol whose
    row is not a distribution, else None.
    """

    holds: bool
    classes: tuple[PairClass, ...]
    worst: PairClass | None
    faulty_row: int | None


@dataclass(frozen=True, eq=False)
class _Extremes:
    """What is kept of a block's hidden rows, beside its `base` row.

    `top`, `bottom`: (columns,) codes of the greatest and the least entry of each output.
    `faulty`: the first row (0-based in the block) that is not a distribution, else None.
    """

    base: ChannelRows
    top: _Codes
    bottom: _Codes
    faulty: int | None


def audit_context(mechanism: ContextMechanism, progress: Progress = no_progress) -> LargeAudit:
    """Hold a mechanism's whole channel against its context (CALDP Definition 2), at any k.

    Agrees with `exact_audit` where that can be run. Raises `CaldpError` where the family can
    neither stream rows nor write out its channel, and for channels beyond `STREAM_MAX_ENTRIES`.
    """
    _check_fits(mechanism)
    sizes = mechanism.sizes
    others = mechanism.policy.block_sizes() - sizes
    work = np.cumsum(sizes.astype(np.float64) ** 2 + 1)
    require(
        work[-1] <= STREAM_MAX_ENTRIES,
        f"An audit goes through at most {STREAM_MAX_ENTRIES:,} entries of a channel, this one "
        f"has more than {work[-1]:.1e}; use smaller blocks or fewer sensitive values.",
    )
    starts = np.cumsum(sizes) - sizes
    classes: list[PairClass] = []
    faulty: list[int] = []
    for block, (size, other) in enumerate(zip(sizes.tolist(), others.tolist(), strict=True)):
        seen = _extremes(mechanism.bank, block, size) if size else None
        if seen:
            classes += _classes(mechanism, block, seen, size, other)
            if seen.faulty is not None:
                faulty.append(int(mechanism.hidden_symbols[starts[block] + seen.faulty]))
        if other and not _others_are_laws(mechanism, block, seen):
            faulty.append(_first_clear(mechanism, block))
        progress(float(work[block] / work[-1]))
    holds = not faulty and all(each.holds for each in classes)
    return LargeAudit(holds, tuple(classes), worst_of(classes), min(faulty, default=None))


def worst_of(classes: Sequence[PairClass]) -> PairClass | None:
    """The class that comes nearest to its ε or goes farthest beyond; None if there is none."""
    return max(classes, key=_excess, default=None)


def _first_clear(mechanism: ContextMechanism, block: int) -> int:
    clear = mechanism.clear_symbols
    return int(clear[mechanism.policy.blocks[clear] == block][0])


def _check_fits(mechanism: ContextMechanism) -> None:
    """Raise unless the mechanism hides what its context calls hidden, block by block."""
    policy = mechanism.policy
    by_block = np.argsort(policy.blocks, kind="stable")
    hidden = by_block[policy.hidden()[by_block]]
    sizes = np.bincount(policy.blocks[hidden], minlength=policy.m)
    fits = np.array_equal(hidden, mechanism.hidden_symbols)
    require(
        fits and np.array_equal(sizes, mechanism.sizes),
        "The mechanism was made for other blocks or another sensitive set than its context has; "
        "make it anew from the context.",
    )


def _reader(bank: OracleBank, block: int, size: int) -> Callable[[int, int], ChannelRows]:
    """Gives rows start … stop−1 of the block's channel, streamed or from the whole of it."""
    if isinstance(bank, StreamsRows):
        return partial(bank.channel_rows, block)
    entries = (size + 1) * bank.outputs
    require(
        entries <= DENSE_MAX_ENTRIES,
        f"This family writes its channel out whole, which may have at most {DENSE_MAX_ENTRIES:,} "
        f"entries and would have up to {min(entries, 10**300):.3g}; "
        "use fewer values or another family.",
    )
    first, numerators, denominator = bank.channel(block)
    values, places = np.unique(numerators, return_inverse=True)
    codes = places.reshape(numerators.shape).astype(np.uint32)
    whole = tuple(int(value) for value in values)
    return lambda start, stop: ChannelRows(first, codes[start:stop], whole, denominator)


def _extremes(bank: OracleBank, block: int, size: int) -> _Extremes:
    read = _reader(bank, block, size)
    base = read(size, size + 1)
    columns = base.codes.shape[1]
    require(
        base.first + columns <= bank.outputs and list(base.values) == sorted(base.values),
        "The family's channel rows overlap reports in the clear, or their values fall.",
    )
    faulty: int | None = None
    top = np.zeros(columns, base.codes.dtype)
    bottom = np.full(columns, len(base.values) - 1, base.codes.dtype)
    step = max(1, _CHUNK // columns)
    for start in range(0, size, step):
        part = read(start, min(start + step, size))
        require(part.values == base.values, "The family's values change from row to row.")
        np.maximum(top, part.codes.max(axis=0), out=top)
        np.minimum(bottom, part.codes.min(axis=0), out=bottom)
        wrong = (i for i, row in enumerate(part.codes, start) if not _is_law(row, base))
        faulty = next(wrong, None) if faulty is None else faulty
    return _Extremes(base, top, bottom, faulty)


def _is_law(row: _Codes, rows: ChannelRows) -> bool:
    """Whether a row's entries sum to the denominator and none is negative."""
    values = rows.values
    if len(values) <= _FEW:
        counts = [int(np.count_nonzero(row == code)) for code in range(len(values))]
    else:
        counts = np.bincount(row, minlength=len(values)).tolist()
    total = sum(value * count for value, count in zip(values, counts, strict=True))
    return total == rows.denominator and values[int(row.min())] >= 0


def _others_are_laws(mechanism: ContextMechanism, block: int, seen: _Extremes | None) -> bool:
    """Whether λ·base + (1 − λ)·themselves is a distribution for those who are not hidden."""
    noise = int(mechanism.bank.noise[block])
    if seen is None or not noise:
        return not noise
    return noise <= COIN_ONE and _is_law(seen.base.codes[0], seen.base)


def _classes(
    mechanism: ContextMechanism, block: int, seen: _Extremes, size: int, other: int
) -> Iterator[PairClass]:
    base, one = seen.base.codes[0], Fraction(1)
    noise = Fraction(int(mechanism.bank.noise[block]), COIN_ONE)
    epsilon = float(mechanism.policy.epsilon[block])
    for kind, pairs, bottom, factor in (
        (BOTH_SENSITIVE, size * (size - 1), seen.bottom, one),
        (OTHER_NOT, size * other, base, noise),
    ):
        if pairs:
            column, ratio = _largest(seen.top, bottom, seen.base.values, factor)
            holds = ratio is not None and ratio <= power_below(epsilon)
            output = seen.base.first + column
            yield PairClass(block, kind, pairs, output, ratio, epsilon, holds)


def _largest(
    top: _Codes, bottom: _Codes, values: tuple[int, ...], factor: Fraction
) -> tuple[int, Fraction | None]:
    """First column with the largest top/(factor·bottom), and that ratio; None stands for ∞.

    0 against 0 asks nothing. Reports in the clear are no columns here: no sensitive symbol sends
    one, so they ask nothing either.
    """
    both = top.astype(np.int64) * len(values) + bottom
    best, largest = 0, Fraction(0)
    for pair, column in zip(*np.unique(both, return_index=True), strict=True):
        above, below = values[pair // len(values)], factor * values[pair % len(values)]
        if above > 0 and below <= 0:
            return int(column), None
        ratio = above / below if above > 0 else Fraction(0)
        if ratio > largest:
            best, largest = int(column), ratio
    return best, largest


def _excess(pairs: PairClass) -> tuple[bool, Fraction]:
    against = pairs.against
    return against is None, against or Fraction(0)
