"""Reports in bytes parsed to records that oracles add up, and how often they repeat, by buckets.

Of Galois response, sets of bits and hashes a tally counts symbols. Beside it the collector counts
the oracles' reports by `BUCKETS` buckets: identical reports fall together, whatever files and
engines they come by, and buckets add up as tallies do. A report that is one of R whole numbers has
the remainder for its bucket; bits are mixed to a number (multiply and shift).
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Bools, Floats, Ints, Reports, Words
from caldp_core.collect.formats import BITS
from caldp_core.collect.protocol import Protocol
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.supports import SupportOracles, full_mask, words_for
from caldp_core.mechanisms.oracles.unary import UnaryOracles

Rows = NDArray[np.uint8]
"""(n, bytes) reports below each other."""


def parse_records(protocol: Protocol, rows: Rows) -> Reports:
    """(n,) records of the protocol's mechanism; `RecordChecker` says which are valid."""
    form, dtype = protocol.format, _family(protocol).oracles.dtype
    fields = np.split(rows, form.field_ends[:-1], axis=1)
    records = np.zeros(len(rows), dtype)
    records["source"] = _numbers(fields[0])
    if form.kind == BITS:
        records["bits"].view(np.uint8)[:, : fields[1].shape[1]] = fields[1]
    else:
        for degree in range(3):
            records["hash"][:, degree] = _numbers(fields[1 + degree])
        records["value"] = _numbers(fields[4])
    return records


def _numbers(field: Rows) -> Ints:
    """(n, width) bytes, the lowest first → (n,) whole numbers."""
    wide = np.zeros((len(field), 8), np.uint8)
    wide[:, : field.shape[1]] = field
    return wide.view("<i8").ravel()


class RecordChecker:
    """Checks which records devices of a protocol can send."""

    def __init__(self, protocol: Protocol) -> None:
        self._values, self._m = protocol.format.values, protocol.format.oracle_count
        self._bits = protocol.format.kind == BITS
        # One more block stands for all names: it has no symbol, and nothing may follow.
        mechanism = _family(protocol)
        numbers = mechanism.oracles.device_numbers  # type: ignore[attr-defined]
        self._numbers = {
            name: np.append(each, each.dtype.type(0)) for name, each in numbers.items()
        }
        self._sizes = np.append(mechanism.sizes, 0)
        kinds, self._kind = np.unique(self._sizes, return_inverse=True)
        width = max(1, words_for(int(kinds.max())))
        self._room = np.array([_room(size, width) for size in kinds.tolist()])

    def valid_mask(self, records: Reports) -> Bools:
        """(n,) True for records that some device of the protocol sends."""
        source = records["source"]
        fits = (source >= 0) & (source < self._values)
        block = np.where(fits, np.minimum(source, self._m), self._m)
        fits &= (block == self._m) | (self._sizes[block] > 0)
        holds = self._bits_fit if self._bits else self._hash_fits
        return np.asarray(fits & holds(records, block))

    def _bits_fit(self, records: Reports, block: Ints) -> Bools:
        bits, kind = records["bits"], self._kind[block]
        first = kind[:1].sum()
        room = self._room[first] if (kind == first).all() else self._room[kind]
        fits = ~(bits & ~room).any(axis=1)
        if "omega" in self._numbers:
            members = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
            fits &= members == self._numbers["omega"][block]
        return np.asarray(fits)

    def _hash_fits(self, records: Reports, block: Ints) -> Bools:
        numbers, value = records["hash"], records["value"]
        # A name's block has no prime and no values: zeros alone fit there.
        prime = np.maximum(self._numbers["prime"][block], 1)
        g = np.maximum(self._numbers["g"][block], 1)
        low = (numbers >= 0).all(axis=1) & (value >= 0)
        return np.asarray(low & (numbers < prime[:, None]).all(axis=1) & (value < g))


def _family(protocol: Protocol) -> ContextMechanism:
    """The mechanism of reports in bytes, which families alone have."""
    assert isinstance(protocol.mechanism, ContextMechanism)
    return protocol.mechanism


def _room(size: int, width: int) -> Words:
    """(width,) the bits that a report of a block of so many symbols may set."""
    room = np.zeros(width, np.uint64)
    if size:
        room[: words_for(size)] = full_mask(size)
    return room


BUCKETS: Final = 1 << 12
SPREAD_FAILS: Final = 1e-9
"""Chance that a random function puts more of the base distribution into a bucket than assumed."""
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)
_TOP: Final = np.uint64(52)
_NONE: Final = np.zeros(0, np.int64)


def has_buckets(protocol: Protocol) -> bool:
    """Whether reports are counted by buckets: where the tally counts symbols instead of reports."""
    mechanism = protocol.mechanism
    return isinstance(mechanism, ContextMechanism) and isinstance(mechanism.oracles, SupportOracles)


def no_buckets(protocol: Protocol) -> Ints:
    """(BUCKETS,) zeros, or (0,) for a protocol without buckets."""
    return np.zeros(BUCKETS, np.int64) if has_buckets(protocol) else _NONE


def add_buckets(left: Ints, right: Ints) -> Ints:
    """The sum of two counts by buckets, of which either may be (0,): not counted."""
    return left + right if left.size and right.size else (left if left.size else right)


def buckets_of_histogram(protocol: Protocol, histogram: Ints) -> Ints:
    """(values,) how often each number was sent → (BUCKETS,), or (0,) without buckets."""
    if not has_buckets(protocol):
        return _NONE
    sent = histogram[: protocol.format.oracle_count]
    wide = np.zeros(-(-sent.size // BUCKETS) * BUCKETS, np.int64)
    wide[: sent.size] = sent
    return np.asarray(wide.reshape(-1, BUCKETS).sum(axis=0))


def buckets_of_records(protocol: Protocol, records: Reports) -> Ints:
    """(n,) valid records → (BUCKETS,) how many of the oracles' reports are in each."""
    kept = records[records["source"] < protocol.format.oracle_count]
    source = kept["source"].astype(np.uint64)
    if protocol.format.kind == BITS:
        bucket = _mixed(source, kept["bits"])
    else:
        bucket = _remainder(protocol, kept)
    return np.bincount(bucket.astype(np.int64), minlength=BUCKETS)


def _mixed(source: Words, bits: Words) -> Words:
    total = source * _ODD
    for word in bits.T:
        total += word
        total ^= total >> _SHIFT
        total *= _ODD
    return np.asarray(total >> _TOP)


def _remainder(protocol: Protocol, records: Reports) -> Words:
    assert isinstance(protocol.mechanism, ContextMechanism)
    numbers = protocol.mechanism.oracles.device_numbers  # type: ignore[attr-defined]
    prime, g = (numbers[name].astype(np.uint64)[records["source"]] for name in ("prime", "g"))
    # Beyond 2^64 it wraps, which leaves the remainder by a power of 2 as it is.
    c0, c1, c2 = records["hash"].astype(np.uint64).T
    number = ((c2 * prime + c1) * prime + c0) * g + records["value"].astype(np.uint64)
    return np.asarray(number % np.uint64(BUCKETS))


def bucket_chances(protocol: Protocol) -> Floats:
    """(m,) the greatest chance that a report of each block's oracle is in a given bucket.

    Any symbol's report is at most `included` times as likely as from the base distribution, of
    which a bucket holds at most ⌈R/B⌉/R where R reports are even; of bits, by Bernstein's
    inequality, 1/B + √(2aL/B) + aL/3, a the likeliest report's chance and L = ln(B·m/δ).
    """
    mechanism = protocol.mechanism
    assert isinstance(mechanism, ContextMechanism)
    chances = np.zeros(mechanism.policy.m)
    for block in np.flatnonzero(mechanism.sizes).tolist():
        form = mechanism.oracles.support_form(block)  # type: ignore[attr-defined]
        chances[block] = min(1.0, float(form.included) * _base_share(mechanism, block))
    return chances


def _base_share(mechanism: ContextMechanism, block: int) -> float:
    """The most of a block's base distribution that a bucket holds."""
    oracles = mechanism.oracles
    if isinstance(oracles, UnaryOracles):
        stray = float(oracles.d1[block])
        return _spread(max(stray, 1.0 - stray) ** int(mechanism.sizes[block]), mechanism.policy.m)
    if isinstance(oracles, GaloisOracles):
        reports = oracles.channel_rows(block, 0, 1).codes.shape[1]
    else:
        reports = oracles.columns_of(block)  # type: ignore[attr-defined]
    if "bits" in (oracles.dtype.names or ()):
        return _spread(1.0 / reports, mechanism.policy.m)
    return float(-(-reports // BUCKETS) / reports)


def _spread(likeliest: float, blocks: int) -> float:
    level = math.log(BUCKETS * blocks / SPREAD_FAILS)
    return 1.0 / BUCKETS + math.sqrt(2.0 * likeliest * level / BUCKETS) + likeliest * level / 3.0
