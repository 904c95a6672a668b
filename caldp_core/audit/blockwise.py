"""Whether a mechanism keeps its context, for domains of any size: exact, in rationals.

The pairs (x, x′) of one block for which E is finite form two classes: x′ is sensitive as well, or
it is not and reports λ·base(y) or itself in the clear. The largest ratio of each class follows from
a few extremes of the block's channel (`block_extremes.py`). These are found in the first of three
ways that is possible; the later ones check less:

1. every entry of the channel, read row by row, if the family streams its rows (and those are not so
   many that they would take more than some ten seconds, where the family states its form);
2. every entry of the channel, written out whole, if it is small enough;
3. the few weights of the channel's form, which the family states (`support_forms.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from caldp_core.audit.block_extremes import (
    BlockExtremes,
    extremes_from_channel,
    extremes_from_rows,
    quotient,
    ratio_sort_key,
)
from caldp_core.audit.pairwise import log_of
from caldp_core.audit.statement_check import MAKES_REPORTS, ORACLES_MAKE_REPORTS, statement_mismatch
from caldp_core.audit.support_forms import extremes_from_form
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import (
    DENSE_MAX_ENTRIES,
    STREAM_FREELY_ENTRIES,
    STREAM_MAX_ENTRIES,
)
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.mechanisms.randomness.coins import COIN_ONE
from caldp_core.mechanisms.structures import (
    BlockStructure,
    HasBlockStructure,
    HasChannelRows,
    HasSupportForm,
)

BOTH_SENSITIVE: Final = "sensitive-sensitive"
OTHER_NOT: Final = "sensitive-other"
EVERY_ENTRY: Final = "every entry of the channel"
THE_FORM: Final = "the form of the channel"
_Reader: TypeAlias = Callable[[int, int, Progress], BlockExtremes]


@dataclass(frozen=True)
class PairClass:
    """The pairs of one block and kind, x sensitive and x′ any other: the worst of them.

    `kind`: `BOTH_SENSITIVE` or `OTHER_NOT`. `pairs`: ordered pairs in it. `x`, `x_other`: a pair
    that reaches `ratio` = max Q(output|x)/Q(output|x′), infinite where it is None. `output`:
    column of the channel, None where there are too many columns to be numbered. `epsilon`: E of
    the block. `holds`: ratio ≤ e^ε, decided exactly.
    """

    block: int
    kind: str
    pairs: int
    x: int
    x_other: int
    output: int | None
    ratio: Fraction | None
    epsilon: float
    holds: bool

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


def audit_context(mechanism: HasBlockStructure, progress: Progress = no_progress) -> LargeAudit:
    """Check a mechanism's whole channel against its context (CALDP Definition 2), at any k.

    Agrees with `exact_audit` where that can be run. Raises `CaldpError` for channels beyond
    `STREAM_MAX_ENTRIES` that can only be streamed, where the family can neither stream rows
    nor write out its channel nor state its form, and where what is stated of reports is stated by
    a class that does not make them (`statement_check.py`).
    """
    _require_stated(mechanism, "block_structure", MAKES_REPORTS)
    structure = mechanism.block_structure()
    _check_fits(structure)
    method, read, work = _choose_method(structure)
    done = np.concatenate([[0.0], np.cumsum(work) / work.sum()])
    classes: list[PairClass] = []
    faulty: list[int] = []
    for block, (hidden, others) in enumerate(_members(structure)):
        part = _part(progress, float(done[block]), float(done[block + 1]))
        extremes = read(block, hidden.size, part) if hidden.size else None
        if extremes:
            classes += _classes(structure, block, extremes, hidden, others)
            if extremes.faulty_row is not None:
                faulty.append(int(hidden[extremes.faulty_row]))
        if others.size and not _others_are_distributions(
            int(structure.oracles.cover_threshold[block]), extremes
        ):
            faulty.append(int(others[0]))
        part(1.0)
    holds = not faulty and all(each.holds for each in classes)
    return LargeAudit(holds, method, tuple(classes), worst_of(classes), min(faulty, default=None))


def worst_of(classes: Sequence[PairClass]) -> PairClass | None:
    """The class that comes nearest to its ε or exceeds it most; None if there is none."""
    return max(classes, key=lambda each: ratio_sort_key(each.relative_ratio), default=None)


def _require_stated(component: object, statement: str, report_methods: Sequence[str]) -> None:
    mismatch = statement_mismatch(component, [statement], report_methods)
    require(mismatch is None, f"{mismatch}; nothing is certified that is not read.")


def _check_fits(mechanism: BlockStructure) -> None:
    """Raise unless the mechanism hides what its context calls hidden, block by block."""
    policy = mechanism.policy
    by_block = np.argsort(policy.blocks, kind="stable")
    hidden = by_block[policy.hidden()[by_block]]
    sizes = np.bincount(policy.blocks[hidden], minlength=policy.m)
    fits = np.array_equal(hidden, mechanism.hidden)
    require(
        fits and np.array_equal(sizes, mechanism.sizes),
        "The mechanism was made for other blocks or another sensitive set than its context has; "
        "make it anew from the context.",
    )


def _choose_method(mechanism: BlockStructure) -> tuple[str, _Reader, Floats]:
    """The method, how it reads a block of some size, and (m,) the work of each block."""
    oracles, outputs, sizes = mechanism.oracles, mechanism.oracles.outputs, mechanism.sizes
    entries = (int(sizes.max()) + 1) * outputs
    work = sizes.astype(np.float64) ** 2 + 1
    knows_form = isinstance(oracles, HasSupportForm)
    if isinstance(oracles, HasChannelRows) and not (
        knows_form and _entries(sizes, outputs) > STREAM_FREELY_ENTRIES
    ):
        _require_stated(oracles, "channel_rows", ORACLES_MAKE_REPORTS)
        require(
            work.sum() <= STREAM_MAX_ENTRIES,
            f"An audit goes through at most {STREAM_MAX_ENTRIES:,} entries of a channel, this one "
            f"has more than {work.sum():.1e}; use smaller blocks or fewer sensitive values.",
        )
        return EVERY_ENTRY, partial(extremes_from_rows, oracles, outputs), work
    if entries <= DENSE_MAX_ENTRIES:
        _require_stated(oracles, "channel", ORACLES_MAKE_REPORTS)
        return EVERY_ENTRY, partial(extremes_from_channel, oracles, outputs), work
    if isinstance(oracles, HasSupportForm):
        _require_stated(oracles, "support_form", ORACLES_MAKE_REPORTS)
        return THE_FORM, partial(extremes_from_form, oracles), np.ones(sizes.size)
    raise CaldpError(
        f"This family writes its channel out whole, which may have at most {DENSE_MAX_ENTRIES:,} "
        f"entries and would have up to {min(entries, 10**300):.3g}; "
        "use fewer values or another family."
    )


def _entries(sizes: Ints, outputs: int) -> float:
    """About how many entries the blocks' channels have, with columns in proportion to symbols."""
    return float((sizes + 1.0) @ sizes) * outputs / max(int(sizes.sum()), 1)


def _members(mechanism: BlockStructure) -> Iterator[tuple[Ints, Ints]]:
    """Each block's hidden symbols, by rank, and its others."""
    policy = mechanism.policy
    others = np.flatnonzero(~policy.hidden())
    others = others[np.argsort(policy.blocks[others], kind="stable")]
    ends = np.cumsum(mechanism.sizes)
    other_ends = np.cumsum(policy.block_sizes() - mechanism.sizes)
    yield from zip(
        np.split(mechanism.hidden, ends[:-1]),
        np.split(others, other_ends[:-1]),
        strict=True,
    )


def _part(progress: Progress, start: float, end: float) -> Progress:
    """Progress of a piece of the work, from the share `start` to the share `end`."""
    return lambda share: progress(start + share * (end - start))


def _others_are_distributions(noise: int, extremes: BlockExtremes | None) -> bool:
    """Whether λ·base + (1 − λ)·themselves is a distribution; `noise`: λ's whole threshold."""
    return not noise or (
        extremes is not None and noise <= COIN_ONE and extremes.base_is_distribution
    )


def _classes(
    mechanism: BlockStructure, block: int, extremes: BlockExtremes, hidden: Ints, others: Ints
) -> Iterator[PairClass]:
    epsilon = float(mechanism.policy.epsilon[block])
    noise = Fraction(int(mechanism.oracles.cover_threshold[block]), COIN_ONE)
    kinds = []
    if hidden.size > 1:
        other = hidden[extremes.hidden_ratio.x_other]
        kinds.append((BOTH_SENSITIVE, extremes.hidden_ratio, other, hidden.size - 1, Fraction(1)))
    if others.size:
        kinds.append((OTHER_NOT, extremes.base_ratio, others[0], others.size, noise))
    for kind, widest, other, partners, factor in kinds:
        ratio = None if widest.ratio is None else quotient(widest.ratio, factor)
        yield PairClass(
            block=block,
            kind=kind,
            pairs=hidden.size * partners,
            x=int(hidden[widest.x]),
            x_other=int(other),
            output=widest.output,
            ratio=ratio,
            epsilon=epsilon,
            holds=ratio is not None and ratio <= exp_below(epsilon),
        )
