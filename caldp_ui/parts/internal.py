"""Files with true counts of a visitor's own data: named internal, and marked so inside."""

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, Final

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

LINE: Final = "INTERNAL: made from the true counts of somebody's own data. Do not pass it on."
"""The red line in every such file."""
COLUMN: Final = "truth (INTERNAL: do not pass it on)"
"""The title of a column of true shares in a table that the browser saves as CSV."""
RED: Final = "#B00020"
NAME: Final = "internal"
"""Ends the names of such files, and is the field or column of the line."""
_BAND: Final = 40
"""Pixels of the band above a picture."""


def file_name(name: str) -> str:
    """The name of a file, with `NAME` in it."""
    path = PurePath(name)
    return f"{path.stem}-{NAME}{path.suffix}"


def mark(name: str, data: bytes) -> bytes:
    """The content of a file with the line in it; `name` tells its kind."""
    return _MARKS[PurePath(name).suffix](data)


def zip_of(files: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file of these files, by name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return buffer.getvalue()


def _mark_csv(data: bytes) -> bytes:
    """A first column that says it in every row, however the rows are sorted and cut."""
    head, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    buffer = io.StringIO()
    csv.writer(buffer).writerows([[NAME, *head], *([LINE, *row] for row in rows)])
    return buffer.getvalue().encode()


def _mark_html(data: bytes) -> bytes:
    style = f"color:#fff;background:{RED};font:700 1rem sans-serif;padding:.5rem 1rem;margin:0"
    line = f'<body>\n<p style="{style}">{LINE}</p>'
    return data.decode().replace("<body>", line, 1).encode()


def _mark_json(data: bytes) -> bytes:
    found: Any = json.loads(data)
    parts = [{NAME: LINE, **part} for part in (found if isinstance(found, list) else [found])]
    whole = parts if isinstance(found, list) else parts[0]
    return json.dumps(whole, indent=1, ensure_ascii=False).encode()


def _mark_png(data: bytes) -> bytes:
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    whole = Image.new("RGB", (picture.width, picture.height + _BAND), RED)
    whole.paste(picture, (0, _BAND))
    size = 18 if picture.width >= 750 else 14
    ImageDraw.Draw(whole).text((8, 9), LINE, "white", ImageFont.load_default(size))
    text, buffer = PngInfo(), io.BytesIO()
    text.add_text("Comment", LINE)
    whole.save(buffer, "PNG", optimize=True, pnginfo=text)
    return buffer.getvalue()


def _mark_zip(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        files = {name: mark(name, found.read(name)) for name in found.namelist()}
    return zip_of({f"{NAME.upper()}.txt": LINE, **files})


_MARKS: Final[dict[str, Callable[[bytes], bytes]]] = {
    ".csv": _mark_csv,
    ".json": _mark_json,
    ".png": _mark_png,
    ".zip": _mark_zip,
    ".html": _mark_html,
}
