"""The channels that can be audited against the matrix, each built for it."""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.audit.pairwise import Channel
from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.mechanisms import Mechanism, mechanism
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import DistanceMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix, as_context
from caldp_ui.matrix.page_state import (
    BUG,
    DESIGNED,
    DESIGNS,
    EVEN,
    GROUPS,
    PASTED,
    RANDOMIZED_RESPONSE,
    MatrixState,
    Rows,
    check_pasted,
    groups_of,
)
from caldp_ui.words import formats

TOO_BOLD: Final = 1.05
"""The planted bug: ε is this many times as large as claimed."""
OUTPUTS_MAX: Final = 400
"""Most different reports of a channel that is shown here."""
_IN_CONTEXTS: Final = ("randomized-response", "subset-selection", "hadamard", "galois")
_NUMBER: Final = re.compile(r"[0-9]{1,30}(\.[0-9]{0,30})?(/[0-9]{1,30})?")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A channel to audit. `channel`: k rows of rationals; `reports`: the name of each report.

    `mechanism`: the mechanism that makes such reports, where there is one.
    """

    title: str
    channel: Channel
    reports: tuple[str, ...]
    mechanism: Mechanism | None = None


def titles_for(levels: Rows, names: tuple[str, ...] = ()) -> dict[str, str]:
    """Titles of the channels that can be made for this E, by name.

    `names`: of the values; those in groups have one more channel.
    """
    matrix, least = DenseMatrix.of(levels), least_level(levels)
    titles = {RANDOMIZED_RESPONSE: f"Randomized response at ε = {least:g}"}
    context = as_context(matrix)
    if context is not None:
        titles |= {name: f"{MECHANISMS[name].title}, made for this matrix" for name in _IN_CONTEXTS}
    elif _distance(matrix) is not None:
        titles["exponential"] = "The exponential mechanism"
    if matrix.k == 2:
        titles["binary"] = "The best for two values (Theorem 2)"
    titles[DESIGNED] = "Designed for this matrix"
    titles[EVEN] = "Designed for the largest error"
    if groups_of(names):
        titles[GROUPS] = "Designed for the groups of the values"
    if EPSILON_MIN <= least <= EPSILON_MAX / TOO_BOLD:
        titles[BUG] = f"A planted bug: randomized response at {TOO_BOLD:g} ε"
    titles[PASTED] = "Paste a channel"
    return titles


def least_level(levels: Rows) -> float:
    """The least E of two different values; ∞ where nothing is limited."""
    return min(e for x, row in enumerate(levels) for z, e in enumerate(row) if x != z)


def build_candidate(record: MatrixState) -> Candidate:
    """Build the record's channel, unless it is designed; `CaldpError` where it can't be made."""
    if record.channel == PASTED:
        return _pasted(record.pasted, record.k)
    return _build_candidate(record.levels, record.names, record.channel)


def available_candidate(record: MatrixState) -> Candidate:
    """Build the record's channel, or the first one where it is designed or can't be made."""
    with suppress(CaldpError):
        if record.channel not in DESIGNS:
            return build_candidate(record)
    return build_candidate(replace(record, channel=RANDOMIZED_RESPONSE))


@cached
def _build_candidate(levels: Rows, names: tuple[str, ...], channel: str) -> Candidate:
    title = titles_for(levels).get(channel)
    if title is None:
        raise CaldpError("This channel can't be made for this matrix any more; choose another.")
    if channel in (RANDOMIZED_RESPONSE, BUG):
        return _randomized_response(
            title, names, least_level(levels) * (TOO_BOLD if channel == BUG else 1)
        )
    build = _MAKERS.get(channel, _context_mechanism)
    built = build(DenseMatrix.of(levels), channel)
    require(
        built.outputs <= OUTPUTS_MAX,
        f"This mechanism has {built.outputs:,} different reports here, more than {OUTPUTS_MAX} are "
        "not shown; choose another.",
    )
    return Candidate(title, built.exact_channel(), _numbered(built.outputs), built)


def _randomized_response(title: str, names: tuple[str, ...], epsilon: float) -> Candidate:
    """k-RR at one ε; below the least one reports are even, at ∞ they are true."""
    k = len(names)
    reports = tuple(f"“{name}”" for name in names)
    if EPSILON_MIN <= epsilon < math.inf:
        response = mechanism(Context.plain(k, epsilon), "randomized-response")
        return Candidate(title, response.exact_channel(), reports, response)
    truth, lie = (Fraction(1), Fraction(0)) if epsilon == math.inf else (Fraction(1, k),) * 2
    rows = [[truth if x == y else lie for y in range(k)] for x in range(k)]
    return Candidate(title, rows, reports)


def _context_mechanism(matrix: DenseMatrix, channel: str) -> Mechanism:
    context = as_context(matrix)
    assert context is not None  # by `titles_for`
    return mechanism(context, channel)


def _distance(matrix: DenseMatrix) -> DistanceMetric | None:
    try:
        return DistanceMetric.of(matrix.entries, 1.0) if matrix.entries.any() else None
    except CaldpError:
        return None


_MAKERS: Final[dict[str, Callable[[DenseMatrix, str], Mechanism]]] = {
    "exponential": lambda matrix, _: MECHANISMS["exponential"].make(_distance(matrix)),
    "binary": lambda matrix, _: MECHANISMS["binary"].make(
        BinaryPolicy(float(matrix.entries[0, 1]), float(matrix.entries[1, 0]))
    ),
}


def above(gap: float) -> str:
    """How much better another channel could be, in words. `gap`: as a share, at least 0."""
    most = "less than 0.01" if gap < 1e-4 else f"at most {100 * gap:.2g}"
    return f"{most} % above what any channel can do"


def designed(found: Mechanism, gap: float, named: str = "Designed") -> Candidate:
    """The candidate of a designed mechanism. `gap`: see `above`; `named`: begins its title."""
    return Candidate(
        f"{named}: {above(gap)}", found.exact_channel(), _numbered(found.outputs), found
    )


def _numbered(outputs: int) -> tuple[str, ...]:
    return tuple(f"report {y + 1}" for y in range(outputs))


def _pasted(text: str, k: int) -> Candidate:
    """Rows of numbers or fractions; read exactly, as 0.1 is a tenth."""
    check_pasted(text)
    lines = [line for line in text.replace(";", "\n").splitlines() if line.strip()]
    rows = [[_entry(part) for part in re.split(r"[,\s]+", line.strip()) if part] for line in lines]
    require(
        len(rows) == k and len({len(row) for row in rows}) == 1,
        f"A channel for this matrix needs {k} lines, all with as many numbers, got "
        f"{formats.count(len(rows), 'line', 'lines')}; write one line a value.",
    )
    require(
        len(rows[0]) <= OUTPUTS_MAX,
        f"A channel may have at most {OUTPUTS_MAX} reports, got {len(rows[0]):,}; leave some out.",
    )
    return Candidate("The pasted channel", rows, _numbered(len(rows[0])))


def _entry(text: str) -> Fraction:
    require(
        _NUMBER.fullmatch(text) is not None and not re.search(r"/0*$", text),
        f"A channel's entry must be a number such as 0.25 or 1/4, got {text[:20]!r}.",
    )
    above, _, below = text.partition("/")
    return Fraction(above) / Fraction(below or 1)


def as_text(channel: Sequence[Sequence[Fraction]]) -> str:
    """A channel as it can be pasted again, exactly."""
    return "\n".join(" ".join(str(entry) for entry in row) for row in channel)


def even_variance(found: Mechanism) -> float:
    """Σ n·Var(p̂_x) where all values are equally common: what the designer minimises."""
    k = found.k
    return float(np.sum(found.variance(np.full(k, 1.0 / k), 1)))
