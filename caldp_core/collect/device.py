"""How a device draws its report and writes it: plain whole numbers, one person at a time.

`js/client.js` implements the same, coin for coin (docs/reports.md): equal numbers of 48 bits give
equal reports. A *cell* is what an oracle sends before it is written down: a number, a row of bits
as one whole number, or a hash's three coefficients and its value. It is written as a number, or in
fields of as few whole bytes as they take.
"""

import base64
import os
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, Final, Protocol, TypeAlias

import numpy as np

from caldp_core.basics.errors import check_epsilon, check_whole
from caldp_core.basics.types import short_repr
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.randomness import noise_threshold

NUMBER_RANGE: Final = 1 << 48
OUTPUTS_MAX: Final = 1 << 40
"""Most different reports of a mechanism whose stored report a noisy memo can hide."""
"""How many values a drawn number can have."""
NumberSource: TypeAlias = Callable[[], int]
"""Returns a whole number, uniform on 0 … 2^48 − 1, each time it is called."""


class Coins(Protocol):
    """The random choices by which a report is drawn."""

    def flip(self, threshold: int) -> bool:
        """True with probability threshold/2^48; `threshold`: in [0, 2^48]."""

    def uniform_below(self, bound: int) -> int:
        """A whole number, uniform on 0 … bound − 1; `bound` ≥ 1."""

    def draw_step(self, steps: Sequence[int], whole: int) -> int:
        """i with probability (steps[i] − steps[i−1])/whole; the last step is `whole`."""


def system_number() -> int:
    """48 bits from the operating system; it takes no seed."""
    return int.from_bytes(os.urandom(6), "little")


@dataclass(frozen=True)
class DrawnCoins:
    """Coins from numbers that a source gives: the operating system, or a test's list."""

    numbers: NumberSource = system_number

    def flip(self, threshold: int) -> bool:
        """True if a drawn number is below the threshold."""
        return self.numbers() < threshold

    def uniform_below(self, bound: int) -> int:
        """A drawn number modulo `bound`, drawn again above the largest multiple of `bound`.

        A bound above 2^48 takes as many numbers as it needs, the highest first.
        """
        pieces = max(1, -(-(bound - 1).bit_length() // 48))
        fair = NUMBER_RANGE**pieces - NUMBER_RANGE**pieces % bound
        while True:
            drawn = 0
            for _ in range(pieces):
                drawn = drawn * NUMBER_RANGE + self.numbers()
            if drawn < fair:
                return drawn % bound

    def draw_step(self, steps: Sequence[int], whole: int) -> int:
        """Number of the first step above a number that is uniform below `whole`."""
        return bisect_right(steps, self.uniform_below(whole))


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
    """Bits of a uniform subset of `members` of `size` numbers (Floyd, in Bentley 1987)."""
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
    "hadamard": Law(
        _hadamard,
        lambda own, coins: own["first"] + coins.uniform_below(own["order"] * own["parts"]),
    ),
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


@dataclass(frozen=True)
class Repetition:
    """A plan: what a device sends when a person is asked again. Its numbers are in [1, 2^48]."""

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for name, number in vars(self).items():
            check_whole(name, number, 1, NUMBER_RANGE)


@dataclass(frozen=True)
class Once(Repetition):
    """The first report is stored, and sent again whatever the person answers later."""

    kind: ClassVar[str] = "once"


@dataclass(frozen=True)
class Memo(Repetition):
    """A report for every value is drawn and stored; an answer sends that of its value."""

    kind: ClassVar[str] = "memo"


@dataclass(frozen=True)
class NoisyMemo(Repetition):
    """`Memo`, but each time a uniform report is sent instead with probability noise/2^48.

    `reports`: the most that a person sends.
    """

    kind: ClassVar[str] = "noisy-memo"
    noise: int
    reports: int

    @classmethod
    def of(cls, epsilon: float, outputs: int, reports: int) -> "NoisyMemo":
        """The least noise by which one of `outputs` reports shows a change with ε at most.

        `epsilon`: in [0.001, 20]. `outputs`: in [1, 2^40], as coins of 48 bits can't make rarer
        ones rare enough. `reports`: whole number ≥ 1. Else `CaldpError`.
        """
        check_epsilon(epsilon)
        check_whole("the number of different reports of a noisy memo", outputs, 1, OUTPUTS_MAX)
        check_whole("reports", reports, 1, NUMBER_RANGE)
        noise = noise_threshold(np.array([outputs]), np.array([epsilon]))
        return cls(int(noise[0]), reports)

    def odds(self, outputs: int) -> float:
        """How much likelier the stored one of `outputs` reports is than any other one."""
        return 1.0 + outputs * (NUMBER_RANGE - self.noise) / self.noise

    def send(self, stored: int | str, outputs: int, coins: Coins) -> int | str:
        """The stored one of `outputs` reports, or a uniform one in its place."""
        return coins.uniform_below(outputs) if coins.flip(self.noise) else stored


@dataclass(frozen=True)
class Budget(Repetition):
    """Fresh reports: at most `reports` of a person, at most `a_day` of them on one day (UTC)."""

    kind: ClassVar[str] = "budget"
    reports: int
    a_day: int = 1


_ALL: Final[tuple[type[Repetition], ...]] = (Once, Memo, NoisyMemo, Budget)
REPETITIONS: Final = {cls.kind: cls for cls in _ALL}

Payload: TypeAlias = int | bytes
"""One report: a number, or a run of bytes."""
NUMBER: Final = "number"
BITS: Final = "bits"
HASH: Final = "hash"
DIGITS_END: Final = 10**18
"""Numbers from here on, of more than 18 digits, are not reports, in any engine."""
QUOTE: Final = '"'
AROUND: Final = f" {QUOTE}"
"""Signs around a text that do not count: of marks and batches quotes, of reports spaces, too."""


@dataclass(frozen=True)
class Format:
    """How one protocol's reports are written.

    `kind`: "number", "bits" or "hash". `oracle_count`: of numbers, how many the oracles send, and
    of bytes, how many blocks there are; `values`: of numbers or sources, how many there are with
    those that name a symbol. `widths`: bytes of each field, the source first; none for a number.
    """

    kind: str
    oracle_count: int
    values: int
    widths: tuple[int, ...] = ()

    @classmethod
    def of(cls, mechanism: ContextMechanism) -> "Format":
        """The format of a mechanism's reports."""
        oracles, clear = mechanism.oracles, mechanism.clear_symbols.size
        names = oracles.dtype.names
        if names is None:
            return cls(NUMBER, oracles.outputs, oracles.outputs + clear)
        sources = mechanism.policy.m + clear
        if "bits" in names:
            bits = -(-int(mechanism.sizes.max()) // 8)
            return cls(BITS, mechanism.policy.m, sources, (_bytes_for(sources), bits))
        numbers = mechanism.oracles.device_numbers  # type: ignore[attr-defined]
        prime, g = (_bytes_for(int(numbers[name].max())) for name in ("prime", "g"))
        widths = (_bytes_for(sources), prime, prime, prime, g)
        return cls(HASH, mechanism.policy.m, sources, widths)

    @property
    def size(self) -> int:
        """Bytes of a report; 0 for a number."""
        return sum(self.widths)

    @property
    def field_ends(self) -> list[int]:
        """Byte at which each field ends, from the beginning of a report."""
        return list(accumulate(self.widths))

    def encode(self, source: int, cell: Cell | None) -> Payload:
        """A report as it is sent, from the (source, cell) that `Device.draw` returns."""
        if self.kind == NUMBER:
            return source if cell is None else _fields(cell)[0]
        fields = (0,) * (len(self.widths) - 1) if cell is None else _fields(cell)
        parts = zip((source, *fields), self.widths, strict=True)
        return b"".join(number.to_bytes(width, "little") for number, width in parts)

    def to_dict(self) -> dict[str, Any]:
        """The format, JSON-ready."""
        data: dict[str, Any] = {
            "kind": self.kind,
            "values": self.values,
            "from_oracles": self.oracle_count,
        }
        return data | ({"widths": list(self.widths)} if self.widths else {})


def _fields(cell: Cell) -> tuple[int, ...]:
    return (cell,) if isinstance(cell, int) else cell


def _bytes_for(values: int) -> int:
    """Bytes that a number below `values` takes; none where there is only one."""
    return -(-(values - 1).bit_length() // 8)


def as_text(payload: Payload) -> int | str:
    """A report as JSON holds it: bytes in base64 (RFC 4648, section 4)."""
    return payload if isinstance(payload, int) else base64.b64encode(payload).decode()
