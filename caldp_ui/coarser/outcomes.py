"""What each attack finds under each treatment: a share, and whether it is for sure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.attacks.reconstruction import (
    direction_guess_accuracy,
    exposed_newcomers,
    move_guess_accuracy,
    noisy_move_guess_accuracy,
    place_guess_accuracy,
    rounding_recovery_chance,
)
from caldp_core.audit.adversary import guess_accuracy_of_rows, pair_rows
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.mechanisms.base import Mechanism
from caldp_core.treatments.release import CentralTable, Rounding
from caldp_core.treatments.suppression import (
    Suppression,
    bounds,
    disclosed_cells,
    published_sums,
    published_sums_with_marks,
    published_sums_with_rule,
    solve_by_subtraction,
)
from caldp_ui.coarser import page_state
from caldp_ui.coarser.page_state import CENTRAL, HIDE, LARGER, NOTHING, PLAIN, ROUND, TreatmentData
from caldp_ui.words.formats import towns

DENVER: Final = 73 * 350 + 125
"""The cell of Denver on the map of the United States."""
GUESS: Final = 0.5
"""How often a mere guess between two places is right."""


@dataclass(frozen=True)
class AttackOutcome:
    """An attack on one treatment: the `share` of people or counts that it gets right, in [0, 1].

    `share`: None where it is not known. `sure`: False for a best guess.
    """

    share: float | None
    sure: bool


@dataclass(frozen=True, eq=False)
class AttackResult:
    """An attack as far as it has been played, by treatment; before the first move all are None.

    `disclosed_cells`: (k,) flags of cells whose hidden count comes out exactly, None for attacks
    without any. `disclosed_people`: how many people are in them.
    """

    outcomes: dict[str, AttackOutcome]
    disclosed_cells: Bools | None = None
    disclosed_people: int = 0


@dataclass(frozen=True, eq=False)
class PlayedData(TreatmentData):
    """The treatments, with the attack as far as it has been played."""

    attack_result: AttackResult


def play(data: TreatmentData) -> PlayedData:
    """Plays the attack of the data's record."""
    return PlayedData(**vars(data), attack_result=run_attack(data))


def run_attack(data: TreatmentData) -> AttackResult:
    """Plays the record's attack up to its number of moves; one that stands alone finds nothing."""
    if data.record.moves == 0 or data.record.attack in page_state.ALONE:
        return AttackResult(dict.fromkeys(TREATMENT_NAMES, AttackOutcome(None, sure=False)))
    return _PLAYS[data.record.attack](data)


TREATMENT_NAMES: Final = (NOTHING, LARGER, HIDE, ROUND, CENTRAL, PLAIN, page_state.BLOCKS)


def candidate_cells(data: TreatmentData) -> Ints:
    """(2,) the cells between which the attacker guesses: the person's own, and another one.

    The other is the one with most people in the same block, with `far` in all other blocks; a town
    if there is one, as it has a name.
    """
    counts, labels, own = data.counts, data.labels, data.record.place
    if own == page_state.DEFAULT_PLACE:
        own = _default_cell(data)
    same = labels == labels[own]
    candidates = ~same if data.record.far else same
    candidates = candidates & (np.arange(counts.size) != own)
    if not candidates.any():
        candidates = np.arange(counts.size) != own
    if isinstance(data.domain, GridDomain):
        named = np.zeros(counts.size, np.bool_)
        named[list(towns(data.domain))] = True
        candidates = candidates & named if (candidates & named & (counts > 0)).any() else candidates
    other = int(np.where(candidates, counts, -1).argmax())
    return np.array([own, other], np.int64)


def _default_cell(data: TreatmentData) -> int:
    """Denver where it is on the map; else a small count, whose people have most to fear."""
    counts = data.counts
    if data.domain == US_GRID and counts[DENVER] > 0:
        return DENVER
    return int(np.where(counts > 0, counts, counts.max() + 1).argmin())


def _pair_attack(
    data: TreatmentData,
    office: Callable[[Suppression | Rounding, Ints, Ints, Ints], float],
    central: Callable[[CentralTable], float],
    local: Callable[[Floats], float],
) -> AttackResult:
    """The best guess about one person and two cells, under every treatment.

    `office`: its accuracy under a rule of an office, `central`: under central noise, `local`: by
    the two rows of a local channel.
    """
    ends, record = candidate_cells(data), data.record
    others, labels = data.counts.copy(), data.labels
    others[ends[0]] = max(others[ends[0]] - 1, 0)
    one_block = labels[ends[0]] == labels[ends[1]]
    rules = Suppression(record.threshold), Rounding(record.base)
    hide, rounding = (office(rule, others, labels, ends) for rule in rules)
    plain = data.results.get(PLAIN)
    accuracies = {
        NOTHING: 1.0,
        LARGER: GUESS if one_block else 1.0,
        HIDE: hide,
        ROUND: rounding,
        CENTRAL: central(CentralTable(data.setup.scenario.policy.plain_epsilon)),
        PLAIN: None if plain is None else _guess(plain.setup.mechanism, ends, local),
        page_state.BLOCKS: _guess(data.setup.mechanism, ends, local),
    }
    return AttackResult(
        {name: AttackOutcome(right, right == 1.0) for name, right in accuracies.items()}
    )


def _guess(mechanism: Mechanism, ends: Ints, local: Callable[[Floats], float]) -> float | None:
    try:
        return round(local(pair_rows(mechanism, *ends.tolist())), 12)
    except CaldpError:
        return None


def _parts(data: TreatmentData) -> AttackResult:
    """Moves: the office hides, the attacker subtracts, the office hides more, the attacker solves.

    The last three are without the rule, with the marks of small counts, and with all of the rule.
    """
    small = data.table.primary
    disclosed = disclosed_numbers(data)[0][: small.size]
    share = float(disclosed[small].mean()) if small.any() else 0.0
    outcomes = {name: AttackOutcome(0.0, sure=True) for name in TREATMENT_NAMES}
    outcomes |= {NOTHING: AttackOutcome(1.0, sure=True), HIDE: AttackOutcome(share, sure=True)}
    return AttackResult(outcomes, disclosed, int(data.counts[disclosed].sum()))


_KNOWLEDGE: Final = {3: published_sums, 4: published_sums_with_marks, 5: published_sums_with_rule}
"""What the attacker knows at the moves that solve all sums at once."""


@cached_by(lambda data: (data.cache_key, data.record.moves))
def disclosed_numbers(data: TreatmentData) -> tuple[Bools, Bools]:
    """(N,) flags of small counts and totals that the moves made so far disclose, and nearly so.

    Nearly: fewer values are left than the rule has, 1 … threshold − 1.
    """
    table, moves = data.table, data.record.moves
    flags = np.zeros((2, table.numbers.size), np.bool_)
    if moves == 1:
        simple = Suppression(data.record.threshold).suppress_small(data.counts, table.margins)
        sums = published_sums(simple)
        solved = near = solve_by_subtraction(sums)
    elif moves == 2:
        sums = published_sums(table)
        solved = near = solve_by_subtraction(sums)
    else:
        sums = _KNOWLEDGE[moves](table)
        low, high = bounds(sums)
        solved, near = disclosed_cells(low, high), high - low + 1 < data.record.threshold - 1
    flags[:, sums.cells] = solved, near & ~solved
    return flags[0] & table.marks, flags[1] & table.marks


@cached_by(lambda data: data.cache_key)
def _newcomer(data: TreatmentData) -> AttackResult:
    alone = (np.bincount(data.labels) == 1)[data.labels]
    exposed = exposed_newcomers(Suppression(data.record.threshold), data.counts, data.labels)
    outcomes = {name: AttackOutcome(0.0, sure=True) for name in TREATMENT_NAMES}
    shares = data.counts / data.counts.sum()
    outcomes |= {
        NOTHING: AttackOutcome(1.0, sure=True),
        LARGER: AttackOutcome(float(shares[alone].sum()), sure=True),
        HIDE: AttackOutcome(float(shares[exposed].sum()), sure=True),
    }
    return AttackResult(outcomes)


def _regions(data: TreatmentData) -> AttackResult:
    """How many small counts come out right from differences of regions.

    Regions are asked of one published table but where numbers are rounded anew for each of them.
    """
    small = data.table.primary
    if not small.any():
        return AttackResult({name: AttackOutcome(0.0, sure=False) for name in TREATMENT_NAMES})
    counts, record = data.counts[small], data.record
    values, many = np.unique(counts, return_counts=True)
    chances = [
        rounding_recovery_chance(Rounding(record.base), int(v), record.pairs) for v in values
    ]
    found = {
        name: float((np.rint(each.release.estimate[small]) == counts).mean())
        for name, each in data.treatments.items()
    }
    outcomes = {name: AttackOutcome(found.get(name), sure=False) for name in TREATMENT_NAMES}
    outcomes |= {
        NOTHING: AttackOutcome(1.0, sure=True),
        HIDE: AttackOutcome(1.0, sure=True),
        ROUND: AttackOutcome(float(np.average(chances, weights=many)), sure=False),
    }
    return AttackResult(outcomes)


_PLAYS: Final[dict[str, Callable[[TreatmentData], AttackResult]]] = {
    page_state.TWO_PLACES: lambda data: _pair_attack(
        data, place_guess_accuracy, lambda table: table.guess_accuracy, guess_accuracy_of_rows
    ),
    page_state.PARTS: _parts,
    page_state.NEWCOMER: _newcomer,
    page_state.MOVED: lambda data: _pair_attack(  # two tables, with fresh noise in each
        data, move_guess_accuracy, noisy_move_guess_accuracy, direction_guess_accuracy
    ),
    page_state.REGIONS: _regions,
}
