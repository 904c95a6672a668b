"""How reports are written: numbers, or fields of as few whole bytes as they take.

docs/reports.md specifies it for programs without this package.
"""

import base64
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, TypeAlias

from caldp_core.collect.device import Cell
from caldp_core.mechanisms.contextual import ContextMechanism

Payload: TypeAlias = int | bytes
"""One report: a number, or a run of bytes."""
NUMBER: Final = "number"
BITS: Final = "bits"
HASH: Final = "hash"
DIGITS_END: Final = 10**18
"""Numbers from here on, of more than 18 digits, are no reports, whatever engine reads them."""
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
