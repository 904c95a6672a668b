"""Names and codes in a column as areas: of which country, or countries, most of them are."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final

from caldp_core.datasets.base_map import NamedArea, areas_by_spelling
from caldp_core.datasets.files.layout_detection import ROLES, has_word, normalize_name

_NAMES_MIN, _NAMES_KNOWN = 3, 0.6
_CODES_MIN, _CODES_KNOWN = 5, 0.9
"""How many different areas, and which share of all names, make a column one of areas."""
_NAMED_MIN: Final = 2
"""How many do, all of them known, where the column's title says that it holds areas."""
_AS_GOOD: Final = 0.9
"""Of the names that the best reading knows, those that another one must know to be asked about."""
_OFFERS_MAX: Final = 4
COUNTRIES, _SEVERAL = "countries", "several countries"


def match_names(names: Collection[str], title: str = "") -> dict[str, dict[str, NamedArea]]:
    """The areas that different names mean, by the country of all of them, the best first.

    Or by “countries” or “several countries”; nothing where too few are known. Fewer are enough
    below a `title` such as “state”.
    """
    by_title = has_word(title, ROLES["area"])
    sets = areas_by_country(names)
    best = max((len(each) for each in sets.values()), default=0)
    able = {
        of: each
        for of, each in sets.items()
        if len(each) >= _AS_GOOD * best and _are_areas(each, len(names), by_title)
    }
    return dict(sorted(able.items(), key=lambda each: -len(each[1]))[:_OFFERS_MAX])


def areas_by_country(names: Collection[str]) -> dict[str, dict[str, NamedArea]]:
    """The areas that names mean, by country, “countries” or “several countries”; few or many."""
    # Letters alone are choices, as in “A” to “E”, also where a country has codes such as these.
    long = [name for name in names if not re.fullmatch("[A-Za-z]", name)]
    found = {name: areas_by_spelling().get(normalize_name(name), []) for name in long}
    sets = defaultdict[str, dict[str, NamedArea]](dict)
    for name, areas in found.items():
        for area in areas:
            sets[area.country or COUNTRIES][name] = area
    several = dict[str, NamedArea]()
    for name, areas in found.items():
        sizes = {len(sets[area.country]): area for area in areas if area.country}
        several |= {name: sizes[max(sizes)]} if sizes else {}
    if len(several) > max((len(sets[of]) for of in sets), default=0):
        sets[_SEVERAL] = several
    return dict(sets)


def _are_areas(areas: Mapping[str, NamedArea], names: int, by_title: bool) -> bool:
    called = {area.key for name, area in areas.items() if normalize_name(name) in area.names}
    share, different = len(areas) / names, {area.key for area in areas.values()}
    are_written = len(called) == names or all(name == name.upper() for name in areas)
    if by_title and _NAMED_MIN <= len(different) == names and are_written:
        return True
    if len(called) >= _NAMES_MIN:
        return share >= _NAMES_KNOWN
    return len(different) >= _CODES_MIN and share >= _CODES_KNOWN
