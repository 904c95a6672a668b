"""What a collection says of its people: a table of shares with intervals."""

from pathlib import Path
from typing import Final

import numpy as np

from caldp_core.basics.duck import connect
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.numerals import parse_int
from caldp_core.collect.collected_tally import (
    MALFORMED,
    OTHER_PROTOCOL,
    OUT_OF_RANGE,
    CollectedTally,
)
from caldp_core.collect.collector import MEMORY_MB, file_batch_name
from caldp_core.collect.formats import NUMBER
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.report_files import columns_of_file, unreadable_error
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import estimator as named
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.margins import margins
from caldp_core.estimation.options import Options

ESTIMATOR: Final = "simplex-per-block"
"""The one of `caldp estimate`, unless another is named."""
_CODES: Final = {-1: MALFORMED, -2: OTHER_PROTOCOL, -3: OUT_OF_RANGE}
"""What `sql.py` calls refused reports."""


def estimate_table(
    protocol: Protocol,
    collected: CollectedTally,
    level: float = 0.95,
    estimator: str = "simplex",
    options: Options = Options(),  # noqa: B008 — frozen
) -> dict[str, list[object]]:
    """A row a value: where or what it is, its estimated share and people, and its interval.

    The columns of `margins` say how far each can be trusted, at that `level`. `options`: what
    the estimator is told. Raises `CaldpError` for another protocol's tally and one
    of no reports.
    """
    collected.check(protocol)
    mechanism, tally = protocol.mechanism, collected.tally
    evidence = Evidence.of(mechanism, tally, domain=protocol.domain, options=options)
    shares = named(estimator).apply(evidence)
    plan = protocol.plan
    return {
        **_values(protocol),
        "block": [protocol.block_names[label] for label in plan.blocks.tolist()],
        "sensitive": ["yes" if flag else "no" for flag in plan.sensitive.tolist()],
        "estimated share": shares.tolist(),
        "estimated people": (shares * tally.n).tolist(),
        **margins(evidence, shares, level),
    }


def _values(protocol: Protocol) -> dict[str, list[object]]:
    domain = protocol.domain
    columns: dict[str, list[object]] = {"number": list(range(domain.k))}
    if isinstance(domain, GridDomain):
        row, column = np.divmod(np.arange(domain.k), domain.columns)
        columns["latitude"] = domain.latitudes()[row].round(6).tolist()
        columns["longitude"] = domain.wrapped_longitudes()[column].round(6).tolist()
    elif domain.names:
        columns["answer"] = list(domain.names)
        columns["group"] = list(domain.groups or ("",) * domain.k)
    return columns


def collected_from_histogram(protocol: Protocol, path: Path) -> CollectedTally:
    """The tally of a histogram that another engine made: columns `report` and `n`.

    Parquet or CSV, as the query of `caldp sql` gives it. Raises `CaldpError` for any other file,
    and for a protocol whose reports are no numbers.
    """
    import duckdb

    require(
        protocol.format.kind == NUMBER,
        f"Reports of {protocol.plan.name} are no numbers, so no histogram says all of them; use "
        "caldp tally.",
    )
    with connect(MEMORY_MB, folders=[path.parent]) as connection:
        reader, columns = columns_of_file(connection, path)
        require(
            "n" in columns,
            f"The histogram {str(path)!r} must have the columns report and n, it has "
            f"{', '.join(columns)}; run what caldp sql prints.",
        )
        most = protocol.format.values + len(_CODES)
        sql = f"SELECT CAST(report AS VARCHAR), CAST(n AS VARCHAR) FROM {reader} LIMIT {most + 1}"
        try:
            found = connection.execute(sql, {"path": str(path.resolve())}).fetchall()
        except duckdb.Error as error:
            raise unreadable_error(path, error) from None
    return _read_histogram(protocol, path, found)


def _read_histogram(
    protocol: Protocol, path: Path, found: list[tuple[str | None, ...]]
) -> CollectedTally:
    values, most = protocol.format.values, protocol.format.values + len(_CODES)
    counts, refused = np.zeros(values, np.int64), dict.fromkeys(_CODES.values(), 0)
    require(
        len({report for report, _ in found}) == len(found) <= most,
        f"The histogram {str(path)!r} must have one row a report, {most:,} at most; run what "
        "caldp sql prints.",
    )
    for report, n in found:
        sent, people = parse_int(report or ""), parse_int(n or "")
        if sent is None or people is None or not (-3 <= sent < values and 0 <= people <= N_MAX):
            raise CaldpError(
                f"The histogram {str(path)!r} has a row that is none: report {report}, n {n}; "
                f"reports are -3 to {values - 1:,} and n whole numbers up to {N_MAX:,}."
            )
        if sent in _CODES:
            refused[_CODES[sent]] = people
        else:
            counts[sent] = people
    tally = protocol.mechanism.tally_of_histogram(counts)
    return CollectedTally(protocol.fingerprint, tally, frozenset({file_batch_name(path)}), refused)
