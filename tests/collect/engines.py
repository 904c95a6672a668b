"""Queries for other engines, run by DuckDB."""

from typing import TYPE_CHECKING, Final

import sqlglot

from caldp_core import Protocol
from caldp_core.collect.servers import tally_query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MACROS: Final = (
    "toInt64OrNull(x) AS TRY_CAST(x AS BIGINT)",
    "toString(x) AS replace(CAST(x AS VARCHAR), if(typeof(x) = 'DOUBLE', '.0', '§'), '')",
    "PG_TYPEOF(x) AS replace(typeof(x), 'DOUBLE', 'double precision')",
    """"SYSTEM$TYPEOF"(x) AS replace(typeof(x), 'DOUBLE', 'FLOAT[DOUBLE]')""",
)
"""What sqlglot does not know of other engines, as their manuals say."""


def prepare_engine(connection: "DuckDBPyConnection") -> None:
    """Give DuckDB the functions of other engines."""
    for macro in MACROS:
        connection.execute(f"CREATE MACRO {macro}")


def in_duckdb(protocol: Protocol, dialect: str, batch_column: str = "") -> str:
    """The query of a dialect as DuckDB runs it."""
    query = tally_query(protocol, dialect, batch_column)
    # BigQuery writes a FLOAT64 with .0, as DuckDB's cast does; ClickHouse's type is Float64.
    query = query.replace("FORMAT('%t', report)", "CAST(report AS STRING)")
    (made,) = sqlglot.transpile(query, read=dialect, write="duckdb")
    return made.replace("'%Float%'", "'DOUBLE'")
