"""The same people under every treatment, and what each attack finds: a share, and whether surely.

Errors of all treatments have one vocabulary.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.attacks import reconstruction as attacks
from caldp_core.audit.adversary import guess_accuracy_of_rows, pair_rows
from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.domains import US_GRID, Domain, GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.randomness import generators, seed_sequence
from caldp_core.scenarios.blocks import GridBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_core.treatments import release as releases
from caldp_core.treatments import suppression
from caldp_core.treatments.release import CentralTable, Release, Rounding
from caldp_core.treatments.suppression import Suppression
from caldp_ui.coarser import page_state
from caldp_ui.coarser.page_state import CENTRAL, HIDE, LARGER, NOTHING, PLAIN, ROUND, Publication
from caldp_ui.compute import runs
from caldp_ui.parts import comparison
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
class TreatmentResult:
    """A treatment's published table, and its errors."""

    release: Release
    errors: releases.TableErrors


@dataclass(frozen=True, eq=False)
class TreatmentData:
    """The treatments of a record, and the attack on them.

    `counts`: (k,) people; `labels`: (k,) blocks, the larger cells.
    `table`: with small counts hidden, and further ones that would give them away. `treatments`:
    those computed so far, by name; `results`: of blocks and of plain LDP among them.
    """

    record: Publication
    setup: Setup
    counts: Ints
    labels: Ints
    table: suppression.HiddenTable
    treatments: Mapping[str, TreatmentResult]
    results: Mapping[str, Result]

    @property
    def domain(self) -> Domain | GridDomain:
        """The domain of the cells."""
        return self.setup.dataset.domain

    @property
    def cache_key(self) -> str:
        """The key of these data in caches; it leaves the attack out."""
        return _cache_key(self.record)

    @cached_property
    def attack_result(self) -> AttackResult:
        """The record's attack, played up to its number of moves; nothing if it stands alone."""
        if self.record.moves == 0 or self.record.attack in page_state.ALONE:
            return AttackResult(dict.fromkeys(TREATMENT_NAMES, AttackOutcome(None, sure=False)))
        return _PLAYS[self.record.attack](self)


def _cache_key(record: Publication) -> str:
    return f"{runs.key(record.scenario)} {record.threshold} {record.base} {record.published_totals}"


def _office_key(record: Publication) -> str:
    """The key of what an office hides and rounds, whatever ε is."""
    scenario = record.scenario.with_epsilon(EPSILON_MAX)  # any that all mechanisms take
    return _cache_key(replace(record, scenario=scenario))


def published_margins(record: Publication, setup: Setup) -> suppression.Margins:
    """The totals of a record; a map has a level of squares of 5 × 5 larger cells."""
    labels, blocks = setup.partition.labels, setup.scenario.context.blocks
    if record.published_totals == page_state.GROUPS:
        return suppression.group_totals(labels)
    if record.totals == page_state.CROSSED:
        answers = page_state.answers_in_common(setup.dataset.domain)
        assert answers is not None  # a record's totals are of `total_choices`
        return suppression.margins_of([labels], [answers])
    if not isinstance(blocks, GridBlocks):
        return suppression.margins_of([labels])
    row, column = np.divmod(labels, blocks.columns)
    return suppression.margins_of([labels, row // 5 * blocks.columns + column // 5])


def load_data(
    record: Publication, load_results: comparison.ResultLoader = comparison.load_results
) -> TreatmentData:
    """The data of a record; `load_results`: runs slow parts as jobs, or leaves them out."""
    results = load_results(page_state.STATE, record.scenario)
    # `results.setup` is shared by all seeds: with it new noise was the old noise of an office.
    setup = replace(results.setup, scenario=record.scenario)
    counts, labels = _people(setup), setup.partition.labels
    table, offices = _offices(record, setup, counts)
    pair = {PLAIN: results.plain, page_state.BLOCKS: results.ours}
    known = {name: result for name, result in pair.items() if result is not None}
    local = {name: _local(record, setup, counts, result) for name, result in known.items()}
    return TreatmentData(record, setup, counts, labels, table, offices | local, known)


@cached_by(lambda setup: runs.key(setup.scenario))
def _people(setup: Setup) -> Ints:
    """The people of the first trial, as `run` draws them."""
    return runs.first_people(setup)


@cached_by(lambda record, *_: _cache_key(record))
def _offices(
    record: Publication, setup: Setup, counts: Ints
) -> tuple[suppression.HiddenTable, dict[str, TreatmentResult]]:
    labels, table = setup.partition.labels, _hidden_table(record, setup, counts)
    round_coins, noise_coins = _office_coins(record, setup, counts)
    central = CentralTable(setup.scenario.policy.plain_epsilon)
    published = {
        NOTHING: releases.exact_release(counts),
        LARGER: releases.larger_cells(counts, labels),
        HIDE: table.release(),
        ROUND: Rounding(record.base).publish(counts, round_coins),
        CENTRAL: central.publish(counts, noise_coins),
    }
    return table, {
        each: _measure_release(setup, record, counts, r) for each, r in published.items()
    }


def _office_coins(
    record: Publication, setup: Setup, counts: Ints
) -> tuple[np.random.Generator, np.random.Generator]:
    """The coins of rounding and of central noise.

    On a visitor's own data each follows from the counts and from the settings of its own draw
    alone: a table that is rounded anew at each ε could be averaged.
    """
    scenario, list_digest = setup.scenario, hashlib.sha256(counts.tobytes()).hexdigest()
    fixed = replace(Scenario(), dataset=scenario.dataset, n=scenario.n, seed=scenario.seed)
    round_secret = runs.secret_of(fixed, "rounding", list_digest, record.base)
    epsilon = scenario.policy.plain_epsilon
    noise_secret = runs.secret_of(fixed, "central noise", list_digest, epsilon)
    round_coins, _ = generators(seed_sequence(scenario.seed, 24, round_secret), 2)
    _, noise_coins = generators(seed_sequence(scenario.seed, 24, noise_secret), 2)
    return round_coins, noise_coins


@cached_by(lambda record, *_: _office_key(record))
def _hidden_table(record: Publication, setup: Setup, counts: Ints) -> suppression.HiddenTable:
    return Suppression(record.threshold).publish(counts, published_margins(record, setup))


@cached_by(lambda record, _, __, result: (_cache_key(record), runs.key(result.setup.scenario)))
def _local(record: Publication, setup: Setup, counts: Ints, result: Result) -> TreatmentResult:
    release = releases.local_release(result.first.evidence, result.first.estimate)
    return _measure_release(setup, record, counts, release)


def _measure_release(
    setup: Setup, record: Publication, counts: Ints, release: Release
) -> TreatmentResult:
    domain = setup.dataset.domain
    boxes = domain if isinstance(domain, GridDomain) else setup.partition.labels
    small = max(record.threshold - 1, 1)
    return TreatmentResult(release, releases.table_errors(counts, release, small, boxes))


TREATMENT_NAMES: Final = (NOTHING, LARGER, HIDE, ROUND, CENTRAL, PLAIN, page_state.BLOCKS)


@cached_by(lambda data: (data.cache_key, data.record.place, data.record.far))
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
    ends, labels = candidate_cells(data), data.labels
    own, other = ends.tolist()
    one_block = labels[own] == labels[other]
    hide, rounding = _office_guesses(data, office, ends)
    plain = data.results.get(PLAIN)
    accuracies = {
        NOTHING: 1.0,
        LARGER: GUESS if one_block else 1.0,
        HIDE: hide,
        ROUND: rounding,
        CENTRAL: central(CentralTable(data.setup.scenario.policy.plain_epsilon)),
        PLAIN: None if plain is None else _guess(plain.setup.mechanism, own, other, local),
        page_state.BLOCKS: _guess(data.setup.mechanism, own, other, local),
    }
    return AttackResult(
        {name: AttackOutcome(right, right == 1.0) for name, right in accuracies.items()}
    )


@cached_by(lambda data, office, ends: (_office_key(data.record), office, *ends))
def _office_guesses(
    data: TreatmentData,
    office: Callable[[Suppression | Rounding, Ints, Ints, Ints], float],
    ends: Ints,
) -> tuple[float, float]:
    """The attacker's accuracy with hidden and with rounded counts, which ε has no part in."""
    others, record = data.counts.copy(), data.record
    others[ends[0]] = max(others[ends[0]] - 1, 0)
    hide, rounding = (
        office(rule, others, data.labels, ends)
        for rule in (Suppression(record.threshold), Rounding(record.base))
    )
    return hide, rounding


@cached
def _guess(
    mechanism: Mechanism, first: int, second: int, local: Callable[[Floats], float]
) -> float | None:
    try:
        return round(local(pair_rows(mechanism, first, second)), 12)
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


_KNOWLEDGE: Final = {
    3: suppression.published_sums,
    4: suppression.published_sums_with_marks,
    5: suppression.published_sums_with_rule,
}
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
        sums = suppression.published_sums(simple)
        solved = near = suppression.solve_by_subtraction(sums)
    elif moves == 2:
        sums = suppression.published_sums(table)
        solved = near = suppression.solve_by_subtraction(sums)
    else:
        sums = _KNOWLEDGE[moves](table)
        low, high = suppression.bounds(sums)
        solved, near = (
            suppression.disclosed_cells(low, high),
            high - low + 1 < data.record.threshold - 1,
        )
    flags[:, sums.cells] = solved, near & ~solved
    return flags[0] & table.marks, flags[1] & table.marks


@cached_by(lambda data: data.cache_key)
def _newcomer(data: TreatmentData) -> AttackResult:
    alone = (np.bincount(data.labels) == 1)[data.labels]
    exposed = attacks.exposed_newcomers(
        Suppression(data.record.threshold), data.counts, data.labels
    )
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
        attacks.rounding_recovery_chance(Rounding(record.base), int(v), record.pairs)
        for v in values
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
        data,
        attacks.place_guess_accuracy,
        lambda table: table.guess_accuracy,
        guess_accuracy_of_rows,
    ),
    page_state.PARTS: _parts,
    page_state.NEWCOMER: _newcomer,
    page_state.MOVED: lambda data: _pair_attack(  # two tables, with fresh noise in each
        data,
        attacks.move_guess_accuracy,
        attacks.noisy_move_guess_accuracy,
        attacks.direction_guess_accuracy,
    ),
    page_state.REGIONS: _regions,
}
