"""Checks of names that are areas: of which country, which are not known, what counts the people."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, partial
from typing import Final

from caldp_core.basics.counted import count_text
from caldp_core.datasets.areas import NamedArea, named_areas
from caldp_core.datasets.files.answers import normalize_spaces
from caldp_core.datasets.files.checks.people import is_total
from caldp_core.datasets.files.checks.record import Check, Offer, Reading
from caldp_core.datasets.files.layout_detection import is_no_number_of_people, normalize_name

_NAMES_MIN, _NAMES_KNOWN = 3, 0.6
_CODES_MIN, _CODES_KNOWN = 5, 0.9
"""How many different areas, and which share of all names, make a column one of areas."""
_AS_GOOD: Final = 0.9
"""Of the names that the best reading knows, those that another one must know to be asked about."""
_OFFERS_MAX, _LISTED = 4, 5
_COUNTRIES, _SEVERAL = "countries", "several countries"
_NEAR: Final = 0.7


@cache
def _by_spelling() -> Mapping[str, list[NamedArea]]:
    found = defaultdict[str, list[NamedArea]](list)
    for area in named_areas().values():
        for spelling in area.names | area.codes:
            found[spelling].append(area)
    return found


def match_names(names: Collection[str]) -> dict[str, dict[str, NamedArea]]:
    """The areas that different names mean, by the country of all of them, the best first.

    Or by “countries” or “several countries”; nothing where too few are known.
    """
    found = {name: _by_spelling().get(normalize_name(name), []) for name in names}
    sets = defaultdict[str, dict[str, NamedArea]](dict)
    for name, areas in found.items():
        for area in areas:
            sets[area.country or _COUNTRIES][name] = area
    several = dict[str, NamedArea]()
    for name, areas in found.items():
        sizes = {len(sets[area.country]): area for area in areas if area.country}
        several |= {name: sizes[max(sizes)]} if sizes else {}
    best = max((len(sets[of]) for of in sets), default=0)
    if len(several) > best:
        sets[_SEVERAL], best = several, len(several)
    able = {
        of: each
        for of, each in sets.items()
        if len(each) >= _AS_GOOD * best and _are_areas(each, len(names))
    }
    return dict(sorted(able.items(), key=lambda each: -len(each[1]))[:_OFFERS_MAX])


def _are_areas(areas: Mapping[str, NamedArea], names: int) -> bool:
    called = {area.key for name, area in areas.items() if normalize_name(name) in area.names}
    share, different = len(areas) / names, {area.key for area in areas.values()}
    if len(called) >= _NAMES_MIN:
        return share >= _NAMES_KNOWN
    return len(different) >= _CODES_MIN and share >= _CODES_KNOWN


def areas(reading: Reading) -> Check | None:
    """A column whose cells are names or codes of areas, in a file without coordinates."""
    layout, file = reading.layout, reading.file
    if file.has_places or layout.latitude is not None or layout.others:
        return None
    first = [at for at in (layout.answer, layout.group) if at is not None]
    for column in dict.fromkeys((*first, *range(len(file.names)))):
        seen = {cell for cell in file.cells(column) if not is_total(cell)}
        if not file.is_numeric(column) and match_names(seen):
            names = _names(reading, column)
            found = match_names(names).items()
            offers = tuple(_offer(reading, column, names, *each) for each in found)
            called = f"{count_text(len(names), 'name', 'names')} in {reading.name(column)}"
            sentence = f"{called} may be areas: show people by area, on a map?"
            return Check("areas", sentence, offers, "No: plain answers") if offers else None
    return None


def _names(reading: Reading, column: int) -> list[str]:
    """All different names in a column, without totals that are left out."""
    relation = reading.file.table.relation_sql(bool(reading.layout.header))
    with reading.file.table.open_reader() as reader:
        rows = reader.fetch_rows(f"SELECT DISTINCT c{column} FROM {relation}")
    names = {normalize_spaces(cell or "") for (cell,) in rows}
    return sorted(names - {"", *(cell for at, cell in reading.layout.left_out if at == column)})


def _offer(
    reading: Reading, column: int, names: list[str], of: str, found: Mapping[str, NamedArea]
) -> Offer:
    twice = len(found) - len({area.key for area in found.values()})
    some = f"{len(found):,} of {len(names):,} names known" if len(found) < len(names) else ""
    more = f"{count_text(twice, 'other spelling', 'other spellings')} added up" if twice else ""
    title = of if of == _COUNTRIES else f"areas of {of}"
    keys = tuple((name, found[name].key if name in found else "") for name in names)
    return Offer(
        of,
        ", ".join(filter(None, (f"Show {title}", some, more))),
        ", ".join(filter(None, (f"{reading.name(column)} read as {title}", more))),
        partial(with_areas, column, keys),
    )


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
    offer = Offer(
        "nearest",
        f"Take the nearest{f' of {len(near)}, leave out the others' * (len(near) < len(unknown))}",
        ", ".join(f"“{name}” read as {called}" for name, (called, _) in near.items()),
        lambda read: replace(read, layout=replace(read.layout, areas=tuple(
            (name, area or near.get(name, ("", ""))[1]) for name, area in read.layout.areas))),
    )  # fmt: skip
    return Check(
        "unknown-areas",
        f"No area is called {', '.join(few)}{more}: their people can't be on the map.",
        (offer,) if near else (),
        "Leave them out",
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
    found = {name: get_close_matches(normalize_name(name), spelled, 1, _NEAR) for name in unknown}
    return {name: spelled[near[0]] for name, near in found.items() if near}


def people_of_areas(reading: Reading) -> Check | None:
    """Several columns of numbers beside areas: which says how many people there are."""
    layout, file = reading.layout, reading.file
    columns = [
        at
        for at, name in enumerate(file.names)
        if at != layout.answer and file.is_numeric(at) and not is_no_number_of_people(name)
    ]
    if not layout.areas or file.repeats(layout.answer) or len(columns) < 2:
        return None
    offers = tuple(
        Offer(
            file.names[at],
            file.names[at],
            f"people by {reading.name(at)}",
            partial(_with_people, at),
        )
        for at in sorted(columns, key=lambda at: at != layout.count)
    )
    sentence = "Several columns are numbers: which says how many people are in an area?"
    return Check("people-of-areas", sentence, offers, "None: a row is one person")


def _with_people(column: int, reading: Reading) -> Reading:
    return replace(reading, layout=replace(reading.layout, count=column))
