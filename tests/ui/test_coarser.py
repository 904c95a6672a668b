"""Noise, coarser, or nothing: the page's numbers are the core's, and its sentences follow them.

Each number that the sentences state is computed a second way at the ends of the controls: what is
published and what an attacker makes of it by hand (`attacks/by_hand.py`), channels as tables.
"""

import csv
import io
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from caldp_core.attacks import reconstruction as attacks
from caldp_core.attacks.reconstruction import publish_exact, reconstruct
from caldp_core.audit.adversary import guess_accuracy_of_rows
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, no_progress
from caldp_core.datasets import Gowalla, InfantDeaths, OwnPlaces, OwnTable, Survey
from caldp_core.datasets.reading import inspect_data
from caldp_core.domain.domains import US_GRID
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.base import Mechanism
from caldp_core.release.hiding import narrow_numbers
from caldp_core.scenarios.blocks import EvenRuns, GridBlocks, GroupBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_core.treatments.release import CentralTable, Rounding, larger_cells
from caldp_core.treatments.suppression import (
    Suppression,
    bounds_by_programs,
    disclosed_cells,
    published_sums,
    published_sums_with_rule,
    solve_by_subtraction,
)
from caldp_ui.app.navigation import COARSER
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.coarser import alone, outcomes, page, page_state, view
from caldp_ui.coarser.outcomes import TreatmentData, load_data
from caldp_ui.coarser.page_state import (
    ATTACKS,
    BASES,
    BLOCKS,
    CENSUS_BLOCK,
    CENTRAL,
    CROSSED,
    GROUPS,
    HIDE,
    LARGER,
    LEVELS,
    LINES,
    LINK,
    MOVED,
    NEWCOMER,
    NOTHING,
    OFFICE_TREATMENTS,
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
from caldp_ui.controls import common
from caldp_ui.parts import comparison, layout
from caldp_ui.session import visit
from caldp_ui.words.formats import PLACES, per_hundred
from tests.attacks.by_hand import (
    averaged_by_hand,
    known_by_hand,
    newcomers_by_hand,
    table_by_hand,
    values_by_hand,
)
from tests.ui.driver import checked, few, open_page, open_record, page_record
from tests.ui.readings import shows, tokens

DEATHS = with_data(Publication(), InfantDeaths())


def load_treatments(record: Publication = DEATHS) -> TreatmentData:
    return load_data(record, comparison.load_fast_results)


def counties(data: TreatmentData) -> list[list[int]]:
    table: list[list[int]] = data.counts.reshape(100, 2).tolist()
    return table


def test_the_people_are_those_of_the_run_and_every_treatment_has_them() -> None:
    for record in (DEATHS, Publication(), with_data(Publication(), Survey("vote"))):
        data = load_treatments(record)
        assert list(data.treatments) == list(outcomes.TREATMENT_NAMES)
        result = run(prepare(record.scenario))
        assert data.counts.tolist() == result.first.people.tolist()
        for each in data.treatments.values():
            assert each.release.shares.sum() == pytest.approx(1.0)
        assert data.treatments[BLOCKS].errors.tv == pytest.approx(result.first.errors.tv)
        coarse = larger_cells(data.counts, data.labels)
        assert (data.treatments[LARGER].release.estimate == coarse.estimate).all()


def test_two_places_are_what_the_promise_allows_and_blocks_hide_only_within() -> None:
    near, far = (load_treatments(replace(DEATHS, far=far)).attack_result for far in (False, True))
    limit = np.e / (1 + np.e)
    for name in (CENTRAL, PLAIN, BLOCKS):
        share = near.outcomes[name].share
        assert share is not None
        assert 0.5 < share <= limit + 1e-9
        assert not near.outcomes[name].sure
    assert near.outcomes[BLOCKS].share == pytest.approx(limit)
    assert (near.outcomes[LARGER].share, far.outcomes[LARGER].share) == (0.5, 1.0)
    assert (far.outcomes[BLOCKS].share, far.outcomes[BLOCKS].sure) == (1.0, True)
    ends = outcomes.candidate_cells(load_treatments()).tolist()
    assert load_treatments().labels[ends[0]] == load_treatments().labels[ends[1]]


def test_another_epsilon_hides_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moving ε repeats no rule of an office, as ε has no part in it."""
    record = replace(DEATHS, threshold=7)
    at_one = load_treatments(record)
    before = at_one.attack_result.outcomes[HIDE]
    monkeypatch.delattr(Suppression, "publish")  # must not be asked again
    at_two = load_treatments(replace(record, scenario=record.scenario.with_epsilon(2.0)))
    assert at_two.table is at_one.table
    assert at_two.attack_result.outcomes[HIDE] == before
    with pytest.raises(AttributeError):  # must fail: another rule is another table
        load_treatments(replace(record, threshold=8))


def test_the_person_is_in_denver_unless_a_click_says_otherwise() -> None:
    data = load_treatments(Publication())
    assert data.domain == US_GRID
    assert outcomes.candidate_cells(data)[0] == outcomes.DENVER
    assert view.cell_name(data, outcomes.DENVER).raw == "Denver"
    moved = load_treatments(replace(Publication(), place=9_261))
    assert outcomes.candidate_cells(moved)[0] == 9_261
    with pytest.raises(CaldpError, match="place must be"):
        LINK.check(replace(DEATHS, place=200))


def test_before_the_first_move_nothing_is_told() -> None:
    for attack in (TWO_PLACES, PARTS, NEWCOMER, MOVED, REGIONS):
        data = load_treatments(DEATHS.with_attack(attack))
        found = data.attack_result
        assert all(each.share is None for each in found.outcomes.values())
        assert view.headline(data).sentence.endswith("?")
        assert "not known yet" in view.bars_html(data)
        assert view.next_move_label(data.record)
        assert view.next_move_label(replace(data.record, moves=data.record.last_move)) is None


def test_examples_bring_their_data_blocks_and_attack() -> None:
    for example in page_state.EXAMPLES:
        made = example.apply(Publication())
        LINK.check(made)
        assert example.fits(made)
        assert made.attack == example.attack
    assert DEATHS.scenario.context.blocks == GroupBlocks()
    assert DEATHS.threshold == 5
    again = with_data(DEATHS, Gowalla())
    assert again.scenario.context.blocks == GridBlocks(25, 35)
    cuts = page_state.block_choices(US_GRID)
    assert cuts["1° × 2°"] == GridBlocks(25, 35)
    assert page_state.with_blocks(again, cuts["5° × 7°"]).scenario.context.blocks == GridBlocks(
        5, 10
    )


def upload_scenario(text: str) -> Scenario:
    inspection, form = inspect_data(text), page._FORM
    found = form.count(inspection, form.guess(inspection), "Own", no_progress)
    return form.apply_counts(DEATHS.scenario, found)


def test_own_lines_are_places_or_answers() -> None:
    table, places, plain = map(
        upload_scenario,
        (
            page.TEXTS["form_example"],
            "latitude,longitude\n48.1,11.5\n48.2,11.6",
            "answer,people\nyes,12\nno,30\nperhaps,3",
        ),
    )
    assert isinstance(table.dataset, OwnTable)
    assert table.context.blocks == GroupBlocks()
    assert isinstance(places.dataset, OwnPlaces)
    assert plain.context.blocks == EvenRuns(1)
    for each in (table, places, plain):
        assert list(load_treatments(Publication(each)).treatments) == list(outcomes.TREATMENT_NAMES)


@pytest.mark.parametrize("office", OFFICE_TREATMENTS)
def test_pictures_name_five_treatments_their_errors_and_what_comes_out(office: str) -> None:
    data = load_treatments(replace(DEATHS, attack=PARTS, moves=1, office=office))
    for colours in (LIGHT, DARK):
        drawn = view.tables_html(data, colours)
        assert drawn.count("<figure") == 5
        hidden = int(data.table.hidden[::2].sum()) if office == HIDE else 0
        assert drawn.count("url(#hidden)") == hidden
        assert ("#F0A040" in drawn) == (office == HIDE)
        for name in (NOTHING, LARGER, office, PLAIN, BLOCKS):
            assert f"{view.TITLES[name]}: {' '.join(view.error_and_unit(data, name))}" in drawn
    survey = load_treatments(with_data(DEATHS, Survey("affairs")))
    bars = view.tables_html(survey, LIGHT)
    assert bars.count("<figure") == 5


def test_the_file_has_every_treatment_cell_by_cell() -> None:
    data = load_treatments()
    rows = list(csv.DictReader(io.StringIO(view.tables_csv(data).decode())))
    by_name = {row["answer"]: row for row in rows}
    assert float(by_name["Ashe, 1974–78"]["Nothing"]) == 1
    assert by_name["Ashe, 1974–78"]["hidden"] == "True"
    assert sum(float(row["Nothing"]) for row in rows) == 1503
    assert {view.TITLES[name] for name in outcomes.TREATMENT_NAMES} < set(rows[0])


def test_the_table_of_treatments_has_the_errors_and_what_comes_out() -> None:
    data = load_treatments(replace(DEATHS, attack=PARTS, moves=4))
    rows = view.treatment_rows(data)
    error, attack = list(rows["Nothing"])[:2]
    assert [row[error] for row in rows.values()][1:3] == ["12", "4"]
    assert [row[attack] for row in rows.values()][:3] == ["100", "0", "31"]
    before = load_treatments(DEATHS.with_attack(PARTS))
    rows = view.treatment_rows(before)
    assert {row[attack] for row in rows.values()} == {""}


def test_words_for_a_decision_lead_to_the_desk_and_to_the_plan() -> None:
    at = open_page(COARSER, {"dataset": "infant-deaths", "blocks": "groups"})
    assert [link.proto.page for link in at.get("page_link")] == ["desk", "plan"]


def test_the_film_shows_what_the_page_shows_at_each_epsilon() -> None:
    levels = (0.5, 1.0, 4.0)
    assert set(levels) < set(common.EPSILONS)
    record = with_data(Publication(), Gowalla("39.8,42.6,-77.2,-71"))
    made = few(page.EPSILON_FILM, *levels).film(record, no_progress)
    assert [step.value for step in made.steps] == list(levels)
    for step in (made.steps[0], made.steps[-1]):
        data = load_treatments(replace(record, scenario=record.scenario.with_epsilon(step.value)))
        pictures = {picture.id: picture for picture in view.scene(data).pictures}
        assert all(step.codes[name] == pictures[name].code for name in (PLAIN, BLOCKS))
        assert {name: each.notes for name, each in pictures.items()} == step.notes
        assert {name: each.labels for name, each in pictures.items()} == step.labels
        replacements = step.replacements
        assert replacements[layout.SENTENCE] == layout.headline_html(view.headline(data))
        assert view.bars_html(data) in replacements.values()


def test_pins_compare_errors_and_what_the_attack_finds() -> None:
    played = page.PAGE.load(replace(DEATHS, attack=PARTS, moves=4))
    numbers = page.PAGE.numbers(played)
    attack = "“A total and its parts”: small counts known exactly, of 100"
    assert numbers[f"{attack}: Hide small counts"] == "31"
    assert numbers[f"of 100 people {view.nouns(played).wrong}: Larger cells"] == "12"
    assert "ε = 1" in view.pin_title(played.record)


@pytest.mark.parametrize("attack", [TABLES, CENSUS_BLOCK])
def test_attack_that_stands_alone_is_not_pinned_and_a_link_with_it_pinned_shows_its_errors(
    attack: str,
) -> None:
    """Such a link once ended in an exception."""
    alone = replace(Publication(), attack=attack)
    assert "coarser-pin" not in [each.key for each in open_record(page_state.STATE, alone).button]
    numbers = page.PAGE.numbers(page.PAGE.load(alone))
    assert {title.partition(": ")[0] for title in numbers} == {f"of 100 people {PLACES.wrong}"}


def test_many_tables_are_those_of_the_core_and_the_headline_says_them() -> None:
    record = replace(Publication(), attack=TABLES, tables=100)
    right = [reconstruct(100, 100, publish_exact, run).accuracy for run in range(3)]
    line = (float(np.mean(right)),) * len(TABLE_COUNTS)
    assert alone._right_share(100, publish_exact, 0) == pytest.approx(np.mean(right))
    # A hundred random halves of a hundred people have one solution: nothing is left to guess.
    assert np.mean(right) == 1.0
    lines = dict.fromkeys(("exact counts", "rounded", "noise"), line)
    found = alone.tables_headline(record, lines).sentence
    assert "100 exact tables reveal 100 of 100" in found


@pytest.mark.parametrize(("lines", "sure"), [*zip(LINES, (7, 0, 4), strict=True)])
def test_people_of_seven_are_known_who_are_in_every_block(lines: str, sure: int) -> None:
    record = replace(Publication(), attack=CENSUS_BLOCK, lines=lines)
    found = alone.solutions(lines)
    first, *rest = map(set, found)
    assert len(first.intersection(*rest)) == sure == len(alone.certain_people(lines))
    headline = alone.block_headline(record)
    assert f"Of seven people {sure} " in headline.sentence
    assert headline.figures == {"known": sure, "blocks": len(found)}


def test_every_attack_has_words_and_every_treatment_its_row() -> None:
    assert set(view.ATTACK_TITLES) == set(ATTACKS)
    data = load_treatments()
    rows = view.treatment_rows(data)
    assert len(rows) == len(outcomes.TREATMENT_NAMES)
    assert all(len(row) == 6 and "{" not in "".join(row.values()) for row in rows.values())
    assert "2.72 times" in view.bound_text(data)
    assert "73 times in 100" in view.bound_text(data)


def test_data_brought_on_another_page_stand_among_the_examples() -> None:
    own = OwnTable(("a", "b", "c", "d"), (40, 30, 20, 10), title="Clinic")
    at = open_record(page_state.STATE)
    menu = at.selectbox(key="coarser-preset")
    assert visit.YOURS + "Clinic" not in menu.options
    at.session_state["own-data"] = {"0123456789abcdef": own}
    at = checked(at.run())
    at = checked(at.selectbox(key="coarser-preset").select(f"{visit.YOURS}Clinic").run())
    assert page_record(at, page_state.STATE).scenario.dataset == own
    assert at.selectbox(key="coarser-preset").value == f"{visit.YOURS}Clinic"


def test_totals_by_answer_are_offered_where_groups_share_answers() -> None:
    crossed = replace(DEATHS, attack=PARTS, totals=CROSSED)
    LINK.check(crossed)
    assert LINK.read(LINK.write(crossed)) == crossed
    assert with_data(crossed, Gowalla()).totals == GROUPS
    with pytest.raises(CaldpError, match="totals must be one of groups, levels, got"):
        LINK.check(replace(Publication(), attack=PARTS, totals=CROSSED))
    answers = page_state.answers_in_common(load_treatments().domain)
    assert answers is not None
    assert answers.tolist() == [0, 1] * 100
    # Only the attack on totals knows them: all others see the table of larger cells.
    other = load_treatments(replace(crossed, attack=TWO_PLACES))
    assert other.table.numbers.size == load_treatments().table.numbers.size
    wide = load_treatments(Publication(attack=PARTS, totals=LEVELS, moves=1)).table.margins.levels
    assert [np.unique(level).size for level in wide] == [25 * 35, 5 * 7, 1]


COUNTS = (0, 3, 1, 9, 2, 40, 4)
OWN_GROUPS = ("A", "A", "B", "B", "C", "C", "D")
TABLE = OwnTable(tuple("abcdefg"), COUNTS, groups=OWN_GROUPS)
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


@pytest.mark.thorough
@pytest.mark.parametrize("totals", [CROSSED, LEVELS])
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


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.threshold))
def test_regions_find_rounded_counts_as_often_as_all_outcomes_say(record: Publication) -> None:
    data = load(replace(record, attack=REGIONS, pairs=1))
    small = [count for count in COUNTS if 0 < count < record.threshold]
    sentence = view.headline(data).sentence
    if small:
        share = float(np.mean([averaged_by_hand(n, record.base, 1) for n in small]))
        assert sentence == (
            "From 1 pair of regions the attacker finds 100 of 100 hidden counts, and "
            f"{hundred(share)} of 100 rounded ones."
        )
    else:
        assert sentence == "With a threshold of 1 no count is hidden."
        parts = replace(data, record=replace(record, attack=PARTS))
        assert view.attacker_knowledge_text(parts) == sentence


def rows(mechanism: Mechanism, cells: Ints) -> Floats:
    return np.array([[float(q) for q in row] for row in mechanism.exact_channel()])[cells]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record.threshold))
def test_guesses_between_two_cells_are_those_of_the_core(
    record: Publication, far: bool, epsilon: float
) -> None:
    """Each by all its outcomes: `attacks/test_attacks.py`."""
    data = load(replace(record, far=far, place=5), epsilon)
    own, other = ends = outcomes.candidate_cells(data)
    assert own == 5
    assert (LABELS[own] == LABELS[other]) != far
    others = data.counts - (np.arange(len(COUNTS)) == own)
    rules, noise = (Suppression(record.threshold), Rounding(record.base)), CentralTable(epsilon)
    channels = [rows(each.mechanism, ends) for each in (data.results[PLAIN].setup, data.setup)]
    for attack, office, central, local in (
        (TWO_PLACES, attacks.place_guess_accuracy, noise.guess_accuracy, guess_accuracy_of_rows),
        (
            MOVED,
            attacks.move_guess_accuracy,
            attacks.noisy_move_guess_accuracy(noise),
            attacks.direction_guess_accuracy,
        ),
    ):
        played = replace(data, record=replace(data.record, attack=attack))
        expected = [office(rule, others, data.labels, ends) for rule in rules]
        expected += [central, *map(local, channels)]
        names = (HIDE, ROUND, CENTRAL, PLAIN, BLOCKS)
        found = [played.attack_result.outcomes[name].share for name in names]
        assert found == pytest.approx(expected, abs=1e-9)
        sentence = view.headline(played).sentence
        assert f" {hundred(expected[0])} times in 100, with noise" in sentence
        assert sentence.endswith(f"in blocks {hundred(expected[-1])}.")


def test_every_attacks_largest_claim_holds_on_the_infant_deaths() -> None:
    record = with_data(Publication(Scenario()), InfantDeaths())
    for threshold, exposed in ((3, 179), (5, 146), (10, 78)):
        data = load(replace(record, threshold=threshold, attack=NEWCOMER))
        counts, labels = data.counts.tolist(), data.labels.tolist()
        assert sum(newcomers_by_hand(threshold, counts, labels)) == exposed


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


def test_who_knows_one_hidden_count_narrows_others_and_the_page_says_so() -> None:
    """By programs on the published table, as the desk checks its own, where none is narrow."""
    record = replace(with_data(Publication(), InfantDeaths()).with_attack(PARTS), moves=2)
    data = load(record)
    narrow = narrow_numbers(data.table, data.table.margins.numbers(data.counts))
    assert narrow.sum() > 0
    assert "may narrow others down" in view.table_text(data, HIDE)
