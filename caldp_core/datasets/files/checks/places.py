"""Checks of places and of names that are areas: which they are, and what counts the people."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, partial
from typing import Final

import numpy as np

from caldp_core.basics.errors import count_text
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.datasets.base_map import NamedArea, areas_by_spelling, named_areas, world_cities
from caldp_core.datasets.files import numbers
from caldp_core.datasets.files.answers import counted_cells, normalize_spaces
from caldp_core.datasets.files.area_names import COUNTRIES, match_names
from caldp_core.datasets.files.checks.people import with_count, with_number
from caldp_core.datasets.files.checks.record import Check, Offer, Reading, ask, text_sql
from caldp_core.datasets.files.geojson import AREA_COLUMN, polygon_of_wkt
from caldp_core.datasets.files.layout_detection import (
    is_named,
    is_no_number_of_people,
    normalize_name,
)
from caldp_core.datasets.tables.labels import is_total

_FEW: Final = 0.5
_MOST: Final = 0.8
"""Of all places near a town, as they are and exchanged."""
_SQUARE: Final = 0.2
"""Degrees: side of the squares in which, or beside which, a town is near."""
_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_PAIR: Final = rf"{_NUMBER}\s+{_NUMBER}"
_POINT: Final = rf"(?i:(?:SRID=4326;)?\s*POINT)\s*Z?\s*\(({_NUMBER})\s+({_NUMBER})[^()]*\)"
_SQUARE_TEXT: Final = rf"(?i:POLYGON)\s*\(\({_PAIR}(,\s*{_PAIR}){{4}}\)\)"
_IN_JSON: Final = rf'\{{[^\d]*"coordinates"\s*:\s*\[\s*({_NUMBER})\s*,\s*({_NUMBER})[^\]]*\].*\}}'
_SIDE: Final = r"([^,;/()\[\]\s]*\d(?: ?[°º'′’\"″”NSEWnsew])*)"
_TWO: Final = rf"[(\[]?(?:geo:)?{_SIDE}(?: ?[,;/] ?| ){_SIDE}(?: \d+(?:\.\d+)?)*[)\]]?"
_WITH_COMMA: Final = r"([-+NSEW]? ?\d{1,3},\d+(?: ?[°º'′’\"″”NSEWnsew])*)"
_TWO_WITH_COMMAS: Final = rf"[(\[]?{_WITH_COMMA}(?:,? | ?[;/] ?|,){_WITH_COMMA}[)\]]?"
"""Places in one cell: latitude and longitude, as WKT or GeoJSON, or a square around the place."""
_MARKS: Final[dict[str, numbers.DecimalMark]] = {_TWO: ".", _TWO_WITH_COMMAS: ","}
_PAIRS_MIN: Final = 2
_PARTS_OF_DEGREES: Final = ("deg", "min", "sec", "degrees", "minutes", "seconds", "dir")
"""What titles share beside a word for latitude that stand for one place, not several."""
_PLACE_WORDS: Final = (
    ("latitude", "longitude"),
    ("lat", "lon"),
    ("lat", "lng"),
    ("lat", "long"),
    ("breite", "lange"),
)
"""Words of titles, without accents, of which the second makes a longitude of a latitude."""
_TURN: Final = 360
_DEGREES: Final = ("latitude", "longitude")
_E7: Final = ("latitudee7", "longitudee7")
_METRES: Final = [pair.split(", ") for pair in numbers.WORDS["labels"]["metres"].split("; ")]
"""In what names of the columns of maps in metres differ, in lower case."""


def several_places(reading: Reading) -> Check | None:
    """Two or more pairs of latitude and longitude, such as of pickup and dropoff."""
    layout, names = reading.layout, reading.file.names
    if layout.latitude is None or layout.longitude is None:
        return None
    pairs = _pairs_of_places(names)
    if len(pairs) < _PAIRS_MIN:
        return None
    # The pair that is read now is offered first.
    read = names[layout.latitude]
    pairs = dict(sorted(pairs.items(), key=lambda pair: names[pair[1][0]] != read))
    offers = []
    for stem, (latitude, longitude) in pairs.items():
        apply = partial(_with_places, latitude, longitude)
        offers.append(Offer(stem, f"Places of “{stem}”", f"places of “{stem}” alone", apply))
    check = ask("several-places", listed=", ".join(f"“{stem}”" for stem in pairs))
    return replace(check, offers=tuple(offers))


def _pairs_of_places(names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """By what their titles share, columns of latitude and longitude that are named in one way."""
    found: dict[str, tuple[int, int]] = {}
    bare = [normalize_name(name).replace("_", " ") for name in names]
    for column, name in enumerate(bare):
        for latitude, longitude in _PLACE_WORDS:
            stem = re.sub(rf"\b{latitude}\b", "", name)
            other = re.sub(rf"\b{latitude}\b", longitude, name)
            is_part = stem.strip() in _PARTS_OF_DEGREES
            if stem != name and stem.strip() and other in bare and not is_part:
                found[stem.strip()] = (column, bare.index(other))
    return found


def _with_places(latitude: int, longitude: int, reading: Reading) -> Reading:
    layout = replace(reading.layout, latitude=latitude, longitude=longitude)
    return replace(reading, layout=layout)


def exchanged(reading: Reading) -> Check | None:
    """Latitude and longitude that hold each other's degrees."""
    layout = reading.layout
    pairs = reading.places
    if layout.latitude is None or layout.longitude is None or not len(pairs):
        return None
    latitude, longitude = pairs.T
    usual, other = _near_a_town(latitude, longitude), _near_a_town(longitude, latitude)
    if usual.mean() > _FEW or other.mean() < _MOST:
        return None
    swapped = replace(layout, latitude=layout.longitude, longitude=layout.latitude)
    near = {"near": f"{usual.sum():,}", "all": f"{len(pairs):,}", "other": f"{other.sum():,}"}
    return ask("exchanged", lambda read: replace(read, layout=swapped), **near)


def _near_a_town(latitude: Floats, longitude: Floats) -> Bools:
    """Which places are within some 20 to 40 km of a town of 15,000 inhabitants."""
    inside = (np.abs(latitude) <= 90) & (np.abs(longitude) <= 360)
    return _squares_of_towns()[_squares(latitude, longitude, inside)] & inside


def _squares(latitude: Floats, longitude: Floats, inside: Bools) -> tuple[Ints, Ints]:
    rows = np.where(inside, (latitude + 91) / _SQUARE, 0).astype(int)
    return rows, np.where(inside, longitude % 360 / _SQUARE, 0).astype(int)


@cache
def _squares_of_towns() -> Bools:
    """(911, 1800) squares that hold a town or touch one that does, from 91° south and 0° on."""
    found = np.zeros((911, 1800), dtype=bool)
    towns = np.array([(city.latitude, city.longitude) for city in world_cities()])
    rows, columns = _squares(towns[:, 0], towns[:, 1], np.ones(len(towns), dtype=bool))
    for up in (-1, 0, 1):
        for east in (-1, 0, 1):
            found[rows + up, (columns + east) % 1800] = True
    return found


def turned_longitudes(reading: Reading) -> Check | None:
    """Longitudes from 0° to 360°."""
    longitude = reading.places[:, 1]
    column = reading.layout.longitude
    beyond_count = int(((longitude > 180) & (longitude <= 360)).sum())
    if not beyond_count or bool((longitude < 0).any()) or bool((longitude > 360).any()):
        return None

    def turned(read: Reading) -> Reading:
        number = numbers.number_sql(f"c{column}", read.layout.mark or ".")
        west = f"CASE WHEN {number} > 180 THEN {number} - 360 ELSE {number} END"
        return with_number(read, column, west)

    beyond = f"{beyond_count:,} longitudes are"
    if beyond_count == 1:
        beyond = "1 longitude is"
    return ask("longitudes-360", turned, beyond=beyond)


def one_column(reading: Reading) -> Check | None:
    """Latitude and longitude in one column, as maps on the web copy them."""
    if reading.layout.latitude is not None:
        return None
    # The first column all of whose cells are written in one of these ways.
    for column in range(len(reading.file.names)):
        cells = reading.file.cells(column)[:100]
        if not cells:
            continue
        for pattern in (_TWO, _TWO_WITH_COMMAS, _POINT, _IN_JSON, _SQUARE_TEXT):
            if all(_is_place(pattern, cell) for cell in cells):
                split = partial(_split_column, column, pattern)
                return ask("one-column", split, column=reading.name(column), first=cells[0])
    return None


def _is_place(pattern: str, cell: str) -> bool:
    """Whether a cell is a place in that form; two bare numbers must look like degrees as well."""
    match = re.fullmatch(pattern, cell)
    if match is None:
        return False
    if pattern not in _MARKS:
        return True
    mark = _MARKS[pattern]
    degree_count = 0
    for part in match.groups():
        is_fine = re.search(rf"\d[{mark}°º]", part)
        if is_fine and numbers.parse_degrees(part, mark) is not None:
            degree_count += 1
    is_list_of_choices = mark == "," and re.fullmatch(r"\d{1,2}(,\d{1,2}){3}", cell)
    return degree_count == 2 and not is_list_of_choices and not numbers.looks_like_number(cell)


def _split_column(column: int, pattern: str, reading: Reading) -> Reading:
    """The reading as places out of one column, whose cells have that form."""
    latitude, longitude = _degrees_sql(column, pattern)
    return _split(latitude, longitude, _MARKS.get(pattern, "."), reading)


def _degrees_sql(column: int, pattern: str) -> tuple[str, str]:
    """SQL of the latitude and longitude of a column's cells."""
    # A square has its place in the middle of two opposite corners; WKT says the longitude first.
    if pattern == _SQUARE_TEXT:
        found = f"regexp_extract_all(c{column}, '{_NUMBER}')"
        longitude = f"(({found}[1]::DOUBLE + {found}[5]::DOUBLE) / 2)::VARCHAR"
        latitude = f"(({found}[2]::DOUBLE + {found}[6]::DOUBLE) / 2)::VARCHAR"
        return latitude, longitude
    first = f"regexp_extract(c{column}, {text_sql(pattern)}, 1)"
    second = f"regexp_extract(c{column}, {text_sql(pattern)}, 2)"
    if pattern in _MARKS:
        return first, second
    return second, first


def _split(latitude: str, longitude: str, mark: numbers.DecimalMark, reading: Reading) -> Reading:
    """The reading as places, with degrees in SQL of the column."""
    width, layout = reading.file.table.width, reading.layout
    people = layout.count
    if people is None:
        people = reading.file.answers.count
    layout = replace(layout, answer=None, group=None, count=people, mark=mark)
    layout = replace(layout, latitude=width, longitude=width + 1)
    names = (*reading.file.names, "latitude (split)", "longitude (split)")
    return reading.derive([*reading.sql_of(), latitude, longitude], names, layout)


def ten_millionths(reading: Reading) -> Check | None:
    """Columns latitudeE7 and longitudeE7, as phones write them."""
    names = [normalize_name(name).replace(" ", "") for name in reading.file.names]
    if not set(_E7) <= set(names) or reading.layout.latitude is not None:
        return None
    latitude, longitude = (names.index(name) for name in _E7)

    def divided(read: Reading) -> Reading:
        layout = replace(read.layout, latitude=latitude, longitude=longitude, answer=None)
        read = replace(read, layout=replace(layout, count=None, group=None, mark="."))
        changed = {}
        for column in (latitude, longitude):
            changed[column] = f"CAST(TRY_CAST(c{column} AS DOUBLE) / 1e7 AS VARCHAR)"
        return read.with_sql(changed)

    return ask(
        "ten-millionths",
        divided,
        latitude=reading.name(latitude),
        longitude=reading.name(longitude),
    )


def _holds_degrees(reading: Reading, role: str) -> bool:
    """Whether a column called latitude or longitude holds numbers up to 180."""
    for column, name in enumerate(reading.file.names):
        if is_named(name, role):
            values = reading.numbers(column)
            return bool(values) and max(map(abs, values)) <= _TURN / 2
    return False


def metres(reading: Reading) -> Check | None:
    """Two columns of a map in metres, which would be read as answers and people."""
    # The same places stand there in degrees.
    if all(_holds_degrees(reading, role) for role in _DEGREES):
        return None
    for east, north in _pairs_in_metres(reading):
        x, y = reading.numbers(east), reading.numbers(north)
        # Coordinates of a map have thousands of metres; small numbers are answers.
        if not x or not y or min(map(abs, [*x, *y])) <= 1_000:
            continue
        return ask(
            "metres",
            east=reading.name(east),
            north=reading.name(north),
            x=f"{x[0]:,.0f}",
            y=f"{y[0]:,.0f}",
        )
    return None


def _pairs_in_metres(reading: Reading) -> list[tuple[int, int]]:
    """Columns whose titles differ by what says east and north, such as “e_coord” and “n_coord”."""
    names = [normalize_name(name) for name in reading.file.names]
    pairs = []
    for east, north in _METRES:
        for column, name in enumerate(names):
            for place in re.finditer(re.escape(east), name):
                other = f"{name[: place.start()]}{north}{name[place.end() :]}"
                if other in names:
                    pairs.append((column, names.index(other)))
    return pairs


def minutes(reading: Reading) -> Check | None:
    """Minutes, seconds, or S and W in columns of their own: degrees alone would be elsewhere."""
    pattern = numbers.WORDS["labels"]["minutes"]
    names = [normalize_name(name) for name in reading.file.names]
    parts = [column for column, name in enumerate(names) if re.fullmatch(pattern, name)]
    # “min” beside “max” is the least of a box, no minutes.
    if len(parts) < 2 or any("max" in name for name in names):
        parts = []
        if reading.layout.latitude is not None:
            for column in range(len(names)):
                cells = {cell.upper() for cell in reading.file.cells(column)}
                if cells in ({"S"}, {"W"}, {"N", "S"}, {"E", "W"}):
                    parts.append(column)
    if not parts:
        return None
    return ask("minutes", listed=", ".join(map(reading.name, parts)))


_LISTED: Final = 5
_NEAR: Final = 0.8
_WKT: Final = r"(?i)(SRID=4326;)?\s*(MULTI)?POLYGON\s*Z?\s*\("


def areas(reading: Reading) -> Check | None:
    """A column whose cells are names or codes of areas, in a file without coordinates."""
    layout, file = reading.layout, reading.file
    if file.has_places or layout.latitude is not None or layout.others:
        return None
    # 1. Polygons in the file itself, of GeoJSON or as WKT.
    if AREA_COLUMN in file.names:
        return _areas_of_file(reading, file.names.index(AREA_COLUMN), str)
    for column in range(len(file.names)):
        cells = file.cells(column)
        if cells and all(re.match(_WKT, cell) for cell in cells):
            return _areas_of_file(reading, column, partial(polygon_of_wkt, file.table.source.name))
    # 2. Names that are known, first among answers and their groups.
    columns = dict.fromkeys((layout.answer, layout.group, *range(len(file.names))))
    for found_column in columns:
        if found_column is not None and _may_name_areas(reading, found_column):
            return _named_areas(reading, found_column)
    return None


def _may_name_areas(reading: Reading, column: int) -> bool:
    """Whether cells among the first rows are known areas; numbers are none, whatever they match."""
    file, title = reading.file, reading.file.names[column]
    if file.is_numeric(column) or is_named(title, "measure"):
        return False
    seen = {cell for cell in file.cells(column) if not is_total(cell)}
    return bool(match_names(seen, title))


def _named_areas(reading: Reading, column: int) -> Check | None:
    """The check of a column of names, an offer for each country whose areas they may be."""
    file = reading.file
    # Of all rows, not only of the first ones, as offers say how many names are known.
    names = sorted({*map(normalize_spaces, counted_cells(file, reading.layout, column))})
    without_totals = [name for name in names if not is_total(name)]
    offers = []
    for of, found in match_names(without_totals, file.names[column]).items():
        offers.append(_offer(reading, column, names, of, found))
    if not offers:
        return None
    called = f"{count_text(len(names), 'name', 'names')} in {reading.name(column)}"
    sentence = f"{called} may be areas: show people by area, on a map?"
    return Check("areas", sentence, tuple(offers), "No: plain answers")


def _areas_of_file(reading: Reading, area: int, read: Callable[[str], str]) -> Check | None:
    """The check of a file that has the polygons of its areas; polygons of one name are one area."""
    file = reading.file
    column = reading.layout.answer
    if column is None:
        column = file.answers.answer
    relation = file.table.relation_sql(bool(reading.layout.header))
    with file.table.open_reader() as reader:
        rows = reader.fetch_rows(f"SELECT DISTINCT c{column}, c{area} FROM {relation}")
    # By name its polygons, each once; sorted, so that the same file is always read in one way.
    polygons = defaultdict[str, dict[str, None]](dict)
    for name, polygon in sorted(rows, key=str):
        polygons[normalize_spaces(name or "")][read(polygon)] = None
    keys = []
    for name, of_name in polygons.items():
        if name:
            keys.append((name, " + ".join(of_name)))
    apply = partial(with_areas, column or 0, tuple(keys))
    areas = count_text(len(keys), "area", "areas")
    return ask("areas-of-file", apply, column=reading.name(column), areas=areas)


def _offer(
    reading: Reading, column: int, names: list[str], of: str, found: Mapping[str, NamedArea]
) -> Offer:
    """The offer to read names as areas of a country, or as countries."""
    title = f"areas of {of}"
    if of == COUNTRIES:
        title = of
    label = [f"Show {title}"]
    remark = [f"{reading.name(column)} read as {title}"]
    if len(found) < len(names):
        label.append(f"{len(found):,} of {len(names):,} names known")
    # Two spellings of one area are added up.
    twice = len(found) - len({area.key for area in found.values()})
    if twice:
        added_up = f"{count_text(twice, 'other spelling', 'other spellings')} added up"
        label.append(added_up)
        remark.append(added_up)
    apply = partial(_with_areas_of, column, of, found)
    return Offer(of, ", ".join(label), ", ".join(remark), apply)


def _with_areas_of(
    column: int, of: str, seen: Mapping[str, NamedArea], reading: Reading
) -> Reading:
    """The reading whose answers are areas of a country; names further on are read as these are."""
    cells = counted_cells(reading.file, reading.layout, column)
    keys = []
    for name in sorted({*map(normalize_spaces, cells)}):
        key = ""
        if name in seen:
            key = seen[name].key
        keys.append((name, key))
    reading = with_areas(column, tuple(keys), reading)
    return replace(reading, layout=replace(reading.layout, areas_of=of))


def with_areas(column: int, keys: tuple[tuple[str, str], ...], reading: Reading) -> Reading:
    """The reading whose answers are the areas of a column; a group stays beside an answer alone."""
    layout, guess = reading.layout, reading.file.answers
    # The file was read as places so far, which have neither answers nor groups.
    if layout.answer is None:
        layout = replace(guess, count=layout.count or guess.count, reading=layout.reading)
    group, count = layout.group, layout.count
    if column != layout.answer:
        group = None
    if column == count:
        count = None
    layout = replace(layout, answer=column, group=group, count=count, steps=None, areas=keys)
    return replace(reading, layout=layout)


def unknown_areas(reading: Reading) -> Check | None:
    """Names that are not known beside names of areas, with the nearest one of each."""
    unknown = [name for name, area in reading.layout.areas if not area]
    if not unknown:
        return None
    near = _nearest(reading.layout.areas, unknown)
    listed = []
    for name in unknown[:_LISTED]:
        if name in near:
            listed.append(f"“{name}” (nearest: {near[name][0]})")
        else:
            listed.append(f"“{name}”")
    names = ", ".join(listed)
    if len(unknown) > _LISTED:
        names += f" and {len(unknown) - _LISTED:,} more"

    def with_nearest(read: Reading) -> Reading:
        areas = []
        for name, area in read.layout.areas:
            if not area and name in near:
                areas.append((name, near[name][1]))
            else:
                areas.append((name, area))
        return replace(read, layout=replace(read.layout, areas=tuple(areas)))

    ways = []
    if near:
        ways.append(with_nearest)
    of = ""
    if len(near) < len(unknown):
        of = f" of {len(near)}, leave out the others"
    nearest = ", ".join(f"“{name}” read as {called}" for name, (called, _) in near.items())
    return ask("unknown-areas", *ways, names=names, of=of, nearest=nearest)


def _nearest(areas: tuple[tuple[str, str], ...], unknown: list[str]) -> dict[str, tuple[str, str]]:
    """By unknown name the nearest area of the same countries: what it is called, and its key."""
    ships = named_areas()
    # The names that it may be: those of the file, and all of the countries that these are in.
    spelled = {}
    countries = set()
    for name, key in areas:
        if key:
            spelled[normalize_name(name)] = (name, key)
        if key in ships:
            countries.add(ships[key].country)
    for area in ships.values():
        if area.country in countries:
            for spelling in area.names:
                spelled[spelling] = (area.name, area.key)

    nearest = {}
    for name in unknown:
        bare = normalize_name(name)
        # What names another area, such as the whole country, is not one of these misspelled.
        if bare in areas_by_spelling():
            continue
        matches = get_close_matches(bare, spelled, 1, _NEAR)
        if matches:
            nearest[name] = spelled[matches[0]]
    return nearest


def people_of_areas(reading: Reading) -> Check | None:
    """Several columns of numbers beside areas, or of people: which says how many there are."""
    layout, file = reading.layout, reading.file
    if layout.answer is None or file.repeats(layout.answer):
        return None
    columns = []
    for column, name in enumerate(file.names):
        if column == layout.answer or not file.is_numeric(column) or is_no_number_of_people(name):
            continue
        # Of areas any number may be people; of other answers those that are called so.
        title = re.sub(r" \(column \d+\)$", "", name)
        if layout.areas or is_named(title, "count"):
            columns.append(column)
    if len(columns) < 2:
        return None
    # The column that is read now is offered first.
    columns.sort(key=lambda column: column != layout.count)
    offers = []
    for column in columns:
        name = file.names[column]
        offers.append(Offer(name, name, f"people by “{name}”", partial(with_count, column)))
    where = "gave an answer"
    if layout.areas:
        where = "are in an area"
    sentence = f"Several columns are numbers: which says how many people {where}?"
    return Check("people-of-areas", sentence, tuple(offers), "None: a row is one person")
