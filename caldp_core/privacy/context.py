"""Policies: contexts (blocks + sensitive set + ε), personal ones, and the matrix E of each.

Whether a mechanism keeps one, `audit/` checks.
"""

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caldp_core.basics.errors import (
    CaldpError,
    as_array,
    check_epsilon,
    check_k,
    check_number,
    check_symbols,
    count_text,
    require,
)
from caldp_core.basics.limits import DENSE_MAX_ENTRIES, EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Bools, EqualByFields, Floats, Ints, read_only

_SUM_ROUNDING = 1e-9


class PrivacyMatrix(Protocol):
    """E of CALDP Definition 2: Q(S|x) ≤ e^{E[x, x′]}·Q(S|x′) for all outputs S; row = protected."""

    @property
    def k(self) -> int:
        """Domain size."""

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] for each pair: (n,) symbols and (n,) symbols → (n,) floats in [0, ∞]."""


def check_policy(use: str, value: object) -> None:
    """Raise `CaldpError` unless it is a policy; `use` begins the sentence: "An audit takes"."""
    require(
        hasattr(value, "between"),
        f"{use} a policy, got one of type {type(value).__name__}; make one with "
        "Context.of(blocks, sensitive, epsilon).",
    )


def dense(matrix: PrivacyMatrix) -> Floats:
    """(k, k) all entries of E; raises `CaldpError` above `DENSE_MAX_ENTRIES` entries."""
    k = matrix.k
    require(
        k * k <= DENSE_MAX_ENTRIES,
        f"A dense privacy matrix may have at most {DENSE_MAX_ENTRIES:,} entries, "
        f"k = {k:,} would need {k * k:,}; ask for single pairs with between().",
    )
    x, other = np.divmod(np.arange(k * k), k)
    return matrix.between(x, other).reshape(k, k)


@dataclass(frozen=True, eq=False, repr=False)
class Context(EqualByFields):
    """Blocks + sensitive set + ε: the one policy of which all of the sources' are special cases.

    E[x, x′] = ε of x's block if x is sensitive and x′ is in the same block, else ∞; 0 for x = x′.
    One block and everything sensitive is plain LDP; one block is high-low LDP (CALDP Def. 3);
    everything sensitive is block-structured LDP (CALDP Def. 4).

    `blocks`: (k,) int64 labels, every one of 0 … m−1 used. `sensitive`: (k,) bool.
    `epsilon`: (m,) floats in [0.001, 20]. All read-only. Build it with `Context.of`.
    """

    blocks: Ints
    sensitive: Bools
    epsilon: Floats

    @classmethod
    def of(cls, blocks: ArrayLike, sensitive: ArrayLike, epsilon: ArrayLike) -> "Context":
        """Check and freeze; `epsilon` is one number or one per block. Raises `CaldpError`.

        `blocks`: (k,) whole numbers from 0 on, or texts, numbered as they first come: of
        `["habit", "habit", "region"]` the blocks are 0, 0 and 1. `sensitive`: (k,) booleans.
        """
        labels = _labels(_numbered(as_array("blocks", blocks)))
        m = int(labels.max()) + 1
        flags = as_array("sensitive", sensitive)
        require(
            flags.shape == labels.shape and flags.dtype == np.bool_,
            f"sensitive must be {labels.size} booleans, got shape {flags.shape} of {flags.dtype}.",
        )
        levels = check_epsilon(epsilon)
        if levels.shape not in ((), (m,)):
            raise CaldpError(
                f"epsilon must be one number or one per block ({m}), got shape {levels.shape}."
            )
        full = np.broadcast_to(levels, (m,)).copy()
        return cls(read_only(labels.copy()), read_only(flags.copy()), read_only(full))

    @classmethod
    def plain(cls, k: int, epsilon: float) -> "Context":
        """Plain LDP: every pair of symbols equally secret (CALDP Def. 1)."""
        return cls.of(np.zeros(check_k(k), np.int64), np.ones(k, np.bool_), epsilon)

    @classmethod
    def high_low(cls, sensitive: ArrayLike, epsilon: float) -> "Context":
        """High-low LDP: only the sensitive set is protected (CALDP Def. 3)."""
        flags = as_array("sensitive", sensitive)
        return cls.of(np.zeros(flags.shape, np.int64), flags, epsilon)

    @classmethod
    def block_structured(cls, blocks: ArrayLike, epsilon: ArrayLike) -> "Context":
        """Block-structured LDP: hide where in the block, not which block (CALDP Def. 4)."""
        labels = as_array("blocks", blocks)
        return cls.of(labels, np.ones(labels.shape, np.bool_), epsilon)

    def __repr__(self) -> str:
        hidden, marked = self.hidden_symbols.size, np.count_nonzero(self.sensitive)
        alone = f" ({marked - hidden:,} alone, so not protected)" if marked > hidden else ""
        values = count_text(self.k, "value", "values")
        text = f"{values} in {count_text(self.m, 'block', 'blocks')}, {marked:,} sensitive"
        if not hidden:
            return f"<Context: {text}{alone}, nobody is protected>"
        levels = self.hidden_epsilon
        ends = " to ".join(f"{end:g}" for end in sorted({levels.min(), levels.max()}))
        return f"<Context: {text}{alone}, ε = {ends}>"

    @property
    def k(self) -> int:
        """Domain size."""
        return self.blocks.size

    @property
    def m(self) -> int:
        """Number of blocks."""
        return self.epsilon.size

    def block_sizes(self) -> Ints:
        """(m,) symbols in each block."""
        return self._sizes

    def hidden(self) -> Bools:
        """(k,) True where a report is randomised to hide the symbol.

        That is every sensitive symbol, but for those alone in their block: there E holds no
        finite entry, there is nothing to hide it among, and it is reported as it is.
        """
        return self._hidden

    @cached_property
    def _sizes(self) -> Ints:
        return read_only(np.bincount(self.blocks, minlength=self.m))

    @cached_property
    def _hidden(self) -> Bools:
        return read_only(self.sensitive & (self._sizes > 1)[self.blocks])

    @cached_property
    def hidden_symbols(self) -> Ints:
        """(s,) hidden symbols, block after block; cached for all mechanisms of the context."""
        hidden = self.hidden()
        by_block = np.argsort(self.blocks, kind="stable")
        return read_only(by_block[hidden[by_block]])

    @cached_property
    def clear_symbols(self) -> Ints:
        """(k − s,) all other symbols, in their own order."""
        return read_only(np.flatnonzero(~self.hidden()))

    @cached_property
    def hidden_sizes(self) -> Ints:
        """(m,) hidden symbols in each block."""
        return read_only(np.bincount(self.blocks[self.hidden_symbols], minlength=self.m))

    @property
    def hidden_epsilon(self) -> Floats:
        """(j,) ε of the blocks in which any symbol is hidden: of the others none stands."""
        return self.epsilon[self.hidden_sizes > 0]

    @cached_property
    def ranks(self) -> Ints:
        """(k,) place among the hidden symbols, or −1 minus the place among all others."""
        ranks = np.empty(self.k, np.int64)
        ranks[self.hidden_symbols] = np.arange(self.hidden_symbols.size)
        ranks[self.clear_symbols] = -1 - np.arange(self.clear_symbols.size)
        return read_only(ranks)

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] pair by pair: (n,) and (n,) symbols → (n,) nats (see `PrivacyMatrix`)."""
        left = check_symbols("x", x, self.k)
        right = check_symbols("x_other", x_other, self.k)
        block = self.blocks[left]
        protected = self.sensitive[left] & (block == self.blocks[right])
        return np.where(left == right, 0.0, np.where(protected, self.epsilon[block], np.inf))

    def fingerprint(self) -> str:
        """Hexadecimal digest that two contexts share only if they promise the same."""
        digest = hashlib.sha256(self.blocks.tobytes())
        digest.update(self.sensitive.tobytes())
        digest.update(self.epsilon.tobytes())
        return digest.hexdigest()


def _numbered(blocks: NDArray[Any]) -> NDArray[Any]:
    """Texts as numbers in the order in which they first come; all else as it is."""
    texts = blocks.dtype.kind in "UT" or (
        blocks.dtype.kind == "O" and all(isinstance(each, str) for each in blocks.flat)
    )
    if not texts or blocks.ndim != 1 or not blocks.size:
        return blocks
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(str(each), len(numbers)) for each in blocks], np.int64)


def _labels(labels: NDArray[Any]) -> Ints:
    require(
        labels.ndim == 1 and labels.size > 0 and labels.dtype.kind in "iu",
        f"blocks must be one whole number per symbol or one text each, "
        f"got shape {labels.shape} of {labels.dtype}.",
    )
    check_k(labels.size)
    require(int(labels.min()) >= 0, f"blocks must be labels from 0 on, got {int(labels.min())}.")
    require(
        int(labels.max()) < labels.size,
        f"blocks must be labels below k = {labels.size}, got {int(labels.max())}.",
    )
    empty = np.flatnonzero(np.bincount(labels) == 0)
    if empty.size:
        raise CaldpError(f"blocks must use every label from 0 on, label {int(empty[0])} is unused.")
    return labels.astype(np.int64)


@dataclass(frozen=True, eq=False)
class PersonalPolicy(EqualByFields):
    """A common sensitive set X_S and κ tags, at one ε.

    `sensitive`: (k,) bool, X_S. `shares`: (κ,) of the people at a place outside of X_S the share
    for whom it is their own place of each tag; the model of who people are, no promise.
    `background`: (κ, k) rows π_j that sum to 1, where the collector takes the tags' places to
    be; 0 on X_S. `epsilon`: in [0.001, 20]. Build it with `PersonalPolicy.of`.
    """

    sensitive: Bools
    shares: Floats
    background: Floats
    epsilon: float

    @classmethod
    def of(
        cls, sensitive: Bools, shares: ArrayLike, background: Floats, epsilon: float
    ) -> "PersonalPolicy":
        """Check and freeze copies; raises `CaldpError`."""
        parts = np.array(shares, np.float64)
        # Summed in rationals, so that what is left for people at other places is never negative.
        require(
            parts.ndim == 1
            and parts.size > 0
            and bool((parts >= 0).all())
            and sum(map(Fraction, parts.tolist())) <= 1,
            "shares must be one number per tag, none negative, that sum to at most 1, "
            f"got {shares!r}.",
        )
        flags, rows = np.array(sensitive, np.bool_), np.array(background, np.float64)
        require(
            rows.shape == (parts.size, flags.size),
            f"The background must have shape {(parts.size, flags.size)}, got {rows.shape}.",
        )
        off = np.abs(rows.sum(axis=1) - 1.0)
        wrong = np.flatnonzero(~((rows >= 0).all(axis=1) & (off <= _SUM_ROUNDING)))
        for tag in wrong[:1]:
            raise CaldpError(
                f"Every row of a background must hold shares that sum to 1, row {tag} sums to "
                f"{rows[tag].sum():g} with a least entry of {rows[tag].min():g}."
            )
        require(
            not rows[:, flags].any(),
            "The background must be 0 where a symbol is sensitive for everybody: "
            "nobody is tagged there.",
        )
        level = check_number("epsilon", epsilon, EPSILON_MIN, EPSILON_MAX)
        return cls(read_only(flags), read_only(parts), read_only(rows), level)

    @property
    def k(self) -> int:
        """Domain size without the tags."""
        return self.sensitive.size

    @property
    def tags(self) -> int:
        """κ, the number of tags."""
        return self.shares.size

    def with_tags(self) -> Context:
        """The context of the reports: X ∪ tags, of which X_S ∪ tags is sensitive."""
        flags = np.concatenate([self.sensitive, np.ones(self.tags, np.bool_)])
        return Context.high_low(flags, self.epsilon)

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] of what is sensitive for everybody: (n,) and (n,) symbols → (n,) nats.

        A person's own places are as secret: `with_tags` is the promise to one person.
        """
        left, right = check_symbols("x", x, self.k), check_symbols("x_other", x_other, self.k)
        level = np.where(self.sensitive[left], self.epsilon, np.inf)
        return np.where(left == right, 0.0, level)
