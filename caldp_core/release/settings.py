"""The settings of a release, from TOML or JSON: frozen records, each checked as it is made."""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from caldp_core.basics.errors import (
    CaldpError,
    check_choice,
    check_epsilon,
    check_number,
    check_whole,
    excerpt,
    quoted,
    require,
)
from caldp_core.basics.files import BYTE_ORDER_MARK, read_text, unique_keys
from caldp_core.basics.limits import K_MAX
from caldp_core.treatments.release import BASE_MAX

SETTINGS_MAX_BYTES: Final = 2**22
"""Longest file of settings: lists of answers may stand in it."""
THRESHOLD_USUAL: Final = 10
"""Exact counts from 1 to 9 are not published unless the officer says otherwise."""
THRESHOLD_MIN: Final = 3
"""With 2, a hidden count would be known to be 1."""
MOST_MAX: Final = 1000
_TEXT_MAX: Final = 2_000
_EDGE: Final = 1e-6
"""Cells fit an extent where their number is whole up to this."""


def _check_text(name: str, value: object, most: int = _TEXT_MAX) -> str:
    """A text that says something; raises `CaldpError`, as for an open question."""
    require(
        isinstance(value, str) and bool(value.strip()), f"{name} is not answered; write a text."
    )
    text = " ".join(str(value).split())
    require(len(text) <= most, f"{name} may have at most {most:,} characters, got {len(text):,}.")
    return text


@dataclass(frozen=True)
class HeldList:
    """The list that the office holds, and what one person is in it.

    `unit`: "row" (a row is a person), "identifier" (the rows with one value of `column` are a
    person) or "table" (a table of counts; `column` has the people, "" where the answers of a list
    are columns of counts). `most`: cells that one person is in at most. `where`: values by column
    of those who are counted; all others are "everybody else in the list". `missing`: "nobody" if a
    table of counts leaves out combinations that nobody has. The last four say how to read the file.
    """

    name: str
    file: str
    unit: str = "row"
    column: str = ""
    most: int = 1
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    missing: str = ""
    sheet: str = ""
    encoding: str = ""
    delimiter: str = ""
    decimal: str = ""

    def __post_init__(self) -> None:
        _check_text("list.name", self.name, 200)
        _check_text("list.file", self.file, 500)
        check_choice("list.unit", self.unit, ("row", "identifier", "table"))
        check_whole("list.most", self.most, 1, MOST_MAX)
        check_choice("list.missing", self.missing, ("", "nobody"))
        check_choice("list.decimal", self.decimal, ("", ".", ","))
        require(
            self.unit != "identifier" or bool(self.column.strip()),
            "list.column must name the column that says whose a row is, as list.unit is "
            "identifier.",
        )
        require(
            self.unit != "row" or not self.column,
            f"list.column does nothing where each row is a person, got {quoted(self.column)}; set "
            "list.unit to identifier or table, or leave it out.",
        )
        require(
            self.unit != "row" or self.most == 1,
            f"list.most must be 1 where each row is a person, got {self.most}; a row has one cell.",
        )
        require(
            self.unit != "table" or not self.where,
            "list.where chooses rows of people, and this list is a table of counts; leave it out.",
        )
        require(
            self.unit == "table" or not self.missing,
            "list.missing is for tables of counts; leave it out.",
        )
        for column, values in self.where:
            require(bool(values), f"list.where of {quoted(column)} needs a value or more.")


@dataclass(frozen=True)
class ValueList:
    """The areas or answers of one column, from a list that does not come from the data.

    They are typed, `values`, or the column `key` of the public file `file`; `group`: a column of
    that file with the larger area of each. `source`: where the list comes from. `column`: of the
    held list; "" where the values are titles of columns with counts.
    """

    source: str
    column: str = ""
    values: tuple[str, ...] = ()
    file: str = ""
    key: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        _check_text("cells.lists.source", self.source)
        require(
            bool(self.values) != bool(self.file),
            f"The list of {quoted(self.column or 'the columns')} must be typed (values) or be in a "
            "file (file, key); give one of them.",
        )
        require(
            bool(self.file) == bool(self.key),
            f"cells.lists.key must name the column of {quoted(self.file)} with the areas.",
        )
        require(bool(self.file) or not self.group, "cells.lists.group needs a file; leave it out.")
        texts = [value for value in self.values if value.strip()]
        require(
            len({*texts}) == len(self.values),
            f"The values of {quoted(self.column or 'the columns')} must differ, and none may be "
            "empty.",
        )


@dataclass(frozen=True)
class MapExtent:
    """A map of square cells between edges in degrees that are typed, never those of the data.

    `longitude`, `latitude`: columns of the held list. `step`: side of a cell in degrees; `block`:
    cells along the side of a block, whose totals are published, too. East of the 180th meridian
    `east` goes on to 540. `extent`: "typed", or "whole degrees" where the edges are the whole
    degrees around the data; then the record says what that shows.
    """

    longitude: str
    latitude: str
    west: float
    east: float
    south: float
    north: float
    step: float
    block: int = 5
    extent: str = "typed"

    def __post_init__(self) -> None:
        _check_text("cells.map.longitude", self.longitude)
        _check_text("cells.map.latitude", self.latitude)
        check_number("cells.map.south", self.south, -90, 90)
        check_number("cells.map.north", self.north, -90, 90)
        check_number("cells.map.west", self.west, -180, 180)
        check_number("cells.map.east", self.east, -180, 540)
        check_number("cells.map.step", self.step, 1e-4, 90)
        check_whole("cells.map.block", self.block, 2, 1000)
        check_choice("cells.map.extent", self.extent, ("typed", "whole degrees"))
        require(
            self.south < self.north and self.west < self.east <= self.west + 360,
            "The map must go from south to north and from west to east, at most once around; got "
            f"{self.south:g} to {self.north:g} and {self.west:g} to {self.east:g}.",
        )
        lengths = {"west to east": self.east - self.west, "south to north": self.north - self.south}
        for name, length in lengths.items():
            cells = length / self.step
            require(
                abs(cells - round(cells)) <= _EDGE and round(cells) >= 1,
                f"From {name} the map must have a whole number of cells of {self.step:g}°, got "
                f"{cells:g}; move an edge.",
            )
        edges = (self.west, self.east, self.south, self.north)
        require(
            self.extent == "typed" or all(float(edge).is_integer() for edge in edges),
            "The edges must be whole degrees, as cells.map.extent says so.",
        )
        require(
            self.columns * self.rows <= K_MAX,
            f"A map may have at most {K_MAX:,} cells, got {self.columns * self.rows:,}; take a "
            "larger step.",
        )

    @property
    def columns(self) -> int:
        """Number of cells from west to east."""
        return round((self.east - self.west) / self.step)

    @property
    def rows(self) -> int:
        """Number of cells from south to north."""
        return round((self.north - self.south) / self.step)


@dataclass(frozen=True)
class CellSettings:
    """Which cells there are: a map, or one or two lists, which are crossed in full.

    `source`: what areas and answers come from, in a sentence for the record.
    """

    source: str
    map: MapExtent | None = None
    lists: tuple[ValueList, ...] = ()

    def __post_init__(self) -> None:
        _check_text("cells.source", self.source)
        require(
            (self.map is None) == bool(self.lists) and len(self.lists) <= 2,
            "cells must be a map, or one or two lists; a table has no more than two questions.",
        )
        columns = [each.column for each in self.lists]
        require(
            len({*columns}) == len(columns),
            f"The two lists must be of two columns, got {' and '.join(map(quoted, columns))}.",
        )


@dataclass(frozen=True)
class CentralNoise:
    """Noise that the office adds to every count; `epsilon`: in [0.001, 20], of the whole table."""

    kind: ClassVar[str] = "central"
    epsilon: float

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)


@dataclass(frozen=True)
class RandomRounding:
    """Every count at random to a multiple of `base`; 0: of the threshold."""

    kind: ClassVar[str] = "round"
    base: int = 0

    def __post_init__(self) -> None:
        check_whole("treatment.base", self.base, 0, BASE_MAX)


@dataclass(frozen=True)
class HiddenCounts:
    """Small counts hidden, and others from which they would follow."""

    kind: ClassVar[str] = "hide"


@dataclass(frozen=True)
class LargerCells:
    """Only larger cells are counted: blocks of a map or groups of a list; small ones hidden."""

    kind: ClassVar[str] = "larger"


Treatment: TypeAlias = CentralNoise | RandomRounding | HiddenCounts | LargerCells
TREATMENTS: Final[Mapping[str, type[Treatment]]] = {
    made.kind: made for made in (CentralNoise, RandomRounding, HiddenCounts, LargerCells)
}
"""By the kind that settings name. Blocks and plain LDP are not offered for a list that is held."""


@dataclass(frozen=True)
class Publication:
    """What only the officer knows: who publishes, why, on which basis, until when.

    `special`: special categories of personal data, "none" without any. `smaller`: would less do?
    `chosen_by`: who chose areas, answers and threshold. `date`: as 2026-11-28.
    """

    by: str
    date: str
    purpose: str
    basis: str
    until: str
    special: str
    smaller: str
    chosen_by: str

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_text(f"publication.{field.name}", getattr(self, field.name))
        try:
            date.fromisoformat(self.date)
        except ValueError:
            raise CaldpError(
                f"publication.date must be a day such as 2026-11-28, got {excerpt(self.date)}."
            ) from None


@dataclass(frozen=True)
class Settings:
    """All of a release but the list itself. `earlier`: files of records of earlier releases.

    `threshold`: exact counts from 1 to one less are never published.
    """

    list: HeldList
    cells: CellSettings
    treatment: Treatment
    publication: Publication
    threshold: int = THRESHOLD_USUAL
    earlier: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_whole("treatment.threshold", self.threshold, THRESHOLD_MIN, 10**6)
        treatment, extent = self.treatment, self.cells.map
        if isinstance(treatment, RandomRounding):
            base = treatment.base or self.threshold
            require(
                base >= self.threshold,
                f"treatment.base must be at least the threshold of {self.threshold}, or counts "
                f"below it would be told more closely; got {base}.",
            )
            check_whole("treatment.base", base, self.threshold, BASE_MAX)
            object.__setattr__(self, "treatment", replace(treatment, base=base))
        titles = any(not each.column for each in self.cells.lists)
        require(
            self.list.unit == "table" or not titles,
            "cells.lists.column must name a column of the list.",
        )
        require(
            self.list.unit != "table" or bool(self.list.column) != titles,
            "A table of counts needs list.column, the column with the people, or one list without "
            "a column, whose values are the titles of columns; give one of them.",
        )
        require(
            extent is None or self.list.unit != "table" or bool(self.list.column),
            "list.column must name the column with the people.",
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files that are read beside these settings, the held list first."""
        public = [each.file for each in self.cells.lists if each.file]
        return (self.list.file, *public, *self.earlier)

    def to_record(self) -> dict[str, Any]:
        """The settings as plain data; `from_record` reads them again."""
        cells: dict[str, Any] = {"source": self.cells.source}
        if self.cells.map is not None:
            cells["map"] = _plain(self.cells.map)
        else:
            cells["lists"] = [_plain(each) for each in self.cells.lists]
        held = _plain(self.list)
        if self.list.where:
            held["where"] = {column: list(values) for column, values in self.list.where}
        treatment = {"kind": self.treatment.kind, **_plain(self.treatment)}
        record: dict[str, Any] = {
            "list": held,
            "cells": cells,
            "treatment": {**treatment, "threshold": self.threshold},
            "publication": _plain(self.publication),
        }
        return record | ({"earlier": {"records": list(self.earlier)}} if self.earlier else {})

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Settings":
        """The settings of plain data, as TOML and JSON hold them.

        Raises `CaldpError` for what is missing, unknown or does not fit.
        """
        parts = _Part("", record, ("list", "cells", "treatment", "publication", "earlier"))
        held = parts.part("list", _names(HeldList))
        cells = parts.part("cells", ("source", "map", "lists"))
        treatment = parts.part("treatment", ("kind", "epsilon", "base", "threshold"))
        publication = parts.part("publication", _names(Publication))
        earlier = parts.part("earlier", ("records",)) if "earlier" in record else None
        return cls(
            list=_held_list(held),
            cells=_cells(cells),
            treatment=_treatment(treatment),
            publication=publication.make(Publication),
            threshold=treatment.data.get("threshold", THRESHOLD_USUAL),
            earlier=() if earlier is None else earlier.texts("records"),
        )

    @classmethod
    def from_text(cls, text: str, name: str = "The file of settings") -> "Settings":
        """The settings of a text in TOML, or in JSON where it begins with a brace."""
        text = text.removeprefix(BYTE_ORDER_MARK)
        try:
            if text.lstrip().startswith("{"):
                twice = partial(unique_keys, f"{name} has the key {{}} twice.")
                record = json.loads(text, object_pairs_hook=twice)
            else:
                record = tomllib.loads(text)
        except CaldpError:
            raise
        except (ValueError, RecursionError) as error:
            raise CaldpError(f"{name} is neither TOML nor JSON: {error}.") from None
        return cls.from_record(record)

    @classmethod
    def from_file(cls, path: str | Path) -> "Settings":
        """The settings of a file; raises `CaldpError`."""
        text = read_text(path, "The file of settings", SETTINGS_MAX_BYTES, "save it as UTF-8")
        return cls.from_text(text, f"The file of settings {quoted(path)}")


def _names(record: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


def _plain(record: Any) -> dict[str, Any]:
    """The fields that are not empty; lists instead of tuples."""
    found = {}
    for name, value in asdict(record).items():
        if value not in ("", (), 0):
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


class _Part:
    """One table of the settings; raises `CaldpError` for keys that it does not know."""

    def __init__(self, name: str, data: object, known: Sequence[str]) -> None:
        if not isinstance(data, Mapping):
            raise CaldpError(f"{name or 'The settings'} must be a table with named fields.")
        self.name, self.data = name, data
        unknown = next((key for key in data if key not in known), None)
        require(
            unknown is None,
            f"The settings have no {self._path(str(unknown))}; known are {', '.join(known)}.",
        )

    def _path(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    def part(self, key: str, known: Sequence[str]) -> "_Part":
        """The table under this key."""
        path = self._path(key)
        require(key in self.data, f"[{path}] is missing in the settings.")
        return _Part(path, self.data[key], known)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; () if it is missing. Numbers become texts, as answers may be numbers."""
        return _texts(self._path(key), self.data.get(key, []))

    def make(self, record: type[Any], **ready: Any) -> Any:
        """The record of these values, those that are `ready` in the place of the file's."""
        values = {key: value for key, value in self.data.items() if key not in ready} | ready
        for field in fields(record):
            path, value = self._path(field.name), values.get(field.name)
            is_needed = field.default is MISSING
            require(field.name in values or not is_needed, f"{path} is not answered.")
            if field.type in ("str", str) and field.name in values:
                value = value.isoformat() if isinstance(value, date) else value
                require(isinstance(value, str), f"{path} must be a text, got {value!r}.")
                values[field.name] = value
            if field.type in ("float", float) and field.name in values:
                values[field.name] = check_number(path, value, -math.inf, math.inf)
        return record(**values)


def _texts(path: str, value: object) -> tuple[str, ...]:
    require(isinstance(value, list | tuple), f"{path} must be a list, got {value!r}.")
    found = []
    for each in value:  # type: ignore[attr-defined]
        is_text = isinstance(each, str | int) and not isinstance(each, bool)
        require(is_text, f"{path} must be a list of texts, got {each!r}.")
        found.append(str(each))
    return tuple(found)


def _held_list(part: _Part) -> HeldList:
    where = part.data.get("where", {})
    require(isinstance(where, Mapping), "list.where must be a table of columns and their values.")
    chosen = tuple(
        (column, _texts(f"list.where.{column}", values)) for column, values in where.items()
    )
    return part.make(HeldList, where=chosen)  # type: ignore[no-any-return]


def _cells(part: _Part) -> CellSettings:
    ready: dict[str, Any] = {}
    if "map" in part.data:
        ready["map"] = part.part("map", _names(MapExtent)).make(MapExtent)
    lists = part.data.get("lists", [])
    require(isinstance(lists, list | tuple), "cells.lists must be a list of tables.")
    found = []
    for each in lists:
        inner = _Part("cells.lists", each, _names(ValueList))
        found.append(inner.make(ValueList, values=inner.texts("values")))
    return part.make(CellSettings, lists=tuple(found), **ready)  # type: ignore[no-any-return]


def _treatment(part: _Part) -> Treatment:
    kind = part.data.get("kind")
    require(
        kind in TREATMENTS,
        f"treatment.kind must be one of {', '.join(TREATMENTS)}, as a list that is held needs no "
        f"other; got {kind!r}.",
    )
    known = _names(TREATMENTS[str(kind)])
    values = {key: part.data[key] for key in part.data if key not in ("kind", "threshold")}
    extra = next((key for key in values if key not in known), None)
    require(extra is None, f"treatment.{extra} does nothing with {kind}; leave it out.")
    made: Treatment = _Part("treatment", values, known).make(TREATMENTS[str(kind)])
    return made
