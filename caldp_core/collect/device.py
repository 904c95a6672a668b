"""How a device draws its report, family by family: plain whole numbers, one person at a time.

`js/client.js` says the same in another language, coin for coin (docs/reports.md). A *cell* is what
an oracle sends before it is written down: a number, a row of bits as one whole number, or a hash's
three coefficients and its value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

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


def _randomized_response(of: Numbers, i: int, coins: Coins) -> int:
    return _any_symbol(of, coins) if coins.coin(of["cover"]) else of["first"] + i


def _any_symbol(of: Numbers, coins: Coins) -> int:
    return of["first"] + coins.below(of["size"])


def _hadamard(of: Numbers, i: int, coins: Coins) -> int:
    order, parts = of["order"], of["parts"]
    part, row = i % parts, i // parts + 1
    y, truth = coins.below(order), coins.coin(of["truth"])
    if parts > 1 and not truth:
        # Of the 2B − 1 halves for a lie two are each other part's, and one is one's own part's.
        step = (coins.below(2 * parts - 1) + 1) // 2
        if step:
            return of["first"] + (part + step) % parts * order + y
    odd = (row & y).bit_count() % 2 == 1
    if odd == truth:
        y ^= row & -row
    return of["first"] + part * order + y


def _any_cell(of: Numbers, coins: Coins) -> int:
    return of["first"] + coins.below(of["order"] * of["parts"])


def _galois(of: Numbers, i: int, coins: Coins) -> int:
    if coins.coin(of["cover"]):
        return _any_hyperplane(of, coins)
    if not of["degree"]:
        return of["first"] + i
    directions, q = _space(of)
    direction = coins.below(directions)
    y = _inner_product(_normal(direction, q), i, of)
    return of["first"] + y * directions + direction


def _any_hyperplane(of: Numbers, coins: Coins) -> int:
    directions, q = _space(of)
    return of["first"] + coins.below(directions * q)


def _space(of: Numbers) -> tuple[int, int]:
    """(directions, values of a hyperplane's y)."""
    if not of["degree"]:
        return 1, of["size"]
    q: int = 1 << of["degree"]
    return (q ** of["digits"] - 1) // (q - 1), q


def _normal(direction: int, q: int) -> int:
    """The packed normal: its last digit that is not 0 is 1, fewer digits come first."""
    one = 1
    while direction >= one:
        direction, one = direction - one, one * q
    return one + direction


def _inner_product(a: int, x: int, of: Numbers) -> int:
    m, total = of["degree"], 0
    while a and x:
        total ^= _product(a % (1 << m), x % (1 << m), m, of["modulus"])
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


def _unary(of: Numbers, i: int, coins: Coins) -> int:
    drawn = (coins.coin(of["truth" if j == i else "stray"]) << j for j in range(of["size"]))
    return sum(drawn)


def _stray_bits(of: Numbers, coins: Coins) -> int:
    return sum(coins.coin(of["stray"]) << j for j in range(of["size"]))


def _subset(of: Numbers, i: int, coins: Coins) -> int:
    if coins.coin(of["cover"]):
        return _any_subset(of, coins)
    others = _floyd(of["size"] - 1, of["omega"] - 1, coins)
    below = others % (1 << i)
    return below | 1 << i | (others - below) << 1


def _any_subset(of: Numbers, coins: Coins) -> int:
    return _floyd(of["size"], of["omega"], coins)


def _floyd(size: int, members: int, coins: Coins) -> int:
    """Bits of an even subset (Floyd, in Bentley 1987)."""
    chosen = 0
    for last in range(size - members, size):
        drawn = coins.below(last + 1)
        chosen |= 1 << (last if chosen >> drawn & 1 else drawn)
    return chosen


def _hashed(of: Numbers, i: int, coins: Coins) -> Hash:
    prime, g = of["prime"], of["g"]
    c0, c1, c2 = (coins.below(prime) for _ in range(3))
    if coins.coin(of["cover"]):
        return c0, c1, c2, coins.below(g)
    return c0, c1, c2, ((c2 * i + c1) % prime * i + c0) % prime * g // prime


def _any_hash(of: Numbers, coins: Coins) -> Hash:
    c0, c1, c2 = (coins.below(of["prime"]) for _ in range(3))
    return c0, c1, c2, coins.below(of["g"])


LAWS: Final = {
    "randomized-response": Law(_randomized_response, _any_symbol),
    "hadamard": Law(_hadamard, _any_cell),
    "galois": Law(_galois, _any_hyperplane),
    "rappor": Law(_unary, _stray_bits),
    "oue": Law(_unary, _stray_bits),
    "subset-selection": Law(_subset, _any_subset),
    "local-hashing": Law(_hashed, _any_hash),
}


@dataclass(frozen=True, eq=False)
class Device:
    """All that a device needs: a family, its blocks' numbers, and where each symbol is.

    `blocks`: m records of whole numbers. `block`: (k,) label of each symbol; `place`: (k,) its
    place among the block's hidden symbols, or −1 minus its place among all that are not hidden.
    `clear`: the first number or source that names such a symbol.
    """

    family: str
    clear: int
    blocks: Sequence[Numbers]
    block: Sequence[int]
    place: Sequence[int]

    def draw(self, symbol: int, coins: Coins) -> tuple[int, Cell | None]:
        """(source, cell) of a person's report: the block and what its oracle sends.

        A symbol that is named has a source of its own, from `clear` on, and no cell.
        """
        label, place = self.block[symbol], self.place[symbol]
        of, law = self.blocks[label], LAWS[self.family]
        if place >= 0:
            return label, law.hidden(of, place, coins)
        if coins.coin(of["cover"]):
            return label, law.base(of, coins)
        return self.clear - 1 - place, None
