"""A designed channel as a mechanism of the catalogue: reports are the numbers of its columns.

Designs in files: JSON with the channel's whole numerators, which are audited when read.

The loss in a file is computed anew and its channel is audited against its matrix; only the bound is
taken from it, as to prove that again is to design again.
"""

import json
import math
from functools import cached_property
from typing import Any, Final

from caldp_core.basics.errors import CaldpError, check_number, require
from caldp_core.basics.limits import EXACT_MAX_ENTRIES
from caldp_core.basics.types import read_only
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.designed.arrange import WholeChannel, require_levels
from caldp_core.mechanisms.designed.design import Design, design
from caldp_core.mechanisms.designed.problem import Problem
from caldp_core.mechanisms.written_out import WrittenOut
from caldp_core.privacy.context import PrivacyMatrix, dense
from caldp_core.privacy.matrix import DenseMatrix


class DesignedMechanism(WrittenOut):
    """The channel of the design `made`, with the estimate that is best at the design's prior."""

    def __init__(self, design: Design) -> None:
        super().__init__(
            design.policy, design.channel.numerators, 1 << design.channel.bits, design.prior
        )
        self.design = design

    @classmethod
    def for_policy(cls, policy: PrivacyMatrix) -> "DesignedMechanism":
        """The design for even people and weights; see `design`."""
        return cls(design(policy))

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        channel = self.design.channel
        return digest("designed", str(channel.bits), *(f"{row}" for row in channel.numerators))


FORMAT: Final = "caldp design 1"
_KEYS: Final = {"format", "levels", "prior", "weights", "bits", "numerators", "bound", "exact"}
_BITS_MAX: Final = 4000


def to_text(design: Design) -> str:
    """The design as JSON; levels of ∞ are null, numerators hexadecimal texts."""
    levels = [[None if math.isinf(e) else e for e in row] for row in dense(design.policy).tolist()]
    return json.dumps(
        {
            "format": FORMAT,
            "levels": levels,
            "prior": design.prior.tolist(),
            "weights": design.weights.tolist(),
            "bits": design.channel.bits,
            "numerators": [[f"{entry:x}" for entry in row] for row in design.channel.numerators],
            "bound": design.bound,
            "exact": design.exact,
        }
    )


def from_text(text: str) -> Design:
    """A design from such a text, audited. Raises `CaldpError` for anything else."""
    data = _read(text)
    levels = [[math.inf if e is None else e for e in row] for row in data["levels"]]
    policy = DenseMatrix.of(levels)
    problem = Problem.of(policy, data["prior"], data["weights"])
    channel = _channel(data["numerators"], data["bits"], policy.k)
    require_levels(channel, policy.entries)
    bound = check_number("bound", data["bound"], -math.inf, math.inf)
    return Design(
        policy,
        read_only(problem.prior),
        read_only(problem.weights),
        channel,
        problem.loss(channel.floats()),
        bound,
        data["exact"] is True,
    )


def _read(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise CaldpError("This is no design: it is not JSON.") from None
    require(
        isinstance(data, dict) and data.get("format") == FORMAT and set(data) == _KEYS,
        f"This is no design: it must be an object of the format {FORMAT!r} with the keys "
        f"{', '.join(sorted(_KEYS))}.",
    )
    tables = all(
        isinstance(data[name], list) and all(isinstance(row, list) for row in data[name])
        for name in ("levels", "numerators")
    )
    require(tables, "levels and numerators of a design must be lists of rows.")
    return dict(data)


def _channel(rows: list[list[Any]], bits: Any, k: int) -> WholeChannel:
    width = len(rows[0]) if rows else 0
    require(
        len(rows) == k and 0 < width * k <= EXACT_MAX_ENTRIES and {len(r) for r in rows} == {width},
        f"numerators of a design must be {k} rows of one length and at most "
        f"{EXACT_MAX_ENTRIES:,} entries in all.",
    )
    require(
        isinstance(bits, int) and not isinstance(bits, bool) and 1 <= bits <= _BITS_MAX,
        f"bits of a design must be a whole number in [1, {_BITS_MAX}], got {bits!r}.",
    )
    try:
        whole = tuple(tuple(int(entry, 16) for entry in row) for row in rows)
    except (TypeError, ValueError):
        raise CaldpError("numerators of a design must be hexadecimal texts.") from None
    return WholeChannel(whole, bits)
