"""Files to test with, made by script: the same rows in every form, hostile ones, check-ins."""

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats
from caldp_core.datasets import OwnTable, Snap, inspect_data
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.checks.record import resolve
from caldp_core.datasets.files.checks.run import CHECKS

HEADER: Final = ("Stadtteil", "Breitengrad", "Längengrad", "Anzahl")
HIDDEN: Final = ' state="hidden"'
PARIS: Final = [
    (f"Nº {i % 20 + 1}", 48.82 + i % 80 / 1000, 2.25 + i % 160 / 1000, 1 + i % 3)
    for i in range(400)
]


def as_text(delimiter: str = ",", mark: str = ".", end: str = "\n") -> str:
    """The rows of Paris as text."""
    lines = [delimiter.join(HEADER)]
    for name, latitude, longitude, n in PARIS:
        numbers = (f"{latitude:.5f}", f"{longitude:.5f}", str(n))
        lines.append(delimiter.join([name, *(cell.replace(".", mark) for cell in numbers)]))
    return end.join(lines) + end


def as_zip(data: bytes, name: str = "paris.csv") -> bytes:
    """A zip with one file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return out.getvalue()


def as_parquet() -> bytes:
    """The rows as Parquet, with numbers as numbers."""
    out = io.BytesIO()
    columns = dict(zip(HEADER, map(list, zip(*PARIS, strict=True)), strict=True))
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def as_geojson() -> bytes:
    """The rows as points."""
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [round(lon, 5), round(lat, 5)]},
            "properties": {"name": name, "Anzahl": n},
        }
        for name, lat, lon, n in PARIS
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


_SHEET: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def as_workbook(sheet: str | None = None) -> bytes:
    """The rows as the smallest workbook; `sheet`: other cells, in XML."""
    return packed_sheets({"Orte": rows_xml([HEADER, *PARIS]) if sheet is None else sheet})


def workbook(*sheets: tuple[str, Iterable[Iterable[object]]], hidden: Sequence[str] = ()) -> bytes:
    """A workbook of sheets by name, some of them hidden."""
    return packed_sheets({name: rows_xml(rows) for name, rows in sheets}, hidden)


def merged_workbook(
    rows: Iterable[Iterable[object]], *ranges: str, column: str = "A", formats: Sequence[str] = ()
) -> bytes:
    """A workbook of one sheet from a column on, with merged cells, such as “A2:A4”."""
    merged = "".join(f'<mergeCell ref="{each}"/>' for each in ranges)
    written = "".join(
        f'<row r="{number}">'
        + "".join(
            _cell(value).replace("<c", f'<c r="{chr(ord(column) + at)}{number}"', 1)
            for at, value in enumerate(row)
            if value != ""
        )
        + "</row>"
        for number, row in enumerate(rows, start=1)
    )
    merges = f"<mergeCells>{merged}</mergeCells>"
    return packed_sheets({"Data": written}, merged=merges, formats=formats)


def rows_xml(rows: Iterable[Iterable[object]]) -> str:
    """Rows as a workbook has them."""
    return "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)


def packed_sheets(
    sheets: Mapping[str, str],
    hidden: Sequence[str] = (),
    merged: str = "",
    formats: Sequence[str] = (),
) -> bytes:
    """A workbook of sheets, each its rows in XML; `formats`: of the styles 1, 2, … of cells."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"{HIDDEN if name in hidden else ""}/>'
        for n, name in enumerate(sheets, 1)
    )
    linked = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" '
        'ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>{listed}'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{linked}'
        "</Relationships>",
    }
    for n, rows in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{n}.xml"] = (
            f'<worksheet xmlns="{_SHEET}"><sheetData>{rows}</sheetData>{merged}</worksheet>'
        )
    if formats:
        codes = "".join(
            f'<numFmt numFmtId="{163 + n}" formatCode={quoteattr(code)}/>'
            for n, code in enumerate(formats, 1)
        )
        styles = "".join(f'<xf numFmtId="{163 + n}"/>' for n in range(1, len(formats) + 1))
        parts["xl/styles.xml"] = (
            f'<styleSheet xmlns="{_SHEET}"><numFmts>{codes}</numFmts>'
            f'<cellXfs><xf numFmtId="0"/>{styles}</cellXfs></styleSheet>'
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def _cell(value: object) -> str:
    """A text, a number, or a number and its style."""
    if isinstance(value, tuple):
        return f'<c s="{value[1]}"><v>{value[0]}</v></c>'
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    return f"<c><v>{value}</v></c>"


GOOD: Final[dict[str, bytes]] = {
    "commas": as_text().encode(),
    "semicolons, decimal commas, Windows": as_text(";", ",", "\r\n").encode("cp1252"),
    "tabs, UTF-16": as_text("\t").encode("utf-16"),
    "UTF-16 without a mark": as_text(";", ",").encode("utf-16-le"),
    "UTF-32": as_text(";", ",").encode("utf-32"),
    "bars, a mark": as_text("|").encode("utf-8-sig"),
    "lines above": ("Paris, 2024\nmade up\n\n" + as_text(";", ",")).encode(),
    "gzip": gzip.compress(as_text(";", ",").encode("latin-1")),
    "zip": as_zip(as_text().encode("utf-16")),
    "Parquet": as_parquet(),
    "a workbook": as_workbook(),
    "GeoJSON": as_geojson(),
}


def _bomb(unpacked: int, text: bytes) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1, mtime=0) as file:
        for _ in range(unpacked // len(text)):
            file.write(text)
    return out.getvalue()


LINES: Final = b"48.1,2.3\n" * 2**17
HARM: Final[dict[str, Callable[[], bytes]]] = {
    "a gzip bomb": lambda: _bomb(2**27, LINES),
    "a zip bomb": lambda: as_zip(LINES * 100),
    "a million columns": lambda: b"a," * 10**6 + b"\n" + b"1," * 10**6,
    "a line without end": lambda: b"lat,lon\n" + b"1" * 2**23,
    "a quotation that never closes": lambda: b'lat,lon\n48,2\n"48,2\n' + LINES,
    "a sheet of 17 billion cells": lambda: as_workbook(
        '<row r="1"><c r="A1"><v>1</v></c></row>'
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    ),
    "a workbook that unpacks a hundredfold": lambda: as_workbook("<row/>" * 2**23),
    "half a Parquet file": lambda: as_parquet()[: len(as_parquet()) // 2],
    "Parquet in name alone": lambda: b"PAR1" + bytes(range(256)) * 4 + b"PAR1",
    "zeros": lambda: bytes(2**20),
    "nothing": lambda: b"",
    "JSON a hundred thousand deep": lambda: b'{"coordinates":' + b"[" * 100_000,
    "a zip of two": lambda: as_zip(b"x", "a.csv")[:-22] + as_zip(b"x", "b.csv"),
}


def hostile(number: int) -> Iterator[tuple[str, bytes]]:
    """So many files, each a good one that is cut, mixed up or written over; always the same."""
    dice = random.Random(7)
    odd = [
        b"\0",
        b'"',
        b"\n",
        b"nan",
        b"1e308",
        b"-inf",
        b"\xff\xfe",
        b"\xc3",
        b";",
        b",,,,",
        b"=1+1",
    ]
    for at in range(number):
        name = dice.choice(list(GOOD))
        data = bytearray(GOOD[name][: dice.choice((200, 2_000, 20_000))])
        for _ in range(dice.randrange(1, 12)):
            where = dice.randrange(len(data) + 1)
            match dice.randrange(4):
                case 0:
                    data[where : where + dice.randrange(30)] = b""
                case 1:
                    data[where:where] = dice.choice(odd) * dice.choice((1, 1, 50))
                case 2:
                    data[where : where + 8] = dice.randbytes(8)
                case _:
                    other = dice.randrange(len(data) + 1)
                    data[where:where] = data[other : other + 200]
        yield f"{at}: {name}", bytes(data)


def read_table(data: str | bytes | Path, title: str = OwnTable.title) -> CountedAnswers:
    """The answers of a text or file of which no check asks, counted by its detected layout.

    Names of areas are plain answers.
    """
    file = inspect_data(data)
    checked = resolve(file, file.answers, tuple(CHECKS.values()), {"areas": "keep"})
    require(not checked.unanswered, " ".join(each.sentence for each in checked.unanswered))
    return count_answers(checked.reading.file, checked.reading.layout, title)


HOSTILE: Final[dict[str, tuple[str, Callable[[], bytes]]]] = {
    "3 kB of one line": ("g.csv", lambda: b"1," * 1_500 + b"1"),
    "nested arrays, 31 MB": (
        "a.geojson",
        lambda: b'{"features":[{"geometry":{"coordinates":[' + b"[[]]," * 6_200_000 + b"[]]}}]}",
    ),
    "a million features": (
        "b.geojson",
        lambda: b'{"features":[' + b'{"geometry":{"type":"Point"}},' * 10**6 + b"{}]}",
    ),
    "JSON, 31 MB": ("c.json", lambda: b'{"rows":[' + b"[1,2]," * 5_200_000 + b"[]]}"),
    "places, 31 MB": ("p.csv", lambda: b"latitude,longitude\n" + b"48.8567,2.3522\n" * 2_060_000),
    "one line, 31 MB": ("d.csv", lambda: b"1," * 15_500_000 + b"1"),
    "a workbook of zeros, 300 MB": ("e.xlsx", lambda: as_zip(bytes(3 * 10**8), "xl/workbook.xml")),
    "a zip of zeros, 300 MB": ("f.zip", lambda: as_zip(bytes(3 * 10**8))),
}
"""By what they are: name and content of files that take memory or time; the first takes neither."""


AUSTIN = b"0\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t22847"


def write(path: Path, *rows: bytes, end: bytes = b"\n") -> Snap:
    path.write_bytes(b"\n".join(rows) + end)
    return Snap(str(path))


def random_rows(n: int, rng: np.random.Generator) -> tuple[list[bytes], Floats, Floats]:
    latitude, longitude = rng.uniform(20, 55, n), rng.uniform(-135, -55, n)
    rows = [
        f"{i}\t2010-10-19T23:55:27Z\t{a:.10f}\t{b:.10f}\t{i}".encode()
        for i, (a, b) in enumerate(zip(latitude, longitude, strict=True))
    ]
    return rows, latitude, longitude
