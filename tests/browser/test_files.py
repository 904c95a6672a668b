"""A visitor's own data in a browser: from the file to estimates and records."""

import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from caldp_core.cli.commands import main
from caldp_core.datasets import OwnTable
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.parts import pack
from tests.browser.conftest import SCREENS, OpenLink, Visit
from tests.browser.hands import HEADLINE, expect, open_internal, press, tab
from tests.browser.test_everybody import AS_AT_REST, expect_no_violations
from tests.browser.test_packs import rows_of, unpacked
from tests.datasets.files import workbook
from tests.servers import wait_until_settled

pytestmark = pytest.mark.browser


def bring(page: Any, name: str, data: bytes, offers: Sequence[str]) -> None:
    """Choose a file and take the offers of its checks by the keyboard; no rule of axe is broken."""
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
    """What scenario.json holds."""
    open_internal(page)
    text = download(page, "scenario-internal.json")
    assert isinstance(Scenario.from_json(text).dataset, OwnTable)
    return json.loads(text)


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


def test_a_workbook_leads_to_estimates_a_memo_and_a_record(
    open_link: OpenLink, tmp_path: Path
) -> None:
    """Other files are read in `ui/test_own_files.py`, surveys in `ui/test_values.py`."""
    page = open_link("values", ".chart .row")
    tab(page, "Share and export")
    offers = ("Data", "Yes: take its words")
    bring(page, "opinions.xlsx", opinions(), offers)
    table = export_scenario(page)["dataset"]
    assert dict(zip(table["names"], table["counts"], strict=True)) == OPINIONS
    accepted = ("sheet=Data", "total-row=leave-out", "codes=words")
    counts = tmp_path / "counts.csv"
    rows = rows_of(count_by_command(tmp_path / "opinions.xlsx", opinions(), counts, *accepted))
    assert {row["answer"]: int(row["people"]) for row in rows} == OPINIONS
    judge_kept(page)


def judge_kept(page: Any) -> None:
    """The record and the memo of the rehearsal are of this table, and say how it was read."""
    page.get_by_role("button", name="Audit and make the record").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name=pack.file_name(pack.PACK_NAME)).click()
    files = unpacked(Path(saved.value.path()).read_bytes())
    for name in ("record.html", "memo.html"):
        text = files[name].decode()
        assert f"{sum(OPINIONS.values()):,}" in text, name
        assert "opinions" in text
    assert "codes of “opinion” read by the sheet “Codes”" in files["record.html"].decode()
    rows = rows_of(files["estimate.csv"])
    assert [row["answer"] for row in rows] == list(OPINIONS)
    np.testing.assert_allclose(sum(float(row["estimated share"]) for row in rows), 1.0, atol=1e-9)
    assert all(float(row["low"]) <= float(row["high"]) for row in rows)


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
    # Loaded again it is a new visit, with noise of its own.
    # Its cells of 0.01 degrees are 1.1 km high.
    wrong = "of 100 people in the wrong 1.1-km cell"
    sentence = re.compile(f"{wrong}, (plain LDP|and so does plain LDP)")
    expect(page.locator(HEADLINE)).to_have_text([sentence])
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
    expect(receiver.locator(HEADLINE)).to_contain_text([sentence])
    expect(receiver.get_by_text("This link holds settings and no data")).to_have_count(0)
