"""The one place that decides which proposed sums hold, and whether that is told or asked."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from caldp_core.datasets.tables import rules
from caldp_core.datasets.tables.facts import FactTable, Sum
from caldp_core.datasets.tables.odds import fit_of

_ASKED_UP_TO: Final = 0.02
"""Odds of a coincidence above which sums by order or numbers are dropped."""
_SINGLE_UP_TO: Final = 2e-3
"""The same of a single sum by order, of which there are many to try."""
_ALL_PLACED: Final = 10
"""How much less likely chance is where every row has its place in the sums."""


@dataclass(frozen=True)
class Rule:
    """A rule: its `name`, its `finding`, and `sure`, the odds up to which that is told.

    `tries(facts, parts)`: how many sums were tried for a member; None: the rule does not search.
    `hints`: whether a sum that fails by a little is still asked about, as a row may be missing.
    `is_last_resort`: whether it only speaks where no other rule has found sums; `asked_up_to`: odds
    of a coincidence above which a search finds nothing.
    """

    name: str
    finding: str
    sure: float
    tries: Callable[[int, int], float] | None = None
    hints: bool = False
    is_last_resort: bool = False
    asked_up_to: float = _ASKED_UP_TO


RULES: Final = {
    rule.name: rule
    for rule in (
        Rule("words", "total-row", 1, hints=True),
        Rule("indent", "levels", 0.1),
        Rule("codes", "levels", 0.05, hints=True),
        Rule("bands", "bands", 0.1),
        Rule("levels", "levels", 1e-3, hints=True),
        Rule("order", "total-row", 1e-4, rules.tries_of_order),
        Rule("numbers", "total-row", 1e-3, rules.tries_of_numbers),
        Rule(
            "rounded", "total-row", 0, rules.tries_of_rounded, is_last_resort=True, asked_up_to=0.5
        ),
        Rule("few-numbers", "total-row", 1e-5, rules.tries_of_few, is_last_resort=True),
    )
}
"""In the order in which they are decided: what words say goes before what numbers suggest."""


@dataclass
class Decided:
    """What was decided: `sums` by rule; of `asked` rules a person must say that they hold.

    `failing`: how many sums of a rule do not add up. `kept_sums`: those that a person counts all
    the same, and `kept` their wholes, which no other rule may take for sums.
    """

    sums: dict[str, list[Sum]] = field(default_factory=lambda: defaultdict(list))
    kept_sums: dict[str, list[Sum]] = field(default_factory=lambda: defaultdict(list))
    asked: set[str] = field(default_factory=set)
    failing: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    kept: set[int] = field(default_factory=set)

    def all_sums(self) -> list[Sum]:
        """The sums of all rules."""
        return list(chain.from_iterable(self.sums.values()))

    def wholes(self) -> set[int]:
        """The facts that are sums of others."""
        return wholes_of(self.all_sums())


def wholes_of(sums: Iterable[Sum]) -> set[int]:
    """The facts that are sums of others by some sums, or one level of these."""
    wholes: set[int] = set()
    for found in sums:
        wholes.update(found.wholes)
    return wholes


def _parts_of(sums: Iterable[Sum]) -> set[int]:
    """The facts that some sums are of."""
    parts: set[int] = set()
    for found in sums:
        parts.update(found.parts)
    return parts


def decide(table: FactTable, keep: frozenset[str], by_chance: bool) -> Decided:
    """Which proposals hold; findings that `keep` names are left as they are.

    `by_chance`: whether order and numbers alone may say so: people of places add up by chance.
    """
    decided = Decided()
    for name, proposals in propose(table, by_chance).items():
        rule = RULES[name]
        by_columns = defaultdict[frozenset[int], list[Sum]](list)
        for proposal in proposals:
            by_columns[table.columns_of(proposal)].append(proposal)
        for group in by_columns.values():
            _decide_rule(table, rule, group, decided, keep)
    return decided


def propose(table: FactTable, by_chance: bool) -> dict[str, list[Sum]]:
    """All proposals by rule, each once, in the order of `RULES`."""
    found: dict[str, list[Sum]] = {name: [] for name in RULES}
    found["indent"] += rules.by_indent(table)
    found["levels"] += rules.by_levels(table, _cells_by_title(table))
    for column, members in enumerate(table.member_tables):
        # Where two facts have one place nothing can be said of members.
        if not members:
            continue
        found["codes"] += rules.by_codes(table, column)
        found["bands"] += rules.by_bands(table, column)
        if by_chance:
            found["order"] += rules.by_order(table, column)
            found["numbers"] += rules.by_numbers(table, column)
            found["rounded"] += rules.by_rounded_numbers(table, column)
            found["few-numbers"] += rules.by_few_numbers(table, column)
    # Words come last, as a total is the sum of what the others say is no part of another row.
    structured = [*found["indent"], *found["codes"], *found["bands"], *found["levels"]]
    found["words"] += rules.by_words(table, [*structured, *found["order"]])
    return {name: list(dict.fromkeys(sums)) for name, sums in found.items()}


def _cells_by_title(table: FactTable) -> Mapping[str, tuple[str, ...]]:
    """Cells by row of every label column and column beside; rows without people have ""."""
    rows = 1 + max((fact.row for fact in table.facts), default=-1)
    columns: dict[str, tuple[str, ...]] = {}
    for column, title in enumerate(table.titles):
        cells = [""] * rows
        for fact in table.facts:
            cells[fact.row] = fact.members[column]
        columns[title] = tuple(cells)
    return {**columns, **table.beside}


def _decide_rule(
    table: FactTable,
    rule: Rule,
    proposals: Sequence[Sum],
    decided: Decided,
    keep: frozenset[str],
) -> None:
    """Take over what fits of one rule's proposals over the same columns."""
    known = _Known(table, proposals, decided)
    tested = _tested(table, rule, proposals, known)
    chance = tested.chance
    is_asked = bool(tested.failing)
    if rule.tries is not None:
        chance = _chance_of_search(table, rule, tested)
        if _may_be_chance(rule, tested, chance, known):
            return
        is_asked = _is_doubtful(table, rule, tested, known)
        if rule.name == "order" and not is_asked:
            chance /= _ALL_PLACED
    near = _near_of_rule(table, rule, tested, known)
    used = [*tested.fitting, *near]
    too_few = len(tested.failing) - len(near) > len(tested.fitting)
    if not used or not (tested.fitting or rule.hints) or too_few:
        return
    new_wholes = wholes_of(used) - decided.wholes()
    _take_over(rule, used, decided, keep)
    # What another rule has said before is not told or asked again.
    if new_wholes:
        decided.failing[rule.name] += len(tested.failing)
        if is_asked or chance > rule.sure:
            decided.asked.add(rule.name)


def _may_be_chance(rule: Rule, tested: "_Tested", chance: float, known: "_Known") -> bool:
    """Whether what a search has found is dropped, as it may be a coincidence."""
    if rule.is_last_resort and known.any:
        return True
    if rule.name == "order" and len(tested.fitting) == 1:
        return chance > _SINGLE_UP_TO
    return chance > rule.asked_up_to


def _near_of_rule(
    table: FactTable, rule: Rule, tested: "_Tested", known: "_Known"
) -> Sequence[Sum]:
    """Sums that do not add up, and are asked about all the same, as a row may be missing."""
    if rule.name == "words":
        return tested.failing
    # What is part of another sum already is none of one that does not add up.
    close = _near(table, tested.failing)
    near = [found for found in close if known.parts.isdisjoint(found.parts)]
    # A single one says too little where nothing else says that there is a tree.
    return near if tested.fitting or len(near) > 1 else ()


@dataclass(frozen=True)
class _Tested:
    """The proposals of a rule that hold and those that do not; the `chance` of all that hold."""

    fitting: Sequence[Sum]
    failing: Sequence[Sum]
    chance: float


def _tested(table: FactTable, rule: Rule, proposals: Sequence[Sum], known: "_Known") -> _Tested:
    """Test the proposals that what is known does not exclude."""
    fitting: list[Sum] = []
    failing: list[Sum] = []
    chance = 1.0
    for proposal in proposals:
        if known.excludes(proposal, searched=rule.tries is not None):
            continue
        fit = fit_of(table, proposal)
        if fit.holds:
            fitting.append(proposal)
            chance *= fit.odds
        elif fit.holds is False:
            failing.append(proposal)
    return _Tested(fitting, failing if rule.tries is None else (), chance)


def _is_doubtful(table: FactTable, rule: Rule, tested: _Tested, known: "_Known") -> bool:
    """Whether sums that were searched must be asked about, however well they fit.

    A single one may be a coincidence; and where order leaves rows without a place, one of its
    subtotals may lack a part, and so not be seen.
    """
    if len(tested.fitting) == 1:
        return True
    if rule.name != "order":
        return False
    placed = known.placed | wholes_of(tested.fitting) | _parts_of(tested.fitting)
    return len(placed) < len(table.facts)


def _take_over(
    rule: Rule,
    used: Sequence[Sum],
    decided: Decided,
    keep: frozenset[str],
) -> None:
    """Note sums that hold, or that a person keeps as answers."""
    if rule.finding in keep:
        decided.kept |= wholes_of(used)
        decided.kept_sums[rule.name] += used
    else:
        decided.sums[rule.name] += used


class _Known:
    """What was decided before over the same columns."""

    def __init__(self, table: FactTable, proposals: Sequence[Sum], decided: Decided) -> None:
        columns = table.columns_of(proposals[0])
        sums = [found for found in decided.all_sums() if table.columns_of(found) == columns]
        self.kept = decided.kept
        self.any = bool(sums)
        self.wholes = wholes_of(sums)
        self.parts = _parts_of(sums)
        self.placed = self.wholes | self.parts
        self.wholes_of_part = defaultdict[int, set[int]](set)
        for found in sums:
            for part in found.parts:
                self.wholes_of_part[part].update(found.wholes)

    def excludes(self, proposal: Sum, searched: bool) -> bool:
        """A whole has parts once, none is part of its own part, and what is kept is no sum.

        What has its place already is no part of a sum that was `searched` by numbers.
        """
        wholes = set(proposal.wholes)
        parts = set(proposal.parts)
        if wholes & (self.wholes | parts | self.kept):
            return True
        for whole in wholes & self.parts:
            if self.wholes_of_part[whole] & parts:
                return True
        return searched and bool(self.parts & parts)


def _chance_of_search(table: FactTable, rule: Rule, tested: _Tested) -> float:
    """The odds of all sums that fit by chance, as each was found among many that were tried."""
    assert rule.tries is not None
    chance = tested.chance
    members = set[tuple[str, ...]]()
    for found in tested.fitting:
        # A member was tried once, whatever number of combinations with others it has.
        whole = table.facts[found.wholes[0]]
        member = tuple(whole.members[column] for column in sorted(table.columns_of(found)))
        if member not in members:
            members.add(member)
            chance *= min(1e6, rule.tries(len(table.facts), len(found.parts)))
    return chance


def _near(table: FactTable, failing: Iterable[Sum]) -> list[Sum]:
    """Sums that fail by less than half: a part may be missing, or one number be wrong."""
    near = []
    for proposal in failing:
        whole = table.people(proposal.wholes)
        parts = table.people(proposal.parts)
        if parts / 2 <= whole <= 2 * parts:
            near.append(proposal)
    return near
