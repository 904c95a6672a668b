"""Generated files: what a check must see in them, and what it must not."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caldp_core.datasets import inspect_data
from caldp_core.datasets.files.answers import count_answers
from caldp_core.datasets.files.by_hand import Chosen
from caldp_core.datasets.files.checks.people import is_total
from caldp_core.datasets.files.checks.record import resolve
from caldp_core.datasets.files.checks.run import CHECKS
from caldp_core.datasets.files.numbers import parse_degrees
from caldp_core.datasets.files.places import count_places
from tests.strategies import examples

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
    assert [check.name for check in checked(text, {}).unanswered] == ["total-row"]
    found = checked(text, {"total-row": "leave-out" if leave_out else "keep"})
    assert not found.unanswered
    table = count_answers(found.reading.file, found.reading.layout, "t").table
    assert sum(table.counts) == (1 if leave_out else 2) * sum(counts)


@examples(one_in=6)
@given(names=NAMES, data=st.data())
def test_a_table_without_a_total_is_not_asked_about(names: list[str], data: st.DataObject) -> None:
    counts = [data.draw(st.integers(3, 9_999)) for _ in names]
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
