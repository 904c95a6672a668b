"""Privacy matrices beyond contexts: any dense E, sums, closure; and whom a policy protects.

Sums of levels are rounded up, so that a promise that is derived here is never stronger than what
follows from its parts.

A symbol x is protected where E[x, x′] is finite for some other x′. Where that is so for no x′, no
mechanism needs to hide x, and no ε stands for it, whatever ε the policy names.
"""

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, check_number, check_symbols, require
from caldp_core.basics.limits import DENSE_MAX_ENTRIES, EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Bools, EqualByFields, Floats, read_only
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix, dense
from caldp_core.privacy.distance import EuclideanMetric, GridMetric


@dataclass(frozen=True, eq=False)
class DenseMatrix(EqualByFields):
    """Any E, written out: (k, k) `entries` in [0, ∞], 0 on the diagonal, read-only.

    Row = the symbol that is protected (CALDP Definition 2). Build it with `DenseMatrix.of`.
    """

    entries: Floats

    @classmethod
    def of(cls, entries: ArrayLike) -> "DenseMatrix":
        """Check and freeze a copy. Raises `CaldpError`."""
        try:
            levels = np.array(entries, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise CaldpError("entries must be a square matrix of numbers.") from None
        require(
            levels.ndim == 2 and levels.shape[0] == levels.shape[1] and levels.size > 0,
            f"entries must be a square matrix, got shape {levels.shape}.",
        )
        require(
            levels.size <= DENSE_MAX_ENTRIES,
            f"entries must be at most {DENSE_MAX_ENTRIES:,}, got {levels.size:,}.",
        )
        wrong = ~(levels >= 0)
        if wrong.any():
            raise CaldpError(f"entries must be in [0, inf], got {float(levels[wrong][0])!r}.")
        diagonal = levels.diagonal()
        if diagonal.any():
            raise CaldpError(
                f"entries must be 0 on the diagonal, got {float(diagonal[diagonal != 0][0])!r}."
            )
        return cls(read_only(levels))

    @property
    def k(self) -> int:
        """Domain size."""
        return len(self.entries)

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] pair by pair: (n,) and (n,) symbols → (n,) nats (see `PrivacyMatrix`)."""
        left, right = check_symbols("x", x, self.k), check_symbols("x_other", x_other, self.k)
        return np.asarray(self.entries[left, right])


@dataclass(frozen=True, eq=False)
class ReleasedTogether(EqualByFields):
    """E₁ + E₂ + …: the promise of several releases about one symbol together (CALDP Prop. 2).

    Nothing is written out, so contexts of any size add up. Build it with `released_together`.
    """

    parts: tuple[PrivacyMatrix, ...]

    @property
    def k(self) -> int:
        """Domain size."""
        return self.parts[0].k

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] pair by pair: (n,) and (n,) symbols → (n,) nats (see `PrivacyMatrix`)."""
        total = self.parts[0].between(x, x_other)
        for part in self.parts[1:]:
            total = sum_up(total, part.between(x, x_other))
        return total


def released_together(*parts: PrivacyMatrix) -> ReleasedTogether:
    """The sum of one or more matrices of one domain; raises `CaldpError` for unlike sizes."""
    sizes = {part.k for part in parts}
    require(len(sizes) == 1, f"Releases add up over one domain, got domain sizes {sorted(sizes)}.")
    return ReleasedTogether(parts)


def closure(matrix: PrivacyMatrix) -> DenseMatrix:
    """E's shortest-path closure, which E implies: E[x, z] ≤ E[x, y] + E[y, z] for all x, y, z.

    Since Q(S|x) ≤ e^{E[x,y]}·Q(S|y) ≤ e^{E[x,y]+E[y,z]}·Q(S|z). Contexts are closed already.
    Floyd–Warshall, O(k³); raises `CaldpError` where `dense` does.
    """
    shortest = dense(matrix).copy()
    for middle in range(matrix.k):
        into, out = shortest[:, middle], shortest[middle]
        x, z = np.nonzero(into[:, None] + out < shortest)
        shortest[x, z] = np.minimum(shortest[x, z], sum_up(into[x], out[z]))
    return DenseMatrix(read_only(shortest))


def as_context(matrix: PrivacyMatrix) -> Context | None:
    """The context that promises exactly what this matrix does; None where there is none.

    Sensitive are symbols with a finite level, each in one block with all against which it is
    protected. Raises `CaldpError` where `dense` does.
    """
    levels = dense(matrix)
    finite = np.isfinite(levels) & ~np.eye(matrix.k, dtype=np.bool_)
    labels = np.arange(matrix.k)
    for x, other in np.argwhere(finite).tolist():
        labels[labels == labels[other]] = labels[x]
    kinds, blocks = np.unique(labels, return_inverse=True)
    epsilon = np.ones(kinds.size)
    for x in np.flatnonzero(finite.any(axis=1)).tolist():
        epsilon[blocks[x]] = levels[x, finite[x]][0]
    if not ((epsilon >= EPSILON_MIN) & (epsilon <= EPSILON_MAX)).all():
        return None
    context = Context.of(blocks.astype(np.int64), finite.any(axis=1), epsilon)
    return context if bool((dense(context) == levels).all()) else None


def sum_up(a: Floats, b: Floats) -> Floats:
    """a + b ≥ 0 of any shape, rounded up to the next float where not exact; ∞ stays ∞."""
    total = a + b
    with np.errstate(invalid="ignore"):
        # Knuth's two-sum: the exact a + b is total + lost; ∞ − ∞ gives NaN, which is not > 0.
        back = total - a
        lost = (a - (total - back)) + (b - back)
    return np.where(lost > 0, np.nextafter(total, np.inf), total)


@dataclass(frozen=True)
class BinaryPolicy:
    """E of two symbols: E[0, 1] = `epsilon_01`, E[1, 0] = `epsilon_10`, each in [0, ∞] nats.

    Raises `CaldpError` for anything else.
    """

    epsilon_01: float
    epsilon_10: float

    def __post_init__(self) -> None:
        for name in ("epsilon_01", "epsilon_10"):
            check_number(name, getattr(self, name), 0.0, math.inf)

    @property
    def k(self) -> int:
        """Domain size."""
        return 2

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] pair by pair: (n,) and (n,) symbols → (n,) nats (see `PrivacyMatrix`)."""
        left, right = check_symbols("x", x, 2), check_symbols("x_other", x_other, 2)
        toward = np.where(left == 0, self.epsilon_01, self.epsilon_10)
        return np.where(left == right, 0.0, toward)


_NAMED: Final = 5
"""Most names in a sentence."""


@dataclass(frozen=True, eq=False)
class Coverage(EqualByFields):
    """(k,) flags of symbols, read-only.

    `protected`: E[x, x′] is finite for some x′ ≠ x. `in_clear`: no E[x, x′] and no E[x′, x] is, so
    x hides among nobody, nobody hides behind x, and every report of it may name it. `sensitive`:
    those that are marked to be protected; of policies without marks all but the symbols that others
    hide behind.
    """

    protected: Bools
    in_clear: Bools
    sensitive: Bools

    @property
    def exposed(self) -> Bools:
        """(k,) sensitive symbols that nothing protects, such as those alone in their block."""
        return read_only(self.sensitive & ~self.protected)


@singledispatch
def coverage(policy: PrivacyMatrix) -> Coverage:
    """The coverage of a policy: contexts and grids of any size, others row by row, k² entries."""
    others = np.arange(policy.k)
    protected, covers = np.zeros(policy.k, np.bool_), np.zeros(policy.k, np.bool_)
    for x in range(policy.k):
        finite = np.isfinite(policy.between(np.full(policy.k, x), others)) & (others != x)
        protected[x] = finite.any()
        covers |= finite
    in_clear = ~(protected | covers)
    return Coverage(*map(read_only, (protected, in_clear, protected | in_clear)))


@coverage.register
def _of_context(policy: Context) -> Coverage:
    in_clear = (policy.hidden_sizes == 0)[policy.blocks]
    return Coverage(policy.hidden(), read_only(in_clear), policy.sensitive)


@coverage.register
def _of_tags(policy: PersonalPolicy) -> Coverage:
    """Of places as such: somebody's own place is as protected as the tag that stands for it."""
    found = _of_context(policy.with_tags())
    return Coverage(
        found.protected[: policy.k], found.in_clear[: policy.k], found.sensitive[: policy.k]
    )


@coverage.register(GridMetric)
@coverage.register(EuclideanMetric)
def _of_grid(policy: GridMetric | EuclideanMetric) -> Coverage:
    everything = np.ones(policy.k, np.bool_)
    several = everything & (policy.k > 1)
    return Coverage(*map(read_only, (several, ~several, everything)))


def value_names(domain: Domain | GridDomain, flags: Bools) -> list[str]:
    """The names of the flagged values: an answer's text, or a cell's centre."""
    return [domain.name_of(x) for x in np.flatnonzero(flags).tolist()]


def names_text(names: list[str]) -> str:
    """Names for a sentence: “a”, “b” and “c”; of more than 5, some and how many others."""
    quoted = [f"“{name}”" for name in names[:_NAMED]]
    rest = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    *first, last = quoted + rest
    return f"{', '.join(first)} and {last}" if first else last


def exposed_clause(names: list[str], text: str = "") -> str:
    """That exposed values of these names are protected by nothing; "" without any.

    `text`: what to call them, if not by name.
    """
    if not names:
        return ""
    are = "is" if len(names) == 1 else "are"
    return f"{text or names_text(names)} {are} protected by nothing and sent in clear"
