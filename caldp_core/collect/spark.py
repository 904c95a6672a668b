"""A tally of a Spark DataFrame, however many machines it is on: for all families, numbers or bytes.

Spark is asked to run one Python function over Arrow batches (`mapInArrow`); each task gives one
partial tally, and Spark does a lost worker's tasks again. Workers need this package.
"""

from typing import TYPE_CHECKING, Any, Final

from caldp_core.collect.arrow import COLUMNS, collected_from, partial_tallies
from caldp_core.collect.collected import Collected
from caldp_core.collect.protocol import Protocol

if TYPE_CHECKING:
    DataFrame = Any  # pyspark is no dependency

_SCHEMA: Final = ", ".join(f"{name} bigint" for name in COLUMNS[:-1]) + ", counts array<bigint>"


def tally_frame(protocol: Protocol, frame: "DataFrame", batch: str) -> Collected:
    """The tally of a DataFrame with a column `report` and, if it is there, `protocol`.

    `batch`: the name of this delivery, by which it is known if it is merged a second time. Raises
    `CaldpError` for a frame without reports.
    """
    columns = [name for name in ("report", "protocol") if name in frame.columns]
    function = partial_tallies(protocol.to_json())
    rows = frame.select(*columns).mapInArrow(function, _SCHEMA).collect()
    return collected_from(protocol, (row.asDict() for row in rows), batch)
