"""Checks of names that are areas: of which country, which are not known, what counts the people."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, partial
from typing import Final

from caldp_core.basics.counted import count_text
from caldp_core.basics.limits import OWN_ANSWERS_MAX
from caldp_core.datasets.areas import NamedArea, named_areas
from caldp_core.datasets.files.answers import normalize_spaces
from caldp_core.datasets.files.checks.people import is_total
from caldp_core.datasets.files.checks.record import Check, Offer, Reading
from caldp_core.datasets.files.layout_detection import is_no_number_of_people, normalize_name

_NAMES_MIN: Final = 3
_KNOWN: Final = 0.6
"""Of different names, those that are areas of one kind."""
_CODE: Final = 3
"""Characters of the longest code that words may spell by chance, such as “no” and “in”."""
_CODES_MIN, _CODES_KNOWN = 5, 0.9
_AS_GOOD: Final = 0.9
"""Of the names that the best reading knows, those that another one must know to be asked about."""
_OFFERS_MAX: Final = 4
_COUNTRIES: Final = "countries"
_SEVERAL: Final = "several"
_BESIDE: Final = (
    "canton cantone comunidad county de del der des di do estado freistaat kanton land oblast of "
    "prefecture province provincia provincie region state the voivodeship"
)
"""Words beside the name of an area."""
_COMPASS: Final = (
    "central centre est norte nord north northern oeste ost east eastern este ouest south southern "
    "sud sued sur west western"
)
"""Words that name parts of any place."""
_LISTED: Final = 5
_NEAR: Final = 0.7


@dataclass(frozen=True)
class _AreaSet:
    """One reading of names as areas: `name` for the command line, `areas` of the known names."""

    name: str
    areas: Mapping[str, NamedArea]

    @property
    def title(self) -> str:
        """What the areas are, in words."""
        if self.name == _COUNTRIES:
            return _COUNTRIES
        return "areas of " + ("several countries" if self.name == _SEVERAL else self.name)


@cache
def _by_spelling() -> Mapping[str, tuple[NamedArea, ...]]:
    found = defaultdict[str, list[NamedArea]](list)
    for area in named_areas().values():
        for spelling in area.spellings:
            found[spelling].append(area)
    return {spelling: tuple(areas) for spelling, areas in found.items()}


def _candidates(name: str) -> tuple[NamedArea, ...]:
    """The areas that a name or code may mean, with or without words such as “canton”."""
    spelled = normalize_name(name)
    return _by_spelling().get(spelled, ()) or _by_spelling().get(_words(name, _BESIDE), ())


def _words(name: str, without: str = f"{_BESIDE} {_COMPASS}") -> str:
    """The words of a name but for some."""
    return " ".join(word for word in normalize_name(name).split() if word not in without.split())


def match_names(names: Collection[str]) -> list[_AreaSet]:
    """The readings of different names as areas that know most of them, the best first."""
    found = {name: _candidates(name) for name in names}
    sets = defaultdict[str, dict[str, NamedArea]](dict)
    for name, areas in found.items():
        for area in areas:
            sets[area.country if area.region else _COUNTRIES][name] = area
    sizes = {of: len(known) for of, known in sets.items() if of != _COUNTRIES}
    for name, areas in found.items():
        rank = sorted((sizes[each.country], each.key) for each in areas if each.region)
        if rank and (len(rank) == 1 or rank[-1][0] > rank[-2][0]):
            sets[_SEVERAL][name] = named_areas()[rank[-1][1]]
    if len(sets[_SEVERAL]) <= max(sizes.values(), default=0):
        del sets[_SEVERAL]
    best = max(map(len, sets.values()), default=0)
    able = [_AreaSet(of, each) for of, each in sets.items() if len(each) >= _AS_GOOD * best]
    able = [each for each in able if _knows_enough(each.areas, names)]
    return sorted(able, key=lambda each: (-len(each.areas), _size(each.name)))[:_OFFERS_MAX]


def _size(of: str) -> int:
    """How many areas there are of a country; countries before all of them."""
    return sum(area.country == of for area in named_areas().values())


def _knows_enough(areas: Mapping[str, NamedArea], names: Collection[str]) -> bool:
    words = {name: _words(name) for name in areas}
    named = {areas[name].key for name, text in words.items() if len(text) > _CODE}
    coded = {areas[name].key for name, text in words.items() if text} | named
    share = len(areas) / len(names)
    if len(named) >= _NAMES_MIN:
        return share >= _KNOWN
    return len(coded) >= _CODES_MIN and share >= _CODES_KNOWN


def areas(reading: Reading) -> Check | None:
    """A column whose cells are names or codes of areas, in a file without coordinates."""
    layout, file = reading.layout, reading.file
    if file.has_places or layout.latitude is not None or layout.others:
        return None
    first = [at for at in (layout.answer, layout.group) if at is not None]
    for column in dict.fromkeys((*first, *range(len(file.names)))):
        seen = {cell for cell in file.cells(column) if not is_total(cell)}
        if len(seen) <= OWN_ANSWERS_MAX and not file.is_numeric(column) and match_names(seen):
            names = _names(reading, column)
            offers = [_offer(reading, column, names, each) for each in match_names(names)]
            return _check(reading, column, len(names), offers) if offers else None
    return None


def _names(reading: Reading, column: int) -> list[str]:
    """All different names in a column, without totals that are left out."""
    relation = reading.file.table.relation_sql(bool(reading.layout.header))
    with reading.file.table.open_reader() as reader:
        rows = reader.fetch_rows(f"SELECT DISTINCT c{column} FROM {relation}")
    names = dict.fromkeys(normalize_spaces(cell or "") for (cell,) in rows)
    left_out = {cell for at, cell in reading.layout.left_out if at == column}
    return sorted(name for name in names if name and name not in left_out)


def _check(reading: Reading, column: int, names: int, offers: list[Offer]) -> Check:
    title = reading.name(column)
    return Check(
        "areas",
        f"{count_text(names, 'name', 'names')} in {title} may be areas: show people by area, on a "
        "map?",
        tuple(offers),
        "No: plain answers",
    )


def _offer(reading: Reading, column: int, names: list[str], found: _AreaSet) -> Offer:
    several = len(found.areas) - len({area.key for area in found.areas.values()})
    twice = f", {count_text(several, 'other spelling', 'other spellings')} added up" * (several > 0)
    known, size = len(found.areas), len(names)
    some = f": {known:,} of {size:,} names are known" if known < size else ""
    keys = tuple((name, found.areas[name].key if name in found.areas else "") for name in names)
    return Offer(
        found.name,
        f"Show {found.title}{some}{twice}",
        f"{reading.name(column)} read as {found.title}{twice}",
        partial(_with_areas, column, keys),
    )


def _with_areas(column: int, keys: tuple[tuple[str, str], ...], reading: Reading) -> Reading:
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
    near = dict(_nearest(reading, unknown))
    few = [
        f"“{name}”" + (f" (nearest: {near[name][0]})" if name in near else "")
        for name in unknown[:_LISTED]
    ]
    more = f" and {len(unknown) - _LISTED:,} more" if len(unknown) > _LISTED else ""
    keys = {name: key for name, (_, key) in near.items()}
    offer = Offer(
        "nearest",
        f"Take the nearest{f' of {len(near)}, leave out the others' * (len(near) < len(unknown))}",
        ", ".join(f"“{name}” read as {called}" for name, (called, _) in near.items()),
        lambda read: replace(read, layout=replace(read.layout, areas=tuple(
            (name, area or keys.get(name, "")) for name, area in read.layout.areas))),
    )  # fmt: skip
    return Check(
        "unknown-areas",
        f"No area is called {', '.join(few)}{more}: their people can't be on the map.",
        (offer,) if near else (),
        "Leave them out",
    )


def _nearest(reading: Reading, unknown: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """By unknown name the nearest area: what it is called, and its key."""
    known = {named_areas()[area] for _, area in reading.layout.areas if area in named_areas()}
    levels = {(area.country, bool(area.region)) if area.region else "" for area in known}
    spelled = {
        spelling: (area.name, area.key)
        for area in named_areas().values()
        if ((area.country, True) if area.region else "") in levels
        for spelling in area.spellings
        if len(spelling) > _CODE
    }
    spelled |= {normalize_name(name): (name, key) for name, key in reading.layout.areas if key}
    for name in unknown:
        near = get_close_matches(normalize_name(name), spelled, 1, _NEAR)
        if near:
            yield name, spelled[near[0]]


def people_of_areas(reading: Reading) -> Check | None:
    """Several columns of numbers beside areas: which says how many people there are."""
    layout, file = reading.layout, reading.file
    if not layout.areas or file.repeats(layout.answer):
        return None
    columns = [
        at
        for at in range(len(file.names))
        if at != layout.answer and file.is_numeric(at)
        and not is_no_number_of_people(file.names[at]) and min(reading.numbers(at)) >= 0
    ]  # fmt: skip
    if len(columns) < 2:
        return None
    columns.sort(key=lambda at: at != layout.count)
    offers = tuple(
        Offer(
            file.names[at],
            reading.name(at),
            f"people by {reading.name(at)}",
            partial(_with_people, at),
        )
        for at in columns
    )
    return Check(
        "people-of-areas",
        f"{count_text(len(columns), 'column', 'columns')} of numbers stand beside the areas: which "
        "says how many people there are?",
        offers,
        "None: each row is one person" if layout.count is None else "As it is",
    )


def _with_people(column: int, reading: Reading) -> Reading:
    return replace(reading, layout=replace(reading.layout, count=column))
