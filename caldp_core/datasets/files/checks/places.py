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
    read = names[layout.latitude]
    pairs = dict(sorted(pairs.items(), key=lambda pair: names[pair[1][0]] != read))
    listed = ", ".join(f"“{stem}”" for stem in pairs)
    check = ask("several-places", listed=listed)
    offers = []
    for stem, (latitude, longitude) in pairs.items():
        apply = partial(_with_places, latitude, longitude)
        offers.append(Offer(stem, f"Places of “{stem}”", f"places of “{stem}” alone", apply))
    return replace(check, offers=tuple(offers))


def _pairs_of_places(names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """By what their titles share, columns of latitude and longitude that are named in one way."""
    found: dict[str, tuple[int, int]] = {}
    bare = [normalize_name(name).replace("_", " ") for name in names]
    for at, name in enumerate(bare):
        for latitude, longitude in _PLACE_WORDS:
            stem = re.sub(rf"\b{latitude}\b", "", name)
            other = re.sub(rf"\b{latitude}\b", longitude, name)
            is_part = stem.strip() in _PARTS_OF_DEGREES
            if stem != name and stem.strip() and other in bare and not is_part:
                found[stem.strip()] = (at, bare.index(other))
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
    beyond = int(((longitude > 180) & (longitude <= 360)).sum())
    if not beyond or bool((longitude < 0).any()) or bool((longitude > 360).any()):
        return None

    def turned(read: Reading) -> Reading:
        number = numbers.number_sql(f"c{column}", read.layout.mark or ".")
        west = f"CASE WHEN {number} > 180 THEN {number} - 360 ELSE {number} END"
        return with_number(read, column, west)

    places, verb = ("longitude", "is") if beyond == 1 else ("longitudes", "are")
    return ask("longitudes-360", turned, beyond=f"{beyond:,} {places} {verb}")


def one_column(reading: Reading) -> Check | None:
    """Latitude and longitude in one column, as maps on the web copy them."""
    able = [
        (at, pattern, cells[0])
        for at in range(len(reading.file.names))
        if (cells := reading.file.cells(at)[:100])
        for pattern in (_TWO, _TWO_WITH_COMMAS, _POINT, _IN_JSON, _SQUARE_TEXT)
        if all(_is_place(pattern, cell) for cell in cells)
    ]
    if not able or reading.layout.latitude is not None:
        return None
    column, pattern, first = able[0]

    def split(read: Reading) -> Reading:
        mark = _MARKS.get(pattern, ".")
        return _split(*_degrees_sql(column, pattern), mark, read)

    return ask("one-column", split, column=reading.name(column), first=first)


def _is_place(pattern: str, cell: str) -> bool:
    match = re.fullmatch(pattern, cell)
    if match is None or pattern not in _MARKS:
        return match is not None
    mark = _MARKS[pattern]
    written = (part for part in match.groups() if re.search(rf"\d[{mark}°º]", part))
    is_list = mark == "," and re.fullmatch(r"\d{1,2}(,\d{1,2}){3}", cell)  # of four choices
    two = sum(numbers.parse_degrees(part, mark) is not None for part in written) == 2
    return two and not is_list and not numbers.looks_like_number(cell)


def _degrees_sql(column: int, pattern: str) -> tuple[str, str]:
    """SQL of the latitude and longitude of a column's cells."""
    if pattern == _SQUARE_TEXT:
        found = f"regexp_extract_all(c{column}, '{_NUMBER}')"
        latitude, longitude = (
            f"(({found}[{at}]::DOUBLE + {found}[{at + 4}]::DOUBLE) / 2)::VARCHAR" for at in (2, 1)
        )
        return latitude, longitude
    first, second = (f"regexp_extract(c{column}, {text_sql(pattern)}, {group})" for group in (1, 2))
    return (first, second) if pattern in _MARKS else (second, first)


def _split(latitude: str, longitude: str, mark: numbers.DecimalMark, reading: Reading) -> Reading:
    """The reading as places, with degrees in SQL of the column."""
    width, layout = reading.file.table.width, reading.layout
    people = reading.file.answers.count if layout.count is None else layout.count
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
        pair = (latitude, longitude)
        return read.with_sql(
            {at: f"CAST(TRY_CAST(c{at} AS DOUBLE) / 1e7 AS VARCHAR)" for at in pair}
        )

    pair = {"latitude": reading.name(latitude), "longitude": reading.name(longitude)}
    return ask("ten-millionths", divided, **pair)


def _holds_degrees(reading: Reading, role: str) -> bool:
    """Whether a column called latitude or longitude holds numbers up to 180."""
    at = next((at for at, name in enumerate(reading.file.names) if is_named(name, role)), None)
    numbers_of = [] if at is None else reading.numbers(at)
    return bool(numbers_of) and max(map(abs, numbers_of)) <= _TURN / 2


def metres(reading: Reading) -> Check | None:
    """Two columns of a map in metres, which would be read as answers and people."""
    names = [normalize_name(name) for name in reading.file.names]
    if all(_holds_degrees(reading, role) for role in _DEGREES):
        return None  # the same places stand there in degrees
    for east, north in _METRES:
        pairs = (
            (at, names.index(other))
            for at, name in enumerate(names)
            for place in re.finditer(re.escape(east), name)
            if (other := f"{name[: place.start()]}{north}{name[place.end() :]}") in names
        )
        for columns in pairs:
            found = [reading.numbers(at) for at in columns]
            if all(each and min(map(abs, each)) > 1_000 for each in found):
                names_of = dict(zip(("east", "north"), map(reading.name, columns), strict=True))
                x, y = (f"{each[0]:,.0f}" for each in found)
                return ask("metres", **names_of, x=x, y=y)
    return None


def minutes(reading: Reading) -> Check | None:
    """Minutes, seconds, or S and W in columns of their own: degrees alone would be elsewhere."""
    pattern = numbers.WORDS["labels"]["minutes"]
    names = [*map(normalize_name, reading.file.names)]
    parts = [at for at, name in enumerate(names) if re.fullmatch(pattern, name)]
    if len(parts) < 2 or any("max" in name for name in names):  # the least of a box
        columns = range(len(names) if reading.layout.latitude is not None else 0)
        held = {at: {cell.upper() for cell in reading.file.cells(at)} for at in columns}
        turned = ({"S"}, {"W"}, {"N", "S"}, {"E", "W"})
        parts = [at for at, cells in held.items() if cells in turned]
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
    if AREA_COLUMN in file.names:
        return _areas_of_file(reading, file.names.index(AREA_COLUMN), str)
    for column in range(len(file.names)):
        cells = file.cells(column)
        if cells and all(re.match(_WKT, cell) for cell in cells):
            return _areas_of_file(reading, column, partial(polygon_of_wkt, file.table.source.name))
    first = [at for at in (layout.answer, layout.group) if at is not None]
    for column in dict.fromkeys((*first, *range(len(file.names)))):
        seen = {cell for cell in {*file.cells(column)} if not is_total(cell)}
        is_measure = file.is_numeric(column) or is_named(file.names[column], "measure")
        title = file.names[column]
        if not is_measure and match_names(seen, title):
            names = sorted({*map(normalize_spaces, counted_cells(file, layout, column))})
            found = match_names([each for each in names if not is_total(each)], title).items()
            offers = tuple(_offer(reading, column, names, *each) for each in found)
            called = f"{count_text(len(names), 'name', 'names')} in {reading.name(column)}"
            sentence = f"{called} may be areas: show people by area, on a map?"
            return Check("areas", sentence, offers, "No: plain answers") if offers else None
    return None


def _areas_of_file(reading: Reading, area: int, read: Callable[[str], str]) -> Check | None:
    """The check of a file that has the polygons of its areas; polygons of one name are one area."""
    file = reading.file
    column = file.answers.answer if reading.layout.answer is None else reading.layout.answer
    polygons = defaultdict[str, dict[str, None]](dict)
    relation = file.table.relation_sql(bool(reading.layout.header))
    with file.table.open_reader() as reader:
        rows = reader.fetch_rows(f"SELECT DISTINCT c{column}, c{area} FROM {relation}")
    for name, polygon in sorted(rows, key=str):
        polygons[normalize_spaces(name or "")][read(polygon)] = None
    keys = tuple((name, " + ".join(each)) for name, each in polygons.items() if name)
    areas, named_by = count_text(len(keys), "area", "areas"), reading.name(column)
    apply = partial(with_areas, column or 0, keys)
    return ask("areas-of-file", apply, column=named_by, areas=areas)


def _offer(
    reading: Reading, column: int, names: list[str], of: str, found: Mapping[str, NamedArea]
) -> Offer:
    twice = len(found) - len({area.key for area in found.values()})
    some = f"{len(found):,} of {len(names):,} names known" if len(found) < len(names) else ""
    more = f"{count_text(twice, 'other spelling', 'other spellings')} added up" if twice else ""
    title = of if of == COUNTRIES else f"areas of {of}"
    return Offer(
        of,
        ", ".join(filter(None, (f"Show {title}", some, more))),
        ", ".join(filter(None, (f"{reading.name(column)} read as {title}", more))),
        partial(_with_areas_of, column, of, found),
    )


def _with_areas_of(
    column: int, of: str, seen: Mapping[str, NamedArea], reading: Reading
) -> Reading:
    """The reading whose answers are areas of a country; names further on are read as these are."""
    cells = counted_cells(reading.file, reading.layout, column)
    names = sorted({*map(normalize_spaces, cells)})
    keys = tuple((name, seen[name].key if name in seen else "") for name in names)
    reading = with_areas(column, keys, reading)
    return replace(reading, layout=replace(reading.layout, areas_of=of))


def with_areas(column: int, keys: tuple[tuple[str, str], ...], reading: Reading) -> Reading:
    """The reading whose answers are the areas of a column; a group stays beside an answer alone."""
    layout, guess = reading.layout, reading.file.answers
    if layout.answer is None:  # on a form of places
        layout = replace(guess, count=layout.count or guess.count, reading=layout.reading)
    group = layout.group if column == layout.answer else None
    count = layout.count if layout.count != column else None
    layout = replace(layout, answer=column, group=group, count=count, steps=None, areas=keys)
    return replace(reading, layout=layout)


def unknown_areas(reading: Reading) -> Check | None:
    """Names that are not known beside names of areas, with the nearest one of each."""
    unknown = [name for name, area in reading.layout.areas if not area]
    if not unknown:
        return None
    near = _nearest(reading.layout.areas, unknown)
    few = [
        f"“{name}”" + (f" (nearest: {near[name][0]})" if name in near else "")
        for name in unknown[:_LISTED]
    ]
    more = f" and {len(unknown) - _LISTED:,} more" if len(unknown) > _LISTED else ""

    def with_nearest(read: Reading) -> Reading:
        areas = ((name, area or near.get(name, ("", ""))[1]) for name, area in read.layout.areas)
        return replace(read, layout=replace(read.layout, areas=tuple(areas)))

    return ask(
        "unknown-areas",
        *([with_nearest] if near else []),
        names=f"{', '.join(few)}{more}",
        of=f" of {len(near)}, leave out the others" if len(near) < len(unknown) else "",
        nearest=", ".join(f"“{name}” read as {called}" for name, (called, _) in near.items()),
    )


def _nearest(areas: tuple[tuple[str, str], ...], unknown: list[str]) -> dict[str, tuple[str, str]]:
    """By unknown name the nearest area of the same countries: what it is called, and its key."""
    ships = named_areas()
    countries = {ships[area].country for _, area in areas if area in ships}
    spelled = {normalize_name(name): (name, key) for name, key in areas if key} | {
        spelling: (area.name, area.key)
        for area in ships.values()
        if area.country in countries
        for spelling in area.names
    }
    # What names another area, such as the whole country, is not one of these misspelled.
    wrong = [name for name in unknown if normalize_name(name) not in areas_by_spelling()]
    found = {name: get_close_matches(normalize_name(name), spelled, 1, _NEAR) for name in wrong}
    return {name: spelled[near[0]] for name, near in found.items() if near}


def people_of_areas(reading: Reading) -> Check | None:
    """Several columns of numbers beside areas, or of people: which says how many there are."""
    layout, file = reading.layout, reading.file
    columns = [
        at
        for at, name in enumerate(file.names)
        if at != layout.answer and file.is_numeric(at) and not is_no_number_of_people(name)
    ]
    if not layout.areas:  # of other answers several columns that are called people
        titles = (re.sub(r" \(column \d+\)$", "", file.names[at]) for at in columns)
        columns = [at for at, n in zip(columns, titles, strict=True) if is_named(n, "count")]
    if layout.answer is None or file.repeats(layout.answer) or len(columns) < 2:
        return None
    first = sorted(columns, key=lambda at: at != layout.count)
    called = [(file.names[at], partial(with_count, at)) for at in first]
    offers = tuple(Offer(name, name, f"people by “{name}”", apply) for name, apply in called)
    where = "are in an area" if layout.areas else "gave an answer"
    sentence = f"Several columns are numbers: which says how many people {where}?"
    return Check("people-of-areas", sentence, offers, "None: a row is one person")
