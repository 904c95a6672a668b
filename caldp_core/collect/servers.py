"""Reports counted by other servers, where they are numbers: by one query, or by two servers of DAP.

The query's result has one row per report that was sent, `report` and `n`, and per `batch` where the
table has them; refused ones are counted under −1 (no whole number), −2 (of another protocol) and −3
(out of range), as the collector does. A report is a whole number, or a text of at most 18 digits,
perhaps behind a minus and within spaces or quotes; 3.0 is not a report in any column.

By the Distributed Aggregation Protocol neither of two servers sees a report. A report that is a
number is a bucket of a Prio3Histogram (draft-irtf-cfrg-vdaf, algorithm 4), so servers that hold one
share each add up how often each number came. Devices have added the noise, so the servers add none;
their result is debiased by a matrix that the collector needs to have.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.collect.client import MARK_LENGTH
from caldp_core.collect.device import AROUND, NUMBER, QUOTE
from caldp_core.collect.protocol import Protocol


@dataclass(frozen=True)
class SqlDialect:
    """What engines write in their own ways.

    `text`: a {column} as text without the signs {around} it; `whole`: a text {report} as a whole
    number, NULL for any other text. `report`: the text of a report, where by `text` a whole
    number of floating point would be 3, not 3.0.
    """

    text: str
    whole: str
    report: str = ""


DIALECTS: Final = {
    "duckdb": SqlDialect(
        "TRIM(CAST({column} AS VARCHAR), '{around}')",
        "CASE WHEN REGEXP_FULL_MATCH({report}, '-?[0-9]{{1,18}}') "
        "THEN TRY_CAST({report} AS BIGINT) END",
    ),
    # Java's $ is before a line's end as well.
    "spark": SqlDialect(
        "TRIM(BOTH '{around}' FROM CAST({column} AS STRING))",
        "CASE WHEN {report} RLIKE '^-?[0-9]{{1,18}}$' AND NOT {report} RLIKE '[^0-9-]' "
        "THEN TRY_CAST({report} AS BIGINT) END",
    ),
    "bigquery": SqlDialect(
        "TRIM(CAST({column} AS STRING), '{around}')",
        "CASE WHEN REGEXP_CONTAINS({report}, r'^-?[0-9]{{1,18}}$') "
        "THEN SAFE_CAST({report} AS INT64) END",
        "TRIM(FORMAT('%t', {column}), '{around}')",
    ),
    "snowflake": SqlDialect(
        "TRIM(CAST({column} AS VARCHAR), '{around}')",
        "CASE WHEN REGEXP_LIKE({report}, '-?[0-9]{{1,18}}') THEN TRY_CAST({report} AS BIGINT) END",
        "CASE WHEN NOT STARTSWITH(SYSTEM$TYPEOF({column}), 'FLOAT') "
        "THEN TRIM(CAST({column} AS VARCHAR), '{around}') END",
    ),
    "postgres": SqlDialect(
        "BTRIM(CAST({column} AS TEXT), '{around}')",
        "CASE WHEN {report} ~ '^-?[0-9]{{1,18}}$' THEN CAST({report} AS BIGINT) END",
        "CASE WHEN CAST(PG_TYPEOF({column}) AS TEXT) NOT IN ('real', 'double precision') "
        "THEN BTRIM(CAST({column} AS TEXT), '{around}') END",
    ),
    "clickhouse": SqlDialect(
        "trim(BOTH '{around}' FROM toString({column}))",
        "CASE WHEN match({report}, '^-?[0-9]{{1,18}}$') THEN toInt64OrNull({report}) END",
        "CASE WHEN toTypeName({column}) NOT LIKE '%Float%' "
        "THEN trim(BOTH '{around}' FROM toString({column})) END",
    ),
}
_COLUMN: Final = re.compile("[A-Za-z_][A-Za-z0-9_]{0,62}")


def tally_query(protocol: Protocol, dialect: str, batch_column: str = "") -> str:
    """The query over a table `reports` with columns `report` and `protocol`.

    `batch_column`: the column that names deliveries, where the table has one: the result then names
    them, too, and counted twice they are refused. Raises `CaldpError` for an unknown dialect, for
    an invalid column name, and for families whose reports are bytes.
    """
    require(dialect in DIALECTS, f"dialect must be one of {', '.join(DIALECTS)}, got {dialect!r}.")
    require(
        protocol.format.kind == NUMBER,
        f"Reports of {protocol.plan.name} are not numbers; count them by caldp tally.",
    )
    require(
        not batch_column or _COLUMN.fullmatch(batch_column) is not None,
        f"The column of batches must be a name of letters, digits and _, got {batch_column!r}.",
    )
    engine, whole = DIALECTS[dialect], protocol.fingerprint
    content = (engine.report or engine.text).format(column="report", around=AROUND)
    marked = engine.text.format(column="protocol", around=QUOTE)
    named = passed = grouped = listed = ""
    if batch_column:
        batch = engine.text.format(column=batch_column, around=QUOTE)
        named, passed, grouped = f",\n        {batch} AS batch", ", batch", ", sent.batch"
        listed = ", sent.batch AS batch"
    return f"""\
SELECT sent.report AS report{listed}, COUNT(*) AS n
FROM (
  SELECT CASE
    WHEN numbers.mark NOT IN ('{whole[:MARK_LENGTH]}', '{whole}') THEN -2
    WHEN numbers.number IS NULL THEN -1
    WHEN numbers.number < 0 OR numbers.number >= {protocol.format.values} THEN -3
    ELSE numbers.number
  END AS report{passed}
  FROM (
    SELECT mark, {engine.whole.format(report="content")} AS number{passed}
    FROM (
      SELECT {marked} AS mark,
        {content} AS content{named}
      FROM reports
    ) AS texts
  ) AS numbers
) AS sent
GROUP BY sent.report{grouped}
ORDER BY sent.report{grouped};
"""


PRIO3_HISTOGRAM: Final = 0x00000004
"""Its algorithm identifier."""
MATRIX_MAX: Final = 1 << 16
"""Most entries of a matrix that is written out; beyond, `caldp estimate` debiases."""


def dap_configuration(protocol: Protocol) -> dict[str, Any]:
    """The configuration of a task for its servers and collector, JSON-ready; it holds no data.

    `vdaf` as Janus writes a task's; `debiasing.matrix`: rows a value, columns a bucket, so that the
    estimated shares are the matrix times the aggregate result over its sum. Raises `CaldpError` for
    families whose reports are bytes.
    """
    require(
        protocol.format.kind == NUMBER,
        f"Reports of {protocol.plan.name} are not numbers, a histogram cannot count them; use "
        "hadamard, galois, randomized-response or another mechanism on few values.",
    )
    length = protocol.format.values
    return {
        "caldp_dap": 1,
        "protocol": protocol.fingerprint,
        "vdaf": {
            "Prio3Histogram": {
                "length": length,
                "chunk_length": max(1, math.isqrt(length)),
                "dp_strategy": {"dp_strategy": "NoDifferentialPrivacy"},
            }
        },
        "algorithm_id": PRIO3_HISTOGRAM,
        "measurement": "the report, a number from 0 to length - 1",
        "local_differential_privacy": {
            "mechanism": protocol.plan.summary(),
            **protocol.promise(),
        },
        "debiasing": _debiasing(protocol),
    }


def _debiasing(protocol: Protocol) -> dict[str, Any]:
    command = {"by": "caldp estimate PROTOCOL.json --histogram RESULT.csv"}
    if protocol.domain.k * protocol.format.values > MATRIX_MAX:
        return command
    rows = [[float(Fraction(each)) for each in row] for row in debiasing_matrix(protocol).tolist()]
    return {"matrix": rows, **command}


def debiasing_matrix(protocol: Protocol) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """(k, length): what one report of each number adds to n times the unbiased estimated shares."""
    mechanism, length = protocol.mechanism, protocol.format.values
    one = np.eye(length, dtype=np.int64)
    columns = [mechanism.estimate(mechanism.tally_of_histogram(each)) for each in one]
    return np.stack(columns, axis=1)
