"""The sum of reports that a server stores, with the mechanism's fingerprint."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from numpy.typing import NDArray

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, check_counts, check_type, check_whole, require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Ints

FORMAT: Final = 1
"""Version of the format of a tally as text."""


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """The sum of n reports: all that the server needs. Tallies of one mechanism can be added.

    `counts`: (entries,) int64. `fingerprint`: digest of the mechanism that made the reports.
    """

    counts: Ints
    n: int
    fingerprint: str

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        if self.fingerprint != other.fingerprint:
            raise CaldpError(
                "Tallies of different mechanisms cannot be added: their fingerprints are "
                f"{self.fingerprint[:12]} and {other.fingerprint[:12]}; estimate each by itself."
            )
        require(
            self.counts.shape == other.counts.shape,
            f"One of these tallies is damaged: they have {self.counts.size:,} and "
            f"{other.counts.size:,} counts; count the reports again.",
        )
        return Tally(self.counts + other.counts, self.n + other.n, self.fingerprint)

    def __radd__(self, other: object) -> "Tally":
        # So that `sum(tallies)`, which begins with 0, adds them up.
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"<Tally of {count_text(self.n, 'report', 'reports')}, {self.fingerprint[:12]}>"

    def to_json(self) -> str:
        """The tally as text, to be kept or sent; `from_json` reads it."""
        whole = {"fingerprint": self.fingerprint, "n": self.n, "counts": self.counts.tolist()}
        return json.dumps({"caldp_tally": FORMAT, **whole})

    @classmethod
    def from_json(cls, text: str, name: str = "This text") -> "Tally":
        """The tally of that text; raises `CaldpError`, calling it `name`, if it is none."""
        try:
            record = json.loads(text)
            require(record["caldp_tally"] == FORMAT, "another format")
            require(isinstance(record["fingerprint"], str), "no fingerprint")
            n = check_whole("n", record["n"], 0, N_MAX)
            counts = check_counts("counts", record["counts"], len(record["counts"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            missing = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise CaldpError(
                f"{name} is no tally of caldp: {missing.rstrip('.')}; give what caldp wrote."
            ) from None
        return cls(counts, n, record["fingerprint"])


def check_tally(tally: Tally, fingerprint: str, entries: int) -> None:
    """Raise `CaldpError` unless it is a tally of the mechanism of that fingerprint.

    `entries`: how many counts its tallies have; a report adds at most 1 to each.
    """
    check_type("tally", tally, Tally, "make one with tally(reports) of the mechanism")
    require(
        tally.fingerprint == fingerprint,
        "This tally was made by another mechanism; use the one that made the reports.",
    )
    require(
        tally.counts.shape == (entries,) and bool((tally.counts <= tally.n).all()),
        f"This tally is damaged: it must have {entries:,} counts, each at most {tally.n:,}, its "
        "number of reports; count the reports again.",
    )
    require(tally.n > 0, "A tally of no reports says nothing; collect at least one report.")


def digest(*parts: str | NDArray[Any]) -> str:
    """Fingerprint of a mechanism: a digest of the texts and arrays that define it."""
    whole = hashlib.sha256()
    for part in parts:
        # Each part by its own digest, so that no two lists of parts run into one.
        if isinstance(part, str):
            whole.update(hashlib.sha256(b"text" + part.encode()).digest())
        else:
            form = f"array {part.dtype.str} {part.shape} "
            whole.update(hashlib.sha256(form.encode() + part.tobytes()).digest())
    return whole.hexdigest()
