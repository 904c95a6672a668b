"""A device's side of a collection: the true answer goes in, a report comes out.

Randomness is the operating system's; nothing takes a seed.
"""

from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError
from caldp_core.collect.coins import DrawnCoins
from caldp_core.collect.formats import as_text
from caldp_core.collect.memory import Memory
from caldp_core.collect.protocol import Protocol
from caldp_core.domain.grid import GridDomain

Answer: TypeAlias = str | int | Sequence[float] | NDArray[Any]
"""A label; the number of a value without one; on a map (latitude, longitude) in degrees."""
MARK_LENGTH: Final = 16
"""Characters of the protocol's fingerprint that a message carries."""


class Client:
    """Draws reports by a `protocol`: a path or a `Protocol`.

    `memory`: a file that stores what each person has sent, so that asked again they send the same
    report at no further cost of privacy; without it every report is fresh, and ε adds up. The file
    holds reports and digests of the persons' names, and no answers. Raises `CaldpError` for a
    protocol or memory that can't be used.
    """

    def __init__(self, protocol: Protocol | str | Path, memory: str | Path | None = None) -> None:
        parsed = protocol if isinstance(protocol, Protocol) else Protocol.from_file(protocol)
        self.protocol = parsed
        self._coins = DrawnCoins()
        self._memory = None if memory is None else Memory(Path(memory), parsed)
        self._number = {label: number for number, label in enumerate(parsed.labels)}

    def __repr__(self) -> str:
        return f"<Client of {self.protocol!r}>"

    def report(self, answer: Answer, person: str = "") -> int | str:
        """What the person sends: a number, or bytes in base64; see docs/reports.md.

        `person`: whose report it is, any text that stays the same (see `normal_name`); a client
        with a memory wants one, others do not look at it. Raises `CaldpError` for an answer that
        the protocol does not have, and for a person who is no text.
        """
        symbol = self._symbol(answer)
        if self._memory is None:
            return self._draw_report(symbol)
        return self._memory.get_or_draw(person, lambda: self._draw_report(symbol))

    def message(self, answer: Answer, person: str = "") -> dict[str, Any]:
        """The report with the mark of its protocol, as a line of a file of reports."""
        mark = self.protocol.fingerprint[:MARK_LENGTH]
        return {"protocol": mark, "report": self.report(answer, person)}

    def _draw_report(self, symbol: int) -> int | str:
        device, form = self.protocol.device, self.protocol.format
        return as_text(form.encode(*device.draw(symbol, self._coins)))

    def _symbol(self, answer: Answer) -> int:
        symbol = self._find_symbol(answer)
        # The answer is not quoted, as other sentences quote what is wrong: errors end up in logs.
        if symbol is None:
            raise CaldpError(f"The answer must be {self._wanted}; give one of those.")
        return symbol

    def _find_symbol(self, answer: Answer) -> int | None:
        domain = self.protocol.domain
        if isinstance(domain, GridDomain):
            return _find_cell(domain, answer)
        if self._number:
            return self._number.get(answer) if isinstance(answer, str) else None
        return answer if type(answer) is int and 0 <= answer < domain.k else None

    @property
    def _wanted(self) -> str:
        domain = self.protocol.domain
        if isinstance(domain, GridDomain):
            return (
                f"(latitude, longitude) in degrees within {domain.area}, whose northern and "
                "eastern edges are outside but at 90° and 180°"
            )
        if self._number:
            return f"one of the protocol's {domain.k:,} labels"
        return f"a whole number from 0 to {domain.k - 1:,}"


def _find_cell(domain: GridDomain, answer: object) -> int | None:
    """The cell of a pair of degrees, None for one off the map and for what is no such pair."""
    pair = answer.tolist() if isinstance(answer, np.ndarray) else answer
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return None
    # A whole number may be too large for a float, and NaN is below nothing.
    if not all(isinstance(each, Real) and each < 1e6 and not each < -1e6 for each in pair):
        return None
    degrees = [float(each) for each in pair]
    (cell,) = domain.locate(*([each] for each in degrees)).tolist()
    return None if cell < 0 else cell
