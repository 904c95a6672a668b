"""The model of a table: what its rows are, who would be counted twice, and what must be asked."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from caldp_core.basics.errors import count_text
from caldp_core.datasets.files.numbers import HIDDEN, DecimalMark, parse_number
from caldp_core.datasets.tables import labels, rules
from caldp_core.datasets.tables.columns import Columns, find_columns
from caldp_core.datasets.tables.decisions import RULES, Decided, decide, wholes_of
from caldp_core.datasets.tables.facts import CODES_BELOW_0, Fact, FactTable, Mark, Sum, mark_of

KEEP: Final = "keep"
_LEAVE_OUT: Final = "leave-out"
_ZERO: Final = "zero"
_SPREAD: Final = "spread"
_PERIODS_LISTED: Final = 5
_NAMED: Final = 5
_COUNTED_MIN: Final = 2
"""Fewest rows that a table has without those that a finding would leave out."""
_INDENTS: Final = " \u00a0-–·•."

SUM_OF_OTHERS: Final = "the sum of other rows"
OF_OTHERS: Final = "a part of another row"
FINER: Final = "a finer level than the one that is counted"
HIDDEN_NUMBER: Final = "a hidden number of people"
OTHER_PERIOD: Final = "another period"
"""Why a row is not counted."""


@dataclass(frozen=True)
class CountTable:
    """Rows of labels with a number of people each.

    `titles`: of all columns; `rows`: cells as they are written, spaces before labels included;
    `people`: the column of people, and `mark` its decimal mark; `named`: columns that are known to
    be labels, such as the answer and its group.
    """

    titles: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    people: int
    mark: DecimalMark
    named: tuple[int, ...] = ()


@dataclass(frozen=True)
class Finding:
    """Something that is noticed: `values` fill the sentence of that `name`; `ways` answer it.

    The first of `ways` is the default. `asks`: whether a person must say; `effect`: people that the
    default adds to the number, or takes from it; `rows`: by number, those that it is about.
    `takes_number`: whether a number of people answers it as well.
    """

    name: str
    values: Mapping[str, Any]
    ways: tuple[str, ...]
    asks: bool
    effect: float = 0
    rows: tuple[int, ...] = ()
    takes_number: bool = False


@dataclass(frozen=True)
class Level:
    """One level of the tree of sums: `rows` of it, their `people`, and the first labels."""

    depth: int
    rows: int
    people: float
    examples: tuple[str, ...]


@dataclass(frozen=True)
class TableModel:
    """A table as it is counted.

    `reasons`: by row why it is not counted, "" where it is; `values`: by row a number of people in
    the place of a mark. `people`: how many are counted; `levels`: of the tree, from the top;
    `sizes`: by title of a label column, how many of its members are counted.
    """

    table: FactTable
    findings: tuple[Finding, ...]
    reasons: tuple[str, ...]
    values: Mapping[int, float]
    people: float
    levels: tuple[Level, ...]
    sizes: Mapping[str, int]

    @property
    def changes(self) -> bool:
        """Whether any row is left out, or has another number."""
        return any(self.reasons) or bool(self.values)

    def describe(self) -> str:
        """How many people these are, and of what: "4,415 people = 100 “County” × 2 “answer”"."""
        # Where each label of a column meets each of the others, their numbers multiply to the rows.
        counted = sum(not reason for reason in self.reasons)
        product = 1
        factors = []
        for title, size in self.sizes.items():
            product *= size
            if size > 1:
                factors.append(f"{size:,} “{title}”")
        rows = count_text(counted, "row", "rows")
        if factors and product == counted:
            rows = " × ".join(factors)
        people = "person" if self.people == 1 else "people"
        sentence = f"{self.people:,.10g} {people} = {rows}"

        left_out = Counter(reason for reason in self.reasons if reason)
        for reason, times in left_out.items():
            what = reason
            if times > 1:
                what = _SEVERAL.get(reason, reason)
            sentence += f"; {count_text(times, 'row more is', 'rows more are')} {what}"
        return f"{sentence}."


_SEVERAL: Final = {
    SUM_OF_OTHERS: "sums of other rows",
    OF_OTHERS: "parts of other rows",
    HIDDEN_NUMBER: "hidden numbers of people",
    OTHER_PERIOD: "of other periods",
    FINER: "of a finer level",
}


@dataclass
class _Work:
    """A model that is being built: `answers` to findings, and what was found so far."""

    answers: Mapping[str, str]
    reasons: list[str]
    findings: list[Finding] = field(default_factory=list)
    values: dict[int, float] = field(default_factory=dict)

    def way(self, finding: Finding) -> str:
        """Note a finding; returns its answer, or its default."""
        self.findings.append(finding)
        return self.answers.get(finding.name, "") or finding.ways[0]

    def leave_out(self, facts: Iterable[Fact], reason: str) -> None:
        """Count some rows no more."""
        for fact in facts:
            self.reasons[fact.row] = self.reasons[fact.row] or reason


def read_model(table: CountTable, answers: Mapping[str, str]) -> TableModel:
    """The model of a table, built anew with each answer: no finding outlives its rows.

    `answers`: by name of a finding one of its ways; "" and findings without one: the default.
    """
    # 1. The rows as facts, without those that other rows or periods hold by their own words.
    columns = find_columns(table.titles, table.rows, table.people, table.named)
    facts = _facts_of(table, columns)
    work = _Work(answers, [""] * len(table.rows))
    facts = _of_one_period(table, columns, facts, work)
    facts = _without_named_parts(facts, work)
    beside = {}
    for column in columns.beside:
        beside[table.titles[column]] = tuple(row[column].strip() for row in table.rows)
    titles = tuple(table.titles[column] for column in columns.labels)
    fact_table = FactTable(titles, tuple(facts), beside)

    # 2. Which of them are sums of others, and what is to be said and asked of these.
    kept = frozenset(name for name, answer in answers.items() if answer == KEEP)
    decided = decide(fact_table, kept, by_chance=not columns.are_places)
    _tell_of_sums(fact_table, decided, work)
    _tell_of_bands_inside(fact_table, work)
    _tell_of_hidden(fact_table, decided, work)
    return _finished(fact_table, decided, work)


def _facts_of(table: CountTable, columns: Columns) -> list[Fact]:
    """A fact for each row that has people, or a mark in their place."""
    filled = _filled_down(table, columns)
    facts = []
    for number, row in enumerate(filled):
        cell = row[table.people].strip()
        if not cell:
            continue
        value = parse_number(cell, table.mark)
        mark = None
        if value is None:
            # What is neither a number nor stands for one, such as a note, is no fact.
            if re.fullmatch(HIDDEN, cell) is None:
                continue
            mark = mark_of(cell)
        members = tuple(row[column].strip() for column in columns.labels)
        first = row[columns.labels[0]]
        indent = len(first) - len(first.lstrip(_INDENTS))
        facts.append(Fact(number, members, value, mark, indent))
    return _with_codes_hidden(facts)


_FILLED_MIN: Final = 0.3


def _filled_down(table: CountTable, columns: Columns) -> list[list[str]]:
    """The rows, with labels written once above a group of rows repeated in each of them."""
    rows = [list(row) for row in table.rows]
    for column in columns.labels[:-1]:
        blank = [number for number, row in enumerate(rows) if not row[column].strip()]
        if not rows or not rows[0][column].strip() or len(blank) < _FILLED_MIN * len(rows):
            continue
        # The blank of a total is no label left out: it is the total of all of them.
        others = [other for other in columns.labels if other != column]
        if any(_has_total(rows[number], others) for number in blank):
            continue
        for number in blank:
            rows[number][column] = rows[number - 1][column]
    return rows


def _has_total(row: Sequence[str], columns: Sequence[int]) -> bool:
    """Whether a row is called a total in one of these columns."""
    return any(labels.is_total(row[column]) for column in columns)


def _with_codes_hidden(facts: list[Fact]) -> list[Fact]:
    """Numbers of people such as −1 or −9 are marks, where few numbers are below 0."""
    below = {fact.value for fact in facts if fact.value is not None and fact.value < 0}
    if not below or len(below) > 2 or not below <= CODES_BELOW_0:
        return facts
    with_marks = []
    for fact in facts:
        if fact.value in below:
            with_marks.append(replace(fact, value=None, mark=Mark(f"{fact.value:g}")))
        else:
            with_marks.append(fact)
    return with_marks


def _of_one_period(
    table: CountTable, columns: Columns, facts: list[Fact], work: _Work
) -> list[Fact]:
    """The facts of one period, where each has the same rows: the same people may be in all."""
    if columns.period is None or columns.period not in columns.labels:
        return facts
    place = columns.labels.index(columns.period)
    by_period = defaultdict[str, list[Fact]](list)
    others = set[tuple[str, ...]]()
    for fact in facts:
        by_period[fact.members[place]].append(fact)
        others.add(fact.members[:place] + fact.members[place + 1 :])
    # Rows that come once without their period are different people, such as those born in it.
    if len(by_period) < 2 or len(others) == len(facts):
        return facts
    periods = sorted(by_period, reverse=True)
    latest = sum(fact.value or 0 for fact in by_period[periods[0]])
    finding = Finding(
        "periods",
        {"values": f"{len(periods):,}", "column": f"“{table.titles[columns.period]}”"},
        (*periods[:_PERIODS_LISTED], KEEP),
        asks=True,
        effect=latest - sum(fact.value or 0 for fact in facts),
        rows=tuple(fact.row for fact in facts),
    )
    way = work.way(finding)
    if way == KEEP:
        return facts
    others_left_out = [fact for fact in facts if fact.members[place] != way]
    work.leave_out(others_left_out, OTHER_PERIOD)
    return by_period.get(way, [])


def _without_named_parts(facts: list[Fact], work: _Work) -> list[Fact]:
    """The facts without those that are called a part of another row, such as “of which women”."""
    parts = [fact for fact in facts if any(map(rules.is_part_by_word, fact.members))]
    if not parts or len(parts) == len(facts):
        return facts
    names = dict.fromkeys(map(_name_of, parts))
    finding = Finding(
        "parts-of-rows",
        {"rows": count_text(len(parts), "row", "rows"), "named": _listed(list(names))},
        (_LEAVE_OUT, KEEP),
        asks=True,
        effect=-sum(fact.value or 0 for fact in parts),
        rows=tuple(fact.row for fact in parts),
    )
    if work.way(finding) == KEEP:
        return facts
    work.leave_out(parts, OF_OTHERS)
    return [fact for fact in facts if fact not in parts]


_HOW: Final = {
    "words": "by their words",
    "indent": "by how far they are set in",
    "codes": "by their codes",
    "bands": "by their bands",
    "levels": "by their levels",
    "order": "by where they stand",
    "numbers": "by their numbers alone",
    "rounded": "by their numbers alone, but for rounding",
    "few-numbers": "by their numbers alone",
}


def _tell_of_sums(table: FactTable, decided: Decided, work: _Work) -> None:
    """Findings of rows that are the sum of others; a coarser level may be counted."""
    rules_of_finding: dict[str, list[str]] = {}
    for rule in RULES.values():
        rules_of_finding.setdefault(rule.finding, []).append(rule.name)
    left_out = set[int]()
    for name, used in rules_of_finding.items():
        # 1. The sums that all rules of this finding have found, and how they did.
        sums: list[Sum] = []
        kept: list[Sum] = []
        how: dict[str, None] = {}
        failing = 0
        for rule_name in used:
            sums += decided.sums[rule_name]
            kept += decided.kept_sums[rule_name]
            failing += decided.failing[rule_name]
            if decided.sums[rule_name] or decided.kept_sums[rule_name]:
                how[_HOW[rule_name]] = None
        if not sums and not kept:
            continue

        # 2. What is said of them, and how it is answered: of a tree also by a coarser level.
        wholes = wholes_of([*sums, *kept])
        texts = {
            "rows": count_text(len(wholes), "row", "rows"),
            "verb": "is" if len(wholes) == 1 else "are",
            "named": _named(table, wholes),
            "how": " and ".join(how),
            "failing": "",
        }
        if failing:
            texts["failing"] = f"; {failing:,} of them do not add up"
        levels: Mapping[int, int] = {}
        if name == "levels":
            levels = _depths(sums)
        ways = [_LEAVE_OUT]
        for depth in sorted(set(levels.values()))[:-1]:
            ways.append(f"level-{depth + 1}")
        ways.append(KEEP)
        finding = Finding(
            name,
            texts,
            tuple(ways),
            asks=any(rule_name in decided.asked for rule_name in used),
            # Rows that an earlier finding leaves out are taken from the people once.
            effect=-table.people(wholes - left_out),
            rows=tuple(sorted(table.facts[whole].row for whole in wholes)),
        )

        # 3. What the answer leaves out.
        way = work.way(finding)
        if way == KEEP:
            continue
        if way.startswith("level-"):
            depth = int(way.removeprefix("level-")) - 1
            left_out |= _leave_out_levels(table, levels, sums, depth, work)
        else:
            work.leave_out((table.facts[whole] for whole in wholes), SUM_OF_OTHERS)
            left_out |= wholes


def _named(table: FactTable, numbers: Iterable[int]) -> str:
    """The first few labels of some facts, each once, in quotation marks."""
    names = dict.fromkeys(_name_of(table.facts[number]) for number in sorted(numbers))
    return _listed(list(names))


def _name_of(fact: Fact) -> str:
    """The labels of a fact, without blank ones."""
    return " · ".join(filter(None, fact.members))


def _listed(texts: Sequence[str]) -> str:
    """The first few texts in quotation marks."""
    quoted = [f"“{text[:60]}”" for text in texts[:_NAMED]]
    if len(texts) > _NAMED:
        quoted.append("…")
    return ", ".join(quoted)


def _depths(sums: Sequence[Sum]) -> dict[int, int]:
    """By number of fact its depth in the tree of sums: 0 for what is part of nothing."""
    whole_of: dict[int, int] = {}
    members = set[int]()
    # A part of several wholes belongs to the one with the fewest parts, which is the nearest.
    for found in sorted(sums, key=lambda found: -len(found.parts)):
        members.update((*found.wholes, *found.parts))
        for part in found.parts:
            whole_of[part] = found.wholes[0]
    depths = {}
    for member in members:
        depth = 0
        above = member
        while above in whole_of and depth < len(members):
            above = whole_of[above]
            depth += 1
        depths[member] = depth
    return depths


def _leave_out_levels(
    table: FactTable, depths: Mapping[int, int], sums: Sequence[Sum], level: int, work: _Work
) -> set[int]:
    """Leave out all levels but one; what ends above it is counted as it is."""
    wholes = wholes_of(sums)
    above = set[int]()
    below = set[int]()
    for fact, depth in depths.items():
        if depth < level and fact in wholes:
            above.add(fact)
        elif depth > level:
            below.add(fact)
    work.leave_out((table.facts[fact] for fact in above), SUM_OF_OTHERS)
    work.leave_out((table.facts[fact] for fact in below), FINER)
    return above | below


def _tell_of_bands_inside(table: FactTable, work: _Work) -> None:
    """A finding of bands within others that they do not fill, such as 75+ within 65+."""
    inside = set[int]()
    outgrow = False
    for column, members in enumerate(table.member_tables):
        if not members:
            continue
        for found in rules.bands_inside(table, column):
            if any(work.reasons[table.facts[whole].row] for whole in found.wholes):
                continue
            inside.update(found.parts)
            whole_people = table.people(found.wholes)
            outgrow |= any((table.facts[part].value or 0) > whole_people for part in found.parts)
    counted = {number for number, fact in enumerate(table.facts) if not work.reasons[fact.row]}
    inside &= counted
    if not inside:
        return
    # Where hardly any other row is left, numbers may be cumulated.
    few_left = len(counted) - len(inside) < _COUNTED_MIN
    finding = Finding(
        "bands-inside",
        {"rows": count_text(len(inside), "row", "rows"), "named": _named(table, inside)},
        (_LEAVE_OUT, KEEP),
        asks=outgrow or few_left,
        effect=-table.people(inside),
        rows=tuple(table.facts[number].row for number in sorted(inside)),
    )
    if work.way(finding) != KEEP:
        work.leave_out((table.facts[number] for number in inside), OF_OTHERS)


def _tell_of_hidden(table: FactTable, decided: Decided, work: _Work) -> None:
    """A finding of marks in the place of people: left out, zero, a number, or what sums leave."""
    # 1. Which rows that are counted have no number, by the marks in its place.
    hidden = []
    kinds = Counter[str]()
    most = 0
    for number, fact in enumerate(table.facts):
        if fact.value is not None or work.reasons[fact.row]:
            continue
        hidden.append(number)
        if fact.mark is not None:
            kinds[fact.mark.text] += 1
            most += fact.mark.high or 0
    if not hidden:
        return

    # 2. What is known of their people: by sums in the file, else by what marks say themselves.
    shares = _shares_of_missing(table, decided, hidden)
    missing = sum(shares.values())
    known = ""
    if shares:
        known = f" By the sums that stand in the file they hold {missing:,.10g} together."
    elif most:
        known = f" They hold at most {most:,} together."
    ways: tuple[str, ...] = (_ZERO, KEEP)
    if len(shares) == len(hidden):
        ways = (_SPREAD, *ways)
    listed = [f"“{mark}” ({times:,})" for mark, times in kinds.most_common(4)]
    finding = Finding(
        "hidden-counts",
        {
            "rows": f"{len(hidden):,} of {count_text(len(table.facts), 'row', 'rows')}",
            "listed": ", ".join(listed),
            "first": next(iter(kinds)),
            "answer": _name_of(table.facts[hidden[0]]),
            "known": known,
        },
        ways,
        asks=True,
        effect=missing,
        rows=tuple(table.facts[number].row for number in hidden),
        takes_number=True,
    )
    _answer_hidden(table, hidden, shares, work.way(finding), work)


def _answer_hidden(
    table: FactTable, hidden: Sequence[int], shares: Mapping[int, float], way: str, work: _Work
) -> None:
    """Leave out facts without a number, or note the one that the answer gives each of them."""
    if way == KEEP:
        work.leave_out((table.facts[number] for number in hidden), HIDDEN_NUMBER)
    for number in hidden:
        row = table.facts[number].row
        if way == _SPREAD:
            work.values[row] = shares[number]
        elif way == _ZERO:
            work.values[row] = 0
        elif way.isdecimal():
            work.values[row] = float(way)


def _shares_of_missing(
    table: FactTable, decided: Decided, hidden: Sequence[int]
) -> dict[int, float]:
    """By hidden fact its part of what a sum leaves for all hidden parts of it, in whole people.

    Of several sums that of the fewest hidden parts goes first.
    """
    shares: dict[int, float] = {}
    waiting = set(hidden)
    sums = [found for found in decided.all_sums() if waiting.intersection(found.parts)]
    for found in sorted(sums, key=lambda found: len(waiting.intersection(found.parts))):
        open_parts = [part for part in found.parts if part in waiting]
        if not open_parts or any(table.facts[whole].value is None for whole in found.wholes):
            continue
        # A hidden part that is not counted takes some of what is missing, nobody knows how many.
        unknown = set[int]()
        for part in found.parts:
            if table.facts[part].value is None and part not in shares:
                unknown.add(part)
        if unknown != set(open_parts):
            continue
        known = table.people(found.parts) + sum(shares.get(part, 0) for part in found.parts)
        missing = max(0, round(table.people(found.wholes) - known))
        share, left_over = divmod(missing, len(open_parts))
        for place, part in enumerate(open_parts):
            # Equal parts in whole people; the first ones have one more where it does not go up.
            shares[part] = share + 1 if place < left_over else share
            waiting.discard(part)
    return shares


def _finished(table: FactTable, decided: Decided, work: _Work) -> TableModel:
    """The model with its number of people, levels and sizes."""
    counted = [fact for fact in table.facts if not work.reasons[fact.row]]
    people = sum(work.values.get(fact.row, fact.value or 0) for fact in counted)
    members: dict[str, set[str]] = {title: set() for title in table.titles}
    for fact in counted:
        for title, member in zip(table.titles, fact.members, strict=True):
            members[title].add(member)
    findings = sorted(work.findings, key=lambda finding: (not finding.asks, -abs(finding.effect)))
    return TableModel(
        table,
        tuple(findings),
        tuple(work.reasons),
        work.values,
        people,
        _levels_of(table, decided.all_sums()),
        {title: len(found) for title, found in members.items()},
    )


def _levels_of(table: FactTable, sums: Sequence[Sum]) -> tuple[Level, ...]:
    """The levels of the tree of sums, from the top; () where there are no sums."""
    by_depth = defaultdict[int, list[int]](list)
    for fact, depth in sorted(_depths(sums).items()):
        by_depth[depth].append(fact)
    levels = []
    for depth in sorted(by_depth):
        facts = by_depth[depth]
        names = tuple(_name_of(table.facts[fact]) for fact in facts[:_NAMED])
        levels.append(Level(depth, len(facts), table.people(facts), names))
    return tuple(levels)
