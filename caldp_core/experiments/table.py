"""A result as a table: one row a value, for data frames and files."""

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.files import escape_formula, parse_float
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.intervals import margins

if TYPE_CHECKING:
    from caldp_core.experiments.run import Result

Columns: TypeAlias = Mapping[str, Sequence[object]]


def columns_of(result: "Result") -> dict[str, list[object]]:
    """The columns by name, each (k,): where a cell is or what an answer is called, and its share.

    `number`; on a map `latitude` and `longitude` of the cell's centre in degrees, else `answer` and
    `group` where they have names; `block`; `estimated share` and `estimated people`, of the first
    trial; and those of `margins`, where the variance of each share is known (not of planar noise on
    a large map).
    """
    setup, domain = result.setup, result.setup.dataset.domain
    k = setup.mechanism.k
    columns: dict[str, list[object]] = {"number": list(range(k))}
    if isinstance(domain, GridDomain):
        row, column = np.divmod(np.arange(k), domain.columns)
        columns["latitude"] = domain.latitudes()[row].round(6).tolist()
        columns["longitude"] = domain.wrapped_longitudes()[column].round(6).tolist()
    elif domain.names:
        columns["answer"] = list(domain.names)
        columns["group"] = list(domain.groups or ("",) * k)
    names = setup.partition.names
    columns["block"] = [names[label] for label in setup.partition.labels.tolist()]
    columns["estimated share"] = result.first.estimate.tolist()
    columns["estimated people"] = (result.first.estimate * setup.n).tolist()
    with suppress(CaldpError):
        columns |= margins(result.first.evidence, result.first.estimate)
    return columns


def as_csv(columns: Columns) -> str:
    """The columns as a file by RFC 4180; texts are guarded, see `as_cell`."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(map(as_cell, columns))
    writer.writerows(map(as_cell, row) for row in zip(*columns.values(), strict=True))
    return buffer.getvalue()


def as_cell(value: object) -> object:
    """A text that a spreadsheet would run as a formula, behind an apostrophe; all else as it is."""
    if isinstance(value, str) and parse_float(value) is None:
        return escape_formula(value)
    return value
