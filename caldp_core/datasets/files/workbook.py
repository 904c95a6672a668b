"""Workbooks of spreadsheets: read in a process of their own, which they may crash."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.datasets.files.compression import ZIP, zip_members
from caldp_core.datasets.files.source import Bounds, Source, source_from_bytes
from caldp_core.datasets.own import excerpt

_OLD_EXCEL: Final = b"\xd0\xcf\x11\xe0"
_CHILD: Final = Path(__file__).with_name("workbook_child.py")
_PARTS: Final = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
_TOO_LONG: Final = 3
_UNCHECKED_BYTES: Final = 2**24
_TIMES: Final = 100
"""Beyond 16 MB a workbook that grows more than 100-fold is a bomb."""


def is_workbook(source: Source) -> bool:
    """True of Excel's and LibreOffice's files, by what is in them."""
    head = source.head(4)
    if head == _OLD_EXCEL:
        return True
    return head == ZIP and any(each.filename in _PARTS for each in zip_members(source))


def as_csv(source: Source, bounds: Bounds) -> tuple[Source, str]:
    """The first sheet that holds anything as CSV in UTF-8, and what it is, in words.

    Raises `CaldpError` for what is damaged, needs a password, or is larger than it may be.
    """
    megabytes = bounds.parsed_bytes // 2**20
    require(
        _unpacked_bytes(source) <= bounds.parsed_bytes,
        str(_unreadable(source.name, "is too large")),
    )
    command = [sys.executable, "-P", str(_CHILD), str(256 + 8 * megabytes), str(megabytes)]
    with source.open() as file:
        data = file.read()
    try:
        process = subprocess.run(
            command, input=data, capture_output=True, timeout=bounds.seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise _unreadable(source.name, "takes too long") from None
    require(process.returncode != _TOO_LONG, str(_unreadable(source.name, "holds too much")))
    if process.returncode:
        raise _unreadable(source.name, "is damaged, too large, or asks for a password")
    first_line, _, text = process.stdout.partition(b"\n")
    reply = json.loads(first_line)
    sheet = f"sheet {excerpt(reply['sheet'])}"
    if reply["sheets"] > 1:
        sheet += f", one of {reply['sheets']:,}"
    return source_from_bytes(text, source.name), f"a workbook, {sheet}"


def _unpacked_bytes(source: Source) -> int:
    """Bytes that a workbook unpacks to by its directory; `sys.maxsize` for a bomb."""
    if source.head(4) != ZIP:
        return source.size
    size = sum(each.file_size for each in zip_members(source))
    return size if size <= max(_UNCHECKED_BYTES, _TIMES * source.size) else sys.maxsize


def _unreadable(name: str, why: str) -> CaldpError:
    return CaldpError(f"The workbook {excerpt(name)} {why}; save it as “CSV UTF-8”.")
