"""Files of a rehearsal: maps on paper, tables by area, and the line that marks what is internal.

Noise of a rehearsal is drawn for a demonstration, beside the truth. So whatever files it makes of a
visitor's own data are internal, one by one and as one ZIP file, and each says so inside: what may
leave is made at the desk from a list that is held, or by a collection from people's own devices.

A map on paper (`figure.svg` is its form) has a title, place names, a legend, a scale and notes, in
the reader's own fonts.

Colours and dark land are those of the stage.
"""

import base64
import csv
import io
import json
import math
import re
import textwrap
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path, PurePath
from string import Template
from typing import Any, Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from caldp_core.basics.cache import cached_by
from caldp_core.basics.files import csv_text
from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import AT_SEA, OwnTable, base_map
from caldp_core.datasets.base_map import City, areas_on_map
from caldp_core.domain.domains import KM_PER_DEGREE, Area, Domain, GridDomain
from caldp_core.experiments.regions import ResultAreas, areas_as_geojson
from caldp_core.experiments.run import Result, Setup
from caldp_core.experiments.table import as_csv, as_geojson
from caldp_core.scenarios.blocks import OUTSIDE, BlocksSpec, SensitiveNear
from caldp_core.treatments.release import area_columns, local_release
from caldp_ui.app.theme import BLUES, CIVIDIS, DAY, LEVELS, NIGHT_LAND
from caldp_ui.app.user_text import UserText
from caldp_ui.compute import runs
from caldp_ui.stage.records import SCALE, Scale, nobody_below, scale_of
from caldp_ui.words import formats

_FORM: Final = Template(Path(__file__).with_name("figure.svg").read_text("utf-8"))
_WIDTH: Final = 440
_HIGH_MAX: Final = 340.0
_PIXELS: Final = 3
"""Pixels of the map for each unit of the picture, so that print is sharp."""
_EDGE: Final = 12
_LINE: Final = 20
_SIGNS: Final = {"title": 40, "notes": 54}
"""Characters of a line."""
_NAMES_MAX: Final = 6
_SIGN: Final = 8.0
"""Units that a letter of a name takes at most, on average."""
_ROOM: Final = 90, 24
"""Units around a place name that hold no other one."""


@dataclass(frozen=True, eq=False)
class MapColours:
    """(k,) colour `levels` of cells, 0 for none; `legend`: title, least and most of the colours.

    `borders`: (k,) labels whose borders are drawn, or None.
    """

    levels: NDArray[np.uint8]
    legend: tuple[str, str, str]
    borders: Ints | None = None


def map_svg(
    title: str, notes: Sequence[str], grid: GridDomain, colours: MapColours, points: Sequence[City]
) -> str:
    """The picture as SVG; `notes`: texts below it, one paragraph each; `points`: `named_points`."""
    wide, high, narrow = _size(grid)
    heads = textwrap.wrap(title, _SIGNS["title"])
    lines = [line for note in notes for line in textwrap.wrap(note, _SIGNS["notes"])]
    top = _EDGE + 1.2 * _LINE * len(heads)
    below = top + high + 3.2 * _LINE
    km = grid.columns * grid.cell * narrow * KM_PER_DEGREE
    length = _round_length(km / 4)
    legend, least, most = map(escape, colours.legend)
    return _FORM.substitute(
        name=escape(title),
        width=_WIDTH,
        height=f"{below + _LINE * len(lines):.0f}",
        left=f"{(_WIDTH - wide) / 2:.1f}",
        top=f"{top:.1f}",
        wide=f"{wide:.1f}",
        high=f"{high:.1f}",
        title=_lines(heads, _EDGE, 1.2 * _LINE),
        notes=_lines(lines, below - _LINE / 2, _LINE),
        png=base64.b64encode(_cells_png(grid, colours, wide, high)).decode(),
        outline=_outline(grid, wide, high),
        places=_place_names(grid, wide, high, points),
        bar=f"{length / km * wide:.1f}",
        length=formats.length(length),
        legend=legend,
        least=least,
        most=most,
    )


def _size(grid: GridDomain) -> tuple[float, float, float]:
    """Width and height of the map, and how long a degree of longitude is beside one of latitude."""
    narrow = math.cos(math.radians((grid.area.south + grid.area.north) / 2))
    ratio = grid.rows / (grid.columns * max(narrow, 0.01))
    wide = min(_WIDTH - 2.0 * _EDGE, _HIGH_MAX / ratio)
    return wide, wide * ratio, narrow


def _round_length(most: float) -> float:
    """The largest of 1, 2, 5, 10, … and their parts that is at most `most`."""
    power = 10.0 ** math.floor(math.log10(most))
    return next(factor * power for factor in (5, 2, 1) if factor * power <= most)


def _lines(texts: Sequence[str], top: float, high: float) -> str:
    return "".join(
        f'<text x="{_EDGE}" y="{top + high * (at + 0.6):.0f}">{escape(text)}</text>'
        for at, text in enumerate(texts)
    )


def _at(grid: GridDomain, x: Floats, y: Floats, wide: float, high: float) -> Floats:
    """(2, …) longitudes and latitudes as units from the map's upper left."""
    area = grid.area
    right = (x - area.west) / (area.east - area.west) * wide
    return np.array([right, (area.north - y) / (area.north - area.south) * high])


def _outline(grid: GridDomain, wide: float, high: float) -> str:
    """Coasts and borders as a path; NaN is between one line and the next."""
    x, y = _at(grid, *base_map(grid).outline, wide, high)
    begins = np.isnan(np.concatenate([[math.nan], x])[: x.size])
    points = zip(np.where(begins, "M", "L"), x.tolist(), y.tolist(), strict=True)
    return "".join(f"{pen}{x:.1f} {y:.1f}" for pen, x, y in points if not math.isnan(x))


def named_points(setup: Setup) -> tuple[City, ...]:
    """The points with names near which people are protected."""
    sensitive = getattr(setup.scenario.policy, "sensitive", None)
    return sensitive.named if isinstance(sensitive, SensitiveNear) else ()


def _place_names(grid: GridDomain, wide: float, high: float, points: Sequence[City]) -> str:
    """The points, then the largest cities, that have room on the map."""
    found: list[tuple[float, float]] = []
    texts = []
    for city in (*points, *base_map(grid).cities):
        x, y = _at(grid, np.array(city.longitude), np.array(city.latitude), wide, high).tolist()
        is_inside = 0 < x < wide and _ROOM[1] < y < high
        if is_inside and all(abs(x - a) > _ROOM[0] or abs(y - b) > _ROOM[1] for a, b in found):
            found.append((x, y))
            texts.append(_name_at(city.name, x, y, wide))
    return "".join(texts[:_NAMES_MAX])


def _name_at(name: str, x: float, y: float, wide: float) -> str:
    """A name beside its dot, on the side with more room, and cut to that."""
    signs = int(max(x, wide - x) / _SIGN) - 2
    name = escape(name if len(name) <= signs else f"{name[:signs]}…")
    anchor, text = ("start", f"· {name}") if x < wide / 2 else ("end", f"{name} ·")
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{text}</text>'


def _cells_png(grid: GridDomain, colours: MapColours, wide: float, high: float) -> bytes:
    """The cells, north up, with the borders of areas."""
    across, down = round(_PIXELS * wide), round(_PIXELS * high)
    rows = np.arange(down - 1, -1, -1) * grid.rows // down
    at = rows[:, None] * grid.columns + np.arange(across) * grid.columns // across
    table = np.array([ImageColor.getrgb(DAY.land), *BLUES[1:]], np.uint8)
    pixels = table[colours.levels[at]]
    if colours.borders is not None:
        labels = colours.borders[at]
        is_edge = (labels != np.roll(labels, 1, 0)) | (labels != np.roll(labels, 1, 1))
        pixels[1:, 1:][is_edge[1:, 1:]] = ImageColor.getrgb("#46596E")
    return png_of(Image.fromarray(pixels), optimize=True)


def png_of(picture: Image.Image, **options: Any) -> bytes:
    """A picture as PNG; `options`: of `Image.save`."""
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", **options)
    return buffer.getvalue()


WIDTH: Final = 700


def colour_levels(shares: Floats, nobody: float = 0.0, scale: Scale = SCALE) -> NDArray[np.uint8]:
    """Colour numbers of shares, in their shape: 1 … 255 on a log scale, 0 below `nobody`."""
    top = LEVELS - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        place = np.log(shares / scale.low) / np.log(scale.high / scale.low)
    colour = 1 + np.clip(np.nan_to_num(place, nan=0.0, neginf=0.0), 0, 1) * (top - 1)
    visible = (shares > 0) & (shares >= nobody)
    return np.where(visible, np.rint(colour), 0).astype(np.uint8)


def png(
    shares: Floats, domain: GridDomain, part: Area, nobody: float = 0.0, scale: Scale = SCALE
) -> bytes:
    """The `part` of a map of (k,) shares, `WIDTH` pixels wide, north up, as long as it is high."""
    rows, columns = window(domain, part)
    cells = colour_levels(shares, nobody, scale).reshape(domain.rows, domain.columns)[
        rows, columns
    ][::-1]
    picture = Image.fromarray(np.ascontiguousarray(cells))
    palette = CIVIDIS.copy()
    palette[0] = NIGHT_LAND
    picture.putpalette(palette.tobytes())
    size = (WIDTH, height(domain, part))
    return png_of(picture.resize(size, Image.Resampling.NEAREST))


def maps(
    shares: Mapping[str, Floats],
    domain: GridDomain,
    part: Area,
    nobody: float,
    scale: Scale = SCALE,
) -> dict[str, bytes]:
    """A `png` for each of (k,) shares by title, with what its colours mean above it."""
    (_, least), *_, (_, most) = scale.ticks
    meaning = f"In a cell: {least} (dark) to {most} (yellow), on a logarithmic scale."
    return {
        title: captioned(png(each, domain, part, nobody, scale), [meaning])
        for title, each in shares.items()
    }


def captioned(picture: bytes, lines: Sequence[str]) -> bytes:
    """A PNG with lines of text above it, which are also its `Description` for programs."""
    image = Image.open(io.BytesIO(picture))
    size = image.width // 50
    font = font_of(size)
    signs = int((image.width - 2 * size) / font.getlength("0"))
    wrapped = [part for line in lines for part in textwrap.wrap(line, signs)]
    text = "\n".join(wrapped)
    at, gap = (size, size / 2), size / 2
    *_, low = ImageDraw.Draw(image).multiline_textbbox(at, text, font, spacing=gap)
    whole = Image.new("RGB", (image.width, image.height + round(low) + size), "white")
    whole.paste(image, (0, round(low) + size))
    ImageDraw.Draw(whole).multiline_text(at, text, "black", font, spacing=gap)
    known = PngInfo()
    known.add_itxt("Description", f"{text}\n{image.info.get('Description', '')}")
    return png_of(whole, pnginfo=known)


def font_of(size: int) -> ImageFont.FreeTypeFont:
    """The pages' font, of `size` pixels: Pillow's own has no ä, no é and no Greek letter."""
    media = Path(st.__file__).parent / "static/static/media"
    font = ImageFont.truetype(next(media.glob("SourceSansVF-Upright*.woff2")), size)
    font.set_variation_by_name("Regular")
    return font


def window(domain: GridDomain, part: Area) -> tuple[slice, slice]:
    """Rows and columns of the cells in a part of the map."""
    inside = domain.area_mask(part).reshape(domain.rows, domain.columns)
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def height(domain: GridDomain, part: Area) -> int:
    """Height in pixels: a degree of latitude is longer on the ground than one of longitude."""
    rows, columns = window(domain, part)
    narrow = math.cos(math.radians((part.south + part.north) / 2))
    wide, high = int(columns.stop - columns.start), int(rows.stop - rows.start)
    return round(WIDTH * high / wide / narrow)


PACK_NAME: Final = "rehearsal.zip"
_ROWS_MAX: Final = 12
"""Areas in the table of a record."""
BOUNDS: Final = "bounds, which follow from the rule and always hold."
RANGES: Final = "ranges that hold 95 times in 100."


@dataclass(frozen=True, eq=False)
class AreaResult:
    """Areas with their columns of shares and ranges (`treatments.release.area_columns`)."""

    areas: ResultAreas
    columns: dict[str, list[object]]

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Name, percentage and range of each area, the largest first."""
        columns = (self.columns[n] for n in ("area", "share", "low", "high", "level"))
        rows = sorted(zip(*columns, strict=True), key=lambda row: -float(str(row[1])))
        return [(str(name), *_percentages(*map(float, map(str, rest)))) for name, *rest in rows]

    @property
    def colours(self) -> MapColours | None:
        """The colours of the areas, from a share of 0; None where they are not on a map."""
        shares, cells = np.array(self.columns["share"], np.float64), self.areas.cells
        if cells is None:
            return None
        top = max(float(shares.max()), 1e-9)
        levels = np.append(1 + np.rint(shares / top * (LEVELS - 2)), 0.0)[cells].astype(np.uint8)
        most = f"{formats.digits(100 * top)} %"
        return MapColours(levels, ("share of all in an area", "0 %", most), cells)

    @property
    def table_html(self) -> str:
        """The largest areas as a table, and how many more there are."""
        rows = [
            f"<tr><th>{escape(name)}</th><td>{share}</td><td>{ends}</td></tr>"
            for name, share, ends in self.rows
        ]
        rest = max(len(rows) - _ROWS_MAX, 0)
        more = f"<p>{formats.count(rest, 'more area', 'more areas')} in areas.csv.</p>"
        bounds = f"<p>(bound): {BOUNDS}</p>" if any("(bound)" in r for *_, r in self.rows) else ""
        table = f"<table class=areas>{''.join(rows[:_ROWS_MAX])}</table>"
        return f"{table}{more if rest else ''}{bounds}"


def _percentages(share: float, low: float, high: float, level: float) -> tuple[str, str]:
    text, least, most = (f"{formats.digits(100 * each, 3)} %" for each in (share, low, high))
    ends = f"{least} to {most}{' (bound)' if level == 1.0 else ''}"
    return text, ends if high - low > 1e-9 else "known exactly"


@cached_by(lambda setup, spec: (runs.data_key(setup.scenario), spec))
def areas_of_map(setup: Setup, spec: BlocksSpec) -> ResultAreas:
    """The areas that `spec` makes of a map."""
    dataset = setup.dataset
    partition = spec.build(runs.finest_map_of(dataset))
    if dataset.fine_map is not None:
        partition = dataset.fine_map.cells.coarsen(partition)
    names, labels = partition.names, partition.labels
    # What is outside of all areas has a row, and no colour.
    none = (OUTSIDE, AT_SEA)
    cells = np.array([len(names) if n in none else at for at, n in enumerate(names)])[labels]
    return ResultAreas(names, labels, runs.map_of(dataset), cells)


def areas_of_table(setup: Setup) -> ResultAreas | None:
    """The areas that a table's answers are, else its groups; None without."""
    spec, domain = setup.scenario.dataset, setup.dataset.domain
    if isinstance(spec, OwnTable) and spec.areas:
        return ResultAreas(spec.names, np.arange(domain.k), *areas_on_map(spec.areas))
    if not isinstance(domain, Domain) or not domain.groups:
        return None
    names = tuple(dict.fromkeys(domain.groups))
    return ResultAreas(names, np.array([names.index(group) for group in domain.groups]))


def by_areas(result: Result | None, areas: ResultAreas | None) -> AreaResult | None:
    """The estimate of a result by areas; None before there are both."""
    return None if result is None or areas is None else _by_areas(result, areas)


@cached_by(
    lambda result, areas: (runs.key(result.setup.scenario), areas.names, areas.labels.tobytes())
)
def _by_areas(result: Result, areas: ResultAreas) -> AreaResult:
    release = local_release(result.first.evidence, result.first.estimate)
    return AreaResult(areas, area_columns(release, areas, result.setup.n))


def drawings(setup: Setup, by_area: AreaResult | None, notes: tuple[str, ...]) -> dict[str, str]:
    """Maps of an estimate as SVG by the names of their files; none for values without a map.

    `setup`: its data are the estimate. `notes`: what is written below.
    """
    shares, grid = setup.dataset.distribution, setup.dataset.domain
    name = UserText(setup.dataset.name).plain
    maps, points = dict[str, str](), named_points(setup)
    if isinstance(grid, GridDomain):
        scale = scale_of(shares)
        (_, least), *_, (_, most) = scale.ticks
        levels = colour_levels(shares, nobody_below(setup.n), scale)
        colours = MapColours(levels, ("share of all in a cell", least, most))
        maps["picture.svg"] = map_svg(f"{name}: estimate", notes, grid, colours, points)
    if by_area is not None and (drawn := areas_svg(setup, by_area, notes)):
        maps["areas.svg"] = drawn
    return maps


def areas_svg(setup: Setup, by_area: AreaResult, notes: tuple[str, ...]) -> str:
    """The map of areas as SVG; "" where they are on none."""
    grid, colours = by_area.areas.grid, by_area.colours
    if grid is None or colours is None:
        return ""
    name = f"{UserText(setup.dataset.name).plain}: estimate by area"
    return map_svg(name, notes, grid, colours, named_points(setup))


def tables(result: Result, by_area: AreaResult | None) -> Mapping[str, str | bytes]:
    """The estimate as files, by cell or answer and by area."""
    files: dict[str, str | bytes] = {"estimate.csv": runs.estimate_csv(result)}
    if isinstance(result.setup.dataset.domain, GridDomain):
        files["estimate.geojson"] = as_geojson(result)
    return files | area_files(by_area)


def area_files(by_area: AreaResult | None) -> dict[str, str]:
    """The areas as files; none without areas."""
    if by_area is None:
        return {}
    files = {"areas.csv": as_csv(by_area.columns)}
    if by_area.areas.grid is not None:
        files["areas.geojson"] = areas_as_geojson(by_area.areas, by_area.columns)
    return files


LINE: Final = "REHEARSAL, INTERNAL: made from somebody's own data. Do not pass it on."
"""The red line in every file that a rehearsal makes of a visitor's own data."""
COLUMN: Final = "truth (INTERNAL: do not pass it on)"
"""The title of a column of true shares in a table that the browser saves as CSV."""
RED: Final = "#B00020"
INTERNAL_NAME: Final = "internal"
"""Ends the names of such files, and is the field or column of the line."""
_BAND: Final = 40
"""Pixels of the band above a picture."""


def file_name(name: str) -> str:
    """The name of a file, with `INTERNAL_NAME` in it."""
    path = PurePath(name)
    return f"{path.stem}-{INTERNAL_NAME}{path.suffix}"


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
    return csv_text([[INTERNAL_NAME, *head], *([LINE, *row] for row in rows)]).encode()


def _mark_html(data: bytes) -> bytes:
    style = f"color:#fff;background:{RED};font:700 1rem sans-serif;padding:.5rem 1rem;margin:0"
    line = f'<body>\n<p style="{style}">{LINE}</p>'
    return data.decode().replace("<body>", line, 1).encode()


def _mark_svg(data: bytes) -> bytes:
    """The picture below a red band with the line, which programs read as its description, too."""
    svg = data.decode()
    found = _SVG_BEGIN.match(svg)
    if found is None:
        raise ValueError("The picture must begin as figure.svg does.")
    width, height = int(found["width"]), int(found["height"])
    band = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + _SVG_BAND}" '
        f'width="{width}" height="{height + _SVG_BAND}" font-family="sans-serif">'
        f"<desc>{LINE}</desc>"
        f'<rect width="{width}" height="{_SVG_BAND}" fill="{RED}"/>'
        f'<text x="{_EDGE}" y="16" font-size="11" fill="#fff">{LINE}</text>'
    )
    return f'{band}<g transform="translate(0 {_SVG_BAND})">{svg}</g></svg>'.encode()


_SVG_BEGIN: Final = re.compile(r'<svg [^>]*viewBox="0 0 (?P<width>\d+) (?P<height>\d+)"')
_SVG_BAND: Final = 24
"""Units of the band above a picture."""


def _mark_geojson(data: bytes) -> bytes:
    """The line in the collection and in each feature, however they are taken apart."""
    found: Any = json.loads(data)
    for feature in found["features"]:
        feature["properties"] = {INTERNAL_NAME: LINE, **feature["properties"]}
    return json.dumps({INTERNAL_NAME: LINE, **found}, ensure_ascii=False).encode()


def _mark_json(data: bytes) -> bytes:
    found: Any = json.loads(data)
    parts = [
        {INTERNAL_NAME: LINE, **part} for part in (found if isinstance(found, list) else [found])
    ]
    whole = parts if isinstance(found, list) else parts[0]
    return json.dumps(whole, indent=1, ensure_ascii=False).encode()


def _mark_png(data: bytes) -> bytes:
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    whole = Image.new("RGB", (picture.width, picture.height + _BAND), RED)
    whole.paste(picture, (0, _BAND))
    size = 18 if picture.width >= 750 else 14
    ImageDraw.Draw(whole).text((8, 9), LINE, "white", font_of(size))
    text = PngInfo()
    text.add_text("Comment", LINE)
    text.add_itxt("Description", picture.info.get("Description", ""))
    return png_of(whole, pnginfo=text)


def _mark_zip(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        files = {name: mark(name, found.read(name)) for name in found.namelist()}
    return zip_of({f"{INTERNAL_NAME.upper()}.txt": LINE, **files})


_MARKS: Final[dict[str, Callable[[bytes], bytes]]] = {
    ".csv": _mark_csv,
    ".geojson": _mark_geojson,
    ".json": _mark_json,
    ".png": _mark_png,
    ".svg": _mark_svg,
    ".zip": _mark_zip,
    ".html": _mark_html,
}
