"""Tables that a person's report depends on: one entry a rank, or a single one for all.

To look up an entry that is the same for everybody would cost as much as the report.
"""

from typing import TypeVar

from caldp_core.basics.types import Ints, Words

Table = TypeVar("Table", Ints, Words)


def compress_table(table: Table) -> Table:
    """A table whose entries are all equal shrinks to one entry."""
    return table[:1].copy() if table.size and (table == table[0]).all() else table


def lookup(table: Table, rank: Ints) -> Table:
    """(n,) entries of the ranks, or the (1,) entry that they share."""
    return table if table.size == 1 else table.take(rank)
