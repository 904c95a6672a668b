"""How a device draws its report, family by family: plain whole numbers, one person at a time.

`js/client.js` implements the same, coin for coin (docs/reports.md). A *cell* is what
an oracle sends before it is written down: a number, a row of bits as one whole number, or a hash's
three coefficients and its value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from caldp_core.basics.short_repr import short_repr
from caldp_core.collect.coins import Coins

Hash: TypeAlias = tuple[int, int, int, int]
Cell: TypeAlias = int | Hash
Numbers: TypeAlias = Mapping[str, int]
"""The whole numbers of one block, by name."""


@dataclass(frozen=True)
class Law:
    """A family's two laws: of the block's i-th hidden symbol, and of its base reports."""

    hidden: Callable[[Numbers, int, Coins], Cell]
    base: Callable[[Numbers, Coins], Cell]


def _randomized_response(numbers: Numbers, i: int, coins: Coins) -> int:
    return _any_symbol(numbers, coins) if coins.flip(numbers["cover"]) else numbers["first"] + i


def _any_symbol(numbers: Numbers, coins: Coins) -> int:
    return numbers["first"] + coins.uniform_below(numbers["size"])


def _hadamard(numbers: Numbers, i: int, coins: Coins) -> int:
    order, parts = numbers["order"], numbers["parts"]
    part, row = i % parts, i // parts + 1
    y, truth = coins.uniform_below(order), coins.flip(numbers["truth"])
    if parts > 1 and not truth:
        # Of the 2B − 1 halves for a lie two are each other part's, and one is one's own part's.
        step = (coins.uniform_below(2 * parts - 1) + 1) // 2
        if step:
            return numbers["first"] + (part + step) % parts * order + y
    odd = (row & y).bit_count() % 2 == 1
    if odd == truth:
        y ^= row & -row
    return numbers["first"] + part * order + y


def _any_cell(numbers: Numbers, coins: Coins) -> int:
    return numbers["first"] + coins.uniform_below(numbers["order"] * numbers["parts"])


def _galois(numbers: Numbers, i: int, coins: Coins) -> int:
    if coins.flip(numbers["cover"]):
        return _any_hyperplane(numbers, coins)
    if not numbers["degree"]:
        return numbers["first"] + i
    directions, q = _space(numbers)
    direction = coins.uniform_below(directions)
    y = _inner_product(_normal(direction, q), i, numbers)
    return numbers["first"] + y * directions + direction


def _any_hyperplane(numbers: Numbers, coins: Coins) -> int:
    directions, q = _space(numbers)
    return numbers["first"] + coins.uniform_below(directions * q)


def _space(numbers: Numbers) -> tuple[int, int]:
    """(directions, values of a hyperplane's y)."""
    if not numbers["degree"]:
        return 1, numbers["size"]
    q: int = 1 << numbers["degree"]
    return (q ** numbers["digits"] - 1) // (q - 1), q


def _normal(direction: int, q: int) -> int:
    """The packed normal: its last digit that is not 0 is 1, fewer digits come first."""
    one = 1
    while direction >= one:
        direction, one = direction - one, one * q
    return one + direction


def _inner_product(a: int, x: int, numbers: Numbers) -> int:
    m, total = numbers["degree"], 0
    while a and x:
        total ^= _product(a % (1 << m), x % (1 << m), m, numbers["modulus"])
        a, x = a >> m, x >> m
    return total


def _product(a: int, b: int, m: int, modulus: int) -> int:
    result = 0
    for bit in reversed(range(m)):
        result <<= 1
        if result >> m:
            result ^= modulus
        if a >> bit & 1:
            result ^= b
    return result


def _unary(numbers: Numbers, i: int, coins: Coins) -> int:
    drawn = (
        coins.flip(numbers["truth" if j == i else "stray"]) << j for j in range(numbers["size"])
    )
    return sum(drawn)


def _stray_bits(numbers: Numbers, coins: Coins) -> int:
    return sum(coins.flip(numbers["stray"]) << j for j in range(numbers["size"]))


def _subset(numbers: Numbers, i: int, coins: Coins) -> int:
    if coins.flip(numbers["cover"]):
        return _any_subset(numbers, coins)
    others = _floyd(numbers["size"] - 1, numbers["omega"] - 1, coins)
    below = others % (1 << i)
    return below | 1 << i | (others - below) << 1


def _any_subset(numbers: Numbers, coins: Coins) -> int:
    return _floyd(numbers["size"], numbers["omega"], coins)


def _floyd(size: int, members: int, coins: Coins) -> int:
    """Bits of a uniform subset of so many `members` (Floyd, in Bentley 1987)."""
    chosen = 0
    for last in range(size - members, size):
        drawn = coins.uniform_below(last + 1)
        chosen |= 1 << (last if chosen >> drawn & 1 else drawn)
    return chosen


def _local_hashing(numbers: Numbers, i: int, coins: Coins) -> Hash:
    prime, g = numbers["prime"], numbers["g"]
    c0, c1, c2 = (coins.uniform_below(prime) for _ in range(3))
    if coins.flip(numbers["cover"]):
        return c0, c1, c2, coins.uniform_below(g)
    return c0, c1, c2, ((c2 * i + c1) % prime * i + c0) % prime * g // prime


def _any_hash(numbers: Numbers, coins: Coins) -> Hash:
    c0, c1, c2 = (coins.uniform_below(numbers["prime"]) for _ in range(3))
    return c0, c1, c2, coins.uniform_below(numbers["g"])


LAWS: Final = {
    "randomized-response": Law(_randomized_response, _any_symbol),
    "hadamard": Law(_hadamard, _any_cell),
    "galois": Law(_galois, _any_hyperplane),
    "rappor": Law(_unary, _stray_bits),
    "oue": Law(_unary, _stray_bits),
    "subset-selection": Law(_subset, _any_subset),
    "local-hashing": Law(_local_hashing, _any_hash),
}


@dataclass(frozen=True, eq=False)
class Device:
    """All that a device needs: a family, its blocks' numbers, and where each symbol is.

    `blocks`: m records of whole numbers. `block_of`: (k,) label of each symbol; `rank_of`: (k,) its
    place among the block's hidden symbols, or −1 minus its place among all that are not hidden.
    `first_clear`: the first number or source that names such a symbol.
    """

    family: str
    first_clear: int
    blocks: Sequence[Numbers]
    block_of: Sequence[int]
    rank_of: Sequence[int]
    __repr__ = short_repr

    def draw(self, symbol: int, coins: Coins) -> tuple[int, Cell | None]:
        """(source, cell) of a person's report: the block and what its oracle sends.

        A symbol that is named has a source of its own, from `first_clear` on, and no cell.
        """
        label, place = self.block_of[symbol], self.rank_of[symbol]
        numbers, law = self.blocks[label], LAWS[self.family]
        if place >= 0:
            return label, law.hidden(numbers, place, coins)
        if coins.flip(numbers["cover"]):
            return label, law.base(numbers, coins)
        return self.first_clear - 1 - place, None
