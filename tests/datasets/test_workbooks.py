"""Workbooks are read as they are shown: codes of areas keep the zeros that a format gives them."""

import io
import zipfile
from collections.abc import Sequence

import pytest

from caldp_core.datasets import inspect_data
from caldp_core.datasets.files.zero_formats import with_zeros
from tests.datasets.files import merged_workbook, packed_sheets, read_table, rows_xml

ZIP_CODES = {"01067": 10, "99084": 5, "04109": 7}


def _sheet(formats: Sequence[str], *numbers: int, first: str = "") -> bytes:
    """A workbook with a code in each of the formats, and 10 + n people."""
    rows = [(number, style, 10 + style) for style, number in enumerate(numbers, 1)]
    cells = rows_xml([("code", "people"), *(((n, style), people) for n, style, people in rows)])
    return packed_sheets(
        {"First": first, "Data": cells} if first else {"Data": cells}, formats=formats
    )


def _ods(rows: str) -> bytes:
    """A file of LibreOffice with one sheet."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="Data">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", content)
    return out.getvalue()


def _ods_cell(value: object, text: str, more: str = "") -> str:
    kind = f'office:value-type="float" office:value="{value}"' if value != "" else ""
    kind = kind or 'office:value-type="string"'
    return f"<table:table-cell {kind} {more}><text:p>{text}</text:p></table:table-cell>"


def _counts(data: bytes) -> dict[str, int]:
    table = read_table(data).table
    return dict(zip(table.names, table.counts, strict=True))


@pytest.mark.slow
def test_codes_have_the_zeros_that_excel_shows() -> None:
    formats = [
        "00000",
        "000-0000",
        "0000",
        '"D-"00000',
        r"[<=99999]00000;00000\-0000",
        "0",
        "#,##0",
    ]
    numbers = (1067, 123456, 75, 1067, 123456789, 6, 1234)
    shown = ["01067", "012-3456", "0075", "D-01067", "12345-6789", "6", "1234"]
    wanted = {text: 10 + style for style, text in enumerate(shown, 1)}
    assert _counts(_sheet(formats, *numbers)) == wanted
    assert _counts(_sheet(formats, *numbers, first=rows_xml([("About",)]))) == wanted


def test_codes_have_their_zeros_below_titles_right_of_empty_columns_and_in_merged_cells() -> None:
    rows = [
        ("",),
        ("code", "sex", "people"),
        (("1067", 1), "m", 4),
        ("", "f", 6),
        (("99084", 1), "m", 5),
    ]
    data = merged_workbook(rows, "C3:C4", column="C", formats=["00000"])
    file = inspect_data(data)
    assert [row[0] for row in file.rows] == ["01067", "01067", "99084"]


@pytest.mark.slow
def test_codes_have_the_zeros_that_libreoffice_shows() -> None:
    rows = [_ods_cell("", "code") + _ods_cell("", "people")]
    rows += [_ods_cell(int(code), code) + _ods_cell(n, str(n)) for code, n in ZIP_CODES.items()]
    written = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    assert _counts(_ods(written)) == ZIP_CODES
    twice = f'<table:table-row table:number-rows-repeated="2">{rows[1]}</table:table-row>'
    assert _counts(_ods(written + twice)) == ZIP_CODES | {"01067": 30}


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        (0, "00", "00"),
        (123_456, "000", "123456"),
        (7, "#000", "007"),
        (99_999, "[<=99999]00000;00000-0000", "99999"),
        (100_000, "[<=99999]00000;00000-0000", "00010-0000"),
        (1, '000" Nr."', "001 Nr."),
        *(
            (5, code, "")
            for code in ("0", "0.00", "00.0", "#,##0", "00%", "00E+00", "yyyy", "@", "")
        ),
    ],
)
def test_only_formats_of_zeros_are_shown(number: int, code: str, shown: str) -> None:
    assert with_zeros(number, code) == shown


def test_rows_that_excel_hides_are_counted_and_said_to_be() -> None:
    """Excel writes them into a CSV file as well."""
    shown = rows_xml([("answer", "people"), ("yes", 12)])
    hidden = rows_xml([("no", 30), ("maybe", 5)]).replace("<row>", '<row r="3" hidden="1">', 1)
    empty = '<row r="9" hidden="1"/><row r="10" ht="0" hidden="0"><c><v>1</v></c></row>'
    data = packed_sheets({"First": rows_xml([("About",)]), "Data": shown + hidden + empty})
    file = inspect_data(data)
    assert "sheet 'Data', one of 2, 1 hidden row read as the others, " in file.table.kind
    assert _counts(packed_sheets({"Data": shown + hidden})) == {"yes": 12, "no": 30, "maybe": 5}
    assert "hidden" not in inspect_data(packed_sheets({"Data": shown})).table.kind
