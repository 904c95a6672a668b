"""Noise, coarser, or nothing: the page's numbers are the core's, and its sentences follow them."""

import csv
import io
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from caldp_core.attacks.reconstruction import publish_exact, reconstruct
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import no_progress
from caldp_core.datasets import Gowalla, InfantDeaths, OwnPlaces, OwnTable, Survey
from caldp_core.datasets.reading import inspect_data
from caldp_core.domain.domains import US_GRID
from caldp_core.estimation.estimators import compare_groups
from caldp_core.estimation.intervals import LEVEL
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import EvenRuns, GridBlocks, GroupBlocks, PolygonBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_core.treatments.release import larger_cells
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.coarser import alone, outcomes, packs, page, page_state, view
from caldp_ui.coarser.outcomes import TreatmentData, load_data
from caldp_ui.coarser.page_state import (
    ATTACKS,
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
    TWO_PLACES,
    Publication,
    with_data,
)
from caldp_ui.compute import runs
from caldp_ui.controls import common
from caldp_ui.parts import comparison, layout, pack
from caldp_ui.session import visit
from caldp_ui.words.formats import PLACES
from tests.attacks.by_hand import averaged_by_hand, known_by_hand, newcomers_by_hand
from tests.contract.checks import naming
from tests.ui.driver import checked, few, open_record, page_record

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


@pytest.mark.parametrize(("moves", "knows"), [(2, "nothing"), (4, "marks"), (5, "rule")])
def test_hidden_counts_come_out_as_all_possible_tables_say(moves: int, knows: str) -> None:
    data = load_treatments(replace(DEATHS, attack=PARTS, moves=moves))
    found = data.attack_result
    by_hand = sum(known_by_hand(pair, 5, True, knows) for pair in counties(data))
    assert found.disclosed_cells is not None
    assert int(found.disclosed_cells.sum()) == by_hand
    assert found.outcomes[HIDE].share == pytest.approx(by_hand / 72)
    assert found.disclosed_people == data.counts[found.disclosed_cells].sum()
    headline = view.headline(data)
    assert headline.figures["hide_share"] == found.outcomes[HIDE].share
    assert headline.figures["hide_tv"] == data.treatments[HIDE].errors.tv
    number = f"{by_hand} of" if by_hand else "none of"
    assert headline.sentence.startswith(f"The attacker works out {number} 72 hidden small counts")
    assert (f", of {found.disclosed_people} people, " in headline.sentence) == (by_hand > 0)


def test_check_ins_that_come_out_are_not_called_people() -> None:
    data = load_treatments(Publication(attack=PARTS, moves=1))
    found = data.attack_result
    sentence = view.headline(data).sentence
    assert f"hidden small counts, of {found.disclosed_people:,} check-ins, by" in sentence


def test_newcomers_are_those_of_all_possible_tables() -> None:
    data = load_treatments(replace(DEATHS, attack=NEWCOMER))
    found = newcomers_by_hand(5, data.counts.tolist(), data.labels.tolist())
    share = data.counts[found].sum() / data.counts.sum()
    played = data.attack_result
    assert played.outcomes[HIDE].share == pytest.approx(share)
    assert [played.outcomes[name].share for name in (NOTHING, LARGER, ROUND, PLAIN)] == [1, 0, 0, 0]


def test_overlapping_regions_find_rounded_counts_as_often_as_all_outcomes_say() -> None:
    data = load_treatments(replace(DEATHS, attack=REGIONS, pairs=2))
    small = data.counts[data.table.primary].tolist()
    chances = {value: float(averaged_by_hand(value, 5, 2)) for value in set(small)}
    expected = np.mean([chances[value] for value in small])
    assert data.attack_result.outcomes[ROUND].share == pytest.approx(expected)


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


def test_two_tables_tell_more_of_one_who_moved_than_one_and_no_more_than_twice_epsilon() -> None:
    once, twice = (
        load_treatments(replace(DEATHS, attack=attack)).attack_result
        for attack in (TWO_PLACES, MOVED)
    )
    for name in (ROUND, CENTRAL, PLAIN, BLOCKS):
        one, two = once.outcomes[name].share, twice.outcomes[name].share
        assert one is not None
        assert two is not None
        assert one <= two < 1  # of two answers two reports may disagree: then one told as much
        assert name == ROUND or two <= 1 / (1 + np.exp(-2.0)) + 1e-9
    assert (twice.outcomes[CENTRAL].share or 0) > (once.outcomes[CENTRAL].share or 1) + 0.01
    assert "7.39 times" in view.noise_sentence(load_treatments(replace(DEATHS, attack=MOVED)))
    assert (twice.outcomes[LARGER].share, twice.outcomes[HIDE].share) == (
        0.5,
        once.outcomes[HIDE].share,
    )


def test_the_person_is_in_denver_unless_a_click_says_otherwise() -> None:
    data = load_treatments(Publication())
    assert data.domain == US_GRID
    assert outcomes.candidate_cells(data)[0] == outcomes.DENVER
    assert view.cell_name(data, outcomes.DENVER) == "Denver"
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


def test_links_hold_every_record() -> None:
    for record in (
        Publication(),
        DEATHS,
        replace(DEATHS, attack=PARTS, moves=3, office=ROUND, base=3, period=1, far=True),
        replace(Publication(), attack=TABLES, tables=200),
        replace(
            Publication(), attack=CENSUS_BLOCK, lines=LINES[2], threshold=50, pairs=80, place=17
        ),
    ):
        LINK.check(record)
        assert LINK.read(LINK.write(record)) == record
    for wrong in ({"attack": "guess"}, {"moves": "3"}, {"threshold": "0"}, {"office": "swap"}):
        with pytest.raises(CaldpError, match="must be"):
            LINK.check(LINK.read(wrong))


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


def test_each_treatment_has_a_pack_with_what_it_publishes_and_nothing_else() -> None:
    """Larger cells hold totals alone; hidden counts are in no file; noise has secret coins."""
    counts = (128, 3, 57, 88, 2, 143)
    own = OwnTable(tuple("abcdef"), counts, ("x", "x", "x", "y", "y", "y"), title="Clinic")
    data = load_treatments(with_data(Publication(), own))
    for name in data.treatments:
        if name == NOTHING:
            continue
        with (
            naming(name),
            zipfile.ZipFile(
                io.BytesIO(packs.pack_of(data, name, pack.areas_of_table(data.setup)))
            ) as opened,
        ):
            files = {each: opened.read(each).decode() for each in opened.namelist()}
            rows = list(csv.DictReader(io.StringIO(files["table.csv"])))
            numbers = [row["people"] for row in rows]
            assert set(files) == {"record.html", "table.csv", "areas.csv"} | (
                {"totals.csv"} if name == HIDE else set()
            )
            if name == LARGER:
                assert numbers == ["188", "233"]
                assert not {"128", "143"} & set(re.findall(r"\d+", " ".join(files.values())))
            elif name == HIDE:
                hidden = data.table.hidden
                shown = ["hidden" if h else str(n) for n, h in zip(counts, hidden, strict=True)]
                assert numbers == shown
                assert hidden.sum() == 4
            else:
                expected = data.treatments[name].release.estimate
                assert np.allclose([float(n) for n in numbers], expected, atol=0.051)
            has_bound = "no attack on the table changes the odds" in files["record.html"]
            assert has_bound == (name in (CENTRAL, PLAIN, BLOCKS))


def test_a_total_that_the_table_hides_is_in_no_file_of_its_pack() -> None:
    """Once the total of a group of one cell was, which is that cell's count."""
    own = OwnTable(tuple("abcdefg"), (128, 3, 57, 1, 2, 143, 4), (*"xxxyy", "z", "w"))
    record = replace(with_data(Publication(), own), attack=PARTS, moves=2)
    for totals, expected in (
        (GROUPS, ["188", "3", "143", "hidden"]),
        (LEVELS, ["188", "hidden", "143", "hidden"]),
    ):
        data = load_treatments(replace(record, totals=totals))
        with zipfile.ZipFile(io.BytesIO(packs.pack_of(data, HIDE, None))) as opened:
            rows = list(csv.DictReader(io.StringIO(opened.read("totals.csv").decode())))
            assert "small totals" in opened.read("record.html").decode() or totals == GROUPS
        with naming(totals):
            assert [row["people"] for row in rows] == expected


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


def test_each_treatment_stands_by_own_areas_with_what_is_sure_of_them() -> None:
    """Bounds hold the truth; of blocks the ranges are those of the map's own areas."""
    spec = Gowalla("39.8,42.6,-77.2,-71")
    data = load_treatments(with_data(Publication(), spec))
    halves = ("39,-78 39,-74 43,-74 43,-78", "39,-74 39,-70 43,-70 43,-74")
    areas = pack.areas_of_map(data.setup, PolygonBlocks(("West", "East"), halves))
    truth = np.bincount(areas.labels, data.counts) / data.counts.sum()
    for name in data.treatments:
        found = packs.by_area(data, name, areas)
        assert found is not None
        low, shares, high, level = (
            np.array(found.columns[title], np.float64)
            for title in ("low", "estimated share", "high", "level")
        )
        assert ((low <= shares + 1e-12) & (shares <= high + 1e-12)).all(), name
        if name in (NOTHING, LARGER, HIDE):
            assert (level == 1.0).all()
            assert ((low <= truth + 1e-12) & (truth <= high + 1e-12)).all()
        else:
            assert (level == LEVEL).all()
        assert (high - low > 0).any() == (name != NOTHING)
        bound = name in (LARGER, HIDE)
        assert ("(bound)" in found.table_html) == bound
        if name == NOTHING:
            continue
        with zipfile.ZipFile(io.BytesIO(packs.pack_of(data, name, areas))) as opened:
            assert {"areas.csv", "areas.geojson", "areas.svg"} <= set(opened.namelist())
            assert (
                "follow from the rule and always hold" in opened.read("record.html").decode()
            ) == bound
    ours = packs.by_area(data, BLOCKS, areas)
    alone = pack.by_areas(data.results[BLOCKS], areas)
    assert ours is not None
    assert alone is not None
    assert ours.columns == alone.columns


def test_shares_within_groups_have_ends_in_the_pack_and_bounds_hold() -> None:
    answers = tuple(f"{answer}; {group}" for group in ("x", "y") for answer in ("a", "b", "c"))
    counts = np.array((328, 3, 57, 188, 2, 343))
    own = OwnTable(answers, tuple(counts.tolist()), (*"xxxyyy",), title="Clinic")
    data = load_treatments(with_data(Publication(), own))
    truth = counts / np.repeat(counts.reshape(2, 3).sum(axis=1), 3)
    for name in data.treatments.keys() - {LARGER}:
        columns = packs._published(data, name)
        shares, low, high = (np.array(columns[title], np.float64) for title in packs._SHARES)
        assert ((low <= shares + 1e-6) & (shares <= high + 1e-6)).all(), name
        if name in (NOTHING, HIDE, ROUND):
            assert ((low <= truth + 1e-6) & (truth <= high + 1e-6)).all(), name
    most = [each.share[2] for each in compare_groups(data.results[BLOCKS].first.evidence)]
    shares, _, high = (np.array(packs._published(data, BLOCKS)[title]) for title in packs._SHARES)
    np.testing.assert_allclose(high, np.maximum(most, shares), atol=2e-6)


def test_the_memo_of_a_treatment_has_its_words_both_directions_and_the_attack() -> None:
    own = OwnTable(tuple("abcdef"), (128, 3, 57, 88, 2, 143), (*"xxxyyy",), title="Clinic")
    data = load_treatments(replace(with_data(Publication(), own), attack=PARTS, moves=1))
    areas = pack.areas_of_table(data.setup)
    for name, both in {
        HIDE: ("Counts under 5 hidden", "Counts under 20 hidden"),
        ROUND: ("Multiples of 2", "Multiples of 10"),
        CENTRAL: ("ε = 0.5", "ε = 2"),
    }.items():
        memo = packs.memo_of(data, name, areas)
        assert all(text in memo for text in both)
        assert view.DECISION[name]["what remains possible"][1:20] in memo
        assert view.UNIT[PARTS] in memo
        assert "signature" in memo
        half = load_treatments(replace(data.record, threshold=5))
        if name == HIDE:
            assert f"hidden: {view.error_and_unit(half, HIDE)[0]} of" in memo
    assert "<li>Counts" not in packs.memo_of(data, LARGER, areas)


def test_central_noise_on_own_data_does_not_follow_from_the_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = OwnTable(tuple("abcd"), (400, 300, 200, 100), title="Clinic")
    record = with_data(Publication(), own)
    setup, people = runs.setup(record.scenario), np.array(own.counts)
    releases = []
    for secret in (1, 2):
        monkeypatch.setattr(runs, "secret_of", lambda _, secret=secret: secret)
        at = replace(record, base=secret + 4)  # another entry of the cache
        releases.append(outcomes._offices(at, setup, people)[1][CENTRAL].release.estimate)
    assert not np.array_equal(releases[0], releases[1])
