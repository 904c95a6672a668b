"""The subset selection family in every context: Ye & Barg 2018, Wang et al. 2016.

A block with s hidden symbols sends subsets of ω of them, ω ≈ s/(e^ε + 1). Everybody sends a uniform
subset with probability λ = s/(s + ω(e^ε − 1)); otherwise a hidden x sends x with ω − 1 uniform
others. So a subset is e^ε times as likely from those it includes, which is Ye & Barg's channel: x
is included with probability ωe^ε/(ωe^ε + s − ω). With ω = 1 it is k-RR. As every subset includes
some symbol, λ is also the least that covers the hidden ones.

docs/derivations.md, “Subset selection, drawn”, has the derivation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import K_MAX, OUTPUTS_MAX
from caldp_core.basics.types import Floats, Ints, Reports, Words, WordSource, counts_by
from caldp_core.mechanisms.capabilities import SupportForm
from caldp_core.mechanisms.oracles import supports
from caldp_core.mechanisms.randomness import COIN_ONE, WORD_BITS, flip_coins, uniform_threshold

_ONE: Final = np.uint64(1)
_WORD_MASK: Final = np.uint64(WORD_BITS - 1)
_DIGITS_MAX: Final = 12
_TRY_COST: Final = 8.0
"""Time of one try to set a bit, in draws of a random word (measured: 5 to 12)."""
_CHUNK_WORDS: Final = 1 << 17
"""Words of rows in one chunk, so that they stay in the cache."""


@dataclass(frozen=True, eq=False)
class _Flips:
    """In each row `at`, flip `times` uniform bits that are `value`; not bit `spared`, if ≥ 0."""

    at: Ints
    times: Ints
    spared: Ints
    value: bool


def random_subsets(size: int, omega: int, forced: Ints, words: WordSource) -> Words:
    """(n, words) a uniform subset of `omega` out of `size` bits per row.

    `forced`: (n,) a bit that the row must hold, the others uniform; −1 for none.
    """
    rows = _coin_bits(forced.size, size, best_coin(size, omega), words)
    rows &= supports.full_mask(size)
    rows_forced = np.flatnonzero(forced >= 0)
    supports.set_bits(rows, rows_forced, forced[rows_forced], np.ones(rows_forced.size, np.bool_))
    surplus = np.bitwise_count(rows).sum(axis=1, dtype=np.int64) - omega
    short, long = np.flatnonzero(surplus < 0), np.flatnonzero(surplus > 0)
    flips = _Flips(short, -surplus[short], np.full(short.size, -1), False)
    _toggle(rows, size, flips, words)
    _toggle(rows, size, _Flips(long, surplus[long], forced[long], True), words)
    return rows


def best_coin(size: int, omega: int) -> tuple[int, int]:
    """(digits, numerator): the q = numerator/2^digits at which a row is cheapest."""

    def cost(digits: int, numerator: int) -> float:
        mean, share = size * numerator / 2.0**digits, omega / size
        spread = float(np.sqrt(mean * (1.0 - numerator / 2.0**digits)))
        missing = abs(omega - mean) + 0.8 * spread
        tries = 1.0 / max(1.0 - share if mean <= omega else share, 1.0 / size)
        return digits * supports.words_for(size) + _TRY_COST * missing * tries

    coins = [(0, 0)]
    coins += [(digits, (omega << digits) // size) for digits in range(1, _DIGITS_MAX + 1)]
    return min(coins, key=lambda coin: cost(*coin))


def _coin_bits(n: int, size: int, coin: tuple[int, int], words: WordSource) -> Words:
    """(n, words) bits that are 1 with probability numerator/2^digits each.

    A fresh random bit before the last digit halves the probability; a digit 1 adds a half.
    """
    digits, numerator = coin
    width = supports.words_for(size)
    rows = np.zeros((n, width), np.uint64)
    for digit in range(digits):
        drawn = words(n * width).reshape(n, width)
        if numerator >> digit & 1:
            rows |= drawn
        else:
            rows &= drawn
    return rows


def _toggle(rows: Words, size: int, flips: _Flips, words: WordSource) -> None:
    """Flip bits in place."""
    flat, width = rows.reshape(-1), rows.shape[1]
    bits = max(1, (size - 1).bit_length())
    mask = np.uint64((1 << bits) - 1)
    start, remaining = flips.at * width, flips.times.copy()
    spare = flips.spared.astype(np.uint64)
    while start.size:
        drawn = words(start.size)
        for used in range(0, WORD_BITS - bits + 1, bits):
            place = (drawn >> np.uint64(used)) & mask
            # A place beyond the row is a try that failed: `take` may look anywhere.
            index = start + np.minimum(place >> np.uint64(6), width - 1).astype(np.int64)
            word, bit = flat.take(index), _ONE << (place & _WORD_MASK)
            good = ((word & bit) != 0) == flips.value
            good &= (place < size) & (place != spare) & (remaining > 0)
            flat[index] = word ^ (bit * good)
            remaining -= good
        on = np.flatnonzero(remaining)
        if on.size < start.size:
            start, remaining, spare = start[on], remaining[on], spare[on]


def sample_supports(truths: Ints, uniform: Ints, omega: int, rng: np.random.Generator) -> Ints:
    """(blocks, s) how many subsets of ω symbols include each symbol; exact up to rounding in p.

    `truths`: (blocks, s) people whose subset must include that symbol and is uniform otherwise;
    `uniform`: (blocks,) people with a uniform subset. Symbols are halved until each is alone.
    People are counted by their need, the number of a part's symbols that they have yet to take:
    first those who are free, then those who must include another symbol of that part besides.
    """
    blocks, size = truths.shape
    tree = [np.array([size])]
    while tree[-1].max() > 1:
        tree.append(np.stack([(tree[-1] + 1) // 2, tree[-1] // 2], axis=1).ravel())
    alone = tree[-1] == 1
    own = [np.zeros((blocks, alone.size), np.int64)]
    own[0][:, alone] = truths
    while own[-1].shape[1] > 1:
        own.append(own[-1].reshape(blocks, -1, 2).sum(axis=2))
    low = (omega - 1) // 2 * 2
    people = np.zeros((2, blocks, 1, 4), np.int64)
    people[0, :, 0, omega - low], people[1, :, 0, omega - 1 - low] = uniform, own[-1][:, 0]
    for sizes, of_halves in zip(tree[:-1], own[-2::-1], strict=True):
        free, bound = people
        free[..., :1] *= low > 0  # nothing is to follow of a need of 0
        to_first = choose(bound, of_halves[:, ::2], rng)
        low, people = _halve(np.stack([free, to_first, bound - to_first]), low, sizes, rng)
    return np.asarray(truths + people[0][:, alone, 1])


def _halve(people: Ints, low: int, sizes: Ints, rng: np.random.Generator) -> tuple[int, Ints]:
    """The least need, and (2, blocks, 2·parts, needs) free and bound people of all halves.

    `people`: (3, blocks, parts, needs) by need from `low` on, an even number: free, bound to the
    first half, bound to the second. `sizes`: (parts,) symbols.
    """
    needs, size = people.shape[-1], int(sizes.max())
    # Beyond 12 standard deviations + 30 a hypergeometric has less than e^−55 (Bernstein).
    reach = min(int(3 * (size + 1) ** 0.5) + 30, size // 2 + 1)
    reach += (low // 2 - reach) % 2
    kinds, kind = np.unique(sizes, return_inverse=True)
    first = np.concatenate([(kinds + 1) // 2 - bound for bound in (0, 1, 0)])
    second = np.concatenate([kinds // 2 - bound for bound in (0, 0, 1)])
    columns = np.argsort(np.abs(np.arange(-reach, reach + 1)), kind="stable")
    weights = halving_weights(np.arange(low, low + needs), first, second, reach)
    weights = weights.reshape(columns.size, -1)
    # Summed from the small end: a difference from 1 would be all rounding there.
    rest = np.cumsum(weights[columns[::-1]], axis=0)[::-1]
    chances = np.divide(weights[columns], rest, out=np.ones_like(rest), where=rest > 0)
    at = np.flatnonzero(people)
    row, need = np.divmod(at, needs)
    all_parts = people[0, ..., 0].size
    group, part = np.divmod(row, all_parts)
    law = group * kinds.size + kind[row % sizes.size]
    width = 2 * reach + needs // 2 + 2 - needs // 2 % 2
    # Who is bound to the first half is free in the second.
    begin = ((group == 1) * all_parts + part) * 2 * width + need // 2
    end = ((group == 2) * all_parts + part) * 2 * width + width + (need + 1) // 2 + 2 * reach
    state = np.stack([people.ravel()[at], law * needs + need, begin, end])
    after = np.zeros(4 * all_parts * width, np.int64)
    for number, (column, chance) in enumerate(zip(columns.tolist(), chances, strict=True)):
        if number % 4 == 0:  # those who are all placed are set aside now and then
            state = state[:, state[0] > 0]
        waiting, law, begin, end = state
        taken = rng.binomial(waiting, chance[law])
        waiting -= taken
        np.add.at(after, begin + column, taken)
        np.add.at(after, end - column, taken)
    after = after.reshape(2, people.shape[1], -1, width)
    some = np.flatnonzero(np.bitwise_or.reduce(after.reshape(-1, width))) // 2 * 2
    least, stop = (int(some[0]), int(some[-1]) + 2) if some.size else (0, 2)
    return low // 2 - reach + least, after[..., least:stop]


def choose(people: Ints, number: Ints, rng: np.random.Generator) -> Ints:
    """(…, kinds) a uniform choice of (…) `number` of each row's people, by kind; exact.

    Everybody's coin is thrown, and as many as are missing or too many are chosen by the same rule.
    """
    share = number / np.maximum(people.sum(axis=-1), 1)
    chosen = rng.binomial(people, share[..., None])
    missing = number - chosen.sum(axis=-1)
    rows = np.nonzero(missing)
    if rows[0].size:
        sign, some = np.sign(missing[rows])[:, None], chosen[rows]
        pool = np.where(sign > 0, people[rows] - some, some)
        chosen[rows] += sign * choose(pool, np.abs(missing[rows]), rng)
    return chosen


def halving_weights(needs: Ints, first: Ints, second: Ints, reach: int) -> Floats:
    """(2·reach + 1, laws, needs) weights of taking need//2 − reach … + reach from the first half.

    Of (laws,) `first` and `second` symbols. Hypergeometric, up to a factor for each law and need,
    by ratios of neighbours: logarithms of factorials would cost digits.
    """
    a, b = first[:, None], second[:, None]
    taken = needs // 2 + np.arange(-reach, reach + 1)[:, None, None]
    others = needs - taken
    possible = (taken >= 0) & (taken <= a) & (others >= 0) & (others <= b)
    ratios = np.ones(possible.shape)
    later = possible & (taken > 0) & (others < b)
    np.divide((a - taken + 1) * (others + 1), taken * (b - others), out=ratios, where=later)
    logs = np.cumsum(np.log(ratios, out=ratios), axis=0)
    logs[~possible] = -np.inf
    return np.asarray(np.exp(logs - np.maximum(logs.max(axis=0), -1e300)))


ChoiceOfOmega: TypeAlias = Callable[[Ints, Floats], Ints]
"""(m,) hidden symbols per block and (m,) ε → (m,) sizes of subsets."""


class SubsetSelectionOracles(supports.PackedReports):
    """Subset selection of all blocks; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,).

    `choose`: (m,) sizes and (m,) ε → (m,) whole ω, 1 ≤ ω < s where a block hides two or more.
    A report is a subset of ω of the block's hidden symbols, see `PackedReports`.
    """

    def __init__(self, sizes: Ints, epsilon: Floats, choose: ChoiceOfOmega | None = None) -> None:
        self._omega = (choose or best_omega)(sizes, epsilon)
        noise = uniform_threshold(sizes, self._omega, epsilon)
        super().__init__(sizes, noise, support_probabilities(sizes, self._omega, noise / COIN_ONE))
        kinds = np.stack([sizes, self._omega])
        self._kinds, self._kind = np.unique(kinds, axis=1, return_inverse=True)

    @property
    def settings(self) -> tuple[Ints, ...]:
        """ω of every block."""
        return (self._omega,)

    @property
    def device_numbers(self) -> dict[str, Ints | Words]:
        """See `HasDeviceNumbers`: `omega` of `size` symbols are sent."""
        return {"size": self._sizes, "omega": self._omega}

    def privatize(self, rank: Ints, words: WordSource) -> Reports:
        """(n,) ranks → (n,) reports."""
        block = self._block[rank]
        uniform = flip_coins(words(rank.size), self.cover_threshold[block])
        return self._draw(block, np.where(uniform, -1, rank - self._starts[block]), words)

    def privatize_base(self, block: Ints, words: WordSource) -> Reports:
        """(n,) blocks → (n,) reports of uniform subsets."""
        return self._draw(block, np.full(block.size, -1), words)

    def _draw(self, block: Ints, forced: Ints, words: WordSource) -> Reports:
        reports = self.blank_records(block)
        kind = self._kind[block]
        for number, (size, omega) in enumerate(self._kinds.T.tolist()):
            at, width = np.flatnonzero(kind == number), supports.words_for(size)
            step = max(1, _CHUNK_WORDS // max(1, width))
            for start in range(0, at.size, step):
                part = at[start : start + step]
                rows = random_subsets(size, omega, forced[part], words)
                reports["bits"][part, :width] = rows
        return reports

    def columns_of(self, block: int) -> int:
        """C(s, ω), or more than 10^18 if there are more."""
        return _subsets(int(self._sizes[block]), int(self._omega[block]))

    def rows_of(self, block: int) -> Words:
        """(C(s, ω), words) subsets as `itertools.combinations` gives them."""
        size, omega = int(self._sizes[block]), int(self._omega[block])
        subsets = np.array(list(combinations(range(size), omega)))
        rows = np.zeros((len(subsets), supports.words_for(size)), np.uint64)
        for symbol in subsets.T:
            supports.set_bits(rows, np.arange(len(rows)), symbol, np.ones(len(rows), np.bool_))
        return rows

    def check_rows(self, rows: Words, block: int) -> None:
        """Raise `CaldpError` unless all of (n, words) rows hold ω symbols."""
        number = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
        require(
            bool((number == self._omega[block]).all()),
            f"reports must be subsets of {self._omega[block]} values in block {block}; "
            "pass what privatize or client_report returned.",
        )

    def _sent(self, truths: Ints, noise: Ints, rng: np.random.Generator) -> Ints:
        included = np.zeros_like(truths)
        for number, (size, omega) in enumerate(self._kinds.T.tolist()):
            if size:
                blocks = np.flatnonzero(self._kind == number)
                at = self._starts[blocks][:, None] + np.arange(size)
                included[at] = sample_supports(truths[at], noise[blocks], omega, rng)
        per_block = counts_by(self._block, truths, noise.size) + noise
        return np.concatenate([included, per_block])

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """Numerators over 2^48·ω·C(s, ω): λ's share ω·N, and s·(2^48 − N) more if included."""
        size, omega = int(self._sizes[block]), int(self._omega[block])
        noise = int(self.cover_threshold[block])
        subsets = list(combinations(range(size), omega))
        lie, truth = omega * noise, omega * noise + size * (COIN_ONE - noise)
        rows = [[truth if x in subset else lie for subset in subsets] for x in range(size)]
        rows.append([omega * COIN_ONE] * len(subsets))
        return (
            self.first_column(block),
            np.array(rows, dtype=object),
            COIN_ONE * omega * len(subsets),
        )

    def none_included(self, block: int, ranks: Ints) -> Floats:
        """(r + 1,) C(s − i, ω)/C(s, ω), the subset avoiding i symbols one after another."""
        size, omega = int(self._sizes[block]), int(self._omega[block])
        remaining = size - np.arange(ranks.size)
        avoids = np.maximum(remaining - omega, 0) / remaining
        return np.concatenate([[1.0], np.cumprod(avoids)])

    def support_form(self, block: int) -> SupportForm:
        """x sends λ of all C(s, ω) subsets and 1 − λ of the C(s, ω)·ω/s that include x."""
        lie = Fraction(int(self.cover_threshold[block]), COIN_ONE)
        share = Fraction(int(self._omega[block]), int(self._sizes[block]))
        return SupportForm(lie + (1 - lie) / share, lie, share)


def support_probabilities(sizes: Ints, omega: Ints, share: Floats) -> supports.SupportProbabilities:
    """Probabilities of inclusion for subsets of ω of s symbols, by counting; `share`: (m,) λ."""
    s, w = np.maximum(sizes, 1).astype(np.float64), omega.astype(np.float64)
    one, two = np.maximum(s - 1.0, 1.0), np.maximum(s - 2.0, 1.0)
    uniform_pair = w * (w - 1.0) / (s * one)
    # A block of one symbol has no others: any r will do, and this one makes a − r = 1 − λ.
    contrast = np.where(sizes > 1, (s - w) / one, 1.0)
    own = share * w / s + (1.0 - share)
    return supports.SupportProbabilities(
        own=own,
        other=own - (1.0 - share) * contrast,
        base=w / s,
        own_pair=share * uniform_pair + (1.0 - share) * (w - 1.0) / one,
        other_pair=share * uniform_pair + (1.0 - share) * (w - 1.0) * (w - 2.0) / (one * two),
        base_pair=uniform_pair,
        gain=(1.0 - share) * contrast,
        clear=share * contrast / s,
    )


def best_omega(sizes: Ints, epsilon: Floats, hidden: float = 1.0) -> Ints:
    """(m,) the ω with the least total variance, by bisection: it falls with ω and then rises.

    `hidden`: the share of a block's people whose symbol is hidden, in [0, 1]. With 1, all of them,
    it is one of the two whole numbers next to s/(e^ε + 1).
    """

    def total(omega: Ints) -> Floats:
        cover = sizes / np.maximum(sizes + omega * np.expm1(epsilon), 1.0)
        return support_probabilities(sizes, omega, cover).expected_square(sizes, cover, hidden)

    low, high = np.ones_like(sizes), np.maximum(sizes - 1, 1)
    while bool((low < high).any()):
        middle = (low + high) // 2
        falls = (total(np.minimum(middle + 1, high)) < total(middle)) & (low < high)
        low, high = np.where(falls, middle + 1, low), np.where(falls, high, middle)
    return low


def same_omega(sizes: Ints, _: Floats, omega: int) -> Ints:
    """(m,) this ω ≥ 1 in every block, whatever ε; raises `CaldpError`.

    A block of s ≥ 2 hidden symbols needs ω < s; a lone one can only be named.
    """
    several = sizes[sizes > 1]
    require(
        bool((several > omega).all()),
        f"omega must be below the number of sensitive values of every block, got {omega} "
        f"where a block has {int(several.min(initial=K_MAX))}; choose a smaller one.",
    )
    return np.where(sizes > 1, omega, 1)


def _subsets(size: int, omega: int) -> int:
    """C(s, ω) for s > 0, but no more than is needed to see that it is above the limit."""
    number = 1 if size else 0
    for i in range(min(omega, size - omega)):
        number = number * (size - i) // (i + 1)
        if number > OUTPUTS_MAX:
            break
    return number
