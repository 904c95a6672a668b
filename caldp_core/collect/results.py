"""The results of a collection: from its protocol and tallies, or an estimate made of them.

Nobody knows the truth of a real collection, so there is none in here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.short_repr import short_repr
from caldp_core.basics.types import Bools, Floats, read_only
from caldp_core.collect.collected_tally import REASONS, CollectedTally, merge_tallies
from caldp_core.collect.estimate import estimate_table
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.record import make_record
from caldp_core.datasets.shipped import DATA_FOLDER
from caldp_core.estimation.evidence import Evidence, default_estimator
from caldp_core.estimation.intervals import simultaneous
from caldp_core.experiments.table import Columns

_WEEK: Final = DATA_FOLDER / "made_up_week"
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True)
class Delivery:
    """The books of one tally: its `name`, `reports` counted, and `refused` ones by the reason."""

    name: str
    reports: int
    refused: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Results:
    """What is known of the people of a collection.

    `table`: its columns as `estimate_table` makes them, k entries each. `level`: probability
    that an interval holds its share. `reports`: how many are counted. `lower_bounds`: (k,) lower
    ends that hold all at once with that probability. Where there is only an estimate
    `lower_bounds` is None and `deliveries` is empty. `record`: as `make_record` makes it, or None.
    """

    protocol: Protocol
    table: Columns
    level: float
    reports: int
    lower_bounds: Floats | None = None
    deliveries: tuple[Delivery, ...] = ()
    record: Mapping[str, Any] | None = None
    __repr__ = short_repr

    @cached_property
    def shares(self) -> Floats:
        """(k,) estimated shares of all people."""
        return self._column("estimated share")

    @cached_property
    def low(self) -> Floats:
        """(k,) lower ends of the intervals."""
        return self._column("low")

    @cached_property
    def high(self) -> Floats:
        """(k,) upper ends of the intervals."""
        return self._column("high")

    @property
    def hidden(self) -> Bools:
        """(k,) values that the policy hides among others."""
        return self.protocol.coverage.protected

    @property
    def protected_share(self) -> float:
        """Estimated share of people who are protected; exactly 1 if every value is."""
        hidden = self.hidden
        return 1.0 if hidden.all() else min(1.0, float(self.shares[hidden].sum()))

    @property
    def refused(self) -> Mapping[str, int] | None:
        """How many reports were refused, by the reason; None where that is not known."""
        if self.deliveries:
            return {why: sum(each.refused[why] for each in self.deliveries) for why in REASONS}
        return None if self.record is None else self.record["refused"]

    def _column(self, name: str) -> Floats:
        return read_only(np.array(self.table[name], np.float64))


@dataclass(frozen=True, eq=False)
class Tallies:
    """A protocol and its tallies by name; `of` checks that they belong together."""

    protocol: Protocol
    parts: tuple[tuple[str, CollectedTally], ...]
    total: CollectedTally
    __repr__ = short_repr

    @classmethod
    def of(cls, protocol: Protocol, parts: tuple[tuple[str, CollectedTally], ...]) -> "Tallies":
        """Check and add up; raises `CaldpError` for another protocol, or a batch in two tallies."""
        for _, each in parts:
            each.check(protocol)
        total = merge_tallies(each for _, each in parts)
        require(
            total.tally.n > 0,
            "There is no report in these tallies, so nothing to estimate; tally the reports first.",
        )
        return cls(protocol, parts, total)

    def results(self, level: float) -> Results:
        """Shares with intervals that hold with probability `level`, and all deliveries."""
        return Results(
            self.protocol,
            estimate_table(self.protocol, self.total, level),
            level,
            self.total.tally.n,
            simultaneous(Evidence.of(self.protocol.mechanism, self.total.tally), level).low,
            tuple(Delivery(name, c.tally.n, c.refused) for name, c in self.parts),
            make_record(self.protocol, self.total, level, default_estimator()),
        )


def made_up_week() -> Tallies:
    """The tallies of a week of 100,000 made-up people, from examples/collection/week.py."""
    parts = tuple((day, CollectedTally.from_file(_WEEK / f"{day}.tally.json")) for day in _DAYS)
    return Tallies.of(Protocol.from_file(_WEEK / "protocol.json"), parts)
