"""The tally as one query, for the engine that holds the reports: for families that send numbers.

The result has one row per report that was sent, `report` and `n`; refused ones are counted under −1
(no whole number), −2 (of another protocol) and −3 (out of range), as the collector does.
"""

from typing import Final

from caldp_core.basics.errors import require
from caldp_core.collect.client import MARK_LENGTH
from caldp_core.collect.formats import NUMBER
from caldp_core.collect.protocol import Protocol

_POSTGRES: Final = (
    "CASE WHEN CAST(report AS TEXT) ~ '^-?[0-9]{1,18}$' "
    "THEN CAST(CAST(report AS TEXT) AS BIGINT) END"
)
DIALECTS: Final = {
    "duckdb": "TRY_CAST(report AS BIGINT)",
    "spark": "TRY_CAST(report AS BIGINT)",
    "bigquery": "SAFE_CAST(report AS INT64)",
    "snowflake": "TRY_CAST(CAST(report AS VARCHAR) AS BIGINT)",
    "postgres": _POSTGRES,
    "clickhouse": "toInt64OrNull(toString(report))",
}
"""Dialect → a report as a whole number, NULL for one that is none."""


def tally_query(protocol: Protocol, dialect: str) -> str:
    """The query over a table `reports` with columns `report` and `protocol`.

    Raises `CaldpError` for an unknown dialect and for families whose reports are bytes.
    """
    require(dialect in DIALECTS, f"dialect must be one of {', '.join(DIALECTS)}, got {dialect!r}.")
    require(
        protocol.format.kind == NUMBER,
        f"Reports of {protocol.plan.name} are no numbers that SQL could count; use caldp tally.",
    )
    whole, mark = protocol.fingerprint, protocol.fingerprint[:MARK_LENGTH]
    return f"""\
SELECT sent.report AS report, COUNT(*) AS n
FROM (
  SELECT CASE
    WHEN numbers.protocol NOT IN ('{mark}', '{whole}') THEN -2
    WHEN numbers.number IS NULL THEN -1
    WHEN numbers.number < 0 OR numbers.number >= {protocol.format.values} THEN -3
    ELSE numbers.number
  END AS report
  FROM (
    SELECT protocol, {DIALECTS[dialect]} AS number
    FROM reports
  ) AS numbers
) AS sent
GROUP BY sent.report
ORDER BY sent.report;
"""
