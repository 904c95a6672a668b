"""Noise, coarser, or nothing: the page's numbers are the core's, and its sentences follow them."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from caldp_core.attacks import reconstruct
from caldp_core.attacks.reconstruction import as_they_are
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import no_progress
from caldp_core.datasets import Gowalla, InfantDeaths, OwnPlaces, OwnTable, Survey
from caldp_core.datasets.reading import look_at
from caldp_core.domain.grid import US_GRID
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import EvenRuns, GridBlocks, GroupBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_core.treatments import Suppression, larger_cells
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.coarser import (
    attack_words,
    brought,
    files,
    films,
    many,
    outcomes,
    panel,
    pinned,
    presets,
    scene,
    seven,
    tables,
    words,
)
from caldp_ui.coarser.memo import memo
from caldp_ui.coarser.slot import (
    ATTACKS,
    BLOCKS,
    CENTRAL,
    HIDE,
    LARGER,
    LINES,
    LINK,
    MANY,
    MOVED,
    NEWCOMER,
    NOTHING,
    OFFICES,
    PARTS,
    PLAIN,
    REGIONS,
    ROUND,
    SEVEN,
    TABLES,
    TWO_PLACES,
    Publication,
    with_data,
)
from caldp_ui.coarser.treated import PageData, find
from caldp_ui.controls import common
from caldp_ui.parts import comparison, headline
from tests.attacks.by_hand import averaged_by_hand, known_by_hand, newcomers_by_hand
from tests.ui.ahead import few

DEATHS = with_data(Publication(), InfantDeaths(), None)


def shown(record: Publication = DEATHS) -> PageData:
    return find(record, comparison.at_once)


def counties(what: PageData) -> list[list[int]]:
    table: list[list[int]] = what.counts.reshape(100, 2).tolist()
    return table


def test_the_people_are_those_of_the_run_and_every_treatment_has_them() -> None:
    for record in (DEATHS, Publication(), with_data(Publication(), Survey("vote"), None)):
        what = shown(record)
        assert list(what.by) == list(outcomes.NAMES)
        result = run(prepare(record.scenario))
        assert what.counts.tolist() == result.first.people.tolist()
        for each in what.by.values():
            assert each.release.shares.sum() == pytest.approx(1.0)
        assert what.by[BLOCKS].errors.tv == pytest.approx(result.first.errors.tv)
        coarse = larger_cells(what.counts, what.labels)
        assert (what.by[LARGER].release.estimate == coarse.estimate).all()


@pytest.mark.parametrize(("moves", "second", "rule"), [(2, True, False), (4, True, True)])
def test_hidden_counts_come_out_as_all_possible_tables_say(
    moves: int, second: bool, rule: bool
) -> None:
    what = shown(replace(DEATHS, attack=PARTS, moves=moves))
    found = outcomes.played(what)
    by_hand = sum(known_by_hand(pair, 5, second, rule) for pair in counties(what))
    assert found.found is not None
    assert int(found.found.sum()) == by_hand
    assert found.by[HIDE].share == pytest.approx(by_hand / 72)
    assert found.people == what.counts[found.found].sum()
    told = attack_words.headline(what, found)
    assert told.sentence.startswith(f"Of 72 hidden small counts {by_hand} ")
    assert told.sentence.endswith(f" with {found.people} people.") == (by_hand > 0)


def test_newcomers_are_those_of_all_possible_tables() -> None:
    what = shown(replace(DEATHS, attack=NEWCOMER))
    found = newcomers_by_hand(Suppression(5), what.counts.tolist(), what.labels.tolist())
    share = what.counts[found].sum() / what.counts.sum()
    played = outcomes.played(what)
    assert played.by[HIDE].share == pytest.approx(share)
    assert [played.by[name].share for name in (NOTHING, LARGER, ROUND, PLAIN)] == [1, 0, 0, 0]


def test_overlapping_regions_find_rounded_counts_as_often_as_all_outcomes_say() -> None:
    what = shown(replace(DEATHS, attack=REGIONS, pairs=2))
    small = what.counts[what.table.primary].tolist()
    chances = {value: float(averaged_by_hand(value, 5, 2)) for value in set(small)}
    expected = np.mean([chances[value] for value in small])
    assert outcomes.played(what).by[ROUND].share == pytest.approx(expected)


def test_two_places_are_what_the_promise_allows_and_blocks_hide_only_within() -> None:
    near, far = (outcomes.played(shown(replace(DEATHS, far=far))) for far in (False, True))
    limit = np.e / (1 + np.e)
    for name in (CENTRAL, PLAIN, BLOCKS):
        share = near.by[name].share
        assert share is not None
        assert 0.5 < share <= limit + 1e-9
        assert not near.by[name].sure
    assert near.by[BLOCKS].share == pytest.approx(limit)
    assert (near.by[LARGER].share, far.by[LARGER].share) == (0.5, 1.0)
    assert (far.by[BLOCKS].share, far.by[BLOCKS].sure) == (1.0, True)
    ends = outcomes.pair(shown()).tolist()
    assert shown().labels[ends[0]] == shown().labels[ends[1]]


def test_two_tables_tell_more_of_one_who_moved_than_one_and_no_more_than_twice_epsilon() -> None:
    once, twice = (
        outcomes.played(shown(replace(DEATHS, attack=attack))) for attack in (TWO_PLACES, MOVED)
    )
    for name in (ROUND, CENTRAL, PLAIN, BLOCKS):
        one, two = once.by[name].share, twice.by[name].share
        assert one is not None
        assert two is not None
        assert one <= two < 1  # of two answers two reports may disagree: then one told as much
        assert name == ROUND or two <= 1 / (1 + np.exp(-2.0)) + 1e-9
    assert (twice.by[CENTRAL].share or 0) > (once.by[CENTRAL].share or 1) + 0.01
    assert "7.39 times" in words.in_short(shown(replace(DEATHS, attack=MOVED)))
    assert (twice.by[LARGER].share, twice.by[HIDE].share) == (0.5, once.by[HIDE].share)


def test_the_person_is_in_denver_unless_a_click_says_otherwise() -> None:
    what = shown(Publication())
    assert what.domain == US_GRID
    assert outcomes.pair(what)[0] == outcomes.DENVER
    assert words.cell_name(what, outcomes.DENVER) == "Denver"
    moved = shown(replace(Publication(), place=9_261))
    assert outcomes.pair(moved)[0] == 9_261
    with pytest.raises(CaldpError, match="place must be"):
        LINK.check(replace(DEATHS, place=200))


def test_before_the_first_move_nothing_is_told() -> None:
    for attack in (TWO_PLACES, PARTS, NEWCOMER, MOVED, REGIONS):
        what = shown(DEATHS.playing(attack))
        found = outcomes.played(what)
        assert all(each.share is None for each in found.by.values())
        assert attack_words.headline(what, found).sentence.endswith("?")
        assert "not known yet" in panel.bars(what, found)
        assert attack_words.next_move(what.record)
        assert attack_words.next_move(replace(what.record, moves=what.record.last_move)) is None


def test_links_hold_every_record() -> None:
    for record in (
        Publication(),
        DEATHS,
        replace(DEATHS, attack=PARTS, moves=3, office=ROUND, base=3, period=1, far=True),
        replace(Publication(), attack=TABLES, tables=200),
        replace(Publication(), attack=SEVEN, lines=LINES[2], threshold=50, pairs=80, place=17),
    ):
        LINK.check(record)
        assert LINK.read(LINK.write(record)) == record
    for wrong in ({"attack": "guess"}, {"moves": "3"}, {"threshold": "0"}, {"office": "swap"}):
        with pytest.raises(CaldpError, match="must be"):
            LINK.check(LINK.read(wrong))


def test_examples_bring_their_data_blocks_and_attack() -> None:
    for example in presets.EXAMPLES:
        made = example.apply(Publication())
        LINK.check(made)
        assert example.fits(made)
        assert made.attack == example.attack
    assert DEATHS.scenario.context.blocks == GroupBlocks()
    assert DEATHS.threshold == 5
    again = with_data(DEATHS, Gowalla(), None)
    assert again.scenario.context.blocks == GridBlocks(25, 35)
    cuts = presets.sizes(US_GRID)
    assert cuts["1° × 2°"] == GridBlocks(25, 35)
    assert presets.cut(again, cuts["5° × 7°"]).scenario.context.blocks == GridBlocks(5, 10)


def brought_by(text: str) -> Scenario:
    seen, columns = look_at(text), brought._COLUMNS
    found = columns.count(seen, columns.guess(seen), "Own", no_progress)
    return brought._taken(DEATHS.scenario, found)


def test_own_lines_are_places_or_answers() -> None:
    table, places, plain = map(
        brought_by,
        (
            brought._EXAMPLE,
            "latitude,longitude\n48.1,11.5\n48.2,11.6",
            "answer,people\nyes,12\nno,30\nperhaps,3",
        ),
    )
    assert isinstance(table.dataset, OwnTable)
    assert table.context.blocks == GroupBlocks()
    assert isinstance(places.dataset, OwnPlaces)
    assert plain.context.blocks == EvenRuns(1)
    for each in (table, places, plain):
        assert list(shown(Publication(each)).by) == list(outcomes.NAMES)


@pytest.mark.parametrize("office", OFFICES)
def test_pictures_name_five_treatments_their_errors_and_what_comes_out(office: str) -> None:
    what = shown(replace(DEATHS, attack=PARTS, moves=1, office=office))
    found = outcomes.played(what)
    for colours in (LIGHT, DARK):
        drawn = tables.drawn(what, found, colours)
        assert drawn.count("<figure") == 5
        hidden = int(what.table.hidden[::2].sum()) if office == HIDE else 0
        assert drawn.count("url(#hidden)") == hidden
        assert ("#F0A040" in drawn) == (office == HIDE)
        for name in (NOTHING, LARGER, office, PLAIN, BLOCKS):
            assert f"{words.TITLES[name]}: {' '.join(words.error(what, name))}" in drawn
    bars = tables.drawn(shown(with_data(DEATHS, Survey("affairs"), None)), None, LIGHT)
    assert bars.count("<figure") == 5


def test_the_file_has_every_treatment_cell_by_cell() -> None:
    what = shown()
    rows = list(csv.DictReader(io.StringIO(files.tables_csv(what).decode())))
    by_name = {row["answer"]: row for row in rows}
    assert float(by_name["Ashe, 1974–78"]["Nothing"]) == 1
    assert by_name["Ashe, 1974–78"]["hidden"] == "True"
    assert sum(float(row["Nothing"]) for row in rows) == 1503
    assert {words.TITLES[name] for name in outcomes.NAMES} < set(rows[0])


def test_the_memo_says_the_errors_and_what_comes_out() -> None:
    what = shown(replace(DEATHS, attack=PARTS, moves=4))
    told = memo(what, outcomes.played(what))
    assert "Larger cells 12; Hide small counts 4;" in told
    assert "Nothing 100; Larger cells 0; Hide small counts 31;" in told
    assert words.bound(what) in told
    before = shown(DEATHS.playing(PARTS))
    assert "Attack" not in memo(before, outcomes.played(before))


def test_the_film_shows_what_the_page_shows_at_each_epsilon() -> None:
    levels = (0.5, 1.0, 4.0)
    assert set(levels) < set(common.EPSILONS)
    record = with_data(Publication(), Gowalla("39.8,42.6,-77.2,-71"), None)
    made = few(films.EPSILON, *levels).film(record, no_progress)
    assert [step.value for step in made.steps] == list(levels)
    for step in (made.steps[0], made.steps[-1]):
        what = shown(replace(record, scenario=record.scenario.with_epsilon(step.value)))
        found = outcomes.played(what)
        seen = {picture.id: picture for picture in scene.scene(what, found).pictures}
        assert all(step.codes[name] == seen[name].code for name in (PLAIN, BLOCKS))
        assert {name: each.notes for name, each in seen.items()} == step.notes
        assert {name: each.labels for name, each in seen.items()} == step.labels
        told = step.elsewhere
        assert told[headline.SENTENCE] == headline.html(attack_words.headline(what, found))
        assert panel.bars(what, found) in told.values()


def test_pins_compare_errors_and_what_the_attack_finds() -> None:
    what = shown(replace(DEATHS, attack=PARTS, moves=4))
    told = pinned.numbers(what)
    assert told["small counts known exactly, of 100: Hide small counts"] == "31"
    assert told["of 100 people wrong: Larger cells"] == "12"
    assert "ε = 1" in pinned.title(what.record)


def test_many_tables_are_those_of_the_core_and_the_headline_says_them() -> None:
    record = replace(Publication(), attack=TABLES, tables=100)
    right = [reconstruct(100, 100, as_they_are, run).right for run in range(3)]
    line = many.Curve("exact counts", (float(np.mean(right)),) * len(MANY))
    assert many._right(100, as_they_are, 0) == pytest.approx(np.mean(right))
    # A hundred random halves of a hundred people have one solution: nothing is left to guess.
    assert np.mean(right) == 1.0
    rest = (many.Curve("rounded", line.right), many.Curve("noise", line.right))
    assert "100 exact tables give 100 of 100" in many.headline(record, (line, *rest)).sentence


@pytest.mark.parametrize(("lines", "sure"), [*zip(LINES, (7, 0, 4), strict=True)])
def test_people_of_seven_are_known_who_are_in_every_block(lines: str, sure: int) -> None:
    record = replace(Publication(), attack=SEVEN, lines=lines)
    found = seven.solutions(lines)
    first, *rest = map(set, found)
    assert len(first.intersection(*rest)) == sure == len(seven.common(lines))
    assert f"Of seven people {sure} " in seven.headline(record).sentence


def test_every_attack_has_words_and_every_treatment_its_row() -> None:
    assert set(words.ATTACK_TITLES) == set(ATTACKS)
    what = shown()
    rows = [words.decision(what, name) for name in outcomes.NAMES]
    assert all(len(row) == 4 and "{" not in "".join(row) for row in rows)
    assert "2.72 times" in words.bound(what)
    assert "73 times in 100" in words.bound(what)
