"""Numbers of a workbook that their format shows with leading zeros, such as 01234 for 1234."""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import IO, Final, TypeAlias
from xml.etree import ElementTree as ET

_Shown: TypeAlias = tuple[tuple[int, int], str]
"""Row and column of a cell, from 0, and its text."""
_BOOK, _STYLES, _ODS = "xl/workbook.xml", "xl/styles.xml", "content.xml"
_SECTION: Final = re.compile(r'(?:\[[^\]]*\])*((?:[0# ()/-]|\\.|"[^"]*"|_.)*)@?')
_TOKEN: Final = re.compile(r'\\(.)|"([^"]*)"|_.|(.)')
_CONDITION: Final = re.compile(r"\[<(=?)(\d+)\]")
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
    book = ET.fromstring(parts.read(_BOOK))
    own = next(each for each in _all(book, "sheet") if each.get("name") == sheet)
    link = next(value for key, value in own.attrib.items() if key.endswith("}id"))
    links = ET.fromstring(parts.read("xl/_rels/workbook.xml.rels"))
    target = next(each.get("Target", "") for each in links if each.get("Id") == link)
    return posixpath.normpath(posixpath.join("/xl", target))[1:]


def _zero_formats(parts: zipfile.ZipFile) -> dict[str, str]:
    """The formats of zeros by the number of their style."""
    styles = ET.fromstring(parts.read(_STYLES))
    codes = {each.get("numFmtId"): each.get("formatCode", "") for each in _all(styles, "numFmt")}
    cells = [each for group in _all(styles, "cellXfs") for each in group]
    found = ((str(at), codes.get(each.get("numFmtId"), "")) for at, each in enumerate(cells))
    return {style: code for style, code in found if with_zeros(0, code)}


def _all(root: ET.Element, name: str) -> list[ET.Element]:
    return [each for each in root.iter() if _name(each) == name]


def _name(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _own(element: ET.Element, name: str) -> str:
    """An attribute, whatever its namespace."""
    found = (value for key, value in element.items() if key.rpartition("}")[2] == name)
    return next(found, "")


def _shown_in_excel(file: IO[bytes], formats: Mapping[str, str]) -> Iterator[_Shown]:
    row = column = -1
    for event, each in ET.iterparse(file, ("start", "end")):
        name, place = _name(each), each.get("r", "")
        if event == "start":
            if name == "row":
                row, column = (int(place) - 1 if place else row + 1), -1
            continue
        if name == "c":
            column = _number_of(place) if place else column + 1
            number = "".join(v.text or "" for v in each if _name(v) == "v")
            code = formats.get(each.get("s", ""), "")
            if code and each.get("t", "n") == "n" and re.fullmatch(r"\d+(\.0*)?", number):
                yield (row, column), with_zeros(int(float(number)), code)
        if name == "row":
            each.clear()


def _number_of(place: str) -> int:
    """The number of a column from 0, such as 27 for “AB12”."""
    number = 0
    for letter in re.sub(r"\d", "", place):
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _shown_in_ods(file: IO[bytes], sheet: str) -> Iterator[_Shown]:
    row = column = 0
    table = ""
    for event, each in ET.iterparse(file, ("start", "end")):
        name = _name(each)
        if event == "start" and name == "table":
            row, table = 0, _own(each, "name")
        elif event == "start" and name == "table-row":
            column = 0
        elif event == "end" and name in ("table-cell", "covered-table-cell"):
            times = int(_own(each, "number-columns-repeated") or 1)
            text, value = "".join(each.itertext()), _own(each, "value")
            if table == sheet and _IN_ODS.fullmatch(text):
                digits = re.sub(r"\D", "", text)
                if re.fullmatch(r"\d+(\.0*)?", value) and float(digits) == float(value):
                    yield from (((row, column + at), text) for at in range(times))
            column += times
        elif event == "end" and name == "table-row":
            row += int(_own(each, "number-rows-repeated") or 1)
            each.clear()
