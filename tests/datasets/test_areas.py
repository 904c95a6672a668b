"""Names and codes of areas: which they mean, what is counted for each, and where they lie."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import OwnTable, inspect_data
from caldp_core.datasets.areas import areas_on_map, main_view, named_areas
from caldp_core.datasets.base_map import region_labels
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.checks.areas import match_names
from caldp_core.datasets.files.checks.record import Resolved, resolve
from caldp_core.datasets.files.checks.run import CHECKS
from caldp_core.scenarios.scenario import Scenario
from tests.strategies import examples

SWISS = [area for area in named_areas().values() if area.country == "Switzerland"]


def read(text: str, **answers: str) -> Resolved:
    file = inspect_data(text)
    named = {name.replace("_", "-"): answer for name, answer in answers.items()}
    return resolve(file, file.answers, tuple(CHECKS.values()), named)


def counted(text: str, **answers: str) -> CountedAnswers:
    done = read(text, **answers)
    assert not done.unanswered
    return count_answers(done.reading.file, done.reading.layout, "t")


def people(found: CountedAnswers) -> dict[str, int]:
    return dict(zip(found.table.areas, found.table.counts, strict=True))


@pytest.mark.parametrize(
    ("names", "of", "key"),
    [
        ("California Texas Ohio", "United States", "California, United States"),
        ("CA TX OH NV AZ", "United States", "California, United States"),
        ("06 48 39 32 04", "United States", "California, United States"),
        ("US-CA US-TX US-OH US-NV", "United States", "California, United States"),
        ("Kalifornien Texas Ohio", "United States", "California, United States"),
        ("ZÜRICH bern Genf", "Switzerland", "Zürich, Switzerland"),
        ("CH040 CH021 CH070", "Switzerland", "Zürich, Switzerland"),
        ("ITC1 ITC4 ITF3", "Italy", "Piemonte, Italy"),
        ("DE FR IT CH AT", "countries", "Germany"),
        ("DEU FRA ITA CHE AUT", "countries", "Germany"),
        ("Deutschland Frankreich Schweiz", "countries", "Germany"),
        ("Georgia Texas Ohio", "United States", "Georgia, United States"),
        ("Georgia Armenia Turkey", "countries", "Georgia"),
    ],
)
def test_names_and_codes_in_use_are_known(names: str, of: str, key: str) -> None:
    first, *_ = match_names(names.split()).items()
    assert (first[0], first[1][names.split(maxsplit=1)[0]].key) == (of, key)


def test_words_that_answers_are_made_of_are_no_areas() -> None:
    for words in ("yes no maybe", "North South East West", "1 2 3 4 5", "male female", "in at on"):
        assert not match_names(words.split())


def test_spellings_of_one_area_are_added_up_and_everybody_is_accounted_for() -> None:
    text = (
        "Kanton;Einwohner\nZürich;100\nKanton Zürich;20\nZH;5\nBern;7\nGenf;3\nAargauu;4\nFoo;2\n"
    )
    asked = read(text, areas="Switzerland").unanswered
    assert [check.name for check in asked] == ["unknown-areas"]
    assert "“Aargauu” (nearest: Aargau), “Foo”: " in asked[0].sentence
    out = counted(text, areas="", unknown_areas="keep")
    assert people(out) == dict(
        zip([f"{n}, Switzerland" for n in ("Zürich", "Bern", "Genève")], (125, 7, 3), strict=True)
    )
    assert (out.off_map, sum(out.table.counts) + out.off_map) == (6, 141)
    near = counted(text, areas="", unknown_areas="nearest")
    assert (people(near)["Aargau, Switzerland"], near.off_map) == (4, 2)
    assert "2 other spellings added up" in near.table.reading


def test_names_of_two_countries_are_asked_about() -> None:
    text = "place,people\nLimburg,4\nUtrecht,5\nGroningen,6\nAntwerpen,3\nHainaut,2\nNamur,1\n"
    (check,) = read(text).unanswered
    assert {offer.name for offer in check.offers} >= {"several countries"}
    both = "place,people\nAmazonas,1\nBolívar,2\nSucre,3\n"
    (check,) = read(both).unanswered
    assert {offer.name for offer in check.offers} == {"Colombia", "Venezuela"}
    for of in ("Colombia", "Venezuela"):
        assert set(people(counted(both, areas=of))) == {
            f"{name}, {of}" for name in ("Amazonas", "Bolívar", "Sucre")
        }


def test_records_with_a_column_of_areas_are_counted_by_area() -> None:
    rows = ["Bayern,yes", "Hessen,no", "Berlin,yes", "Bayern,no"] * 3
    text = "state,answer\n" + "\n".join(rows) + "\n"
    assert people(counted(text, areas="")) == {
        "Bayern, Germany": 6, "Berlin, Germany": 3, "Hessen, Germany": 3,
    }  # fmt: skip
    assert counted(text, areas="keep").table.names == ("no", "yes")


def test_groups_are_the_files_own_or_parts_of_the_country() -> None:
    text = "state,group,people\nTexas,a,1\nOhio,b,2\nIowa,b,3\n"
    assert counted(text, areas="").table.groups == ("a", "b", "b")
    assert counted(text.replace("Iowa,b,3", "Iowa,b,3\nTexas,b,4"), areas="").table.groups == (
        "South", "Midwest", "Midwest",
    )  # fmt: skip


@examples(one_in=6)
@given(
    st.lists(
        st.tuples(st.sampled_from(SWISS), st.integers(0, 9), st.integers(0, 10**6)),
        min_size=1,
        max_size=40,
    )
)
def test_any_spellings_in_any_order_add_up(rows: list[tuple[Any, int, int]]) -> None:
    wanted = Counter[str]()
    lines = ["Zürich;1", "Bern;1", "Genève;1"]
    wanted.update({f"{line[:-2]}, Switzerland": 1 for line in lines})
    for area, spelling, number in rows:
        names = sorted(area.names)
        lines.append(f"{names[spelling % len(names)]};{number}")
        wanted[area.key] += number
    found = counted("Kanton;Einwohner\n" + "\n".join(lines) + "\n", areas="Switzerland")
    assert (people(found), found.off_map) == (dict(wanted), 0)


def test_each_area_has_the_cells_that_are_in_it_and_one_at_least() -> None:
    keys = tuple(area.key for area in SWISS)
    grid, labels = areas_on_map(keys)
    regions, names = region_labels(grid)
    centres = np.array([*keys, "-"])[labels]
    own = np.array(names)[regions]
    assert set(labels.tolist()) == set(range(len(keys) + 1))
    inside = np.isin(own, keys)
    assert ((centres == own) | ~inside).all()
    assert (centres[~inside] == "-").all()
    small = ("Holy See", "France") if "Holy See" in named_areas() else ("Monaco", "France")
    assert set(areas_on_map(small)[1].tolist()) == {0, 1, 2}


def test_a_square_of_a_users_own_lies_where_it_was_drawn() -> None:
    grid, labels = areas_on_map(("48,11 48,12 49,12 49,11", "50,11 50,12 51,12"))
    at = grid.locate([48.5, 49.5, 50.2], [11.5, 11.5, 11.9])
    assert labels[at].tolist() == [0, 2, 1]


def test_a_record_holds_the_areas_and_refuses_others() -> None:
    table = OwnTable(("a", "b"), (1, 2), areas=("Bayern, Germany", "48,11 48,12 49,12"))
    scenario = Scenario(dataset=table).plain()
    assert Scenario.from_dict(scenario.to_dict()) == scenario
    for areas in (("Bayern, Germany",), ("Bayern, Germany", "Atlantis"), ("France", "1,2 3")):
        with pytest.raises(CaldpError):
            OwnTable(("a", "b"), (1, 2), areas=areas)


@pytest.mark.parametrize(
    ("country", "view", "beyond"),
    [
        ("United States", (24.4, 49.4, 235.1, 293.1), ["Alaska", "Hawaii"]),
        ("Switzerland", (45.8, 47.9, 5.9, 10.5), []),
        ("Spain", (35.1, 43.9, -9.4, 4.4), ["Canarias"]),
    ],
)
def test_the_view_leaves_out_what_lies_far_away(
    country: str, view: tuple[float, ...], beyond: list[str]
) -> None:
    areas = [area for area in named_areas().values() if area.country == country]
    found, numbers = main_view(tuple(area.key for area in areas))
    assert (found.south, found.north, found.west, found.east) == pytest.approx(view, abs=0.9)
    assert [areas[number].name for number in numbers] == beyond


def test_few_areas_and_areas_far_from_each_other_are_all_in_view() -> None:
    few = ("Alaska, United States", "Texas, United States", "Ohio, United States")
    spread = "Fiji Japan India Kenya France Brazil Canada Mexico Chile Iceland Australia"
    for areas in (few, tuple(spread.split())):
        grid, _ = areas_on_map(areas)
        found, beyond = main_view(areas)
        assert beyond == ()
        assert found.north - found.south == pytest.approx(
            grid.cell * grid.rows, abs=4.1 * grid.cell
        )
