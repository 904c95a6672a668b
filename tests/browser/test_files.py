"""Files of one's own in a browser: each from the file to counts, estimate and record."""

import csv
import io
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.browser import wait_until_settled
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from tests.browser.hands import expect, open_internal
from tests.datasets.files import as_workbook

pytestmark = pytest.mark.browser
Rows = list[tuple[str, ...]]
Counts = dict[str, dict[str, int]]
HEAD: Final = ("Alter", "Einkommen", "Raucher", "Zufriedenheit", "Wohnort", "Gewicht")


def people(n: int) -> Rows:
    """Records of six columns, always the same; weights have two decimals."""
    rng = random.Random(22)
    return [
        (
            str(rng.randint(18, 95)),
            f"{rng.gammavariate(3, 900):.2f}",
            rng.choice(["ja", "nein", "nein"]),
            str(rng.randint(1, 5)),
            rng.choice(["Stadt", "Land", "Vorort"]),
            rng.choice(["0.50", "1.00", "1.25"]),
        )
        for _ in range(n)
    ]


def count_people(rows: Rows, column: int, step: float | None = None) -> list[int]:
    """People by answer, in parts of a hundredth; of steps in order, none left out."""
    found: Counter[Any] = Counter()
    for row in rows:
        answer = row[column] if step is None else int(float(row[column]) // step)
        found[answer] += round(100 * float(row[5]))
    if step is not None:
        return [found[at] for at in range(min(found), max(found) + 1)]
    return sorted(found.values())


def german(rows: Rows) -> bytes:
    """As a German spreadsheet saves it."""
    lines = [";".join(row).replace(".", ",") for row in rows]
    return "\r\n".join((";".join(HEAD), *lines)).encode("cp1252")


FRENCH: Final = "réponse;effectif\r\ntrès bon;1\u00a0204,5\r\nassez bon;87,25\r\nmauvais;3,25\r\n"


def parquet(rows: Rows) -> bytes:
    """Numbers as numbers."""
    columns = dict(zip(HEAD, map(list, zip(*rows, strict=True)), strict=True))
    typed = {**columns, "Gewicht": [float(cell) for cell in columns["Gewicht"]]}
    out = io.BytesIO()
    pq.write_table(pa.table(typed), out)
    return out.getvalue()


def workbook(rows: Rows) -> bytes:
    """Texts as texts, weights as numbers."""
    texts = [HEAD, *rows]
    cells = "".join("<row>" + "".join(_cell(text) for text in row) + "</row>" for row in texts)
    return as_workbook(cells)


def _cell(text: str) -> str:
    if text.replace(".", "").isdigit():
        return f"<c><v>{text}</v></c>"
    return f'<c t="inlineStr"><is><t>{text}</t></is></c>'


def bring(page: Any, name: str, data: bytes, questions: Sequence[str] = ()) -> None:
    """Choose a file, say which columns are more questions, and show it."""
    page.get_by_role("button", name="Your data").click()
    page.get_by_role("tab", name="Choose a file").click()
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator(".st-key-values-own-file input[type=file]").set_input_files(file)
    page.locator(".stFileUploader").get_by_text(name).wait_for()
    page.get_by_role("button", name="Read the file").click()
    page.get_by_text("are counted.").wait_for()
    for question in questions:
        menu = page.get_by_role("combobox", name=question, exact=True)
        option = page.get_by_role("option", name="question", exact=True)
        menu.fill("question")  # by the keyboard alone
        expect(page.get_by_role("option")).to_have_text(["question"])
        menu.press("Enter")
        option.wait_for(state="detached")
        wait_until_settled(page)
        expect(menu).to_have_value("question")
    page.get_by_role("button", name="Show it").click()
    page.get_by_role("button", name="Show it").wait_for(state="detached")
    # The form may go a run before the data come: what was chosen last is counted in between.
    own = re.compile(rf"^Yours: {re.escape(Path(name).stem)}\b")
    expect(page.get_by_role("combobox", name="Data").first).to_have_value(own)
    wait_until_settled(page)


def download(page: Any, name: str) -> str:
    """What a button of the open tab saves."""
    with page.expect_download() as found:
        page.get_by_role("button", name=name, exact=True).click()
    return Path(found.value.path()).read_text("utf-8")


def export_dataset(page: Any) -> Any:
    """The data set of scenario.json; the estimate beside it is what the core makes of it."""
    open_internal(page)
    text = download(page, "scenario-internal.json")
    result = run(prepare(Scenario.from_text(text)))
    rows = list(csv.DictReader(io.StringIO(download(page, "estimate.csv"))))
    shares = np.array([float(row["estimated share"]) for row in rows])
    np.testing.assert_allclose(shares, result.first.estimate, atol=1e-12)
    assert all(float(row["low"]) <= float(row["high"]) for row in rows)
    return json.loads(text)["dataset"]


def round_parts(parts: Sequence[int]) -> list[int]:
    """Whole people, as many as there are in all, the largest remainders rounded up."""
    rest = (sum(parts) + 50) // 100 - sum(each // 100 for each in parts)
    up = sorted(range(len(parts)), key=lambda at: (parts[at] % 100, parts[at]))[
        -rest or len(parts) :
    ]
    return [each // 100 + (at in up) for at, each in enumerate(parts)]


def test_every_kind_of_file_leads_to_its_counts_its_estimate_and_a_record(open_link: Any) -> None:
    rows = people(5000)
    page = open_link("values", ".chart .row")
    page.get_by_role("tab", name="Share and export").click()
    bring(page, "umfrage.csv", german(rows), ["Alter", "Einkommen", "Wohnort"])
    survey = export_dataset(page)
    parts = zip(survey["questions"], survey["counts"], strict=True)
    by_question: dict[str, list[int]] = {}
    for question, count in parts:
        by_question.setdefault(question, []).append(count)
    assert by_question["Alter"] == round_parts(count_people(rows, 0, 5))
    assert by_question["Einkommen"] == round_parts(count_people(rows, 1, 500))
    for column in (2, 4):
        assert sorted(by_question[HEAD[column]]) == round_parts(count_people(rows, column))
    page.get_by_role("button", name="Audit and make the record").click()
    page.get_by_role("button", name="record.html").wait_for()
    record = download(page, "record.html")
    assert "umfrage" in record
    bring(page, "sante.csv", FRENCH.encode("cp1252"))
    table = export_dataset(page)
    assert dict(zip(table["names"], table["counts"], strict=True)) == {
        "très bon": 1205, "assez bon": 87, "mauvais": 3
    }  # fmt: skip
    for name, data in (("p.parquet", parquet(rows[:500])), ("t.xlsx", workbook(rows[:500]))):
        bring(page, name, data)
        table = export_dataset(page)
        assert sorted(table["counts"]) == round_parts(count_people(rows[:500], 2)), name
