"""The tally of a collector: counts, the batches that are in them, and reports refused."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, check_counts, check_whole, quoted, require
from caldp_core.basics.files import write_whole
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.short_repr import short_repr
from caldp_core.basics.types import Ints
from caldp_core.collect.json_files import format_json, read_json_object
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.records import BUCKETS, add_buckets, no_buckets
from caldp_core.mechanisms.base import Tally
from caldp_core.mechanisms.contextual import ContextMechanism

MALFORMED: Final = "malformed"
OTHER_PROTOCOL: Final = "of another protocol"
OUT_OF_RANGE: Final = "nothing that a device sends"
REASONS: Final = (MALFORMED, OTHER_PROTOCOL, OUT_OF_RANGE)
"""Why a report is not counted: no report at all; marked for another question; out of range.

The query of `sql.py` names them -1, -2 and -3.
"""
_NAME: Final = "The tally"
_BOOKS: Final = {"protocol", "batches", "refused"}


def zero_refusals() -> dict[str, int]:
    """No report refused, for any reason."""
    return dict.fromkeys(REASONS, 0)


@dataclass(frozen=True, eq=False)
class CollectedTally:
    """A tally with its books. `protocol`: fingerprint; `batches`: of all in it (`collector.py`).

    `refused`: how many reports, by the reason (`REASONS`). `buckets`: reports by `records.py`, (0,)
    where they were not counted so. Addition in any order gives the same.
    """

    protocol: str
    tally: Tally
    batches: frozenset[str] = frozenset()
    refused: Mapping[str, int] = field(default_factory=zero_refusals)
    buckets: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    __repr__ = short_repr

    @classmethod
    def empty(cls, protocol: Protocol) -> "CollectedTally":
        """The tally of no reports of a protocol."""
        mechanism = protocol.mechanism
        dtype = np.dtype(np.int64)
        if isinstance(mechanism, ContextMechanism):
            dtype = mechanism.oracles.dtype
        empty = mechanism.tally(np.zeros(0, dtype))
        return cls(protocol.fingerprint, empty, buckets=no_buckets(protocol))

    def __add__(self, other: "CollectedTally") -> "CollectedTally":
        require(
            self.protocol == other.protocol,
            "Tallies of different protocols cannot be added: their fingerprints are "
            f"{self.protocol[:16]} and {other.protocol[:16]}; estimate each by itself.",
        )
        twice = sorted(self.batches & other.batches)
        require(
            not twice,
            f"The batch {''.join(twice[:1])!r} is in both tallies, its reports would count twice; "
            "leave one of the tallies out, or make it again without them.",
        )
        require(
            self.tally.n + other.tally.n <= N_MAX,
            f"A tally holds at most {N_MAX:,} reports; estimate these by themselves.",
        )
        refused = {reason: self.refused[reason] + other.refused[reason] for reason in REASONS}
        return CollectedTally(
            self.protocol,
            self.tally + other.tally,
            self.batches | other.batches,
            refused,
            add_buckets(self.buckets, other.buckets),
        )

    def to_json(self) -> str:
        """The text of a tally file, which `Tally.from_json` reads as well."""
        data: dict[str, Any] = json.loads(self.tally.to_json())
        data |= {"protocol": self.protocol, "refused": dict(self.refused)}
        if self.buckets.any():
            data["buckets"] = self.buckets.tolist()
        return format_json(data | {"batches": sorted(self.batches)})

    def write(self, path: Path) -> None:
        """Write it as a whole; raises `CaldpError` where that can't be done."""
        write_whole(path, self.to_json())

    @classmethod
    def from_file(cls, path: str | Path, protocol: Protocol | None = None) -> "CollectedTally":
        """Read a tally file; raises `CaldpError` for any that `write` did not write.

        `protocol`: as for `from_dict`.
        """
        return cls.from_dict(read_json_object(path, _NAME), f"{_NAME} {quoted(path)}", protocol)

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], name: str = _NAME, protocol: Protocol | None = None
    ) -> "CollectedTally":
        """The tally in a dictionary of a tally file; raises `CaldpError` that calls it `name`.

        `protocol`: that of a tally without books, which `Tally.to_json` writes. Such a one is read
        where a protocol is given: alone, as nothing says whether its reports are in another one.
        """
        tally = Tally.from_json(json.dumps(data), name)
        if protocol is not None and not _BOOKS & set(data):
            return cls(protocol.fingerprint, tally)
        protocol, batches, refused = (data.get(k) for k in ("protocol", "batches", "refused"))
        right = isinstance(protocol, str) and _texts(batches) and isinstance(refused, dict)
        require(
            right and set(refused or {}) == set(REASONS),
            f"{name} has no books of its batches, so it can only be estimated alone; give one that "
            "caldp tally wrote.",
        )
        assert isinstance(protocol, str)
        assert isinstance(batches, list)
        assert isinstance(refused, dict)
        counts = {r: check_whole(f"{r} in {_NAME.lower()}", refused[r], 0, N_MAX) for r in REASONS}
        return cls(protocol, tally, frozenset(batches), counts, _buckets(data, name))

    def check(self, protocol: Protocol) -> None:
        """Raise `CaldpError` unless it is this protocol's."""
        require(
            self.protocol == protocol.fingerprint,
            f"The tally is of the protocol {self.protocol[:16]}, not of "
            f"{protocol.fingerprint[:16]}; give the protocol that its reports were made by.",
        )
        require(
            self.tally.fingerprint == protocol.mechanism.fingerprint,
            "The tally was made by another mechanism than the protocol's; give the protocol that "
            "its reports were made by.",
        )
        require(
            self.tally.counts.size == CollectedTally.empty(protocol).tally.counts.size,
            f"The tally has {self.tally.counts.size:,} counts, which is not what its protocol "
            "makes; give the file that caldp tally wrote.",
        )
        most = int(self.tally.counts.max(initial=0))
        require(
            most <= self.tally.n,
            f"The tally has a count of {most:,}, more than its "
            f"{count_text(self.tally.n, 'report', 'reports')}; give the file that "
            "caldp tally wrote.",
        )


def _buckets(data: Mapping[str, Any], name: str) -> Ints:
    """The counts by buckets in a tally's dictionary, (0,) for a tally without them."""
    found = data.get("buckets", [])
    right = isinstance(found, list) and len(found) in (0, BUCKETS)
    require(right, f"The buckets of {name} must be {BUCKETS:,} counts; count its reports again.")
    return check_counts("buckets", np.array(found or np.zeros(0, np.int64)), len(found))


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def merge_tallies(tallies: Iterable[CollectedTally]) -> CollectedTally:
    """The sum of one or more tallies; raises `CaldpError` as `+` does, and for none."""
    total: CollectedTally | None = None
    for each in tallies:
        total = each if total is None else total + each
    if total is None:
        raise CaldpError("There is no tally to merge; give at least one.")
    return total
