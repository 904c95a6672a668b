"""A visitor's way from a file to the pack of a rehearsal, which is opened again and judged."""

import csv
import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from click.testing import CliRunner

from caldp_core.basics.types import no_progress
from caldp_core.cli.commands import main
from caldp_core.datasets import read_places
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import PolygonBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.coarser import packs
from caldp_ui.coarser.outcomes import load_data
from caldp_ui.coarser.page_state import CENTRAL, HIDE, LARGER, Publication, with_data
from caldp_ui.compute.runs import summarize_privacy
from caldp_ui.maps.scene import BEGIN
from caldp_ui.parts import comparison, pack, sharing
from caldp_ui.places.controls import with_dataset
from caldp_ui.words.formats import PLACES
from tests.browser.conftest import OpenLink
from tests.browser.hands import STAGE, expect, open_internal
from tests.servers import wait_until_settled
from tests.ui.test_own_files import texts

pytestmark = pytest.mark.browser
CLICKS_MAX = 10
ROWS = 3_000
RIDERS = 400
CENTRES = ((48.137, 11.575, 0.02), (48.26, 11.43, 0.01), (48.06, 11.68, 0.01))
DISTRICTS = {
    "Centre": ((11.4513, 48.0807), (11.6821, 48.0918), (11.6602, 48.2011), (11.4409, 48.1904)),
    "North-west": ((11.3603, 48.2013), (11.5008, 48.2104), (11.4911, 48.3117), (11.3602, 48.3109)),
    "South-east": ((11.6007, 48.0012), (11.7504, 48.0003), (11.7511, 48.0806), (11.6002, 48.0709)),
}
RIVER = {"type": "LineString", "coordinates": [[11.53127, 48.12519], [11.59713, 48.15737]]}
CELL = 0.01
WESTS = range(1137, 1167, 2)
"""Of strips, in hundredths of a degree."""
OUTSIDE = "Outside of all areas"
PLACE = ("latitude", "longitude")
FILES = {
    "INTERNAL.txt",
    "areas.csv",
    "areas.geojson",
    "areas.svg",
    "estimate.csv",
    "estimate.geojson",
    "memo.html",
    "picture.svg",
    "record.html",
    "scenario.json",
}


def scooters() -> str:
    """Rows of rider, latitude and longitude around three centres."""
    rng = np.random.default_rng(7)
    near = rng.choice(3, ROWS, p=(0.7, 0.2, 0.1))
    middle = np.array(CENTRES)[near]
    places = middle[:, :2] + middle[:, 2:] * rng.standard_normal((ROWS, 2)) * (1, 1.5)
    riders = rng.integers(0, RIDERS, ROWS)
    rows = (f"r{r:04d},{y:.5f},{x:.5f}" for r, (y, x) in zip(riders, places, strict=True))
    return "\n".join(("rider_id,latitude,longitude", *rows))


def districts() -> str:
    """The polygons of the districts as GeoJSON."""
    features = [
        {
            "type": "Feature",
            "properties": {"name": name},
            "geometry": {"type": "Polygon", "coordinates": [[*corners, corners[0]]]},
        }
        for name, corners in DISTRICTS.items()
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


def scenario_of_the_page() -> Scenario:
    """What the page shows of the file at first."""
    return with_dataset(BEGIN, replace(read_places(scooters()).places, title="scooters"))


class Officer:
    """Clicks on a page, counted; a file that is chosen is a click."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page, self.folder, self.clicks = page, folder, 0

    def press(self, name: str, role: str = "button") -> None:
        self.clicks += 1
        found = self.page.get_by_role(role, name=re.compile(rf"\b{re.escape(name)}\b"))
        expect(found.filter(visible=True)).to_have_count(1)
        found.filter(visible=True).click()

    def choose(self, css: str, name: str, text: str) -> None:
        self.clicks += 1
        (self.folder / name).write_text(text, "utf-8")
        self.page.locator(f"{css} input[type=file]").set_input_files(self.folder / name)
        expect(self.page.locator(css).get_by_text(name)).to_be_visible()

    def bring(self, name: str, text: str) -> None:
        """The file is read, and asks what it has to ask."""
        self.press("Places")
        self.choose(".st-key-places-own-file", name, text)
        self.press("Read the file")

    def show(self) -> None:
        self.press("Show it")
        self.page.wait_for_url("**own=*")

    def take_pack(self) -> tuple[bytes, dict[str, bytes]]:
        """The pack of the rehearsal, after no more clicks than are promised, and its files."""
        self.press("Share and export", "tab")
        self.press("Audit and make the record")
        wait_until_settled(self.page)
        audit = self.page.get_by_role("button", name="Audit and make the record")
        expect(audit).to_have_count(0)
        expect(self.page.get_by_text("Auditing the channel")).to_have_count(0)
        self.clicks += 1
        open_internal(self.page)
        name = pack.file_name(pack.PACK_NAME)
        with self.page.expect_download() as saved:
            self.press(name)
        assert self.clicks <= CLICKS_MAX
        data = Path(saved.value.path()).read_bytes()
        files = unpacked(data)
        assert set(files) == FILES
        return data, files


def test_from_a_file_of_scooters_to_the_pack_of_a_rehearsal(
    open_link: OpenLink, browser: Any, tmp_path: Path
) -> None:
    page = open_link("", ".st-key-start-ways button")
    officer = Officer(page, tmp_path)
    officer.bring("scooters.csv", scooters())
    officer.show()
    officer.press("By area", "tab")
    officer.choose(".st-key-places-areas-file", "districts.geojson", districts())
    expect(page.get_by_role("button", name="areas-internal.csv")).to_be_visible()
    (tmp_path / "river.geojson").write_text(json.dumps(RIVER), "utf-8")
    page.locator(f"{STAGE} input[type=file]").set_input_files(tmp_path / "river.geojson")
    expect(page.locator(f"{STAGE} .keys")).to_contain_text("they stay in this browser")
    data, files = officer.take_pack()
    assert not any("11.53127" in text for text in texts(data)), "the river"
    judge_cells(files, scenario_of_the_page(), tmp_path)
    judge_numbers(files)
    for name, text in files.items():
        assert pack.LINE in text.decode(), name
    judge_record(browser, files["record.html"].decode())


def test_a_memo_of_many_areas_names_the_file_that_has_the_rest() -> None:
    edges = [(west / 100, (west + 2) / 100) for west in WESTS]
    strips = [f"48,{w} 48.3,{w} 48.3,{e} 48,{e}" for w, e in edges]
    names = [f"District number {number} of the city" for number in range(len(strips))]
    ours, spec = run(prepare(scenario_of_the_page())), PolygonBlocks(tuple(names), tuple(strips))
    by_area = pack.by_areas(ours, pack.areas_of_map(ours.setup, spec))
    content = sharing.ReportContent(ours, "", {}, by_area=by_area)
    audit = sharing.AuditReport(summarize_privacy(ours.setup.scenario, no_progress), None)
    record = sharing.html(PLACES, content, audit, "http://127.0.0.1:8501/places?" * 4, "memo.html")
    assert "more areas in areas.csv" in record


def test_records_of_treatments_print_on_one_page(browser: Any) -> None:
    publication = with_data(Publication(), scenario_of_the_page().dataset)
    treatments = load_data(publication, comparison.load_fast_results)
    strips = [" ".join(f"{y},{x}" for x, y in corners) for corners in DISTRICTS.values()]
    spec = PolygonBlocks(tuple(DISTRICTS), tuple(strips))
    areas = pack.areas_of_map(treatments.setup, spec)
    for name in (LARGER, HIDE, CENTRAL):
        judge_paper(browser, str(packs.files_of(treatments, name, areas)["record.html"]))


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def judge_cells(files: dict[str, bytes], shown: Scenario, folder: Path) -> None:
    """Cells are those of the command line; their shares have coins of this visit."""
    scenario, cells = folder / "scenario.json", folder / "cells.csv"
    scenario.write_text(json.dumps(shown.to_dict()), "utf-8")
    found = CliRunner().invoke(main, ["run", str(scenario), "--estimate", str(cells)])
    assert found.exit_code == 0, found.output
    ours, by_command = rows_of(files["estimate.csv"]), rows_of(cells.read_bytes())
    assert ours[0].keys() == {pack.INTERNAL_NAME, *by_command[0]}
    for row, expected in zip(ours, by_command, strict=True):
        assert {name: row[name] for name in PLACE} == {name: expected[name] for name in PLACE}


def judge_numbers(files: dict[str, bytes]) -> None:
    """Areas are sums of the cells whose centre they hold."""
    rows = list(csv.DictReader(io.StringIO(files["estimate.csv"].decode())))
    polygons = {name: shapely.Polygon(corners) for name, corners in DISTRICTS.items()}
    sums = dict.fromkeys((*DISTRICTS, OUTSIDE), 0.0)
    for row in rows:
        centre = shapely.Point(float(row["longitude"]), float(row["latitude"]))
        inside = [name for name, polygon in polygons.items() if polygon.contains(centre)]
        sums[inside[0] if inside else OUTSIDE] += float(row["estimated share"])
    areas = list(csv.DictReader(io.StringIO(files["areas.csv"].decode())))
    assert {row["area"]: pytest.approx(float(row["share"])) for row in areas} == sums
    for row in areas:
        assert float(row["low"]) <= float(row["share"]) <= float(row["high"])
    for feature in json.loads(files["areas.geojson"])["features"]:
        name, drawn = feature["properties"]["area"], feature["geometry"]
        if name in polygons:  # the cells whose centre it holds, so along its border others
            border = polygons[name].boundary.buffer(CELL)
            shape = shapely.geometry.shape(drawn)
            assert border.contains(shape.difference(polygons[name]))


def judge_record(browser: Any, record: str) -> None:
    """It prints on one sheet of either paper, with plain words before technical ones."""
    assert record.index("What is not promised") < record.index("In technical words")
    judge_paper(browser, record)


A4_WIDTH = 703
"""CSS pixels of a line: 210 mm less the record's margins."""
SIZES = """() => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) {
        const element = walk.currentNode.parentElement, matrix = element.getScreenCTM?.();
        const scale = matrix ? Math.hypot(matrix.b, matrix.d) : 1;
        const points = 0.75 * scale * parseFloat(getComputedStyle(element).fontSize);
        if (walk.currentNode.data.trim()) found.push([points, walk.currentNode.data]);
    }
    return found;
}"""
"""Each text of a page with the size of its letters in points, as it is drawn."""


def judge_paper(browser: Any, record: str) -> None:
    """It prints on one sheet of either paper, and no letters of it are below 6 points."""
    with browser.new_context() as context:
        sheet = context.new_page()
        sheet.set_content(record)
        sheet.emulate_media(media="print")
        sheet.set_viewport_size({"width": A4_WIDTH, "height": 1000})
        size, text = min(sheet.evaluate(SIZES))
        assert size >= 6, text
        for paper in ("A4", "Letter"):
            assert re.findall(rb"/Count (\d+)", sheet.pdf(format=paper)) == [b"1"], paper
