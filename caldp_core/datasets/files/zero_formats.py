"""Numbers of a workbook that their format shows with leading zeros, such as 01234 for 1234."""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import product
from typing import IO, Final, TypeAlias
from xml.etree import ElementTree as ET

_Shown: TypeAlias = tuple[tuple[int, int], str]
"""Row and column of a cell, from 0, and its text."""
_BOOK, _STYLES, _ODS = "xl/workbook.xml", "xl/styles.xml", "content.xml"
_SECTION: Final = re.compile(r'(?:\[[^\]]*\])*((?:[0# ()/-]|\\.|"[^"]*"|_.)*)@?')
_TOKEN: Final = re.compile(r'\\(.)|"([^"]*)"|_.|(.)')
_CONDITION: Final = re.compile(r"\[<(=?)(\d+)\]")
_WHOLE: Final = re.compile(r"\d+(\.0*)?")
_HIDDEN: Final = rb'<(?:\w+:)?row(?=[^>]*\shidden="(?:1|true)")[^>]*[^/]>'
"""The start of a row that holds cells and is hidden."""
_IN_ODS: Final = re.compile(r"0\d[\d /()-]*|\d+(-\d+)+")
"""Whole numbers as LibreOffice writes them beside their value."""


def texts_with_zeros(data: bytes, sheet: str) -> dict[tuple[int, int], str]:
    """By row and column, from 0, what whole numbers of a sheet look like in formats of zeros.

    Of Excel's .xlsx and of .ods; the older formats of Excel are not looked at.
    """
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return {}
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        names = parts.namelist()
        if _ODS in names:
            with parts.open(_ODS) as file:
                return dict(_shown_in_ods(file, sheet))
        formats = _zero_formats(parts) if {_BOOK, _STYLES} <= {*names} else {}
        if not formats:
            return {}
        with parts.open(_path_of(parts, sheet)) as file:
            return dict(_shown_in_excel(file, formats))


def hidden_rows(data: bytes, sheet: str) -> int:
    """Rows of a sheet of .xlsx that Excel hides, by hand or by a filter; 0 in other formats."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return 0
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        if _BOOK not in parts.namelist():
            return 0
        return len(re.findall(_HIDDEN, parts.read(_path_of(parts, sheet))))


def with_zeros(number: int, code: str) -> str:
    """A whole number from 0 on by a format of zeros, such as 000-0000; "" by any other format."""
    sections = code.split(";")
    condition = _CONDITION.match(code)
    if condition and len(sections) > 1 and number >= int(condition[2]) + bool(condition[1]):
        del sections[0]
    found = _SECTION.fullmatch(sections[0])
    tokens = [match.groups(default="") for match in _TOKEN.finditer(found[1])] if found else []
    zeros, places = (sum(sign in signs for *_, sign in tokens if sign) for signs in ("0", "0#"))
    digits, text = str(number).zfill(zeros), ""
    for escaped, quoted, sign in reversed(tokens):
        if sign not in ("0", "#"):
            text = escaped + quoted + sign + text
            continue
        places -= 1
        digit = digits[-1:] if places else digits
        digits, text = digits[: -1 if places else 0], digit + text
    return text.strip() if zeros > 1 else ""


def _path_of(parts: zipfile.ZipFile, sheet: str) -> str:
    """The member of Excel's file that holds a sheet."""
    sheets = ET.fromstring(parts.read(_BOOK)).iterfind(".//{*}sheet")
    own = next(each for each in sheets if each.get("name") == sheet)
    links = ET.fromstring(parts.read("xl/_rels/workbook.xml.rels"))
    target = next(each.get("Target", "") for each in links if each.get("Id") == _get(own, "id"))
    return posixpath.normpath(posixpath.join("/xl", target))[1:]


def _zero_formats(parts: zipfile.ZipFile) -> dict[str, str]:
    """The formats of zeros by the number of their style."""
    styles = ET.fromstring(parts.read(_STYLES))
    codes = {
        each.get("numFmtId"): each.get("formatCode", "") for each in styles.iterfind(".//{*}numFmt")
    }
    cells = enumerate(styles.iterfind(".//{*}cellXfs/{*}xf"))
    found = ((str(at), codes.get(each.get("numFmtId"), "")) for at, each in cells)
    return {style: code for style, code in found if with_zeros(0, code)}


def _get(element: ET.Element, name: str) -> str:
    """An attribute of a namespace, whichever that is."""
    return next((text for key, text in element.items() if key.endswith("}" + name)), "")


def _events(file: IO[bytes]) -> Iterator[tuple[str, ET.Element]]:
    """What begins and ends in a sheet, such as "start row", and its element."""
    for event, each in ET.iterparse(file, ("start", "end")):
        yield f"{event} {each.tag.rpartition('}')[2]}", each


def _shown_in_excel(file: IO[bytes], formats: Mapping[str, str]) -> Iterator[_Shown]:
    row = column = -1
    for event, each in _events(file):
        place = each.get("r", "")
        if event == "start row":
            row, column = (int(place) - 1 if place else row + 1), -1
        elif event == "end c":
            letters = place.rstrip("0123456789")
            column = (
                reduce(lambda n, letter: 26 * n + ord(letter) - 64, letters, 0) - 1
                if letters
                else column + 1
            )
            number, code = each.findtext("{*}v", ""), formats.get(each.get("s", ""), "")
            if code and each.get("t", "n") == "n" and _WHOLE.fullmatch(number):
                yield (row, column), with_zeros(int(float(number)), code)
        elif event == "end row":
            each.clear()


def _shown_in_ods(file: IO[bytes], sheet: str) -> Iterator[_Shown]:
    table, rows, column = "", range(0), 0
    for event, each in _events(file):
        if event == "start table":
            table, rows = _get(each, "name"), range(0)
        elif event == "start table-row":
            times = int(_get(each, "number-rows-repeated") or 1)
            rows, column = range(rows.stop, rows.stop + times), 0
        elif event in ("end table-cell", "end covered-table-cell"):
            columns = range(column, column + int(_get(each, "number-columns-repeated") or 1))
            text, value, column = "".join(each.itertext()), _get(each, "value"), columns.stop
            is_number = table == sheet and _IN_ODS.fullmatch(text) and _WHOLE.fullmatch(value)
            if is_number and int(re.sub(r"\D", "", text)) == float(value):
                yield from ((place, text) for place in product(rows, columns))
        elif event == "end table-row":
            each.clear()
