"""A tally of a Spark DataFrame, however many machines it is on: for all families, numbers or bytes.

Spark runs one Python function over Arrow batches (`mapInArrow`); each task yields one
partial tally, and Spark does a lost worker's tasks again. Where tasks are many, workers add up
their tallies once more before the driver does. Workers need this package.
"""

from typing import TYPE_CHECKING, Any, Final

from caldp_core.basics.errors import require
from caldp_core.collect.arrow import NUMBERS, collected_from_rows, partial_tallies, sum_tallies
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.protocol import Protocol

if TYPE_CHECKING:
    DataFrame = Any  # pyspark is no dependency

_SCHEMA: Final = ", ".join(
    [
        *(f"{name} bigint" for name in NUMBERS),
        "batches array<string>",
        *(f"{name} array<bigint>" for name in ("buckets", "counts")),
    ]
)
ROWS_MAX: Final = 256
"""Partial tallies that the driver adds up: 90 MB where each has 43,750 counts."""


def tally_frame(
    protocol: Protocol, frame: "DataFrame", batch: str, rows_max: int = ROWS_MAX
) -> CollectedTally:
    """The tally of a DataFrame: its column `report`, and `protocol` and `batch` if they are there.

    `batch`: the name of these reports in the books, beside those in the column (`collector.py`).
    `rows_max`: most partial tallies that come to the driver. Raises `CaldpError` for a frame
    without that column, and for an empty name.
    """
    require(
        "report" in frame.columns,
        f"The frame has no column report, only {', '.join(frame.columns)}; rename the one that has "
        "the reports.",
    )
    columns = [name for name in ("report", "protocol", "batch") if name in frame.columns]
    function = partial_tallies(protocol.to_json())
    partial = frame.select(*columns).mapInArrow(function, _SCHEMA)
    if frame.rdd.getNumPartitions() > rows_max:
        partial = partial.repartition(rows_max).mapInArrow(sum_tallies, _SCHEMA)
    return collected_from_rows(protocol, (row.asDict() for row in partial.collect()), batch)
