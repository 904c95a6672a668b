"""What each attack finds under each treatment: how much of 100, and whether it is for sure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.attacks import (
    bounds,
    direction_guess_accuracy,
    exposed_newcomers,
    move_guess_accuracy,
    noisy_move_guess_accuracy,
    place_guess_accuracy,
    published_sums,
    rounding_recovery_chance,
    solve_by_subtraction,
)
from caldp_core.attacks.solving import disclosed_cells
from caldp_core.audit.pair_guess import guess_accuracy_of_rows, pair_rows
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.mechanisms.base import Mechanism
from caldp_core.treatments import CentralTable, Rounding, Suppression
from caldp_ui.coarser.page_data import TreatmentData
from caldp_ui.coarser.page_state import (
    BLOCKS,
    CENTRAL,
    DEFAULT_PLACE,
    HIDE,
    LARGER,
    MOVED,
    NEWCOMER,
    NOTHING,
    PARTS,
    PLAIN,
    REGIONS,
    ROUND,
    TWO_PLACES,
)
from caldp_ui.words.towns import towns

DENVER: Final = 73 * 350 + 125
"""The cell of Denver on the map of the United States."""
GUESS: Final = 0.5
"""How often a mere guess between two places is right."""


@dataclass(frozen=True)
class Outcome:
    """Of one treatment: the `share` of people or counts that come out, in [0, 1].

    `sure`: the attacker knows it; else it is the best guess. None for what is not known yet.
    """

    share: float | None
    sure: bool


@dataclass(frozen=True, eq=False)
class AttackResult:
    """An attack as far as it has been played, by treatment; before the first move all are None.

    `disclosed_cells`: (k,) cells whose exact count comes out of the table with hidden counts.
    `disclosed_people`: how many people are in them.
    """

    outcomes: dict[str, Outcome]
    disclosed_cells: Bools | None = None
    disclosed_people: int = 0


def run_attack(data: TreatmentData) -> AttackResult:
    """The attack of the record."""
    if data.record.moves == 0:
        return AttackResult(dict.fromkeys(TREATMENT_NAMES, Outcome(None, sure=False)))
    return _PLAYS[data.record.attack](data)


TREATMENT_NAMES: Final = (NOTHING, LARGER, HIDE, ROUND, CENTRAL, PLAIN, BLOCKS)


def candidate_cells(data: TreatmentData) -> Ints:
    """The two places between which the attacker has to tell: the person's own, and another one.

    Near: the one with most people of the same block, else of all other blocks; a town if one is
    there, as it has a name.
    """
    counts, labels, own = data.counts, data.labels, data.record.place
    if own == DEFAULT_PLACE:
        own = _default_cell(data)
    same = labels == labels[own]
    wanted = ~same if data.record.far else same
    wanted = wanted & (np.arange(counts.size) != own)
    if not wanted.any():
        wanted = np.arange(counts.size) != own
    if isinstance(data.domain, GridDomain):
        named = np.zeros(counts.size, np.bool_)
        named[list(towns(data.domain))] = True
        wanted = wanted & named if (wanted & named & (counts > 0)).any() else wanted
    other = int(np.where(wanted, counts, -1).argmax())
    return np.array([own, other], np.int64)


def _default_cell(data: TreatmentData) -> int:
    """Denver where it is on the map; else a small count, whose people have most to fear."""
    counts = data.counts
    if data.domain == US_GRID and counts[DENVER] > 0:
        return DENVER
    return int(np.where(counts > 0, counts, counts.max() + 1).argmin())


def _two_places(data: TreatmentData) -> AttackResult:
    return _pair_attack(
        data, place_guess_accuracy, lambda table: table.guess_accuracy, guess_accuracy_of_rows
    )


def _moved(data: TreatmentData) -> AttackResult:
    """Two tables, with fresh noise on each day."""
    return _pair_attack(
        data, move_guess_accuracy, noisy_move_guess_accuracy, direction_guess_accuracy
    )


def _pair_attack(
    data: TreatmentData,
    office: Callable[[Suppression | Rounding, Ints, Ints, Ints], float],
    central: Callable[[CentralTable], float],
    local: Callable[[Floats], float],
) -> AttackResult:
    """The best guess about one person and two cells; `local`: by two rows of a channel."""
    ends, record = candidate_cells(data), data.record
    others, labels = data.counts.copy(), data.labels
    others[ends[0]] = max(others[ends[0]] - 1, 0)
    one_block = labels[ends[0]] == labels[ends[1]]
    rules = Suppression(record.threshold), Rounding(record.base)
    hide, rounding = (office(rule, others, labels, ends) for rule in rules)
    made = {
        NOTHING: 1.0,
        LARGER: GUESS if one_block else 1.0,
        HIDE: hide,
        ROUND: rounding,
        CENTRAL: central(CentralTable(data.setup.scenario.policy.plain_epsilon)),
        PLAIN: None if data.plain is None else _guess(data.plain.setup.mechanism, ends, local),
        BLOCKS: _guess(data.setup.mechanism, ends, local),
    }
    return AttackResult({name: Outcome(right, right == 1.0) for name, right in made.items()})


def _guess(mechanism: Mechanism, ends: Ints, local: Callable[[Floats], float]) -> float | None:
    try:
        return round(local(pair_rows(mechanism, *ends.tolist())), 12)
    except CaldpError:
        return None


def _parts(data: TreatmentData) -> AttackResult:
    """Moves: the office hides, the attacker subtracts, the office hides more, the attacker solves.

    The last two are without and with the rule that hidden counts are small.
    """
    found = disclosed_counts(data)
    small = data.table.primary
    of_small = float(found[small].mean()) if small.any() else 0.0
    by = {name: Outcome(0.0, sure=True) for name in TREATMENT_NAMES}
    by |= {NOTHING: Outcome(1.0, sure=True), HIDE: Outcome(of_small, sure=True)}
    return AttackResult(by, found, int(data.counts[found].sum()))


@cached_by(lambda data: (data.cache_key, data.record.moves))
def disclosed_counts(data: TreatmentData) -> Bools:
    """(k,) small counts that come out, by the moves that have been made."""
    table, moves = data.table, data.record.moves
    if moves == 1:
        simple = Suppression(data.record.threshold).suppress_small(data.counts, data.labels)
        sums = published_sums(simple, rule_known=False)
        out = solve_by_subtraction(sums)
    elif moves == 2:
        sums = published_sums(table, rule_known=False)
        out = solve_by_subtraction(sums)
    else:
        sums = published_sums(table, rule_known=moves == 4)
        out = disclosed_cells(*bounds(sums))
    found = np.zeros(data.counts.size, np.bool_)
    found[sums.cells[out]] = True
    return found & table.primary


def _newcomer(data: TreatmentData) -> AttackResult:
    sizes = np.bincount(data.labels)
    alone = sizes[data.labels] == 1
    by = {name: Outcome(0.0, sure=True) for name in TREATMENT_NAMES}
    shares = data.counts / data.counts.sum()
    by |= {
        NOTHING: Outcome(1.0, sure=True),
        LARGER: Outcome(float(shares[alone].sum()), sure=True),
        HIDE: Outcome(_newcomers(data), sure=True),
    }
    return AttackResult(by)


@cached_by(lambda data: data.cache_key)
def _newcomers(data: TreatmentData) -> float | None:
    try:
        found = exposed_newcomers(Suppression(data.record.threshold), data.counts, data.labels)
    except CaldpError:
        return None
    return float(data.counts[found].sum() / data.counts.sum())


def _regions(data: TreatmentData) -> AttackResult:
    """How many small counts come out right from differences of regions.

    Regions are asked of one published table but where numbers are rounded anew for each of them.
    """
    small = data.table.primary
    if not small.any():
        return AttackResult({name: Outcome(0.0, sure=False) for name in TREATMENT_NAMES})
    counts, record = data.counts[small], data.record
    values, many = np.unique(counts, return_counts=True)
    chances = [
        rounding_recovery_chance(Rounding(record.base), int(v), record.pairs) for v in values
    ]
    by = {
        name: Outcome(float((np.rint(t.release.estimate[small]) == counts).mean()), sure=False)
        for name, t in data.treatments.items()
    }
    by |= {
        NOTHING: Outcome(1.0, sure=True),
        HIDE: Outcome(1.0, sure=True),
        ROUND: Outcome(float(np.average(chances, weights=many)), sure=False),
    }
    return AttackResult({name: by.get(name, Outcome(None, sure=False)) for name in TREATMENT_NAMES})


_PLAYS: Final[dict[str, Callable[[TreatmentData], AttackResult]]] = {
    TWO_PLACES: _two_places,
    PARTS: _parts,
    NEWCOMER: _newcomer,
    MOVED: _moved,
    REGIONS: _regions,
}
