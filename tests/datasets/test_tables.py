"""The model of a table: who would be counted twice, what is asked, and that no finding vanishes."""

import io
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import inspect_data
from caldp_core.datasets.files.checks.record import Resolved
from caldp_core.datasets.files.checks.run import read_as_chosen
from caldp_core.datasets.files.table import Chosen
from caldp_core.datasets.tables.model import CountTable, TableModel, read_model
from tests.contract.checks import naming
from tests.datasets.files import workbook
from tests.datasets.generated_tables import Table, make_table

pytestmark = pytest.mark.usefixtures("one_connection")

COUNTIES = (Path(__file__).parent / "cases" / "health_counties.csv").read_bytes()


def checked(data: bytes | str, **answers: str) -> Resolved:
    """The checks of a file of answers, under these answers."""
    raw = data.encode() if isinstance(data, str) else data
    file = inspect_data(raw)
    named = {name.replace("_", "-"): answer for name, answer in answers.items()}
    return read_as_chosen(file, file.answers, Chosen(), {"areas": "keep", **named})


def model_of(*rows: tuple[str, ...], titles: tuple[str, ...] = (), **answers: str) -> TableModel:
    """The model of rows of labels and, last, people."""
    people = len(rows[0]) - 1
    names = titles or (*(f"label {at}" for at in range(people)), "people")
    named = {name.replace("_", "-"): answer for name, answer in answers.items()}
    return read_model(CountTable(names, rows, people, ".", (0,)), named)


def people_of(found: Resolved) -> float:
    """People that a file has, by its model."""
    assert found.reading.model is not None
    return found.reading.model.people


def names(model: TableModel) -> list[str]:
    return [finding.name for finding in model.findings]


def test_no_question_vanishes_when_another_is_answered() -> None:
    """A total that is named like a region was forgotten once the columns were answered."""
    for crosstab in ({}, {"crosstab": "columns"}, {"crosstab": "groups"}):
        found = checked(COUNTIES, **crosstab)
        assert [check.name for check in found.unanswered] == ["hidden-counts"]
        assert "total-row" in found.names
        assert people_of(found) == 4_415, "the file's own total"
    left_out = checked(COUNTIES, hidden_counts="keep")
    assert (people_of(left_out), left_out.unanswered) == (4_389, ())
    kept = checked(COUNTIES, total_row="keep", hidden_counts="keep")
    assert people_of(kept) > 2 * 4_389


def test_levels_are_counted_once_at_the_level_that_is_chosen() -> None:
    rows = [("DE", "24"), ("DE1", "11"), ("DE11", "4"), ("DE12", "7"), ("DE2", "13")]
    rows += [("DE21", "5"), ("DE22", "8"), ("FR", "12"), ("FR1", "12")]
    model = model_of(*rows, titles=("geo", "people"))
    assert (names(model), model.people) == (["levels"], 36)
    assert [level.people for level in model.levels] == [36, 36, 24]
    for way, counted in {"level-1": ["DE", "FR"], "level-2": ["DE1", "DE2", "FR1"]}.items():
        model = model_of(*rows, titles=("geo", "people"), levels=way)
        own = [row[0] for row, why in zip(rows, model.reasons, strict=True) if not why]
        assert (own, model.people) == (counted, 36)


def test_a_total_of_codes_without_a_word_is_found_in_every_region() -> None:
    rows = [("A", "9", "931"), ("A", "1", "459"), ("A", "2", "472")]
    rows += [("B", "9", "670"), ("B", "1", "331"), ("B", "2", "339")]
    model = model_of(*rows, titles=("region", "sex", "people"))
    assert (names(model), model.people) == (["total-row"], 1_601)


def test_bands_that_overlap_count_nobody_twice() -> None:
    bands = {"0-14": 120, "15-24": 80, "15-64": 500, "25-64": 420, "65+": 140, "75+": 60}
    model = model_of(*((band, str(n)) for band, n in bands.items()), titles=("age", "people"))
    assert (sorted(names(model)), model.people) == (["bands", "bands-inside"], 760)


def test_subtotals_of_a_pivot_are_found_without_their_total() -> None:
    rows = [("Bike", "300"), ("daily", "200"), ("weekly", "100")]
    rows += [("Car", "500"), ("Daily", "450"), ("Weekly", "50")]
    assert model_of(*rows).people == 800


def test_hidden_cells_are_what_the_sums_of_the_file_leave() -> None:
    text = "district,yes,no,Total\nNorth,120,60,180\nSouth,80,<5,83\nTotal,200,63,263\n"
    found = checked(text)
    assert [check.name for check in found.unanswered] == ["hidden-counts"]
    assert people_of(found) == 263
    assert people_of(checked(text, hidden_counts="keep")) == 260
    assert people_of(checked(text, hidden_counts="2")) == 262


def test_marks_of_hidden_numbers_are_asked_about_in_tables_of_several_columns() -> None:
    for mark in ("<5", "*", "[c]", "[low]", "1 to 4", "20+", "n/a", "-1", "c", ":"):
        with naming(mark):
            text = f"town,disease,cases\na,x,12\na,y,{mark}\nb,x,9\nb,y,14\nc,x,8\nc,y,7\n"
            assert "hidden-counts" in [check.name for check in checked(text).unanswered]


def test_marks_of_thousands_are_read_where_people_are_whole() -> None:
    for rows, people in (
        ("a;17,694\nb;5,725\n", 23_419),
        ("a;1,182\nb;818\nc;440\n", 2_440),
        ("a;5,725\nb;6,253\nc;4,675\n", 16_653),
        ("Total;5,000\na;3,000\nb;2,000\n", 5_000),
    ):
        with naming(rows):
            assert people_of(checked(f"town;people\n{rows}")) == people
    unclear = inspect_data(b"town;people\na;12\nb;1,204\nc;4\n")
    assert unclear.answers.mark is None


def test_an_answer_that_nothing_asks_for_is_an_error(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from caldp_core.cli.commands import main

    path = tmp_path / "plain.csv"
    path.write_text("answer,people\nyes,120\nno,341\n")
    arguments = ["count", str(path), "-o", str(tmp_path / "c.csv"), "--accept", "total-row"]
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, "answers what nothing asks for" in done.stderr) == (2, True)


def test_small_and_round_numbers_are_not_told_as_sums() -> None:
    """Of 1,000 tables without a total none is told, and at most 2 % are asked about."""
    rng = random.Random(60)
    found = Counter[str]()
    for number in range(1_000):
        most, unit = ((9_999, 1), (500, 5), (1_000, 10), (60, 1))[number % 4]
        numbers = [unit * rng.randint(1, most // unit) for _ in range(rng.randint(3, 8))]
        model = model_of(*((f"town {chr(97 + at)}", str(n)) for at, n in enumerate(numbers)))
        asked = any(finding.asks for finding in model.findings)
        found["asked" if asked else "told" if model.findings else "none"] += 1
    assert found["told"] == 0
    assert found["asked"] <= 20


def wrong_of(table: Table, data: bytes | str) -> str:
    """ "wrong" where nothing is asked and the people are others; "asked" or "right"."""
    try:
        found = checked(data)
    except CaldpError:
        return "refused"
    if found.unanswered:
        return "asked"
    model = found.reading.model
    return "right" if model is not None and model.people == table.people else "wrong"


@pytest.mark.slow
@pytest.mark.parametrize("tables", [60, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_generated_tables_are_right_or_asked_about(tables: int) -> None:
    found = Counter[str]()
    plain = Counter[str]()
    for seed in range(tables):
        table = make_table(seed)
        end = wrong_of(table, table.text())
        found[end] += 1
        if table.kinds & {"plain", "totals"}:
            plain[end] += 1
        with naming(f"seed {seed}: {table.text()}"):
            assert end != "wrong"
    assert plain["asked"] <= 0.03 * plain.total()
    assert found["right"] > 0.8 * tables


def as_workbook(table: Table) -> bytes:
    """The table as a workbook, with numbers as numbers."""
    rows: list[list[object]] = []
    for row in table.rows:
        is_number = [cell.isdecimal() and not cell.startswith("0") for cell in row]
        rows.append([int(c) if number else c for c, number in zip(row, is_number, strict=True)])
    return workbook(("Data", [table.titles, *rows]))


def as_parquet(table: Table) -> bytes:
    """The table as Parquet, all of it as texts."""
    out = io.BytesIO()
    columns = zip(*table.rows, strict=True)
    pq.write_table(pa.table(dict(zip(table.titles, map(list, columns), strict=True))), out)
    return out.getvalue()


def with_rows_shuffled(table: Table, rng: random.Random) -> Table:
    return replace(table, rows=rng.sample(table.rows, len(table.rows)))


def with_columns_shuffled(table: Table, rng: random.Random) -> Table:
    order = rng.sample(range(len(table.titles)), len(table.titles))
    rows = [[row[at] for at in order] for row in table.rows]
    return replace(table, titles=[table.titles[at] for at in order], rows=rows)


@pytest.mark.slow
@pytest.mark.parametrize("tables", [12, pytest.param(200, marks=pytest.mark.thorough)])
def test_a_table_has_the_same_people_in_every_form(tables: int) -> None:
    """Rows shuffled, columns swapped, another delimiter, as workbook and Parquet."""
    for seed in range(500, 500 + tables):
        table = make_table(seed)
        rng = random.Random(seed)
        forms: dict[str, bytes | str] = {
            "rows": with_rows_shuffled(table, rng).text(),
            "columns": with_columns_shuffled(table, rng).text(),
            "tabs": table.text("\t"),
            "workbook": as_workbook(table),
            "Parquet": as_parquet(table),
        }
        for form, data in forms.items():
            with naming(f"seed {seed} as {form}: {table.text()}"):
                assert wrong_of(table, data) in ("right", "asked")


def test_a_tree_that_lacks_a_row_or_has_a_wrong_number_is_asked_about() -> None:
    ends = Counter[str]()
    seed = 0
    while ends.total() < 200:
        seed += 1
        table = make_table(seed)
        if "levels" not in table.kinds or "wide" in table.kinds:
            continue
        rng = random.Random(seed)
        rows = [list(row) for row in table.rows]
        at = rng.randrange(len(rows))
        if seed % 2:
            del rows[at]
        else:
            rows[at][-1] = str(int(rows[at][-1]) * 2)
        model = read_model(
            CountTable(tuple(table.titles), [tuple(row) for row in rows], len(rows[0]) - 1, "."), {}
        )
        asks = any(finding.asks for finding in model.findings)
        # A district that is missing twice, in its region and below, leaves a table that adds up.
        ends["asked" if asks else "told"] += 1
    assert ends["told"] <= 0.12 * ends.total(), ends


def test_ten_thousand_members_are_read() -> None:
    """No rule compares all pairs of members, which would take minutes."""
    for districts in (1_000, 10_000):
        rows = []
        for region in range(districts // 100):
            whole = 0
            for district in range(100):
                number = 37 + (region * 7919 + district * 104_729) % 9_973
                whole += number
                rows.append((f"DE{region:02}{district:02}", str(number)))
            rows.append((f"DE{region:02}", str(whole)))
        model = model_of(*rows, titles=("geo", "people"))
        assert names(model) == ["levels"]
        assert sum(not reason for reason in model.reasons) == districts
