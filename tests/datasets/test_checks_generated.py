"""Generated files: what a check must see in them, and what it must not."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import inspect_data
from caldp_core.datasets.base_map import NamedArea, named_areas
from caldp_core.datasets.files.answers import count_answers
from caldp_core.datasets.files.checks.record import resolve
from caldp_core.datasets.files.checks.run import CHECKS
from caldp_core.datasets.files.numbers import parse_degrees
from caldp_core.datasets.files.places import count_places
from caldp_core.datasets.files.table import Chosen
from caldp_core.datasets.tables.labels import is_total
from tests.datasets.test_files import Kept, assert_is, read_by_the_command, read_on_the_page
from tests.strategies import examples

pytestmark = pytest.mark.usefixtures("one_connection")


def assert_both_ways(
    data: str | bytes, counts: dict[str, int], name: str = "file.csv", **answers: str
) -> None:
    """The form of the page and `caldp count` ask just this, and count these people then."""
    named = {check.replace("_", "-"): answer for check, answer in answers.items()}
    kept = Kept(sum(counts.values()), counts, answers=named)
    data = data.encode() if isinstance(data, str) else data
    assert_is(read_on_the_page(data, name, kept), kept)
    with TemporaryDirectory() as folder:
        for check in named:
            others = {each: named[each] for each in named if each != check}
            with pytest.raises(CaldpError, match=f"--accept {check}="):
                read_by_the_command(data, name, replace(kept, answers=others), Path(folder))
        assert_is(read_by_the_command(data, name, kept, Path(folder)), kept)


NAMES = st.lists(
    st.text("abdefghijkmnprstuvwxyz", min_size=3, max_size=8).filter(
        lambda name: not is_total(name)
    ),
    min_size=4,
    max_size=9,
    unique=True,
)
TOTALS = ["Total", "TOTAL", "Grand total", "Summe", "Insgesamt", "Somme", "Итого", "合計", "Totaal"]
ALL = tuple(CHECKS.values())


def checked(text: str, answers: dict[str, str]) -> Any:
    """All checks of a table of answers."""
    file = inspect_data(text.encode(), chosen=Chosen(header=True))
    return resolve(file, file.answers, ALL, answers)


@pytest.mark.parametrize("leave_out", [True, False])
@examples(one_in=6)
@given(names=NAMES, data=st.data())
def test_a_total_in_any_language_and_place_is_seen(
    leave_out: bool, names: list[str], data: st.DataObject
) -> None:
    counts = [data.draw(st.integers(3, 9_999)) for _ in names]
    rows = list(zip(names, counts, strict=True))
    place = data.draw(st.sampled_from([0, len(rows)]))
    rows.insert(place, (data.draw(st.sampled_from(TOTALS)), sum(counts)))
    text = "\n".join(["answer;people", *(f"{name};{n}" for name, n in rows)])
    told = checked(text, {})
    assert "total-row" in told.names
    found = checked(text, {"total-row": "leave-out" if leave_out else "keep"})
    assert not found.unanswered
    table = count_answers(found.reading.file, found.reading.layout, "t").table
    assert sum(table.counts) == (1 if leave_out else 2) * sum(counts)


def test_a_word_for_a_total_is_known_at_either_end_of_a_label() -> None:
    for label in (*TOTALS, "North total", "Total North", "Gesamt: Nord", "Nord, gesamt"):
        assert is_total(label), label
    for label in ("North", "the total of all", "totally", "sumac"):
        assert not is_total(label), label


def test_parts_of_rows_beside_a_total_are_asked_about_as_well() -> None:
    """Once the total was left out, parts counted twice without a word."""
    text = (
        "Status;People\nEmployed;300\nof which part-time;80\nof which full-time;220\nNone;50\n"
        "Total;350\n"
    )
    for answers, asked in (
        ({}, ["parts-of-rows"]),
        ({"total-row": "leave-out"}, ["parts-of-rows"]),
        ({"parts-of-rows": "leave-out"}, []),
    ):
        found = checked(text, answers)
        assert [check.name for check in found.unanswered] == asked
        assert found.names == {"parts-of-rows", "total-row"}
    found = checked(text, {"total-row": "leave-out", "parts-of-rows": "leave-out"})
    table = count_answers(found.reading.file, found.reading.layout, "t").table
    assert dict(zip(table.names, table.counts, strict=True)) == {"Employed": 300, "None": 50}


@examples(one_in=6)
@given(names=NAMES, data=st.data())
def test_a_table_without_a_total_is_not_asked_about(names: list[str], data: st.DataObject) -> None:
    # A row that is the sum of others is asked about, and rightly so: here none is, as a sum of two
    # or more of these numbers does not end with 01.
    counts = [100 * data.draw(st.integers(1, 99)) + 1 for _ in names]
    counts[0] = sum(counts) + 1  # more than all others, and not their sum
    text = "\n".join(["answer;people", *(f"{a};{n}" for a, n in zip(names, counts, strict=True))])
    assert not checked(text, {}).unanswered


@examples(one_in=6)
@given(
    low=st.integers(0, 30),
    times=st.integers(1, 9),
    codes=st.lists(
        st.sampled_from([-9, -77, -99, -999, 888, 997, 999, 9999]),
        min_size=1,
        max_size=3,
        unique=True,
    ),
)
def test_codes_for_no_answer_are_left_out_of_ages(low: int, times: int, codes: list[int]) -> None:
    ages = [low + n % 50 for n in range(150)]
    text = "\n".join(map(str, ["age", *ages, *(codes * times)]))
    assert [check.name for check in checked(text, {}).unanswered] == ["no-answer-codes"]
    found = checked(text, {"no-answer-codes": "leave-out"})
    counted = count_answers(found.reading.file, found.reading.layout, "t")
    assert (sum(counted.table.counts), counted.refused.count) == (150, len(codes) * times)
    assert not checked("\n".join(map(str, ["age", *ages])), {}).unanswered


@settings(max_examples=100, deadline=None)
@given(
    degrees=st.integers(0, 179),
    minutes=st.integers(0, 59),
    seconds=st.decimals(0, 59, places=1),
    sign=st.sampled_from(["N", "S", "E", "W", ""]),
    marks=st.sampled_from(["°'\"", "º′″", "°’”", "° ' \" "]),
)
def test_degrees_in_all_spellings_are_one_number(
    degrees: int, minutes: int, seconds: Any, sign: str, marks: str
) -> None:
    ends = marks.split(" ") if " " in marks else list(marks)
    space = " " if " " in marks else ""
    parts = [f"{n}{end}" for n, end in zip((degrees, minutes, seconds), ends, strict=False)]
    text = space.join([*parts, sign])
    value = (degrees + minutes / 60 + float(seconds) / 3600) * (-1 if sign in ("S", "W") else 1)
    for cell in (text.strip(), text.strip().replace(".", ",")):
        assert parse_degrees(cell, ".") == pytest.approx(value, abs=1e-12)


@pytest.mark.slow
@examples(one_in=6)
@given(names=NAMES, data=st.data())
def test_hidden_numbers_of_people_are_asked_about(names: list[str], data: st.DataObject) -> None:
    sign = data.draw(st.sampled_from(["<5", "< 10", "*", "**", "x", "c", "..", ":", "-", "n/a"]))
    hidden = data.draw(st.sets(st.sampled_from(names), min_size=1, max_size=len(names) - 3))
    counts = {name: data.draw(st.integers(5, 999)) for name in names if name not in hidden}
    counts[min(counts)] = 2 * sum(counts.values()) + 1  # no row is the sum of the others
    text = "\n".join(["answer;people", *(f"{name};{counts.get(name, sign)}" for name in names)])
    assert [check.name for check in checked(text, {}).unanswered] == ["hidden-counts"]
    for answer, people in {"zero": 0, "4": 4, "keep": None}.items():
        found = checked(text, {"hidden-counts": answer})
        table = count_answers(found.reading.file, found.reading.layout, "t").table
        wanted = counts if people is None else dict.fromkeys(hidden, people) | counts
        assert dict(zip(table.names, table.counts, strict=True)) == wanted


@pytest.mark.slow
@examples(one_in=6)
@given(month=st.integers(1, 12), day=st.integers(1, 28), form=st.integers(0, 3))
def test_bands_that_are_dates_are_read_back(month: int, day: int, form: int) -> None:
    name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    date = [
        f"2026-{month:02}-{day:02}",
        f"{day:02}-{name[month - 1]}",
        f"{name[month - 1]}-{day:02}",
        f"{day}. {name[month - 1]}",
    ][form]
    text = f"age;people\n{date};3\n30-39;4\n40-49;5\n"
    (check,) = checked(text, {}).unanswered
    assert check.name == "bands-as-dates"
    found = checked(text, {"bands-as-dates": ""})
    table = count_answers(found.reading.file, found.reading.layout, "t").table
    assert table.names == (f"{min(month, day)}-{max(month, day)}", "30-39", "40-49")
    assert "bands-as-dates" not in [
        each.name for each in checked(text.replace(date, "20-29"), {}).unanswered
    ]


def people_of(found: Any) -> dict[str, int]:
    """People by answer once all is answered."""
    table = count_answers(found.reading.file, found.reading.layout, "t").table
    return dict(zip(table.names, table.counts, strict=True))


@examples(one_in=6)
@given(names=NAMES, data=st.data())
def test_columns_of_people_are_asked_about_and_added_up(
    names: list[str], data: st.DataObject
) -> None:
    answers = ["good", "fair", "poor"]
    rows = {name: [data.draw(st.integers(21, 999)) for _ in answers] for name in names}
    lines = [f"{name},{','.join(map(str, counts))}" for name, counts in rows.items()]
    text = "\n".join([",".join(["place", *answers]), *lines])
    assert "crosstab" in [check.name for check in checked(text, {}).unanswered]
    sums = [sum(column) for column in zip(*rows.values(), strict=True)]
    wanted = dict(zip(answers, sums, strict=True))
    assert people_of(checked(text, {"crosstab": "columns"})) == wanted


@examples(one_in=6)
@given(names=NAMES, data=st.data())
def test_shares_are_asked_of_how_many_people(names: list[str], data: st.DataObject) -> None:
    parts = [data.draw(st.integers(1, 9)) for _ in names]
    percents = [100 * part / sum(parts) for part in parts]
    lines = [f"{name};{percent:.6f} %" for name, percent in zip(names, percents, strict=True)]
    text = "\n".join(["answer;share", *lines])
    assert "shares" in [check.name for check in checked(text, {}).unanswered]
    people = people_of(checked(text, {"shares": str(1000 * sum(parts))}))
    assert people == {name: 1000 * part for name, part in zip(names, parts, strict=True)}


@examples(one_in=6)
@given(
    ticked=st.lists(
        st.lists(st.sampled_from(["bus", "car", "foot"]), min_size=1, max_size=3, unique=True),
        min_size=4,
        max_size=12,
    )
)
def test_several_choices_of_a_cell_are_asked_about(ticked: list[list[str]]) -> None:
    ticked = [*ticked, ["bus", "car"], ["car", "bus"], ["foot", "bus"], ["car", "foot"]]
    text = "\n".join(["way", *(";".join(choices) + ";" for choices in ticked)])
    file = inspect_data(text.encode(), chosen=Chosen(header=True, delimiter="\x1f"))
    assert "several-choices" in [c.name for c in resolve(file, file.answers, ALL, {}).unanswered]
    found = resolve(file, file.answers, ALL, {"several-choices": "combinations"})
    wanted = Counter("; ".join(sorted(choices)) for choices in ticked)
    assert people_of(found) == dict(wanted)


PLACES = st.lists(
    st.tuples(st.integers(4_000, 5_500), st.integers(-12_000, -7_100), st.integers(1, 99)),
    min_size=3,
    max_size=9,
    unique_by=lambda place: place[:2],
)
WRITTEN = {
    "one-column": ("split", "name;place;people", "n{2};{0}, {1};{2}", 100, 0),
    "ten-millionths": ("degrees", "latitudeE7;longitudeE7", "{0:.0f};{1:.0f}", 1e-5, 0),
    "longitudes-360": ("west", "latitude;longitude;people", "{0};{1};{2}", 100, 360),
}


@examples(one_in=6)
@given(places=PLACES, check=st.sampled_from(sorted(WRITTEN)))
def test_places_in_other_forms_are_asked_about_and_found(
    places: list[tuple[int, int, int]], check: str
) -> None:
    answer, header, form, unit, turn = WRITTEN[check]
    lines = [form.format(y / unit, x / unit + turn, n) for y, x, n in places]
    file = inspect_data("\n".join([header, *lines]), chosen=Chosen(delimiter=";", header=True))
    assert [c.name for c in resolve(file, file.places, ALL, {}).unanswered][:1] == [check]
    found = resolve(file, file.places, ALL, {check: answer}).reading
    counted = count_places(found.file, found.layout, "t").places
    sizes = [1 if check == "ten-millionths" else n for _, _, n in places]
    wanted = np.zeros_like(counts := counted.counts())
    for (y, x, _), people in zip(places, sizes, strict=True):
        wanted[counted.grid().locate([y / 100], [x / 100])] += people
    assert counts.tolist() == wanted.tolist()


def asked_of(content: str | bytes, **answers: str) -> list[str]:
    """Names of the checks of a table of answers that are not answered yet."""
    file = inspect_data(content)
    named = {name.replace("_", "-"): answer for name, answer in answers.items()}
    return [check.name for check in resolve(file, file.answers, ALL, named).unanswered]


REGIONS = [area for area in named_areas().values() if area.country == "Germany"]


@examples(one_in=10)
@given(
    areas=st.lists(st.sampled_from(REGIONS), min_size=4, max_size=9, unique=True),
    wrong=st.sampled_from(["Nirgendwo", "Übersee", "Xqzzy"]),
    data=st.data(),
)
def test_areas_and_what_no_area_is_called_are_asked_about(
    areas: list[NamedArea], wrong: str, data: st.DataObject
) -> None:
    spelled = [data.draw(st.sampled_from(sorted(area.names))) for area in areas]
    people = [data.draw(st.integers(100, 999)) for _ in areas]
    rows = [f"{name};{n};{n % 7}" for name, n in zip(spelled, people, strict=True)]
    text = "\n".join(["Land;people;cars", *rows, f"{wrong};5;1"])
    assert "areas" in asked_of(text, total_row="keep", crosstab="keep")
    known = {"areas": "Germany", "total_row": "keep", "crosstab": "keep"}
    asked = asked_of(text, **known)
    assert set(asked) == {"unknown-areas", "people-of-areas"}
    file = inspect_data(text)
    answers = {name.replace("_", "-"): answer for name, answer in known.items()}
    for column, numbers in (("people", people), ("cars", [n % 7 for n in people])):
        more = {"unknown-areas": "keep", "people-of-areas": column}
        found = resolve(file, file.answers, ALL, answers | more)
        assert not found.unanswered
        counted = count_answers(found.reading.file, found.reading.layout, "t")
        got = dict(zip(counted.table.areas, counted.table.counts, strict=True))
        assert got == {area.key: n for area, n in zip(areas, numbers, strict=True)}
        assert counted.off_map == {"people": 5, "cars": 1}[column]


WORDS_OF_ANSWERS = st.lists(
    st.sampled_from(["bus", "car", "foot", "bicycle", "train", "tram", "boat"]),
    min_size=3,
    max_size=7,
    unique=True,
)
COUNTS = [1_203, 3_411, 257, 97, 641, 28, 5_009]
"""None is the sum of some of the others."""


@pytest.mark.slow
@examples(one_in=8)
@given(
    names=WORDS_OF_ANSWERS,
    flag=st.sampled_from([" b", "*", "¹", " (p)", "[2]", "†"]),
    data=st.data(),
)
def test_numbers_with_a_flag_are_asked_about(
    names: list[str], flag: str, data: st.DataObject
) -> None:
    counts = dict(zip(names, COUNTS, strict=False))
    flagged = data.draw(st.sets(st.sampled_from(names), min_size=1))
    rows = [f"{name};{n}{flag * (name in flagged)}" for name, n in counts.items()]
    assert_both_ways("\n".join(["answer;people", *rows]), counts, marks="numbers")


@pytest.mark.slow
@examples(one_in=8)
@given(
    names=WORDS_OF_ANSWERS,
    written=st.sampled_from(
        [("people", " k", 1_000), ("people", " Mio.", 10**6), ("people (in thousands)", "", 1_000)]
    ),
)
def test_thousands_and_millions_are_asked_about(
    names: list[str], written: tuple[str, str, int]
) -> None:
    title, behind, times = written
    counts = dict(zip(names, COUNTS, strict=False))
    rows = [f"{name};{n / 10:.1f}{behind}" for name, n in counts.items()]
    wanted = {name: n * times // 10 for name, n in counts.items()}
    assert_both_ways("\n".join([f"answer;{title}", *rows]), wanted, multiples="times")


@pytest.mark.slow
@examples(one_in=8)
@given(
    names=WORDS_OF_ANSWERS,
    title=st.sampled_from(["year", "Jahr", "quarter", "Stichtag"]),
    first=st.integers(1990, 2020),
    periods=st.integers(2, 5),
    data=st.data(),
)
def test_rows_of_several_periods_are_asked_about(
    names: list[str], title: str, first: int, periods: int, data: st.DataObject
) -> None:
    years = [str(first + at) for at in range(periods)]
    counts = {
        year: {name: n + at for name, n in zip(names, COUNTS, strict=False)}
        for at, year in enumerate(years)
    }
    rows = [f"{year};{name};{n}" for year, own in counts.items() for name, n in own.items()]
    text = "\n".join([f"{title};answer;people", *data.draw(st.permutations(rows))])
    year = data.draw(st.sampled_from(years))
    assert_both_ways(text, counts[year], periods=year)


@pytest.mark.slow
@examples(one_in=8)
@given(
    names=WORDS_OF_ANSWERS,
    times=st.integers(2, 5),
    notes=st.lists(
        st.sampled_from(
            [
                "Source: Office of Statistics, 2026",
                "Note: some were not asked",
                "© City of Berlin",
                "* of those who answered",
                "Figures of last year alone",
                "Stand: 31.12.2025",
            ]
        ),
        min_size=1,
        max_size=3,
        unique=True,
    ),
)
def test_notes_below_records_are_asked_about(
    names: list[str], times: int, notes: list[str]
) -> None:
    rows = [f"{name};town {at % 3}" for at, name in enumerate(names * times)]
    text = "\n".join(["answer;town", *rows, *(f"{note};" for note in notes)])
    assert_both_ways(text, dict.fromkeys(names, times), notes="leave-out")


@pytest.mark.slow
@examples(one_in=8)
@given(
    names=WORDS_OF_ANSWERS,
    how=st.sampled_from([str.upper, str.title, str.capitalize]),
    times=st.lists(st.integers(2, 9), min_size=7, max_size=7),
    data=st.data(),
)
def test_answers_in_capital_letters_are_asked_about(
    names: list[str], how: Any, times: list[int], data: st.DataObject
) -> None:
    counts = dict(zip(names, times, strict=False))
    other = data.draw(st.sets(st.sampled_from(names), min_size=1))
    cells = [name for name, n in counts.items() for _ in range(n)]
    cells += [how(name) for name in other]
    wanted = {name: n + (name in other) for name, n in counts.items()}
    text = "\n".join(["answer", *data.draw(st.permutations(cells))])
    assert_both_ways(text, wanted, spellings="one")
