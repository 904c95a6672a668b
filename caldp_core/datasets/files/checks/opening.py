"""Checks of how a file is opened: which sheet of a workbook, which encoding of a text."""

from typing import Final

from caldp_core.datasets.files.checks.record import Check, Offer, Reading

_SENTENCES: Final = {
    "sheet": "Several sheets of this workbook hold tables: which one is meant?",
    "encoding": "This text is not in UTF-8, and its letters may be others: which words are right?",
}
_KEEP: Final = {"sheet": "The first of these", "encoding": "None of these: Western letters"}


def opening(name: str, reading: Reading) -> Check | None:
    """The check of that name; its answer was known when the file was opened."""
    table = reading.file.table
    if table.asks != name:
        return None
    offers = tuple(
        Offer(way, label, f"{name} {way}", lambda read: read) for way, label in table.ways
    )
    return Check(name, _SENTENCES[name], offers, _KEEP[name])
