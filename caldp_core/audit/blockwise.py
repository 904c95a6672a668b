"""Whether a mechanism keeps its context, for domains of any size: exact, in rationals.

The pairs (x, x′) of one block for which E is finite form two classes: x′ is sensitive as well, or
it is not and reports λ·base(y) or itself in the clear. The largest ratio of each class follows from
a few extremes of the block's channel: for each output y the greatest Q(y|x) and the least Q(y|x′).
They are found in the first of three ways that is possible; the later ones check less:

1. every entry of the channel, read row by row, if the family streams its rows (and those are not so
   many that they would take more than some ten seconds, where the family states its form);
2. every entry of the channel, written out whole, if it is small enough;
3. the two weights of the channel's form (`SupportForm`), which the family states from its coins;
   tests check the form on channels that are small enough to be written out.

Where a subclass, or an attribute set by hand, changes how reports are made and a statement is still
the old one, the statement is about another mechanism. So no class that changes reports may inherit
what is stated of them.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.audit.pairwise import LargeAudit, PairClass, ratio_sort_key, worst_of
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import DENSE_MAX_ENTRIES, STREAM_FREELY_ENTRIES, STREAM_MAX_ENTRIES
from caldp_core.basics.types import Floats, Ints, Progress, no_progress, part_of
from caldp_core.mechanisms.base import FrequencyOracles
from caldp_core.mechanisms.capabilities import (
    BlockStructure,
    ChannelRows,
    HasBlockStructure,
    HasChannelRows,
    HasSupportForm,
    SupportForm,
)
from caldp_core.mechanisms.randomness import COIN_ONE

_CHUNK: Final = 1 << 21
_LOOP_MAX: Final = 8
_Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]
_Rows: TypeAlias = Callable[[int, int], ChannelRows]


@dataclass(frozen=True)
class MaxRatio:
    """The largest ratio of one report's probabilities, and two symbols at which it is reached.

    `ratio`: None stands for ∞. `output`: column of the channel, None where the reports are too
    many to be numbered. `x`, `x_other`: ranks within the block, or cells of an axis; against the
    base distribution `x_other` has no meaning.
    """

    ratio: Fraction | None
    output: int | None
    x: int
    x_other: int


@dataclass(frozen=True)
class BlockExtremes:
    """What an audit needs of a block's hidden rows and its base distribution.

    `hidden_ratio`: the largest Q(y|x)/Q(y|x′), both hidden; `base_ratio`: the largest
    Q(y|x)/base(y).
    `faulty_row`: rank within the block of the first row that is not a distribution, else None.
    `base_is_distribution`: whether the base is one.
    """

    hidden_ratio: MaxRatio
    base_ratio: MaxRatio
    faulty_row: int | None
    base_is_distribution: bool


def quotient(above: int | Fraction, below: int | Fraction) -> Fraction | None:
    """above/below, None for ∞; 0/0 is 0, as it bounds nothing, and so is a negative `above`."""
    if above <= 0:
        return Fraction(0)
    return Fraction(above) / below if below > 0 else None


def _rows_of_channel(oracles: FrequencyOracles, block: int) -> _Rows:
    """The rows of a channel that the oracles write out whole."""
    first, numerators, denominator = oracles.channel(block)
    entries = numerators.ravel().tolist()  # Python ints: of any size
    values = tuple(sorted(set(entries)))
    place = {value: code for code, value in enumerate(values)}
    codes = np.fromiter(map(place.__getitem__, entries), np.uint32, len(entries))
    table = codes.reshape(numerators.shape)
    return lambda start, stop: ChannelRows(first, table[start:stop], values, denominator)


def extremes_from_rows(
    rows_of: Callable[[int], _Rows], outputs: int, block: int, size: int, progress: Progress
) -> BlockExtremes:
    """The extremes of a block of `size` hidden symbols, from the rows of its channel.

    `rows_of`: block → its rows, which oracles stream or write out whole. `outputs`: number of the
    oracles' columns; those of reports in the clear follow them. `progress` is called after every
    few rows, so that a large block can be cancelled soon.
    """
    read = rows_of(block)
    base = _in_whole_numbers(read(size, size + 1))
    columns = base.codes.shape[1]
    require(columns > 0, "The family has no report for hidden values; no channel can be audited.")
    require(
        base.first + columns <= outputs and list(base.values) == sorted(base.values),
        "The family's channel rows overlap reports in the clear, or their values fall.",
    )
    pieces = partial(_pieces, read, size, max(1, _CHUNK // columns))
    top, bottom, faulty = _extremes(pieces(progress), base)
    hidden_at, hidden_ratio = _largest(top, bottom, base.values)
    base_at, base_ratio = _largest(top, base.codes[0], base.values)
    reached = [(hidden_at, top), (hidden_at, bottom), (base_at, top)]
    # The second reading adds no progress, but may still be cancelled.
    again = pieces(lambda _: progress(1.0))
    x, other, x_over = _rows_with([(at, int(codes[at])) for at, codes in reached], again)
    if other == x:  # then all rows have one entry there, and any other row will do
        other = min(1, size - 1)
    return BlockExtremes(
        MaxRatio(hidden_ratio, base.first + hidden_at, x, other),
        MaxRatio(base_ratio, base.first + base_at, x_over, x_over),
        faulty,
        _is_distribution(base.codes[0], base, _possible_codes(base.codes)),
    )


def _in_whole_numbers(rows: ChannelRows) -> ChannelRows:
    """The rows with Python's whole numbers, of any size: NumPy's would wrap at 64 bits."""
    values = tuple(map(int, rows.values))
    return ChannelRows(rows.first, rows.codes, values, int(rows.denominator))


def _pieces(
    read: _Rows, size: int, step: int, progress: Progress
) -> Iterator[tuple[int, ChannelRows]]:
    """The hidden rows and the first one's rank, some at a time."""
    for start in range(0, size, step):
        yield start, _in_whole_numbers(read(start, min(start + step, size)))
        progress(min(start + step, size) / size)


def _extremes(
    pieces: Iterable[tuple[int, ChannelRows]], base: ChannelRows
) -> tuple[_Codes, _Codes, int | None]:
    """(columns,) codes of each output's greatest and least entry, and the `faulty_row`."""
    last = len(base.values) - 1
    top, bottom = np.zeros_like(base.codes[0]), np.full_like(base.codes[0], last)
    faulty: int | None = None
    for start, part in pieces:
        require(part.values == base.values, "The family's values change from row to row.")
        if top.min() < last or bottom.any():  # else no row can widen them
            np.maximum(top, part.codes.max(axis=0), out=top)
            np.minimum(bottom, part.codes.min(axis=0), out=bottom)
        codes, rows = _possible_codes(part.codes), enumerate(part.codes, start)
        wrong = (i for i, row in rows if not _is_distribution(row, base, codes))
        faulty = next(wrong, None) if faulty is None else faulty
    return top, bottom, faulty


def _rows_with(
    wanted: Sequence[tuple[int, int]], pieces: Iterable[tuple[int, ChannelRows]]
) -> list[int]:
    """The first row that has each (column, code); most are among the first rows read."""
    rows: dict[tuple[int, int], int] = {}
    for start, part in pieces:
        for column, code in set(wanted) - rows.keys():
            hits = np.flatnonzero(part.codes[:, column] == code)
            if hits.size:
                rows[column, code] = start + int(hits[0])
        if rows.keys() == set(wanted):
            break
    return [rows[each] for each in wanted]


def _possible_codes(codes: _Codes) -> list[int]:
    """All codes whose bits are in use; empty if those are too many to be looked for one by one."""
    bits = int(np.bitwise_or.reduce(np.bitwise_or.reduce(codes, axis=0)))
    return [code for code in range(bits + 1) if code | bits == bits] if bits < _LOOP_MAX else []


def _is_distribution(row: _Codes, rows: ChannelRows, codes: Sequence[int]) -> bool:
    """Whether a row's entries sum to the denominator and none is negative; `codes`: possible."""
    if codes:
        # A comparison more costs a fifth of an audit, so the first two are counted without.
        counts = [int(np.count_nonzero(row == code)) for code in codes[2:]]
        others = int(np.count_nonzero(row))
        counts = [row.size - others, others - sum(counts), *counts][: len(codes)]
    elif int(row.max()) >= len(rows.values):
        return False
    else:
        counts = np.bincount(row).tolist()
    places = codes or range(len(counts))
    found = [(code, count) for code, count in zip(places, counts, strict=True) if count]
    if found[-1][0] >= len(rows.values):
        return False
    total = sum(rows.values[code] * count for code, count in found)
    return total == rows.denominator and rows.values[found[0][0]] >= 0


def _largest(top: _Codes, bottom: _Codes, values: tuple[int, ...]) -> tuple[int, Fraction | None]:
    """First column with the largest top/bottom, and that ratio; None stands for ∞.

    Reports in the clear are not columns here: no sensitive symbol sends one, so they bound nothing.
    """
    both = top.astype(np.int64) * len(values) + bottom
    pairs, columns = np.unique(both, return_index=True)
    ratios = [quotient(values[pair // len(values)], values[pair % len(values)]) for pair in pairs]
    best = max(range(len(ratios)), key=lambda i: ratio_sort_key(ratios[i]))
    return int(columns[best]), ratios[best]


SERVER_SIDE: Final = frozenset(
    tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["server_side"]
)
"""Methods that a subclass may change without a new statement: no report depends on them."""


MAKES_REPORTS: Final = ("privatize", "client_report")
"""Methods by which mechanisms make reports."""
ORACLES_MAKE_REPORTS: Final = ("privatize", "privatize_base", "clear_reports")
"""Methods by which oracles make reports."""


def statement_mismatch(
    component: Any, statements: Sequence[str], report_methods: Sequence[str]
) -> str | None:
    """Why the statements of `component` are not about its own reports; None if they are.

    `statements`: methods that state the channel; a class that defines one of them states it anew.
    `report_methods`: methods that make reports, where there are any.
    """
    kind = type(component).__name__
    owners = {
        id(owner) for owner in map(_owner(component), [*statements, *report_methods]) if owner
    }
    if len(owners) != 1:
        return f"{kind} takes its reports and what it states of them from different objects"
    owner = next(owner for owner in map(_owner(component), statements) if owner)
    replaced = sorted({*_set_by_hand(component), *_set_by_hand(owner)})
    if replaced:
        return (
            f"{', '.join(replaced)} of this {kind} was set by hand, and no class states a channel "
            "for that; put it into a subclass that does"
        )
    for cls in type(owner).__mro__:
        own = {n for n, each in vars(cls).items() if callable(each) or hasattr(each, "__get__")}
        if own & set(statements):
            return None
        changed = sorted(own - SERVER_SIDE)
        if changed:
            return (
                f"{cls.__name__} changes {', '.join(changed)} but states no channel of its own; "
                f"let it state {statements[0]} as well"
            )
    return f"{kind} does not state {statements[0]}"


def _owner(component: Any) -> Any:
    """Name of a method → the object that it is bound to; None if it is missing."""
    return lambda name: getattr(getattr(component, name, None), "__self__", None)


def _set_by_hand(component: Any) -> list[str]:
    """Functions in place of its class's own methods on which reports or statements depend."""
    cls = type(component)
    return [
        name
        for name, value in getattr(component, "__dict__", {}).items()
        if callable(value) and callable(getattr(cls, name, None)) and name not in SERVER_SIDE
    ]


def extremes_from_form(
    oracles: HasSupportForm, block: int, size: int, progress: Progress
) -> BlockExtremes:
    """The extremes of a block of `size` hidden symbols, from its form, in constant time.

    If some reports include a symbol and others do not, the worst case is assumed: one report that
    includes x and not x′. All pairs are equivalent, so the first two symbols are named.
    """
    form = oracles.support_form(block)
    weights = possible_weights(form)
    other = min(1, size - 1)
    extremes = BlockExtremes(
        hidden_ratio=MaxRatio(_largest_entry(weights, weights), None, 0, other),
        base_ratio=MaxRatio(_largest_entry(weights, (Fraction(1),)), None, 0, 0),
        faulty_row=None if is_distribution(form) else 0,
        base_is_distribution=0 <= form.share <= 1,
    )
    progress(1.0)
    return extremes


def possible_weights(form: SupportForm) -> tuple[Fraction, ...]:
    """The weights that occur: at share 0 no report includes a symbol, at share 1 every one does."""
    included = (form.included,) if form.share > 0 else ()
    excluded = (form.excluded,) if form.share < 1 else ()
    return included + excluded


def is_distribution(form: SupportForm) -> bool:
    """Whether a row sums to 1 and has no negative entry."""
    total = form.share * form.included + (1 - form.share) * form.excluded
    return total == 1 and 0 <= form.share <= 1 and min(possible_weights(form)) >= 0


def _largest_entry(above: tuple[Fraction, ...], below: tuple[Fraction, ...]) -> Fraction | None:
    return max((quotient(a, b) for a, b in product(above, below)), key=ratio_sort_key)


BOTH_SENSITIVE: Final = "sensitive-sensitive"
OTHER_NOT: Final = "sensitive-other"
EVERY_ENTRY: Final = "every entry of the channel"
THE_FORM: Final = "the channel as a formula"
_Reader: TypeAlias = Callable[[int, int, Progress], BlockExtremes]


def audit_context(mechanism: HasBlockStructure, progress: Progress = no_progress) -> LargeAudit:
    """Check a mechanism's whole channel against its context (CALDP Definition 2), at any k.

    Agrees with `exact_audit` where that can be run. Raises `CaldpError` for channels beyond
    `STREAM_MAX_ENTRIES` that can only be streamed, where the family can neither stream rows
    nor write out its channel nor state its form, and where what is stated of reports is stated by
    a class that does not make them.
    """
    _require_stated(mechanism, "block_structure", MAKES_REPORTS)
    structure = mechanism.block_structure()
    _check_fits(structure)
    method, read, work = _choose_method(structure)
    done = np.concatenate([[0.0], np.cumsum(work) / work.sum()])
    classes: list[PairClass] = []
    faulty: list[int] = []
    for block, (hidden, others) in enumerate(_members(structure)):
        part = part_of(progress, float(done[block]), float(done[block + 1]))
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
    # About how many entries the blocks' channels have, with columns in proportion to symbols.
    whole = float((sizes + 1.0) @ sizes) * outputs / max(int(sizes.sum()), 1)
    by_form = isinstance(oracles, HasSupportForm) and whole > STREAM_FREELY_ENTRIES
    if isinstance(oracles, HasChannelRows) and not by_form:
        _require_stated(oracles, "channel_rows", ORACLES_MAKE_REPORTS)
        require(
            work.sum() <= STREAM_MAX_ENTRIES,
            f"An audit goes through at most {STREAM_MAX_ENTRIES:,} entries of a channel, this one "
            f"has more than {work.sum():.1e}; use smaller blocks or fewer sensitive values.",
        )
        rows_of: Callable[[int], _Rows] = partial(partial, oracles.channel_rows)
        return EVERY_ENTRY, partial(extremes_from_rows, rows_of, outputs), work
    if entries <= DENSE_MAX_ENTRIES:
        _require_stated(oracles, "channel", ORACLES_MAKE_REPORTS)
        rows_of = partial(_rows_of_channel, oracles)
        return EVERY_ENTRY, partial(extremes_from_rows, rows_of, outputs), work
    if isinstance(oracles, HasSupportForm):
        _require_stated(oracles, "support_form", ORACLES_MAKE_REPORTS)
        return THE_FORM, partial(extremes_from_form, oracles), np.ones(sizes.size)
    raise CaldpError(
        f"This family writes its channel out whole, which may have at most {DENSE_MAX_ENTRIES:,} "
        f"entries and would have up to {min(entries, 10**300):.3g}; "
        "use fewer values or another family."
    )


def _members(mechanism: BlockStructure) -> Iterator[tuple[Ints, Ints]]:
    """Each block's hidden symbols, by rank, and its others."""
    policy = mechanism.policy
    others = np.flatnonzero(~policy.hidden())
    others = others[np.argsort(policy.blocks[others], kind="stable")]
    ends = np.cumsum(mechanism.sizes)
    other_ends = np.cumsum(policy.block_sizes() - mechanism.sizes)
    yield from zip(
        np.split(mechanism.hidden, ends[:-1]), np.split(others, other_ends[:-1]), strict=True
    )


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
        yield PairClass(
            block=block,
            kind=kind,
            pairs=hidden.size * partners,
            x=int(hidden[widest.x]),
            x_other=int(other),
            output=widest.output,
            ratio=None if widest.ratio is None else quotient(widest.ratio, factor),
            epsilon=epsilon,
        )
