"""Reports in bytes parsed to records that oracles add up, and which ones a device can send."""

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Bools, Ints, Reports, Words
from caldp_core.collect.formats import BITS
from caldp_core.collect.protocol import Protocol
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.oracles.supports import full_mask, words_for

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
