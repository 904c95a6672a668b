"""How often reports repeat, where the tally does not count each report: by buckets.

Of Galois response, sets of bits and hashes a tally counts symbols. Beside it the collector counts
the oracles' reports by `BUCKETS` buckets, each report always in the same one: identical reports
fall together, whatever files and engines they come by, and buckets add up as tallies do. A report
that is a number or a hash is one of R whole numbers, and its bucket is the remainder. Bits are
mixed to a number (multiply and shift), which spreads them as a random function would.
"""

import math
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, Ints, Reports, Words
from caldp_core.collect.formats import BITS
from caldp_core.collect.protocol import Protocol
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.supports import SupportOracles
from caldp_core.mechanisms.oracles.unary import UnaryOracles

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
