"""The tally of a collector: counts, the batches that are in them, and reports refused.

Reports in bytes are parsed to records that oracles add up. Of Galois response, sets of bits and
hashes a tally counts symbols. Beside it the collector counts the oracles' reports by `BUCKETS`
buckets: identical reports fall together, whatever files and engines they come by, and buckets add
up as tallies do. A report that is one of R whole numbers has the remainder for its bucket; bits are
mixed to a number (multiply and shift).

Counts are compared with their law, for what no true answers of any people explain. Whatever
people's answers are, a count of honest reports is a sum of independent coins, each of a chance
between the least and the greatest that the channel has over all answers. By Hoeffding (1956) no
such sum has heavier tails, beyond a person off its mean, than the binomial of that mean; so a count
above the greatest mean, or below the least, has a chance that can be stated. It is multiplied by
the number of counts that are looked at (Bonferroni), in both directions.

Where the tally counts reports, each report is a count. Where it counts symbols, each symbol's
reports are one, and repeated reports are seen by buckets, if the collector that made
the tally counted them. A false answer that is drawn by the coins has an honest report's law, and no
test detects it; nor one of few reports, of which honest people send each a large share.
"""

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import check_counts, check_whole, count_text, quoted, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.files import write_whole
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Bools, EqualByFields, Floats, Ints, Reports, Words, short_repr
from caldp_core.collect.device import BITS, REPETITIONS, Memo, NoisyMemo, Once
from caldp_core.collect.json_files import format_json, parse_json_object, read_json_object
from caldp_core.collect.protocol import Protocol
from caldp_core.mechanisms.base import Tally
from caldp_core.mechanisms.capabilities import SupportTally, support_tally
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.supports import SupportOracles, full_mask, words_for
from caldp_core.mechanisms.oracles.unary import UnaryOracles
from caldp_core.mechanisms.written_out import WrittenOut

MALFORMED: Final = "malformed"
OTHER_PROTOCOL: Final = "of another protocol"
OUT_OF_RANGE: Final = "nothing that a device sends"
REASONS: Final = (MALFORMED, OTHER_PROTOCOL, OUT_OF_RANGE)
"""Why a report is not counted: no report at all; marked for another question; out of range.

The query of `servers.py` names them -1, -2 and -3.
"""
_NAME: Final = "The tally"
_BOOKS: Final = {"protocol", "batches", "refused"}


def zero_refusals() -> dict[str, int]:
    """No report refused, for any reason."""
    return dict.fromkeys(REASONS, 0)


STORED_PLANS: Final = (Once.kind, Memo.kind, NoisyMemo.kind)
"""Plans by which a person's stored report is sent again: its noise is drawn once."""
_REPEATS: Final = (
    "the plan of repetition {plan} can't be added: a person's stored report may be in several of "
    "them and would count as several people; tally and estimate each period alone, its reports "
    "under one batch name."
)


UNKNOWN_PLAN: Final = "unknown"
"""Of a tally that does not say it, as those of earlier versions do not."""
_UNKNOWN: Final = (
    "These tallies do not say what plan of repetition their protocol has, as those of earlier "
    "versions: if its reports are stored, a person who is in both would count as several people. "
    "Name the protocol: caldp merge --protocol protocol.json, or count the reports again."
)
_NO_PLAN: Final = "none"
"""What a file says of a protocol without a plan of repetition."""


def plan_of(protocol: Protocol) -> str:
    """The kind of the protocol's plan of repetition; "" for none."""
    return protocol.repetition.kind if protocol.repetition else ""


def require_one_delivery(protocol: Protocol, deliveries: Collection[object]) -> None:
    """Raise `CaldpError` for several deliveries of a plan that sends stored reports again.

    `deliveries`: batches, or files without batches. Nothing in them says who is in several.
    """
    plan = plan_of(protocol)
    require(
        plan not in STORED_PLANS or len(deliveries) <= 1,
        f"Deliveries of {_REPEATS.format(plan=plan)}",
    )


@dataclass(frozen=True, eq=False)
class CollectedTally(EqualByFields):
    """A tally with its books. `protocol`: fingerprint; `batches`: of all in it (`collector.py`).

    `refused`: how many reports, by the reason (`REASONS`). `buckets`: reports by bucket, (0,)
    where they were not counted so. `plan`: the kind of the protocol's plan of repetition, "" for
    none, or `UNKNOWN_PLAN`. Addition in any order gives the same; where the plan sends stored
    reports again, or none of the tallies says it, those with reports are not added
    (`require_one_delivery`).
    """

    protocol: str
    tally: Tally
    batches: frozenset[str] = frozenset()
    refused: Mapping[str, int] = field(default_factory=zero_refusals)
    buckets: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    plan: str = UNKNOWN_PLAN
    __repr__ = short_repr

    @classmethod
    def empty(cls, protocol: Protocol) -> "CollectedTally":
        """The tally of no reports of a protocol."""
        mechanism = protocol.mechanism
        dtype = np.dtype(np.int64)
        if isinstance(mechanism, ContextMechanism):
            dtype = mechanism.oracles.dtype
        empty = mechanism.tally(np.zeros(0, dtype))
        none = np.zeros(BUCKETS, np.int64) if has_buckets(protocol) else _NONE
        return cls(protocol.fingerprint, empty, buckets=none, plan=plan_of(protocol))

    @classmethod
    def of_histogram(
        cls, protocol: Protocol, histogram: Ints, refused: Mapping[str, int]
    ) -> "CollectedTally":
        """The tally of reports that are numbers; (values,) how often each was sent."""
        tally = protocol.mechanism.tally_of_histogram(histogram)
        buckets = buckets_of_histogram(protocol, histogram)
        plan = plan_of(protocol)
        return cls(protocol.fingerprint, tally, refused=refused, buckets=buckets, plan=plan)

    def __add__(self, other: "CollectedTally") -> "CollectedTally":
        plan = self._plan_with(other)
        if self.tally.n and other.tally.n:
            require(plan not in STORED_PLANS, f"Tallies of {_REPEATS.format(plan=plan)}")
            require(plan != UNKNOWN_PLAN or self.protocol != other.protocol, _UNKNOWN)
        return self.joined(other)

    def _plan_with(self, other: "CollectedTally") -> str:
        """The plan that one of two tallies says: of one protocol it is that of both."""
        return other.plan if self.plan == UNKNOWN_PLAN else self.plan

    def with_plan_of(self, protocol: Protocol) -> "CollectedTally":
        """The same tally, which says its protocol's plan; raises `CaldpError` as `check`."""
        self.check(protocol)
        return replace(self, plan=plan_of(protocol))

    def joined(self, other: "CollectedTally") -> "CollectedTally":
        """The sum of parts of one delivery, in which a person is once whatever the plan is."""
        require(
            self.protocol == other.protocol,
            "Tallies of different protocols cannot be added: their fingerprints are "
            f"{self.protocol[:16]} and {other.protocol[:16]}; estimate each alone.",
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
            self._plan_with(other),
        )

    def to_json(self) -> str:
        """The text of a tally file, which `Tally.from_json` reads as well."""
        data: dict[str, Any] = json.loads(self.tally.to_json())
        data |= {"protocol": self.protocol, "refused": dict(self.refused)}
        if self.plan != UNKNOWN_PLAN:
            data["plan"] = self.plan or _NO_PLAN
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
    def from_json(cls, text: str) -> "CollectedTally":
        """The tally in the text of a tally file; raises `CaldpError` as `from_file`."""
        return cls.from_dict(parse_json_object(text, _NAME))

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
        books: dict[str, Any] = {key: data.get(key) for key in ("protocol", "batches", "refused")}
        made_for, batches, refused = books.values()
        right = (
            isinstance(made_for, str) and isinstance(batches, list) and isinstance(refused, dict)
        )
        require(
            right
            and all(isinstance(each, str) for each in batches)
            and set(refused) == set(REASONS),
            f"{name} has no books of its batches, so it can only be estimated alone; give one that "
            "caldp tally wrote.",
        )
        counts = {r: check_whole(f"{r} in {_NAME.lower()}", refused[r], 0, N_MAX) for r in REASONS}
        plan = data.get("plan", UNKNOWN_PLAN)
        known = [*REPETITIONS, _NO_PLAN]
        require(
            plan == UNKNOWN_PLAN or plan in known,
            f"The plan of {name} must be one of {', '.join(known)}, got {plan!r}; count its "
            "reports again.",
        )
        plan = "" if plan == _NO_PLAN else plan
        return cls(made_for, tally, frozenset(batches), counts, _buckets(data, name), plan)

    def check(self, protocol: Protocol) -> None:
        """Raise `CaldpError` unless it is this protocol's."""
        require(
            self.protocol == protocol.fingerprint,
            f"The tally is of the protocol {self.protocol[:16]}, not of "
            f"{protocol.fingerprint[:16]}; give the protocol that its reports were made by.",
        )
        require(
            self.plan in (UNKNOWN_PLAN, plan_of(protocol)),
            f"The tally is of the plan {self.plan}, and its protocol's is "
            f"{plan_of(protocol) or 'none'}; count the reports again.",
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
        mechanism = protocol.mechanism
        counted = self.tally.counts
        if isinstance(mechanism, ContextMechanism) and self.tally.n:
            counted = mechanism.block_counts(self.tally)
        require(
            int(counted.sum()) == self.tally.n,
            f"The tally is damaged: it says {count_text(self.tally.n, 'report', 'reports')}, and "
            f"its counts are those of {int(counted.sum()):,}; count the reports again.",
        )


def _buckets(data: Mapping[str, Any], name: str) -> Ints:
    """The counts by buckets in a tally's dictionary, (0,) for a tally without them."""
    found = data.get("buckets", [])
    # NumPy makes an array of no list of lists that are not equally long.
    right = (
        isinstance(found, list)
        and len(found) in (0, BUCKETS)
        and all(type(count) is int for count in found)
    )
    require(right, f"The buckets of {name} must be {BUCKETS:,} counts; count its reports again.")
    return check_counts("buckets", np.array(found or np.zeros(0, np.int64)), len(found))


def merge_tallies(tallies: Iterable[CollectedTally]) -> CollectedTally:
    """The sum of one or more tallies; raises `CaldpError` as `+` does, and for none."""
    every = list(tallies)
    require(bool(every), "A merge needs at least one tally, got none; give its file.")
    return reduce(add, every)


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
    """Checks which records devices of a protocol can send, and counts those."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
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

    def tally(self, rows: Rows, refused: dict[str, int]) -> CollectedTally:
        """The tally of all valid rows; others are refused, as `refused` were for other reasons."""
        records = parse_records(self._protocol, rows)
        valid = self.valid_mask(records)
        if not valid.all():
            records = records[valid]
        tally = self._protocol.mechanism.tally(records)
        refused = zero_refusals() | refused | {OUT_OF_RANGE: len(rows) - len(records)}
        buckets = buckets_of_records(self._protocol, records)
        return CollectedTally(
            self._protocol.fingerprint,
            tally,
            refused=refused,
            buckets=buckets,
            plan=plan_of(self._protocol),
        )

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
    """(width,) the bits that a report of a block of `size` symbols may set."""
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
    numbers = _family(protocol).oracles.device_numbers  # type: ignore[attr-defined]
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
    mechanism = _family(protocol)
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


FALSE_ALARMS: Final = 1e-6
"""Most chance that any count of a collection without fakes is called unlike honest reports."""


@dataclass(frozen=True, eq=False)
class CountLaw:
    """Counts of honest reports: `counts[i]` sums `trials[i]` coins, of mean `low[i]` to `high[i]`.

    `of`: what is counted, "report", "value" or "bucket"; `numbers`: of the report as it is sent,
    the value or the bucket; all (counts,).
    """

    of: str
    numbers: Ints
    counts: Ints
    trials: Ints
    low: Floats
    high: Floats

    def chances(self) -> Floats:
        """(counts,) the most chance that honest reports give such a count or one further out."""
        n, count = self.trials.astype(np.float64), self.counts.astype(np.float64)
        share = np.maximum(n, 1.0)
        above = scipy.special.betainc(count, n - count + 1.0, np.minimum(self.high / share, 1.0))
        below = scipy.special.betaincc(count + 1.0, np.maximum(n - count, 1.0), self.low / share)
        chances = np.where(count >= self.high + 1.0, above, 1.0)
        return np.where(count <= self.low - 1.0, below, chances)


@dataclass(frozen=True)
class LawCheck:
    """The count of one kind that is furthest from its law.

    `of`: "report", "value" or "bucket"; `counts`: how many were looked at, of `reports`; `number`:
    which; `count`: reports; `low`, `high`: what honest ones are on average, whatever people answer;
    `chance`: the most chance that honest reports give any count of all that is as far out.
    """

    of: str
    counts: int
    reports: int
    number: int
    count: int
    low: float
    high: float
    chance: float

    @property
    def is_alarm(self) -> bool:
        """Whether honest reports are as far out at most once in a million collections."""
        return self.chance <= FALSE_ALARMS

    def to_dict(self) -> dict[str, Any]:
        """The check, JSON-ready."""
        expected = [float(f"{end:.6g}") for end in (self.low, self.high)]
        return {
            "of": self.of,
            "counts": self.counts,
            "reports": self.reports,
            "number": self.number,
            "count": self.count,
            "honest_mean": expected,
            "chance": float(f"{self.chance:.3g}"),
            "unlike_honest": self.is_alarm,
        }


def check_counts_of_reports(protocol: Protocol, collected: CollectedTally) -> list[LawCheck]:
    """The furthest count of each kind that the tally has."""
    laws = [law for law in _laws(protocol, collected) if law.counts.size]
    looked_at = 2 * sum(law.counts.size for law in laws)
    return [_furthest(law, looked_at) for law in laws]


def report_counts(protocol: Protocol, collected: CollectedTally) -> dict[str, Any]:
    """The checks of a tally for a record, JSON-ready."""
    checks = check_counts_of_reports(protocol, collected)
    return {
        "false_alarm_level": FALSE_ALARMS,
        "unlike_honest": any(check.is_alarm for check in checks),
        "furthest": [check.to_dict() for check in checks],
    }


def _furthest(law: CountLaw, looked_at: int) -> LawCheck:
    chances = law.chances()
    # Where none is out: the most repeated one, by what it may be.
    ratio = law.counts / np.maximum(law.high, 1.0)
    at = int(np.lexsort((-ratio, chances))[0])
    chance = min(1.0, float(chances[at]) * looked_at + (SPREAD_FAILS if law.of == "bucket" else 0))
    trials, count = int(law.trials[at]), int(law.counts[at])
    low, high = float(law.low[at]), float(law.high[at])
    number = int(law.numbers[at])
    return LawCheck(law.of, law.counts.size, trials, number, count, low, high, chance)


def _laws(protocol: Protocol, collected: CollectedTally) -> list[CountLaw]:
    mechanism, tally = protocol.mechanism, collected.tally
    if not tally.n:
        return []
    if isinstance(mechanism, WrittenOut):
        channel, trials = mechanism.channel, np.full(tally.counts.size, tally.n)
        low, high = channel.min(axis=0) * tally.n, channel.max(axis=0) * tally.n
        return [CountLaw("report", np.arange(trials.size), tally.counts, trials, low, high)]
    family = _family(protocol)
    supports = support_tally(family, tally)
    if supports is None:
        return [_law_of_reports(family, tally.counts[: family.oracles.outputs])]
    buckets = [_law_of_buckets(protocol, supports, collected.buckets)]
    return [_law_of_values(family, supports), *(buckets if collected.buckets.any() else [])]


def _law_of_reports(mechanism: ContextMechanism, counts: Ints) -> CountLaw:
    """Of each number that oracles send, given how many reports are its block's."""
    trials, low, high = np.zeros_like(counts), np.zeros(counts.size), np.zeros(counts.size)
    for block in np.flatnonzero(mechanism.sizes).tolist():
        rows = mechanism.oracles.channel_rows(block, 0, 1)  # type: ignore[attr-defined]
        at = slice(rows.first, rows.first + rows.codes.shape[1])
        trials[at] = sent = int(counts[at].sum())
        low[at], high[at] = (sent * (rows.values[i] / rows.denominator) for i in (0, -1))
    return CountLaw("report", np.arange(counts.size), counts, trials, low, high)


def _law_of_values(mechanism: ContextMechanism, supports: SupportTally) -> CountLaw:
    """Of the reports that include each hidden value, given how many are its block's."""
    made = supports.probabilities
    chances = np.stack([made.own, made.other, made.base])
    trials = np.repeat(supports.sent, mechanism.sizes)
    low, high = (
        np.repeat(ends * supports.sent, mechanism.sizes)
        for ends in (chances.min(axis=0), chances.max(axis=0))
    )
    return CountLaw("value", mechanism.hidden_symbols, supports.included, trials, low, high)


def _law_of_buckets(protocol: Protocol, supports: SupportTally, counts: Ints) -> CountLaw:
    """Of the reports in each bucket, given how many are of each block, where all were counted."""
    chances, total = bucket_chances(protocol), int(counts.sum())
    is_whole = total == int(supports.sent.sum())
    mean = float(supports.sent @ chances) if is_whole else total * float(chances.max())
    trials, none = np.full(counts.size, total), np.zeros(counts.size)
    high = np.full(counts.size, min(mean, total))
    return CountLaw("bucket", np.arange(counts.size), counts, trials, none, high)
