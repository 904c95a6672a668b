"""Rules that propose sums: by words, codes, bands, indentation, levels, order, numbers.

None decides: each only says "these facts are the sum of those" (`decisions.py` decides). They run
on members, a few hundred of a table, never on all pairs of its rows.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Final

from caldp_core.datasets.tables import labels
from caldp_core.datasets.tables.facts import FactTable, MemberTable, Sum, sums_of_members
from caldp_core.datasets.tables.odds import fit_of

_CODES_SHARE: Final = 0.7
"""Of all members, those that must have a code."""
_BANDS_SHARE: Final = 0.5
_LEVELS_MAX: Final = 6
_LEVELS_FIT: Final = 0.8
_CODES_OF_LEVEL: Final = 0.9
_ROUNDED: Final = 0.0025
"""Of a total and all others together, by which it may be off as they are rounded."""
_ORDER_MAX: Final = 400
"""Members above which order proposes nothing: sums by chance would be many, and take long."""
_RUN_MAX: Final = 30
"""Most rows of one subtotal."""
_ONE_PART_ODDS: Final = 0.005
"""Odds up to which a row may be the sum of a single other one."""
_NUMBERS_MAX: Final = 200
_FEW_MAX: Final = 25
"""Most members of which each may be the sum of any two or three others: it costs their cube."""
_TOTAL_KEYS_MAX: Final = 64

Member = tuple[str, int]
Others = tuple[str, ...]


def by_words(table: FactTable, structured: Sequence[Sum]) -> list[Sum]:
    """“Total”, “Insgesamt”, “All ages”: the sum of all rows that agree in the other columns.

    Or of the other totals there, or of the run above or below up to the next total: the first that
    fits, else all others. `structured`: what codes, bands and indentation propose, of whose sums
    only the wholes are parts.
    """
    by_totals = _by_totals(table)
    if len(by_totals) < 2 or len(by_totals) > _TOTAL_KEYS_MAX:
        return []
    inner_parts = [found for found in structured if fit_of(table, found).holds]
    found = []
    agreeing = _Agreeing(table, by_totals)
    for totals, numbers in by_totals.items():
        if not totals:
            continue
        for number in numbers:
            parts = _parts_of_total(table, agreeing, totals, number, inner_parts)
            if parts:
                found.append(Sum((number,), tuple(parts)))
    return found


def _by_totals(table: FactTable) -> dict[frozenset[int], list[int]]:
    """Facts by the columns in which their members are totals by word."""
    found = defaultdict[frozenset[int], list[int]](list)
    for number, fact in enumerate(table.facts):
        columns = [column for column, member in enumerate(fact.members) if labels.is_total(member)]
        found[frozenset(columns)].append(number)
    return found


class _Agreeing:
    """Finds the facts that agree with one in some columns, grouped once for each set of these."""

    def __init__(self, table: FactTable, by_totals: Mapping[frozenset[int], list[int]]) -> None:
        self.table = table
        self.by_totals = by_totals
        self._groups: dict[tuple[frozenset[int], frozenset[int]], dict[Others, list[int]]] = {}

    def among(self, totals: frozenset[int], number: int, besides: frozenset[int]) -> list[int]:
        """Facts whose totals are in the columns `totals`, that agree with one outside `besides`.

        A blank member agrees with all.
        """
        members = self.table.facts[number].members
        compared = frozenset(at for at in range(len(members)) if at not in besides and members[at])
        if (totals, compared) not in self._groups:
            groups = defaultdict[Others, list[int]](list)
            for other in self.by_totals[totals]:
                own = self.table.facts[other].members
                groups[tuple(own[at] for at in sorted(compared))].append(other)
            self._groups[totals, compared] = groups
        key = tuple(members[at] for at in sorted(compared))
        found = self._groups[totals, compared].get(key, [])
        return [other for other in found if other != number]


def _parts_of_total(
    table: FactTable,
    agreeing: _Agreeing,
    totals: frozenset[int],
    number: int,
    inner_parts: Sequence[Sum],
) -> Sequence[int]:
    """The parts of a total by word; () where it is less than its largest part, or has none."""
    finer = [other for other in agreeing.by_totals if other < totals]
    finer.sort(key=len, reverse=True)
    ways = []
    for other in finer:
        facts = agreeing.among(other, number, totals)
        if facts:
            ways.append(facts)
    if not ways:
        return ()
    same = agreeing.among(totals, number, totals)
    tried = [*ways]
    # Where codes or bands make a tree, only its wholes are parts of the total.
    inner = set[int]()
    nearest = set(ways[0])
    for found in inner_parts:
        if number not in found.wholes and nearest.issuperset(found.wholes):
            inner.update(found.parts)
    tried.append([fact for fact in ways[0] if fact not in inner])
    # A subtotal is the sum of the run above it, or below it, up to the next one.
    line = sorted((*ways[-1], *same))
    above = [fact for fact in reversed(line) if fact < number]
    below = [fact for fact in line if fact > number]
    tried += [_until(above, set(same)), _until(below, set(same)), same]
    for parts in tried:
        if parts and fit_of(table, Sum((number,), tuple(parts))).holds:
            return parts
    # None adds up: a row may be missing, so all others are proposed unless the total is too small.
    value = table.facts[number].value
    largest = max((table.facts[part].value or 0 for part in ways[-1]), default=0)
    if value is None or value < largest:
        return ()
    return ways[0]


def _until(facts: Sequence[int], stops: set[int]) -> list[int]:
    """The facts before the first that is one of `stops`."""
    run = []
    for fact in facts:
        if fact in stops:
            break
        run.append(fact)
    return run


def by_indent(table: FactTable) -> Iterator[Sum]:
    """Labels that are set in are parts of the one above that is less so."""
    depths = {fact.indent for fact in table.facts}
    if not 2 <= len(depths) <= _LEVELS_MAX:
        return
    blocks = defaultdict[Others, list[int]](list)
    for number, fact in enumerate(table.facts):
        blocks[fact.members[1:]].append(number)
    for block in blocks.values():
        parts_of = defaultdict[int, list[int]](list)
        above: list[int] = []
        for number in block:
            while above and table.facts[above[-1]].indent >= table.facts[number].indent:
                above.pop()
            if above:
                parts_of[above[-1]].append(number)
            above.append(number)
        for whole, parts in parts_of.items():
            yield Sum((whole,), tuple(parts))


_PART_WORDS: Final = re.compile(
    r"(?i)\W*(of which|thereof|davon|darunter|dont|di cui|de los cuales|de las cuales|waarvan|"
    r"dos quais|w tym)\b"
)


def is_part_by_word(label: str) -> bool:
    """Whether a label begins with “of which” or the like: a part of the row above."""
    return _PART_WORDS.match(label) is not None


def by_codes(table: FactTable, column: int) -> Iterator[Sum]:
    """DE, DE1, DE11; 01, 01001; 00000, 01000, 01001; AT, AT-1: the nearest shorter is the whole."""
    members = table.member_tables[column]
    codes = _codes_of_members(table, column)
    if sum(map(bool, codes.values())) < max(3, _CODES_SHARE * len(codes)):
        return
    member_of = {code: member for member, code in codes.items()}
    parts_of = defaultdict[Member, list[Member]](list)
    for member, code in codes.items():
        for length in range(len(code) - 1, -1, -1):
            whole = member_of.get(code[:length])
            if whole is not None and whole != member:
                parts_of[whole].append(member)
                break
    for whole, parts in parts_of.items():
        if codes[whole] or len(parts) > 1:
            yield from sums_of_members(members, whole, parts)


def _codes_of_members(table: FactTable, column: int) -> dict[Member, str]:
    """By member its code, without signs: its label, what that begins with, or a column beside."""
    members = table.member_tables[column]
    beside = _codes_beside(table, column)
    codes = {}
    for member, facts in members.items():
        if labels.is_code(member[0]):
            text = member[0]
        elif beside:
            text = beside[table.facts[next(iter(facts.values()))].row]
        else:
            text = labels.code_of(member[0])
        codes[member] = re.sub(r"[-_.\s]", "", text)
    lengths = {len(code) for code in codes.values() if code}
    all_digits = all(code.isdigit() for code in codes.values() if code)
    if len(lengths) != 1 or not all_digits:
        return codes
    # Codes of one length are filled up with zeros: 01000 is the whole of 01001, 00000 of all.
    for member, code in codes.items():
        if code == "0" * len(code):
            codes[member] = ""
        else:
            codes[member] = re.sub(r"(000|00|0)$", "", code)
    return codes


def _codes_beside(table: FactTable, column: int) -> tuple[str, ...]:
    """The cells, by row, of a column beside that is the code of a column's members; else ()."""
    for cells in table.beside.values():
        if sum(map(labels.is_code, cells)) <= _CODES_SHARE * len(cells):
            continue
        pairs = {(fact.members[column], cells[fact.row]) for fact in table.facts}
        if len(pairs) == len({member for member, _ in pairs}):
            return cells
    return ()


def by_bands(table: FactTable, column: int) -> Iterator[Sum]:
    """0-14, 15-64, 65+: a band that others fill from end to end is their sum."""
    members = table.member_tables[column]
    bands = _bands_of(members)
    for member, (low, high) in bands.items():
        within = _bands_within(bands, member)
        # Band by band, the widest that begins where the one before has ended.
        chain = []
        year = low
        while year <= high:
            starts = [other for other in within if bands[other][0] == year]
            if not starts:
                break
            widest = max(starts, key=lambda other: bands[other][1])
            chain.append(widest)
            year = bands[widest][1] + 1
        if chain and year > high:
            yield from sums_of_members(members, member, chain)


def bands_inside(table: FactTable, column: int) -> Iterator[Sum]:
    """Bands that lie within one that they do not fill, such as 75+ within 65+."""
    members = table.member_tables[column]
    bands = _bands_of(members)
    for member, (low, high) in bands.items():
        within = _bands_within(bands, member)
        covered = set[int]()
        for other in within:
            first, last = bands[other]
            covered.update(range(first, last + 1))
        if within and len(covered) < high - low + 1:
            yield from sums_of_members(members, member, within)


def _bands_of(members: MemberTable) -> dict[Member, tuple[int, int]]:
    """The bands among members; empty where most are none, or some number of them can't be."""
    bands = {}
    for member in members:
        band = labels.band_of(member[0])
        if band is not None and band[0] <= band[1]:
            bands[member] = band
    if max(3, _BANDS_SHARE * len(members)) <= len(bands) <= _ORDER_MAX:
        return bands
    return {}


def _bands_within(bands: Mapping[Member, tuple[int, int]], member: Member) -> list[Member]:
    """The other bands that lie within that of a member, but for equal ones."""
    low, high = bands[member]
    found = []
    for other, band in bands.items():
        if other != member and low <= band[0] and band[1] <= high and band != (low, high):
            found.append(other)
    return found


def by_levels(table: FactTable, columns: Mapping[str, tuple[str, ...]]) -> Iterator[Sum]:
    """Kinds in a column (country, region; E12, E06) of which one adds up to the next.

    `columns`: cells by row of label columns and of those beside, by title. Where other columns say
    which belong together, sums are within these.
    """
    for title, cells in columns.items():
        if labels.title_says(title, "question"):
            continue
        yield from _sums_of_levels(table, columns, title, cells)
        if sum(map(labels.is_code, cells)) >= _CODES_OF_LEVEL * len(cells):
            shapes = [_shape_of_code(cell) for cell in cells]
            yield from _sums_of_levels(table, columns, title, shapes)


def _sums_of_levels(
    table: FactTable,
    columns: Mapping[str, tuple[str, ...]],
    title: str,
    kinds: Sequence[str],
) -> Iterator[Sum]:
    """Sums of one kind of row, by `kinds`, that equal the next one, of a column of that title."""
    by_kind = defaultdict[str, list[int]](list)
    for number, fact in enumerate(table.facts):
        by_kind[kinds[fact.row]].append(number)
    if not 2 <= len(by_kind) <= _LEVELS_MAX:
        return
    # An upper level has fewer rows, and of as many rows more people.
    order = sorted(by_kind, key=lambda kind: (len(by_kind[kind]), -table.people(by_kind[kind])))
    names_kinds = kinds == columns[title]
    for upper, lower in pairwise(order):
        as_many = len(by_kind[upper]) == len(by_kind[lower])
        if as_many and names_kinds and not labels.title_says(title, "level"):
            continue
        found = _sums_of_kinds(table, columns, title, by_kind[upper], by_kind[lower])
        holding = [proposal for proposal in found if fit_of(table, proposal).holds is not False]
        # Kinds of codes, or a column called level, say so even where a row is missing.
        says_so = not names_kinds or labels.title_says(title, "level")
        several = len(found) > 1 and len(holding) > _LEVELS_FIT * len(found)
        if says_so or several:
            yield from found


def _shape_of_code(code: str) -> str:
    """What codes of one level share: how many letters and signs; of ONS the kind (E12000001)."""
    kind = re.match(r"[A-Z]\d\d(?=\d{6}$)", code)
    if kind:
        return kind[0]
    letters = len(code) - len(code.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    return f"{letters}/{len(code)}"


def _sums_of_kinds(
    table: FactTable,
    columns: Mapping[str, tuple[str, ...]],
    title: str,
    upper: Sequence[int],
    lower: Sequence[int],
) -> list[Sum]:
    """That facts of an upper kind are the sum of those of a lower one, in each shared group."""
    shared = []
    for other, cells in columns.items():
        above = {cells[table.facts[number].row] for number in upper}
        below = {cells[table.facts[number].row] for number in lower}
        if other != title and above >= below:
            shared.append(cells)
    hierarchy = [column for column, own in enumerate(table.titles) if own in columns]
    wholes = defaultdict[Others, list[int]](list)
    parts = defaultdict[Others, list[int]](list)
    for numbers, groups in ((upper, wholes), (lower, parts)):
        for number in numbers:
            fact = table.facts[number]
            group = [cells[fact.row] for cells in shared]
            for column, member in enumerate(fact.members):
                if column not in hierarchy:
                    group.append(member)
            groups[tuple(group)].append(number)
    sums = []
    for key, facts in wholes.items():
        if key in parts:
            sums.append(Sum(tuple(facts), tuple(parts[key])))
    return sums


def by_order(table: FactTable, column: int) -> list[Sum]:
    """Subtotals that stand before, or behind, their parts, at any depth; the reading of most."""
    members = table.member_tables[column]
    if len(members) > _ORDER_MAX:
        return []
    best: list[tuple[Member, list[Member]]] = []
    most = 0
    for least in (2, 1):
        for order in (list(members)[::-1], list(members)):
            found = _runs(table, members, order, least)
            covered = sum(len(parts) for _, parts in found)
            has_sum = any(len(parts) > 1 for _, parts in found)
            if has_sum and covered > most:
                best, most = found, covered
    sums = []
    for whole, parts in best:
        sums += sums_of_members(members, whole, parts)
    return sums


def _runs(
    table: FactTable, members: MemberTable, order: Sequence[Member], least: int
) -> list[tuple[Member, list[Member]]]:
    """Members that are the sum of the shortest run just passed, which then is one with them."""
    passed: list[Member] = []
    found = []
    for member in order:
        for size in range(least, min(len(passed), _RUN_MAX) + 1):
            odds = _odds_of_member(table, members, member, passed[:size])
            if odds is not None and (size > 1 or odds < _ONE_PART_ODDS):
                found.append((member, passed[:size]))
                passed = passed[size:]
                break
        passed.insert(0, member)
    return found


def _odds_of_member(
    table: FactTable, members: MemberTable, whole: Member, parts: Sequence[Member]
) -> float | None:
    """The odds that a member is the sum of others by chance; None where it is not."""
    odds = 1.0
    holds_somewhere = False
    for proposal in sums_of_members(members, whole, parts):
        fit = fit_of(table, proposal)
        if fit.holds is False:
            return None
        if fit.holds:
            holds_somewhere = True
            odds *= fit.odds
    if not holds_somewhere:
        return None
    return odds


def by_numbers(table: FactTable, column: int) -> Iterator[Sum]:
    """A member that is the sum of all others, wherever it stands."""
    members = table.member_tables[column]
    if not 3 <= len(members) <= _NUMBERS_MAX:
        return
    for member in members:
        others = [other for other in members if other != member]
        yield from _holding_sums(table, members, member, others)


def by_rounded_numbers(table: FactTable, column: int) -> Iterator[Sum]:
    """The first or last member, if it is about the sum of all others: parts may be rounded."""
    members = table.member_tables[column]
    if not 4 <= len(members) <= _NUMBERS_MAX:
        return
    order = list(members)
    for member in (order[0], order[-1]):
        others = [other for other in order if other != member]
        for proposal in sums_of_members(members, member, others):
            off = min(len(order) // 2, 2 * _ROUNDED * table.people(proposal.wholes))
            yield replace(proposal, slack=off)


def by_few_numbers(table: FactTable, column: int) -> Iterator[Sum]:
    """A member that is the sum of two or three others: a last resort of small tables."""
    members = table.member_tables[column]
    if not 3 <= len(members) <= _FEW_MAX:
        return
    for member in members:
        others = [other for other in members if other != member]
        for size in (2, 3):
            # The sum of all others is looked for by `by_numbers`.
            if size >= len(others):
                continue
            for parts in combinations(others, size):
                found = _holding_sums(table, members, member, parts)
                if found:
                    yield from found
                    break


def _holding_sums(
    table: FactTable, members: MemberTable, whole: Member, parts: Sequence[Member]
) -> list[Sum]:
    """The sums of a member, if they hold everywhere."""
    proposals = sums_of_members(members, whole, parts)
    # A single row that is as large as another one is no sum.
    pairs = []
    for proposal in proposals:
        if len(proposal.parts) > 1 or len(members[whole]) > 1:
            pairs.append(proposal)
    if all(fit_of(table, proposal).holds for proposal in pairs):
        return pairs
    return []


def tries_of_order(_: int, parts: int) -> float:
    """Sums that order tries for a member."""
    return min(parts, 12)


def tries_of_numbers(facts: int, _: int) -> float:
    """Sums of all others that numbers alone try."""
    return min(facts, 50)


def tries_of_rounded(_: int, __: int) -> float:
    """Sums of all others that are tried for the first and the last member."""
    return 2


def tries_of_few(facts: int, parts: int) -> float:
    """Sums of two or three others that are tried."""
    return math.pow(facts, parts)
