"""What each attack finds under each treatment: how much of 100, and whether it is for sure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.attacks import (
    averaged_rounding,
    bounds,
    moved,
    moved_under_noise,
    newcomers_found,
    subtracted,
    sums_of,
    two_places,
    which_way,
)
from caldp_core.attacks.solving import disclosed
from caldp_core.audit.told_apart import pair_rows, right_guess
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.mechanisms.base import Mechanism
from caldp_core.treatments import CentralTable, Rounding, Suppression
from caldp_ui.coarser.slot import (
    BLOCKS,
    CENTRAL,
    HIDE,
    LARGER,
    LIKELIEST,
    MOVED,
    NEWCOMER,
    NOTHING,
    PARTS,
    PLAIN,
    REGIONS,
    ROUND,
    TWO_PLACES,
)
from caldp_ui.coarser.treated import PageData
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
class Played:
    """An attack as far as it has been played, by treatment; before the first move all are None.

    `found`: (k,) cells whose exact count comes out of the table with hidden counts. `people`: how
    many people are in them.
    """

    by: dict[str, Outcome]
    found: Bools | None = None
    people: int = 0


def played(what: PageData) -> Played:
    """The attack of the record."""
    if what.record.moves == 0:
        return Played(dict.fromkeys(NAMES, Outcome(None, sure=False)))
    return _PLAYS[what.record.attack](what)


NAMES: Final = (NOTHING, LARGER, HIDE, ROUND, CENTRAL, PLAIN, BLOCKS)


def pair(what: PageData) -> Ints:
    """The two places between which the attacker has to tell: the person's own, and another one.

    Near: the one with most people of the same block, else of all other blocks; a town if one is
    there, as it has a name.
    """
    counts, labels, own = what.counts, what.labels, what.record.place
    if own == LIKELIEST:
        own = _likeliest(what)
    same = labels == labels[own]
    wanted = ~same if what.record.far else same
    wanted = wanted & (np.arange(counts.size) != own)
    if not wanted.any():
        wanted = np.arange(counts.size) != own
    if isinstance(what.domain, GridDomain):
        named = np.zeros(counts.size, np.bool_)
        named[list(towns(what.domain))] = True
        wanted = wanted & named if (wanted & named & (counts > 0)).any() else wanted
    other = int(np.where(wanted, counts, -1).argmax())
    return np.array([own, other], np.int64)


def _likeliest(what: PageData) -> int:
    """Denver where it is on the map; else a small count, whose people have most to fear."""
    counts = what.counts
    if what.domain == US_GRID and counts[DENVER] > 0:
        return DENVER
    return int(np.where(counts > 0, counts, counts.max() + 1).argmin())


def _two_places(what: PageData) -> Played:
    return _between(what, two_places, lambda table: table.right, right_guess)


def _moved(what: PageData) -> Played:
    """Two tables, with fresh noise on each day."""
    return _between(what, moved, moved_under_noise, which_way)


def _between(
    what: PageData,
    office: Callable[[Suppression | Rounding, Ints, Ints, Ints], float],
    central: Callable[[CentralTable], float],
    local: Callable[[Floats], float],
) -> Played:
    """The best guess about one person and two cells; `local`: by two rows of a channel."""
    ends, record = pair(what), what.record
    others, labels = what.counts.copy(), what.labels
    others[ends[0]] = max(others[ends[0]] - 1, 0)
    one_block = labels[ends[0]] == labels[ends[1]]
    rules = Suppression(record.threshold), Rounding(record.base)
    hide, rounding = (office(rule, others, labels, ends) for rule in rules)
    made = {
        NOTHING: 1.0,
        LARGER: GUESS if one_block else 1.0,
        HIDE: hide,
        ROUND: rounding,
        CENTRAL: central(CentralTable(what.setup.scenario.policy.plain_epsilon)),
        PLAIN: None if what.plain is None else _guess(what.plain.setup.mechanism, ends, local),
        BLOCKS: _guess(what.setup.mechanism, ends, local),
    }
    return Played({name: Outcome(right, right == 1.0) for name, right in made.items()})


def _guess(mechanism: Mechanism, ends: Ints, local: Callable[[Floats], float]) -> float | None:
    try:
        return round(local(pair_rows(mechanism, *ends.tolist())), 12)
    except CaldpError:
        return None


def _parts(what: PageData) -> Played:
    """Moves: the office hides, the attacker subtracts, the office hides more, the attacker solves.

    The last two are without and with the rule that hidden counts are small.
    """
    found = hidden_found(what)
    small = what.table.primary
    of_small = float(found[small].mean()) if small.any() else 0.0
    by = {name: Outcome(0.0, sure=True) for name in NAMES}
    by |= {NOTHING: Outcome(1.0, sure=True), HIDE: Outcome(of_small, sure=True)}
    return Played(by, found, int(what.counts[found].sum()))


@cached_by(lambda what: (what.name, what.record.moves))
def hidden_found(what: PageData) -> Bools:
    """(k,) small counts that come out, by the moves that have been made."""
    table, moves = what.table, what.record.moves
    if moves == 1:
        simple = Suppression(what.record.threshold).simple(what.counts, what.labels)
        sums = sums_of(simple, rule_known=False)
        out = subtracted(sums)
    elif moves == 2:
        sums = sums_of(table, rule_known=False)
        out = subtracted(sums)
    else:
        sums = sums_of(table, rule_known=moves == 4)
        out = disclosed(*bounds(sums))
    found = np.zeros(what.counts.size, np.bool_)
    found[sums.cells[out]] = True
    return found & table.primary


def _newcomer(what: PageData) -> Played:
    sizes = np.bincount(what.labels)
    alone = sizes[what.labels] == 1
    by = {name: Outcome(0.0, sure=True) for name in NAMES}
    shares = what.counts / what.counts.sum()
    by |= {
        NOTHING: Outcome(1.0, sure=True),
        LARGER: Outcome(float(shares[alone].sum()), sure=True),
        HIDE: Outcome(_newcomers(what), sure=True),
    }
    return Played(by)


@cached_by(lambda what: what.name)
def _newcomers(what: PageData) -> float | None:
    try:
        found = newcomers_found(Suppression(what.record.threshold), what.counts, what.labels)
    except CaldpError:
        return None
    return float(what.counts[found].sum() / what.counts.sum())


def _regions(what: PageData) -> Played:
    """How many small counts come out right from differences of regions.

    Regions are asked of one published table but where numbers are rounded anew for each of them.
    """
    small = what.table.primary
    if not small.any():
        return Played({name: Outcome(0.0, sure=False) for name in NAMES})
    counts, record = what.counts[small], what.record
    values, many = np.unique(counts, return_counts=True)
    chances = [averaged_rounding(Rounding(record.base), int(v), record.pairs) for v in values]
    by = {
        name: Outcome(float((np.rint(t.release.estimate[small]) == counts).mean()), sure=False)
        for name, t in what.by.items()
    }
    by |= {
        NOTHING: Outcome(1.0, sure=True),
        HIDE: Outcome(1.0, sure=True),
        ROUND: Outcome(float(np.average(chances, weights=many)), sure=False),
    }
    return Played({name: by.get(name, Outcome(None, sure=False)) for name in NAMES})


_PLAYS: Final[dict[str, Callable[[PageData], Played]]] = {
    TWO_PLACES: _two_places,
    PARTS: _parts,
    NEWCOMER: _newcomer,
    MOVED: _moved,
    REGIONS: _regions,
}
