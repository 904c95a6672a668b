"""Each number that the page's sentences state, at the ends of its controls, computed a second way.

What is published and what an attacker makes of it is gone through by hand (`attacks/by_hand.py`),
channels are read as dense tables.
"""

import itertools
import math
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import scipy

from caldp_core.attacks.reconstruction import Noisy, Publisher, Rounded, publish_exact
from caldp_core.basics.types import Floats
from caldp_core.datasets import InfantDeaths, OwnTable
from caldp_core.mechanisms.base import Mechanism
from caldp_core.scenarios.scenario import Scenario
from caldp_core.treatments.suppression import (
    Suppression,
    bounds_by_programs,
    disclosed_cells,
    published_sums,
    published_sums_with_rule,
    solve_by_subtraction,
)
from caldp_ui.coarser import alone, outcomes, view
from caldp_ui.coarser.outcomes import TreatmentData, load_data
from caldp_ui.coarser.page_state import (
    BASES,
    BLOCKS,
    CENTRAL,
    CROSSED,
    HIDE,
    LEVELS,
    MOVED,
    NEWCOMER,
    PAIRS,
    PARTS,
    PLAIN,
    REGIONS,
    ROUND,
    TABLE_COUNTS,
    TABLES,
    THRESHOLDS,
    TWO_PLACES,
    Publication,
    with_data,
)
from caldp_ui.parts import comparison
from caldp_ui.words.formats import per_hundred
from tests.attacks.by_hand import (
    averaged_by_hand,
    known_by_hand,
    newcomers_by_hand,
    rounded,
    table_by_hand,
    values_by_hand,
)
from tests.strategies import thinned
from tests.ui.readings import shows, tokens

COUNTS = (0, 3, 1, 9, 2, 40, 4)
GROUPS = ("A", "A", "B", "B", "C", "C", "D")
TABLE = OwnTable(tuple("abcdefg"), COUNTS, groups=GROUPS)
LABELS = [0, 0, 1, 1, 2, 2, 3]
EPSILONS = (0.1, 20.0)
RECORDS = [
    replace(with_data(Publication(), TABLE), threshold=threshold, base=base)
    for threshold, base in zip(THRESHOLDS, itertools.cycle(BASES))
]


def load(record: Publication, epsilon: float = 1.0) -> TreatmentData:
    record = replace(record, scenario=record.scenario.with_epsilon(epsilon))
    return load_data(record, comparison.load_fast_results)


def hundred(share: float) -> str:
    """A share as its sentence has it: at most one digit behind the point below 10."""
    return view.of_hundred(share)


def total_variation(estimate: Floats) -> float:
    truth, shares = np.array(COUNTS, np.float64), np.maximum(estimate, 0)
    return float(np.abs(truth / truth.sum() - shares / shares.sum()).sum() / 2)


def test_the_table_is_the_one_of_the_page() -> None:
    data = load(RECORDS[0])
    assert (tuple(data.counts.tolist()), data.labels.tolist()) == (COUNTS, LABELS)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.threshold))
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_errors_are_those_of_the_published_tables(record: Publication, epsilon: float) -> None:
    data = load(replace(record, office=HIDE), epsilon)
    sums = np.bincount(LABELS, COUNTS)
    even = (sums / np.bincount(LABELS))[LABELS]
    shown, _, totals = table_by_hand(COUNTS, LABELS, record.threshold)
    hidden = np.array(shown) < 0
    left = sums - np.bincount(LABELS, np.maximum(shown, 0))
    many = np.maximum(np.bincount(LABELS, hidden), 1)
    unknown = np.where(np.array(totals) < 0, record.threshold / 2, left / many)
    expected = {
        "larger cells (spread evenly)": even,
        "hidden small counts": np.where(hidden, unknown[LABELS], shown),
        "plain LDP": data.treatments[PLAIN].release.estimate,
        "noise in blocks": data.treatments[BLOCKS].release.estimate,
    }
    stated = [f"{name} {per_hundred(total_variation(table))}" for name, table in expected.items()]
    sentence = f"Of 100 people under the wrong value: {', '.join(stated)}."
    assert view.errors_sentence(data) == sentence


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("base", BASES)
def test_errors_of_rounded_and_noisy_tables_are_theirs(base: int, epsilon: float) -> None:
    """Each published number is one that its office may publish, and the error is that of all."""
    for office in (ROUND, CENTRAL):
        data = load(replace(RECORDS[2], office=office, base=base), epsilon)
        table = data.treatments[office].release.estimate
        off = np.abs(table - COUNTS)
        if office == ROUND:
            assert (table % base == 0).all()
            assert (off < base).all()
        else:
            assert table.min() >= 0
            assert table.sum() == pytest.approx(sum(COUNTS))
            assert off.max() <= 40 * 2 / epsilon  # two-sided geometric: e^−40 is beyond
        sentence = view.errors_sentence(data)
        parts = sentence.partition(": ")[2].rstrip(".").split(", ")
        assert parts[1].rpartition(" ")[2] == per_hundred(total_variation(table)), sentence
        assert per_hundred(total_variation(table) + 0.02) not in parts[1]
        if epsilon == EPSILONS[-1]:  # where hardly any coin falls, local noise is off by nothing
            for local in (PLAIN, BLOCKS):
                np.testing.assert_allclose(data.treatments[local].release.estimate, COUNTS, atol=1)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.threshold))
@pytest.mark.parametrize(
    ("moves", "second", "knows"),
    [(2, True, "nothing"), (4, True, "marks"), (5, True, "rule")],
)
def test_hidden_counts_are_those_with_one_possible_value(
    record: Publication, moves: int, second: bool, knows: str
) -> None:
    data = load(replace(record, attack=PARTS, moves=moves))
    groups = [[c for c, at in zip(COUNTS, LABELS, strict=True) if at == g] for g in range(3)]
    hidden = sum(0 < count < record.threshold for count in COUNTS)
    known = sum(known_by_hand(group, record.threshold, second, knows) for group in groups)
    sentence = view.headline(data).sentence
    if not hidden:
        assert sentence == "With a threshold of 1 no count is hidden."
    else:
        assert f" {known or 'none'} of {hidden} hidden small counts" in sentence
    if moves == 5 and record.threshold > 1:
        marks = sum(known_by_hand(group, record.threshold, True, "marks") for group in groups)
        knowledge = view.attacker_knowledge_text(data)
        assert f"With the marks alone {marks} came out." in knowledge
        values = [values_by_hand(group, record.threshold, True, "rule") for group in groups]
        near = sum(1 < each < record.threshold - 1 for each in itertools.chain(*values))
        words = f"For {near} more fewer than {record.threshold - 1:,} values"
        below = view.headline(data).second
        assert (words in below) == (" more fewer than " in below) == (near > 0)


@pytest.mark.parametrize("totals", thinned([CROSSED, LEVELS], one_in=2))
def test_small_totals_are_hidden_and_counted_as_programs_find_them(totals: str) -> None:
    """Infant deaths: the totals of counties, of both periods and of everybody."""
    deaths = replace(with_data(Publication(), InfantDeaths()), attack=PARTS, totals=totals)
    for moves, knowing in ((1, None), (3, published_sums), (5, published_sums_with_rule)):
        data = load(replace(deaths, moves=moves))
        table, k = data.table, data.counts.size
        by_hand = data.counts.reshape(100, 2)
        numbers = [*data.counts, *by_hand.sum(axis=1), *[by_hand.sum()]]
        if totals == CROSSED:
            numbers = [*numbers[:-1], *by_hand.sum(axis=0), numbers[-1]]
        numbers.sort()
        assert sorted(table.margins.numbers(data.counts).tolist()) == numbers
        small = sum(0 < number < 5 for number in numbers)
        assert (int(table.marks.sum()), int(table.primary.sum())) == (small, 72)
        if knowing is None:
            simple = published_sums(Suppression(5).suppress_small(data.counts, table.margins))
            known = simple.cells[solve_by_subtraction(simple)]
        else:
            sums = knowing(table)
            known = sums.cells[disclosed_cells(*bounds_by_programs(sums))]
        known = known[table.marks[known]]
        words = f" {np.count_nonzero(known < k) or 'none'} of 72 hidden small counts"
        assert words in view.headline(data).sentence
        words = f"Of {small - 72} small totals {np.count_nonzero(known >= k)} are known."
        assert words in view.attacker_knowledge_text(data)
        assert (known.size > 0) == (moves != 3), "second hidden numbers are there for a reason"


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.threshold))
def test_newcomers_are_those_whom_both_tables_give_away(record: Publication) -> None:
    if record.threshold > 20:
        record = replace(record, threshold=20)  # by hand every hidden table is gone through
    data = load(replace(record, attack=NEWCOMER))
    found = np.array(newcomers_by_hand(record.threshold, COUNTS, LABELS))
    share = np.array(COUNTS)[found].sum() / sum(COUNTS)
    sentence = view.headline(data).sentence
    assert sentence.startswith(f"Of 100 newcomers {hundred(share)} are found")


@pytest.mark.parametrize("pairs", [PAIRS[0], PAIRS[-1]])
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.threshold))
def test_regions_find_rounded_counts_as_often_as_all_outcomes_say(
    record: Publication, pairs: int
) -> None:
    data = load(replace(record, attack=REGIONS, pairs=pairs))
    small = [count for count in COUNTS if 0 < count < record.threshold]
    sentence = view.headline(data).sentence
    if small and pairs == 1:
        share = float(np.mean([averaged_by_hand(n, record.base, 1) for n in small]))
        assert sentence.endswith(
            f"reveal 100 of 100 hidden counts, and {hundred(share)} of 100 rounded ones."
        )
    elif not small:
        assert sentence == "With a threshold of 1 no count is hidden."
        parts = replace(data, record=replace(record, attack=PARTS))
        assert view.attacker_knowledge_text(parts) == sentence


def law_of_difference(count: int, base: int) -> Floats:
    """(4·base + 1,) chances of a − b, from −2·base on: two regions, rounded apart."""
    law = np.zeros(4 * base + 1)
    for rest, up, other in itertools.product(range(base), (0, 1), (0, 1)):
        (a, p), (b, q) = (
            ((at // base + more) * base, at % base / base if more else 1 - at % base / base)
            for at, more in ((rest + count % base, up), (rest, other))
        )
        law[a - b + 2 * base] += p * q / base
    return law


@cache
def right_of_pairs(count: int, base: int, pairs: int) -> float:
    """Chance that the mean of so many differences rounds to the count; a tie is half a hit.

    Whole bases of a count are known, so its remainder is looked for.
    """
    law, total = law_of_difference(count, base), np.ones(1)
    for _ in range(pairs):
        total = np.convolve(total, law)
    off = np.abs(np.arange(total.size) - pairs * (2 * base + count % base))
    return float(total[2 * off < pairs].sum() + total[2 * off == pairs].sum() / 2)


@pytest.mark.parametrize("base", BASES)
def test_several_pairs_of_regions_reveal_as_many_as_their_sums_say(base: int) -> None:
    for threshold in (THRESHOLDS[1], THRESHOLDS[-1]):
        record = replace(RECORDS[2], attack=REGIONS, base=base, threshold=threshold)
        data = load(record)
        small = [count for count in COUNTS if 0 < count < threshold]
        shares = set[str]()
        for pairs in PAIRS:
            now = replace(data, record=replace(record, pairs=pairs))
            right = float(np.mean([right_of_pairs(n, base, pairs) for n in small]))
            sentence = view.headline(now).sentence
            said = f"100 of 100 hidden counts, and {hundred(right)} of 100 rounded ones."
            assert sentence.endswith(said), sentence
            shares.add(hundred(right))
        assert len(shares) > 4  # another number of pairs is told apart


def test_pairs_drawn_and_averaged_reveal_as_many() -> None:
    """20,000 draws each: six standard deviations of a share are 0.022 at most."""
    rng, draws = np.random.default_rng(5), 20_000
    for base, pairs, count in ((3, 20, 2), (5, 10, 3), (10, 80, 9)):
        rest = rng.integers(0, 1000, (draws, pairs))
        a, b = (
            base * (at // base + (rng.random(at.shape) < at % base / base))
            for at in (rest + count, rest)
        )
        off = 2 * np.abs((a - b).sum(axis=1) - pairs * count)
        found = (off < pairs).mean() + (off == pairs).mean() / 2
        assert found == pytest.approx(right_of_pairs(count, base, pairs), abs=0.022)
        assert found != pytest.approx(right_of_pairs(count, base, 2 * pairs), abs=0.022)


def rows(mechanism: Mechanism, cells: list[int]) -> Floats:
    return np.array([[float(q) for q in row] for row in mechanism.exact_channel()])[cells]


def right_by_one(laws: Floats) -> float:
    return float(np.maximum(*laws).sum() / 2)


def right_by_two(laws: Floats) -> float:
    """The way between two cells by one report in each, every pair of reports gone through."""
    p, q = laws
    return float(np.maximum(np.outer(p, q), np.outer(q, p)).sum() / 2)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize(("attack", "right"), [(TWO_PLACES, right_by_one), (MOVED, right_by_two)])
def test_guesses_are_right_as_often_as_the_dense_channels_say(
    attack: str, right: object, far: bool, epsilon: float
) -> None:
    data = load(replace(RECORDS[2], attack=attack, far=far, place=5), epsilon)
    found = data.attack_result
    cells = outcomes.candidate_cells(data).tolist()
    assert (LABELS[cells[0]] == LABELS[cells[1]]) != far
    assert callable(right)
    for name, setup in ((PLAIN, data.results[PLAIN].setup), (BLOCKS, data.setup)):
        share = found.outcomes[name].share
        assert share == pytest.approx(right(rows(setup.mechanism, cells)), abs=1e-9)
    sentence = view.headline(data).sentence
    assert sentence.endswith(f"in blocks {hundred(right(rows(data.setup.mechanism, cells)))}.")


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_noise_of_an_office_is_guessed_as_often_as_all_its_outcomes_say(epsilon: float) -> None:
    data = load(replace(RECORDS[2], attack=TWO_PLACES), epsilon)
    alpha = math.exp(-epsilon / 2)
    steps = np.arange(-600, 602)
    here, there = ((1 - alpha) / (1 + alpha) * alpha ** np.abs(steps - at) for at in (1, 0))
    both = np.maximum(np.outer(here, there), np.outer(there, here)).sum() / 2
    found = data.attack_result.outcomes[CENTRAL].share
    assert found == pytest.approx(both, abs=1e-9)


@pytest.mark.parametrize("base", BASES)
def test_rounding_tells_two_places_apart_as_often_as_all_outcomes_say(base: int) -> None:
    data = load(replace(RECORDS[2], attack=TWO_PLACES, base=base, place=5))
    own, other = outcomes.candidate_cells(data).tolist()
    worlds = []
    for cell in (own, other):
        counts = [n - (at == own) + (at == cell) for at, n in enumerate(COUNTS)]
        ends = [counts[own], counts[other]]
        sums = {LABELS[at] for at in (own, other)}
        totals = [sum(n for n, g in zip(counts, LABELS, strict=True) if g == s) for s in sums]
        law: dict[tuple[int, ...], Fraction] = {}
        for outcome in itertools.product(*(rounded(n, base).items() for n in [*ends, *totals])):
            values = tuple(value for value, _ in outcome)
            law[values] = math.prod((p for _, p in outcome), start=Fraction(1))
        worlds.append(law)
    keys = {*worlds[0], *worlds[1]}
    right = sum(max(law.get(key, Fraction(0)) for law in worlds) for key in keys) / 2
    assert data.attack_result.outcomes[ROUND].share == pytest.approx(float(right))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("attack", "tables"), [(TWO_PLACES, 1), (MOVED, 2)])
def test_odds_against_noise_are_the_powers_of_e(attack: str, tables: int, epsilon: float) -> None:
    data = load(replace(RECORDS[0], attack=attack), epsilon)
    odds = math.exp(tables * epsilon)
    text = view.noise_sentence(data)
    stated = re.search(r"(?:by more than|by at most) ([0-9.,]+)( million| billion)? times", text)
    if odds < 1000:
        assert stated, text
        assert float(stated[1].replace(",", "")) == pytest.approx(odds, rel=6e-3), text
    assert f"ε = {epsilon:g}" in text


def test_every_attacks_largest_claim_holds_on_the_infant_deaths() -> None:
    record = with_data(Publication(Scenario()), InfantDeaths())
    for threshold, exposed in ((3, 179), (5, 146), (10, 78)):
        data = load(replace(record, threshold=threshold, attack=NEWCOMER))
        counts, labels = data.counts.tolist(), data.labels.tolist()
        assert sum(newcomers_by_hand(threshold, counts, labels)) == exposed


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.threshold))
@pytest.mark.parametrize("far", [False, True])
def test_hidden_tables_tell_two_places_apart_where_what_is_published_differs(
    record: Publication, far: bool
) -> None:
    """One table, and two with the person at either end, by what stands in them."""
    for attack in (TWO_PLACES, MOVED):
        data = load(replace(record, attack=attack, far=far, place=5))
        own, other = outcomes.candidate_cells(data).tolist()
        others = [n - (at == own) for at, n in enumerate(COUNTS)]
        worlds = [[n + (at == cell) for at, n in enumerate(others)] for cell in (own, other)]
        # Groups of one cell and their totals are the same number, published once.
        here, there = (table_by_hand(world, LABELS, record.threshold) for world in worlds)
        right = 0.5 if here == there else 1.0
        found = data.attack_result
        assert found.outcomes[HIDE].share == right
        stated = f" {hundred(right)} times in 100, with noise"
        assert stated in view.headline(data).sentence


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_noise_of_an_office_tells_a_way_as_often_as_all_signs_say(epsilon: float) -> None:
    """In a table each of two numbers speaks for one of two places by e^(ε/2), or against it."""
    data = load(replace(RECORDS[2], attack=MOVED), epsilon)
    here = 1 / (1 + math.exp(-epsilon / 2))
    law = {0: 1.0}  # of how many of the four numbers speak for the true way, less the others
    for _ in range(4):
        law = {
            at: here * law.get(at - 1, 0.0) + (1 - here) * law.get(at + 1, 0.0)
            for at in range(-4, 5)
        }
    right = sum(chance for at, chance in law.items() if at > 0) + law[0] / 2
    assert data.attack_result.outcomes[CENTRAL].share == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_what_is_promised_beside_the_attacks_is_the_power_of_e(epsilon: float) -> None:
    for record in (RECORDS[0], RECORDS[-1]):
        data = load(replace(record, attack=TWO_PLACES), epsilon)
        ((_, level), (_, factor), *right) = tokens(view.bound_text(data))
        assert [level, factor] == pytest.approx([epsilon, math.exp(epsilon)], rel=5e-3)
        assert any(shows(token, 100 / (1 + math.exp(-epsilon))) for token in right)
        rows = view.treatment_rows(data)
        words = " ".join(" ".join(row.values()) for row in rows.values())
        assert f"{view.odds_text(data)}" in words
        for moves, odds in ((TWO_PLACES, epsilon), (MOVED, 2 * epsilon)):
            text = view.noise_sentence(replace(data, record=replace(record, attack=moves)))
            stated = [number for _, number in tokens(text)]
            assert any(math.isclose(number, math.exp(odds), rel_tol=5e-3) for number in stated)
        note = view.picture_note(data, HIDE)
        shown, _, _ = table_by_hand(COUNTS, LABELS, record.threshold)
        assert [number for _, number in tokens(note)] == [shown.count(-1)]


def right_of_many_tables(tables: int, publish: str, level: float, seed: int) -> float:
    """Share of 100 answers that least absolute errors give back, drawn and solved here."""
    rng, people = np.random.default_rng(seed), 100
    truth = rng.permutation(people) < people // 2
    members = (rng.random((tables, people)) < 0.5).astype(np.float64)
    counts = members @ truth
    if publish == "noisy":
        chance = 1 - math.exp(-level / tables)
        counts = counts + rng.geometric(chance, tables) - rng.geometric(chance, tables)
    elif publish == "rounded":
        up = rng.random(tables) < counts % level / level
        counts = (counts // level + up) * level
    # Variables: the answers, then each table's error e with −e ≤ sum − count ≤ e.
    errors = np.eye(tables)
    found = scipy.optimize.linprog(
        np.concatenate([np.zeros(people), np.ones(tables)]),
        A_ub=np.block([[members, -errors], [-members, -errors]]),
        b_ub=np.concatenate([counts, -counts]),
        bounds=[(0, 1)] * people + [(0, None)] * tables,
    )
    assert found.x is not None
    return float(((found.x[:people] > 0.5) == truth).mean())


CURVES = [
    (5, "exact", 0.0), (400, "noisy", 0.1),
    *(pytest.param(*each, marks=pytest.mark.thorough) for each in (
        (400, "exact", 0.0), (5, "noisy", 20.0), (400, "noisy", 20.0), (5, "rounded", 10),
        (400, "rounded", 10), (75, "rounded", 10),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("tables", "publish", "level"), CURVES)
def test_many_tables_reveal_as_many_answers_as_drawn_and_solved_here(
    tables: int, publish: str, level: float
) -> None:
    """Three runs either way: 600 answers, 4.9 standard errors of a difference of shares."""
    publishers: dict[str, Publisher] = {
        "exact": publish_exact,
        "rounded": Rounded(int(level)),
        "noisy": Noisy(level),
    }
    shown = alone._right_share(tables, publishers[publish], 1)
    drawn = np.mean([right_of_many_tables(tables, publish, level, seed) for seed in range(3)])
    assert abs(shown - drawn) <= 4.9 * math.sqrt(2 * 0.25 / 300)
    if (tables, publish) == (400, "noisy") and level < 1:
        assert shown < 0.7  # a line of exact tables, 1, must be told apart
    record = replace(Publication(), attack=TABLES, tables=tables)
    lines = dict.fromkeys(("exact counts", "rounded", "noise"), (shown,) * len(TABLE_COUNTS))
    headline = alone.tables_headline(record, lines)
    said = [number for _, number in tokens(f"{headline.sentence} {headline.second}")]
    number = round(100 * shown)
    assert said == [tables, number, 100, number, 50, record.base, number, 100]
