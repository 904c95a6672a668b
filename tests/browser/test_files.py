"""A visitor's own data in a browser: from the file to estimates and records.

Last year's map as what everybody knows: from its file to the picture, and back again.
"""

import csv
import io
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from caldp_core.cli.commands import main
from caldp_core.datasets import Cities, inspect_data
from caldp_core.datasets.files.places import count_published_map
from caldp_core.datasets.public_map import PublicMap
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.run import prepare, run
from caldp_core.experiments.table import as_geojson
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.parts import pack
from caldp_ui.places.page_state import LINK, PlacesState
from tests.browser.conftest import SCREENS, OpenLink, Visit
from tests.browser.hands import HEADLINE, expect, headline_of, open_internal, press, tab
from tests.browser.test_everybody import AS_AT_REST, expect_no_violations
from tests.browser.test_packs import rows_of, unpacked
from tests.datasets.files import workbook
from tests.servers import wait_until_settled

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


def bring(
    page: Any, name: str, data: bytes, questions: Sequence[str] = (), offers: Sequence[str] = ()
) -> None:
    """Choose a file, take the offers of its checks, say which columns are more questions.

    Offers are taken and columns named by the keyboard, while the form breaks no rule of axe.
    """
    page.add_style_tag(content=AS_AT_REST)
    page.get_by_role("button", name="Your data").click()
    page.get_by_role("tab", name="Choose a file").click()
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator(".st-key-values-own-file input[type=file]").set_input_files(file)
    page.locator(".stFileUploader").get_by_text(name).wait_for()
    page.get_by_role("button", name="Read the file").click()
    for offer in offers:
        button = page.get_by_role("button", name=offer, exact=True)
        button.wait_for()
        expect_no_violations(page)
        button.press("Enter")
        button.wait_for(state="detached")
    page.get_by_text("are counted.").wait_for()
    for question in questions:
        menu = page.get_by_role("combobox", name=question, exact=True)
        option = page.get_by_role("option", name="question", exact=True)
        menu.fill("question")
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


def export_scenario(page: Any) -> Any:
    """What scenario.json holds; the estimate beside it is what the core makes of it."""
    open_internal(page)
    text = download(page, "scenario-internal.json")
    result = run(prepare(Scenario.from_json(text)))
    rows = list(csv.DictReader(io.StringIO(download(page, "estimate.csv"))))
    shares = np.array([float(row["estimated share"]) for row in rows])
    np.testing.assert_allclose(shares, result.first.estimate, atol=1e-12)
    assert all(float(row["low"]) <= float(row["high"]) for row in rows)
    return json.loads(text)


def round_parts(parts: Sequence[int]) -> list[int]:
    """Whole people, as many as there are in all, the largest remainders rounded up."""
    rest = (sum(parts) + 50) // 100 - sum(each // 100 for each in parts)
    up = sorted(range(len(parts)), key=lambda at: (parts[at] % 100, parts[at]))[
        -rest or len(parts) :
    ]
    return [each // 100 + (at in up) for at, each in enumerate(parts)]


OPINIONS = {"for": 1_204, "against": 3_411, "undecided": 253}


def opinions() -> bytes:
    """A workbook with a cover, codes whose words are on another sheet, and a total."""
    rows = [*enumerate(OPINIONS.values(), start=1), ("Total", sum(OPINIONS.values()))]
    return workbook(
        ("Cover", [("Survey of opinions",), ("Office of statistics, 2026",)]),
        ("Data", [("opinion", "people"), *rows]),
        ("Codes", [("code", "label"), *enumerate(OPINIONS, start=1)]),
    )


def count_by_command(path: Path, data: bytes, out: Path, *accepted: str) -> bytes:
    """What `caldp count` writes."""
    path.write_bytes(data)
    accept = [part for each in accepted for part in ("--accept", each)]
    done = CliRunner().invoke(main, ["count", str(path), "-o", str(out), *accept])
    assert done.exit_code == 0, done.output
    return out.read_bytes()


def test_tables_lead_to_estimates_a_memo_and_a_record(open_link: OpenLink, tmp_path: Path) -> None:
    """A workbook and then a survey; all other kinds of files are read in `ui/test_own_files.py`."""
    page = open_link("values", ".chart .row")
    tab(page, "Share and export")
    bring(
        page,
        "opinions.xlsx",
        opinions(),
        offers=["Data", "Leave out “Total”", "Yes: take its words"],
    )
    table = export_scenario(page)["dataset"]
    assert dict(zip(table["names"], table["counts"], strict=True)) == OPINIONS
    accepted = ("sheet=Data", "total-row=leave-out", "codes=words")
    counts = tmp_path / "counts.csv"
    rows = rows_of(count_by_command(tmp_path / "opinions.xlsx", opinions(), counts, *accepted))
    assert {row["answer"]: int(row["people"]) for row in rows} == OPINIONS
    judge_kept(page)

    persons = people(1000)
    bring(page, "umfrage.csv", german(persons), ["Alter", "Wohnort"])
    survey = export_scenario(page)["dataset"]
    by_question: dict[str, list[int]] = {}
    for question, count in zip(survey["questions"], survey["counts"], strict=True):
        by_question.setdefault(question, []).append(count)
    assert by_question["Alter"] == round_parts(count_people(persons, 0, 5))
    for column in (2, 4):
        assert sorted(by_question[HEAD[column]]) == round_parts(count_people(persons, column))


def judge_kept(page: Any) -> None:
    """The record and the memo of the pack to keep are of this table, and say how it was read."""
    page.get_by_role("button", name="Audit and make the record").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name=pack.file_name(pack.KEPT)).click()
    files = unpacked(Path(saved.value.path()).read_bytes())
    for name in ("record.html", "memo.html"):
        text = files[name].decode()
        assert f"{sum(OPINIONS.values()):,}" in text, name
        assert "opinions" in text
    assert "codes of “opinion” read by the sheet “Codes”" in files["record.html"].decode()


TRUE_COUNTS_PLACES = [(48.05, 11.05), (48.35, 11.45), (48.55, 11.85)]
COUNTS = (10_007, 20_011, 3)
CSV = "latitude,longitude,people\n" + "\n".join(
    f"{south},{west},{people}"
    for (south, west), people in zip(TRUE_COUNTS_PLACES, COUNTS, strict=True)
)
RED = (176, 0, 32)


def true_counts_bring(page: Any) -> None:
    page.get_by_role("button", name="Your data").click()
    page.locator(".st-key-places-own-text textarea").fill(CSV)
    page.locator(".st-key-places-own-name input").fill("marked")
    page.get_by_role("button", name="Read the text").click()
    page.get_by_role("button", name="Show it").click()
    page.get_by_role("button", name="Show it").wait_for(state="detached")
    page.wait_for_url("**own=*")
    wait_until_settled(page)


def saved_picture(page: Any, name: str) -> tuple[str, Image.Image]:
    with page.expect_download() as found:
        press(page, name)
    image = Image.open(io.BytesIO(Path(found.value.path()).read_bytes())).convert("RGB")
    return found.value.suggested_filename, image


def red_rows(image: Image.Image) -> int:
    return sum(image.getpixel((1, y)) == RED for y in range(image.height))


def test_own_data_stay_in_their_tab_and_the_truth_in_internal_pictures(visit: Visit) -> None:
    page = visit("places?v=2&epsilon=2&blocks=one")
    true_counts_bring(page)
    sentence = page.locator(HEADLINE).inner_text()
    query = urlsplit(page.url).query
    assert "10007" not in query
    assert "dataset" not in query
    for look in ("Side by side", "Error"):
        press(page, look)
        name, image = saved_picture(page, "Picture")
        assert (name, red_rows(image)) == ("caldp-map.png", 0)
    name, image = saved_picture(page, "Internal picture, with the truth")
    assert (name, red_rows(image)) == ("caldp-map-internal.png", 48)
    page.reload()
    expect(page.locator(HEADLINE)).to_have_text([sentence])
    assert urlsplit(page.url).query.partition("&look")[0] == query.partition("&look")[0]
    receiver = visit(f"places?{query}", **SCREENS["projector"])
    expect(receiver.get_by_text("This link holds settings and no data")).to_be_visible()
    true_counts_bring(receiver)
    expect(receiver.locator(HEADLINE)).to_have_text([sentence])
    expect(receiver.get_by_text("This link holds settings and no data")).to_have_count(0)


NOW = Scenario(Cities(together=5), n=200_000).with_context(blocks=OneBlock())
BEFORE = Scenario(Cities(together=5), n=300_000, seed=9).with_context(
    blocks=OneBlock(), epsilon=4.0
)


def expect_result(page: Any, scenario: Scenario) -> None:
    expect(page.locator(HEADLINE)).to_have_text([headline_of(scenario)])
    wait_until_settled(page)


@pytest.mark.thorough  # a file of places and its form: test_map.py
def test_last_years_estimate_is_taken_for_known(visit: Visit, tmp_path: Path) -> None:
    last = run(prepare(BEFORE))
    (tmp_path / "last year.geojson").write_text(as_geojson(last), "utf-8")
    query = "&".join(f"{key}={text}" for key, text in LINK.write(PlacesState(NOW)).items())
    page = visit(f"places?{query}")
    expect_result(page, NOW)
    tab(page, "Public prior")
    page.get_by_role("button", name="Use a file of mine").click()
    page.get_by_role("tab", name="Choose a file").click()
    chosen = page.locator(".st-key-places-own-file input[type=file]")
    chosen.set_input_files(tmp_path / "last year.geojson")
    expect(page.get_by_text("last year.geojson")).to_be_visible()
    page.get_by_role("button", name="Read the file").click()
    preview = page.locator(".st-key-places-own-preview")
    expect(preview.get_by_role("radio", name="what is public already")).to_be_checked()
    expect(preview).to_contain_text("people in")
    page.get_by_role("button", name="Show it").click()
    domain = prepare(Scenario(Cities(), n=1)).dataset.domain
    detected = inspect_data((tmp_path / "last year.geojson").read_bytes())
    assert isinstance(domain, GridDomain)
    prior = count_published_map(detected, detected.places, "last year", domain).published
    knowing = Scenario(NOW.dataset, NOW.policy, estimator="cascade-map", n=NOW.n, prior=prior)
    expect_result(page, knowing)
    sentence = page.get_by_text("people are where they are on this map because of “last year”")
    expect(sentence).to_be_visible()
    tab(page, "Share and export")
    with page.expect_download() as saved:
        page.locator(".st-key-places-json button").click()
    found = Scenario.from_json(Path(saved.value.path()).read_text("utf-8"))
    assert isinstance(found.prior, PublicMap)
    assert found == knowing
    tab(page, "Public prior")
    page.get_by_role("button", name="Use reports alone").click()
    expect_result(page, NOW)  # the maps above the tab, too
    page.get_by_role("button", name="Use “last year”").click()
    expect_result(page, knowing)
