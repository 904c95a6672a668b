"""Random tables of counts whose right reading is known, in the forms that offices write."""

import csv
import io
import random
from dataclasses import dataclass, field
from typing import Final

_AREAS: Final = [
    "Alba",
    "Bena",
    "Cora",
    "Dola",
    "Elna",
    "Fara",
    "Gora",
    "Hala",
    "Ista",
    "Jona",
    "Kora",
    "Lima",
]
_REGIONS: Final = ["North", "South", "East"]
_ANSWERS: Final = [["yes", "no"], ["never", "sometimes", "often"], ["Auto", "Bus", "Rad", "zu Fuß"]]
_SEXES: Final = [("Total", "Men", "Women"), ("Insgesamt", "Männer", "Frauen"), ("T", "M", "F")]
_TOTALS: Final = ["Total", "Summe", "Gesamt", "Ensemble", "Razem", "合计", "Итого"]
_PEOPLE: Final = ["people", "Anzahl", "cases", "Einwohner", "population"]


@dataclass(frozen=True)
class Table:
    """A table's `titles` and `rows`, the number of `people`, and what is particular to it."""

    titles: list[str]
    rows: list[list[str]]
    people: int
    kinds: frozenset[str] = field(default_factory=frozenset)

    def text(self, delimiter: str = ",") -> str:
        """The table as CSV."""
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(
            [self.titles, *self.rows]
        )
        return out.getvalue()


Cells = dict[tuple[str, ...], int]


def make_table(seed: int) -> Table:
    """A table of areas by sex or answers, with sums, levels, bands, or none of these."""
    rng = random.Random(seed)
    kind = rng.choice(["plain", "totals", "levels", "bands"])
    first, sums_of_first, codes = _first_column(rng, kind)
    columns = [("age" if kind == "bands" else "district", first)]
    sums = [sums_of_first]
    if rng.random() < 0.5:
        total, *sexes = rng.choice(_SEXES)
        columns.append(("sex", sexes))
        sums.append({total: sexes} if kind != "plain" and rng.random() < 0.6 else {})
    else:
        columns.append(("answer", rng.choice(_ANSWERS)))
        sums.append({})
    cells: Cells = {}
    for a in columns[0][1]:
        for b in columns[1][1]:
            cells[a, b] = rng.randint(30, 9_999)
    people = sum(cells.values())
    for at, wholes in enumerate(sums):
        cells |= _sums_over(cells, at, wholes)
    order = list(cells)
    kinds = {kind}
    if rng.random() < 0.5:
        rng.shuffle(order)
        kinds.add("shuffled")
    if rng.random() < 0.4:
        kinds.add("wide")
        titles, rows = _wide(columns[0][0], order, cells)
    else:
        titles = [columns[0][0], columns[1][0], rng.choice(_PEOPLE)]
        rows = [[*key, str(cells[key])] for key in order]
    if codes:
        titles = ["code", *titles]
        rows = [[codes[row[0]], *row] for row in rows]
    return Table(titles, rows, people, frozenset(kinds))


def _first_column(
    rng: random.Random, kind: str
) -> tuple[list[str], dict[str, list[str]], dict[str, str]]:
    """The members of the first column, sums of them by name, and codes of all, {} for none."""
    if kind == "bands":
        bands = ["0-14", "15-24", "25-44", "45-64", "65+"]
        wholes = {"15-64": bands[1:4], "0-24": bands[:2], "25-64": bands[2:4]}
        return bands, {w: p for w, p in wholes.items() if rng.random() < 0.7}, {}
    areas = rng.sample(_AREAS, rng.randint(4, 9))
    if kind == "totals":
        return areas, {rng.choice(_TOTALS): areas}, {}
    if kind == "plain":
        return areas, {}, {}
    parts: dict[str, list[str]] = {region: [] for region in _REGIONS}
    for number, area in enumerate(areas):
        parts[_REGIONS[number % len(_REGIONS)]].append(area)
    form = rng.choice(["DE{r}|DE{r}{d}|DE", "0{r}|0{r}00{d}|XX", "AT-{r}|AT-{r}0{d}|AT"])
    region_code, area_code, country_code = form.split("|")
    codes = {"Country": country_code}
    for r, (region, districts) in enumerate(parts.items(), start=1):
        codes[region] = region_code.format(r=r)
        for d, area in enumerate(districts, start=1):
            codes[area] = area_code.format(r=r, d=d)
    sums = {**parts, "Country": areas} if rng.random() < 0.6 else parts
    return areas, sums, codes


def _sums_over(cells: Cells, at: int, wholes: dict[str, list[str]]) -> Cells:
    """The cells of the wholes of a column."""
    found: Cells = {}
    for whole, parts in wholes.items():
        for key, number in cells.items():
            if key[at] in parts:
                own = (whole, key[1]) if at == 0 else (key[0], whole)
                found[own] = found.get(own, 0) + number
    return found


def _wide(
    title: str, order: list[tuple[str, ...]], cells: Cells
) -> tuple[list[str], list[list[str]]]:
    """Titles and rows with the members of the second column across."""
    across = list(dict.fromkeys(key[1] for key in order))
    areas = dict.fromkeys(key[0] for key in order)
    rows = [[area, *(str(cells[area, other]) for other in across)] for area in areas]
    return [title, *across], rows
